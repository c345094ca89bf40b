/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-options.h"

#include <string.h>

#include "pvr-error.h"

static gpointer
member(const GOptionEntry *entry, void *values)
{
    return (char *) values + GPOINTER_TO_SIZE(entry->arg_data);
}

/* GLib has optional values for callbacks only: here, none is an empty one. */
static void
give_empty_value(const GOptionEntry *entry, int argc, char **argv)
{
    g_autofree char *name = g_strconcat("--", entry->long_name, NULL);
    g_autofree char *empty = g_strconcat(name, "=", NULL);

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], name) == 0)
            argv[i] = (char *) g_intern_string(empty);
    }
}

static void
append_set(GArray *all, const PvrOptionSet *set, int argc, char **argv)
{
    for (const GOptionEntry *e = set->entries; e != NULL && e->long_name != NULL; e++) {
        GOptionEntry entry = *e;

        entry.arg_data = member(e, set->values);
        if (entry.flags & G_OPTION_FLAG_OPTIONAL_ARG) {
            give_empty_value(e, argc, argv);
            entry.flags &= ~G_OPTION_FLAG_OPTIONAL_ARG;
        }
        g_array_append_val(all, entry);
    }
}

/* GLib leaves the "--" that ended the options where it was. */
static void
drop_separator(int *argc, char **argv, gboolean only_first)
{
    const int end = only_first ? MIN(*argc, 2) : *argc;

    for (int i = 1; i < end; i++) {
        if (strcmp(argv[i], "--") == 0) {
            memmove(argv + i, argv + i + 1, sizeof(*argv) * (gsize) (*argc - i));
            (*argc)--;
            return;
        }
    }
}

gboolean
pvr_options_parse(const PvrOptionSet *sets, guint count, gboolean stop_early, int *argc,
                  char ***argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GArray) all = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    g_autoptr(GError) local = NULL;

    for (guint i = 0; i < count; i++)
        append_set(all, &sets[i], *argc, *argv);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_set_strict_posix(context, stop_early);
    g_option_context_add_main_entries(context, (const GOptionEntry *) (gpointer) all->data, NULL);
    if (!g_option_context_parse(context, argc, argv, &local)) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_USAGE, local->message);
        return FALSE;
    }
    drop_separator(argc, *argv, stop_early);
    return TRUE;
}

void
pvr_options_clear(const GOptionEntry *entries, void *values)
{
    for (const GOptionEntry *e = entries; e != NULL && e->long_name != NULL; e++) {
        if (e->arg == G_OPTION_ARG_STRING || e->arg == G_OPTION_ARG_FILENAME)
            g_clear_pointer((char **) member(e, values), g_free);
        else if (e->arg == G_OPTION_ARG_STRING_ARRAY || e->arg == G_OPTION_ARG_FILENAME_ARRAY)
            g_clear_pointer((GStrv *) member(e, values), g_strfreev);
    }
}
