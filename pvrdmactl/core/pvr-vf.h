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
