/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wire between two network devices that loses, doubles, reorders and damages
 * some of the RoCE frames on it (UDP port 4791); all others pass.  Which ones is
 * decided by a seed.  Ends by SIGTERM and prints what it did.
 *
 * usage: lossy-wire DEVICE DEVICE SEED DROP DUPLICATE REORDER DAMAGE
 *
 * The last four are in units of 1/1000 of the frames.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ROCE_PORT = 4791,
    /* before each frame: which checksums are not made yet, where to cut it */
    META_LEN = sizeof(struct virtio_net_hdr),
    ETH_LEN = 14,
    IP6_LEN = 40,
    FRAME_MAX = 1 << 17,
};

/* One direction of the wire. */
typedef struct {
    int from, to;
    uint8_t held[FRAME_MAX];    /* waits until the next frame has passed */
    size_t held_len;
} Way;

typedef struct {
    unsigned drop, duplicate, reorder, damage;
} Rates;

typedef struct {
    unsigned long frames, dropped, duplicated, reordered, damaged;
} Counts;

static volatile sig_atomic_t stopped;
static uint64_t random_state;

static void stop(int sig)
{
    (void)sig;
    stopped = 1;
}

/* xorshift64*: the same on every machine for a seed */
static uint32_t random_next(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * UINT64_C(2685821657736338717)) >> 32);
}

static bool chance(unsigned per_mille)
{
    return random_next() % 1000 < per_mille;
}

static unsigned be16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static bool is_roce(const uint8_t *data, size_t len)
{
    const uint8_t *frame = data + META_LEN, *ip = frame + ETH_LEN;
    size_t udp;

    if (len < META_LEN + ETH_LEN + IP6_LEN + 8) {
        return false;
    }
    if (be16(frame + 12) == ETHERTYPE_IP && ip[9] == IPPROTO_UDP) {
        udp = (size_t)(ip[0] & 15) * 4;
    } else if (be16(frame + 12) == ETHERTYPE_IPV6 && ip[6] == IPPROTO_UDP) {
        udp = IP6_LEN;
    } else {
        return false;
    }
    return be16(ip + udp + 2) == ROCE_PORT;
}

static int open_device(const char *name)
{
    struct sockaddr_ll addr = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    struct packet_mreq all = {.mr_type = PACKET_MR_PROMISC};
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
    int size = 8 << 20, on = 1;

    addr.sll_ifindex = all.mr_ifindex = (int)if_nametoindex(name);
    if (fd < 0 || addr.sll_ifindex == 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) < 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) < 0) {
        err(1, "%s", name);
    }
    /* what does not fit is lost as well, but not by the seed */
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
    return fd;
}

static void pass(const Way *way, const uint8_t *frame, size_t len)
{
    while (send(way->to, frame, len, 0) < 0 && (errno == EAGAIN || errno == ENOBUFS) && !stopped) {
        struct pollfd out = {.fd = way->to, .events = POLLOUT};

        poll(&out, 1, 1);
    }
}

static void roce_frame(Way *way, const Rates *rates, Counts *counts, uint8_t *frame, size_t len)
{
    counts->frames++;
    if (chance(rates->drop)) {
        counts->dropped++;
        return;
    }
    if (way->held_len == 0 && chance(rates->reorder)) {
        counts->reordered++;
        memcpy(way->held, frame, len);
        way->held_len = len;
        return;
    }
    if (chance(rates->damage)) {
        counts->damaged++;
        frame[len - 1 - random_next() % 16] ^= (uint8_t)(1u << random_next() % 8);
    }
    pass(way, frame, len);
    if (chance(rates->duplicate)) {
        counts->duplicated++;
        pass(way, frame, len);
    }
    if (way->held_len > 0) {
        pass(way, way->held, way->held_len);
        way->held_len = 0;
    }
}

/* Takes what is there, but the other way gets its turn. */
static void serve(Way *way, const Rates *rates, Counts *counts)
{
    static uint8_t frame[FRAME_MAX];
    struct sockaddr_ll from;

    for (int budget = 64; budget > 0; budget--) {
        socklen_t from_len = sizeof(from);
        ssize_t len = recvfrom(way->from, frame, sizeof(frame), 0, (struct sockaddr *)&from, &from_len);

        if (len <= 0) {
            return;
        }
        if (from.sll_pkttype == PACKET_OUTGOING) {
            continue;
        }
        if (is_roce(frame, (size_t)len)) {
            roce_frame(way, rates, counts, frame, (size_t)len);
        } else {
            pass(way, frame, (size_t)len);
        }
    }
}

int main(int argc, char **argv)
{
    static Way ways[2];
    Counts counts = {0};

    if (argc != 8) {
        errx(2, "usage: lossy-wire DEVICE DEVICE SEED DROP DUPLICATE REORDER DAMAGE");
    }
    Rates rates = {.drop = (unsigned)atoi(argv[4]), .duplicate = (unsigned)atoi(argv[5]),
                   .reorder = (unsigned)atoi(argv[6]), .damage = (unsigned)atoi(argv[7])};
    random_state = strtoull(argv[3], NULL, 0) | 1;
    ways[0].from = ways[1].to = open_device(argv[1]);
    ways[1].from = ways[0].to = open_device(argv[2]);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);

    struct pollfd in[2] = {{.fd = ways[0].from, .events = POLLIN}, {.fd = ways[1].from, .events = POLLIN}};
    while (!stopped) {
        if (poll(in, 2, 1000) > 0) {
            serve(&ways[0], &rates, &counts);
            serve(&ways[1], &rates, &counts);
        }
    }
    printf("%lu RoCE frames: %lu dropped, %lu duplicated, %lu reordered, %lu damaged\n", counts.frames,
           counts.dropped, counts.duplicated, counts.reordered, counts.damaged);
    return 0;
}
