/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-resolve.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-place.h"

void
pvr_device_free(PvrDevice *device)
{
    if (device->pci != NULL)
        pvr_pci_free(device->pci);
    g_free(device->ibdev);
    g_free(device->netdev);
    g_free(device);
}

PvrPci *
pvr_resolve_ibdev_pci(PvrHost *host, const PvrIbdev *ibdev, GError **error)
{
    g_autofree char *address = NULL;

    if (!pvr_ibdev_is_rxe(ibdev))
        address = pvr_place_function(host, PVR_DIR_SYS_IB, ibdev->name);
    else if (ibdev->parent != NULL)
        address = pvr_place_function(host, PVR_DIR_SYS_NET, ibdev->parent);
    return address != NULL ? pvr_host_get_pci(host, address, error) : NULL;
}

static gboolean
set_ambiguous(const char *text, const char *first, const char *second, GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE, "'%s' fits two RDMA devices: '%s' and '%s'\n"
                "name one of them; 'pvrdmactl list' shows all", text, first, second);
    return FALSE;
}

/* The ibdevices of a netdev, or of all the netdevs of a function: what drives the function itself, and rxe. */
static gboolean
choose_ibdev(PvrHost *host, PvrDevice *device, const char *text, GError **error)
{
    const char *only_on = device->netdev;

    for (guint i = 0; i < device->pci->ibdevs->len; i++) {
        const char *name = g_ptr_array_index(device->pci->ibdevs, i);
        g_autofree char *path = pvr_host_path(host, PVR_DIR_SYS_IB, name, "parent", NULL);
        g_autofree char *parent = NULL;

        if (g_file_get_contents(path, &parent, NULL, NULL) && only_on != NULL &&
            !g_str_equal(g_strstrip(parent), only_on))
            continue;
        if (device->ibdev != NULL)
            return set_ambiguous(text, device->ibdev, name, error);
        device->ibdev = g_strdup(name);
    }
    return TRUE;
}

static PvrDevice *
resolve_address(PvrHost *host, const char *text, const char *address, GError **error)
{
    g_autoptr(PvrDevice) device = g_new0(PvrDevice, 1);

    device->pci = pvr_host_get_pci(host, address, error);
    if (device->pci == NULL || !choose_ibdev(host, device, text, error))
        return NULL;
    if (device->pci->netdevs->len != 0)
        device->netdev = g_strdup(g_ptr_array_index(device->pci->netdevs, 0));
    return g_steal_pointer(&device);
}

static PvrDevice *
device_of_ibdev(PvrHost *host, const PvrIbdev *ibdev, GError **error)
{
    g_autoptr(PvrDevice) device = g_new0(PvrDevice, 1);
    g_autoptr(GError) local = NULL;

    device->ibdev = g_strdup(ibdev->name);
    device->pci = pvr_resolve_ibdev_pci(host, ibdev, &local);
    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (pvr_ibdev_is_rxe(ibdev))
        device->netdev = g_strdup(ibdev->parent);
    else if (device->pci != NULL)
        device->netdev = pvr_place_netdev(host, ibdev, device->pci);
    return g_steal_pointer(&device);
}

/* A netdev that is on no function: rxe on it, or a bond that a driver made a device for. */
static gboolean
choose_virtual(PvrHost *host, PvrDevice *device, const char *text, GError **error)
{
    g_autoptr(GPtrArray) ibdevs = pvr_host_list_bare_ibdevs(host, error);

    for (guint i = 0; ibdevs != NULL && i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (!pvr_place_is_on(host, ibdev, device->netdev))
            continue;
        if (device->ibdev != NULL)
            return set_ambiguous(text, device->ibdev, ibdev->name, error);
        device->ibdev = g_strdup(ibdev->name);
        device->pci = pvr_resolve_ibdev_pci(host, ibdev, NULL);
    }
    return ibdevs != NULL;
}

static PvrDevice *
device_of_netdev(PvrHost *host, const char *text, const char *netdev, GError **error)
{
    g_autofree char *address = pvr_place_function(host, PVR_DIR_SYS_NET, netdev);
    g_autoptr(PvrDevice) device = g_new0(PvrDevice, 1);

    device->netdev = g_strdup(netdev);
    if (address == NULL)
        return choose_virtual(host, device, text, error) ? g_steal_pointer(&device) : NULL;
    device->pci = pvr_host_get_pci(host, address, error);
    if (device->pci == NULL || !choose_ibdev(host, device, text, error))
        return NULL;
    return g_steal_pointer(&device);
}

/* The present name of the netdev that has this name or altname; NULL when there is none. */
static char *
find_netdev(PvrHost *host, const char *text)
{
    g_autoptr(PvrNetdev) netdev = pvr_host_get_netdev(host, text, NULL);

    return netdev != NULL ? g_strdup(netdev->name) : NULL;
}

