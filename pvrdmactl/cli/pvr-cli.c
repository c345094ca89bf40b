/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cli.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "pvr-cli-help.h"
#include "pvr-cmd-table.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-options.h"

/* Options that are valid before and after the command. */
typedef struct {
    gboolean json, help, version;
    char *uri;
    char *root;
} CommonOpts;

static const GOptionEntry common_options[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(CommonOpts, json),
      "print one JSON object", NULL },
    { "connect", 'c', 0, G_OPTION_ARG_STRING, PVR_OPT(CommonOpts, uri),
      "libvirt connection", "URI" },
    { "root", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, PVR_OPT(CommonOpts, root),
      "look at files below DIR (tests)", "DIR" },
    { "help", 'h', 0, G_OPTION_ARG_NONE, PVR_OPT(CommonOpts, help),
      "show this text", NULL },
    { "version", 'V', 0, G_OPTION_ARG_NONE, PVR_OPT(CommonOpts, version),
      "show the version", NULL },
    { NULL }
};

static const char version_line[] = "pvrdmactl " PVR_VERSION "\n";

/* ---- what commands call ---- */

void
pvr_out(PvrCtx *ctx, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_string_append_vprintf(ctx->out, format, args);
    va_end(args);
}

void
pvr_out_table(PvrCtx *ctx, const PvrTable *table)
{
    g_autofree char *text = pvr_table_to_string(table);

    g_string_append(ctx->out, text);
}

void
pvr_out_json(PvrCtx *ctx, JsonBuilder *builder)
{
    g_autofree char *text = pvr_json_end(builder);

    g_string_append(ctx->out, text);
}

gboolean
pvr_out_flush(PvrCtx *ctx, GError **error)
{
    const gboolean done =
        fwrite(ctx->out->str, 1, ctx->out->len, stdout) == ctx->out->len && fflush(stdout) == 0;

    g_string_truncate(ctx->out, 0);
    if (!done)
        pvr_set_error_errno(error, PVR_ERROR_FAILED, errno, "cannot write the output");
    return done;
}

gboolean
pvr_usage_error(GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, PVR_ERROR, PVR_ERROR_USAGE, text);
    return FALSE;
}

/* ---- dispatch ---- */

/* The command that argv starts with; ret_words = how many words its name has. */
static const PvrCommand *
find_command(int argc, char **argv, int *ret_words)
{
    g_autofree char *pair = argc > 1 ? g_strjoin(" ", argv[0], argv[1], NULL) : NULL;

    for (guint i = 0; pvr_commands[i] != NULL; i++) {
        const char *name = pvr_commands[i]->name;

        if (strcmp(name, argv[0]) == 0 || g_strcmp0(name, pair) == 0) {
            *ret_words = strchr(name, ' ') != NULL ? 2 : 1;
            return pvr_commands[i];
        }
    }
    return NULL;
}

/* TRUE when the word is the first of a two-word command. */
static gboolean
is_group(const char *word)
{
    for (guint i = 0; pvr_commands[i] != NULL; i++) {
        const char *rest = pvr_commands[i]->name + strlen(word);

        if (g_str_has_prefix(pvr_commands[i]->name, word) && *rest == ' ')
            return TRUE;
    }
    return FALSE;
}

static gboolean
check_arg_count(const PvrCommand *command, int argc, GError **error)
{
    if (argc < command->min_args)
        return pvr_usage_error(error, "argument missing: needs %s", command->args);
    if (argc > command->max_args && command->max_args == 0)
        return pvr_usage_error(error, "takes no argument");
    if (argc > command->max_args)
        return pvr_usage_error(error, "too many arguments: takes %s", command->args);
    return TRUE;
}

static gboolean
run_on_host(const PvrCommand *command, PvrCtx *ctx, const CommonOpts *common,
            PvrHostFactory factory, int argc, char **argv, GError **error)
{
    g_autoptr(PvrHost) host = factory(common->root != NULL ? common->root : "");

    ctx->host = host;
    ctx->uri = common->uri;
    ctx->json = common->json;
    return command->run(ctx, argc, argv, error);
}

/* argv[0] is the last word of the command's name. */
static gboolean
run_command(const PvrCommand *command, PvrCtx *ctx, CommonOpts *common, PvrHostFactory factory,
            int *argc, char ***argv, GError **error)
{
    const PvrOptionSet sets[] = { { command->options, ctx->opts }, { common_options, common } };

    if (!pvr_options_parse(sets, G_N_ELEMENTS(sets), FALSE, argc, argv, error))
        return FALSE;
    ctx->subject = *argc > 1 ? (*argv)[1] : NULL;
    if (common->help)
        pvr_help_command(ctx->out, command, common_options);
    else if (common->version)
        g_string_append(ctx->out, version_line);
    if (common->help || common->version)
        return TRUE;
    return check_arg_count(command, *argc - 1, error) &&
           run_on_host(command, ctx, common, factory, *argc - 1, *argv + 1, error);
}

