/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port: everything that core code may ask of the host.
 *
 * A PvrHost is a root prefix plus a table of operations. pvr_host_new_system()
 * (host/pvr-system.h) is the real one, pvr_host_new_fake() (tests/fake-host) edits
 * a directory tree. Core code reaches files only through pvr_host_path().
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "pvr-ibdev.h"
#include "pvr-pci.h"
#include "pvr-vf.h"

typedef struct _PvrHost PvrHost;

/* One row per absolute directory that we ever touch; see the table in pvr-host.c. */
typedef enum {
    PVR_DIR_SYS_IB,         /* /sys/class/infiniband */
    PVR_DIR_SYS_VERBS,      /* /sys/class/infiniband_verbs */
    PVR_DIR_SYS_NET,        /* /sys/class/net */
    PVR_DIR_SYS_PCI,        /* /sys/bus/pci */
    PVR_DIR_SYS_MODULE,     /* /sys/module */
    PVR_DIR_DEV,            /* /dev */
    PVR_DIR_DEV_IB,         /* /dev/infiniband */
    PVR_DIR_DEV_PVRDMA,     /* /dev/pvrdma */
    PVR_DIR_RUN,            /* /run/pvrdma */
    PVR_DIR_LIB,            /* /var/lib/pvrdma */
    PVR_DIR_HOOKS,          /* /etc/libvirt/hooks/qemu.d */
    PVR_DIR_RUN_QEMU,       /* /run/libvirt/qemu */
    PVR_DIR_PROC,           /* /proc */
    PVR_DIR_MODULES,        /* /lib/modules */
    PVR_DIR_ETC,            /* /etc */
    PVR_DIR_CONF,           /* /etc/pvrdma */
    PVR_DIR_ROOT,           /* / */
    PVR_DIR_LAST
} PvrDir;

/* No limit, for pvr_host_set_memlock(). */
#define PVR_MEMLOCK_MAX G_MAXUINT64

/* What libibverbs says after opening the device; all limits as the device reports them. */
typedef struct {
    char fw_ver[64];
    guint max_qp, max_cq, max_mr, max_pd, max_srq;
    guint max_qp_wr, max_sge, max_cqe;
    guint64 max_mr_size;
    gboolean atomics;
} PvrVerbsInfo;

/* Which devices list_ibdevs() is to read, and how much of them. Reading 1024 GIDs of each takes time. */
typedef struct {
    const char *name;           /* only this one; NULL = all */
    const char *rxe_netdev;     /* only rxe links on this netdev; NULL = all */
    gboolean no_ports;          /* leave the ports out */
} PvrIbdevFilter;

/*
 * Operations of a host. `user_data` is what pvr_host_new() was given. Each may be
 * NULL: the call then fails with PVR_ERROR_UNSUPPORTED. Error contracts are at the
 * public functions below.
 */
typedef struct {
    GPtrArray *(*list_ibdevs)(PvrHost *host, gpointer user_data, const PvrIbdevFilter *filter,
                              GError **error);
    PvrNetdev *(*get_netdev)(PvrHost *host, gpointer user_data, const char *name, GError **error);
    gboolean (*rxe_add)(PvrHost *host, gpointer user_data, const char *name, const char *netdev,
                        GError **error);
    gboolean (*ibdev_del)(PvrHost *host, gpointer user_data, const char *name, GError **error);
    gboolean (*set_memlock)(PvrHost *host, gpointer user_data, pid_t pid, guint64 bytes,
                            GError **error);
    gboolean (*query_verbs)(PvrHost *host, gpointer user_data, const char *ibdev,
                            PvrVerbsInfo *ret_info, GError **error);
    GPtrArray *(*list_pci)(PvrHost *host, gpointer user_data, const char *address, GError **error);
    GPtrArray *(*get_vfs)(PvrHost *host, gpointer user_data, const char *pf_netdev, GError **error);
    gboolean (*set_vf)(PvrHost *host, gpointer user_data, const char *pf_netdev, const PvrVf *vf,
                       GError **error);
    gboolean (*set_num_vfs)(PvrHost *host, gpointer user_data, const char *pf, guint number,
                            GError **error);
    gboolean (*bind)(PvrHost *host, gpointer user_data, const char *pci, const char *driver,
                     GError **error);
    gboolean (*unbind)(PvrHost *host, gpointer user_data, const char *pci, GError **error);
    gboolean (*set_netdev_mac)(PvrHost *host, gpointer user_data, const char *netdev,
                               const PvrMac *mac, GError **error);
    gboolean (*set_netdev_up)(PvrHost *host, gpointer user_data, const char *netdev, gboolean up,
                              GError **error);
    void (*wait_event)(PvrHost *host, gpointer user_data, guint timeout_ms);
} PvrHostOps;

/* `root` is "" or NULL for the real one, else a directory without final '/'. `ops` must outlive the host. */
PvrHost *pvr_host_new(const char *root, const PvrHostOps *ops, gpointer user_data,
                      GDestroyNotify free_user_data);
