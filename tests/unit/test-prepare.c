/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-prepare: every stage of a domain's life on the fake host, with its failures. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-lease.h"
#include "pvr-prepare.h"

#define U1 PVR_FAKE_UUID1
#define U2 PVR_FAKE_UUID2
#define LINK1 "dev/pvrdma/" U1 "-0"

static const PvrPrepareOptions quick = {.lock_ms = 50, .settle_ms = 0};

static const PvrFakeDevice ibdev0 = {
    .backend = "ibdev", .ibdev = "mlx5_0", .mac = PVR_FAKE_MAC0, .gid = PVR_FAKE_GID0};

typedef struct {
    char *root;
    PvrHost *host;
    char *start; /* snapshot */
    char *xml1;  /* vm1: rxe on d0 */
} Fixture;

static char *
domain(const char *name, const char *uuid, const PvrFakeDevice *device)
{
    return pvr_fake_domain_xml(name, uuid, &device, 1);
}

static void
setup(Fixture *f, gconstpointer data)
{
    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
    pvr_fake_add_netdev(f->root, "d1", PVR_FAKE_MAC1, TRUE);
    f->start = pvr_fake_snapshot(f->root);
    f->xml1 = domain("vm1", U1, &pvr_fake_rxe0);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->xml1);
    g_free(f->start);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

static void
assert_unchanged(Fixture *f)
{
    g_autofree char *now = pvr_fake_snapshot(f->root);

    g_assert_cmpstr(now, ==, f->start);
}

static void
prepare_ok(Fixture *f, const char *xml)
{
    GError *error = NULL;
    gboolean ok = pvr_prepare(f->host, xml, strlen(xml), &quick, &error);

    g_assert_no_error(error);
    g_assert_true(ok);
}

static void
release_ok(Fixture *f, const char *xml)
{
    GError *error = NULL;
    gboolean ok = pvr_release(f->host, xml, strlen(xml), &quick, &error);

    g_assert_no_error(error);
    g_assert_true(ok);
}

static void
assert_running_ok(Fixture *f, const char *xml)
{
    GError *error = NULL;
    gboolean ok = pvr_assert_running(f->host, xml, strlen(xml), &quick, &error);

    g_assert_no_error(error);
    g_assert_true(ok);
}

static void
assert_message(const GError *error, int code, const char *part)
{
    g_assert_error(error, PVR_ERROR, code);
    if (strstr(error->message, part) == NULL) {
        g_error("'%s' lacks '%s'", error->message, part);
    }
}

/* Fails, says @part, and leaves nothing behind. */
static void
prepare_fails(Fixture *f, const char *xml, int code, const char *part)
{
    g_autofree char *before = pvr_fake_snapshot(f->root);
    g_autofree char *after = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_prepare(f->host, xml, strlen(xml), &quick, &error));
    assert_message(error, code, part);
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
}

static void
assert_link(Fixture *f, const char *path, const char *target)
{
    g_autofree char *full = g_build_filename(f->root, path, NULL);
    g_autofree char *have = g_file_read_link(full, NULL);

    g_assert_cmpstr(have, ==, target);
}

static void
assert_state(Fixture *f, const char *uuid, guint id, const char *state)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_load(f->host, uuid, id, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(lease->state, ==, state);
}

static gboolean
have_rxe(Fixture *f, const char *name)
{
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(f->host, name, NULL);

    return ibdev != NULL;
}

static void
test_life(Fixture *f, gconstpointer data)
{
    g_autofree char *log = NULL;

    prepare_ok(f, f->xml1);
    g_assert_true(have_rxe(f, "rxe_d0"));
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    assert_state(f, U1, 0, PVR_LEASE_PREPARED);

    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    assert_running_ok(f, f->xml1);
    assert_state(f, U1, 0, PVR_LEASE_RUNNING);
    assert_running_ok(f, f->xml1); /* reconnect */
    log = pvr_fake_read(f->root, ".fake/log");
    g_assert_nonnull(strstr(log, "set_memlock 4711 18446744073709551615\n"));

    pvr_fake_remove_qemu(f->root, "vm1", 4711);
    release_ok(f, f->xml1); /* stopped */
    release_ok(f, f->xml1); /* release */
    assert_unchanged(f);
}

