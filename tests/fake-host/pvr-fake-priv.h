/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the fake host share. */
#pragma once

#include "pvr-fake-host.h"
#include "pvr-lock.h"

#define SYS_IB "sys/class/infiniband"
#define SYS_VERBS "sys/class/infiniband_verbs"
#define SYS_NET "sys/class/net"

/* Several processes share the tree: an operation that edits it holds this lock. */
PvrLock *pvr_fake_lock(PvrHost *host);

/* Adds a line to .fake/log. */
void pvr_fake_log_call(PvrHost *host, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* TRUE when the fixture wants this operation to fail; sets the error. */
gboolean pvr_fake_wanted_failure(PvrHost *host, const char *op, GError **error);

/* Writes @content and a newline to a file. */
void pvr_fake_put(const char *root, const char *content, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
gboolean pvr_fake_exists(const char *root, const char *dir, const char *name);

void pvr_fake_add_port(const char *root, const char *name, guint port, const char *link_layer);
void pvr_fake_add_uverbs(const char *root, const char *ibdev);
void pvr_fake_remove_uverbs(const char *root, const char *ibdev);
void pvr_fake_remove_ibdev(const char *root, const char *name);

/* pvr-fake-sriov.c, pvr-fake-netdev.c: the operations. */
GPtrArray *pvr_fake_get_vfs(PvrHost *host, gpointer user_data, const char *pf_netdev,
                            GError **error);
gboolean pvr_fake_set_vf(PvrHost *host, gpointer user_data, const char *pf_netdev, const PvrVf *vf,
                         GError **error);
gboolean pvr_fake_set_num_vfs(PvrHost *host, gpointer user_data, const char *pf, guint number,
                              GError **error);
gboolean pvr_fake_bind(PvrHost *host, gpointer user_data, const char *pci, const char *driver,
                       GError **error);
gboolean pvr_fake_unbind(PvrHost *host, gpointer user_data, const char *pci, GError **error);
gboolean pvr_fake_set_netdev_mac(PvrHost *host, gpointer user_data, const char *netdev,
                                 const PvrMac *mac, GError **error);
gboolean pvr_fake_set_netdev_up(PvrHost *host, gpointer user_data, const char *netdev, gboolean up,
                                GError **error);
void pvr_fake_wait_event(PvrHost *host, gpointer user_data, guint timeout_ms);
