/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small text helpers: errors, tables, JSON, UUIDs. */
#include <errno.h>
#include <gio/gio.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-table.h"
#include "pvr-uuid.h"

static void
check_exit_code(GQuark domain, int code, int status)
{
    g_autoptr(GError) error = g_error_new_literal(domain, code, "x");

    g_assert_cmpint(pvr_error_exit_code(error), ==, status);
}

static void
test_exit_codes(void)
{
    g_assert_cmpint(pvr_error_exit_code(NULL), ==, 0);
    check_exit_code(PVR_ERROR, PVR_ERROR_FAILED, 1);
    check_exit_code(PVR_ERROR, PVR_ERROR_USAGE, 2);
    check_exit_code(PVR_ERROR, PVR_ERROR_NOT_FOUND, 3);
    check_exit_code(PVR_ERROR, PVR_ERROR_NOTHING, 4);
    check_exit_code(PVR_ERROR, PVR_ERROR_CORRUPT, 1);
    check_exit_code(PVR_ERROR, PVR_ERROR_BUSY, 1);
    check_exit_code(PVR_ERROR, PVR_ERROR_PRIVILEGE, 1);
    check_exit_code(PVR_ERROR, PVR_ERROR_UNSUPPORTED, 1);
    check_exit_code(PVR_ERROR, 0, 1);
    check_exit_code(G_IO_ERROR, 2, 1);
}

static void
test_errno_text(void)
{
    g_autoptr(GError) error = NULL;

    pvr_set_error_errno(&error, PVR_ERROR_BUSY, EBUSY, "cannot open '%s'", "%n");
    g_assert_error(error, PVR_ERROR, PVR_ERROR_BUSY);
    g_assert_cmpstr(error->message, ==, "cannot open '%n': Device or resource busy");
    pvr_set_error_errno(NULL, PVR_ERROR_BUSY, EBUSY, "nobody listens");
}

static void
test_table(void)
{
    g_autoptr(PvrTable) table = pvr_table_new("A", "LONGER", "C", NULL);
    g_autofree char *text = NULL;

    g_assert_cmpuint(pvr_table_rows(table), ==, 0);
    pvr_table_add(table, (const char *[]) { "one", NULL, "x" });
    pvr_table_add(table, (const char *[]) { "", "", "" });
    pvr_table_add(table, (const char *[]) { "\xc3\xa4", "a\tb\033", "\xff" });
    g_assert_cmpuint(pvr_table_rows(table), ==, 3);
    text = pvr_table_to_string(table);
    g_assert_cmpstr(text, ==,
                    "A    LONGER  C\n"
                    "one  -       x\n"
                    "\n"
                    "\xc3\xa4    a?b?    \xef\xbf\xbd\n");
}

static void
test_table_numbers(void)
{
    g_autoptr(PvrTable) table = pvr_table_new("A", "B", "C", NULL);
    g_autofree char *text = NULL;

    pvr_table_align_right(table, 1);
    pvr_table_add(table, (const char *[]) { "one", "1000", "1" });
    pvr_table_add(table, (const char *[]) { "x", NULL, "20000" });
    text = pvr_table_to_string(table);
    g_assert_cmpstr(text, ==,
                    "A       B      C\n"
                    "one  1000      1\n"
                    "x       -  20000\n");
}

static void
test_json(void)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();
    g_autofree char *text = NULL;
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *object;

    pvr_json_add_string(builder, "text", "a\"\n\xff");
    pvr_json_add_string(builder, "none", NULL);
    pvr_json_add_bool(builder, "yes", TRUE);
    pvr_json_begin_array(builder, "list");
    json_builder_end_array(builder);
    pvr_json_begin_object(builder, "inner");
    pvr_json_add_int(builder, "big", G_MAXINT64);
    json_builder_end_object(builder);
    text = pvr_json_end(builder);

    g_assert_true(g_str_has_suffix(text, "}\n"));
    g_assert_true(json_parser_load_from_data(parser, text, -1, NULL));
    object = json_node_get_object(json_parser_get_root(parser));
    g_assert_cmpint(json_object_get_int_member(object, "version"), ==, 1);
    g_assert_cmpstr(json_object_get_string_member(object, "text"), ==, "a\"\n\xef\xbf\xbd");
    g_assert_true(json_object_get_null_member(object, "none"));
    g_assert_true(json_object_get_boolean_member(object, "yes"));
    object = json_object_get_object_member(object, "inner");
    g_assert_cmpint(json_object_get_int_member(object, "big"), ==, G_MAXINT64);
}

static void
test_uuid(void)
{
    static const char *const bad[] = {
        "", "x", "6ba7b8109dad11d180b400c04fd430c8", "../../../../etc/passwd-aaaaaaaaaaaaaaa",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430c8 ",
        "6ba7b810-9dad-11d1-80b4-00c04fd430g8", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}",
    };
    g_autofree char *good = pvr_uuid_canonical("6BA7B810-9dad-11d1-80b4-00C04FD430C8", NULL);

    g_assert_cmpstr(good, ==, "6ba7b810-9dad-11d1-80b4-00c04fd430c8");
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(pvr_uuid_canonical(bad[i], &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/error/exit-codes", test_exit_codes);
    g_test_add_func("/error/errno-text", test_errno_text);
    g_test_add_func("/table", test_table);
    g_test_add_func("/table-numbers", test_table_numbers);
    g_test_add_func("/json", test_json);
    g_test_add_func("/uuid", test_uuid);
    return g_test_run();
}