/* A link that was there before stays, under whatever name it has. */
static void
test_existing_rxe(Fixture *f, gconstpointer data)
{
    pvr_fake_add_rxe(f->root, "myrxe", "d0");
    prepare_ok(f, f->xml1);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    g_assert_false(have_rxe(f, "rxe_d0"));
    release_ok(f, f->xml1);
    g_assert_true(have_rxe(f, "myrxe"));
    pvr_fake_remove(f->root, "sys/class/infiniband/myrxe");
    pvr_fake_remove(f->root, "sys/class/infiniband_verbs/uverbs0");
    pvr_fake_remove(f->root, "dev/infiniband/uverbs0");
    assert_unchanged(f);
}

static void
test_hca(Fixture *f, gconstpointer data)
{
    g_autofree char *xml = domain("vm1", U1, &ibdev0);
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;

    prepare_fails(f, xml, PVR_ERROR_NOT_FOUND, "no RDMA device 'mlx5_0'");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
    prepare_fails(f, xml, PVR_ERROR_FAILED, "has no GID " PVR_FAKE_GID0);
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 0, PVR_FAKE_GID0, "IB/RoCE v1", "d0");
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 1, PVR_FAKE_GID0, "RoCE v2", "d0");
    before = pvr_fake_snapshot(f->root);
    prepare_ok(f, xml);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    release_ok(f, xml);
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
    pvr_fake_set_port_state(f->root, "mlx5_0", 1, "DOWN");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "port 1 of 'mlx5_0' is DOWN");
    pvr_fake_set_port_state(f->root, "mlx5_0", 1, "ACTIVE");
    pvr_fake_remove(f->root, "dev/infiniband/uverbs0");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "does not exist");
}

/* The domain was given the card at that address, not the name. */
static void
test_renamed(Fixture *f, gconstpointer data)
{
    PvrFakeDevice device = ibdev0;
    g_autofree char *xml = NULL;
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;

    device.pci = "0000:03:00.0";
    device.guid = "0c42:a103:0065:bd12";
    xml = domain("vm1", U1, &device);
    prepare_fails(f, xml, PVR_ERROR_NOT_FOUND, "no RDMA device at PCI address 0000:03:00.0");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:03:00.0", "Ethernet", 1);
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 1, PVR_FAKE_GID0, "RoCE v2", "d0");
    pvr_fake_rename_ibdev(f->root, "mlx5_0", "rocep3s0");
    pvr_fake_add_hca(f->root, "mlx5_0", "mlx5_core", "0000:04:00.0", "Ethernet", 1);
    pvr_fake_set_gid(f->root, "mlx5_0", 1, 1, PVR_FAKE_GID0, "RoCE v2", "d0");
    before = pvr_fake_snapshot(f->root);
    prepare_ok(f, xml);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    pvr_fake_rename_ibdev(f->root, "rocep3s0", "again"); /* before QEMU runs, or while it does */
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    assert_running_ok(f, xml);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    pvr_fake_rename_ibdev(f->root, "again", "rocep3s0");
    pvr_fake_remove_qemu(f->root, "vm1", 4711);
    release_ok(f, xml);
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
}

static void
test_gid_index(Fixture *f, gconstpointer data)
{
    PvrFakeDevice device = pvr_fake_rxe0;
    g_autofree char *wrong = NULL;
    g_autofree char *right = NULL;

    device.gid_index = "1";
    wrong = domain("vm1", U1, &device);
    prepare_fails(f, wrong, PVR_ERROR_FAILED,
                  "GID index 1 of 'rxe_d0' port 1 is empty, but the domain was given " PVR_FAKE_GID0
                  "\nthat GID is at index 0 now");
    device.gid_index = "0";
    right = domain("vm1", U1, &device);
    prepare_ok(f, right);
}

