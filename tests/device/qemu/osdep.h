/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for QEMU's header of this name: the device's plain C files are
 * compiled here without QEMU.
 */
#ifndef QEMU_OSDEP_H
#define QEMU_OSDEP_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#endif
