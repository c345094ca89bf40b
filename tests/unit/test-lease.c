/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-lease: the file format with everything that can be wrong in it, listing, undo. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-lease.h"
#include "pvr-store.h"

#define U PVR_FAKE_UUID1
#define FILE1 "run/pvrdma/leases/" U "-0.json"

typedef PvrFakeMachine Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
}

static PvrLease *
new_lease(void)
{
    PvrLease *lease;
    PvrGid gid;

    g_assert_true(pvr_gid_parse(PVR_FAKE_GID0, &gid, NULL));
    lease = pvr_lease_new("5B4AC7B1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "vm \"1\"\xc3\xa9", 0, "rxe_d0",
                          1, &gid);
    g_ptr_array_add(lease->steps, pvr_step_new(PVR_STEP_RXE_ADD, "rxe_d0", "d0", NULL));
    g_ptr_array_add(lease->steps, pvr_step_new(PVR_STEP_SYMLINK, "/dev/pvrdma/" U "-0",
                                               "/dev/infiniband/uverbs3", NULL));
    lease->pid = 4711;
    lease->pid_start = 123456789;
    return lease;
}

static char *
good_text(void)
{
    g_autoptr(PvrLease) lease = new_lease();
    gsize len;

    return pvr_lease_to_json(lease, &len);
}

static void
test_round_trip(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrLease) lease = new_lease();
    g_autoptr(PvrLease) back = NULL;
    g_autoptr(GError) error = NULL;
    const PvrStep *step;

    g_free(lease->state);
    lease->state = g_strdup(PVR_LEASE_RUNNING);
    g_assert_true(pvr_lease_save(f->host, lease, &error));
    g_assert_no_error(error);
    back = pvr_lease_load(f->host, U, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(back->uuid, ==, U);
    g_assert_cmpstr(back->domain, ==, "vm \"1\"\xc3\xa9");
    g_assert_cmpstr(back->ibdev, ==, "rxe_d0");
    g_assert_cmpstr(back->state, ==, "running");
    g_assert_cmpuint(back->port, ==, 1);
    g_assert_true(pvr_gid_equal(&back->gid, &lease->gid));
    g_assert_cmpint(back->pid, ==, 4711);
    g_assert_cmpuint(back->pid_start, ==, 123456789);
    g_assert_cmpuint(back->steps->len, ==, 2);
    step = g_ptr_array_index(back->steps, 1);
    g_assert_cmpint(step->kind, ==, PVR_STEP_SYMLINK);
    g_assert_cmpstr(step->what, ==, "/dev/pvrdma/" U "-0");
    g_assert_cmpstr(step->on, ==, "/dev/infiniband/uverbs3");
}

static void
assert_refused(const char *text, gsize len, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrLease) lease = pvr_lease_from_json(text, len, &error);

    g_assert_null(lease);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    if (part != NULL && strstr(error->message, part) == NULL) {
        g_error("'%s' lacks '%s'", error->message, part);
    }
}

/* What a crash of a file system without our care would leave: every prefix is refused. */
static void
test_truncated(Fixture *f, gconstpointer data)
{
    g_autofree char *text = good_text();
    gsize whole = strlen(text) - 2; /* up to the last brace */

    for (gsize len = 0; len <= whole; len++) {
        assert_refused(text, len, NULL);
    }
}

typedef struct {
    const char *from, *to, *part;
} Damage;

