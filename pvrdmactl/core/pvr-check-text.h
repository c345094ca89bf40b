/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each check of doctor is about: for `doctor --explain`. */
#pragma once

#include <glib.h>

typedef struct {
    const char *id;    /* of a device: "deviceN.gid" */
    const char *title; /* what holds when the check is ok; no full stop */
    const char *text;  /* why it matters, what goes wrong without it, what to do; lines of at most 100 columns */
} PvrCheckText;

/* "deviceN.gid" also for "device3.gid". NULL when there is no such check. */
const PvrCheckText *pvr_check_text_find(const char *id);

/* By number, in the order of the report; NULL behind the last. */
const PvrCheckText *pvr_check_text_nth(guint n);
