/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-nl.h"

#include <errno.h>
#include <netlink/errno.h>

/* libnl has no way back from its codes to errno; these are the ones that opening or sending gives. */
static int
errno_of_nle(int nle)
{
    switch (nle < 0 ? -nle : nle) {
    case NLE_PERM:
        return EPERM;
    case NLE_NOACCESS:
        return EACCES;
    case NLE_NOMEM:
        return ENOMEM;
    case NLE_PROTO_MISMATCH:
        return EPROTONOSUPPORT;
    case NLE_AF_NOSUPPORT:
        return EAFNOSUPPORT;
    case NLE_AGAIN:
        return EAGAIN;
    default:
        return EIO;
    }
}

PvrNlSock *
pvr_nl_open(int protocol, int *ret_errno)
{
    g_autoptr(PvrNlSock) sock = nl_socket_alloc();
    int nle;

    if (sock == NULL) {
        *ret_errno = ENOMEM;
        return NULL;
    }
    errno = 0;
    nle = nl_connect(sock, protocol);
    if (nle < 0) {
        *ret_errno = errno != 0 ? errno : errno_of_nle(nle);
        return NULL;
    }
    return g_steal_pointer(&sock);
}

static int
remember_errno(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
    *(int *) arg = -err->error;
    return NL_STOP;
}

int
pvr_nl_transact(PvrNlSock *sock, PvrNlMsg *msg)
{
    g_autoptr(PvrNlMsg) owned = msg;
    int kernel_errno = 0;
    int nle = nl_send_auto(sock, owned);

    if (nle < 0)
        return errno_of_nle(nle);
    nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, remember_errno, &kernel_errno);
    if (nlmsg_hdr(owned)->nlmsg_flags & NLM_F_ACK)
        nle = nl_wait_for_ack(sock);
    else
        nle = nl_recvmsgs_default(sock);
    nl_socket_modify_err_cb(sock, NL_CB_DEFAULT, NULL, NULL);
    if (kernel_errno != 0)
        return kernel_errno;
    return nle < 0 ? errno_of_nle(nle) : 0;
}
