/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between pvr-conf.c, pvr-conf-read.c and pvr-conf-write.c. */
#pragma once

#include "pvr-conf.h"

void pvr_conf_link_free(PvrConfLink *link);
void pvr_conf_pf_free(PvrConfPf *pf);
void pvr_conf_member_free(PvrConfMember *member);
void pvr_conf_pool_free(PvrConfPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrConfLink, pvr_conf_link_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrConfPf, pvr_conf_pf_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrConfMember, pvr_conf_member_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrConfPool, pvr_conf_pool_free)
