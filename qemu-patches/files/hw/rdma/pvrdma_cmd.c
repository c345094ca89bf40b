/*
 * pvrdma: the command channel
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A command is executed synchronously inside the REQUEST write.  The request
 * is copied once; handlers see only the copy.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "pvrdma.h"
#include "trace.h"

typedef struct Command {
    const char *name;
    PvrdmaCmdFn *run;
    bool awaited;              /* the guest waits for vector 0 */
} Command;

static const Command commands[PVRDMA_CMD_COUNT] = {
    [PVRDMA_CMD_QUERY_PORT] = { "QUERY_PORT", pvrdma_cmd_query_port, true },
    [PVRDMA_CMD_QUERY_PKEY] = { "QUERY_PKEY", pvrdma_cmd_query_pkey, true },
    [PVRDMA_CMD_CREATE_PD] = { "CREATE_PD", pvrdma_cmd_create_pd, true },
    [PVRDMA_CMD_DESTROY_PD] = { "DESTROY_PD", pvrdma_cmd_destroy_pd, false },
    [PVRDMA_CMD_CREATE_MR] = { "CREATE_MR", pvrdma_cmd_create_mr, true },
    [PVRDMA_CMD_DESTROY_MR] = { "DESTROY_MR", pvrdma_cmd_destroy_mr, false },
    [PVRDMA_CMD_CREATE_CQ] = { "CREATE_CQ", pvrdma_cmd_create_cq, true },
    [PVRDMA_CMD_DESTROY_CQ] = { "DESTROY_CQ", pvrdma_cmd_destroy_cq, false },
    [PVRDMA_CMD_CREATE_QP] = { "CREATE_QP", pvrdma_cmd_create_qp, true },
    [PVRDMA_CMD_MODIFY_QP] = { "MODIFY_QP", pvrdma_cmd_modify_qp, true },
    [PVRDMA_CMD_QUERY_QP] = { "QUERY_QP", pvrdma_cmd_query_qp, true },
    [PVRDMA_CMD_DESTROY_QP] = { "DESTROY_QP", pvrdma_cmd_destroy_qp, false },
    [PVRDMA_CMD_CREATE_SRQ] = { "CREATE_SRQ", pvrdma_cmd_create_srq, true },
    [PVRDMA_CMD_MODIFY_SRQ] = { "MODIFY_SRQ", pvrdma_cmd_modify_srq, false },
    [PVRDMA_CMD_QUERY_SRQ] = { "QUERY_SRQ", pvrdma_cmd_query_srq, true },
    [PVRDMA_CMD_DESTROY_SRQ] =
        { "DESTROY_SRQ", pvrdma_cmd_destroy_srq, false },
    [PVRDMA_CMD_CREATE_UC] = { "CREATE_UC", pvrdma_cmd_create_uc, true },
    [PVRDMA_CMD_DESTROY_UC] = { "DESTROY_UC", pvrdma_cmd_destroy_uc, false },
    [PVRDMA_CMD_CREATE_BIND] =
        { "CREATE_BIND", pvrdma_cmd_create_bind, false },
    [PVRDMA_CMD_DESTROY_BIND] =
        { "DESTROY_BIND", pvrdma_cmd_destroy_bind, false },
};

bool pvrdma_cmd_exists(const char *name, const char **ret_name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        if (commands[i].name && !strcmp(commands[i].name, name)) {
            *ret_name = commands[i].name;
            return true;
        }
    }
    return false;
}

static uint32_t respond(PvrdmaDev *dev, const PvrdmaReq *req, uint32_t cmd,
                        int err, PvrdmaResp *resp)
{
    resp->hdr.response = req->hdr.response;
    resp->hdr.ack = cpu_to_le32(PVRDMA_ACK + cmd);
    resp->hdr.err = err;
    if (!pvrdma_dma_write(PCI_DEVICE(dev), dev->resp_slot, resp,
                          sizeof(*resp))) {
        return EFAULT;
    }
    if (commands[cmd].awaited) {
        pvrdma_irq_raise(dev, PVRDMA_VEC_CMD);
    }
    return 0;
}

static uint32_t run(PvrdmaDev *dev)
{
    PvrdmaReq req;
    PvrdmaResp resp = { };
    uint32_t cmd;
    int err;

    if (dev->state != PVRDMA_ACTIVE) {
        return EINVAL;
    }
    if (!pvrdma_dma_read(PCI_DEVICE(dev), dev->cmd_slot, &req, sizeof(req))) {
        return EFAULT;
    }
    cmd = le32_to_cpu(req.hdr.cmd);
    if (cmd >= PVRDMA_CMD_COUNT || !commands[cmd].run) {
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: unknown command %u\n", cmd);
        return EOPNOTSUPP;
    }
    err = pvrdma_fault_command(dev, commands[cmd].name);
    if (!err) {
        err = -commands[cmd].run(dev, &req, &resp);
    }
    trace_pvrdma_cmd(commands[cmd].name, err);
    pvrdma_events_remind(dev);
    dev->stats.command_errors += err && cmd == PVRDMA_CMD_MODIFY_QP;
    /* MODIFY_QP is the one command whose err the guest reads */
    if (err && cmd != PVRDMA_CMD_MODIFY_QP) {
        return err;
    }
    return respond(dev, &req, cmd, err, &resp);
}

uint32_t pvrdma_cmd_run(PvrdmaDev *dev)
{
    uint32_t err = run(dev);

    dev->stats.commands++;
    dev->stats.command_errors += err != 0;
    return err;
}

int pvrdma_cmd_query_port(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    PvrdmaWirePort *wire = &resp->query_port.attrs;
    const PvrdmaPortInfo *info = &dev->port;
    int err;

    if (req->query_port.port_num != 1) {
        return -EINVAL;
    }
    err = dev->be->ops->query_port(dev->be, &dev->port);
    if (err) {
        return err;
    }
    wire->state = cpu_to_le32(info->state);
    wire->phys_state = info->phys_state;
    wire->max_mtu = cpu_to_le32(info->max_mtu);
    wire->active_mtu = cpu_to_le32(info->active_mtu);
    wire->max_msg_sz = cpu_to_le32(info->max_msg_sz);
    wire->gid_tbl_len = cpu_to_le32(dev->caps.gid_tbl_len);
    wire->pkey_tbl_len = cpu_to_le16(1);
    wire->max_vl_num = 1;
    wire->active_width = info->active_width;
    wire->active_speed = info->active_speed;
    return 0;
}

int pvrdma_cmd_query_pkey(PvrdmaDev *dev, const PvrdmaReq *req,
                          PvrdmaResp *resp)
{
    if (req->query_pkey.port_num != 1 ||
        req->query_pkey.index >= dev->caps.max_pkeys) {
        return -EINVAL;
    }
    resp->query_pkey.pkey = cpu_to_le16(0xffff);
    return 0;
}
