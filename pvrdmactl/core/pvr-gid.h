/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GIDs and MAC addresses, and the rule between them.
 *
 * A port's default GID is fe80::/64 plus the modified EUI-64 of its MAC
 * (RFC 4291 appendix A, which RoCE v2's default GID follows): the MAC is split
 * in the middle, ff:fe goes between, and bit 1 of the first byte is inverted.
 */
#pragma once

#include <glib.h>

typedef struct {
    guint8 raw[16];
} PvrGid;

typedef struct {
    guint8 raw[6];
} PvrMac;

/*
 * Any text form of an IPv6 address, or the 8 x 4 hex digits of rdma(8) and
 * sysfs; IPv4-mapped text included. No surrounding blanks, no zone ("%eth0").
 * Fails with PVR_ERROR_USAGE.
 */
gboolean pvr_gid_parse(const char *text, PvrGid *ret_gid, GError **error);

/* "fe80:0000:0000:0000:7efe:90ff:fecb:743a", as rdma(8) and sysfs print it. */
char *pvr_gid_to_string(const PvrGid *gid);

gboolean pvr_gid_is_zero(const PvrGid *gid);
/* fe80::/10 */
gboolean pvr_gid_is_link_local(const PvrGid *gid);
gboolean pvr_gid_equal(const PvrGid *a, const PvrGid *b);

/* Six pairs of hex digits between ':' or between '-'. Fails with PVR_ERROR_USAGE. */
gboolean pvr_mac_parse(const char *text, PvrMac *ret_mac, GError **error);

/* "7c:fe:90:cb:74:3a" */
char *pvr_mac_to_string(const PvrMac *mac);

gboolean pvr_mac_equal(const PvrMac *a, const PvrMac *b);

/* A unicast address that a network card can have: not multicast, not all zero. */
gboolean pvr_mac_is_usable(const PvrMac *mac);

/*
 * The MAC that a GID carries. Looks only at the interface id, so global
 * addresses with an EUI-64 id work too. Fails with PVR_ERROR_FAILED and the
 * reason: zero GID, IPv4-mapped, multicast, or an interface id that is not an
 * EUI-64 (stable-privacy, manual).
 */
gboolean pvr_gid_to_mac(const PvrGid *gid, PvrMac *ret_mac, GError **error);

/* Why pvr_gid_to_mac() would fail, in a few words; NULL when it would not. */
const char *pvr_gid_no_mac_reason(const PvrGid *gid);

/*
 * The @nth MAC that a domain may take: 52:54:00 as libvirt does, the rest made from its UUID. So it is
 * the same in a dry run, and again after a detach.
 */
void pvr_mac_of_domain(const char *uuid, guint nth, PvrMac *ret_mac);

/* The link-local GID of a MAC. */
void pvr_gid_from_mac(const PvrMac *mac, PvrGid *ret_gid);
