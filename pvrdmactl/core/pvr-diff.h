/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unified diffs of texts, as diff -u prints them and patch(1) takes them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * pvr_diff_unified: "" if both texts are equal. Three lines of context; the
 * smallest number of changed lines, unless the texts differ in more than a
 * thousand lines or so. The caller owns the result.
 */
char *pvr_diff_unified(const char *old_text, const char *new_text, const char *old_name,
                       const char *new_name);

G_END_DECLS