#define EUI0 "7efe:90ff:fecb:743a"

static void
assert_lease_gid(Fixture *f, const char *want)
{
    g_autoptr(PvrLease) lease = pvr_lease_load(f->host, U1, 0, NULL);
    g_autofree char *gid = NULL;

    g_assert_nonnull(lease);
    gid = pvr_gid_to_string(&lease->gid);
    g_assert_cmpstr(gid, ==, want);
}

/* Prefixes and indices change between attach and start; the policy says whether that matters. */
static void
test_gid_policy(Fixture *f, gconstpointer data)
{
    PvrFakeDevice device = pvr_fake_rxe0;
    g_autofree char *routable = NULL;
    g_autofree char *any = NULL;

    device.gid = "2001:0db8:0000:0000:" EUI0;
    device.gid_policy = "v2,ipv6,routable";
    routable = domain("vm1", U1, &device);
    device.gid_policy = "v2,ipv6,any";
    any = domain("vm1", U1, &device);
    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    prepare_fails(f, routable, PVR_ERROR_FAILED,
                  "no GID that fits the policy v2,ipv6,routable and carries the MAC " PVR_FAKE_MAC0);
    prepare_ok(f, any);
    assert_lease_gid(f, PVR_FAKE_GID0);
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 3, "2001:0db8:0000:0007:" EUI0, "RoCE v2", "d0");
    prepare_ok(f, routable);
    assert_lease_gid(f, "2001:0db8:0000:0007:" EUI0);
    release_ok(f, routable);
    /* Of another MAC, or for RoCE v1 */
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 3, "2001:0db8:0000:0007:7efe:90ff:fecb:7439", "RoCE v2",
                     "d0");
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 4, "2001:0db8:0000:0007:" EUI0, "IB/RoCE v1", "d0");
    prepare_fails(f, routable, PVR_ERROR_FAILED, "no GID that fits the policy");
}

/* Without a policy the GID itself has to be there, for RoCE v2. */
static void
test_gid_gone(Fixture *f, gconstpointer data)
{
    g_autofree char *xml = domain("vm1", U1, &pvr_fake_rxe0);

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 0, PVR_FAKE_GID0, "IB/RoCE v1", "d0");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "has no RoCE v2 entry of the GID " PVR_FAKE_GID0);
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 0, PVR_FAKE_GID1, "RoCE v2", "d0");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "has no GID " PVR_FAKE_GID0);
}

/* backend-gid-idx, written into the override with virsh edit */
static void
test_gid_by_hand(Fixture *f, gconstpointer data)
{
    g_autofree char *plain = domain("vm1", U1, &pvr_fake_rxe0);
    g_autofree char *xml = pvr_fake_replace(
        plain, "</qemu:frontend>",
        "<qemu:property name='backend-gid-idx' type='unsigned' value='2'/></qemu:frontend>");

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    prepare_fails(f, xml, PVR_ERROR_FAILED,
                  "backend-gid-idx is 2, but that GID of 'rxe_d0' port 1 is empty");
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 2, "2001:0db8:0000:0007:" EUI0, "IB/RoCE v1", "d0");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "(RoCE v1), no RoCE v2 GID for the MAC");
    pvr_fake_set_gid(f->root, "rxe_d0", 1, 2, "2001:0db8:0000:0007:" EUI0, "RoCE v2", "d0");
    prepare_ok(f, xml);
    assert_lease_gid(f, "2001:0db8:0000:0007:" EUI0);
}