void pvr_host_free(PvrHost *host);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrHost, pvr_host_free)

/* "" for the real root. */
const char *pvr_host_get_root(PvrHost *host);

/* Root-prefixed path of `dir` plus the given components; the list ends with NULL. */
char *pvr_host_path(PvrHost *host, PvrDir dir, ...) G_GNUC_NULL_TERMINATED;

/* The same without the root prefix: for text that the guest, QEMU or libvirt will read. */
char *pvr_host_plain_path(PvrDir dir, ...) G_GNUC_NULL_TERMINATED;

/* PvrIbdev, sorted by name; empty (not NULL) when the host has none or no RDMA core. */
GPtrArray *pvr_host_list_ibdevs(PvrHost *host, GError **error);

/* The same without their ports, which is much faster. */
GPtrArray *pvr_host_list_bare_ibdevs(PvrHost *host, GError **error);

/* PVR_ERROR_NOT_FOUND says which names exist. */
PvrIbdev *pvr_host_get_ibdev(PvrHost *host, const char *name, GError **error);

/* The rxe link on a netdev; NULL without error when there is none. */
PvrIbdev *pvr_host_find_rxe(PvrHost *host, const char *netdev, GError **error);

/* PVR_ERROR_NOT_FOUND when there is none. */
PvrNetdev *pvr_host_get_netdev(PvrHost *host, const char *netdev, GError **error);

/*
 * Makes a Soft-RoCE link. Errors: USAGE (a name the kernel would not take), NOT_FOUND (netdev),
 * BUSY (name taken, or netdev has an rxe already), PRIVILEGE, UNSUPPORTED (no rdma_rxe module), FAILED.
 */
gboolean pvr_host_rxe_add(PvrHost *host, const char *name, const char *netdev, GError **error);

/* Removes a Soft-RoCE link. NOT_FOUND, UNSUPPORTED (any other device), PRIVILEGE, FAILED. */
gboolean pvr_host_ibdev_del(PvrHost *host, const char *name, GError **error);

/* Sets both limits of RLIMIT_MEMLOCK of a process. NOT_FOUND (no such process), PRIVILEGE, FAILED. */
gboolean pvr_host_set_memlock(PvrHost *host, pid_t pid, guint64 bytes_or_max, GError **error);

/* Opens the device through libibverbs. NOT_FOUND, PRIVILEGE (node not accessible), FAILED. */
gboolean pvr_host_query_verbs(PvrHost *host, const char *ibdev, PvrVerbsInfo *ret_info,
                              GError **error);

/*
 * All PCI functions that are a PF with SR-IOV, a VF, or have a netdev or an ibdevice; sorted by address.
 * Empty when there are none.
 */
GPtrArray *pvr_host_list_pci(PvrHost *host, GError **error);

/* One of them, by its long address. PVR_ERROR_NOT_FOUND. */
PvrPci *pvr_host_get_pci(PvrHost *host, const char *address, GError **error);

/*
 * PvrVf of each VF as the PF's driver reports them, by index; `set` says what the driver has. NOT_FOUND (netdev),
 * UNSUPPORTED (the driver tells nothing), FAILED.
 */
GPtrArray *pvr_host_get_vfs(PvrHost *host, const char *pf_netdev, GError **error);

/*
 * Sets what is in vf->set, one attribute after the other, each in a message of its own. NOT_FOUND (netdev, index),
 * UNSUPPORTED (the driver has no such attribute; which one is in the message), PRIVILEGE, BUSY, FAILED.
 */
gboolean pvr_host_set_vf(PvrHost *host, const char *pf_netdev, const PvrVf *vf, GError **error);

/*
 * Writes sriov_numvfs as it is asked, without a 0 between. NOT_FOUND, UNSUPPORTED (no SR-IOV, or more than the firmware allows),
 * BUSY (the driver refuses the change from one number to another, VFs are in use), PRIVILEGE (also: sysfs is read-only), FAILED.
 */
gboolean pvr_host_set_num_vfs(PvrHost *host, const char *pf, guint number, GError **error);

/* Binds a driver to a function that has none, or takes it off. NOT_FOUND, BUSY, PRIVILEGE, FAILED. */
gboolean pvr_host_bind(PvrHost *host, const char *pci, const char *driver, GError **error);
gboolean pvr_host_unbind(PvrHost *host, const char *pci, GError **error);

/* NOT_FOUND, BUSY (wants the netdev down), UNSUPPORTED (the driver or the PF refuses it), PRIVILEGE, FAILED. */
gboolean pvr_host_set_netdev_mac(PvrHost *host, const char *netdev, const PvrMac *mac, GError **error);
gboolean pvr_host_set_netdev_up(PvrHost *host, const char *netdev, gboolean up, GError **error);

/* Returns when the kernel has announced a change of a device, or after @timeout_ms; may return early. */
void pvr_host_wait_event(PvrHost *host, guint timeout_ms);
