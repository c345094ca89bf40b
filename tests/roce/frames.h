/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of all opcodes, and what they look like on the wire. */
#pragma once

#include <glib.h>

#include "roce_frame.h"

#define FRAMES_PAYLOAD 5           /* bytes, where an opcode has any */

typedef struct FrameCase {
    uint8_t opcode;
    const char *name;
    const char *hex;               /* from the BTH to the padding */
} FrameCase;

extern const FrameCase frame_cases[];
extern const size_t frame_cases_len;

/* All fields have a value of their own, in each opcode the same. */
RocePacket frame_packet(const FrameCase *c, bool ipv4);
/* What roce_frame_open() and _seal() should make of it, from the text. */
GByteArray *frame_golden(const FrameCase *c, bool ipv4);
/* The same from roce_frame_open() and _seal(). */
GByteArray *frame_built(const FrameCase *c, bool ipv4);

GByteArray *bytes_from_hex(const char *hex);
/* Computed bit by bit over the pseudo packet of annex A17. */
uint32_t slow_icrc(const uint8_t *ip, size_t len_without_icrc);
/* Makes the IPv4 header checksum right again. */
void fix_ipv4_checksum(uint8_t *ip);
