/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-fake-sriov.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-priv.h"
#include "pvr-fake-vf.h"

#define SYS_PCI "sys/bus/pci/devices"
#define SYS_DRIVERS "sys/bus/pci/drivers"

const PvrFakePf pvr_fake_igb = {
    .address = "0000:01:00.0", .driver = "igb", .vf_driver = "igbvf", .netdev = "enp1s0f0",
    .mac = "52:54:00:aa:00:01", .vfs_max = 8,
};
const PvrFakePf pvr_fake_mlx5 = {
    .address = "0000:3b:00.0", .driver = "mlx5_core", .vf_driver = "mlx5_core",
    .netdev = "ens1f0np0", .mac = "0c:42:a1:65:bd:12", .vfs_max = 8, .ibdev = "mlx5_0",
    .link_layer = "Ethernet",
};
const PvrFakePf pvr_fake_mlx5_ib = {
    .address = "0000:5e:00.0", .driver = "mlx5_core", .vf_driver = "mlx5_core", .netdev = "ib0",
    .mac = "00:00:10:29:fe:80", .vfs_max = 8, .ibdev = "mlx5_1", .link_layer = "InfiniBand",
};

/* ---- building ---- */

static char *
quirk_path(const char *pf, const char *quirk)
{
    return g_strdup_printf(".fake/pf-%s/%s", pf, quirk);
}

void
pvr_fake_set_quirk(const char *root, const char *pf, const char *quirk, const char *value)
{
    g_autofree char *path = quirk_path(pf, quirk);

    if (value != NULL)
        pvr_fake_write(root, path, value);
    else
        pvr_fake_remove(root, path);
}

char *
pvr_fake_get_quirk(const char *root, const char *pf, const char *quirk)
{
    g_autofree char *path = quirk_path(pf, quirk);

    return pvr_fake_read(root, path);
}

gboolean
pvr_fake_has_quirk(const char *root, const char *pf, const char *quirk)
{
    g_autofree char *value = pvr_fake_get_quirk(root, pf, quirk);

    return value != NULL;
}

char *
pvr_fake_vf_address(const char *pf, guint index)
{
    guint domain, bus, slot, function, rid;

    g_assert_cmpint(sscanf(pf, "%x:%x:%x.%u", &domain, &bus, &slot, &function), ==, 4);
    rid = (bus << 8 | slot << 3 | function) + 2 + index;
    return g_strdup_printf("%04x:%02x:%02x.%u", domain, rid >> 8, rid >> 3 & 0x1f, rid & 7);
}

static void
link_to_device(const char *root, const char *address, const char *class, const char *kind,
               const char *name)
{
    g_autofree char *device = g_strdup_printf("%s/%s/device", class, name);
    g_autofree char *target = g_strdup_printf("../../../devices/%s", address);
    g_autofree char *child = g_strdup_printf("sys/devices/%s/%s/%s", address, kind, name);
    g_autofree char *child_target = g_strdup_printf("../../../../%s/%s", class, name);

    pvr_fake_link(root, device, target);
    pvr_fake_link(root, child, child_target);
}

void
pvr_fake_link_netdev(const char *root, const char *address, const char *netdev)
{
    link_to_device(root, address, SYS_NET, "net", netdev);
}

void
pvr_fake_link_ibdev(const char *root, const char *address, const char *ibdev)
{
    link_to_device(root, address, SYS_IB, "infiniband", ibdev);
}

static void
link_driver(const char *root, const char *address, const char *driver)
{
    g_autofree char *link = g_strdup_printf("sys/devices/%s/driver", address);
    g_autofree char *target = g_strdup_printf("../../bus/pci/drivers/%s", driver);
    g_autofree char *entry = g_strdup_printf(SYS_DRIVERS "/%s/%s", driver, address);
    g_autofree char *entry_target = g_strdup_printf("../../../../devices/%s", address);

    pvr_fake_put(root, "", SYS_DRIVERS "/%s/bind", driver);
    pvr_fake_link(root, link, target);
    pvr_fake_link(root, entry, entry_target);
}