/* An IPoIB netdev often has the name of its ibdevice: then both are one device. */
static gboolean
check_same(PvrHost *host, const char *text, const PvrDevice *device, const char *netdev,
           GError **error)
{
    g_autofree char *address = pvr_place_function(host, PVR_DIR_SYS_NET, netdev);
    const char *own = device->pci != NULL ? device->pci->address : device->netdev;

    if (g_strcmp0(device->netdev, netdev) == 0 || (address != NULL && g_strcmp0(own, address) == 0))
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                "'%s' is an RDMA device on '%s', and another network device\n"
                "name it by its PCI address, node GUID or uverbs node", text,
                own != NULL ? own : "unknown");
    return FALSE;
}

static PvrDevice *
resolve_name(PvrHost *host, const char *text, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(host, text, &local);
    g_autoptr(PvrDevice) device = NULL;
    g_autofree char *netdev = NULL;

    if (ibdev == NULL && !g_error_matches(local, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    netdev = find_netdev(host, text);
    if (ibdev == NULL && netdev != NULL)
        return device_of_netdev(host, text, netdev, error);
    if (ibdev == NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    device = device_of_ibdev(host, ibdev, error);
    if (device == NULL || (netdev != NULL && !check_same(host, text, device, netdev, error)))
        return NULL;
    return g_steal_pointer(&device);
}

typedef gboolean (*Match)(const PvrIbdev *ibdev, gconstpointer wanted);

/* The only one of the host's that matches; NULL without error when there is none. */
static PvrIbdev *
find_only(PvrHost *host, const char *text, Match match, gconstpointer wanted, GError **error)
{
    g_autoptr(GPtrArray) ibdevs = pvr_host_list_bare_ibdevs(host, error);
    const PvrIbdev *found = NULL;

    for (guint i = 0; ibdevs != NULL && i < ibdevs->len; i++) {
        const PvrIbdev *ibdev = g_ptr_array_index(ibdevs, i);

        if (!match(ibdev, wanted))
            continue;
        if (found != NULL) {
            set_ambiguous(text, found->name, ibdev->name, error);
            return NULL;
        }
        found = ibdev;
    }
    return found != NULL ? pvr_host_get_ibdev(host, found->name, error) : NULL;
}

static gboolean
match_guid(const PvrIbdev *ibdev, gconstpointer wanted)
{
    guint64 guid;

    return ibdev->node_guid != NULL && pvr_guid_parse(ibdev->node_guid, &guid, NULL) &&
           guid == *(const guint64 *) wanted;
}

static gboolean
match_uverbs(const PvrIbdev *ibdev, gconstpointer wanted)
{
    return g_strcmp0(ibdev->uverbs, wanted) == 0;
}

/* As pvr_resolve(), for a text that only what @match looks at can fit. */
static PvrDevice *
resolve_match(PvrHost *host, const char *text, const char *what, Match match,
              gconstpointer wanted, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(PvrIbdev) ibdev = find_only(host, text, match, wanted, &local);

    if (local != NULL) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    if (ibdev == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no RDMA device has the %s '%s'\n"
                    "'pvrdmactl list --json' shows what there is", what, text);
        return NULL;
    }
    return device_of_ibdev(host, ibdev, error);
}

static PvrDevice *
resolve_guid(PvrHost *host, const char *text, guint64 guid, GError **error)
{
    if (guid == 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_USAGE,
                    "node GUID 0 is that of every VF which has not got one yet\n"
                    "name the device by its PCI address");
        return NULL;
    }
    return resolve_match(host, text, "node GUID", match_guid, &guid, error);
}

/* "uverbs3" of it or of "/dev/infiniband/uverbs3"; NULL when it is no such name. */
static const char *
uverbs_name(const char *text)
{
    g_autofree char *dir = pvr_host_plain_path(PVR_DIR_DEV_IB, "", NULL);
    const char *name = g_str_has_prefix(text, dir) ? text + strlen(dir) : text;
    const char *digits = g_str_has_prefix(name, "uverbs") ? name + strlen("uverbs") : "";

    return g_ascii_string_to_unsigned(digits, 10, 0, G_MAXUINT, NULL, NULL) ? name : NULL;
}

PvrDevice *
pvr_resolve(PvrHost *host, const char *text, GError **error)
{
    g_autofree char *address = pvr_pci_parse_address(text);
    const char *uverbs = uverbs_name(text);
    guint64 guid;

    if (address != NULL)
        return resolve_address(host, text, address, error);
    if (uverbs != NULL)
        return resolve_match(host, text, "uverbs node", match_uverbs, uverbs, error);
    if (pvr_guid_parse(text, &guid, NULL))
        return resolve_guid(host, text, guid, error);
    return resolve_name(host, text, error);
}

/* Of a bond's members only one function has a device, which is the bond's. */
static void
set_no_ibdev_on(PvrHost *host, const char *netdev, GError **error)
{
    g_autofree char *master = pvr_place_master(host, netdev);
    g_autoptr(PvrDevice) bond = master != NULL ? device_of_netdev(host, master, master, NULL) : NULL;

    if (bond != NULL && bond->ibdev != NULL)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "network device '%s' is a part of '%s', whose RDMA device is '%s'\n"
                    "use that one", netdev, master, bond->ibdev);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "network device '%s' has no RDMA device\n"
                    "'pvrdmactl rxe add %s' makes one in software", netdev, netdev);
}

