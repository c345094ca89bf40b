/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which device a text means, on a host with all kinds of them. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-resolve.h"

#define PF "0000:3b:00.0"
#define VF0 "0000:3b:00.2"
#define VF1 "0000:3b:00.3"
#define IGBVF "0000:01:10.0"
#define GUID0 "0242:acff:fe11:0002"

typedef PvrFakeMachine Fixture;

static void
set_guid(Fixture *f, const char *ibdev, const char *guid)
{
    g_autofree char *path = g_strdup_printf("sys/class/infiniband/%s/node_guid", ibdev);

    pvr_fake_write(f->root, path, guid);
}

/* A PF with two VFs, the second without a GUID; rxe on an igb VF named as an HCA; rxe on a veth. */
static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "ens1np0", "b8:59:9f:00:00:01", TRUE);
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", PF, "Ethernet", 1);
    pvr_fake_make_pf(f->root, PF, 4, 2);
    pvr_fake_set_function(f->root, "ens1np0", PF);
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 0, "fe80:0000:0000:0000:ba59:9fff:fe00:0001", "RoCE v2",
                     "ens1np0");
    pvr_fake_add_netdev(f->root, "ens1v0", "02:42:ac:11:00:02", TRUE);
    pvr_fake_add_hca(f->root, "rocep59s0v0", "mlx5_core", VF0, "Ethernet", 1);
    pvr_fake_make_vf(f->root, VF0, PF, 0);
    pvr_fake_set_function(f->root, "ens1v0", VF0);
    set_guid(f, "rocep59s0v0", GUID0);
    pvr_fake_add_hca(f->root, "rocep59s0v1", "mlx5_core", VF1, "Ethernet", 1);
    pvr_fake_make_vf(f->root, VF1, PF, 1);
    set_guid(f, "rocep59s0v1", "0000:0000:0000:0000");
    pvr_fake_add_netdev(f->root, "enp1s0v0", "52:54:00:00:00:10", TRUE);
    pvr_fake_add_function(f->root, IGBVF, "igbvf");
    pvr_fake_set_function(f->root, "enp1s0v0", IGBVF);
    pvr_fake_add_rxe(f->root, "mlx5_4", "enp1s0v0");
    pvr_fake_add_netdev(f->root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    pvr_fake_add_netdev(f->root, "d1", "52:54:00:00:00:02", TRUE);
}

static void
check(Fixture *f, const char *text, const char *pci, const char *ibdev, const char *netdev)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDevice) device = pvr_resolve(f->host, text, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(device->pci != NULL ? device->pci->address : NULL, ==, pci);
    g_assert_cmpstr(device->ibdev, ==, ibdev);
    g_assert_cmpstr(device->netdev, ==, netdev);
}

static void
check_error(Fixture *f, const char *text, int code, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDevice) device = pvr_resolve(f->host, text, &error);

    g_assert_null(device);
    g_assert_error(error, PVR_ERROR, code);
    if (strstr(error->message, part) == NULL)
        g_error("'%s' is not in: %s", part, error->message);
}

static void
test_forms(Fixture *f, gconstpointer data)
{
    const char *const of_vf0[] = { "rocep59s0v0", VF0, "3b:00.2", "3B:00.2", "ens1v0", GUID0,
                                   "0x0242acfffe110002", "02:42:ac:ff:fe:11:00:02", "uverbs1",
                                   "/dev/infiniband/uverbs1" };

    for (guint i = 0; i < G_N_ELEMENTS(of_vf0); i++)
        check(f, of_vf0[i], VF0, "rocep59s0v0", "ens1v0");
    check(f, "mlx5_0", PF, "mlx5_0", "ens1np0");
    check(f, VF1, VF1, "rocep59s0v1", NULL);
    check(f, "mlx5_4", IGBVF, "mlx5_4", "enp1s0v0");
    check(f, "enp1s0v0", IGBVF, "mlx5_4", "enp1s0v0");
    check(f, IGBVF, IGBVF, "mlx5_4", "enp1s0v0");
    check(f, "rxe0", NULL, "rxe0", "d0");
    check(f, "d0", NULL, "rxe0", "d0");
    check(f, "d1", NULL, NULL, "d1");
}

