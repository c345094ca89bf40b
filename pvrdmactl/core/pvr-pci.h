/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI functions that carry RDMA or can carry VFs, as sysfs shows them (Documentation/ABI/testing/
 * sysfs-bus-pci, sysfs-class-net, sysfs-class-infiniband).
 */
#pragma once

#include <glib.h>

typedef struct {
    char *address;      /* "0000:3b:00.2", lower case */
    char *driver;       /* NULL: none is bound */
    guint vendor, device;
    int numa_node;      /* -1: unknown */
    guint vfs_max;      /* sriov_totalvfs; 0: no PF */
    guint vfs;          /* sriov_numvfs */
    char *pf;           /* of a VF: the address of its PF; else NULL */
    guint vf;           /* of a VF: its index, from 0 */
    GPtrArray *netdevs; /* of char *: those in this network namespace, sorted */
    gboolean netdev_elsewhere; /* it has one, in another network namespace */
    GPtrArray *ibdevs;  /* of char *: its own, and rxe links on its netdevs, sorted */
    char *node_guid;    /* of the first of ibdevs, as sysfs has it; NULL without */
} PvrPci;

PvrPci *pvr_pci_new(const char *address);
void pvr_pci_free(PvrPci *pci);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrPci, pvr_pci_free)

/* Any of "0000:3b:00.2", "3b:00.2"; the long form, lower case. NULL: @text is no PCI address. */
char *pvr_pci_parse_address(const char *text);