PvrIbdev *
pvr_resolve_ibdev(PvrHost *host, const char *text, GError **error)
{
    g_autoptr(PvrDevice) device = pvr_resolve(host, text, error);

    if (device == NULL)
        return NULL;
    if (device->ibdev != NULL)
        return pvr_host_get_ibdev(host, device->ibdev, error);
    if (device->netdev != NULL)
        set_no_ibdev_on(host, device->netdev, error);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                    "PCI function '%s' has no RDMA device at present\n"
                    "it has %s driver%s%s; 'dmesg' may say more", device->pci->address,
                    device->pci->driver != NULL ? "the" : "no",
                    device->pci->driver != NULL ? " " : "",
                    device->pci->driver != NULL ? device->pci->driver : "");
    return NULL;
}

/* Of the two ways in which @text was looked for, the failure of the one that it looks like. */
static void
propagate_likely(const char *text, GError *as_netdev, GError *as_device, GError **error)
{
    g_autofree char *address = pvr_pci_parse_address(text);
    guint64 guid;
    const gboolean name = address == NULL && !pvr_guid_parse(text, &guid, NULL) &&
                          uverbs_name(text) == NULL &&
                          g_error_matches(as_device, PVR_ERROR, PVR_ERROR_NOT_FOUND);

    g_propagate_error(error, name ? as_netdev : as_device);
    g_error_free(name ? as_device : as_netdev);
}

char *
pvr_resolve_netdev(PvrHost *host, const char *text, GError **error)
{
    g_autoptr(GError) as_netdev = NULL;
    g_autoptr(GError) as_device = NULL;
    g_autoptr(PvrNetdev) netdev = pvr_host_get_netdev(host, text, &as_netdev);
    g_autoptr(PvrDevice) device = NULL;

    if (netdev != NULL)
        return g_strdup(netdev->name);
    device = pvr_resolve(host, text, &as_device);
    if (device == NULL)
        propagate_likely(text, g_steal_pointer(&as_netdev), g_steal_pointer(&as_device), error);
    else if (device->netdev == NULL)
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "'%s' has no network device%s\n"
                    "'pvrdmactl list' and 'ip link' show what there is", text,
                    device->pci != NULL && device->pci->netdev_elsewhere
                        ? " in this network namespace" : "");
    return device != NULL ? g_strdup(device->netdev) : NULL;
}

/* What is bound at @address for itself, not rxe on its netdev. NULL without error when nothing is. */
static PvrIbdev *
find_at(PvrHost *host, const char *address)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, NULL);

    for (guint i = 0; pci != NULL && i < pci->ibdevs->len; i++) {
        g_autoptr(PvrIbdev) ibdev =
            pvr_host_get_ibdev(host, g_ptr_array_index(pci->ibdevs, i), NULL);

        if (ibdev != NULL && !pvr_ibdev_is_rxe(ibdev))
            return g_steal_pointer(&ibdev);
    }
    return NULL;
}

static gboolean
match_hardware_guid(const PvrIbdev *ibdev, gconstpointer wanted)
{
    return !pvr_ibdev_is_rxe(ibdev) && match_guid(ibdev, wanted);
}

PvrIbdev *
pvr_resolve_stored(PvrHost *host, const char *pci, const char *guid, GError **error)
{
    g_autoptr(PvrIbdev) there = pci != NULL ? find_at(host, pci) : NULL;
    g_autoptr(PvrIbdev) moved = NULL;
    guint64 wanted = 0;

    if (guid == NULL || !pvr_guid_parse(guid, &wanted, NULL) || wanted == 0)
        wanted = 0;
    if (there != NULL && (wanted == 0 || match_guid(there, &wanted)))
        return g_steal_pointer(&there);
    if (wanted != 0)
        moved = find_only(host, guid, match_hardware_guid, &wanted, NULL);
    if (moved != NULL || there != NULL)
        return moved != NULL ? g_steal_pointer(&moved) : g_steal_pointer(&there);
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND,
                "there is no RDMA device at PCI address %s, and none with node GUID %s\n"
                "see that the card is there and has its driver: 'pvrdmactl vf list', 'lspci -k'",
                pci != NULL ? pci : "(none stored)", guid != NULL ? guid : "(none stored)");
    return NULL;
}
