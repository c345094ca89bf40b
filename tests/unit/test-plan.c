/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-plan and pvr-holder: what attach chooses on a host, and who holds what. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-holder.h"
#include "pvr-lease.h"
#include "pvr-plan.h"

typedef PvrFakeMachine Fixture;

static void
setup(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_add_netdev(f->root, "d1", "52:54:00:00:00:02", TRUE);
    pvr_fake_add_rxe(f->root, "rxe_d1", "d1");
    pvr_fake_add_hca(f->root, "mlx", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
}

static PvrMetaDevice *
plan(Fixture *f, PvrPlanRequest request, GError **error)
{
    g_autofree char *netdev = NULL;

    request.port = request.port ? request.port : 1;
    return pvr_plan_device(f->host, &request, &netdev, error);
}

/* With the GID as text, or "CODE" of the error. */
static void
assert_gid(Fixture *f, PvrPlanRequest request, const char *want, int want_index)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrMetaDevice) device = plan(f, request, &error);
    g_autofree char *gid = NULL;
    PvrMac mac = {{0}};

    g_assert_no_error(error);
    gid = pvr_gid_to_string(&device->gid);
    g_assert_cmpstr(gid, ==, want);
    g_assert_cmpint(device->gid_index, ==, want_index);
    g_assert_true(pvr_gid_to_mac(&device->gid, &mac, NULL));
    g_assert_true(pvr_mac_equal(&mac, &device->mac));
}

static void
assert_error(Fixture *f, PvrPlanRequest request, int code, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrMetaDevice) device = plan(f, request, &error);

    g_assert_null(device);
    g_assert_error(error, PVR_ERROR, code);
    if (!strstr(error->message, part)) {
        g_error("'%s' lacks '%s'", error->message, part);
    }
}

#define GID_D0 "fe80:0000:0000:0000:5054:00ff:fe00:0001"
#define GID_D1 "fe80:0000:0000:0000:5054:00ff:fe00:0002"
#define EUI "7efe:90ff:fecb:743a"
#define LINK_LOCAL "fe80:0000:0000:0000:" EUI
#define GLOBAL "2001:0db8:0000:0000:" EUI

static void
test_future_link(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    PvrPlanRequest request = {.netdev = "d0", .gid_index = -1};
    g_autoptr(PvrMetaDevice) device = plan(f, request, NULL);
    g_autoptr(PvrMetaDevice) other = NULL;

    g_assert_nonnull(device);
    g_assert_cmpint(device->backend, ==, PVR_BACKEND_RXE);
    g_assert_cmpstr(device->ibdev, ==, "rxe_d0");
    g_assert_cmpstr(device->netdev, ==, "d0");
    assert_gid(f, request, GID_D0, -1);
    request.gid = "fe80::5054:ff:fe00:1";
    assert_gid(f, request, GID_D0, -1);
    request.gid = "fe80::5054:ff:fe00:2";
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "no Soft-RoCE device yet");
    request.gid = NULL;
    request.gid_index = 0;
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "no Soft-RoCE device yet");
    /* A foreign device has the name that ours would get. */
    pvr_fake_add_hca(f->root, "rxe_d0", "mlx5_core", "0000:05:00.0", "Ethernet", 1);
    request.gid_index = -1;
    other = plan(f, request, NULL);
    g_assert_cmpstr(other->ibdev, ==, "rxe_d0_2");
}

