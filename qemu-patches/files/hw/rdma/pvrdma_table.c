/*
 * pvrdma: object tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "pvrdma_table.h"

void pvrdma_table_init(PvrdmaTable *t, uint32_t first, uint32_t capacity)
{
    t->first = first;
    t->capacity = capacity;
    t->used = 0;
    t->free_head = 0;
    t->slots = g_new0(void *, capacity);
    t->free_queue = g_new(uint32_t, capacity);
    for (uint32_t i = 0; i < capacity; i++) {
        t->free_queue[i] = first + i;
    }
}

void pvrdma_table_clear(PvrdmaTable *t)
{
    g_clear_pointer(&t->slots, g_free);
    g_clear_pointer(&t->free_queue, g_free);
    t->used = t->capacity = 0;
}

bool pvrdma_table_add(PvrdmaTable *t, void *obj, uint32_t *ret_handle)
{
    uint32_t handle;

    if (t->used == t->capacity) {
        return false;
    }
    handle = t->free_queue[t->free_head];
    t->free_head = (t->free_head + 1) % t->capacity;
    t->slots[handle - t->first] = obj;
    t->used++;
    *ret_handle = handle;
    return true;
}

void *pvrdma_table_get(const PvrdmaTable *t, uint32_t handle)
{
    if (handle < t->first || handle - t->first >= t->capacity) {
        return NULL;
    }
    return t->slots[handle - t->first];
}

void *pvrdma_table_remove(PvrdmaTable *t, uint32_t handle)
{
    void *obj = pvrdma_table_get(t, handle);
    uint32_t free_count, tail;

    if (!obj) {
        return NULL;
    }
    free_count = t->capacity - t->used;
    tail = (t->free_head + free_count) % t->capacity;
    t->free_queue[tail] = handle;
    t->slots[handle - t->first] = NULL;
    t->used--;
    return obj;
}

void *pvrdma_table_next(const PvrdmaTable *t, uint32_t *handle)
{
    uint32_t i = *handle < t->first ? 0 : *handle - t->first;

    for (; i < t->capacity; i++) {
        if (t->slots[i]) {
            *handle = t->first + i;
            return t->slots[i];
        }
    }
    return NULL;
}
