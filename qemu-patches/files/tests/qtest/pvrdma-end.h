/*
 * QTest testcase for pvrdma: two devices with a connection between them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_QTEST_PVRDMA_END_H
#define TESTS_QTEST_PVRDMA_END_H

#include "pvrdma-guest.h"

#define MR_PAGES 64
#define HALF (MR_PAGES / 2 * PVRDMA_PAGE)

/* One end of a connection: a device with an MR, a CQ and a QP */
typedef struct End {
    PvrdmaGuest *g;
    uint8_t mac[6];
    uint8_t gid[16];
    uint32_t pd;
    PvrdmaTestMr mr;
    uint64_t va;
    PvrdmaTestCq cq;
    PvrdmaTestQp qp;
} End;

extern const uint8_t end_mac_a[6], end_mac_b[6];

/* "-device ...": a pair of functions in @slot, on @netdev if there is one */
char *end_device(unsigned slot, const uint8_t mac[6], const char *netdev);
void end_socket_pair(int fd[2]);
/* A machine whose network is the socket @fd */
PvrdmaGuest *end_machine(int fd, const uint8_t mac[6]);
/* On a device that has not been set up yet */
End end_new(PvrdmaGuest *g, const uint8_t mac[6], uint8_t type);
void end_connect(End *e, uint8_t type, uint32_t qpn, const uint8_t gid[16],
                 const uint8_t mac[6]);

/* Connected RC ends: in a machine each, and in one machine on a hub */
void ends_two_machines(End e[2], uint8_t type);
void ends_on_hub(End e[2], const char *machine);
void ends_connect(End e[2], uint8_t type);
void ends_free(End e[2]);

/* @wr with one SGE, @off in the end's MR; signaled */
void end_send(End *e, PvrdmaWireSendWr *wr, uint32_t off, uint32_t length);
void end_recv(End *e, uint32_t off, uint32_t length);
void end_expect(End *e, uint32_t opcode);
void end_fill(End *e, uint32_t off, uint32_t length, uint8_t seed);
void ends_same(End *a, uint32_t a_off, End *b, uint32_t b_off,
               uint32_t length);
/* Sends, writes, reads and atomics from e[0] to e[1] */
void ends_exercise(End e[2]);

#endif