static void
test_existing_link(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_autoptr(PvrMetaDevice) by_netdev =
        plan(f, (PvrPlanRequest){.netdev = "d1", .gid_index = -1}, NULL);
    g_autofree char *netdev = NULL;
    PvrPlanRequest by_name = {.ibdev = "rxe_d1", .port = 1, .gid_index = -1};
    g_autoptr(PvrMetaDevice) by_ibdev = pvr_plan_device(f->host, &by_name, &netdev, NULL);

    g_assert_cmpint(by_netdev->backend, ==, PVR_BACKEND_RXE);
    g_assert_cmpstr(by_netdev->ibdev, ==, "rxe_d1");
    g_assert_cmpint(by_ibdev->backend, ==, PVR_BACKEND_IBDEV);
    g_assert_null(by_ibdev->netdev);
    g_assert_cmpstr(netdev, ==, "d1");
    by_name.gid_index = 0;
    assert_gid(f, by_name, GID_D1, 0);
    pvr_fake_set_port_state(f->root, "rxe_d1", 1, "DOWN");
    assert_error(f, by_name, PVR_ERROR_FAILED, "port 1 of 'rxe_d1' is DOWN");
}

static void
test_gid_choice(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    PvrPlanRequest request = {.ibdev = "mlx", .gid_index = -1};

    assert_error(f, request, PVR_ERROR_FAILED, "no RoCE v2 GID that carries a MAC");
    pvr_fake_set_gid(f->root, "mlx", 1, 0, "fe80::" EUI, "IB/RoCE v1", NULL);
    pvr_fake_set_gid(f->root, "mlx", 1, 1, "::ffff:10.0.0.1", "RoCE v2", NULL);
    assert_error(f, request, PVR_ERROR_FAILED, "no RoCE v2 GID that carries a MAC");
    /* The device finds it by its MAC. */
    pvr_fake_set_gid(f->root, "mlx", 1, 2, "2001:db8::" EUI, "RoCE v2", NULL);
    assert_gid(f, request, GLOBAL, -1);
    pvr_fake_set_gid(f->root, "mlx", 1, 5, "fe80::" EUI, "RoCE v2", NULL);
    assert_gid(f, request, LINK_LOCAL, -1);
    request.gid = LINK_LOCAL;
    assert_gid(f, request, LINK_LOCAL, 5);
    request.gid = "fe80::1";
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "no GID fe80::1");
    request.gid = "rubbish";
    assert_error(f, request, PVR_ERROR_USAGE, "rubbish");
    request.gid = NULL;
    request.gid_index = 0;
    assert_error(f, request, PVR_ERROR_UNSUPPORTED, "RoCE v1");
    request.gid_index = 1;
    assert_error(f, request, PVR_ERROR_FAILED, "IPv4-mapped");
    request.gid_index = 3;
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "no GID at index 3");
}

static void
test_gid_policy(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    PvrPlanRequest request = {.ibdev = "mlx", .gid_index = -1, .gid_policy = "routable"};
    g_autoptr(PvrMetaDevice) device = NULL;

    pvr_fake_set_gid(f->root, "mlx", 1, 0, "fe80::" EUI, "RoCE v2", NULL);
    pvr_fake_set_gid(f->root, "mlx", 1, 1, "2001:db8::" EUI, "IB/RoCE v1", NULL);
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "fits the policy 'routable'");
    pvr_fake_set_gid(f->root, "mlx", 1, 3, "2001:db8::" EUI, "RoCE v2", NULL);
    assert_gid(f, request, GLOBAL, -1);
    device = plan(f, request, NULL);
    g_assert_cmpint(device->gid_policy, ==, PVR_GID_ROUTABLE);
    request.gid_policy = "link-local,v2";
    assert_gid(f, request, LINK_LOCAL, -1);
    request.gid_policy = "v2";
    assert_gid(f, request, LINK_LOCAL, -1);
    request.gid_policy = "2001:db8::" EUI;
    assert_gid(f, request, GLOBAL, -1);
    request.gid_policy = "fe80::5054:ff:fe00:9";
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "fits the policy 'fe80::5054:ff:fe00:9'");
    request.gid_policy = "exact";
    assert_error(f, request, PVR_ERROR_USAGE, "does not say which GID");
    request.gid_policy = "v1";
    assert_error(f, request, PVR_ERROR_UNSUPPORTED, "RoCE v1");
    request.gid_policy = "routable,ipv4";
    assert_error(f, request, PVR_ERROR_UNSUPPORTED, "carries no MAC");
    request.gid_policy = "routable,any";
    assert_error(f, request, PVR_ERROR_USAGE, "names which GIDs twice");
    request.gid_policy = "v2,v2";
    assert_error(f, request, PVR_ERROR_USAGE, "names a RoCE version twice");
    request.gid_policy = "nearest";
    assert_error(f, request, PVR_ERROR_USAGE, "'nearest' is no word");
    request.gid_policy = "";
    assert_error(f, request, PVR_ERROR_USAGE, "is empty");
}

