/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domain XML as the hook gets it: our metadata, and the view that prepare and doctor take of it. */
#include "fuzz.h"
#include "pvr-domview.h"
#include "pvr-error.h"
#include "pvr-metadata.h"
#include "pvr-verify.h"

static void
verify_all(const PvrDomainView *view, const PvrDomainMeta *meta)
{
    pvr_verify_memory(view, NULL);
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        PvrMac mac;

        pvr_verify_functions(view, device, NULL);
        if (device->backend == PVR_BACKEND_SOFT) {
            pvr_verify_connection(view, device, NULL);
            g_assert_null(device->path);
            continue;
        }
        pvr_verify_mac(view, device, NULL);
        g_assert_true(pvr_gid_to_mac(&device->gid, &mac, NULL));
        g_assert_nonnull(device->path);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) meta_error = NULL;
    g_autoptr(GError) view_error = NULL;
    g_autoptr(PvrDomainMeta) meta =
        pvr_metadata_parse_domain((const char *)data, size, &meta_error);
    g_autoptr(PvrDomainView) view = pvr_domain_view_parse((const char *)data, size, &view_error);

    g_assert_true((meta == NULL) == (meta_error != NULL));
    g_assert_true((view == NULL) == (view_error != NULL));
    if (meta != NULL && view != NULL) {
        verify_all(view, meta);
    }
    return 0;
}