static const Damage damages[] = {
    {"\"version\" : 1", "\"version\" : 2", "version"},
    {"\"version\" : 1", "\"version\" : \"1\"", "not an integer"},
    {"\"version\" : 1", "\"version\" : 1.0", "not an integer"},
    {"\"uuid\"", "\"uid\"", "unknown member 'uid'"},
    {U, "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f1g", "malformed"},
    {U, "../../../etc/passwd", "malformed"},
    {"\"id\" : 0", "\"id\" : -1", "'id' is -1"},
    {"\"id\" : 0", "\"id\" : 256", "'id' is 256"},
    {"\"id\" : 0", "\"id\" : 99999999999999999999", "id"},
    {"\"id\" : 0", "\"id\" : null", "not an integer"},
    {"\"port\" : 1", "\"port\" : 0", "port"},
    {"\"ibdev\" : \"rxe_d0\"", "\"ibdev\" : \"a/b\"", "malformed"},
    {"\"ibdev\" : \"rxe_d0\"", "\"ibdev\" : \"\"", "empty"},
    {"\"ibdev\" : \"rxe_d0\"", "\"ibdev\" : [\"rxe_d0\"]", "not a string"},
    {"\"what\" : \"rxe_d0\"", "\"what\" : \"rxe_d1\"", "'what'"},
    {"\"on\" : \"d0\"", "\"on\" : \"../d0\"", "'on'"},
    {"\"on\" : \"d0\"", "\"on\" : \"a-name-of-more-than-15\"", "'on'"},
    {"/dev/infiniband/uverbs3", "/dev/sda", "'on'"},
    {"/dev/infiniband/uverbs3", "/dev/infiniband/uverbs3/../../sda", "'on'"},
    {"/dev/pvrdma/", "/etc/", "'what'"},
    {"rxe-add", "rm-rf", "'step'"},
    {"\"state\" : \"preparing\"", "\"state\" : \"gone\"", "'state'"},
    {"\"pid\" : 4711", "\"pid\" : -4711", "'pid'"},
    {"fe80:0000", "fe80;0000", "malformed"},
    {"{\n  \"version\"", "[{\n  \"version\"", NULL},
    {"vm \\\"1\\\"", "\\u0000", NULL},
    {"vm", "\xff\xfe", "UTF-8"},
    {"\"steps\"", "/* */ \"steps\"", "unexpected"},
    {"\"steps\" : [", "\"steps\" : [ [], ", "array of objects"},
    {"\"steps\" : [", "\"steps\" : [[[[[[[[[[[[", "nested"},
};

static void
test_damaged(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < G_N_ELEMENTS(damages); i++) {
        g_autofree char *good = good_text();
        g_autofree char *bad = pvr_fake_replace(good, damages[i].from, damages[i].to);

        assert_refused(bad, strlen(bad), damages[i].part);
    }
}

static void
test_hostile(Fixture *f, gconstpointer data)
{
    g_autofree char *deep = g_strnfill(60000, '[');
    g_autofree char *quotes = g_strnfill(60000, '"');
    g_autofree char *big = g_strnfill(PVR_LEASE_MAX_BYTES + 1, ' ');

    assert_refused(deep, 60000, "nested");
    assert_refused(quotes, 60000, NULL);
    assert_refused(big, PVR_LEASE_MAX_BYTES + 1, "longer");
    assert_refused("\0\0\0\0", 4, "UTF-8");
    assert_refused("{}", 2, "version");
    assert_refused("[]", 2, "not a JSON object");
    assert_refused("nul", 3, "not JSON");
}

static void
assert_list_fails(PvrHost *host, const char *file)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(pvr_lease_list(host, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    g_assert_nonnull(strstr(error->message, file));
    g_assert_nonnull(strstr(error->message, "\nmake sure that its domain is shut off"));
}

static void
test_list_corrupt(Fixture *f, gconstpointer data)
{
    g_autofree char *text = good_text();
    g_autofree char *big = g_strnfill(PVR_LEASE_MAX_BYTES + 1, ' ');

    pvr_fake_write(f->root, FILE1, "");
    assert_list_fails(f->host, FILE1);
    pvr_fake_write(f->root, FILE1, big);
    assert_list_fails(f->host, FILE1);
    pvr_fake_remove(f->root, FILE1);
    pvr_fake_write(f->root, "run/pvrdma/leases/" U "-1.json", text);
    assert_list_fails(f->host, U "-1.json");
    pvr_fake_remove(f->root, "run/pvrdma/leases/" U "-1.json");
    pvr_fake_write(f->root, "run/pvrdma/leases/" U "-01.json", text);
    assert_list_fails(f->host, U "-01.json");
}

static void
test_list(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrLease) lease = new_lease();
    g_autoptr(GPtrArray) none = pvr_lease_list(f->host, NULL);
    g_autoptr(GPtrArray) leases = NULL;
    g_autoptr(GArray) ids = NULL;

    g_assert_cmpuint(none->len, ==, 0);
    g_assert_true(pvr_lease_save(f->host, lease, NULL));
    pvr_fake_write(f->root, FILE1 PVR_STORE_TMP_SUFFIX, "unfinished");
    pvr_fake_write(f->root, "run/pvrdma/leases/" U "-7.json" PVR_STORE_TMP_SUFFIX, "unfinished");
    leases = pvr_lease_list(f->host, NULL);
    g_assert_cmpuint(leases->len, ==, 1);
    g_assert_nonnull(pvr_lease_find_ibdev(leases, "rxe_d0", 1));
    g_assert_null(pvr_lease_find_ibdev(leases, "rxe_d0", 2));
    g_assert_null(pvr_lease_find_ibdev(leases, "rxe_d1", 1));
    g_assert_nonnull(pvr_lease_find(leases, U, 0));
    g_assert_null(pvr_lease_find(leases, U, 1));
    g_assert_null(pvr_lease_find(leases, PVR_FAKE_UUID2, 0));
    ids = pvr_lease_list_ids(f->host, U, NULL);
    g_assert_cmpuint(ids->len, ==, 3); /* 0, its rubbish, and the rubbish of 7 */
}

