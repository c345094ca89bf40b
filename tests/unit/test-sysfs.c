/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading sysfs when it is as bad as the kernel, or an attacker with a mount, can make it. */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-sysfs.h"

#define IB "sys/class/infiniband/"
#define PORT IB "rxe0/ports/1/"

typedef PvrFakeMachine Fixture;

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
}

static PvrIbdev *
read_rxe0(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    PvrIbdev *ibdev = pvr_host_get_ibdev(f->host, "rxe0", &error);

    g_assert_no_error(error);
    return ibdev;
}

static PvrPort *
first_port(PvrIbdev *ibdev)
{
    g_assert_cmpuint(ibdev->ports->len, >=, 1);
    return g_ptr_array_index(ibdev->ports, 0);
}

static void
test_model(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) ibdev = read_rxe0(f);
    PvrPort *port = first_port(ibdev);
    const PvrGidEntry *entry = pvr_port_get_gid(port, 0);
    const PvrMac mac = { { 0x52, 0x54, 0, 0, 0, 1 } };

    g_assert_cmpstr(ibdev->driver, ==, "rxe");
    g_assert_cmpstr(ibdev->parent, ==, "d0");
    g_assert_cmpstr(ibdev->uverbs, ==, "uverbs0");
    g_assert_cmpstr(ibdev->node_guid, ==, "5054:00ff:fe00:0001");
    g_assert_cmpuint(port->num, ==, 1);
    g_assert_cmpstr(port->state, ==, "ACTIVE");
    g_assert_cmpstr(port->phys_state, ==, "LINK_UP");
    g_assert_cmpstr(port->link_layer, ==, "Ethernet");
    g_assert_cmpstr(port->netdev, ==, "d0");
    g_assert_cmpuint(port->gids->len, ==, 1);
    g_assert_true(pvr_port_find_gid_of_mac(port, &mac) == entry);
    g_assert_cmpint(entry->type, ==, PVR_GID_ROCE_V2);
}

static void
test_no_rdma_core(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) ibdevs = NULL;

    pvr_fake_remove(f->root, "sys/class/infiniband");
    pvr_fake_remove(f->root, "sys/class/infiniband_verbs");
    ibdevs = pvr_host_list_ibdevs(f->host, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ibdevs->len, ==, 0);
}

static void
test_unreadable_class(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) ibdevs = NULL;

    pvr_fake_remove(f->root, "sys/class/infiniband");
    pvr_fake_write(f->root, "sys/class/infiniband", "a file");
    ibdevs = pvr_host_list_ibdevs(f->host, &error);
    g_assert_null(ibdevs);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
}

/* Empty slots of a real table: reading gives EINVAL or ENODATA; a directory gives EISDIR. */
static void
test_unreadable_slots(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) ibdev = NULL;
    PvrPort *port;

    pvr_fake_remove(f->root, PORT "gids/1");
    pvr_fake_write(f->root, PORT "gids/1/x", "");
    pvr_fake_remove(f->root, PORT "gids/2");
    pvr_fake_link(f->root, PORT "gids/2", "nowhere");
    pvr_fake_write(f->root, PORT "gids/3", "");
    pvr_fake_write(f->root, PORT "gids/4", "no GID\n");
    pvr_fake_set_gid(f->root, "rxe0", 1, 5, "::ffff:10.0.0.1", "RoCE v2", NULL);
    pvr_fake_remove(f->root, PORT "gid_attrs/types/5");
    pvr_fake_write(f->root, PORT "gids/x", "fe80::1\n");
    pvr_fake_write(f->root, PORT "gids/-1", "fe80::1\n");
    pvr_fake_write(f->root, PORT "gids/70000", "fe80::1\n");
    pvr_fake_write(f->root, PORT "gids/99999999999999999999", "fe80::1\n");
    ibdev = read_rxe0(f);
    port = first_port(ibdev);
    g_assert_cmpuint(port->gids->len, ==, 2);
    g_assert_nonnull(pvr_port_get_gid(port, 0));
    g_assert_cmpint(pvr_port_get_gid(port, 5)->type, ==, PVR_GID_IB);
    g_assert_null(pvr_port_get_gid(port, 5)->netdev);
}

