/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What surrounds the RDMA device of a domain: MTU, NUMA node, access to the node. */
#include <string.h>
#include <unistd.h>

#include "pvr-check-priv.h"
#include "pvr-proc.h"
#include "pvr-store.h"

#define ROCE_HEADERS 80 /* RXE_MAX_HDR_LENGTH of the kernel's rxe; what hardware takes is less */
#define GOOD_MTU 1024
#define MAX_NODE 1023

typedef PvrCheckDevice Ctx;

static char *
device_id(const Ctx *ctx, const char *what)
{
    return g_strdup_printf("device%u.%s", ctx->device->id, what);
}

/* The largest RDMA MTU whose packets fit. */
static guint
rdma_mtu(guint mtu)
{
    guint size = 4096;

    while (size > 256 && size + ROCE_HEADERS > mtu) {
        size /= 2;
    }
    return size;
}

static void
check_mtu(const Ctx *ctx, const char *name)
{
    g_autoptr(PvrNetdev) netdev =
        name != NULL ? pvr_host_get_netdev(ctx->host, name, NULL) : NULL;
    g_autofree char *id = device_id(ctx, "mtu");
    g_autofree char *remedy = NULL;

    if (netdev == NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL, "the MTU is not known");
    } else if (rdma_mtu(netdev->mtu) < GOOD_MTU) {
        remedy = g_strdup_printf("ip link set %s mtu 1500, here and on all peers", name);
        pvr_checks_add(ctx->checks, id, PVR_CHECK_WARNING, remedy,
                       "'%s' has MTU %u: RDMA packets carry %u bytes at most", name, netdev->mtu,
                       rdma_mtu(netdev->mtu));
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "'%s' has MTU %u: RDMA packets carry up to %u bytes", name, netdev->mtu,
                       rdma_mtu(netdev->mtu));
    }
}

/* -1: on no node, or not known. */
static gint64
read_node(PvrHost *host, PvrDir dir, const char *name)
{
    g_autofree char *path = pvr_host_path(host, dir, name, "device/numa_node", NULL);
    gsize len = 0;
    g_autofree char *text = pvr_store_read(path, 64, &len, NULL);
    gint64 node = -1;

    return text != NULL &&
                   g_ascii_string_to_signed(g_strchomp(text), 10, 0, MAX_NODE, &node, NULL)
               ? node
               : -1;
}

/* TRUE when "0-3,8,^2" has the node. What is none of libvirt's syntax has none. */
static gboolean
nodeset_has(const char *nodeset, gint64 node)
{
    g_auto(GStrv) parts = g_strsplit(nodeset, ",", -1);
    gboolean has = FALSE;

    for (guint i = 0; parts[i] != NULL; i++) {
        const gboolean without = parts[i][0] == '^';
        char *end = NULL;
        gint64 first = g_ascii_strtoll(parts[i] + without, &end, 10);
        gint64 last = *end == '-' ? g_ascii_strtoll(end + 1, NULL, 10) : first;

        if (end != parts[i] + without && node >= first && node <= last) {
            has = !without;
        }
    }
    return has;
}

static void
check_numa(const Ctx *ctx, const PvrIbdev *ibdev, const char *netdev)
{
    gint64 node = read_node(ctx->host, PVR_DIR_SYS_IB, ibdev->name);
    g_autofree char *id = device_id(ctx, "numa");
    g_autofree char *remedy = NULL;

    if (node < 0 && netdev != NULL) {
        node = read_node(ctx->host, PVR_DIR_SYS_NET, netdev);
    }
    remedy = g_strdup_printf("virsh numatune %s --nodeset %" G_GINT64_FORMAT
                             " --config, or another device",
                             ctx->view->name, node);
    if (node < 0) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL, "'%s' is on no certain NUMA node",
                       ibdev->name);
    } else if (ctx->view->nodeset == NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL,
                       "'%s' is on NUMA node %" G_GINT64_FORMAT ", the guest's memory on no certain one",
                       ibdev->name, node);
    } else if (nodeset_has(ctx->view->nodeset, node)) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "'%s' is on NUMA node %" G_GINT64_FORMAT ", the guest's memory on %s",
                       ibdev->name, node, ctx->view->nodeset);
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_WARNING, remedy,
                       "'%s' is on NUMA node %" G_GINT64_FORMAT ", but the guest's memory on %s",
                       ibdev->name, node, ctx->view->nodeset);
    }
}

/* TRUE with *ret_open when it can be told whether @pid has @target open. */
static gboolean
has_open(PvrHost *host, gint64 pid, const char *target, gboolean *ret_open)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, pid);
    g_autofree char *path = pvr_host_path(host, PVR_DIR_PROC, number, "fd", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;

    *ret_open = FALSE;
    while (dir != NULL && !*ret_open && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *link = g_build_filename(path, name, NULL);
        g_autofree char *open = g_file_read_link(link, NULL);

        *ret_open = g_strcmp0(open, target) == 0;
    }
    return dir != NULL;
}

/*
 * Of the device cgroup of a process nobody can be asked (a BPF program in cgroup v2): that QEMU got the
 * node open is the proof.
 */
static void
check_access(const Ctx *ctx, const PvrIbdev *ibdev)
{
    g_autofree char *id = device_id(ctx, "access");
    g_autofree char *node =
        ibdev->uverbs != NULL ? pvr_host_plain_path(PVR_DIR_DEV_IB, ibdev->uverbs, NULL) : NULL;
    gboolean open = FALSE;
    gint64 pid = 0;

    if (!ctx->running) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL,
                       "libvirt lets QEMU at the node when the domain starts");
    } else if (node == NULL ||
               !pvr_proc_find_qemu(ctx->host, ctx->view->name, ctx->view->uuid, &pid, NULL) ||
               !has_open(ctx->host, pid, node, &open)) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL,
                       "what QEMU has open cannot be seen%s", geteuid() != 0 ? "; are you root?" : "");
    } else if (open) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "QEMU (process %" G_GINT64_FORMAT ") has '%s' open", pid, node);
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_FAILED,
                       "look for the device's messages in /var/log/libvirt/qemu, then shut the domain "
                       "down and start it again",
                       "QEMU (process %" G_GINT64_FORMAT ") does not have '%s' open", pid, node);
    }
}

void
pvr_check_device(const PvrCheckDevice *ctx, const PvrIbdev *ibdev)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, ctx->device->port, NULL);
    const char *netdev = port != NULL ? port->netdev : NULL;

    netdev = netdev != NULL ? netdev : ctx->device->netdev;
    check_mtu(ctx, netdev);
    check_numa(ctx, ibdev, netdev);
    check_access(ctx, ibdev);
}
