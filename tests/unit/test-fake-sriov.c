/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake host's VFs behave as the kernel's do: other tests rely on it. Also what the port refuses by itself. */
#include <linux/if_link.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-fake-sriov.h"

typedef PvrFakeMachine Fixture;

#define IGB "0000:01:00.0"
#define IGB_VF0 "0000:01:00.2"
#define MLX5 "0000:3b:00.0"
#define MLX5_VF1 "0000:3b:00.3"
#define IB "0000:5e:00.0"
#define IB_VF0 "0000:5e:00.2"

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_pf(f->root, &pvr_fake_igb);
    pvr_fake_add_pf(f->root, &pvr_fake_mlx5);
    pvr_fake_add_pf(f->root, &pvr_fake_mlx5_ib);
}

static void
make_vfs(Fixture *f, const char *pf, guint number)
{
    GError *error = NULL;

    pvr_host_set_num_vfs(f->host, pf, number, &error);
    g_assert_no_error(error);
}

static PvrPci *
get_function(Fixture *f, const char *address)
{
    GError *error = NULL;
    PvrPci *pci = pvr_host_get_pci(f->host, address, &error);

    g_assert_no_error(error);
    return pci;
}

static void
check_num_refused(Fixture *f, const char *pf, guint number, int code)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_host_set_num_vfs(f->host, pf, number, &error));
    g_assert_error(error, PVR_ERROR, code);
}

static void
test_num_refused(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) pf = NULL;

    check_num_refused(f, "0000:77:00.0", 1, PVR_ERROR_NOT_FOUND);
    check_num_refused(f, "../../x", 1, PVR_ERROR_USAGE);
    check_num_refused(f, "3b:00.0", 1, PVR_ERROR_USAGE);
    check_num_refused(f, MLX5, 9, PVR_ERROR_UNSUPPORTED);
    pvr_fake_set_failure(f->root, "set_num_vfs", PVR_ERROR_FAILED, "no resources left");
    check_num_refused(f, MLX5, 4, PVR_ERROR_FAILED);
    pvr_fake_set_failure(f->root, "set_num_vfs", 0, NULL);
    make_vfs(f, MLX5, 2);
    check_num_refused(f, MLX5, 4, PVR_ERROR_BUSY);
    pf = get_function(f, MLX5);
    g_assert_cmpuint(pf->vfs, ==, 2);
    make_vfs(f, MLX5, 0);
    make_vfs(f, MLX5, 4);
}

static void
test_link_up(Fixture *f, gconstpointer data)
{
    GError *error = NULL;

    pvr_fake_set_quirk(f->root, IGB, "needs-link-up", "");
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0", FALSE, &error));
    check_num_refused(f, IGB, 1, PVR_ERROR_FAILED);
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0", TRUE, &error));
    make_vfs(f, IGB, 1);
    g_assert_no_error(error);
}

static void
test_functions(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) pf = NULL;
    g_autoptr(PvrPci) vf = NULL;
    g_autoptr(PvrPci) gone = NULL;

    make_vfs(f, MLX5, 2);
    pf = get_function(f, MLX5);
    vf = get_function(f, MLX5_VF1);
    g_assert_cmpuint(pf->vfs, ==, 2);
    g_assert_cmpstr(pf->netdevs->pdata[0], ==, "ens1f0np0");
    g_assert_cmpstr(vf->pf, ==, MLX5);
    g_assert_cmpuint(vf->vf, ==, 1);
    g_assert_cmpstr(vf->driver, ==, "mlx5_core");
    g_assert_cmpstr(vf->netdevs->pdata[0], ==, "ens1f0np0v1");
    g_assert_cmpstr(vf->ibdevs->pdata[0], ==, "mlx5_3");
    g_assert_cmpstr(vf->node_guid, ==, "0000:0000:0000:0000");
    make_vfs(f, MLX5, 0);
    gone = pvr_host_get_pci(f->host, MLX5_VF1, NULL);
    g_assert_null(gone);
}

