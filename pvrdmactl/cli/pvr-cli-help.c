/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cli-help.h"

#include <string.h>

#include "pvr-cmd-table.h"

#define OPTION_WIDTH 22

static void
append_padded(GString *out, const char *text, gsize width)
{
    g_string_append_printf(out, "  %-*s  ", (int) width, text);
}

static void
append_options(GString *out, const GOptionEntry *entries)
{
    for (const GOptionEntry *e = entries; e != NULL && e->long_name != NULL; e++) {
        g_autoptr(GString) name = g_string_new(NULL);

        if (e->flags & G_OPTION_FLAG_HIDDEN)
            continue;
        if (e->short_name)
            g_string_append_printf(name, "-%c, ", e->short_name);
        g_string_append_printf(name, "--%s", e->long_name);
        if (e->arg_description != NULL)
            g_string_append_printf(name, e->flags & G_OPTION_FLAG_OPTIONAL_ARG ? "[=%s]" : " %s",
                                   e->arg_description);
        append_padded(out, name->str, OPTION_WIDTH);
        g_string_append_printf(out, "%s\n", e->description);
    }
}

static void
append_example(GString *out, const char *example)
{
    g_auto(GStrv) lines = g_strsplit(example, "\n", -1);

    g_string_append(out, "\nExample:\n");
    for (guint i = 0; lines[i] != NULL; i++)
        g_string_append_printf(out, "  %s\n", lines[i]);
}

void
pvr_help_command(GString *out, const PvrCommand *command, const GOptionEntry *common)
{
    g_string_append_printf(out, "Usage: pvrdmactl %s%s%s%s\n\n%s\n", command->name,
                           command->options != NULL ? " [OPTIONS]" : "",
                           command->args != NULL ? " " : "",
                           command->args != NULL ? command->args : "", command->summary);
    if (command->description != NULL)
        g_string_append_printf(out, "\n%s\n", command->description);
    g_string_append(out, "\nOptions:\n");
    append_options(out, command->options);
    append_options(out, common);
    append_example(out, command->example);
}

static gboolean
in_group(const PvrCommand *command, const char *group)
{
    const gsize len = group != NULL ? strlen(group) : 0;

    return group == NULL || (strncmp(command->name, group, len) == 0 && command->name[len] == ' ');
}

void
pvr_help_commands(GString *out, const char *group, const GOptionEntry *common)
{
    g_string_append_printf(out, "Usage: pvrdmactl [OPTIONS] %s [ARGS]\n\n",
                           group != NULL ? group : "COMMAND");
    if (group == NULL)
        g_string_append(out, "Gives libvirt guests VMware-compatible paravirtual RDMA devices.\n\n");
    g_string_append(out, "Commands:\n");
    for (guint i = 0; pvr_commands[i] != NULL; i++) {
        const PvrCommand *command = pvr_commands[i];

        if (!in_group(command, group))
            continue;
        append_padded(out, command->name, OPTION_WIDTH);
        g_string_append_printf(out, "%s\n", command->summary);
    }
    g_string_append(out, "\nOptions:\n");
    append_options(out, common);
    g_string_append(out, "\n'pvrdmactl COMMAND --help' shows a command's options and an example.\n"
                    "Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 nothing to do.\n");
}
