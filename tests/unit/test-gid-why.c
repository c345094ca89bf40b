/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-gid-why and pvr-inet6: each reason why an entry of a GID table is of no use, and none. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-gid-why.h"

#define INET6 "proc/net/if_inet6"
#define EUI "5054:00ff:fe00:0001"
#define LINK_LOCAL "fe80:0000:0000:0000:" EUI
#define GLOBAL "2001:0db8:0000:0000:" EUI
#define OTHER "fe80:0000:0000:0000:5054:00ff:fe00:0077"
#define LINE_LOCAL "fe80000000000000505400fffe000001 02 40 20 80       d0\n"
#define LINE_GLOBAL(flags) "20010db800000000505400fffe000001 02 40 00 " flags "       d0\n"

typedef PvrFakeMachine Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "d0", "52:54:00:00:00:01", TRUE);
    pvr_fake_add_rxe(f->root, "rxe0", "d0");
    pvr_fake_add_hca(f->root, "mlx", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
}

/* "INDEX VERDICT" of each entry in one line, as in "0 usable, 1-7 empty". */
static char *
verdicts(Fixture *f, const char *name)
{
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(f->host, name, NULL);
    g_autoptr(GPtrArray) list =
        pvr_gid_why_port(f->host, ibdev, g_ptr_array_index(ibdev->ports, 0));
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);

        g_assert_cmpstr(why->why, !=, "");
        g_assert_true((why->entry == NULL) == (why->verdict == PVR_GID_EMPTY));
        g_string_append_printf(text, "%s%u", i > 0 ? ", " : "", why->first);
        if (why->last != why->first) {
            g_string_append_printf(text, "-%u", why->last);
        }
        g_string_append_printf(text, " %s", pvr_gid_verdict_to_string(why->verdict));
    }
    return g_string_free(text, FALSE);
}

static void
expect(Fixture *f, const char *name, const char *want)
{
    g_autofree char *have = verdicts(f, name);

    g_assert_cmpstr(have, ==, want);
}

/* The text about the entry at @index. */
static void
expect_why(Fixture *f, const char *name, guint index, const char *part)
{
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(f->host, name, NULL);
    g_autoptr(GPtrArray) list =
        pvr_gid_why_port(f->host, ibdev, g_ptr_array_index(ibdev->ports, 0));

    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);

        if (why->first == index && strstr(why->why, part) == NULL) {
            g_error("'%s' lacks '%s'", why->why, part);
        }
        if (why->first == index) {
            return;
        }
    }
    g_error("nothing about index %u", index);
}

static void
test_type(Fixture *f, gconstpointer data)
{
    expect(f, "mlx", "0-7 empty");
    pvr_fake_set_gid(f->root, "mlx", 1, 1, LINK_LOCAL, "IB/RoCE v1", "d0");
    pvr_fake_set_gid(f->root, "mlx", 1, 3, LINK_LOCAL, "RoCE v2", "d0");
    pvr_fake_set_gid(f->root, "mlx", 1, 7, GLOBAL, "IB/RoCE v1", "d0");
    expect(f, "mlx", "0 empty, 1 roce-v1, 2 empty, 3 usable, 4-6 empty, 7 roce-v1");
    expect_why(f, "mlx", 1, "the same GID is RoCE v2 at index 3");
    expect_why(f, "mlx", 7, "the device speaks RoCE v2");
    pvr_fake_add_hca(f->root, "ib", "mlx5_core", "0000:04:00.0", "InfiniBand", 1);
    pvr_fake_set_gid(f->root, "ib", 1, 0, LINK_LOCAL, "IB/RoCE v1", NULL);
    expect(f, "ib", "0 infiniband, 1-7 empty");
}

static void
test_no_mac(Fixture *f, gconstpointer data)
{
    pvr_fake_set_gid(f->root, "mlx", 1, 0, "::ffff:10.0.0.1", "RoCE v2", "d0");
    pvr_fake_set_gid(f->root, "mlx", 1, 1, "2001:db8::1234:5678:9abc:def0", "RoCE v2", "d0");
    expect(f, "mlx", "0 no-mac, 1 no-mac, 2-7 empty");
    expect_why(f, "mlx", 0, "IPv4-mapped");
    expect_why(f, "mlx", 1, "not made from a MAC");
}