static void
test_garbage_attributes(Fixture *f, gconstpointer data)
{
    g_autofree char *overlong = g_strnfill(5000, 'x');
    g_autoptr(PvrIbdev) ibdev = NULL;
    PvrPort *port;

    pvr_fake_write(f->root, IB "rxe0/node_guid", overlong);
    pvr_fake_write(f->root, IB "rxe0/parent", "d0\xff\xfe\n");
    pvr_fake_write(f->root, PORT "state", "ACTIVE\n");
    pvr_fake_write(f->root, PORT "phys_state", "99: Strange\n");
    pvr_fake_write(f->root, PORT "link_layer", "\n");
    pvr_fake_write(f->root, IB "rxe0/ports/0/state", "4: ACTIVE\n");
    pvr_fake_write(f->root, IB "rxe0/ports/256/state", "4: ACTIVE\n");
    pvr_fake_write(f->root, "sys/class/infiniband_verbs/uverbs9/ibdev", overlong);
    pvr_fake_write(f->root, "sys/class/infiniband_verbs/abi_version", "6\n");
    ibdev = read_rxe0(f);
    g_assert_null(ibdev->node_guid);
    g_assert_true(g_utf8_validate(ibdev->parent, -1, NULL));
    g_assert_cmpuint(ibdev->ports->len, ==, 2);
    port = pvr_ibdev_get_port(ibdev, 1, NULL);
    g_assert_cmpstr(port->state, ==, "UNKNOWN");
    g_assert_cmpstr(port->phys_state, ==, "UNKNOWN");
    g_assert_cmpstr(port->link_layer, ==, "UNKNOWN");
    g_assert_null(pvr_ibdev_get_port(ibdev, 256, NULL));
}

/* Names in the class that are no directories: a device that went between readdir and open. */
static void
test_vanished_device(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) ibdevs = NULL;

    pvr_fake_link(f->root, IB "gone", "../../devices/gone");
    ibdevs = pvr_host_list_ibdevs(f->host, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ibdevs->len, ==, 1);
}

static void
test_device_without_ports(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = NULL;
    PvrPort *none;

    pvr_fake_remove(f->root, IB "rxe0/ports");
    ibdev = read_rxe0(f);
    g_assert_cmpuint(ibdev->ports->len, ==, 0);
    none = pvr_ibdev_get_port(ibdev, 1, &error);
    g_assert_null(none);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_nonnull(strstr(error->message, "its ports: none"));
}

/* A software device that is not rxe, and one whose driver went. */
static void
test_driver(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) siw = NULL, hca = NULL;

    pvr_fake_write(f->root, IB "siw0/node_guid", "5054:00ff:fe00:0001\n");
    siw = pvr_host_get_ibdev(f->host, "siw0", NULL);
    g_assert_cmpstr(siw->driver, ==, "unknown");
    g_assert_null(siw->parent);
    g_assert_false(pvr_ibdev_is_rxe(siw));
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:03:00.0", "InfiniBand", 2);
    pvr_fake_remove(f->root, "sys/devices/0000:03:00.0/driver");
    /* A `parent` attribute does not make a hardware device an rxe. */
    pvr_fake_write(f->root, IB "mlx5_0/parent", "d0\n");
    hca = pvr_host_get_ibdev(f->host, "mlx5_0", NULL);
    g_assert_cmpstr(hca->driver, ==, "unknown");
    g_assert_cmpstr(hca->parent, ==, "0000:03:00.0");
    g_assert_cmpuint(hca->ports->len, ==, 2);
    g_assert_null(first_port(hca)->netdev);
}

