/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host made of files. The tree under `root` is a sysfs, /dev, /run ... fixture; rxe links that are
 * made or removed appear in it and vanish from it as the kernel would do it. State lives only in the
 * tree, so several processes can share one (CLI and hook tests).
 *
 * Failures on demand: a file ROOT/.fake/fail-OP (OP: rxe_add, ibdev_del, set_memlock, query_verbs,
 * list_ibdevs, get_netdev, list_pci, and those of pvr-fake-sriov.h) makes that operation fail. Its
 * content is "CODE MESSAGE", CODE being a
 * number of PvrError. Calls are logged as lines in ROOT/.fake/log.
 */
#pragma once

#include "pvr-host.h"

/* `root` must exist. */
PvrHost *pvr_host_new_fake(const char *root);

/* A new empty directory below the system's temporary directory; abort on failure. */
char *pvr_fake_root_new(void);

/* Removes the tree and frees the string. */
void pvr_fake_root_free(char *root);

/* What most tests begin with: an empty root and the fake host on it. */
typedef struct {
    char *root;
    PvrHost *host;
} PvrFakeMachine;

void pvr_fake_machine_init(PvrFakeMachine *machine);
/* To be the last function of g_test_add(): @data is not used. */
void pvr_fake_machine_clear(PvrFakeMachine *machine, gconstpointer data);

/* Everything below aborts on failure: it builds fixtures. Paths are relative to root. */
void pvr_fake_write(const char *root, const char *path, const char *content);
char *pvr_fake_read(const char *root, const char *path);    /* NULL when there is none */
void pvr_fake_remove(const char *root, const char *path);   /* a file or a tree */
void pvr_fake_link(const char *root, const char *path, const char *target);

void pvr_fake_add_netdev(const char *root, const char *name, const char *mac, gboolean up);

/* rxe link on a netdev of the tree: port 1 ACTIVE (DOWN if the netdev is), GID 0 from the MAC. */
void pvr_fake_add_rxe(const char *root, const char *name, const char *netdev);

/* A PCI function with a driver (may be NULL), unless it is there; as a PF; as VF `index` of a PF; as the one of a netdev. */
void pvr_fake_add_function(const char *root, const char *pci, const char *driver);
void pvr_fake_make_pf(const char *root, const char *pci, guint total, guint number);
void pvr_fake_make_vf(const char *root, const char *pci, const char *pf, guint index);
void pvr_fake_set_function(const char *root, const char *netdev, const char *pci);

/* Hardware device on a PCI function that is made, too: `link_layer` "Ethernet" or "InfiniBand", no GIDs. */
void pvr_fake_add_hca(const char *root, const char *name, const char *driver, const char *pci,
                      const char *link_layer, guint ports);

/* `type` as sysfs has it: "RoCE v2", "IB/RoCE v1"; netdev may be NULL. */
void pvr_fake_set_gid(const char *root, const char *name, guint port, guint index, const char *gid,
                      const char *type, const char *netdev);

/* As `rdma dev set NAME name NEW_NAME`. */
void pvr_fake_rename_ibdev(const char *root, const char *name, const char *new_name);

/* "ACTIVE", "DOWN", "INIT", "ARMED" */
void pvr_fake_set_port_state(const char *root, const char *name, guint port, const char *state);

/* Fails the operation from now on; NULL message = works again. */
void pvr_fake_set_failure(const char *root, const char *op, int code, const char *message);
