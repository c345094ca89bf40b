/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host shall look like, and the pools that domains draw from: PVR_DIR_CONF/NAME.json, all of
 * them together (pvrdma.conf(5)).
 *
 *   {"version": 1,
 *    "pfs":   [{"pf": "0000:3b:00.0", "vfs": 8}],
 *    "links": [{"name": "rxe0", "netdev": "eth1"}, {"name": "mlx5_4", "pci": "0000:3b:00.2"}],
 *    "pools": [{"name": "fast", "members": [{"pf": "0000:3b:00.0"}, {"pci": "0000:5e:00.2"},
 *                                           {"driver": "mlx5*", "netdev": "ens*"}],
 *               "policy": ["sticky", "numa", "spread"]}]}
 */
#pragma once

#include "pvr-host.h"

G_BEGIN_DECLS

#define PVR_CONF_MAX_BYTES (1u << 20)
#define PVR_CONF_MAX_ITEMS 1024

/* All: @where is "FILE:LINE", for messages. PCI addresses are in the long form. */
typedef struct {
    char *where;
    char *name;
    char *netdev; /* either this */
    char *pci;    /* or the function whose netdev it is */
} PvrConfLink;

typedef struct {
    char *where;
    char *pf; /* PCI address, or whatever else pvr_resolve() takes */
    guint vfs;
} PvrConfPf;

/* VFs: pci and pf are alone, driver and netdev (globs) may be together; NULL when not given. */
typedef struct {
    char *where;
    char *pci;
    char *pf;
    char *driver;
    char *netdev;
} PvrConfMember;

/* Which of the free members is to be preferred. */
typedef enum {
    PVR_POLICY_STICKY, /* the one the domain had last time */
    PVR_POLICY_NUMA,   /* on the NUMA node of the guest's memory */
    PVR_POLICY_SPREAD, /* on the PF with the fewest leases */
    PVR_POLICY_LAST
} PvrConfPolicy;

typedef struct {
    char *where;
    char *name;
    GPtrArray *members; /* of PvrConfMember */
    PvrConfPolicy policy[PVR_POLICY_LAST]; /* the first counts most */
    guint policies;
} PvrConfPool;

typedef struct {
    GPtrArray *pfs;   /* of PvrConfPf */
    GPtrArray *links; /* of PvrConfLink */
    GPtrArray *pools; /* of PvrConfPool */
} PvrConf;

void pvr_conf_free(PvrConf *conf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrConf, pvr_conf_free)

/*
 * All files, in the order of their names; empty when there are none. PVR_ERROR_CORRUPT: the first line is
 * "FILE:LINE: KEY: what is wrong".
 */
PvrConf *pvr_conf_load(PvrHost *host, GError **error);

/* Adds what one file says; @name is for messages. As above. */
gboolean pvr_conf_add(PvrConf *conf, const char *name, const char *data, gsize len, GError **error);

PvrConf *pvr_conf_new(void);

/* Borrowed. PVR_ERROR_NOT_FOUND says which pools there are. */
const PvrConfPool *pvr_conf_find_pool(const PvrConf *conf, const char *name, GError **error);

/* The text of such a file, without pools when there are none; pvr_conf_add() reads it as the same. */
char *pvr_conf_to_json(const PvrConf *conf);

/* Letters, digits, '-', '_', '.', at most 63, and the first is a letter or a digit. PVR_ERROR_USAGE. */
gboolean pvr_conf_check_pool_name(const char *name, GError **error);

const char *pvr_policy_to_string(PvrConfPolicy policy);

G_END_DECLS