static void
test_not_found(Fixture *f, gconstpointer data)
{
    check_error(f, "mlx5_9", PVR_ERROR_NOT_FOUND, "no RDMA device 'mlx5_9'");
    check_error(f, "mlx5_9", PVR_ERROR_NOT_FOUND, "this host has: mlx5_0, mlx5_4,");
    check_error(f, "", PVR_ERROR_NOT_FOUND, "no RDMA device ''");
    check_error(f, "../mlx5_0", PVR_ERROR_NOT_FOUND, "no RDMA device");
    check_error(f, "0000:3b:00.7", PVR_ERROR_NOT_FOUND, "no PCI function '0000:3b:00.7'");
    check_error(f, "uverbs77", PVR_ERROR_NOT_FOUND, "uverbs node 'uverbs77'");
    check_error(f, "1111:2222:3333:4444", PVR_ERROR_NOT_FOUND, "node GUID '1111:");
    check_error(f, "3b:00.8", PVR_ERROR_NOT_FOUND, "no RDMA device '3b:00.8'");
}

static void
test_ambiguous(Fixture *f, gconstpointer data)
{
    check_error(f, "0000:0000:0000:0000", PVR_ERROR_USAGE, "node GUID 0");
    set_guid(f, "rocep59s0v1", GUID0);
    check_error(f, GUID0, PVR_ERROR_USAGE, "'rocep59s0v0' and 'rocep59s0v1'");
    pvr_fake_add_rxe(f->root, "rxe1", "ens1v0");
    check_error(f, "ens1v0", PVR_ERROR_USAGE, "'rocep59s0v0' and 'rxe1'");
    check_error(f, VF0, PVR_ERROR_USAGE, "'rocep59s0v0' and 'rxe1'");
    check(f, "rxe1", VF0, "rxe1", "ens1v0");
}

/* IPoIB: netdev and ibdevice of one function often have one name. Else the name fits two. */
static void
test_same_name(Fixture *f, gconstpointer data)
{
    pvr_fake_add_netdev(f->root, "rocep59s0v1", "02:42:ac:11:00:03", TRUE);
    check_error(f, "rocep59s0v1", PVR_ERROR_USAGE, "is an RDMA device on '" VF1 "'");
    pvr_fake_set_function(f->root, "rocep59s0v1", VF1);
    check(f, "rocep59s0v1", VF1, "rocep59s0v1", "rocep59s0v1");
}

/* The GID table of a device names a netdev that only has the same name as one of ours. */
static void
test_other_namespace(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) pci = NULL;

    pvr_fake_set_gid(f->root, "rocep59s0v1", 1, 0, "fe80:0000:0000:0000:0042:acff:fe11:0003",
                     "RoCE v2", "enp1s0v0");
    pvr_fake_write(f->root, "sys/devices/" VF1 "/net/.hidden", "");
    check(f, "rocep59s0v1", VF1, "rocep59s0v1", NULL);
    pvr_fake_set_gid(f->root, "rocep59s0v1", 1, 0, "fe80:0000:0000:0000:0042:acff:fe11:0003",
                     "RoCE v2", "d1");
    check(f, "rocep59s0v1", VF1, "rocep59s0v1", NULL);
    check(f, "d1", NULL, NULL, "d1");
    pci = pvr_host_get_pci(f->host, VF1, NULL);
    g_assert_true(pci->netdev_elsewhere);
}

/* A bond has no function of its own; the driver gives both ports one device. */
static void
test_bond(Fixture *f, gconstpointer data)
{
    pvr_fake_add_netdev(f->root, "bond0", "b8:59:9f:00:00:01", TRUE);
    pvr_fake_add_hca(f->root, "mlx5_bond_0", "mlx5_core", "0000:5e:00.0", "Ethernet", 1);
    pvr_fake_set_gid(f->root, "mlx5_bond_0", 1, 0, "fe80:0000:0000:0000:ba59:9fff:fe00:0001",
                     "RoCE v2", "bond0");
    pvr_fake_add_netdev(f->root, "ens3", "b8:59:9f:00:00:01", TRUE);
    pvr_fake_set_function(f->root, "ens3", "0000:5e:00.0");
    pvr_fake_link(f->root, "sys/class/net/ens3/master", "../bond0");
    check(f, "bond0", "0000:5e:00.0", "mlx5_bond_0", "bond0");
    check(f, "mlx5_bond_0", "0000:5e:00.0", "mlx5_bond_0", "bond0");
}

