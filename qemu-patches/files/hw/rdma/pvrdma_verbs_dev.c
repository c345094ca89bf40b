/*
 * pvrdma: the verbs backend: finding a device, its capabilities, its port
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_verbs.h"
#include "trace.h"

#include <glib-unix.h>
#include <sys/sysmacros.h>

static char *pvrdma_verbs_dev_names(struct ibv_device **list)
{
    GString *names = g_string_new(NULL);

    for (; *list; list++) {
        g_string_append_printf(names, "%s%s", names->len ? ", " : "",
                               ibv_get_device_name(*list));
    }
    return g_string_free(names, FALSE);
}

/*
 * "uverbs0" for the path of its node.  The kernel is asked first: the node
 * may have any name.
 */
static char *pvrdma_verbs_node_name(const char *path, Error **errp)
{
    g_autofree char *by_devt = NULL;
    g_autofree char *target = NULL;
    g_autofree char *real = NULL;
    struct stat st;

    if (stat(path, &st) < 0) {
        error_setg(errp, "cannot reach backend-dev '%s': %s; name an ibdevice "
                   "as 'rdma link' lists it, or the path of its node "
                   "(/dev/infiniband/uverbsN)", path, strerror(errno));
        return NULL;
    }
    if (!S_ISCHR(st.st_mode)) {
        error_setg(errp, "backend-dev '%s' is not a character device; name "
                   "an ibdevice as 'rdma link' lists it, or the path of its "
                   "node (/dev/infiniband/uverbsN)", path);
        return NULL;
    }
    by_devt = g_strdup_printf("/sys/dev/char/%u:%u", major(st.st_rdev),
                              minor(st.st_rdev));
    target = g_file_read_link(by_devt, NULL);
    real = target ? NULL : realpath(path, NULL);
    return g_path_get_basename(target ? target : real ? real : path);
}

static struct ibv_device *pvrdma_verbs_dev_by_node(struct ibv_device **list,
                                                   const char *path,
                                                   const char *node,
                                                   Error **errp)
{
    for (; *list; list++) {
        if (!strcmp((*list)->dev_name, node)) {
            return *list;
        }
    }
    error_setg(errp, "backend-dev '%s' (%s) is not the node of an RDMA device; "
               "the ibdevice may have been removed since the node or symlink "
               "was made", path, node);
    return NULL;
}

static struct ibv_device *pvrdma_verbs_dev_by_name(struct ibv_device **list,
                                                   const char *name,
                                                   Error **errp)
{
    g_autofree char *names = pvrdma_verbs_dev_names(list);

    for (; *list; list++) {
        if (!strcmp(ibv_get_device_name(*list), name)) {
            return *list;
        }
    }
    if (names[0]) {
        error_setg(errp, "no RDMA device '%s' on this host; it has: %s", name,
                   names);
    } else {
        error_setg(errp, "no RDMA device '%s' on this host, which has none; "
                   "create a Soft-RoCE one with 'rdma link add NAME type rxe "
                   "netdev NETDEV'", name);
    }
    return NULL;
}

static bool pvrdma_verbs_dev_nonblock(PvrdmaVerbs *vb, Error **errp)
{
    g_autoptr(GError) err = NULL;

    vb->channel = ibv_create_comp_channel(vb->ctx);
    if (!vb->channel) {
        error_setg_errno(errp, errno, "cannot create a completion channel on "
                         "RDMA device '%s'", vb->parent.host_name);
        return false;
    }
    if (!g_unix_set_fd_nonblocking(vb->channel->fd, true, &err) ||
        !g_unix_set_fd_nonblocking(vb->ctx->async_fd, true, &err)) {
        error_setg(errp, "cannot make the files of RDMA device '%s' "
                   "non-blocking: %s", vb->parent.host_name, err->message);
        return false;
    }
    return true;
}

static bool pvrdma_verbs_dev_open_one(PvrdmaVerbs *vb, struct ibv_device *dev,
                                      Error **errp)
{
    vb->parent.host_name = g_strdup(ibv_get_device_name(dev));
    errno = 0;
    vb->ctx = ibv_open_device(dev);
    if (!vb->ctx) {
        error_setg(errp, "cannot open RDMA device '%s': %s; QEMU must be "
                   "allowed to read and write /dev/infiniband/%s",
                   vb->parent.host_name, strerror(errno ? errno : EIO),
                   dev->dev_name);
        return false;
    }
    return pvrdma_verbs_dev_nonblock(vb, errp);
}

bool pvrdma_verbs_dev_open(PvrdmaVerbs *vb, const char *name, Error **errp)
{
    bool is_path = strchr(name, '/');
    g_autofree char *node = is_path ? pvrdma_verbs_node_name(name, errp) : NULL;
    struct ibv_device **list;
    struct ibv_device *dev;
    bool ok;

    if (is_path && !node) {
        return false;
    }
    errno = 0;
    list = ibv_get_device_list(NULL);
    if (!list) {
        error_setg(errp, "no RDMA device '%s': the kernel lists none (%s); "
                   "load the modules ib_uverbs and, for Soft-RoCE, rdma_rxe",
                   name, strerror(errno ? errno : ENOSYS));
        return false;
    }
    dev = node ? pvrdma_verbs_dev_by_node(list, name, node, errp)
               : pvrdma_verbs_dev_by_name(list, name, errp);
    ok = dev && pvrdma_verbs_dev_open_one(vb, dev, errp);
    ibv_free_device_list(list);
    return ok;
}