static PvrLease *
recorded(Fixture *f)
{
    g_autoptr(PvrLease) lease = new_lease();

    g_assert_true(pvr_lease_save(f->host, lease, NULL));
    return g_steal_pointer(&lease);
}

static void
undo_ok(Fixture *f, PvrLease *lease)
{
    GError *error = NULL;

    g_assert_true(pvr_lease_undo(lease, f->host, NULL, NULL, &error));
    g_assert_no_error(error);
}

static void
test_undo(Fixture *f, gconstpointer data)
{
    g_autofree char *before = pvr_fake_snapshot(f->root);
    g_autoptr(PvrLease) lease = recorded(f);
    g_autofree char *after = NULL;

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    pvr_fake_link(f->root, "dev/pvrdma/" U "-0", "/dev/infiniband/uverbs3");
    undo_ok(f, lease);
    undo_ok(f, lease); /* and once more */
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
}

/* Same name, but not what was recorded: it stays. */
static void
test_undo_foreign(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrLease) lease = recorded(f);
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;

    pvr_fake_add_netdev(f->root, "other", PVR_FAKE_MAC1, TRUE);
    pvr_fake_add_rxe(f->root, "rxe_d0", "other");
    pvr_fake_write(f->root, "dev/pvrdma/" U "-0", "a file");
    undo_ok(f, lease);
    before = pvr_fake_snapshot(f->root);
    g_assert_nonnull(strstr(before, "rxe_d0/node_guid"));
    g_assert_nonnull(strstr(before, "dev/pvrdma/" U "-0: a file"));
    undo_ok(f, lease);
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
}

static void
test_undo_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrLease) lease = recorded(f);
    g_autoptr(GError) error = NULL;
    g_autofree char *link = g_build_filename(f->root, "dev/pvrdma/" U "-0", NULL);

    pvr_fake_add_rxe(f->root, "rxe_d0", "d0");
    pvr_fake_link(f->root, "dev/pvrdma/" U "-0", "/dev/infiniband/uverbs3");
    pvr_fake_set_failure(f->root, "ibdev_del", PVR_ERROR_FAILED, "device is busy");
    g_assert_false(pvr_lease_undo(lease, f->host, NULL, NULL, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_assert_cmpstr(error->message, ==, "device is busy");
    g_assert_false(g_file_test(link, G_FILE_TEST_IS_SYMLINK)); /* the rest is undone */
    pvr_fake_set_failure(f->root, "ibdev_del", 0, NULL);
    g_clear_pointer(&lease, pvr_lease_free);
    lease = pvr_lease_load(f->host, U, 0, NULL);
    g_assert_nonnull(lease); /* to be tried again */
}

#define ADD(path, func) g_test_add(path, Fixture, NULL, setup, func, pvr_fake_machine_clear)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/lease/round-trip", test_round_trip);
    ADD("/lease/truncated", test_truncated);
    ADD("/lease/damaged", test_damaged);
    ADD("/lease/hostile", test_hostile);
    ADD("/lease/list", test_list);
    ADD("/lease/list-corrupt", test_list_corrupt);
    ADD("/lease/undo", test_undo);
    ADD("/lease/undo-foreign", test_undo_foreign);
    ADD("/lease/undo-fails", test_undo_fails);
    return g_test_run();
}
