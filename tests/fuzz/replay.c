/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for libFuzzer: runs a target once on each file of the directories given. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static void
replay_file(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *content = NULL;
    g_autofree void *exact = NULL;
    gsize len;

    if (!g_file_get_contents(path, &content, &len, &error)) {
        g_error("%s", error->message);
    }
    /* A copy without GLib's final NUL, so that a read beyond the end is seen. */
    exact = g_memdup2(content, len);
    LLVMFuzzerTestOneInput(exact, len);
}

static guint
replay_dir(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) dir = g_dir_open(path, 0, &error);
    const char *name;
    guint count = 0;

    if (dir == NULL) {
        g_error("%s", error->message);
    }
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(path, name, NULL);

        replay_file(file);
        count++;
    }
    return count;
}

int
main(int argc, char **argv)
{
    guint count = 0;

    for (int i = 1; i < argc; i++) {
        count += replay_dir(argv[i]);
    }
    printf("%u inputs\n", count);
    return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