/* "1.2.3" as PVRDMA carries it; what is not a number counts as 0 */
static uint64_t pvrdma_verbs_fw_ver(const char *text)
{
    g_auto(GStrv) part = g_strsplit(text, ".", 4);
    uint64_t number[3] = { 0 };

    for (int i = 0; i < 3 && part[i]; i++) {
        number[i] = g_ascii_strtoull(part[i], NULL, 10) & 0xffff;
    }
    return number[0] << 32 | number[1] << 16 | number[2];
}

static uint32_t pvrdma_verbs_count(int value)
{
    return value < 0 ? 0 : value;
}

static void pvrdma_verbs_fill_caps(PvrdmaHostCaps *caps,
                                   const struct ibv_device_attr *attr)
{
    char fw_ver[sizeof(attr->fw_ver) + 1] = "";

    memcpy(fw_ver, attr->fw_ver, sizeof(attr->fw_ver));
    *caps = (PvrdmaHostCaps) {
        .fw_ver = pvrdma_verbs_fw_ver(fw_ver),
        .max_mr_size = attr->max_mr_size,
        .hw_ver = attr->hw_ver,
        .device_cap_flags = attr->device_cap_flags,
        .max_qp = pvrdma_verbs_count(attr->max_qp),
        .max_qp_wr = pvrdma_verbs_count(attr->max_qp_wr),
        .max_sge = pvrdma_verbs_count(attr->max_sge),
        .max_sge_rd = pvrdma_verbs_count(attr->max_sge_rd),
        .max_cq = pvrdma_verbs_count(attr->max_cq),
        .max_cqe = pvrdma_verbs_count(attr->max_cqe),
        .max_mr = pvrdma_verbs_count(attr->max_mr),
        .max_pd = pvrdma_verbs_count(attr->max_pd),
        .max_ah = pvrdma_verbs_count(attr->max_ah),
        .max_qp_rd_atom = pvrdma_verbs_count(attr->max_qp_rd_atom),
        .max_qp_init_rd_atom = pvrdma_verbs_count(attr->max_qp_init_rd_atom),
        .atomic_ops = attr->atomic_cap == IBV_ATOMIC_NONE ? 0 : 3,
        .local_ca_ack_delay = attr->local_ca_ack_delay,
    };
}

bool pvrdma_verbs_dev_caps(PvrdmaVerbs *vb, Error **errp)
{
    PvrdmaBackend *be = &vb->parent;
    struct ibv_device_attr attr = { 0 };
    int rc = pvrdma_verbs_rc(ibv_query_device(vb->ctx, &attr));

    if (rc < 0) {
        error_setg_errno(errp, -rc, "cannot query RDMA device '%s'",
                         be->host_name);
        return false;
    }
    if (be->port < 1 || be->port > attr.phys_port_cnt) {
        error_setg(errp, "RDMA device '%s' has no port %u; set backend-port "
                   "to one of 1 to %u", be->host_name, be->port,
                   attr.phys_port_cnt);
        return false;
    }
    pvrdma_verbs_fill_caps(&be->caps, &attr);
    return true;
}

static int pvrdma_verbs_port_attr(PvrdmaVerbs *vb, struct ibv_port_attr *ret)
{
    memset(ret, 0, sizeof(*ret));
    return pvrdma_verbs_rc(ibv_query_port(vb->ctx, vb->parent.port, ret));
}

bool pvrdma_verbs_dev_check_port(PvrdmaVerbs *vb, Error **errp)
{
    PvrdmaBackend *be = &vb->parent;
    struct ibv_port_attr attr;
    int rc = pvrdma_verbs_port_attr(vb, &attr);

    if (rc < 0) {
        error_setg_errno(errp, -rc, "cannot query port %u of RDMA device '%s'",
                         be->port, be->host_name);
        return false;
    }
    if (attr.link_layer != IBV_LINK_LAYER_ETHERNET) {
        error_setg(errp, "port %u of RDMA device '%s' is not an Ethernet port; "
                   "pvrdma is RoCE", be->port, be->host_name);
        return false;
    }
    return true;
}

int pvrdma_verbs_query_port(PvrdmaBackend *be, PvrdmaPortInfo *ret)
{
    struct ibv_port_attr attr;
    int rc = pvrdma_verbs_port_attr(pvrdma_verbs(be), &attr);

    if (rc < 0) {
        return rc;
    }
    *ret = (PvrdmaPortInfo) {
        .state = attr.state,
        .phys_state = attr.phys_state,
        .max_mtu = attr.max_mtu,
        .active_mtu = attr.active_mtu,
        .max_msg_sz = attr.max_msg_sz,
        .gid_tbl_len = pvrdma_verbs_count(attr.gid_tbl_len),
        .active_width = attr.active_width,
        .active_speed = attr.active_speed,
    };
    return 0;
}
