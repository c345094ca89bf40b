/*
 * Fuzzing of pvrdma: values, and the thread that changes them meanwhile
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bswap.h"
#include "pvrdma-fuzz.h"

#define RACE_ROUNDS 20000u

uint64_t fuzz_take(FuzzIn *in, unsigned bytes)
{
    uint64_t value = 0;
    unsigned n = MIN(bytes, in->len);

    for (unsigned i = 0; i < n; i++) {
        value |= (uint64_t)in->data[i] << (8 * i);
    }
    in->data += n;
    in->len -= n;
    return value;
}

/* Numbers that something is compared with */
static uint64_t landmark(uint32_t n)
{
    static const uint64_t at[] = {
        0, 1, 2, 16, 31, 63, 64, 127, 128, 255, 256, 511, 512, 4095, 4096,
        0xffff, 0x10000, 0xffffff, 0x1000000, 1u << 30, INT32_MAX, 1u << 31,
        UINT32_MAX - 4095, UINT32_MAX, 0xfffffffffffff000, UINT64_MAX,
    };

    return at[n % ARRAY_SIZE(at)];
}

/* Addresses that lead somewhere: RAM, what the device uses, its registers */
static uint64_t place(PvrdmaFuzz *f, uint8_t how, uint32_t value)
{
    const uint64_t bar[] = {
        f->g->regs.addr, f->g->uar.addr, f->g->dev->msix_table_bar.addr,
        f->g->nic_bar.addr,
    };

    switch (how % 4) {
    case 0:
        return (uint64_t)(value % 1024) * PVRDMA_PAGE;
    case 1:
        return f->region[value % f->regions].addr;
    case 2:
        return bar[value % ARRAY_SIZE(bar)] + (value >> 8) % PVRDMA_PAGE;
    default:
        return fuzz_mr_va(f, value % FUZZ_MRS) + (value >> 8) % PVRDMA_PAGE;
    }
}

static uint64_t handle(PvrdmaFuzz *f, uint32_t value)
{
    switch (value % 8) {
    case 0:
        return f->qp[value / 8 % FUZZ_QPS].handle;
    case 1:
        return f->qp[value / 8 % FUZZ_QPS].qpn;
    case 2:
        return f->cq[value / 8 % FUZZ_CQS].handle;
    case 3:
        return f->mr[value / 8 % FUZZ_MRS].handle;
    case 4:
        return f->mr[value / 8 % FUZZ_MRS].lkey;
    case 5:
        return f->mr[value / 8 % FUZZ_MRS].rkey;
    case 6:
        return f->pd[value / 8 % 2];
    default:
        return f->srq.handle;
    }
}

uint64_t fuzz_mutate(PvrdmaFuzz *f, uint8_t how, uint64_t old, uint32_t value)
{
    switch (how % 8) {
    case 0:
        return value;
    case 1:
        return old ^ 1ull << value % 64;
    case 2:
        return old + (int32_t)value;
    case 3:
        return landmark(value);
    case 4:
        return handle(f, value);
    case 5:
        return place(f, how / 8, value);
    case 6:
        return (uint64_t)value << 32 | (uint32_t)old;
    default:
        return old ^ value;
    }
}

void fuzz_patch(PvrdmaFuzz *f, FuzzIn *in, void *buf, size_t size)
{
    while (in->len) {
        size_t at = fuzz_take(in, 1) * 4 % QEMU_ALIGN_DOWN(size, 4);
        uint8_t how = fuzz_take(in, 1);
        uint32_t value = fuzz_take(in, 4);
        void *p = (uint8_t *)buf + at;

        /* high bit: 64 bits of it */
        if (how & 0x80 && at + 8 <= size) {
            stq_le_p(p, fuzz_mutate(f, how & 0x7f, ldq_le_p(p), value));
        } else {
            stl_le_p(p, fuzz_mutate(f, how & 0x7f, ldl_le_p(p), value));
        }
    }
}

static void *race(void *opaque)
{
    FuzzRace *r = opaque;

    for (uint32_t i = 0; i < r->rounds && !qatomic_read(&r->stop); i++) {
        qatomic_set(r->word, qatomic_read(r->word) ^ r->flip);
    }
    return NULL;
}

/* One word at a time; the next one ends it. */
void fuzz_race(PvrdmaFuzz *f, FuzzIn *in)
{
    FuzzRegion *region = &f->region[fuzz_take(in, 1) % f->regions];
    uint32_t off = QEMU_ALIGN_DOWN(fuzz_take(in, 2) % (region->size - 3), 4);
    uint8_t how = fuzz_take(in, 1);
    uint32_t value = fuzz_take(in, 4);
    uint32_t *word = (uint32_t *)(f->ram + region->addr + off);

    fuzz_race_end(f);
    f->race = (FuzzRace) {
        .running = true,
        .word = word,
        .flip = *word ^ (uint32_t)fuzz_mutate(f, how, *word, value),
        .rounds = RACE_ROUNDS,
    };
    qemu_thread_create(&f->race.thread, "race", race, &f->race,
                       QEMU_THREAD_JOINABLE);
}

void fuzz_race_end(PvrdmaFuzz *f)
{
    if (!f->race.running) {
        return;
    }
    qatomic_set(&f->race.stop, true);
    qemu_thread_join(&f->race.thread);
    f->race.running = false;
}
