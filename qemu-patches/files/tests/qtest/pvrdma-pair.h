/*
 * QTest testcase for pvrdma: two connected QPs of one device
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_QTEST_PVRDMA_PAIR_H
#define TESTS_QTEST_PVRDMA_PAIR_H

#include "pvrdma-guest.h"

#define PAIR_MR_PAGES 16
#define PAIR_RECV 0x8000       /* receive half of the MR */
#define PAIR_WR_ID 0x123456789abcdef0

/* QPs with CQs of their own, one MR for both */
typedef struct PvrdmaPair {
    PvrdmaGuest *g;
    uint32_t uar;              /* 0: the kernel's */
    uint32_t uc;
    uint32_t pd;
    PvrdmaTestMr mr;
    uint64_t va;               /* where the MR begins for the guest */
    PvrdmaTestCq cq[2];
    PvrdmaTestQp qp[2];
} PvrdmaPair;

PvrdmaPair pair_new(uint8_t type);
/* Of a process */
PvrdmaPair pair_new_user(uint8_t type);
/* Of either, on a machine whose device has not been set up or was reset */
PvrdmaPair pair_on(PvrdmaGuest *g, uint8_t type, uint32_t uar);
/* Other CQs and QPs, new and connected */
void pair_connect(PvrdmaPair *t, uint8_t type);
void pair_free(PvrdmaPair *t);

/* @off in the MR */
PvrdmaWireSge pair_sge(PvrdmaPair *t, uint32_t off, uint32_t length);
void pair_fill(PvrdmaPair *t, uint32_t off, uint32_t length, uint8_t seed);
void pair_same(PvrdmaPair *t, uint32_t a, uint32_t b, uint32_t length);
void pair_recv(PvrdmaPair *t, int i, uint32_t off, uint32_t length,
               uint64_t wr_id);
void pair_send(PvrdmaPair *t, int i, const PvrdmaWireSendWr *wr, uint32_t off,
               uint32_t length);
/* One SGE, signaled; what the opcode does not own is stale, as in real life */
PvrdmaWireSendWr pair_send_wr(uint32_t opcode);
/* @writes long ones of QP 0 on their way, and a send of QP 1 that waits for a
 * receive */
void pair_traffic(PvrdmaPair *t, int writes);
/* A datagram to @qpn of our own GID, with the sender's Q_Key */
PvrdmaWireSendWr pair_ud_wr(PvrdmaPair *t, uint32_t qpn);
void check_cqe(const PvrdmaWireCqe *cqe, const PvrdmaTestQp *qp,
               uint64_t wr_id, uint32_t opcode);
/* Status of the next completion of CQ @i */
uint64_t pair_status(PvrdmaPair *t, int i);
/* The next completion of CQ 0 is a good one of pair_send_wr() */
void pair_sent(PvrdmaPair *t, uint32_t opcode);

#endif