/* An entry that fits but that no packet would reach. */
static void
test_gid_unusable(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    PvrPlanRequest request = {.ibdev = "rxe_d1", .gid_index = -1};

    pvr_fake_write(f->root, "proc/net/if_inet6", "");
    assert_error(f, request, PVR_ERROR_FAILED, "cannot use it: d1 does not have the address");
    pvr_fake_write(f->root, "proc/net/if_inet6",
                   "20010db800000000505400fffe000002 02 40 00 80 d1\n");
    pvr_fake_set_gid(f->root, "rxe_d1", 1, 4, "2001:db8::5054:ff:fe00:2", "RoCE v2", "d1");
    assert_gid(f, request, "2001:0db8:0000:0000:5054:00ff:fe00:0002", -1);
}

/* The link is not there yet, but the addresses that it will make GIDs of are. */
static void
test_future_policy(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    PvrPlanRequest request = {.netdev = "d0", .gid_index = -1, .gid_policy = "routable"};

    assert_error(f, request, PVR_ERROR_NOT_FOUND, "would have no GID that fits");
    pvr_fake_write(f->root, "proc/net/if_inet6",
                   "20010db800000000505400fffe000002 03 40 00 80 d1\n"
                   "20010db8000000000000000000000001 02 40 00 80 d0\n");
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "would have no GID that fits");
    pvr_fake_write(f->root, "proc/net/if_inet6",
                   "20010db800000000505400fffe000077 02 40 00 80 d0\n");
    assert_gid(f, request, "2001:0db8:0000:0000:5054:00ff:fe00:0077", -1);
    request.gid_policy = "any";
    assert_gid(f, request, GID_D0, -1);
    request.port = 2;
    assert_error(f, request, PVR_ERROR_NOT_FOUND, "port 1 only");
}

static void
test_host_refusals(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    pvr_fake_add_netdev(f->root, "down", "52:54:00:00:00:05", FALSE);
    pvr_fake_add_netdev(f->root, "nomac", "00:00:00:00:00:00", TRUE);
    pvr_fake_add_hca(f->root, "ib", "mlx4_core", "0000:04:00.0", "InfiniBand", 1);
    assert_error(f, (PvrPlanRequest){.netdev = "none", .gid_index = -1}, PVR_ERROR_NOT_FOUND,
                 "none");
    assert_error(f, (PvrPlanRequest){.netdev = "a/b", .gid_index = -1}, PVR_ERROR_USAGE, "a/b");
    assert_error(f, (PvrPlanRequest){.netdev = "down", .gid_index = -1}, PVR_ERROR_FAILED,
                 "is down");
    assert_error(f, (PvrPlanRequest){.netdev = "nomac", .gid_index = -1}, PVR_ERROR_UNSUPPORTED,
                 "no MAC");
    assert_error(f, (PvrPlanRequest){.netdev = "d0", .port = 2, .gid_index = -1},
                 PVR_ERROR_NOT_FOUND, "port 1 only");
    assert_error(f, (PvrPlanRequest){.ibdev = "none", .gid_index = -1}, PVR_ERROR_NOT_FOUND,
                 "none");
    assert_error(f, (PvrPlanRequest){.ibdev = "..", .gid_index = -1}, PVR_ERROR_NOT_FOUND,
                 "..");
    assert_error(f, (PvrPlanRequest){.ibdev = "down", .gid_index = -1}, PVR_ERROR_NOT_FOUND,
                 "'down' has no RDMA device");
    assert_error(f, (PvrPlanRequest){.ibdev = "mlx", .port = 2, .gid_index = -1},
                 PVR_ERROR_NOT_FOUND, "no port 2");
    assert_error(f, (PvrPlanRequest){.ibdev = "ib", .gid_index = -1}, PVR_ERROR_UNSUPPORTED,
                 "InfiniBand");
    pvr_fake_set_failure(f->root, "list_ibdevs", PVR_ERROR_FAILED, "sysfs is gone");
    assert_error(f, (PvrPlanRequest){.netdev = "d0", .gid_index = -1}, PVR_ERROR_FAILED,
                 "sysfs is gone");
}