static void
add_pf_ibdev(const char *root, const PvrFakePf *pf)
{
    pvr_fake_put(root, "0c42:a103:0065:bd12", SYS_IB "/%s/node_guid", pf->ibdev);
    pvr_fake_link_ibdev(root, pf->address, pf->ibdev);
    pvr_fake_add_port(root, pf->ibdev, 1, pf->link_layer);
    pvr_fake_set_port_state(root, pf->ibdev, 1, "ACTIVE");
    pvr_fake_add_uverbs(root, pf->ibdev);
}

void
pvr_fake_add_pf(const char *root, const PvrFakePf *pf)
{
    pvr_fake_add_function(root, pf->address, NULL);
    pvr_fake_make_pf(root, pf->address, pf->vfs_max, 0);
    link_driver(root, pf->address, pf->driver);
    pvr_fake_put(root, "", SYS_DRIVERS "/%s/bind", pf->vf_driver);
    pvr_fake_add_netdev(root, pf->netdev, pf->mac, TRUE);
    pvr_fake_link_netdev(root, pf->address, pf->netdev);
    pvr_fake_set_quirk(root, pf->address, "netdev", pf->netdev);
    pvr_fake_set_quirk(root, pf->address, "vf-driver", pf->vf_driver);
    if (pf->ibdev != NULL) {
        pvr_fake_set_quirk(root, pf->address, "link-layer", pf->link_layer);
        add_pf_ibdev(root, pf);
    }
}

/* ---- finding ---- */

/* The target's last component of sys/devices/ADDRESS/NAME. */
static char *
device_link(const char *root, const char *address, const char *name)
{
    g_autofree char *path = g_build_filename(root, "sys/devices", address, name, NULL);
    g_autofree char *target = g_file_read_link(path, NULL);

    return target != NULL ? g_path_get_basename(target) : NULL;
}

static guint
read_number(const char *root, const char *address, const char *name)
{
    g_autofree char *path = g_build_filename("sys/devices", address, name, NULL);
    g_autofree char *text = pvr_fake_read(root, path);

    return text != NULL ? (guint) strtoul(text, NULL, 10) : 0;
}

char *
pvr_fake_function_of_netdev(const char *root, const char *netdev)
{
    g_autofree char *path = g_build_filename(root, SYS_NET, netdev, "device", NULL);
    g_autofree char *target = g_file_read_link(path, NULL);

    return target != NULL ? g_path_get_basename(target) : NULL;
}

gboolean
pvr_fake_find_vf(const char *root, const char *address, PvrFakeVf *ret_vf)
{
    g_autofree char *pf = device_link(root, address, "physfn");

    if (pf == NULL)
        return FALSE;
    for (guint i = 0; i < read_number(root, pf, "sriov_numvfs"); i++) {
        g_autofree char *vf = pvr_fake_vf_address(pf, i);

        if (!g_str_equal(vf, address))
            continue;
        ret_vf->pf = g_steal_pointer(&pf);
        ret_vf->index = i;
        return TRUE;
    }
    return FALSE;
}

void
pvr_fake_vf_clear(PvrFakeVf *vf)
{
    g_clear_pointer(&vf->pf, g_free);
}

/* TRUE, with the error, when the function is not there, or vanishes now. */
static gboolean
is_gone(const char *root, const char *op, const char *address, GError **error)
{
    g_autofree char *wanted = g_strdup_printf("%s %s", op, address);
    g_autofree char *vanish = pvr_fake_read(root, ".fake/vanish");

    if (g_strcmp0(vanish, wanted) == 0) {
        pvr_fake_remove(root, ".fake/vanish");
        pvr_fake_remove_function(root, address);
    }
    if (pvr_fake_exists(root, SYS_PCI, address))
        return FALSE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no PCI device %s", address);
    return TRUE;
}

/* ---- drivers ---- */

gboolean
pvr_fake_bind(PvrHost *host, gpointer user_data, const char *pci, const char *driver,
              GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autofree char *present = device_link(root, pci, "driver");

    pvr_fake_log_call(host, "bind %s %s", pci, driver);
    if (pvr_fake_wanted_failure(host, "bind", error) || is_gone(root, "bind", pci, error))
        return FALSE;
    if (!pvr_fake_exists(root, SYS_DRIVERS, driver)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no driver '%s'", driver);
        return FALSE;
    }
    if (present != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "%s has driver %s", pci, present);
        return FALSE;
    }
    link_driver(root, pci, driver);
    pvr_fake_probe_vf(root, pci, driver);
    return TRUE;
}

