/*
 * pvrdma: contiguous host mappings of scattered guest memory
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A host MR has to be one virtual range.  The range is laid out from the file
 * descriptor behind the guest's RAM, one mmap() per run of adjacent pages.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "system/hostmem.h"
#include "pvrdma_dma.h"

static bool extent_map(const PvrdmaExtent *run, uint8_t *at)
{
    return mmap(at, run->length, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, run->fd,
                run->fd_offset) != MAP_FAILED;
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

void *pvrdma_window_map(const PvrdmaExtents *extents)
{
    uint64_t done = 0;
    uint8_t *window;

    if (!extents_have_fd(extents)) {
        errno = EOPNOTSUPP;
        return NULL;
    }
    window = mmap(NULL, extents->length, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED) {
        return NULL;
    }
    for (uint32_t i = 0; i < extents->count; i++) {
        if (!extent_map(&extents->run[i], window + done)) {
            int saved = errno;

            munmap(window, extents->length);
            errno = saved;
            return NULL;
        }
        done += extents->run[i].length;
    }
    return window;
}

void pvrdma_window_unmap(void *window, uint64_t length)
{
    if (window) {
        munmap(window, length);
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
    if (qemu_ram_pagesize(rb) != qemu_real_host_page_size()) {
        error_setg(errp, "guest memory '%s' uses pages of %zu KiB; this "
                   "backend does not support huge pages yet; remove "
                   "<hugepages/> from <memoryBacking>", id ?: "ram",
                   qemu_ram_pagesize(rb) / KiB);
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
