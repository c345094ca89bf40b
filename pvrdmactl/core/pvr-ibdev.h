/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model of RDMA devices and network devices: plain structs, owned as a tree
 * (device -> ports -> GIDs), freed from the top. Words are those of rdma(8).
 */
#pragma once

#include <glib.h>

#include "pvr-gid.h"

typedef enum {
    PVR_GID_IB,
    PVR_GID_ROCE_V1,
    PVR_GID_ROCE_V2,
} PvrGidType;

typedef struct {
    guint index;
    PvrGid gid;
    PvrGidType type;
    char *netdev;           /* may be NULL */
} PvrGidEntry;

typedef struct {
    guint num;              /* from 1 */
    char *state;            /* "ACTIVE", "DOWN", "INIT", "ARMED", "UNKNOWN" */
    char *phys_state;       /* "LINK_UP", "DISABLED", "POLLING", ..., "UNKNOWN" */
    char *link_layer;       /* "Ethernet", "InfiniBand", "UNKNOWN" */
    char *netdev;           /* may be NULL */
    GPtrArray *gids;        /* PvrGidEntry; only slots that are filled, by index */
    guint gid_slots;        /* size of the table */
} PvrPort;

typedef struct {
    char *name;
    char *driver;           /* "rxe", "mlx5_core", ...; "unknown" */
    char *node_guid;        /* "7efe:90ff:fecb:743a"; may be NULL */
    char *uverbs;           /* "uverbs0"; NULL without ib_uverbs */
    char *parent;           /* netdev (rxe) or PCI address; may be NULL */
    GPtrArray *ports;       /* PvrPort, by number */
} PvrIbdev;

typedef struct {
    char *name;
    PvrMac mac;             /* zero when it has none of six bytes */
    guint mtu;
    gboolean up;            /* administratively */
    gboolean carrier;
} PvrNetdev;

void pvr_gid_entry_free(PvrGidEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrGidEntry, pvr_gid_entry_free)
PvrPort *pvr_port_new(guint num);
void pvr_port_free(PvrPort *port);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrPort, pvr_port_free)
PvrIbdev *pvr_ibdev_new(const char *name);
void pvr_ibdev_free(PvrIbdev *ibdev);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrIbdev, pvr_ibdev_free)
void pvr_netdev_free(PvrNetdev *netdev);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrNetdev, pvr_netdev_free)

/* "IB", "RoCE v1", "RoCE v2" */
const char *pvr_gid_type_to_string(PvrGidType type);

gboolean pvr_ibdev_is_rxe(const PvrIbdev *ibdev);
gboolean pvr_port_is_active(const PvrPort *port);

/* Borrowed. PVR_ERROR_NOT_FOUND says which ports there are. */
PvrPort *pvr_ibdev_get_port(const PvrIbdev *ibdev, guint num, GError **error);

/* Borrowed; NULL when there is none. */
PvrGidEntry *pvr_port_get_gid(const PvrPort *port, guint index);

/*
 * The entry that a function with this MAC should use: GID = EUI-64 of the MAC,
 * RoCE v2 before v1 before IB, lowest index first. Borrowed; NULL when there is none.
 */
PvrGidEntry *pvr_port_find_gid_of_mac(const PvrPort *port, const PvrMac *mac);

/* The entry with this GID, same preference. Borrowed; NULL when there is none. */
PvrGidEntry *pvr_port_find_gid(const PvrPort *port, const PvrGid *gid);

/*
 * A name the kernel takes for an ibdevice (64 bytes with the final NUL, no '/', blanks, control
 * characters or '%'; not "." or ".."). PVR_ERROR_USAGE otherwise.
 */
gboolean pvr_ibdev_check_name(const char *name, GError **error);

/* The same for a netdev: 16 bytes with the final NUL, no '/' ':' or blanks. */
gboolean pvr_netdev_check_name(const char *name, GError **error);