static void
test_two_devices(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_rxe1};
    g_autofree char *xml = pvr_fake_domain_xml("vm1", U1, devices, 2);

    prepare_ok(f, xml);
    g_assert_true(have_rxe(f, "rxe_d0"));
    g_assert_true(have_rxe(f, "rxe_d1"));
    assert_link(f, "dev/pvrdma/" U1 "-1", "/dev/infiniband/uverbs1");
    release_ok(f, xml);
    assert_unchanged(f);

    /* The second fails: the first is given back too. */
    pvr_fake_remove(f->root, "sys/class/net/d1/carrier");
    pvr_fake_write(f->root, "sys/class/net/d1/flags", "0x1002\n");
    prepare_fails(f, xml, PVR_ERROR_FAILED, "the netdev 'd1' is down\nip link set d1 up");
}

static void
test_same_twice_in_one_domain(Fixture *f, gconstpointer data)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_rxe0};
    g_autofree char *xml = pvr_fake_domain_xml("vm1", U1, devices, 2);

    prepare_fails(f, xml, PVR_ERROR_BUSY, "port 1 of 'rxe_d0' is held by domain 'vm1' (device 0");
}

static void
test_two_domains(Fixture *f, gconstpointer data)
{
    g_autofree char *xml2 = domain("vm2", U2, &pvr_fake_rxe0);

    prepare_ok(f, f->xml1);
    prepare_fails(f, xml2, PVR_ERROR_BUSY, "port 1 of 'rxe_d0' is held by domain 'vm1'");
    release_ok(f, xml2); /* libvirt calls it after the failed start: vm1 keeps its device */
    assert_state(f, U1, 0, PVR_LEASE_PREPARED);
    release_ok(f, f->xml1);
    prepare_ok(f, xml2);
    release_ok(f, xml2);
    assert_unchanged(f);
}

/* The holder's QEMU died and its release never came. */
static void
test_dead_holder(Fixture *f, gconstpointer data)
{
    g_autofree char *xml2 = domain("vm2", U2, &pvr_fake_rxe0);

    prepare_ok(f, f->xml1);
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    assert_running_ok(f, f->xml1);
    prepare_fails(f, xml2, PVR_ERROR_BUSY, "(device 0, running)");
    pvr_fake_remove_qemu(f->root, "vm1", 4711);
    prepare_ok(f, xml2);
    release_ok(f, f->xml1); /* late */
    assert_state(f, U2, 0, PVR_LEASE_PREPARED);
    release_ok(f, xml2);
    assert_unchanged(f);
}

/* A left-over of our own is taken back first; a running domain is not touched. */
static void
test_prepare_again(Fixture *f, gconstpointer data)
{
    prepare_ok(f, f->xml1);
    prepare_ok(f, f->xml1);
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    prepare_fails(f, f->xml1, PVR_ERROR_BUSY, "the domain is running (process 4711)");
    pvr_fake_remove_qemu(f->root, "vm1", 4711);
    release_ok(f, f->xml1);
    assert_unchanged(f);
}

typedef struct {
    const char *from, *to, *part;
    int code;
} Case;

static const Case bad_xml[] = {
    {"<access mode='shared'/>", "<access mode='private'/>", "is private\nadd <memoryBacking>", 1},
    {"vmxnet3", "virtio", "function 0 of its slot is 'virtio', not vmxnet3", 1},
    {"function='0x1'", "function='0x2'", "not function 1", 1},
    {"multifunction='on'", "", "lacks multifunction='on'", 1},
    {"<alias name='ua-pvrdma0'/>", "", "there is no function 1 (alias ua-pvrdma0)", 1},
    {"bus='0x04' slot='0x00' function='0x0'", "bus='0x05' slot='0x00' function='0x0'",
     "no interface at function 0", 1},
    {"value='pvrdma'", "value='virtio-rng-pci'", "makes function 1 a pvrdma", 1},
    {"'random'>/dev/pvrdma/" U1 "-0", "'random'>/dev/random", "does not use the node", 1},
    {"value='/dev/pvrdma/" U1 "-0'", "value='mlx5_0'", "does not use the node", 1},
    {"<mac address='" PVR_FAKE_MAC0 "'/>", "<mac address='52:54:00:00:00:01'/>",
     "the MAC of function 0 is 52:54:00:00:00:01, but the GID " PVR_FAKE_GID0
     " carries " PVR_FAKE_MAC0,
     1},
    {"<mac address='" PVR_FAKE_MAC0 "'/>", "", "the MAC of function 0 is not given", 1},
    {"<uuid>" U1, "<uuid>" U2, U1, PVR_ERROR_CORRUPT}, /* a clone */
    {"</domain>", "", "malformed XML", PVR_ERROR_CORRUPT},
    {"version='1'", "version='9'", "version", PVR_ERROR_CORRUPT},
};

