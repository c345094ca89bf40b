/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-rdmanl.h"

#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-nl.h"

#define NLDEV_TYPE(command) RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command)

static void
set_privilege_error(const char *doing, GError **error)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE, "no permission to %s\nrun it as root "
                "(it needs CAP_NET_ADMIN in the host's initial user namespace)", doing);
}

/* EPERM with all privileges: the kernel refuses VLAN devices that way. */
static void
set_add_refused(const char *netdev, GError **error)
{
    if (geteuid() != 0)
        set_privilege_error("make a Soft-RoCE link", error);
    else
        g_set_error(error, PVR_ERROR, PVR_ERROR_PRIVILEGE,
                    "the kernel refuses a Soft-RoCE link on '%s'\n"
                    "it needs CAP_NET_ADMIN in the host's initial user namespace, and a network "
                    "device that is no VLAN", netdev);
}

void
pvr_rdmanl_set_add_error(int err, const char *name, const char *netdev, GError **error)
{
    switch (err) {
    case EPERM:
    case EACCES:
        set_add_refused(netdev, error);
        break;
    case ENODEV:
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no network device '%s'\n"
                    "'ip link' shows the names", netdev);
        break;
    case EEXIST:
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "network device '%s' already carries a Soft-RoCE link\n"
                    "'pvrdmactl list' shows it", netdev);
        break;
    case ENFILE:
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY, "the name '%s' is taken\n"
                    "choose another with --name", name);
        break;
    case EINVAL:
    case EPROTONOSUPPORT:
    case EOPNOTSUPP:
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the kernel has no Soft-RoCE (module rdma_rxe)\n"
                    "install a kernel with CONFIG_RDMA_RXE, and 'modprobe rdma_rxe'");
        break;
    case ENOENT:
        /* rxe asks the crypto layer for crc32; without it the link cannot be made. */
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the kernel lacks crc32, which Soft-RoCE needs\n'modprobe crc32_generic'");
        break;
    default:
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err,
                            "the kernel did not make Soft-RoCE link '%s' on '%s'", name, netdev);
    }
}

void
pvr_rdmanl_set_del_error(int err, const char *name, GError **error)
{
    switch (err) {
    case EPERM:
    case EACCES:
        set_privilege_error("remove an RDMA device", error);
        break;
    case ENODEV:
    case EPROTONOSUPPORT:
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "no RDMA device '%s'\n"
                    "'pvrdmactl list' shows the names", name);
        break;
    case EINVAL:
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "RDMA device '%s' is not a software device: it cannot be removed", name);
        break;
    default:
        pvr_set_error_errno(error, PVR_ERROR_FAILED, err,
                            "the kernel did not remove RDMA device '%s'", name);
    }
}

/* Without ib_core there is no such netlink protocol, and nobody loads it for us. */
static void
load_rxe_module(void)
{
    const char *argv[] = { "modprobe", "-q", "rdma_rxe", NULL };

    g_spawn_sync(NULL, (char **) (gpointer) argv, NULL,
                 G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                 NULL, NULL, NULL, NULL, NULL, NULL);
}

static int
request_rxe_add(const char *name, const char *netdev)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_RDMA, &err);
    g_autoptr(PvrNlMsg) msg = nlmsg_alloc_simple(NLDEV_TYPE(RDMA_NLDEV_CMD_NEWLINK),
                                                 NLM_F_REQUEST | NLM_F_ACK);

    if (sock == NULL)
        return err;
    if (msg == NULL || nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name) < 0 ||
        nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, "rxe") < 0 ||
        nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev) < 0)
        return ENOMEM;
    return pvr_nl_transact(sock, g_steal_pointer(&msg));
}

gboolean
pvr_rdmanl_rxe_add(const char *name, const char *netdev, GError **error)
{
    int err = request_rxe_add(name, netdev);

    if ((err == EPROTONOSUPPORT || err == EINVAL) && geteuid() == 0) {
        load_rxe_module();
        err = request_rxe_add(name, netdev);
    } else if (err == EPROTONOSUPPORT) {
        /* Root would have had the module loaded. */
        err = EPERM;
    }
    if (err != 0)
        pvr_rdmanl_set_add_error(err, name, netdev, error);
    return err == 0;
}

/* The device that a dump is searched for. */
typedef struct {
    const char *name;
    guint32 index;
    gboolean found;
} Search;

static int
match_device(struct nl_msg *msg, void *arg)
{
    struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX] = { NULL };
    Search *search = arg;

    if (nlmsg_parse(nlmsg_hdr(msg), 0, attrs, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0)
        return NL_SKIP;
    if (attrs[RDMA_NLDEV_ATTR_DEV_NAME] == NULL || attrs[RDMA_NLDEV_ATTR_DEV_INDEX] == NULL)
        return NL_SKIP;
    if (nla_strcmp(attrs[RDMA_NLDEV_ATTR_DEV_NAME], search->name) == 0 &&
        nla_len(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]) == sizeof(guint32)) {
        search->index = nla_get_u32(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]);
        search->found = TRUE;
    }
    return NL_OK;
}

/* The kernel wants the index, and can look up by name only on kernels newer than ours. */
static int
find_device_index(PvrNlSock *sock, const char *name, guint32 *ret_index)
{
    g_autoptr(PvrNlMsg) msg = nlmsg_alloc_simple(NLDEV_TYPE(RDMA_NLDEV_CMD_GET),
                                                 NLM_F_REQUEST | NLM_F_DUMP);
    Search search = { .name = name };
    int err;

    if (msg == NULL)
        return ENOMEM;
    nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, match_device, &search);
    err = pvr_nl_transact(sock, g_steal_pointer(&msg));
    nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_DEFAULT, NULL, NULL);
    if (err != 0)
        return err;
    *ret_index = search.index;
    return search.found ? 0 : ENODEV;
}

static int
request_ibdev_del(const char *name)
{
    int err = 0;
    g_autoptr(PvrNlSock) sock = pvr_nl_open(NETLINK_RDMA, &err);
    g_autoptr(PvrNlMsg) msg = nlmsg_alloc_simple(NLDEV_TYPE(RDMA_NLDEV_CMD_DELLINK),
                                                 NLM_F_REQUEST | NLM_F_ACK);
    guint32 index = 0;

    if (sock == NULL)
        return err;
    err = find_device_index(sock, name, &index);
    if (err != 0)
        return err;
    if (msg == NULL || nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index) < 0)
        return ENOMEM;
    return pvr_nl_transact(sock, g_steal_pointer(&msg));
}

gboolean
pvr_rdmanl_ibdev_del(const char *name, GError **error)
{
    const int err = request_ibdev_del(name);

    if (err != 0)
        pvr_rdmanl_set_del_error(err, name, error);
    return err == 0;
}
