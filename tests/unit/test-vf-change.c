/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of VFs as a whole: what is refused, and that one which is killed at any checkpoint is taken back by
 * whoever comes after it.
 */
#include <string.h>
#include <unistd.h>

#include "pvr-device-lock.h"
#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-fake-host.h"
#include "pvr-fake-kill.h"
#include "pvr-fake-sriov.h"
#include "pvr-lease.h"
#include "pvr-recover.h"
#include "pvr-vf-change.h"
#include "pvr-vf-plan.h"

typedef PvrFakeMachine Fixture;

#define IGB "0000:01:00.0"
#define IGB_VF0 "0000:01:00.2"
#define IB "0000:5e:00.0"
#define IB_VF0 "0000:5e:00.2"

static const PvrVf want_mac = { .set = PVR_VF_MAC | PVR_VF_TRUST, .trust = TRUE,
                                .mac = { { 2, 0, 0, 0, 0, 7 } } };

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_write(f->root, "etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    pvr_fake_add_pf(f->root, &pvr_fake_igb);
    pvr_fake_add_pf(f->root, &pvr_fake_mlx5_ib);
    g_assert_true(pvr_host_set_num_vfs(f->host, IGB, 2, NULL));
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0v0", TRUE, NULL));
    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
}

/* What matters of VF 0: its link, that this is up, its driver, its MAC and rights at the PF. */
static char *
describe(Fixture *f)
{
    g_autoptr(PvrPci) pf = pvr_host_get_pci(f->host, IGB, NULL);
    g_autoptr(PvrPci) vf = pvr_host_get_pci(f->host, IGB_VF0, NULL);
    g_autoptr(PvrIbdev) ibdev = pvr_host_get_ibdev(f->host, "mlx5_9", NULL);
    PvrVf record = { 0 };
    G_GNUC_UNUSED g_autofree char *netdev =
        vf != NULL ? pvr_vf_find_record(f->host, vf, &record, NULL) : NULL;
    g_autofree char *mac = pvr_mac_to_string(&record.mac);

    return g_strdup_printf("%u VFs, %s, %s %s, mac %s, trust %d", pf->vfs,
                           vf != NULL ? vf->driver : "gone", ibdev != NULL ? ibdev->name : "-",
                           ibdev != NULL ? ((PvrPort *) ibdev->ports->pdata[0])->state : "-", mac,
                           record.trust);
}

/* ---- refusals ---- */

static void
check_refused(Fixture *f, const char *pci, const PvrVf *want, int code, const char *part)
{
    const PvrVfChange change = { .timeout_ms = 1000 };
    g_autoptr(GError) error = NULL;
    g_autofree char *before = describe(f);
    g_autofree char *after = NULL;

    g_assert_false(want != NULL ? pvr_vf_change(f->host, pci, want, &change, &error)
                                : pvr_vf_change_number(f->host, pci, 0, TRUE, &change, &error));
    g_assert_error(error, PVR_ERROR, code);
    g_assert_nonnull(strstr(error->message, part));
    after = describe(f);
    g_assert_cmpstr(before, ==, after);
}

static void
test_in_use(Fixture *f, gconstpointer data)
{
    PvrVf other = { .set = PVR_VF_MAC, .index = 1, .mac = { { 2, 0, 0, 0, 0, 7 } } };
    PvrGid gid = { { 0 } };
    g_autoptr(PvrLease) lease = pvr_lease_new(PVR_FAKE_UUID1, "vm1", 0, "mlx5_9", 1, &gid);
    g_autoptr(PvrLock) lock = NULL;

    lock = pvr_device_lock(f->host, IGB_VF0, 0, NULL);
    check_refused(f, IGB_VF0, &want_mac, PVR_ERROR_BUSY, "held by");
    check_refused(f, IGB, NULL, PVR_ERROR_BUSY, "held by");
    g_clear_pointer(&lock, pvr_lock_free);
    g_assert_true(pvr_host_set_vf(f->host, "enp1s0f0", &other, NULL));
    check_refused(f, IGB_VF0, &want_mac, PVR_ERROR_BUSY, "VF 1 of");
    g_assert_true(pvr_lease_save(f->host, lease, NULL));
    check_refused(f, IGB_VF0, &want_mac, PVR_ERROR_BUSY, "leased by 'vm1'");
    check_refused(f, IGB, NULL, PVR_ERROR_BUSY, "leased by 'vm1'");
    check_refused(f, "0000:77:00.0", &want_mac, PVR_ERROR_NOT_FOUND, "0000:77:00.0");
}

