/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-journal, pvr-step: what is written when, what an undo leaves alone, damaged files, locks. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-journal-file.h"
#include "pvr-journal.h"
#include "pvr-store.h"

#define NAME "vf-create-0000:3b:00.0"
#define FILE "run/pvrdma/journal/" NAME ".json"
#define LINK "/dev/pvrdma/" PVR_FAKE_UUID1 "-0"
#define NODE "/dev/infiniband/uverbs0"

typedef struct {
    char *root;
    PvrHost *host;
    char *start;
} Fixture;

static void
setup(Fixture *f, gconstpointer data)
{
    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    pvr_fake_add_netdev(f->root, "d0", PVR_FAKE_MAC0, TRUE);
    pvr_fake_add_netdev(f->root, "d1", PVR_FAKE_MAC1, TRUE);
    f->start = pvr_fake_snapshot(f->root);
}

static void
teardown(Fixture *f, gconstpointer data)
{
    g_free(f->start);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

static void
assert_start(Fixture *f)
{
    g_autofree char *now = pvr_fake_snapshot(f->root);

    g_assert_cmpstr(now, ==, f->start);
}

static void
assert_message(GError *error, int code, const char *part)
{
    g_assert_error(error, PVR_ERROR, code);
    if (strstr(error->message, part) == NULL) {
        g_error("'%s' lacks '%s'", error->message, part);
    }
}

static PvrJournal *
begin(Fixture *f)
{
    GError *error = NULL;
    PvrJournal *journal = pvr_journal_begin(f->host, NAME, NULL, NULL, &error);

    g_assert_no_error(error);
    return journal;
}

static void
run_ok(PvrJournal *journal, PvrStepKind kind, const char *what, const char *on, const char *was)
{
    GError *error = NULL;

    g_assert_true(pvr_journal_run(journal, pvr_step_new(kind, what, on, was), &error));
    g_assert_no_error(error);
}

static void
rollback_ok(PvrJournal *journal)
{
    GError *error = NULL;

    g_assert_true(pvr_journal_rollback(journal, &error));
    g_assert_no_error(error);
}

static guint
steps_on_medium(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrJournalFile) file = pvr_journal_load(f->host, NAME, &error);

    g_assert_no_error(error);
    return file->steps->len;
}

/* ---- the order of things ---- */

static void
look_at_file(const char *where, gpointer user_data)
{
    Fixture *f = user_data;
    g_autofree char *ibdev = g_build_filename(f->root, "sys/class/infiniband/rxe0", NULL);

    g_assert_cmpuint(steps_on_medium(f), ==, 1);
    g_assert_true(g_file_test(ibdev, G_FILE_TEST_EXISTS) == g_str_has_prefix(where, "made "));
}

static void
test_recorded_first(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = pvr_journal_begin(f->host, NAME, look_at_file, f, NULL);

    g_assert_cmpuint(steps_on_medium(f), ==, 0);
    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    g_assert_cmpuint(pvr_journal_steps(journal)->len, ==, 1);
    g_assert_true(pvr_journal_commit(journal, NULL));
    g_assert_null(pvr_fake_read(f->root, FILE));
}

static void
test_failed_step(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);
    g_autoptr(GError) error = NULL;

    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    pvr_fake_set_failure(f->root, "rxe_add", PVR_ERROR_FAILED, "no memory");
    g_assert_false(pvr_journal_run(journal, pvr_step_new(PVR_STEP_RXE_ADD, "rxe1", "d1", NULL),
                                   &error));
    assert_message(error, PVR_ERROR_FAILED, "no memory");
    g_assert_cmpuint(steps_on_medium(f), ==, 1); /* the earlier one stays */
    rollback_ok(journal);
    assert_start(f);
}

/* What could not be recorded is not made. */
static void
test_cannot_record(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);
    g_autoptr(GError) error = NULL;
    g_autofree char *log = NULL;

    pvr_fake_remove(f->root, "run/pvrdma/journal");
    pvr_fake_write(f->root, "run/pvrdma/journal", "in the way");
    g_assert_false(pvr_journal_run(journal, pvr_step_new(PVR_STEP_RXE_ADD, "rxe0", "d0", NULL),
                                   &error));
    g_assert_nonnull(error);
    log = pvr_fake_read(f->root, ".fake/log");
    g_assert_null(log);
    g_assert_cmpuint(pvr_journal_steps(journal)->len, ==, 0);
}

static void
test_malformed_step(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_journal_run(journal, pvr_step_new(PVR_STEP_SYMLINK, "/etc/x", NODE, NULL),
                                   &error));
    assert_message(error, PVR_ERROR_CORRUPT, "/etc/x");
    g_assert_cmpuint(steps_on_medium(f), ==, 0);
}

