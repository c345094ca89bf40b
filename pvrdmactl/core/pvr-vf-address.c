/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-vf-address.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-store.h"

#define ID_LENGTH 32
#define MULTICAST_BIT 0x01
#define LOCAL_BIT 0x02

static char *
read_machine_id(PvrHost *host, GError **error)
{
    g_autofree char *path = pvr_host_path(host, PVR_DIR_ETC, "machine-id", NULL);
    gsize len = 0;
    g_autofree char *id = pvr_store_read(path, 64, &len, NULL);

    if (id != NULL && strspn(g_strchomp(id), "0123456789abcdef") == ID_LENGTH &&
        id[ID_LENGTH] == '\0')
        return g_steal_pointer(&id);
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                "this machine has no id that addresses could be made from (%s)\n"
                "'systemd-machine-id-setup' makes one, or give the address yourself", path);
    return NULL;
}

/* The machine's id is not to be told (machine-id(5)): only a keyed hash of it goes out. */
static void
make_bytes(const char *id, const char *what, const char *pci, guint8 *bytes, gsize count)
{
    g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, (const guchar *) id, strlen(id));
    guint8 digest[32];
    gsize len = sizeof(digest);

    g_hmac_update(hmac, (const guchar *) what, -1);
    g_hmac_update(hmac, (const guchar *) pci, -1);
    g_hmac_get_digest(hmac, digest, &len);
    memcpy(bytes, digest, count);
    bytes[0] = (guint8) ((bytes[0] & ~MULTICAST_BIT) | LOCAL_BIT);
}

static guint64
make_guid(const char *id, const char *what, const char *pci)
{
    guint8 bytes[8];
    guint64 guid = 0;

    make_bytes(id, what, pci, bytes, sizeof(bytes));
    for (guint i = 0; i < sizeof(bytes); i++)
        guid = guid << 8 | bytes[i];
    return guid;
}

gboolean
pvr_vf_make_address(PvrHost *host, const char *pci, PvrVf *vf, GError **error)
{
    g_autofree char *id = read_machine_id(host, error);

    if (id == NULL)
        return FALSE;
    make_bytes(id, "pvrdma vf mac ", pci, vf->mac.raw, sizeof(vf->mac.raw));
    vf->node_guid = make_guid(id, "pvrdma vf node guid ", pci);
    vf->port_guid = make_guid(id, "pvrdma vf port guid ", pci);
    return TRUE;
}
