/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unreliable datagrams. */
#include "check.h"

#include <string.h>

#define TARGET (2u << 20)
#define GRH 40

static bool post_ud(struct check *c, struct ibv_ah *ah, enum ibv_wr_opcode op, size_t len)
{
    struct ibv_sge sge = { (uintptr_t)c->buf, (uint32_t)len, c->mr->lkey };
    struct ibv_send_wr *bad, wr = {
        .wr_id = len, .sg_list = &sge, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
        .imm_data = htobe32(IMM),
        .wr.ud = { .ah = ah, .remote_qpn = c->peer.qpn, .remote_qkey = 0x11111111 },
    };
    struct ibv_wc wc;

    return (!ibv_post_send(c->qp, &wr, &bad) || fail(c, "post send: %m")) && expect(c, len, IBV_WC_SEND, &wc);
}

/*
 * What is before the payload is the IP header: that of IPv6, which looks like a
 * GRH, or that of IPv4 in the last 20 bytes.  The sender's GID is in it.
 */
static bool header_has_gids(const struct check *c)
{
    static const uint8_t v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
    const uint8_t *header = c->buf + TARGET, *from = c->peer.gid.raw, *to = c->gid.raw;

    if (!memcmp(to, v4_mapped, sizeof(v4_mapped))) {
        return header[20] == 0x45 && !memcmp(header + 32, from + 12, 4) && !memcmp(header + 36, to + 12, 4);
    }
    return !memcmp(header + 8, from, 16) && !memcmp(header + 24, to, 16);
}

static bool check_datagram(struct check *c, enum ibv_wr_opcode op, size_t len, unsigned seed)
{
    struct ibv_wc wc;

    if (!expect(c, len, IBV_WC_RECV, &wc)) {
        return false;
    }
    if (wc.byte_len != len + GRH || !(wc.wc_flags & IBV_WC_GRH) || wc.src_qp != c->peer.qpn) {
        return fail(c, "byte_len %u, flags 0x%x, src_qp %u", wc.byte_len, wc.wc_flags, wc.src_qp);
    }
    if (op == IBV_WR_SEND_WITH_IMM && (!(wc.wc_flags & IBV_WC_WITH_IMM) || be32toh(wc.imm_data) != IMM)) {
        return fail(c, "flags 0x%x, immediate 0x%x", wc.wc_flags, be32toh(wc.imm_data));
    }
    if (!header_has_gids(c)) {
        return fail(c, "the GRH does not hold the two GIDs");
    }
    return verify(c, TARGET + GRH, len, seed) && untouched(c, TARGET + GRH + len, 64);
}

static bool datagram(struct check *c, struct ibv_ah *ah, bool sender, enum ibv_wr_opcode op, size_t len,
                     unsigned seed)
{
    fill(c, 0, len, seed);
    wipe(c, TARGET, 8192);
    if ((!sender && !post_recv(c, len, TARGET, GRH + len)) || !sync_point(c, "receive posted")) {
        return false;
    }
    return sender ? post_ud(c, ah, op, len) : check_datagram(c, op, len, seed);
}

static bool run_ud(struct check *c, struct ibv_ah *ah)
{
    const size_t sizes[] = { 1, 2, 64, 1000, c->mtu - 1, c->mtu };

    for (unsigned i = 0; i < 6; i++) {
        if (!datagram(c, ah, c->active, IBV_WR_SEND, sizes[i], i) ||
            !datagram(c, ah, !c->active, IBV_WR_SEND_WITH_IMM, sizes[i], 50 + i)) {
            return fail(c, "size %zu", sizes[i]);
        }
    }
    return true;
}

static bool test_ud(struct check *c)
{
    struct ibv_ah_attr attr = { .is_global = 1, .port_num = c->port,
                                .grh = { .sgid_index = c->gid_index, .hop_limit = 64 } };
    struct ibv_ah *ah;
    bool ok;

    if (!qp_new(c, IBV_QPT_UD, 0) || !qp_connect(c)) {
        return false;
    }
    attr.grh.dgid = c->peer.gid;
    ah = ibv_create_ah(c->pd, &attr);
    if (!ah) {
        return fail(c, "create an address handle: %m");
    }
    ok = run_ud(c, ah);
    ibv_destroy_ah(ah);
    return ok;
}

/* A datagram with another Q_Key must not arrive; the next good one must. */
static bool test_ud_qkey(struct check *c)
{
    struct ibv_ah_attr attr = { .is_global = 1, .port_num = c->port,
                                .grh = { .sgid_index = c->gid_index, .hop_limit = 64 } };
    struct ibv_sge sge = { (uintptr_t)c->buf, 64, c->mr->lkey };
    struct ibv_send_wr *bad, wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
                                    .send_flags = IBV_SEND_SIGNALED };
    struct ibv_wc wc;
    bool ok = false;

    if (!qp_new(c, IBV_QPT_UD, 0) || !qp_connect(c)) {
        return false;
    }
    attr.grh.dgid = c->peer.gid;
    wr.wr.ud.ah = ibv_create_ah(c->pd, &attr);
    if (!wr.wr.ud.ah) {
        return fail(c, "create an address handle: %m");
    }
    wr.wr.ud.remote_qpn = c->peer.qpn;
    wr.wr.ud.remote_qkey = 0x22222222;
    if (!c->active) {
        ok = post_recv(c, 64, TARGET, GRH + 64) && sync_point(c, "receive posted") &&
             sync_point(c, "wrong key sent") && datagram(c, wr.wr.ud.ah, false, IBV_WR_SEND, 64, 9) &&
             expect_none(c);
    } else {
        ok = sync_point(c, "receive posted") &&
             (!ibv_post_send(c->qp, &wr, &bad) || fail(c, "post send: %m")) && expect(c, 1, IBV_WC_SEND, &wc) &&
             sync_point(c, "wrong key sent") && datagram(c, wr.wr.ud.ah, true, IBV_WR_SEND, 64, 9);
    }
    ibv_destroy_ah(wr.wr.ud.ah);
    return ok;
}

const struct test ud_tests[] = {
    { "ud", test_ud },
    { "ud-qkey", test_ud_qkey },
    { NULL, NULL },
};