static void
test_netdev(Fixture *f, gconstpointer data)
{
    pvr_fake_set_gid(f->root, "mlx", 1, 0, LINK_LOCAL, "RoCE v2", NULL);
    pvr_fake_set_gid(f->root, "mlx", 1, 1, LINK_LOCAL, "RoCE v2", "gone");
    expect(f, "mlx", "0 no-netdev, 1 other-namespace, 2-7 empty");
    expect_why(f, "mlx", 1, "gone is in another network namespace");
    /* That netdevs cannot be looked up says nothing about them. */
    pvr_fake_set_failure(f->root, "get_netdev", PVR_ERROR_FAILED, "no netlink");
    expect(f, "mlx", "0 no-netdev, 1 usable, 2-7 empty");
}

static void
test_address(Fixture *f, gconstpointer data)
{
    pvr_fake_set_gid(f->root, "rxe0", 1, 1, GLOBAL, "RoCE v2", "d0");
    pvr_fake_set_gid(f->root, "mlx", 1, 0, OTHER, "RoCE v2", "d0");
    pvr_fake_set_gid(f->root, "mlx", 1, 1, GLOBAL, "RoCE v2", "d0");
    expect(f, "rxe0", "0 usable, 1 usable, 2-7 empty"); /* no list of addresses */
    expect_why(f, "rxe0", 0, "link-local, for the MAC of d0");
    expect_why(f, "rxe0", 1, "routable, for the MAC of d0");
    pvr_fake_write(f->root, INET6, LINE_LOCAL);
    expect(f, "rxe0", "0 usable, 1 no-address, 2-7 empty");
    pvr_fake_write(f->root, INET6, "");
    expect(f, "rxe0", "0 no-address, 1 no-address, 2-7 empty");
    expect(f, "mlx", "0 usable, 1 no-address, 2-7 empty");
    expect_why(f, "mlx", 0, "another MAC than that of d0 (no address, which hardware does not need)");
    pvr_fake_write(f->root, INET6, LINE_LOCAL LINE_GLOBAL("48"));
    expect(f, "rxe0", "0 usable, 1 duplicate-address, 2-7 empty");
    pvr_fake_write(f->root, INET6, LINE_LOCAL LINE_GLOBAL("40"));
    expect_why(f, "rxe0", 1, "still tentative");
    /* Another netdev's address is not this one's. */
    pvr_fake_write(f->root, INET6, "20010db800000000505400fffe000001 03 40 00 80 d1\n");
    expect(f, "rxe0", "0 no-address, 1 no-address, 2-7 empty");
}

static void
test_port_down(Fixture *f, gconstpointer data)
{
    pvr_fake_set_port_state(f->root, "rxe0", 1, "DOWN");
    expect(f, "rxe0", "0 port-down, 1-7 empty");
    expect_why(f, "rxe0", 0, "port 1 is DOWN");
}

/* A file that is not as the kernel writes it tells nothing. */
static void
test_inet6(Fixture *f, gconstpointer data)
{
    static const char *const bad[] = {
        "x\n",
        "20010db800000000505400fffe00000 02 40 00 80 d0\n",
        "20010db800000000505400fffe00000g 02 40 00 80 d0\n",
        "20010db800000000505400fffe000001 02 40 00 80\n",
        LINE_LOCAL "20010db800000000505400fffe000001\n",
    };
    g_autoptr(GArray) addresses = NULL;

    g_assert_null(pvr_inet6_list(f->host));
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        pvr_fake_write(f->root, INET6, bad[i]);
        g_assert_null(pvr_inet6_list(f->host));
    }
    pvr_fake_write(f->root, INET6, LINE_LOCAL LINE_GLOBAL("c0"));
    addresses = pvr_inet6_list(f->host);
    g_assert_cmpuint(addresses->len, ==, 2);
    g_assert_cmpstr(g_array_index(addresses, PvrInet6, 1).netdev, ==, "d0");
    g_assert_true(g_array_index(addresses, PvrInet6, 1).tentative);
    g_assert_false(g_array_index(addresses, PvrInet6, 0).tentative);
}

#define ADD(path, func) g_test_add("/gid-why/" path, Fixture, NULL, setup, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("type", test_type);
    ADD("no-mac", test_no_mac);
    ADD("netdev", test_netdev);
    ADD("address", test_address);
    ADD("port-down", test_port_down);
    ADD("inet6", test_inet6);
    return g_test_run();
}