/* The MAC that the PF keeps takes effect when the driver is bound the next time, and is the node GUID, too. */
static void
test_mac(Fixture *f, gconstpointer data)
{
    const PvrVf vf = { .set = PVR_VF_MAC, .index = 1, .mac = { { 2, 0, 0, 0, 0, 7 } } };
    g_autoptr(GPtrArray) vfs = NULL;
    g_autoptr(PvrNetdev) before = NULL;
    g_autoptr(PvrNetdev) after = NULL;
    g_autoptr(PvrIbdev) ibdev = NULL;
    const PvrPort *port;
    PvrGid gid;
    GError *error = NULL;

    make_vfs(f, MLX5, 2);
    pvr_host_set_vf(f->host, "ens1f0np0", &vf, &error);
    g_assert_no_error(error);
    vfs = pvr_host_get_vfs(f->host, "ens1f0np0", &error);
    g_assert_cmpuint(vfs->len, ==, 2);
    g_assert_true(pvr_vf_same(vfs->pdata[1], &vf, PVR_VF_MAC));
    before = pvr_host_get_netdev(f->host, "ens1f0np0v1", &error);
    g_assert_false(pvr_mac_equal(&before->mac, &vf.mac));
    g_assert_true(pvr_host_unbind(f->host, MLX5_VF1, &error));
    g_assert_null(pvr_host_get_netdev(f->host, "ens1f0np0v1", NULL));
    g_assert_true(pvr_host_bind(f->host, MLX5_VF1, "mlx5_core", &error));
    after = pvr_host_get_netdev(f->host, "ens1f0np0v1", &error);
    g_assert_true(pvr_mac_equal(&after->mac, &vf.mac));
    ibdev = pvr_host_get_ibdev(f->host, "mlx5_3", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(ibdev->node_guid, ==, "0000:00ff:fe00:0007");
    port = ibdev->ports->pdata[0];
    pvr_gid_from_mac(&vf.mac, &gid);
    g_assert_nonnull(pvr_port_find_gid(port, &gid));
    g_assert_false(pvr_port_is_active(port));
    g_assert_true(pvr_host_set_netdev_up(f->host, "ens1f0np0v1", TRUE, &error));
    g_clear_pointer(&ibdev, pvr_ibdev_free);
    ibdev = pvr_host_get_ibdev(f->host, "mlx5_3", &error);
    g_assert_true(pvr_port_is_active(ibdev->ports->pdata[0]));
}

/* A MAC of the PF's choice is lost with each bind: why it has to be set. */
static void
test_random_mac(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrNetdev) first = NULL;
    g_autoptr(PvrNetdev) second = NULL;
    GError *error = NULL;

    make_vfs(f, IGB, 1);
    first = pvr_host_get_netdev(f->host, "enp1s0f0v0", &error);
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, &error));
    g_assert_true(pvr_host_bind(f->host, IGB_VF0, "igbvf", &error));
    second = pvr_host_get_netdev(f->host, "enp1s0f0v0", &error);
    g_assert_no_error(error);
    g_assert_false(pvr_mac_equal(&first->mac, &second->mac));
}

/* As rdma_rxe: the link goes with the netdev that it is on. */
static void
test_rxe_goes(Fixture *f, gconstpointer data)
{
    GError *error = NULL;
    g_autoptr(PvrPci) vf = NULL;

    make_vfs(f, IGB, 1);
    g_assert_true(pvr_host_rxe_add(f->host, "mlx5_4", "enp1s0f0v0", &error));
    vf = get_function(f, IGB_VF0);
    g_assert_cmpstr(vf->ibdevs->pdata[0], ==, "mlx5_4");
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, &error));
    g_assert_null(pvr_host_get_ibdev(f->host, "mlx5_4", NULL));
    g_assert_true(pvr_host_bind(f->host, IGB_VF0, "igbvf", &error));
    g_assert_null(pvr_host_get_ibdev(f->host, "mlx5_4", NULL));
    g_assert_no_error(error);
}

