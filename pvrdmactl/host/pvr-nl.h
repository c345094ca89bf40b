/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What pvr-rdmanl and pvr-rtnl share: clean-up of libnl types, and the kernel's own errno. */
#pragma once

#include <glib.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

typedef struct nl_sock PvrNlSock;
typedef struct nl_msg PvrNlMsg;

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrNlSock, nl_socket_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrNlMsg, nlmsg_free)

/* A connected socket of the netlink protocol; NULL with errno in ret_errno. */
PvrNlSock *pvr_nl_open(int protocol, int *ret_errno);

/*
 * Sends the message, which must ask for an acknowledgement (or a dump), and waits for the end of the
 * answer. 0, or the positive errno that the kernel answered; libnl's own codes are less precise.
 * Takes the message.
 */
int pvr_nl_transact(PvrNlSock *sock, PvrNlMsg *msg);
