/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-conf.h"
#include "pvr-error.h"
#include "pvr-plan.h"
#include "pvr-resolve.h"

static PvrMetaDevice *
new_device(PvrBackend backend, guint port, const PvrMac *mac)
{
    PvrMetaDevice *device = g_new0(PvrMetaDevice, 1);

    device->backend = backend;
    device->port = port;
    device->mac = *mac;
    pvr_gid_from_mac(mac, &device->gid);
    device->gid_index = -1;
    device->controller = -1;
    return device;
}

static gboolean
check_vf(const char *text, const PvrDevice *found, GError **error)
{
    if (found->pci == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "'%s' is no VF: it is on no PCI function\n"
                    "'pvrdmactl vf list' shows the VFs; for other devices there are --ibdev and --rxe",
                    text);
        return FALSE;
    }
    if (found->pci->pf == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "'%s' is no VF but %s %s\n%s", text,
                    found->pci->vfs > 0 ? "a PF," : "an ordinary function,", found->pci->address,
                    found->pci->vfs > 0
                        ? "'pvrdmactl vf list' shows its VFs"
                        : "for a whole RDMA device there is --ibdev; 'pvrdmactl vf create' makes VFs");
        return FALSE;
    }
    return TRUE;
}

/* Of what is there at present: it may have no ibdevice, or another one, until the domain starts. */
static gboolean
check_port(PvrHost *host, const PvrDevice *found, guint number, GError **error)
{
    g_autoptr(PvrIbdev) ibdev =
        found->ibdev != NULL ? pvr_host_get_ibdev(host, found->ibdev, error) : NULL;
    const PvrPort *port = ibdev != NULL ? pvr_ibdev_get_port(ibdev, number, error) : NULL;

    if (found->ibdev == NULL) {
        return TRUE;
    }
    if (port != NULL && g_strcmp0(port->link_layer, "InfiniBand") == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "port %u of '%s' is InfiniBand, the device speaks RoCE v2\n"
                    "choose a VF whose link layer is Ethernet; 'pvrdmactl list' shows them",
                    number, found->ibdev);
        return FALSE;
    }
    return port != NULL;
}

PvrMetaDevice *
pvr_plan_vf(PvrHost *host, const char *text, guint port, const PvrMac *mac, GError **error)
{
    g_autoptr(PvrDevice) found = pvr_resolve(host, text, error);
    PvrMetaDevice *device;

    if (found == NULL || !check_vf(text, found, error) || !check_port(host, found, port, error)) {
        return NULL;
    }
    device = new_device(PVR_BACKEND_VF, port, mac);
    device->pci = g_strdup(found->pci->address);
    device->ibdev = g_strdup(found->ibdev);
    return device;
}

PvrMetaDevice *
pvr_plan_pool(PvrHost *host, const char *pool, guint port, const PvrMac *mac, GError **error)
{
    g_autoptr(PvrConf) conf = pvr_conf_load(host, error);
    PvrMetaDevice *device;

    if (conf == NULL || pvr_conf_find_pool(conf, pool, error) == NULL) {
        return NULL;
    }
    device = new_device(PVR_BACKEND_POOL, port, mac);
    device->pool = g_strdup(pool);
    return device;
}
