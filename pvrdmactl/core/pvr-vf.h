/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a PF keeps for one of its VFs (rtnetlink IFLA_VF_INFO and IFLA_VF_*), see ip-link(8). */
#pragma once

#include <glib.h>

#include "pvr-gid.h"

typedef enum {
    PVR_VF_MAC = 1 << 0,
    PVR_VF_VLAN = 1 << 1,       /* vlan and qos */
    PVR_VF_RATE = 1 << 2,       /* min_tx_rate, max_tx_rate */
    PVR_VF_SPOOFCHK = 1 << 3,
    PVR_VF_TRUST = 1 << 4,
    PVR_VF_LINK_STATE = 1 << 5,
    PVR_VF_NODE_GUID = 1 << 6,  /* InfiniBand */
    PVR_VF_PORT_GUID = 1 << 7,  /* InfiniBand */
} PvrVfSet;

typedef struct {
    guint set;          /* PvrVfSet bits: which of the following are given */
    guint index;        /* from 0 */
    PvrMac mac;
    guint vlan, qos;    /* 0: none */
    guint min_tx_rate, max_tx_rate; /* Mbit/s, 0: no limit */
    gboolean spoofchk, trust;
    guint link_state;   /* IFLA_VF_LINK_STATE_AUTO, _ENABLE, _DISABLE */
    guint64 node_guid, port_guid;
} PvrVf;

/*
 * One attribute as text, in the words of ip-link(8): "vlan 5 0" (VLAN and QoS), "rate 0 1000"
 * (minimum and maximum), "spoofchk on", "trust off", "state auto" (or "enable", "disable"). @bit is
 * one of these attributes.
 */
char *pvr_vf_attr_to_string(const PvrVf *vf, PvrVfSet bit);

/* The same for all bits, MAC and GUIDs included: for messages. */
char *pvr_vf_describe(const PvrVf *vf, PvrVfSet bit);

/* Sets the attribute and its bit, and leaves the others alone. PVR_ERROR_USAGE. */
gboolean pvr_vf_parse_attr(const char *text, PvrVf *vf, GError **error);

/* TRUE when all attributes in @bits are the same in both. */
gboolean pvr_vf_same(const PvrVf *a, const PvrVf *b, guint bits);

/* "0c42:a103:0065:bd12", as sysfs has them. */
char *pvr_guid_to_string(guint64 guid);

/* That, or as ip-link(8) has them: "0c:42:a1:03:00:65:bd:12", or ibstat(8): "0x0c42a1030065bd12". PVR_ERROR_USAGE. */
gboolean pvr_guid_parse(const char *text, guint64 *ret_guid, GError **error);