static void
test_infiniband(Fixture *f, gconstpointer data)
{
    const PvrVf vf = { .set = PVR_VF_NODE_GUID | PVR_VF_PORT_GUID | PVR_VF_LINK_STATE,
                       .node_guid = 0x0200000000000001, .port_guid = 0x0200000000000002,
                       .link_state = IFLA_VF_LINK_STATE_AUTO };
    const PvrVf trust = { .set = PVR_VF_TRUST, .trust = TRUE };
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) before = NULL;
    g_autoptr(PvrIbdev) after = NULL;

    make_vfs(f, IB, 1);
    before = pvr_host_get_ibdev(f->host, "mlx5_2", NULL);
    g_assert_false(pvr_port_is_active(before->ports->pdata[0]));
    g_assert_true(pvr_host_set_vf(f->host, "ib0", &vf, &error));
    g_assert_true(pvr_host_unbind(f->host, IB_VF0, &error));
    g_assert_true(pvr_host_bind(f->host, IB_VF0, "mlx5_core", &error));
    after = pvr_host_get_ibdev(f->host, "mlx5_2", &error);
    g_assert_no_error(error);
    g_assert_cmpstr(after->node_guid, ==, "0200:0000:0000:0001");
    g_assert_true(pvr_port_is_active(after->ports->pdata[0]));
    g_assert_false(pvr_host_set_vf(f->host, "ib0", &trust, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
}

static void
check_set_refused(Fixture *f, const char *netdev, guint index, int code)
{
    const PvrVf vf = { .set = PVR_VF_TRUST, .index = index, .trust = TRUE };
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_host_set_vf(f->host, netdev, &vf, &error));
    g_assert_error(error, PVR_ERROR, code);
}

static void
test_set_refused(Fixture *f, gconstpointer data)
{
    make_vfs(f, MLX5, 2);
    check_set_refused(f, "nope", 0, PVR_ERROR_NOT_FOUND);
    check_set_refused(f, "a/b", 0, PVR_ERROR_USAGE);
    check_set_refused(f, "ens1f0np0", 2, PVR_ERROR_NOT_FOUND);
    check_set_refused(f, "ens1f0np0v0", 0, PVR_ERROR_UNSUPPORTED);
    pvr_fake_set_quirk(f->root, MLX5, "lacks", "trust rate");
    check_set_refused(f, "ens1f0np0", 0, PVR_ERROR_UNSUPPORTED);
    pvr_fake_set_quirk(f->root, MLX5, "lacks", NULL);
    pvr_fake_set_failure(f->root, "set_vf", PVR_ERROR_PRIVILEGE, "no permission");
    check_set_refused(f, "ens1f0np0", 0, PVR_ERROR_PRIVILEGE);
}

static void
check_bind_refused(Fixture *f, const char *pci, const char *driver, int code)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(driver != NULL ? pvr_host_bind(f->host, pci, driver, &error)
                                  : pvr_host_unbind(f->host, pci, &error));
    g_assert_error(error, PVR_ERROR, code);
}

static void
test_bind_refused(Fixture *f, gconstpointer data)
{
    make_vfs(f, MLX5, 2);
    check_bind_refused(f, MLX5_VF1, "mlx5_core", PVR_ERROR_BUSY);
    check_bind_refused(f, "0000:77:00.0", "mlx5_core", PVR_ERROR_NOT_FOUND);
    check_bind_refused(f, "0000:77:00.0", NULL, PVR_ERROR_NOT_FOUND);
    check_bind_refused(f, "77:00.0", NULL, PVR_ERROR_USAGE);
    check_bind_refused(f, MLX5_VF1, "a/b", PVR_ERROR_USAGE);
    check_bind_refused(f, MLX5_VF1, "..", PVR_ERROR_USAGE);
    check_bind_refused(f, MLX5_VF1, "", PVR_ERROR_USAGE);
    g_assert_true(pvr_host_unbind(f->host, MLX5_VF1, NULL));
    check_bind_refused(f, MLX5_VF1, NULL, PVR_ERROR_NOT_FOUND);
    check_bind_refused(f, MLX5_VF1, "nope", PVR_ERROR_NOT_FOUND);
    pvr_fake_write(f->root, ".fake/vanish", "bind " MLX5_VF1);
    check_bind_refused(f, MLX5_VF1, "mlx5_core", PVR_ERROR_NOT_FOUND);
    g_assert_null(pvr_host_get_pci(f->host, MLX5_VF1, NULL));
}

