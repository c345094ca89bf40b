/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between pvr-apply.c, pvr-apply-pf.c and pvr-apply-link.c. */
#pragma once

#include "pvr-apply.h"

typedef struct {
    PvrHost *host;
    const PvrApplyOptions *options;
    GPtrArray *results;
} PvrApply;

/* The text of the result; NULL with an error. Sets @ret_state to OK or CHANGED. */
char *pvr_apply_pf(PvrApply *apply, const PvrConfPf *declared, PvrApplyState *ret_state,
                   GError **error);
char *pvr_apply_link(PvrApply *apply, const PvrConfLink *declared, PvrApplyState *ret_state,
                     GError **error);

/*
 * Makes @steps, all or none, in a journal of their own, unless it is a dry run. The caller holds the lock of the device,
 * @key.
 */
gboolean pvr_apply_run(PvrApply *apply, const char *key, GPtrArray *steps, GError **error);

/* Adds the step that sets the netdev up, when it is down. */
gboolean pvr_apply_add_up(PvrApply *apply, const char *netdev, GPtrArray *steps, GError **error);

/* NULL without error in a dry run, which changes nothing. */
PvrLock *pvr_apply_lock(PvrApply *apply, const char *key, GError **error);

/* TRUE when a PF of that address is to get VFs by this run: in a dry run they are not there. */
gboolean pvr_apply_will_have_vfs(const PvrApply *apply);
