/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-metadata.h"

#include "pvr-error.h"

/* In the order of PvrBackend. */
static const char *const backend_names[PVR_BACKEND_LAST] = {"rxe", "ibdev", "soft", "vf", "pool"};

/* In the order of the PvrAdded bits. */
static const char *const added_words[] = {
    "metadata", "memory-backing", "memory-source", "memory-access", "override", "xmlns", NULL,
};

void
pvr_meta_device_free(PvrMetaDevice *device)
{
    if (!device) {
        return;
    }
    g_free(device->netdev);
    g_free(device->ibdev);
    g_free(device->pci);
    g_free(device->pool);
    g_free(device->guid);
    g_free(device->alias);
    g_free(device->path);
    g_free(device);
}

PvrMetaDevice *
pvr_meta_device_copy(const PvrMetaDevice *device)
{
    PvrMetaDevice *copy = g_memdup2(device, sizeof *device);

    copy->netdev = g_strdup(device->netdev);
    copy->ibdev = g_strdup(device->ibdev);
    copy->pci = g_strdup(device->pci);
    copy->pool = g_strdup(device->pool);
    copy->guid = g_strdup(device->guid);
    copy->alias = g_strdup(device->alias);
    copy->path = g_strdup(device->path);
    return copy;
}

void
pvr_domain_meta_free(PvrDomainMeta *meta)
{
    if (!meta) {
        return;
    }
    g_free(meta->uuid);
    g_free(meta->name);
    g_clear_pointer(&meta->spares, g_array_unref);
    g_clear_pointer(&meta->devices, g_ptr_array_unref);
    g_free(meta);
}

const char *
pvr_backend_to_string(PvrBackend backend)
{
    return backend_names[backend];
}

gboolean
pvr_backend_is_vf(PvrBackend backend)
{
    return backend == PVR_BACKEND_VF || backend == PVR_BACKEND_POOL;
}

char *
pvr_metadata_link_path(const char *uuid, guint id)
{
    return g_strdup_printf(PVR_METADATA_LINK_DIR "/%s-%u", uuid, id);
}

char *
pvr_metadata_alias(guint id)
{
    return g_strdup_printf("ua-pvrdma%u", id);
}

char *
pvr_metadata_net_alias(const PvrMetaDevice *device)
{
    return g_strconcat(device->alias, "-net", NULL);
}

gboolean
pvr_metadata_uses_host(const PvrDomainMeta *meta)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        if (device->backend != PVR_BACKEND_SOFT) {
            return TRUE;
        }
    }
    return FALSE;
}

PvrMetaDevice *
pvr_metadata_find(const PvrDomainMeta *meta, guint id)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        if (device->id == id) {
            return device;
        }
    }
    return NULL;
}

gboolean
pvr_metadata_check_owner(const PvrDomainMeta *meta, GError **error)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        g_autofree char *own = pvr_metadata_link_path(meta->uuid, device->id);

        if (device->path && !g_str_equal(device->path, own)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                        "pvrdma metadata: path='%s' belongs to another domain; was '%s' cloned?\n"
                        "run 'pvrdmactl detach %s %u' and attach a device of its own",
                        device->path, meta->name, meta->name, device->id);
            return FALSE;
        }
    }
    return TRUE;
}

guint
pvr_added_from_word(const char *word)
{
    for (guint bit = 0; added_words[bit]; bit++) {
        if (g_str_equal(word, added_words[bit])) {
            return 1u << bit;
        }
    }
    return 0;
}

char *
pvr_added_to_string(guint added)
{
    GString *text = g_string_new(NULL);

    for (guint bit = 0; added_words[bit]; bit++) {
        if (added & (1u << bit)) {
            g_string_append_printf(text, "%s%s", text->len ? " " : "", added_words[bit]);
        }
    }
    return g_string_free(text, FALSE);
}

char *
pvr_spares_to_string(const GArray *spares)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < spares->len; i++) {
        g_string_append_printf(text, "%s%u", i ? " " : "", g_array_index(spares, guint, i));
    }
    return g_string_free(text, FALSE);
}

static void
append_attr(GString *xml, const char *name, const char *value)
{
    g_autofree char *escaped = value ? g_markup_escape_text(value, -1) : NULL;

    if (escaped) {
        g_string_append_printf(xml, " %s=\"%s\"", name, escaped);
    }
}

static void
append_number(GString *xml, const char *name, int value)
{
    if (value >= 0) {
        g_string_append_printf(xml, " %s=\"%d\"", name, value);
    }
}

static void
append_host_part(GString *xml, const PvrMetaDevice *device)
{
    g_autofree char *gid = pvr_gid_to_string(&device->gid);
    g_autofree char *mac = pvr_mac_to_string(&device->mac);
    g_autofree char *policy = pvr_gid_policy_to_string(device->gid_policy);

    append_attr(xml, "netdev", device->netdev);
    append_attr(xml, "ibdev", device->ibdev);
    append_attr(xml, "pci", device->pci);
    append_attr(xml, "pool", device->pool);
    append_attr(xml, "guid", device->guid);
    append_number(xml, "port", (int)device->port);
    append_attr(xml, "gid", gid);
    append_number(xml, "gid-index", device->gid_index);
    append_attr(xml, "gid-policy", policy);
    append_attr(xml, "mac", mac);
}

/* Double quotes: so does libvirt (xmlNodeDump) print the content of <metadata>. */
char *
pvr_meta_device_to_xml(const PvrMetaDevice *device, const char *prefix)
{
    GString *xml = g_string_new(NULL);

    g_string_append_printf(xml, "<%s%sdevice", prefix, *prefix ? ":" : "");
    append_number(xml, "id", (int)device->id);
    append_attr(xml, "backend", pvr_backend_to_string(device->backend));
    if (device->backend != PVR_BACKEND_SOFT) {
        append_host_part(xml, device);
    }
    append_attr(xml, "alias", device->alias);
    append_number(xml, "controller", device->controller);
    append_attr(xml, "path", device->path);
    g_string_append(xml, "/>");
    return g_string_free(xml, FALSE);
}