/* ---- undo ---- */

static void
test_rollback(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);

    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    run_ok(journal, PVR_STEP_SYMLINK, LINK, NODE, NULL);
    run_ok(journal, PVR_STEP_RXE_DEL, "rxe0", "d0", NULL);
    run_ok(journal, PVR_STEP_RXE_ADD, "other", "d0", NULL);
    rollback_ok(journal);
    assert_start(f);
}

/* A link that was taken away comes back under its name. */
static void
test_rxe_del(Fixture *f, gconstpointer data)
{
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;
    g_autoptr(PvrJournal) journal = NULL;

    pvr_fake_add_rxe(f->root, "mlx5_4", "d0");
    before = pvr_fake_snapshot(f->root);
    journal = begin(f);
    run_ok(journal, PVR_STEP_RXE_DEL, "mlx5_4", "d0", NULL);
    rollback_ok(journal);
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
}

/* Somebody made another link there meanwhile, or gave the name to another device: theirs stays. */
static void
test_rxe_del_changed(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrStep) step = pvr_step_new(PVR_STEP_RXE_DEL, "rxe0", "d0", NULL);
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;

    pvr_fake_add_rxe(f->root, "theirs", "d0");
    before = pvr_fake_snapshot(f->root);
    g_assert_true(pvr_step_undo(step, f->host, NULL));
    after = pvr_fake_snapshot(f->root);
    g_assert_cmpstr(after, ==, before);
    pvr_fake_remove(f->root, "sys/class/net/d0");
    g_assert_true(pvr_step_undo(step, f->host, NULL)); /* and when the netdev is gone */
}

static void
test_rollback_fails(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);
    g_autoptr(GError) error = NULL;

    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    run_ok(journal, PVR_STEP_SYMLINK, LINK, NODE, NULL);
    pvr_fake_set_failure(f->root, "ibdev_del", PVR_ERROR_BUSY, "device is busy");
    g_assert_false(pvr_journal_rollback(journal, &error));
    assert_message(error, PVR_ERROR_BUSY, "device is busy");
    g_assert_cmpuint(steps_on_medium(f), ==, 1); /* the symlink is undone */
    pvr_fake_set_failure(f->root, "ibdev_del", 0, NULL);
    rollback_ok(journal);
    assert_start(f);
}

/* Of one device nothing is undone before what cannot be undone. */
static void
test_rollback_keeps_order(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = NULL;
    g_autoptr(GError) error = NULL;

    pvr_fake_add_rxe(f->root, "old", "d0");
    journal = begin(f);
    run_ok(journal, PVR_STEP_RXE_DEL, "old", "d0", NULL);
    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    run_ok(journal, PVR_STEP_RXE_ADD, "rxe1", "d1", NULL);
    pvr_fake_remove(f->root, ".fake/log");
    pvr_fake_set_failure(f->root, "ibdev_del", PVR_ERROR_BUSY, "device is busy");
    g_assert_false(pvr_journal_rollback(journal, &error));
    g_assert_cmpuint(steps_on_medium(f), ==, 3);
    {
        g_autofree char *log = pvr_fake_read(f->root, ".fake/log");

        g_assert_null(strstr(log, "rxe_add"));
    }
}

/* ---- names, files ---- */

static void
test_unfinished(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrJournal) journal = begin(f);
    g_autoptr(PvrJournal) second = NULL;
    g_autoptr(GError) error = NULL;

    run_ok(journal, PVR_STEP_RXE_ADD, "rxe0", "d0", NULL);
    g_assert_null(pvr_journal_begin(f->host, NAME, NULL, NULL, &error));
    assert_message(error, PVR_ERROR_BUSY, "has been held by process");
    g_clear_error(&error);
    g_assert_null(pvr_journal_reopen(f->host, NAME, TRUE, NULL, NULL, &error));
    assert_message(error, PVR_ERROR_BUSY, "has been held by process");
    g_clear_error(&error);
    g_clear_pointer(&journal, pvr_journal_free); /* as if the process were gone */
    g_assert_null(pvr_journal_begin(f->host, NAME, NULL, NULL, &error));
    assert_message(error, PVR_ERROR_BUSY, "\nrun 'pvrdmactl recover'");
    g_clear_error(&error);
    second = pvr_journal_reopen(f->host, NAME, TRUE, NULL, NULL, &error);
    g_assert_no_error(error);
    rollback_ok(second);
    assert_start(f);
    g_clear_pointer(&second, pvr_journal_free);
    g_assert_null(pvr_journal_reopen(f->host, NAME, TRUE, NULL, NULL, &error));
    g_assert_no_error(error);
}