/* ---- reporting ---- */

/* Names and documents that errors quote may hold anything: the terminal gets text only. */
static void
print_clean(GString *text)
{
    g_autofree char *valid = g_utf8_make_valid(text->str, (gssize) text->len);

    for (char *c = valid; *c; c++)
        if (g_ascii_iscntrl(*c) && *c != '\n')
            *c = '?';
    fputs(valid, stderr);
}

/* "pvrdmactl: attach 'vm1': what happened", then the line that says what to do. */
static void
report(const GError *error, const char *command, const char *subject)
{
    g_autoptr(GString) text = g_string_new("pvrdmactl: ");

    if (command != NULL && subject != NULL)
        g_string_append_printf(text, "%s '%s': ", command, subject);
    else if (command != NULL)
        g_string_append_printf(text, "%s: ", command);
    g_string_append_printf(text, "%s\n", error->message);
    if (g_error_matches(error, PVR_ERROR, PVR_ERROR_USAGE) && !strchr(error->message, '\n'))
        g_string_append_printf(text, "see 'pvrdmactl %s%s--help'\n",
                               command != NULL ? command : "", command != NULL ? " " : "");
    print_clean(text);
}

/* Prints what was collected; a full disk or a closed pipe is a failure like any other. */
static int
flush_output(PvrCtx *ctx, int status)
{
    g_autoptr(GError) error = NULL;

    if (ctx->out->len == 0 || pvr_out_flush(ctx, &error))
        return status;
    fprintf(stderr, "pvrdmactl: %s\n", error->message);
    return PVR_ERROR_FAILED;
}

static int
finish(PvrCtx *ctx, const char *command, const GError *error)
{
    const int status = flush_output(ctx, pvr_error_exit_code(error));

    if (error != NULL)
        report(error, command, ctx->subject);
    return status;
}

static int
dispatch(const PvrCommand *command, int words, CommonOpts *common, PvrHostFactory factory,
         int argc, char **argv)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autofree void *opts = g_malloc0(MAX(command->opts_size, 1));
    g_autoptr(GError) error = NULL;
    PvrCtx ctx = { .opts = opts, .out = out };
    int status;

    if (command->opts_default != NULL)
        memcpy(opts, command->opts_default, command->opts_size);
    argc -= words - 1;
    argv += words - 1;
    run_command(command, &ctx, common, factory, &argc, &argv, &error);
    status = finish(&ctx, command->name, error);
    pvr_options_clear(command->options, opts);
    return status;
}

/* No command that we know: help, version, or an error. */
static int
run_without_command(const CommonOpts *common, int argc, char **argv)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    PvrCtx ctx = { .out = out };
    const char *word = argc > 1 ? argv[1] : NULL;
    const gboolean group = word != NULL && is_group(word);
    const gboolean group_help =
        group && argc > 2 && (g_str_equal(argv[2], "--help") || g_str_equal(argv[2], "-h"));

    if (common->version)
        g_string_append(out, version_line);
    else if (word == NULL && common->help)
        pvr_help_commands(out, NULL, common_options);
    else if (group_help || (group && common->help))
        pvr_help_commands(out, word, common_options);
    else if (word == NULL)
        pvr_usage_error(&error, "no command given");
    else if (group && argc > 2)
        pvr_usage_error(&error, "no command '%s %s'", word, argv[2]);
    else if (group)
        pvr_usage_error(&error, "'%s' needs one more word", word);
    else
        pvr_usage_error(&error, "no command '%s'", word);
    return finish(&ctx, NULL, error);
}

static int
run_words(CommonOpts *common, PvrHostFactory factory, int argc, char **argv)
{
    const PvrCommand *command;
    int words;

    if (common->version || argc < 2)
        return run_without_command(common, argc, argv);
    command = find_command(argc - 1, argv + 1, &words);
    if (command == NULL)
        return run_without_command(common, argc, argv);
    return dispatch(command, words, common, factory, argc - 1, argv + 1);
}

int
pvr_cli_main(int argc, char **argv, PvrHostFactory factory)
{
    g_autofree char **copy = g_memdup2(argv, sizeof(*argv) * (gsize) (argc + 1));
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    PvrCtx ctx = { .out = out };
    CommonOpts common = { 0 };
    const PvrOptionSet set = { common_options, &common };
    char **args = copy;
    int status;

    /* Only the character set: messages are English. */
    setlocale(LC_CTYPE, "");
    if (pvr_options_parse(&set, 1, TRUE, &argc, &args, &error))
        status = run_words(&common, factory, argc, args);
    else
        status = finish(&ctx, NULL, error);
    pvr_options_clear(common_options, &common);
    return status;
}
