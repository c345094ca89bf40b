/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Domains as attach leaves them, for the tests of prepare, the hook and doctor. */
#pragma once

#include <glib.h>

#define PVR_FAKE_UUID1 "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11"
#define PVR_FAKE_UUID2 "77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22"
#define PVR_FAKE_MAC0 "7c:fe:90:cb:74:3a"
#define PVR_FAKE_MAC1 "7c:fe:90:cb:74:3b"
#define PVR_FAKE_GID0 "fe80:0000:0000:0000:7efe:90ff:fecb:743a"
#define PVR_FAKE_GID1 "fe80:0000:0000:0000:7efe:90ff:fecb:743b"

typedef struct {
    const char *backend; /* "rxe", "ibdev", or "soft": only its mac counts */
    const char *netdev;  /* NULL: not in the metadata */
    const char *ibdev;
    const char *mac, *gid;
    const char *gid_index; /* NULL: not in the metadata */
    const char *gid_policy; /* same */
    const char *pci, *guid; /* same */
} PvrFakeDevice;

/* rxe on d0, to be made as rxe_d0; and the same on d1. */
extern const PvrFakeDevice pvr_fake_rxe0, pvr_fake_rxe1;
/* With the MAC of the latter. */
extern const PvrFakeDevice pvr_fake_soft1;

/* XML of a domain with @count devices, ids from 0. Its memory is private if all of them are soft. */
char *pvr_fake_domain_xml(const char *name, const char *uuid, const PvrFakeDevice *const *devices,
                          guint count);

/* @xml with each @from, which must occur, replaced by @to. */
char *pvr_fake_replace(const char *xml, const char *from, const char *to);

/* Files below @root that make process @pid the QEMU of the domain. */
void pvr_fake_add_qemu(const char *root, const char *name, const char *uuid, int pid);
void pvr_fake_remove_qemu(const char *root, const char *name, int pid);

/*
 * All files and links below @root with their content, as one text. Directories, the log of the fake
 * host and lock files do not count.
 */
char *pvr_fake_snapshot(const char *root);