static void
test_ibdev_or_netdev(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_resolve_ibdev(f->host, "3b:00.2", &error);
    g_autofree char *netdev = pvr_resolve_netdev(f->host, "mlx5_4", &error);

    g_assert_no_error(error);
    g_assert_cmpstr(ibdev->name, ==, "rocep59s0v0");
    g_assert_cmpstr(netdev, ==, "enp1s0v0");
    g_assert_null(pvr_resolve_ibdev(f->host, "d1", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    g_assert_null(pvr_resolve_netdev(f->host, VF1, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    g_assert_null(pvr_resolve_netdev(f->host, "nope", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_true(g_str_has_prefix(error->message, "no network device 'nope'"));
}

static void
check_stored(Fixture *f, const char *pci, const char *guid, const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_resolve_stored(f->host, pci, guid, &error);

    g_assert_cmpstr(ibdev != NULL ? ibdev->name : NULL, ==, name);
    if (name == NULL)
        g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
}

static void
test_stored(Fixture *f, gconstpointer data)
{
    check_stored(f, VF0, GUID0, "rocep59s0v0");
    check_stored(f, VF0, "1111:2222:3333:4444", "rocep59s0v0"); /* the VF got another one */
    check_stored(f, VF1, GUID0, "rocep59s0v0");                 /* the card was moved */
    check_stored(f, "0000:99:00.0", GUID0, "rocep59s0v0");
    check_stored(f, VF1, NULL, "rocep59s0v1");
    check_stored(f, NULL, GUID0, "rocep59s0v0");
    check_stored(f, "0000:99:00.0", "1111:2222:3333:4444", NULL);
    check_stored(f, "0000:99:00.0", "0000:0000:0000:0000", NULL);
    check_stored(f, IGBVF, NULL, NULL); /* nothing but rxe there */
    pvr_fake_rename_ibdev(f->root, "rocep59s0v0", "tmp");
    pvr_fake_rename_ibdev(f->root, "rocep59s0v1", "rocep59s0v0");
    check_stored(f, VF0, GUID0, "tmp");
    check_stored(f, VF1, "0000:0000:0000:0000", "rocep59s0v0");
}

static void
test_address(void)
{
    static const char *const good[][2] = {
        { "0000:3b:00.2", "0000:3b:00.2" }, { "3b:1f.7", "0000:3b:1f.7" },
        { "ABCD:FF:00.0", "abcd:ff:00.0" }, { "10000:e1:00.0", "10000:e1:00.0" },
    };
    static const char *const bad[] = {
        "", ":", ".", "3b:00", "3b:20.0", "3b:00.8", "3b:00.10", "b:00.0", "000:3b:00.0",
        "0000:3b:00.0 ", " 3b:00.0", "0000:0000:3b:00.0", "123456789:3b:00.0", "3b:0.0", "3b::00.0",
        "0000:3b:00.", "0000::00.0", "7efe:90ff:fecb:743a", "xx:00.0", "3b.00:0",
    };

    for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autofree char *address = pvr_pci_parse_address(good[i][0]);

        g_assert_cmpstr(address, ==, good[i][1]);
    }
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_null(pvr_pci_parse_address(bad[i]));
}

#define ADD(name, function) g_test_add("/resolve/" name, Fixture, NULL, set_up, function, \
                                       pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/resolve/address", test_address);
    ADD("not-found", test_not_found);
    ADD("ambiguous", test_ambiguous);
    ADD("forms", test_forms);
    ADD("same-name", test_same_name);
    ADD("other-namespace", test_other_namespace);
    ADD("bond", test_bond);
    ADD("ibdev-or-netdev", test_ibdev_or_netdev);
    ADD("stored", test_stored);
    return g_test_run();
}
