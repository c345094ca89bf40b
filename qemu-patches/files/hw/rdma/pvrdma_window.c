/*
 * pvrdma: contiguous host mappings of scattered guest memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A host MR has to be one virtual range.  One run of guest pages is that
 * already, in QEMU's own mapping.  For several, the range is laid out from the
 * file descriptor behind the guest's RAM, one mmap() per run.
 *
 * Huge pages can only be mapped whole.  That works out when a run ends, and the
 * next one begins, at the border of one, and all keep their distance from it.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "system/hostmem.h"
#include "pvrdma_dma.h"

static uint64_t page_size(const PvrdmaExtent *run)
{
    return qemu_ram_pagesize(run->mr->ram_block);
}

static uint64_t largest_page(const PvrdmaExtents *extents)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < extents->count; i++) {
        size = MAX(size, page_size(&extents->run[i]));
    }
    return size;
}

/*
 * How far behind the border of a page of @size the first byte has to lie, so
 * that the runs which need such pages find theirs.
 */
static uint64_t find_skew(const PvrdmaExtents *extents, uint64_t size)
{
    const PvrdmaExtent *run = extents->run;

    while (page_size(run) != size) {
        run++;
    }
    return (run->fd_offset - run->at) % size;
}

/* Whether the run can be mapped @at bytes behind the border of a page */
static bool run_lines_up(const PvrdmaExtents *extents, uint32_t i, uint64_t at)
{
    const PvrdmaExtent *run = &extents->run[i];
    uint64_t size = page_size(run);

    return (at - run->fd_offset) % size == 0 &&
           (i == 0 || at % size == 0) &&
           (i + 1 == extents->count || (at + run->length) % size == 0);
}

static int extents_check(const PvrdmaExtents *extents, uint64_t skew)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        if (!run_lines_up(extents, i, skew + extents->run[i].at)) {
            return -EINVAL;
        }
    }
    return 0;
}

/* The whole pages of @run, which itself begins at @at */
static bool run_map(const PvrdmaExtent *run, uint8_t *at)
{
    uint64_t size = page_size(run);
    uint64_t before = run->fd_offset % size;

    return mmap(at - before, ROUND_UP(before + run->length, size),
                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, run->fd,
                run->fd_offset - before) != MAP_FAILED;
}

static int window_fill(PvrdmaWindow *window, const PvrdmaExtents *extents)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        const PvrdmaExtent *run = &extents->run[i];

        if (!run_map(run, window->data + run->at)) {
            return -errno;
        }
    }
    return 0;
}

/* Room for whole pages of @size, wherever they are in it */
static int window_reserve(PvrdmaWindow *window, uint64_t length, uint64_t size,
                          uint64_t skew)
{
    uint64_t slack = size - qemu_real_host_page_size();

    window->map_length = ROUND_UP(skew + length, size) + slack;
    window->map = mmap(NULL, window->map_length, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window->map == MAP_FAILED) {
        return -errno;
    }
    window->data = (uint8_t *)ROUND_UP((uintptr_t)window->map, size) + skew;
    return 0;
}

static int window_map_runs(PvrdmaWindow *window, const PvrdmaExtents *extents)
{
    uint64_t size = largest_page(extents);
    uint64_t skew = find_skew(extents, size);
    int err = extents_check(extents, skew);

    if (!err) {
        err = window_reserve(window, extents->length, size, skew);
    }
    if (err) {
        return err;
    }
    err = window_fill(window, extents);
    if (err) {
        pvrdma_window_unmap(window);
    }
    return err;
}

static bool extents_have_fd(const PvrdmaExtents *extents)
{
    for (uint32_t i = 0; i < extents->count; i++) {
        if (extents->run[i].fd < 0) {
            return false;
        }
    }
    return true;
}

/* The runs, and what is left of the window at either end of them */
uint32_t pvrdma_window_mappings(const PvrdmaExtents *extents)
{
    return extents->count == 1 ? 0 : extents->count + 2;
}

int pvrdma_window_map(PvrdmaWindow *window, const PvrdmaExtents *extents)
{
    if (!extents_have_fd(extents)) {
        return -EOPNOTSUPP;
    }
    if (extents->count == 1) {
        *window = (PvrdmaWindow) { .data = extents->run[0].host };
        return 0;
    }
    return window_map_runs(window, extents);
}

void pvrdma_window_unmap(PvrdmaWindow *window)
{
    if (window->map) {
        munmap(window->map, window->map_length);
    }
}

/* In the message itself, as QMP does not carry hints. */
#define ADD_SHARED \
    "add to the domain XML: <memoryBacking><source type='memfd'/>" \
    "<access mode='shared'/></memoryBacking>, or without libvirt: -object " \
    "memory-backend-memfd,id=ram,size=SIZE,share=on -machine memory-backend=ram"

static bool backend_check(HostMemoryBackend *backend, Error **errp)
{
    RAMBlock *rb = host_memory_backend_get_memory(backend)->ram_block;
    const char *id = object_get_canonical_path_component(OBJECT(backend));

    if (!rb || !qemu_ram_is_shared(rb)) {
        error_setg(errp, "guest memory '%s' is private, but this backend has "
                   "to share it with the RDMA device; " ADD_SHARED,
                   id ?: "ram");
        return false;
    }
    if (qemu_ram_get_fd(rb) < 0) {
        error_setg(errp, "guest memory '%s' has no file descriptor that the "
                   "RDMA device's mappings could come from; " ADD_SHARED,
                   id ?: "ram");
        return false;
    }
    return true;
}

typedef struct {
    Error **errp;
    unsigned found;
} RamCheck;

static int check_child(Object *obj, void *opaque)
{
    RamCheck *check = opaque;
    HostMemoryBackend *backend =
        (HostMemoryBackend *)object_dynamic_cast(obj, TYPE_MEMORY_BACKEND);

    if (!backend || !host_memory_backend_is_mapped(backend)) {
        return 0;
    }
    check->found++;
    return backend_check(backend, check->errp) ? 0 : 1;
}

bool pvrdma_ram_check_shared(Error **errp)
{
    RamCheck check = { .errp = errp };

    if (object_child_foreach_recursive(object_get_root(), check_child,
                                       &check)) {
        return false;
    }
    if (!check.found) {
        error_setg(errp, "the machine has no RAM backend; " ADD_SHARED);
        return false;
    }
    return true;
}
