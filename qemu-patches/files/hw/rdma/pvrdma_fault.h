/*
 * pvrdma: faults on demand, for tests
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The experimental properties x-fault-* (docs/device.md) make a command or an
 * operation of the backend fail, or let happen to the device what else only
 * hardware does.  A device without any has no PvrdmaFault, and its backend's
 * own operations.
 */
#ifndef HW_RDMA_PVRDMA_FAULT_H
#define HW_RDMA_PVRDMA_FAULT_H

#include "qemu/timer.h"
#include "pvrdma_backend.h"

typedef struct PvrdmaFault PvrdmaFault;

typedef enum PvrdmaFaultKind {
    PVRDMA_FAULT_COMMAND,
    PVRDMA_FAULT_BACKEND,
    PVRDMA_FAULT_KINDS,
} PvrdmaFaultKind;

/* The @nth call of @name from now fails; 0: each one may, by @percent. */
typedef struct PvrdmaFaultRule {
    const char *name;          /* NULL: any */
    uint32_t nth;
    uint32_t percent;
    int err;                   /* an errno */
} PvrdmaFaultRule;

struct PvrdmaFault {
    GArray *rules[PVRDMA_FAULT_KINDS];
    GRand *rand;
    uint32_t seed;
    uint32_t irq_delay;        /* ms; 0: none */
    QEMUTimer *irq_timer;
    uint32_t qp_nth;           /* QP from now to reach RTS that breaks, or 0 */
    bool port_down;
    QEMUTimer *port_timer;
    const PvrdmaBackendOps *real; /* NULL: not in between */
    PvrdmaBackendOps ops;
};

/* pvrdma_fault_rule.c: RULE[;RULE...], RULE is NAME[@N|@P%][:ERRNO] */
GArray *pvrdma_fault_parse(PvrdmaFaultKind kind, const char *text,
                           Error **errp);
/* Those that are still to come; a new string */
char *pvrdma_fault_print(const GArray *rules);
/* 0, or the errno that this call is to fail with */
int pvrdma_fault_take(PvrdmaFault *f, PvrdmaFaultKind kind, const char *name);

/* pvrdma_fault_ops.c */
bool pvrdma_fault_op_exists(const char *name, const char **ret_name);
/* Puts the operations that may fail in front of the backend's, or removes
 * them, as the rules demand */
void pvrdma_fault_interpose(PvrdmaFault *f, PvrdmaBackend *be);
void pvrdma_fault_remove(PvrdmaFault *f, PvrdmaBackend *be);

#endif
