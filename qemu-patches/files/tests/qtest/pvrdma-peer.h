/*
 * QTest testcase for pvrdma: the test as the peer, with frames by hand
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_QTEST_PVRDMA_PEER_H
#define TESTS_QTEST_PVRDMA_PEER_H

#include "hw/rdma/roce_frame.h"
#include "pvrdma-end.h"

#define PEER_QPN 0x777

/* A connected end, and the other side of its network in @ret_fd */
End peer_new(int *ret_fd, uint8_t type);
void peer_put(int fd, const uint8_t *frame, uint32_t len);
uint32_t peer_get(int fd, uint8_t *frame);

/* A datagram of 64 bytes for the QP of @e, from the peer */
RocePacket peer_datagram(const End *e);
uint32_t peer_build(const RocePacket *pkt, uint8_t *frame);
/* Such a datagram reaches a receive of @e. */
void peer_arrives(End *e, int fd);
/* A frame that is taken, counted as @name, and leads to nothing */
void peer_dropped(End *e, int fd, const uint8_t *frame, uint32_t len,
                  const char *name);

#endif
