/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two lines per command: its declaration and its place in the help. */
#include "pvr-cmd-table.h"

extern const PvrCommand pvr_cmd_mac;

const PvrCommand *const pvr_commands[] = {
    &pvr_cmd_mac,
    NULL
};
