/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that change the host. A step is data: what to do and what was there before. It is on the medium before it is
 * made (pvr-journal.h), so that whoever comes after a crash can take it back.
 *
 * Making a step again that is made already is harmless, and so is undoing one that was not made, was undone before, or
 * whose result somebody else has changed meanwhile: that does nothing.
 */
#pragma once

#include <json-glib/json-glib.h>

#include "pvr-host.h"

typedef enum {
    PVR_STEP_RXE_ADD,    /* what: name of the rxe link, on: its netdev, or "pci ADDRESS": the function's netdev */
    PVR_STEP_SYMLINK,    /* what: /dev/pvrdma/UUID-ID, on: /dev/infiniband/uverbsN */
    PVR_STEP_RXE_DEL,    /* what: name of the rxe link, on: as for RXE_ADD */
    PVR_STEP_NUM_VFS,    /* what: PCI address of the PF, on: new number, was: former number */
    PVR_STEP_UNBIND,     /* what: PCI address, on: driver; its undo binds again */
    PVR_STEP_BIND,       /* what: PCI address, on: driver; its undo unbinds */
    PVR_STEP_VF_MAC,     /* what: PCI address of the VF, on: new MAC, was: former MAC; through the PF */
    PVR_STEP_VF_GUID,    /* what: PCI address of the VF, on, was: "NODE-GUID PORT-GUID" */
    PVR_STEP_VF_ATTR,    /* what: PCI address of the VF, on, was: "trust on", "vlan 5 0", ... (pvr_vf_parse_attr()) */
    PVR_STEP_NETDEV_MAC, /* what: netdev, on: new MAC, was: former MAC */
    PVR_STEP_NETDEV_UP,  /* what: netdev, or "pci ADDRESS", on, was: "up" or "down" */
    PVR_STEP_LAST
} PvrStepKind;

typedef struct {
    PvrStepKind kind;
    char *what;
    char *on;
    char *was; /* NULL for kinds without */
} PvrStep;

PvrStep *pvr_step_new(PvrStepKind kind, const char *what, const char *on, const char *was);
PvrStep *pvr_step_copy(const PvrStep *step);
void pvr_step_free(PvrStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrStep, pvr_step_free)

/* An array that owns its steps. */
GPtrArray *pvr_steps_new(void);

/* "rxe-add", "symlink", "num-vfs", ... as in the files */
const char *pvr_step_kind_to_string(PvrStepKind kind);

/* "vf-mac 0000:3b:00.2: 52:54:00:12:34:56 (was 00:00:00:00:00:00)", for people */
char *pvr_step_to_string(const PvrStep *step);

/* PVR_ERROR_CORRUPT unless @step is one that we could have recorded. */
gboolean pvr_step_check(const PvrStep *step, GError **error);

/* Makes the step on the host, or takes it back. Neither writes a journal. */
gboolean pvr_step_do(const PvrStep *step, PvrHost *host, GError **error);
gboolean pvr_step_undo(const PvrStep *step, PvrHost *host, GError **error);

/*
 * The device that the step changes: what pvr_device_lock() takes. NULL for a symlink, whose name belongs to one
 * domain.
 */
char *pvr_step_device(const PvrStep *step, PvrHost *host);

/* One step as an object of a file, and back; what is read has passed pvr_step_check(). */
void pvr_step_add_json(JsonBuilder *builder, const PvrStep *step);
PvrStep *pvr_step_from_json(JsonNode *node, GError **error);

/* The member "steps" of such a file. */
void pvr_steps_add_json(JsonBuilder *builder, const GPtrArray *steps);
GPtrArray *pvr_steps_from_json(JsonObject *object, guint max, GError **error);