static void
test_bad_xml(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < G_N_ELEMENTS(bad_xml); i++) {
        g_autofree char *xml = pvr_fake_replace(f->xml1, bad_xml[i].from, bad_xml[i].to);

        prepare_fails(f, xml, bad_xml[i].code, bad_xml[i].part);
        assert_unchanged(f);
    }
}

static void
test_numa_and_memfd(Fixture *f, gconstpointer data)
{
    g_autofree char *memfd = pvr_fake_replace(f->xml1, "<access mode='shared'/>", "");
    g_autofree char *cells = pvr_fake_replace(
        f->xml1, "<access mode='shared'/>\n  </memoryBacking>",
        "</memoryBacking><cpu><numa><cell id='0' memAccess='shared'/></numa></cpu>");
    g_autofree char *cell_private = pvr_fake_replace(cells, "memAccess='shared'", "");
    g_autofree char *bad = pvr_fake_replace(cell_private, "<source type='memfd'/>", "");

    prepare_ok(f, memfd);
    prepare_ok(f, cells);
    release_ok(f, cells);
    prepare_fails(f, bad, PVR_ERROR_FAILED, "is private");
}

static void
test_host_failures(Fixture *f, gconstpointer data)
{
    g_autofree char *no_netdev = pvr_fake_replace(f->xml1, "netdev='d0'", "netdev='d7'");

    prepare_fails(f, no_netdev, PVR_ERROR_NOT_FOUND, "d7");
    pvr_fake_set_failure(f->root, "rxe_add", PVR_ERROR_UNSUPPORTED, "no module rdma_rxe");
    prepare_fails(f, f->xml1, PVR_ERROR_UNSUPPORTED, "no module rdma_rxe");
    pvr_fake_set_failure(f->root, "rxe_add", 0, NULL);
    pvr_fake_set_failure(f->root, "list_ibdevs", PVR_ERROR_FAILED, "sysfs is gone");
    prepare_fails(f, f->xml1, PVR_ERROR_FAILED, "sysfs is gone");
    pvr_fake_set_failure(f->root, "list_ibdevs", 0, NULL);
    pvr_fake_add_netdev(f->root, "d2", PVR_FAKE_MAC1, TRUE);
    pvr_fake_add_rxe(f->root, "rxe_d0", "d2"); /* the name is taken on another netdev */
    prepare_fails(f, f->xml1, PVR_ERROR_BUSY, "an RDMA device 'rxe_d0' on 'd2' exists");
}

/* Somebody makes the same link between our look and our attempt: it is not ours to remove. */
static void
make_same_link(const char *where, gpointer user_data)
{
    if (g_str_equal(where, "recorded rxe-add")) {
        pvr_fake_add_rxe(user_data, "rxe_d0", "d0");
    }
}

static void
test_rxe_race(Fixture *f, gconstpointer data)
{
    const PvrPrepareOptions options = {.checkpoint = make_same_link, .user_data = f->root};
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_prepare(f->host, f->xml1, strlen(f->xml1), &options, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_BUSY);
    g_assert_true(have_rxe(f, "rxe_d0"));
}

