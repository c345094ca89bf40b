/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include "pvr-error.h"

typedef struct ibv_device *PvrIbvList;
typedef struct ibv_context PvrIbvContext;

static void
close_context(PvrIbvContext *context)
{
    ibv_close_device(context);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrIbvList, ibv_free_device_list)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrIbvContext, close_context)

static void
set_open_error(int err, const char *ibdev, GError **error)
{
    if (err == EACCES || err == EPERM)
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE,
                    "no permission to open RDMA device '%s'\n"
                    "its node below /dev/infiniband must be readable and writable", ibdev);
    else
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot open RDMA device '%s'", ibdev);
}

/* libibverbs looks for the node elsewhere when it may not open it, and then says ENOENT. */
static int
find_open_errno(struct ibv_device *device, int err)
{
    g_autofree char *node = pvr_host_plain_path(PVR_DIR_DEV_IB, device->dev_name, NULL);

    if (faccessat(AT_FDCWD, node, R_OK | W_OK, AT_EACCESS) != 0)
        return errno;
    return err;
}

static PvrIbvContext *
open_device(const char *ibdev, GError **error)
{
    g_autoptr(PvrIbvList) list = ibv_get_device_list(NULL);

    for (PvrIbvList *next = list; next != NULL && *next != NULL; next++) {
        PvrIbvContext *context;

        if (g_strcmp0(ibv_get_device_name(*next), ibdev) != 0)
            continue;
        errno = EIO;
        context = ibv_open_device(*next);
        if (context == NULL)
            set_open_error(find_open_errno(*next, errno), ibdev, error);
        return context;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "libibverbs finds no RDMA device '%s'\n"
                "is the module ib_uverbs loaded, and the device's provider installed?", ibdev);
    return NULL;
}

gboolean
pvr_verbs_query(const char *ibdev, PvrVerbsInfo *ret_info, GError **error)
{
    g_autoptr(PvrIbvContext) context = open_device(ibdev, error);
    struct ibv_device_attr attr;
    int err;

    if (context == NULL)
        return FALSE;
    err = ibv_query_device(context, &attr);
    if (err != 0) {
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err, "cannot query RDMA device '%s'", ibdev);
        return FALSE;
    }
    *ret_info = (PvrVerbsInfo) {
        .max_qp = (guint) attr.max_qp, .max_cq = (guint) attr.max_cq,
        .max_mr = (guint) attr.max_mr, .max_pd = (guint) attr.max_pd,
        .max_srq = (guint) attr.max_srq, .max_qp_wr = (guint) attr.max_qp_wr,
        .max_sge = (guint) attr.max_sge, .max_cqe = (guint) attr.max_cqe,
        .max_mr_size = attr.max_mr_size, .atomics = attr.atomic_cap != IBV_ATOMIC_NONE,
    };
    g_strlcpy(ret_info->fw_ver, attr.fw_ver, sizeof(ret_info->fw_ver));
    return TRUE;
}