static void
test_late(Fixture *f, gconstpointer data)
{
    pvr_fake_set_quirk(f->root, MLX5, "late", "2");
    make_vfs(f, MLX5, 1);
    pvr_host_wait_event(f->host, 100);
    g_assert_null(pvr_host_get_netdev(f->host, "ens1f0np0v0", NULL));
    pvr_host_wait_event(f->host, 100);
    pvr_netdev_free(pvr_host_get_netdev(f->host, "ens1f0np0v0", NULL));
    pvr_ibdev_free(pvr_host_get_ibdev(f->host, "mlx5_2", NULL));
}

static void
test_netdevs(Fixture *f, gconstpointer data)
{
    const PvrMac mac = { { 2, 0, 0, 0, 0, 9 } };
    g_autoptr(PvrPci) hidden = NULL;
    g_autoptr(PvrNetdev) netdev = NULL;
    g_autoptr(PvrIbdev) rxe = NULL;
    GError *error = NULL;

    pvr_fake_set_quirk(f->root, MLX5, "no-netdev", "");
    make_vfs(f, MLX5, 2);
    hidden = get_function(f, MLX5_VF1);
    g_assert_true(hidden->netdev_elsewhere);
    pvr_fake_set_quirk(f->root, IGB, "new-names", "");
    make_vfs(f, IGB, 1);
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, &error));
    g_assert_true(pvr_host_bind(f->host, IGB_VF0, "igbvf", &error));
    g_assert_null(pvr_host_get_netdev(f->host, "eth101", NULL));
    pvr_fake_add_rxe(f->root, "rxe0", "enp1s0f0");
    g_assert_true(pvr_host_set_netdev_mac(f->host, "enp1s0f0", &mac, &error));
    netdev = pvr_host_get_netdev(f->host, "enp1s0f0", &error);
    rxe = pvr_host_get_ibdev(f->host, "rxe0", &error);
    g_assert_no_error(error);
    g_assert_true(pvr_mac_equal(&netdev->mac, &mac));
    g_assert_nonnull(pvr_port_find_gid_of_mac(rxe->ports->pdata[0], &mac));
    g_assert_false(pvr_host_set_netdev_mac(f->host, "nope", &mac, NULL));
    g_assert_false(pvr_host_set_netdev_up(f->host, "a/b", TRUE, NULL));
}

/* A host that cannot change anything says so. */
static void
test_no_operations(Fixture *f, gconstpointer data)
{
    static const PvrHostOps none = { NULL };
    g_autoptr(PvrHost) host = pvr_host_new(f->root, &none, NULL, NULL);
    const PvrVf vf = { 0 };
    const PvrMac mac = { { 0 } };
    GError *errors[7] = { NULL };

    g_assert_null(pvr_host_get_vfs(host, "ib0", &errors[0]));
    g_assert_false(pvr_host_set_vf(host, "ib0", &vf, &errors[1]));
    g_assert_false(pvr_host_set_num_vfs(host, IB, 1, &errors[2]));
    g_assert_false(pvr_host_bind(host, IB, "x", &errors[3]));
    g_assert_false(pvr_host_unbind(host, IB, &errors[4]));
    g_assert_false(pvr_host_set_netdev_mac(host, "ib0", &mac, &errors[5]));
    g_assert_false(pvr_host_set_netdev_up(host, "ib0", TRUE, &errors[6]));
    for (guint i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_assert_error(errors[i], PVR_ERROR, PVR_ERROR_UNSUPPORTED);
        g_clear_error(&errors[i]);
    }
    pvr_host_wait_event(host, 1);
}

static void
add(const char *path, void (*func)(Fixture *, gconstpointer))
{
    g_test_add(path, Fixture, NULL, set_up, func, pvr_fake_machine_clear);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/fake-sriov/num-refused", test_num_refused);
    add("/fake-sriov/link-up", test_link_up);
    add("/fake-sriov/functions", test_functions);
    add("/fake-sriov/mac", test_mac);
    add("/fake-sriov/random-mac", test_random_mac);
    add("/fake-sriov/rxe-goes", test_rxe_goes);
    add("/fake-sriov/infiniband", test_infiniband);
    add("/fake-sriov/set-refused", test_set_refused);
    add("/fake-sriov/bind-refused", test_bind_refused);
    add("/fake-sriov/late", test_late);
    add("/fake-sriov/netdevs", test_netdevs);
    add("/fake-sriov/no-operations", test_no_operations);
    return g_test_run();
}
