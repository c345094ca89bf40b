/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GOption over structures instead of global variables: see PVR_OPT() in pvr-cmd.h. */
#pragma once

#include <glib.h>

/* One group of options and the structure that receives them. */
typedef struct {
    const GOptionEntry *entries;    /* may be NULL */
    void *values;
} PvrOptionSet;

/*
 * Removes the options from argv (argv[0] stays, a "--" goes). With `stop_early` parsing ends at the
 * first argument that is no option. A string whose entry has G_OPTION_FLAG_OPTIONAL_ARG is empty when
 * the option has no "=VALUE". Fails with PVR_ERROR_USAGE.
 */
gboolean pvr_options_parse(const PvrOptionSet *sets, guint count, gboolean stop_early, int *argc,
                           char ***argv, GError **error);

/* Frees the strings and string arrays in values. */
void pvr_options_clear(const GOptionEntry *entries, void *values);