static void
test_list(Fixture *f, gconstpointer data)
{
    g_autoptr(GPtrArray) none = pvr_journal_list(f->host, NULL);
    g_autoptr(GPtrArray) names = NULL;
    g_autoptr(GError) error = NULL;

    g_assert_cmpuint(none->len, ==, 0);
    pvr_fake_write(f->root, "run/pvrdma/journal/b.json", "");
    pvr_fake_write(f->root, "run/pvrdma/journal/b.json" PVR_STORE_TMP_SUFFIX, "half");
    pvr_fake_write(f->root, "run/pvrdma/journal/a.json" PVR_STORE_TMP_SUFFIX, "half");
    pvr_fake_write(f->root, "run/pvrdma/journal/README", "");
    names = pvr_journal_list(f->host, NULL);
    g_assert_cmpuint(names->len, ==, 2);
    g_assert_cmpstr(g_ptr_array_index(names, 0), ==, "a");
    g_assert_cmpstr(g_ptr_array_index(names, 1), ==, "b");
    g_assert_null(pvr_journal_reopen(f->host, "a", TRUE, NULL, NULL, &error)); /* rubbish: gone now */
    g_assert_no_error(error);
    g_assert_null(pvr_journal_reopen(f->host, "b", TRUE, NULL, NULL, &error));
    assert_message(error, PVR_ERROR_CORRUPT, "run/pvrdma/journal/b.json' is damaged: it is empty");
    g_ptr_array_unref(names);
    names = pvr_journal_list(f->host, NULL);
    g_assert_cmpuint(names->len, ==, 1);
}

static char *
good_text(void)
{
    PvrJournalFile file = {.name = (char *)"apply", .pid = 77, .steps = pvr_steps_new()};
    g_autoptr(GPtrArray) steps = file.steps;
    gsize len;

    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_NUM_VFS, "0000:3b:00.0", "4", "0"));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_UNBIND, "0000:3b:00.2", "mlx5_core", NULL));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_VF_MAC, "0000:3b:00.2", PVR_FAKE_MAC0,
                                        "00:00:00:00:00:00"));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_VF_GUID, "0000:3b:00.2",
                                        "0c42:a103:0065:bd12 0c42:a103:0065:bd13",
                                        "0000:0000:0000:0000 0000:0000:0000:0000"));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_VF_ATTR, "0000:3b:00.2", "vlan 5 0", "vlan 0 0"));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_BIND, "0000:3b:00.2", "mlx5_core", NULL));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_RXE_DEL, "rxe0", "d0", NULL));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_RXE_ADD, "rxe0", "pci 0000:3b:00.2", NULL));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_NETDEV_MAC, "d0", PVR_FAKE_MAC0, PVR_FAKE_MAC1));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_NETDEV_UP, "d0", "up", "down"));
    g_ptr_array_add(steps, pvr_step_new(PVR_STEP_SYMLINK, LINK, NODE, NULL));
    return pvr_journal_to_json(&file, &len);
}

static void
test_round_trip(Fixture *f, gconstpointer data)
{
    g_autofree char *text = good_text();
    g_autofree char *again = NULL;
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrJournalFile) file = pvr_journal_from_json(text, strlen(text), &error);
    gsize len;

    g_assert_no_error(error);
    g_assert_cmpuint(file->steps->len, ==, PVR_STEP_LAST);
    g_assert_cmpint(file->pid, ==, 77);
    again = pvr_journal_to_json(file, &len);
    g_assert_cmpstr(again, ==, text);
}

typedef struct {
    const char *from, *to, *part;
} Damage;

static const Damage damages[] = {
    {"\"version\" : 1", "\"version\" : 2", "version"},
    {"\"name\" : \"apply\"", "\"name\" : \"../x\"", "'name' is malformed"},
    {"\"name\" : \"apply\"", "\"name\" : \".x\"", "'name' is malformed"},
    {"\"pid\" : 77", "\"pid\" : 0", "'pid'"},
    {"\"pid\" : 77", "\"pids\" : 77", "unknown member"},
    {"\"steps\" : [", "\"steps\" : [ 1,", "array of objects"},
    {"num-vfs", "rm-rf", "'step'"},
    {"\"on\" : \"4\"", "\"on\" : \"04\"", "malformed"},
    {"\"on\" : \"4\"", "\"on\" : \"70000\"", "malformed"},
    {"\"on\" : \"4\"", "\"on\" : \"-1\"", "malformed"},
    {"\"on\" : \"4\"", "\"on\" : 4", "not a string"},
    {"\"was\" : \"0\"", "\"is\" : \"0\"", "unknown member"},
    {"\"was\" : \"0\"", "\"was\" : \"\"", "empty"},
    {"0000:3b:00.0", "3b:00.0", "malformed"},
    {"0000:3b:00.0", "0000:3B:00.0", "malformed"},
    {"0000:3b:00.0", "../../../tmp", "malformed"},
    {"mlx5_core", "../vfio", "malformed"},
    {"mlx5_core", "a b", "malformed"},
    {"vlan 5 0", "vlan 5", "malformed"},
    {"vlan 5 0", "trust on", "malformed"},
    {"0c42:a103:0065:bd12 ", "", "malformed"},
    {"\"up\"", "\"sideways\"", "malformed"},
    {"pci 0000:3b:00.2", "pci 0000:3b:00.9", "malformed"},
    {PVR_FAKE_MAC1, "7c:fe", "malformed"},
    {LINK, "/dev/pvrdma/../sda", "malformed"},
    {LINK, "/dev/pvrdma/" PVR_FAKE_UUID1 "-999", "malformed"},
    {LINK, "/dev/pvrdma/" PVR_FAKE_UUID1 "-01", "malformed"},
    {NODE, NODE "x", "malformed"},
};