static void
test_failure(Fixture *f, gconstpointer data)
{
    static const char *const ops[] = { "ibdev_del", "set_netdev_up", "unbind", "set_vf" };

    for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
        pvr_fake_set_failure(f->root, ops[i], PVR_ERROR_FAILED, "broken");
        check_refused(f, IGB_VF0, &want_mac, PVR_ERROR_FAILED, "broken");
        pvr_fake_set_failure(f->root, ops[i], 0, NULL);
    }
    pvr_fake_set_failure(f->root, "set_num_vfs", PVR_ERROR_BUSY, "in use");
    check_refused(f, IGB, NULL, PVR_ERROR_BUSY, "in use");
}

/* ---- what VFs lack ---- */

static void
test_complete(Fixture *f, gconstpointer data)
{
    const PvrVfChange change = { .timeout_ms = 1000 };
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrPci) vf = NULL;

    g_assert_true(pvr_host_set_num_vfs(f->host, IB, 1, NULL));
    g_assert_true(pvr_vf_complete(f->host, IB_VF0, &change, &error));
    vf = pvr_host_get_pci(f->host, IB_VF0, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(vf->node_guid, !=, "0000:0000:0000:0000");
    g_assert_null(pvr_vf_explain_port(f->host, vf));
    g_assert_false(pvr_vf_complete(f->host, IB_VF0, &change, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOTHING);
}

/* ---- kills ---- */

typedef gboolean (*Doing)(Fixture *f, const PvrVfChange *change);

static gboolean
set_mac(Fixture *f, const PvrVfChange *change)
{
    return pvr_vf_change(f->host, IGB_VF0, &want_mac, change, NULL);
}

static gboolean
replace(Fixture *f, const PvrVfChange *change)
{
    return pvr_vf_change_number(f->host, IGB, 3, TRUE, change, NULL);
}

/* TRUE when it was killed at checkpoint @nth, FALSE when it has fewer and succeeded. */
static gboolean
killed_at(Fixture *f, Doing doing, int nth)
{
    const PvrVfChange change = { .timeout_ms = 5000, .checkpoint = pvr_fake_die_at_zero,
                                 .user_data = &nth };
    const pid_t pid = fork();

    if (pid == 0)
        _exit(doing(f, &change) ? 0 : 1);
    return pvr_fake_was_killed(pid);
}

static void
recover(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) left = pvr_recover(f->host, FALSE, &pvr_prepare_defaults, &error);

    g_assert_no_error(error);
    for (guint i = 0; i < left->len; i++)
        g_assert_no_error(((PvrLeftover *) left->pdata[i])->error);
}

static void
test_killed_set(Fixture *f, gconstpointer data)
{
    g_autofree char *start = describe(f);
    g_autofree char *end = NULL;
    int nth = 0;

    for (; killed_at(f, set_mac, nth); nth++) {
        g_autofree char *after = NULL;

        recover(f);
        after = describe(f);
        g_assert_cmpstr(after, ==, start);
    }
    end = describe(f);
    g_assert_cmpstr(end, ==, "2 VFs, igbvf, mlx5_9 ACTIVE, mac 02:00:00:00:00:07, trust 1");
    g_assert_cmpint(nth, ==, 2 * 8);
}

/* The VFs that were there come back, without what they had: replacing them was to give that up. */
static void
test_killed_replace(Fixture *f, gconstpointer data)
{
    int nth = 0;

    for (; killed_at(f, replace, nth); nth++) {
        g_autoptr(PvrPci) pf = NULL;

        recover(f);
        pf = pvr_host_get_pci(f->host, IGB, NULL);
        g_assert_cmpuint(pf->vfs, ==, 2);
    }
    g_assert_cmpint(nth, ==, 2 * 2);
}

static void
add(const char *path, void (*func)(Fixture *, gconstpointer))
{
    g_test_add(path, Fixture, NULL, set_up, func, pvr_fake_machine_clear);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/vf-change/in-use", test_in_use);
    add("/vf-change/failure", test_failure);
    add("/vf-change/complete", test_complete);
    add("/vf-change/killed-set", test_killed_set);
    add("/vf-change/killed-replace", test_killed_replace);
    return g_test_run();
}