/* Whatever the device is named by, what is stored names it for good. */
static void
test_identity(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    static const char *const forms[] = {"card", "0000:3b:00.2", "0c42:a103:0065:bd12", "ens1"};
    g_autoptr(PvrMetaDevice) rxe = NULL;
    g_autofree char *netdev = NULL;

    pvr_fake_remove(f->root, "sys/class/infiniband/mlx"); /* has the same GUID */
    pvr_fake_remove(f->root, "sys/class/infiniband/ib");
    pvr_fake_add_hca(f->root, "card", "mlx5_core", "0000:3b:00.2", "Ethernet", 1);
    pvr_fake_add_netdev(f->root, "ens1", "52:54:00:00:00:01", TRUE);
    pvr_fake_set_function(f->root, "ens1", "0000:3b:00.2");
    pvr_fake_set_gid(f->root, "card", 1, 0, "fe80:0000:0000:0000:5054:00ff:fe00:0001", "RoCE v2",
                     "ens1");
    for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
        PvrPlanRequest request = {.ibdev = forms[i], .port = 1, .gid_index = -1};
        g_autoptr(GError) error = NULL;
        g_autoptr(PvrMetaDevice) device = pvr_plan_device(f->host, &request, &netdev, &error);

        g_assert_no_error(error);
        g_assert_cmpstr(device->ibdev, ==, "card");
        g_assert_cmpstr(device->pci, ==, "0000:3b:00.2");
        g_assert_cmpstr(device->guid, ==, "0c42:a103:0065:bd12");
    }
    rxe = pvr_plan_device(f->host,
                          &(PvrPlanRequest){.netdev = "0000:3b:00.2", .port = 1, .gid_index = -1},
                          &netdev, NULL);
    g_assert_cmpstr(rxe->netdev, ==, "ens1");
    g_assert_null(rxe->pci);
    g_assert_null(rxe->guid);
}

static void
test_soft(Fixture *f G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
    const PvrMac mac = {{0x52, 0x54, 0, 0, 0, 2}};
    g_autoptr(PvrMetaDevice) device = pvr_plan_soft(&mac);
    g_autofree char *gid = pvr_gid_to_string(&device->gid);

    g_assert_cmpint(device->backend, ==, PVR_BACKEND_SOFT);
    g_assert_true(pvr_mac_equal(&device->mac, &mac));
    g_assert_cmpstr(gid, ==, GID_D1);
    g_assert_null(device->ibdev);
    g_assert_cmpint(device->gid_index, ==, -1);
}