/* The undo of a failed prepare fails too: the lease stays and the next release does the rest. */
static void
test_undo_later(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    pvr_fake_write(f->root, LINK1, "in the way");
    pvr_fake_set_failure(f->root, "ibdev_del", PVR_ERROR_FAILED, "busy");
    g_assert_false(pvr_prepare(f->host, f->xml1, strlen(f->xml1), &quick, &error));
    assert_message(error, PVR_ERROR_FAILED, "is in the way: it is no symbolic link\nremove it");
    g_clear_error(&error);
    g_assert_true(have_rxe(f, "rxe_d0"));
    g_assert_false(pvr_release(f->host, f->xml1, strlen(f->xml1), &quick, &error));
    assert_message(error, PVR_ERROR_FAILED, "busy");
    pvr_fake_set_failure(f->root, "ibdev_del", 0, NULL);
    release_ok(f, f->xml1);
    pvr_fake_remove(f->root, LINK1);
    assert_unchanged(f);
}

static void
test_stale_link(Fixture *f, gconstpointer data)
{
    pvr_fake_link(f->root, LINK1, "/dev/infiniband/uverbs77");
    prepare_ok(f, f->xml1);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    release_ok(f, f->xml1);
    assert_unchanged(f);
}

static void
test_corrupt_lease(Fixture *f, gconstpointer data)
{
    g_autofree char *xml2 = domain("vm2", U2, &pvr_fake_rxe1);
    g_autoptr(GError) error = NULL;

    prepare_ok(f, f->xml1);
    pvr_fake_write(f->root, "run/pvrdma/leases/" U1 "-0.json", "{\"version\"");
    prepare_fails(f, f->xml1, PVR_ERROR_CORRUPT, U1 "-0.json' is damaged");
    prepare_fails(f, xml2, PVR_ERROR_CORRUPT,
                  U1 "-0.json' is damaged"); /* what it holds is unknown */
    release_ok(f, xml2);
    g_assert_false(pvr_release(f->host, f->xml1, strlen(f->xml1), &quick, &error));
    assert_message(error, PVR_ERROR_CORRUPT, "then remove the file");
}

static void
test_unfinished_write(Fixture *f, gconstpointer data)
{
    pvr_fake_write(f->root, "run/pvrdma/leases/" U1 "-0.json.tmp", "{\"ver");
    pvr_fake_write(f->root, "run/pvrdma/leases/" U1 "-5.json.tmp", "{\"ver");
    g_assert_true(pvr_release_may_have_work(f->host));
    release_ok(f, f->xml1);
    assert_unchanged(f);
    g_assert_false(pvr_release_may_have_work(f->host));
}

/* Renamed while it ran, and its metadata removed: the UUID is the key. */
static void
test_release_by_uuid(Fixture *f, gconstpointer data)
{
    prepare_ok(f, f->xml1);
    release_ok(f, "<domain><name>renamed</name><uuid>" U1 "</uuid></domain>");
    assert_unchanged(f);
}

static void
test_release_damaged_metadata(Fixture *f, gconstpointer data)
{
    g_autofree char *bad = pvr_fake_replace(f->xml1, "backend='rxe'", "backend='nonsense'");

    prepare_ok(f, f->xml1);
    release_ok(f, bad);
    assert_unchanged(f);
}

static void
test_foreign(Fixture *f, gconstpointer data)
{
    static const char xml[] = "<domain><name>x</name><uuid>" U2 "</uuid></domain>";

    prepare_ok(f, xml);
    assert_running_ok(f, xml);
    release_ok(f, xml);
    assert_unchanged(f);
}

static void
assert_running_fails(Fixture *f, const char *xml, int code, const char *part)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_assert_running(f->host, xml, strlen(xml), &quick, &error));
    assert_message(error, code, part);
}

