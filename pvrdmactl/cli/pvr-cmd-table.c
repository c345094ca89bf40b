/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two lines per command: its declaration and its place in the help. */
#include "pvr-cmd-table.h"

extern const PvrCommand pvr_cmd_list;
extern const PvrCommand pvr_cmd_gid;
extern const PvrCommand pvr_cmd_mac;
extern const PvrCommand pvr_cmd_rxe_add;
extern const PvrCommand pvr_cmd_rxe_del;
extern const PvrCommand pvr_cmd_vf_list;
extern const PvrCommand pvr_cmd_vf_create;
extern const PvrCommand pvr_cmd_vf_set;
extern const PvrCommand pvr_cmd_vf_reset;
extern const PvrCommand pvr_cmd_vf_remove;
extern const PvrCommand pvr_cmd_attach;
extern const PvrCommand pvr_cmd_detach;
extern const PvrCommand pvr_cmd_apply;
extern const PvrCommand pvr_cmd_export;
extern const PvrCommand pvr_cmd_status;
extern const PvrCommand pvr_cmd_doctor;
extern const PvrCommand pvr_cmd_recover;
extern const PvrCommand pvr_cmd_release;

const PvrCommand *const pvr_commands[] = {
    &pvr_cmd_list,
    &pvr_cmd_gid,
    &pvr_cmd_mac,
    &pvr_cmd_rxe_add,
    &pvr_cmd_rxe_del,
    &pvr_cmd_vf_list,
    &pvr_cmd_vf_create,
    &pvr_cmd_vf_set,
    &pvr_cmd_vf_reset,
    &pvr_cmd_vf_remove,
    &pvr_cmd_attach,
    &pvr_cmd_detach,
    &pvr_cmd_apply,
    &pvr_cmd_export,
    &pvr_cmd_status,
    &pvr_cmd_doctor,
    &pvr_cmd_recover,
    &pvr_cmd_release,
    NULL
};
