/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command is. One PvrCommand per file pvr-cmd-NAME.c; the table in pvr-cmd-table.c drives
 * dispatch and help.
 */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

#include "pvr-host.h"
#include "pvr-table.h"

/* Given to a command for one run. All members are borrowed. */
typedef struct {
    PvrHost *host;
    const char *uri;        /* libvirt connection URI of -c; NULL = libvirt's default */
    gboolean json;          /* --json: print one JSON object and nothing else */
    void *opts;             /* the command's own options structure, filled in */
    GString *out;           /* see below */
    const char *subject;    /* what errors name: the first argument; a command may change it */
} PvrCtx;

typedef struct {
    const char *name;           /* "list", or two words: "rxe add" */
    const char *args;           /* "DEV [MORE]"; NULL = none */
    const char *summary;        /* one line, no full stop */
    const char *description;    /* may be NULL; a paragraph for --help */
    /*
     * NULL, or entries ended by an empty one. arg_data is not a pointer but
     * PVR_OPT(Struct, member): the offset in the options structure. Set description (and
     * arg_description for those with a value) in each.
     */
    const GOptionEntry *options;
    gsize opts_size;            /* sizeof the options structure; 0 without options */
    const void *opts_default;   /* start value of that structure (strings NULL); NULL = zeros */
    int min_args, max_args;     /* number of arguments after options; checked before run() */
    const char *example;        /* lines "# what\npvrdmactl ..." */
    /* argv[0..argc-1] are the arguments without command and options. FALSE exactly when error is set. */
    gboolean (*run)(PvrCtx *ctx, int argc, char **argv, GError **error);
} PvrCommand;

#define PVR_OPT(type, member) ((gpointer) G_STRUCT_OFFSET(type, member))

/*
 * Output. Commands write to ctx->out; main prints it, once, after run() (also after a failed one:
 * write nothing before you know that you succeed, unless the output is the point, as with doctor).
 */
void pvr_out(PvrCtx *ctx, const char *format, ...) G_GNUC_PRINTF(2, 3);
void pvr_out_table(PvrCtx *ctx, const PvrTable *table);
void pvr_out_json(PvrCtx *ctx, JsonBuilder *builder);   /* ends the builder of pvr_json_begin() */

/* Prints what there is at once: for a command that goes on. */
gboolean pvr_out_flush(PvrCtx *ctx, GError **error);

/* For run(): sets PVR_ERROR_USAGE "…" and returns FALSE. */
gboolean pvr_usage_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