/* Two cards may have changed their names since one of them was attached. */
static void
test_renamed_holder(Fixture *f G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
    const PvrFakeDevice device = {.backend = "ibdev", .ibdev = "mlx5_0", .pci = "0000:3b:00.2",
                                  .mac = PVR_FAKE_MAC0, .gid = PVR_FAKE_GID0};
    const PvrFakeDevice *const devices[] = {&device};
    g_autofree char *xml = pvr_fake_domain_xml("vm1", PVR_FAKE_UUID1, devices, 1);
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, strlen(xml), NULL);
    g_autoptr(GPtrArray) holders = pvr_holders_new();

    pvr_holders_add_domain(holders, meta);
    g_assert_null(pvr_holders_find(holders, "mlx5_0", "0000:5e:00.2", 1, NULL, NULL));
    g_assert_nonnull(pvr_holders_find(holders, "mlx5_7", "0000:3b:00.2", 1, NULL, NULL));
    g_assert_null(pvr_holders_find(holders, "mlx5_7", "0000:3b:00.2", 2, NULL, NULL));
    g_assert_nonnull(pvr_holders_find(holders, "mlx5_0", NULL, 1, NULL, NULL));
}

static void
test_holders(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_soft1, &pvr_fake_rxe0};
    g_autofree char *xml = pvr_fake_domain_xml("vm1", PVR_FAKE_UUID1, devices, 2);
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, strlen(xml), NULL);
    g_autoptr(GPtrArray) holders = pvr_holders_new();
    const PvrGid gid = {{0xfe, 0x80}};
    g_autoptr(PvrLease) lease =
        pvr_lease_new(PVR_FAKE_UUID2, "vm2", 3, "rxe_d0", 1, &gid);
    g_autoptr(GError) error = NULL;

    pvr_holders_add_domain(holders, meta);
    g_assert_cmpuint(holders->len, ==, 1);
    g_assert_cmpstr(pvr_holders_find(holders, "rxe_d0", NULL, 1, NULL, NULL)->domain, ==, "vm1");
    g_assert_cmpstr(pvr_holders_find(holders, "other", NULL, 1, "d0", NULL)->domain, ==, "vm1");
    g_assert_null(pvr_holders_find(holders, "rxe_d0", NULL, 2, NULL, NULL));
    g_assert_nonnull(pvr_holders_find(holders, "rxe_d0", "0000:3b:00.2", 1, NULL, NULL));
    g_assert_null(pvr_holders_find(holders, "rxe_d0", NULL, 1, "d0", PVR_FAKE_UUID1));
    /* A lease counts more than a configuration, unless its QEMU is gone. */
    g_assert_true(pvr_lease_set_process(lease, f->host, PVR_LEASE_PREPARED, 0, NULL));
    g_assert_true(pvr_holders_add_leases(holders, f->host, &error));
    g_assert_cmpstr(pvr_holders_find(holders, "rxe_d0", NULL, 1, NULL, NULL)->domain, ==, "vm2");
    g_assert_true(pvr_holders_find(holders, "rxe_d0", NULL, 1, NULL, NULL)->leased);
    g_assert_true(pvr_lease_set_process(lease, f->host, PVR_LEASE_RUNNING, 77, NULL));
    g_ptr_array_set_size(holders, 0);
    g_assert_true(pvr_holders_add_leases(holders, f->host, &error));
    g_assert_cmpuint(holders->len, ==, 0);
    /* What a damaged lease holds is not known: nobody may be told that it is free. */
    pvr_fake_write(f->root, "run/pvrdma/leases/" PVR_FAKE_UUID2 "-3.json", "{");
    g_assert_false(pvr_holders_add_leases(holders, f->host, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
}

#define ADD(path, func) g_test_add(path, Fixture, NULL, setup, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/plan/future-link", test_future_link);
    ADD("/plan/existing-link", test_existing_link);
    ADD("/plan/gid-choice", test_gid_choice);
    ADD("/plan/gid-policy", test_gid_policy);
    ADD("/plan/gid-unusable", test_gid_unusable);
    ADD("/plan/future-policy", test_future_policy);
    ADD("/plan/host-refusals", test_host_refusals);
    ADD("/plan/identity", test_identity);
    ADD("/plan/soft", test_soft);
    ADD("/holder/holders", test_holders);
    ADD("/holder/renamed", test_renamed_holder);
    return g_test_run();
}
