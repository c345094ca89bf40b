/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-undo: records by set of devices; only what fits its name comes back. */
#include <glib/gstdio.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-undo.h"

#define U1 PVR_FAKE_UUID1
#define DIR "var/lib/pvrdma/domains/" U1 "/"

typedef struct {
    char *root;
    PvrHost *host;
    char *none, *one, *two; /* the domain with no, one and two devices */
} Fixture;

static void
setup(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0, &pvr_fake_rxe1};

    f->root = pvr_fake_root_new();
    f->host = pvr_host_new_fake(f->root);
    f->none = pvr_fake_domain_xml("vm1", U1, devices, 0);
    f->one = pvr_fake_domain_xml("vm1", U1, devices, 1);
    f->two = pvr_fake_domain_xml("vm1", U1, devices, 2);
    g_assert_true(pvr_undo_save(f->host, U1, 0, f->none, NULL));
    g_assert_true(pvr_undo_save(f->host, U1, 1, f->one, NULL));
    g_assert_true(pvr_undo_save(f->host, U1, 3, f->two, NULL));
}

static void
teardown(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_free(f->none);
    g_free(f->one);
    g_free(f->two);
    pvr_host_free(f->host);
    pvr_fake_root_free(f->root);
}

static void
assert_record(Fixture *f, guint32 set, const char *want)
{
    g_autofree char *have = pvr_undo_load(f->host, U1, set);

    g_assert_cmpstr(have, ==, want);
}

static void
test_records(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_autofree char *other = pvr_undo_load(f->host, PVR_FAKE_UUID2, 0);
    g_autofree char *domains = g_build_filename(f->root, "var/lib/pvrdma/domains", NULL);
    GStatBuf st;

    assert_record(f, 0, f->none);
    assert_record(f, 1, f->one);
    assert_record(f, 3, f->two);
    assert_record(f, 2, NULL);
    g_assert_null(other);
    g_assert_cmpint(g_stat(domains, &st), ==, 0);
    g_assert_cmpuint(st.st_mode & 0777, ==, 0700);
}

static void
test_forget(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_assert_true(pvr_undo_forget(f->host, U1, 2, NULL));
    assert_record(f, 0, f->none);
    assert_record(f, 1, f->one);
    assert_record(f, 3, NULL);
    pvr_fake_write(f->root, DIR "00000007.xml.tmp", "half");
    g_assert_true(pvr_undo_forget(f->host, U1, G_MAXUINT32, NULL));
    assert_record(f, 0, NULL);
    g_assert_null(pvr_fake_read(f->root, DIR "00000007.xml.tmp"));
    g_assert_true(pvr_undo_forget(f->host, U1, G_MAXUINT32, NULL));
    g_assert_true(pvr_undo_forget(f->host, PVR_FAKE_UUID2, G_MAXUINT32, NULL));
}

/* Truncated, of another set, of another domain, no XML, no file: none of these is given to libvirt. */
static void
test_damaged(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    const PvrFakeDevice *devices[] = {&pvr_fake_rxe0};
    g_autofree char *other = pvr_fake_domain_xml("vm2", PVR_FAKE_UUID2, devices, 1);
    g_autofree char *half = g_strndup(f->one, strlen(f->one) / 2);

    pvr_fake_write(f->root, DIR "00000001.xml", half);
    assert_record(f, 1, NULL);
    pvr_fake_write(f->root, DIR "00000001.xml", f->two);
    assert_record(f, 1, NULL);
    pvr_fake_write(f->root, DIR "00000001.xml", other);
    assert_record(f, 1, NULL);
    pvr_fake_write(f->root, DIR "00000001.xml", "");
    assert_record(f, 1, NULL);
    pvr_fake_remove(f->root, DIR "00000001.xml");
    pvr_fake_link(f->root, DIR "00000001.xml", "00000003.xml");
    assert_record(f, 1, NULL);
    assert_record(f, 3, f->two);
}

static void
test_unwritable(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;

    pvr_fake_remove(f->root, "var/lib/pvrdma");
    pvr_fake_write(f->root, "var/lib/pvrdma", "a file");
    g_assert_false(pvr_undo_save(f->host, U1, 0, f->none, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_clear_error(&error);
    g_assert_null(pvr_undo_lock(f->host, &error));
    g_assert_nonnull(error);
}

static void
test_set(Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
    g_autoptr(PvrDomainMeta) none = pvr_metadata_parse_domain(f->none, strlen(f->none), NULL);
    g_autoptr(PvrDomainMeta) two = pvr_metadata_parse_domain(f->two, strlen(f->two), NULL);

    g_assert_cmpuint(pvr_undo_set(none), ==, 0);
    g_assert_cmpuint(pvr_undo_set(two), ==, 3);
}

#define ADD(path, func) g_test_add(path, Fixture, NULL, setup, func, teardown)

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/undo/records", test_records);
    ADD("/undo/forget", test_forget);
    ADD("/undo/damaged", test_damaged);
    ADD("/undo/unwritable", test_unwritable);
    ADD("/undo/set", test_set);
    return g_test_run();
}
