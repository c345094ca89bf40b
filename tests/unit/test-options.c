/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-cmd-table.h"
#include "pvr-error.h"
#include "pvr-options.h"

typedef struct {
    gboolean flag;
    int number;
    char *text;
    char **many;
    char *maybe;
} Opts;

static const GOptionEntry entries[] = {
    { "flag", 'f', 0, G_OPTION_ARG_NONE, PVR_OPT(Opts, flag), "flag", NULL },
    { "number", 0, 0, G_OPTION_ARG_INT, PVR_OPT(Opts, number), "number", "N" },
    { "text", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(Opts, text), "text", "T" },
    { "many", 0, 0, G_OPTION_ARG_STRING_ARRAY, PVR_OPT(Opts, many), "many", "M" },
    { "maybe", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_STRING, PVR_OPT(Opts, maybe), "maybe",
      "M" },
    { NULL }
};

/* Parses "prog ..." split at blanks; returns what is left, joined. */
static char *
parse(const char *line, Opts *opts, gboolean stop_early, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);
    g_autofree char **argv = g_memdup2(words, sizeof(*words) * (g_strv_length(words) + 1));
    const PvrOptionSet sets[] = { { NULL, NULL }, { entries, opts } };
    int argc = (int) g_strv_length(words);
    char **args = argv;

    if (!pvr_options_parse(sets, G_N_ELEMENTS(sets), stop_early, &argc, &args, error))
        return NULL;
    g_assert_cmpint(argc, ==, (int) g_strv_length(args));
    return g_strjoinv(" ", args);
}

static void
test_all_types(void)
{
    Opts opts = { .number = 7 };
    g_autofree char *rest = parse("prog a -f --number=3 b --text x --many 1 --many 2 c", &opts,
                                  FALSE, NULL);

    g_assert_cmpstr(rest, ==, "prog a b c");
    g_assert_true(opts.flag);
    g_assert_cmpint(opts.number, ==, 3);
    g_assert_cmpstr(opts.text, ==, "x");
    g_assert_cmpuint(g_strv_length(opts.many), ==, 2);
    pvr_options_clear(entries, &opts);
    g_assert_null(opts.text);
    g_assert_null(opts.many);
}

static void
test_optional_value(void)
{
    Opts none = { 0 }, alone = { 0 }, with = { 0 }, after = { 0 };
    g_autofree char *rest = parse("prog a", &none, FALSE, NULL);
    g_autofree char *rest_alone = parse("prog --maybe a", &alone, FALSE, NULL);
    g_autofree char *rest_with = parse("prog a --maybe=3", &with, FALSE, NULL);
    g_autofree char *rest_after = parse("prog -- --maybe", &after, FALSE, NULL);

    g_assert_cmpstr(rest, ==, "prog a");
    g_assert_null(none.maybe);
    g_assert_cmpstr(alone.maybe, ==, "");
    g_assert_cmpstr(rest_alone, ==, "prog a");
    g_assert_cmpstr(rest_with, ==, "prog a");
    g_assert_cmpstr(with.maybe, ==, "3");
    g_assert_null(after.maybe);
    g_assert_cmpstr(rest_after, ==, "prog --maybe");
    pvr_options_clear(entries, &alone);
    pvr_options_clear(entries, &with);
}

static void
test_stop_and_separator(void)
{
    Opts opts = { 0 };
    g_autofree char *early = parse("prog -f cmd --text", &opts, TRUE, NULL);
    g_autofree char *separator = parse("prog -- --text -f", &opts, FALSE, NULL);
    g_autofree char *middle = parse("prog a -- --text", &opts, FALSE, NULL);

    g_assert_cmpstr(early, ==, "prog cmd --text");
    g_assert_cmpstr(separator, ==, "prog --text -f");
    g_assert_cmpstr(middle, ==, "prog a --text");
    g_assert_null(opts.text);
    pvr_options_clear(entries, &opts);
}

static void
test_errors(void)
{
    static const char *const bad[] = {
        "prog --nope", "prog --number x", "prog --number", "prog --number 99999999999", "prog -x",
        "prog --text a --number y",
    };

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        Opts opts = { .number = 7 };

        g_test_message("%s", bad[i]);
        g_assert_null(parse(bad[i], &opts, FALSE, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
        g_assert_cmpint(opts.number, ==, 7);
        g_assert_null(opts.text);
        pvr_options_clear(entries, &opts);
    }
}

static void
check_option_texts(const GOptionEntry *e)
{
    g_assert_nonnull(e->description);
    g_assert_true((e->arg == G_OPTION_ARG_NONE) == (e->arg_description == NULL));
}

/* Every command of the table is complete, and no name hides another. */
static void
test_command_table(void)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; pvr_commands[i] != NULL; i++) {
        const PvrCommand *command = pvr_commands[i];

        g_test_message("command %s", command->name);
        g_assert_true(g_hash_table_add(names, (gpointer) command->name));
        g_assert_nonnull(command->summary);
        g_assert_false(g_str_has_suffix(command->summary, "."));
        g_assert_nonnull(command->run);
        g_assert_true((command->args == NULL) == (command->max_args == 0));
        g_assert_cmpint(command->min_args, <=, command->max_args);
        g_assert_true((command->options == NULL) == (command->opts_size == 0));
        g_assert_nonnull(strstr(command->example, "pvrdmactl "));
        g_assert_nonnull(strstr(command->example, command->name));
        for (const GOptionEntry *e = command->options; e != NULL && e->long_name != NULL; e++)
            check_option_texts(e);
    }
    g_assert_cmpuint(g_hash_table_size(names), >, 4);
}

/* The man page of a command: "rxe add" is in pvrdmactl-rxe.8.rst. */
static char *
read_man_page(const PvrCommand *command)
{
    g_auto(GStrv) words = g_strsplit(command->name, " ", 2);
    g_autofree char *name = g_strdup_printf("pvrdmactl-%s.8.rst", words[0]);
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "..", "docs", "man", name, NULL);
    char *page = NULL;

    g_file_get_contents(path, &page, NULL, NULL);
    return page;
}

static void
test_man_pages(void)
{
    for (guint i = 0; pvr_commands[i] != NULL; i++) {
        const PvrCommand *command = pvr_commands[i];
        g_autofree char *page = read_man_page(command);
        g_autofree char *synopsis = g_strdup_printf("pvrdmactl %s", command->name);

        g_test_message("command %s", command->name);
        g_assert_nonnull(page);
        g_assert_nonnull(strstr(page, synopsis));
        for (const GOptionEntry *e = command->options; e != NULL && e->long_name != NULL; e++) {
            g_autofree char *option = g_strdup_printf("--%s", e->long_name);

            g_test_message("option %s", option);
            g_assert_nonnull(strstr(page, option));
        }
    }
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/options/all-types", test_all_types);
    g_test_add_func("/options/optional-value", test_optional_value);
    g_test_add_func("/options/stop-and-separator", test_stop_and_separator);
    g_test_add_func("/options/errors", test_errors);
    g_test_add_func("/options/command-table", test_command_table);
    g_test_add_func("/options/man-pages", test_man_pages);
    return g_test_run();
}