static void
test_gid_preference(Fixture *f, gconstpointer data)
{
    static const char gid[] = "fe80:0000:0000:0000:5054:00ff:fe00:0001";
    const PvrMac mac = { { 0x52, 0x54, 0, 0, 0, 1 } }, other = { { 0x52, 0x54, 0, 0, 0, 9 } };
    g_autoptr(PvrIbdev) ibdev = NULL;
    PvrPort *port;

    pvr_fake_set_gid(f->root, "rxe0", 1, 0, gid, "IB/RoCE v1", "d0");
    pvr_fake_set_gid(f->root, "rxe0", 1, 1, gid, "RoCE v2", "d0");
    pvr_fake_set_gid(f->root, "rxe0", 1, 2, gid, "RoCE v2", "d0");
    ibdev = read_rxe0(f);
    port = first_port(ibdev);
    g_assert_cmpuint(pvr_port_find_gid_of_mac(port, &mac)->index, ==, 1);
    g_assert_null(pvr_port_find_gid_of_mac(port, &other));
}

static void
test_many_gids_in_order(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) ibdev = NULL;
    PvrPort *port;

    for (guint i = 8; i < 256; i++) {
        g_autofree char *gid = g_strdup_printf("2001:db8::%x", i);

        pvr_fake_set_gid(f->root, "rxe0", 1, i, gid, "RoCE v2", NULL);
    }
    ibdev = read_rxe0(f);
    port = first_port(ibdev);
    g_assert_cmpuint(port->gids->len, ==, 249);
    for (guint i = 1; i < port->gids->len; i++) {
        const PvrGidEntry *entry = g_ptr_array_index(port->gids, i);

        g_assert_cmpuint(entry->index, ==, i + 7);
    }
}

static void
test_netdev(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrNetdev) up = pvr_host_get_netdev(f->host, "d0", &error);
    g_autoptr(PvrNetdev) down = NULL, odd = NULL, none = NULL;

    g_assert_no_error(error);
    g_assert_true(up->up && up->carrier);
    g_assert_cmpuint(up->mtu, ==, 1500);
    pvr_fake_add_netdev(f->root, "d1", "52:54:00:00:00:02", FALSE);
    down = pvr_host_get_netdev(f->host, "d1", &error);
    g_assert_false(down->up || down->carrier);
    pvr_fake_add_netdev(f->root, "ib0", "80:00:02:08:fe:80:00:00:00:00:00:00:7c:fe", TRUE);
    odd = pvr_host_get_netdev(f->host, "ib0", &error);
    g_assert_no_error(error);
    g_assert_false(pvr_mac_is_usable(&odd->mac));
    none = pvr_host_get_netdev(f->host, "../d0", &error);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
    g_assert_null(none);
}

static void
test_read_attr(Fixture *f, gconstpointer data)
{
    g_autofree char *exact = g_strnfill(1024, 'x');
    g_autofree char *path = g_build_filename(f->root, "attr", NULL);
    g_autofree char *full = NULL, *over = NULL, *blank = NULL, *fifo = NULL;

    pvr_fake_write(f->root, "attr", exact);
    full = pvr_sysfs_read_attr(path);
    g_assert_cmpstr(full, ==, exact);
    pvr_fake_write(f->root, "attr", " \n\t");
    blank = pvr_sysfs_read_attr(path);
    g_assert_null(blank);
    g_unlink(path);
    over = pvr_sysfs_read_attr(path);
    g_assert_null(over);
    /* Must not wait for a writer. */
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    fifo = pvr_sysfs_read_attr(path);
    g_assert_null(fifo);
}

#define ADD(name, func) \
    g_test_add("/sysfs/" name, Fixture, NULL, set_up, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("model", test_model);
    ADD("no-rdma-core", test_no_rdma_core);
    ADD("unreadable-class", test_unreadable_class);
    ADD("unreadable-slots", test_unreadable_slots);
    ADD("garbage-attributes", test_garbage_attributes);
    ADD("vanished-device", test_vanished_device);
    ADD("device-without-ports", test_device_without_ports);
    ADD("driver", test_driver);
    ADD("gid-preference", test_gid_preference);
    ADD("many-gids-in-order", test_many_gids_in_order);
    ADD("netdev", test_netdev);
    ADD("read-attr", test_read_attr);
    return g_test_run();
}
