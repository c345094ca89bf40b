/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "pvr-cmd.h"

/* In the order of the help; the array ends with NULL. */
extern const PvrCommand *const pvr_commands[];
