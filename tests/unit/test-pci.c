/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions as sysfs shows them, also when it shows rubbish. */
#include "pvr-error.h"
#include "pvr-fake-host.h"

#define PF "0000:3b:00.0"
#define VF0 "0000:3b:00.2"
#define VF11 "0000:3b:01.5"

typedef PvrFakeMachine Fixture;

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_function(f->root, VF11, NULL);
    pvr_fake_add_function(f->root, "0000:00:02.0", "i915");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", PF, "Ethernet", 1);
    pvr_fake_make_pf(f->root, PF, 12, 2);
    pvr_fake_make_vf(f->root, VF11, PF, 11);
    pvr_fake_add_function(f->root, VF0, "mlx5_core");
    pvr_fake_make_vf(f->root, VF0, PF, 0);
    pvr_fake_add_netdev(f->root, "ens1v0", "02:42:ac:11:00:02", TRUE);
    pvr_fake_set_function(f->root, "ens1v0", VF0);
    pvr_fake_add_rxe(f->root, "rxe0", "ens1v0");
}

static GPtrArray *
list(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *functions = pvr_host_list_pci(f->host, &error);

    g_assert_no_error(error);
    return functions;
}

static void
test_list(Fixture *f, gconstpointer data)
{
    g_autoptr(GPtrArray) functions = list(f);
    const PvrPci *pf = g_ptr_array_index(functions, 0);
    const PvrPci *vf0 = g_ptr_array_index(functions, 1);
    const PvrPci *vf11 = g_ptr_array_index(functions, 2);

    g_assert_cmpuint(functions->len, ==, 3); /* no graphics */
    g_assert_cmpstr(pf->address, ==, PF);
    g_assert_cmpstr(pf->driver, ==, "mlx5_core");
    g_assert_cmphex(pf->vendor, ==, 0x15b3);
    g_assert_cmpint(pf->numa_node, ==, 0);
    g_assert_cmpuint(pf->vfs_max, ==, 12);
    g_assert_cmpuint(pf->vfs, ==, 2);
    g_assert_null(pf->pf);
    g_assert_cmpstr(g_ptr_array_index(pf->ibdevs, 0), ==, "mlx5_0");
    g_assert_cmpstr(pf->node_guid, ==, "0c42:a103:0065:bd12");
    g_assert_cmpstr(vf0->pf, ==, PF);
    g_assert_cmpuint(vf0->vf, ==, 0);
    g_assert_cmpuint(vf0->vfs_max, ==, 0);
    g_assert_cmpstr(g_ptr_array_index(vf0->netdevs, 0), ==, "ens1v0");
    g_assert_cmpstr(g_ptr_array_index(vf0->ibdevs, 0), ==, "rxe0");
    g_assert_cmpstr(vf11->address, ==, VF11);
    g_assert_cmpuint(vf11->vf, ==, 11);
    g_assert_null(vf11->driver);
    g_assert_null(vf11->node_guid);
    g_assert_false(vf11->netdev_elsewhere);
}

static void
test_one(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrPci) vf = pvr_host_get_pci(f->host, VF0, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(vf->address, ==, VF0);
    g_assert_cmpstr(vf->pf, ==, PF);
    g_assert_cmpstr(g_ptr_array_index(vf->ibdevs, 0), ==, "rxe0");
    g_assert_null(pvr_host_get_pci(f->host, "0000:99:00.0", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    g_assert_null(pvr_host_get_pci(f->host, "0000:00:02.0", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    pvr_fake_set_failure(f->root, "list_pci", PVR_ERROR_FAILED, "sysfs is gone");
    g_assert_null(pvr_host_get_pci(f->host, VF0, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
}

static void
test_rubbish(Fixture *f, gconstpointer data)
{
    g_autoptr(GPtrArray) functions = NULL;
    const PvrPci *pf;

    pvr_fake_write(f->root, "sys/devices/" PF "/sriov_numvfs", "99999999999999999999 x");
    pvr_fake_write(f->root, "sys/devices/" PF "/numa_node", "-1");
    pvr_fake_write(f->root, "sys/devices/" PF "/vendor", "");
    pvr_fake_remove(f->root, "sys/devices/" PF "/driver");
    pvr_fake_write(f->root, "sys/devices/" PF "/driver", "no link");
    pvr_fake_remove(f->root, "sys/devices/" PF "/virtfn11");
    pvr_fake_write(f->root, "sys/devices/" PF "/virtfn12345678901", "");
    pvr_fake_link(f->root, "sys/class/net/loop", "loop");
    functions = list(f);
    pf = g_ptr_array_index(functions, 0);
    g_assert_cmpuint(functions->len, ==, 3);
    g_assert_null(pf->driver);
    g_assert_cmpint(pf->numa_node, ==, -1);
    g_assert_cmpuint(pf->vendor, ==, 0);
}

static void
test_none(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) functions = NULL;

    pvr_fake_remove(f->root, "sys/bus");
    functions = list(f);
    g_assert_cmpuint(functions->len, ==, 0);
    pvr_fake_write(f->root, "sys/bus/pci/devices", "a file");
    g_assert_null(pvr_host_list_pci(f->host, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
}

#define ADD(name, function) g_test_add("/pci/" name, Fixture, NULL, set_up, function, \
                                       pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("none", test_none);
    ADD("rubbish", test_rubbish);
    ADD("list", test_list);
    ADD("one", test_one);
    return g_test_run();
}
