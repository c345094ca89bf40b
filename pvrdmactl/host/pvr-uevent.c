/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-uevent.h"

#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define KERNEL_GROUP 1
#define SLEEP_MAX_MS 50 /* without events: how often the caller looks */

struct _PvrUevents {
    int fd;
    gboolean tried;
};

PvrUevents *
pvr_uevents_new(void)
{
    PvrUevents *uevents = g_new0(PvrUevents, 1);

    uevents->fd = -1;
    return uevents;
}

void
pvr_uevents_free(PvrUevents *uevents)
{
    if (uevents->fd >= 0)
        close(uevents->fd);
    g_free(uevents);
}

static int
listen_to_kernel(void)
{
    const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
    const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                          NETLINK_KOBJECT_UEVENT);

    if (fd >= 0 && bind(fd, (const struct sockaddr *) &address, sizeof(address)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Which device it was does not matter: the caller looks at all that it waits for. */
static void
drain(int fd)
{
    char byte;

    while (recv(fd, &byte, sizeof(byte), MSG_TRUNC) > 0)
        continue;
}

void
pvr_uevents_wait(PvrUevents *uevents, guint timeout_ms)
{
    struct pollfd pollfd = { .events = POLLIN };

    if (!uevents->tried) {
        uevents->tried = TRUE;
        uevents->fd = listen_to_kernel();
        return;
    }
    if (uevents->fd < 0) {
        g_usleep(MIN(timeout_ms, SLEEP_MAX_MS) * 1000);
        return;
    }
    pollfd.fd = uevents->fd;
    if (poll(&pollfd, 1, (int) MIN(timeout_ms, G_MAXINT)) > 0)
        drain(uevents->fd);
}
