/*
 * pvrdma: object tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Handles first .. first+capacity-1, handed out round robin: a freed handle
 * comes back only after all other free ones.  All operations but init and
 * clear take constant time.  Plain C and GLib.
 */
#ifndef HW_RDMA_PVRDMA_TABLE_H
#define HW_RDMA_PVRDMA_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct PvrdmaTable {
    uint32_t first;
    uint32_t capacity;
    uint32_t used;
    uint32_t free_head;        /* position in the queue of free handles */
    uint32_t *free_queue;      /* capacity entries, a ring */
    void **slots;              /* not owned */
} PvrdmaTable;

void pvrdma_table_init(PvrdmaTable *t, uint32_t first, uint32_t capacity);

/* Forgets all entries and frees the memory; the table may be all zeroes. */
void pvrdma_table_clear(PvrdmaTable *t);

/* Enters @obj (not NULL); false when the table is full. */
bool pvrdma_table_add(PvrdmaTable *t, void *obj, uint32_t *ret_handle);

/* The object of @handle, any 32-bit value; NULL without one. */
void *pvrdma_table_get(const PvrdmaTable *t, uint32_t handle);

/* Takes the object of @handle out; NULL without one. */
void *pvrdma_table_remove(PvrdmaTable *t, uint32_t handle);

/* The first object at or after *@handle, which becomes its handle; NULL at
 * the end.  Objects may be removed while walking. */
void *pvrdma_table_next(const PvrdmaTable *t, uint32_t *handle);

#endif