static void
test_qemu_pid(Fixture *f, gconstpointer data)
{
    prepare_ok(f, f->xml1);
    assert_running_fails(f, f->xml1, PVR_ERROR_NOT_FOUND, "no process number in");
    pvr_fake_add_qemu(f->root, "vm1", U2, 4711);
    assert_running_fails(f, f->xml1, PVR_ERROR_NOT_FOUND, "process 4711 of");
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    pvr_fake_write(f->root, "run/libvirt/qemu/vm1.pid", "4711x");
    assert_running_fails(f, f->xml1, PVR_ERROR_NOT_FOUND, "no process number in");
    pvr_fake_write(f->root, "run/libvirt/qemu/vm1.pid", "4711\n");
    pvr_fake_set_failure(f->root, "set_memlock", PVR_ERROR_PRIVILEGE, "not permitted");
    assert_running_fails(f, f->xml1, PVR_ERROR_PRIVILEGE, "not permitted");
    assert_state(f, U1, 0, PVR_LEASE_RUNNING); /* as much as it can */
    pvr_fake_write(f->root, "proc/4711/limits", "Max locked memory  unlimited  unlimited  bytes\n");
    assert_running_ok(f, f->xml1); /* nothing to raise */
}

/* /run and /dev were emptied under a running guest: reconnect puts back what it can. */
static void
test_reassert(Fixture *f, gconstpointer data)
{
    prepare_ok(f, f->xml1);
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    assert_running_ok(f, f->xml1);
    pvr_fake_remove(f->root, LINK1);
    assert_running_ok(f, f->xml1);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    pvr_fake_remove(f->root, "run/pvrdma");
    pvr_fake_remove(f->root, LINK1);
    assert_running_ok(f, f->xml1);
    assert_link(f, LINK1, "/dev/infiniband/uverbs0");
    assert_state(f, U1, 0, PVR_LEASE_RUNNING);
    /* Who made the link is not known any more, so it stays. */
    release_ok(f, f->xml1);
    g_assert_true(have_rxe(f, "rxe_d0"));
}

static void
test_reassert_fails(Fixture *f, gconstpointer data)
{
    pvr_fake_add_qemu(f->root, "vm1", U1, 4711);
    assert_running_fails(f, f->xml1, PVR_ERROR_NOT_FOUND, "the rxe link on 'd0' is gone");
    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    assert_running_ok(f, f->xml1);
    pvr_fake_remove(f->root, "sys/class/infiniband/rxe_d0");
    assert_running_fails(f, f->xml1, PVR_ERROR_NOT_FOUND, "no RDMA device 'rxe_d0'");
}

#define ADD(path, func) g_test_add("/prepare/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("life", test_life);
    ADD("existing-rxe", test_existing_rxe);
    ADD("hca", test_hca);
    ADD("renamed", test_renamed);
    ADD("gid-index", test_gid_index);
    ADD("gid-policy", test_gid_policy);
    ADD("gid-gone", test_gid_gone);
    ADD("gid-by-hand", test_gid_by_hand);
    ADD("two-devices", test_two_devices);
    ADD("same-twice-in-one-domain", test_same_twice_in_one_domain);
    ADD("two-domains", test_two_domains);
    ADD("dead-holder", test_dead_holder);
    ADD("prepare-again", test_prepare_again);
    ADD("bad-xml", test_bad_xml);
    ADD("numa-and-memfd", test_numa_and_memfd);
    ADD("host-failures", test_host_failures);
    ADD("rxe-race", test_rxe_race);
    ADD("undo-later", test_undo_later);
    ADD("stale-link", test_stale_link);
    ADD("corrupt-lease", test_corrupt_lease);
    ADD("unfinished-write", test_unfinished_write);
    ADD("release-by-uuid", test_release_by_uuid);
    ADD("release-damaged-metadata", test_release_damaged_metadata);
    ADD("foreign", test_foreign);
    ADD("qemu-pid", test_qemu_pid);
    ADD("reassert", test_reassert);
    ADD("reassert-fails", test_reassert_fails);
    return g_test_run();
}