static void
test_damaged(Fixture *f, gconstpointer data)
{
    for (guint i = 0; i < G_N_ELEMENTS(damages); i++) {
        g_autofree char *good = good_text();
        g_autofree char *bad = pvr_fake_replace(good, damages[i].from, damages[i].to);
        g_autoptr(GError) error = NULL;

        g_assert_null(pvr_journal_from_json(bad, strlen(bad), &error));
        assert_message(error, PVR_ERROR_CORRUPT, damages[i].part);
    }
}

static void
test_truncated(Fixture *f, gconstpointer data)
{
    g_autofree char *text = good_text();
    const gsize whole = strlen(text) - 2; /* up to the last brace */

    for (gsize len = 0; len <= whole; len++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(pvr_journal_from_json(text, len, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    }
}

/* ---- locks ---- */

static void
test_locks(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrLock) lock = pvr_device_lock(f->host, "0000:3b:00.2", 0, NULL);
    g_autofree char *dir = g_build_filename(f->root, "run/pvrdma/locks", NULL);
    g_autoptr(GPtrArray) keys = g_ptr_array_new();
    g_autoptr(GPtrArray) locks = NULL;
    g_autoptr(GError) error = NULL;

    g_ptr_array_add(keys, (gpointer)"d0");
    g_ptr_array_add(keys, (gpointer)"0000:3b:00.2");
    g_ptr_array_add(keys, (gpointer)"d0");
    g_assert_null(pvr_device_lock_all(f->host, keys, 0, &error));
    assert_message(error, PVR_ERROR_BUSY, "device-0000:3b:00.2' has been held by process");
    g_clear_error(&error);
    g_clear_pointer(&lock, pvr_lock_free);
    locks = pvr_device_lock_all(f->host, keys, 0, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(locks->len, ==, 2);
    g_clear_pointer(&locks, g_ptr_array_unref);
    g_assert_cmpint(g_rmdir(dir), ==, 0); /* no file of a lock is left */
}

static void
test_keys(Fixture *f, gconstpointer data)
{
    g_autofree char *plain = pvr_device_key_of_netdev(f->host, "d0");
    g_autofree char *on_pci = NULL;
    g_autofree char *of_rxe = NULL;
    g_autoptr(PvrIbdev) rxe = NULL;

    pvr_fake_link(f->root, "sys/class/net/d1/device", "../../../0000:3B:00.2");
    pvr_fake_add_rxe(f->root, "rxe1", "d1");
    rxe = pvr_host_get_ibdev(f->host, "rxe1", NULL);
    on_pci = pvr_device_key_of_netdev(f->host, "d1");
    of_rxe = pvr_device_key_of_ibdev(f->host, rxe);
    g_assert_cmpstr(plain, ==, "d0");
    g_assert_cmpstr(on_pci, ==, "0000:3b:00.2");
    g_assert_cmpstr(of_rxe, ==, "0000:3b:00.2");
}

#define ADD(path, func) g_test_add("/journal/" path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("recorded-first", test_recorded_first);
    ADD("failed-step", test_failed_step);
    ADD("cannot-record", test_cannot_record);
    ADD("malformed-step", test_malformed_step);
    ADD("rollback", test_rollback);
    ADD("rollback-fails", test_rollback_fails);
    ADD("rollback-keeps-order", test_rollback_keeps_order);
    ADD("rxe-del", test_rxe_del);
    ADD("rxe-del-changed", test_rxe_del_changed);
    ADD("unfinished", test_unfinished);
    ADD("list", test_list);
    ADD("round-trip", test_round_trip);
    ADD("damaged", test_damaged);
    ADD("truncated", test_truncated);
    ADD("locks", test_locks);
    ADD("keys", test_keys);
    return g_test_run();
}
