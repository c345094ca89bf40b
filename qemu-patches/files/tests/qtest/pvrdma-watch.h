/*
 * QTest testcase for pvrdma: what a hostile guest must not change
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_QTEST_PVRDMA_WATCH_H
#define TESTS_QTEST_PVRDMA_WATCH_H

#include "pvrdma-guest.h"

/* Of the machine's process, from /proc: KiB of "VmRSS", "VmPeak", ... */
uint64_t watch_kib(QTestState *qts, const char *field);
unsigned watch_fds(QTestState *qts);
/* To be called before the machine starts: freed memory is really free. */
void watch_memory(void);

/* The monitor answers, and the device runs a command. */
void watch_alive(PvrdmaGuest *g);

/* The device has no object of any kind. */
void watch_empty(PvrdmaGuest *g);

/* Memory of the guest that the device has no business in any more */
void watch_mark(PvrdmaGuest *g, const PvrdmaPages *mem);
void watch_marked(PvrdmaGuest *g, const PvrdmaPages *mem);

#endif
