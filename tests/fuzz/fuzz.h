/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer, and replay.c without it, call with each input. Aborts on a broken promise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