static void
take_driver_off(const char *root, const char *address, const char *driver)
{
    g_autofree char *link = g_strdup_printf("sys/devices/%s/driver", address);
    g_autofree char *entry = g_strdup_printf(SYS_DRIVERS "/%s/%s", driver, address);

    pvr_fake_strip_function(root, address);
    pvr_fake_remove(root, link);
    pvr_fake_remove(root, entry);
}

gboolean
pvr_fake_unbind(PvrHost *host, gpointer user_data, const char *pci, GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autofree char *driver = device_link(root, pci, "driver");

    pvr_fake_log_call(host, "unbind %s", pci);
    if (pvr_fake_wanted_failure(host, "unbind", error) || is_gone(root, "unbind", pci, error))
        return FALSE;
    if (driver == NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no driver is bound to %s", pci);
        return FALSE;
    }
    take_driver_off(root, pci, driver);
    return TRUE;
}

/* ---- number of VFs ---- */

void
pvr_fake_remove_function(const char *root, const char *address)
{
    g_autofree char *driver = device_link(root, address, "driver");
    g_autofree char *entry = g_build_filename(SYS_PCI, address, NULL);
    g_autofree char *dir = g_build_filename("sys/devices", address, NULL);

    if (driver != NULL)
        take_driver_off(root, address, driver);
    pvr_fake_remove(root, entry);
    pvr_fake_remove(root, dir);
}

static void
add_vf(const char *root, const char *pf, guint index)
{
    g_autofree char *address = pvr_fake_vf_address(pf, index);
    g_autofree char *driver = pvr_fake_get_quirk(root, pf, "vf-driver");

    pvr_fake_add_function(root, address, NULL);
    pvr_fake_make_vf(root, address, pf, index);
    pvr_fake_reset_vf(root, pf, index);
    if (pvr_fake_has_quirk(root, pf, "no-autoprobe"))
        return;
    link_driver(root, address, driver);
    pvr_fake_probe_vf(root, address, driver);
}

static void
change_number(const char *root, const char *pf, guint from, guint to)
{
    g_autofree char *text = g_strdup_printf("%u", to);

    for (guint i = 0; i < from; i++) {
        g_autofree char *address = pvr_fake_vf_address(pf, i);
        g_autofree char *virtfn = g_strdup_printf("sys/devices/%s/virtfn%u", pf, i);

        pvr_fake_remove_function(root, address);
        pvr_fake_remove(root, virtfn);
    }
    pvr_fake_put(root, text, "sys/devices/%s/sriov_numvfs", pf);
    for (guint i = 0; i < to; i++)
        add_vf(root, pf, i);
}

static gboolean
is_link_down(const char *root, const char *pf)
{
    g_autofree char *netdev = pvr_fake_get_quirk(root, pf, "netdev");
    g_autofree char *path = g_build_filename(SYS_NET, netdev, "carrier", NULL);
    g_autofree char *carrier = pvr_fake_read(root, path);

    return carrier == NULL;
}

gboolean
pvr_fake_set_num_vfs(PvrHost *host, gpointer user_data, const char *pf, guint number,
                     GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    const guint total = read_number(root, pf, "sriov_totalvfs");
    const guint present = read_number(root, pf, "sriov_numvfs");

    pvr_fake_log_call(host, "set_num_vfs %s %u", pf, number);
    if (pvr_fake_wanted_failure(host, "set_num_vfs", error) ||
        is_gone(root, "set_num_vfs", pf, error))
        return FALSE;
    if (number > total) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "the firmware of %s allows %u VFs, "
                    "not %u\nask for fewer", pf, total, number);
        return FALSE;
    }
    if (number != present && number != 0 && present != 0) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "%s refuses to have %u VFs now", pf, number);
        return FALSE;
    }
    if (number != 0 && pvr_fake_has_quirk(root, pf, "needs-link-up") && is_link_down(root, pf)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "the driver of %s took the number %u and "
                    "made no VFs\nset the PF's link up first", pf, number);
        return FALSE;
    }
    if (number != present)
        change_number(root, pf, present, number);
    return TRUE;
}
