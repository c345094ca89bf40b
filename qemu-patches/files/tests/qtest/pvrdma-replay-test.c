/*
 * QTest testcase for pvrdma: a fuzzer's corpus, on a machine of its own
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The directory is named by the environment variable PVRDMA_FUZZ_CORPUS.
 */
#include "qemu/osdep.h"
#include "pvrdma-fuzz.h"
#include "pvrdma-tests.h"

/* Its main loop runs by itself. */
static void settle(QTestState *qts)
{
}

static void system_reset(PvrdmaFuzz *f)
{
    qtest_system_reset(f->qts);
}

static void plug(PvrdmaFuzz *f)
{
    g_autofree char *mac = pvrdma_mac();

    qtest_qmp_device_add(f->qts, "pvrdma", "rdma", "{'bus': 'rp', "
                         "'addr': '0.1'}");
    qtest_qmp_device_add(f->qts, "vmxnet3", "nic", "{'bus': 'rp', "
                         "'addr': '0.0', 'multifunction': true, "
                         "'netdev': 'n0', 'romfile': '', 'mac': %s}", mac);
}

static const PvrdmaFuzzOps replay_ops = {
    .settle = settle,
    .system_reset = system_reset,
    .plug = plug,
};

static void replay_file(PvrdmaFuzz *f, const char *path)
{
    g_autoptr(GError) err = NULL;
    g_autofree char *data = NULL;
    gsize len;

    g_test_message("%s", path);
    g_file_get_contents(path, &data, &len, &err);
    g_assert_no_error(err);
    pvrdma_fuzz_run(f, (const uint8_t *)data, len);
    qtest_qmp_assert_success(f->qts, "{'execute': 'query-status'}");
}

static unsigned replay_dir(PvrdmaFuzz *f, const char *path)
{
    g_autoptr(GError) err = NULL;
    GDir *dir = g_dir_open(path, 0, &err);
    const char *name;
    unsigned n = 0;

    g_assert_no_error(err);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(path, name, NULL);

        replay_file(f, file);
        n++;
    }
    g_dir_close(dir);
    return n;
}

static void test_replay(void)
{
    const char *path = getenv("PVRDMA_FUZZ_CORPUS");
    PvrdmaFuzz f = { .ops = &replay_ops };
    g_autofree char *args = NULL;

    if (!path) {
        g_test_skip("PVRDMA_FUZZ_CORPUS names no directory");
        return;
    }
    args = pvrdma_fuzz_args(&f);
    f.qts = qtest_init(args);
    g_assert_cmpuint(replay_dir(&f, path), >, 0);
    qtest_quit(f.qts);
    pvrdma_fuzz_free(&f);
}

void pvrdma_add_replay_tests(void)
{
    qtest_add_func("/pvrdma/fuzz/replay", test_replay);
}
