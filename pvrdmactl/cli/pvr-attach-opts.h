/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of attach, and which of them go together. */
#pragma once

#include "pvr-cmd.h"
#include "pvr-domxml.h"

G_BEGIN_DECLS

#define PVR_DEFAULT_NETWORK "default"

typedef struct {
    gboolean soft;
    char *rxe, *ibdev, *vf, *pool;
    int port;      /* -1: not given */
    int gid_index; /* -1: not given */
    char *gid;
    char *gid_policy;
    char *mac;
    char *network, *bridge, *direct;
    gboolean print_xml, dry_run;
} PvrAttachOpts;

extern const GOptionEntry pvr_attach_options[];
extern const PvrAttachOpts pvr_attach_defaults;

/* PVR_ERROR_USAGE for values out of range and options that exclude each other. */
gboolean pvr_attach_check_options(const PvrAttachOpts *opts, GError **error);

/* Neither a device of the host nor a pool is given. */
gboolean pvr_attach_is_soft(const PvrAttachOpts *opts);

/* A soft device, a VF or one of a pool: the MAC is the domain's, and the GID follows from it. */
gboolean pvr_attach_has_own_mac(const PvrAttachOpts *opts);

/* What the user named the device by; NULL for soft. */
const char *pvr_attach_what(const PvrAttachOpts *opts);

/* What function 0 is to be connected to; the name is borrowed. */
PvrNetSource pvr_attach_net_source(const PvrAttachOpts *opts);

G_END_DECLS
