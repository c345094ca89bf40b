/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMA netlink (kernel: include/uapi/rdma/rdma_netlink.h, drivers/infiniband/core/nldev.c). */
#pragma once

#include <glib.h>

/* As pvr_host_rxe_add() and pvr_host_ibdev_del(). Loads rdma_rxe when the kernel does not know it. */
gboolean pvr_rdmanl_rxe_add(const char *name, const char *netdev, GError **error);
gboolean pvr_rdmanl_ibdev_del(const char *name, GError **error);

/* What the kernel's errno means for these two requests: sets the error. For unit tests. */
void pvr_rdmanl_set_add_error(int err, const char *name, const char *netdev, GError **error);
void pvr_rdmanl_set_del_error(int err, const char *name, GError **error);
