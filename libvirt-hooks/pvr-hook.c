/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pvr-daemon.h"
#include "pvr-error.h"
#include "pvr-prepare.h"
#include "pvr-xml.h"

#define CHUNK 65536
#define RECONNECT_LOCK_MS 3000 /* well below the limit that the front sets */

typedef gboolean (*Stage)(PvrHost *host, const char *xml, gsize len,
                          const PvrPrepareOptions *options, GError **error);

typedef struct {
    const char *op;
    Stage run;
    guint lock_ms; /* 0: the default */
} Op;

/* All others (start, migrate, restore, and what libvirt may add) are none of our business. */
static const Op ops[] = {
    {"prepare", pvr_prepare, 0},
    {"started", pvr_assert_running, 0},
    {"stopped", pvr_release, 0},
    {"release", pvr_release, 0},
    {"reconnect", pvr_assert_running, RECONNECT_LOCK_MS},
};

typedef struct {
    const char *root;
    const char *name;
    const Op *op;
} Args;

static const char usage[] = "usage: pvrdma-hook DOMAIN OPERATION SUBOPERATION EXTRA < DOMAIN-XML\n"
                            "libvirt's hook runs this program; see pvrdma-hook(8)\n";

static const Op *
find_op(const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
        if (strcmp(ops[i].op, name) == 0) {
            return &ops[i];
        }
    }
    return NULL;
}

static gboolean
parse_args(int argc, char **argv, Args *args)
{
    int at = 1;

    if (argc > 2 && strcmp(argv[1], "--root") == 0) {
        args->root = argv[2];
        at = 3;
    }
    if (argc - at < 2 || argv[at][0] == '-') {
        return FALSE;
    }
    args->name = argv[at];
    args->op = find_op(argv[at + 1]);
    return TRUE;
}

/* Reads to the end, or to the first byte too many. A read error counts as the end. */
static GByteArray *
read_xml(int fd)
{
    GByteArray *xml = g_byte_array_new();
    guint used = 0;
    gssize n;

    do {
        g_byte_array_set_size(xml, used + CHUNK);
        n = read(fd, xml->data + used, CHUNK);
        used += n > 0 ? (guint)n : 0;
    } while (used <= PVR_XML_MAX_BYTES && (n > 0 || (n < 0 && errno == EINTR)));
    g_byte_array_set_size(xml, used);
    return xml;
}

/* One line, because libvirt shows it in the middle of one of its own. */
static void
print_error(const Args *args, const GError *error)
{
    g_autoptr(GString) line = g_string_new(error->message);

    g_string_replace(line, "\n", "; ", 0);
    for (gsize i = 0; i < line->len; i++) {
        if (g_ascii_iscntrl(line->str[i])) {
            line->str[i] = '?';
        }
    }
    fprintf(stderr, "pvrdma-hook: %s '%s': %s\n", args->op->op, args->name, line->str);
}

static int
run_stage(const Args *args, PvrHost *host, const GByteArray *xml)
{
    PvrPrepareOptions options = pvr_prepare_defaults;
    g_autoptr(GError) error = NULL;

    if (args->op->lock_ms != 0) {
        options.lock_ms = args->op->lock_ms;
    }
    if (xml->len > PVR_XML_MAX_BYTES) {
        g_set_error(&error, PVR_ERROR, PVR_ERROR_CORRUPT, "the domain XML is too long");
    } else {
        args->op->run(host, (const char *)xml->data, xml->len, &options, &error);
    }
    if (error != NULL) {
        print_error(args, error);
    }
    return pvr_error_exit_code(error);
}

int
pvr_hook_main(int argc, char **argv, PvrHookHostFactory factory)
{
    g_autoptr(GByteArray) xml = NULL;
    g_autoptr(PvrHost) host = NULL;
    Args args = {.root = ""};

    if (!parse_args(argc, argv, &args)) {
        fputs(usage, stderr);
        return PVR_ERROR_USAGE;
    }
    if (args.op == NULL) {
        return 0;
    }
    signal(SIGPIPE, SIG_IGN);
    xml = read_xml(STDIN_FILENO);
    host = factory(args.root);
    pvr_daemon_note(host, getppid());
    return run_stage(&args, host, xml);
}
