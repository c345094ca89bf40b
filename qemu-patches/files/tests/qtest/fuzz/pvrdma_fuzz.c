/*
 * pvrdma fuzzing target: a guest with valid objects that turns hostile
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What an input means is in ../pvrdma-fuzz.c.
 */
#include "qemu/osdep.h"
#include "monitor/qdev.h"
#include "qapi/error.h"
#include "qemu/rcu.h"
#include "qobject/qdict.h"
#include "qom/object.h"
#include "tests/qtest/libqtest.h"
#include "tests/qtest/pvrdma-fuzz.h"
#include "fuzz.h"

static PvrdmaFuzz state;

static void system_reset(PvrdmaFuzz *f)
{
    fuzz_reset(f->qts);
}

static QDict *nic_options(void)
{
    g_autofree char *mac = pvrdma_mac();
    QDict *opts = qdict_new();

    qdict_put_str(opts, "driver", "vmxnet3");
    qdict_put_str(opts, "id", "nic");
    qdict_put_str(opts, "bus", "rp");
    qdict_put_str(opts, "addr", "0.0");
    qdict_put_bool(opts, "multifunction", true);
    qdict_put_str(opts, "romfile", "");
    qdict_put_str(opts, "netdev", "n0");
    qdict_put_str(opts, "mac", mac);
    return opts;
}

static QDict *rdma_options(void)
{
    QDict *opts = qdict_new();

    qdict_put_str(opts, "driver", "pvrdma");
    qdict_put_str(opts, "id", "rdma");
    qdict_put_str(opts, "bus", "rp");
    qdict_put_str(opts, "addr", "0.1");
    return opts;
}

static void add_device(QDict *opts)
{
    DeviceState *dev = qdev_device_add_from_qdict(opts, true, &error_abort);

    object_unref(OBJECT(dev));
    qobject_unref(opts);
}

/* Function 0 comes last. */
static void plug(PvrdmaFuzz *f)
{
    drain_call_rcu();
    add_device(rdma_options());
    add_device(nic_options());
}

static const PvrdmaFuzzOps fuzz_ops = {
    .settle = flush_events,
    .system_reset = system_reset,
    .plug = plug,
};

static GString *get_cmdline(FuzzTarget *t)
{
    g_autofree char *args = pvrdma_fuzz_args(&state);
    GString *line = g_string_new(TARGET_NAME " -display none -accel qtest ");

    return g_string_append(line, args);
}

static void pre_fuzz(QTestState *s)
{
    state.ops = &fuzz_ops;
    state.qts = s;
    fuzz_reset(s);
}

static void fuzz(QTestState *s, const unsigned char *data, size_t len)
{
    pvrdma_fuzz_run(&state, data, len);
}

static void register_pvrdma_fuzz_targets(void)
{
    fuzz_add_target(&(FuzzTarget) {
        .name = "pvrdma",
        .description = "pvrdma with valid objects: commands, work requests, "
                       "guest memory, doorbells, frames, resets, races",
        .get_init_cmdline = get_cmdline,
        .pre_fuzz = pre_fuzz,
        .fuzz = fuzz,
    });
}

fuzz_target_init(register_pvrdma_fuzz_targets);
