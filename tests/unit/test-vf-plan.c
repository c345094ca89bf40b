/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to give a VF an address, and that it has it in the end, or what it had before. */
#include <linux/if_link.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-fake-sriov.h"
#include "pvr-vf-address.h"
#include "pvr-vf-plan.h"

typedef PvrFakeMachine Fixture;

#define IGB "0000:01:00.0"
#define IGB_VF0 "0000:01:00.2"
#define MLX5 "0000:3b:00.0"
#define MLX5_VF0 "0000:3b:00.2"
#define IB "0000:5e:00.0"
#define IB_VF0 "0000:5e:00.2"
#define MAC "02:00:00:00:00:07"
#define MACHINE_ID "0123456789abcdef0123456789abcdef"

static const PvrVf want_mac = { .set = PVR_VF_MAC, .mac = { { 2, 0, 0, 0, 0, 7 } } };

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_write(f->root, "etc/machine-id", MACHINE_ID "\n");
    pvr_fake_add_pf(f->root, &pvr_fake_igb);
    pvr_fake_add_pf(f->root, &pvr_fake_mlx5);
    pvr_fake_add_pf(f->root, &pvr_fake_mlx5_ib);
    g_assert_true(pvr_host_set_num_vfs(f->host, IGB, 2, NULL));
    g_assert_true(pvr_host_set_num_vfs(f->host, MLX5, 2, NULL));
    g_assert_true(pvr_host_set_num_vfs(f->host, IB, 2, NULL));
}

static PvrPci *
get(Fixture *f, const char *address)
{
    GError *error = NULL;
    PvrPci *pci = pvr_host_get_pci(f->host, address, &error);

    g_assert_no_error(error);
    return pci;
}

/* One line per step: "KIND what / on / was". */
static char *
to_text(const GPtrArray *steps)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < steps->len; i++) {
        const PvrStep *step = g_ptr_array_index(steps, i);

        g_string_append_printf(text, "%s %s / %s", pvr_step_kind_to_string(step->kind), step->what,
                               step->on);
        g_string_append_printf(text, "%s%s\n", step->was != NULL ? " / " : "",
                               step->was != NULL ? step->was : "");
    }
    return g_string_free(text, FALSE);
}

static void
check_plan(Fixture *f, const char *address, const PvrVf *want, const char *expected)
{
    g_autoptr(PvrPci) vf = get(f, address);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) steps = pvr_vf_plan(f->host, vf, want, &error);
    g_autofree char *text = NULL;

    g_assert_no_error(error);
    text = to_text(steps);
    g_assert_cmpstr(text, ==, expected);
}

static void
check_refused(Fixture *f, const char *address, const PvrVf *want, int code, const char *part)
{
    g_autoptr(PvrPci) vf = get(f, address);
    g_autoptr(GError) error = NULL;

    g_assert_null(pvr_vf_plan(f->host, vf, want, &error));
    g_assert_error(error, PVR_ERROR, code);
    g_assert_nonnull(strstr(error->message, part));
}

/* ---- refusals ---- */

static void
test_refused(Fixture *f, gconstpointer data)
{
    const PvrVf zero = { .set = PVR_VF_MAC };
    const PvrVf multicast = { .set = PVR_VF_MAC, .mac = { { 1, 0, 0, 0, 0, 1 } } };
    const PvrVf guid = { .set = PVR_VF_NODE_GUID, .node_guid = 7 };
    const PvrVf zero_guid = { .set = PVR_VF_PORT_GUID };
    const PvrVf trust = { .set = PVR_VF_TRUST, .trust = TRUE };

    check_refused(f, MLX5, &want_mac, PVR_ERROR_UNSUPPORTED, "is no VF");
    check_refused(f, MLX5_VF0, &zero, PVR_ERROR_USAGE, "MAC 00:00:00:00:00:00");
    check_refused(f, MLX5_VF0, &multicast, PVR_ERROR_USAGE, "multicast");
    check_refused(f, MLX5_VF0, &guid, PVR_ERROR_UNSUPPORTED, "no GUIDs");
    check_refused(f, IB_VF0, &zero_guid, PVR_ERROR_USAGE, "GUID 0");
    check_refused(f, IB_VF0, &trust, PVR_ERROR_UNSUPPORTED, "no trust");
    pvr_fake_set_failure(f->root, "get_vfs", PVR_ERROR_UNSUPPORTED, "tells nothing");
    check_refused(f, MLX5_VF0, &want_mac, PVR_ERROR_UNSUPPORTED, "tells nothing");
}

static void
test_given_away(Fixture *f, gconstpointer data)
{
    pvr_fake_write(f->root, "sys/bus/pci/drivers/vfio-pci/bind", "");
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, NULL));
    g_assert_true(pvr_host_bind(f->host, IGB_VF0, "vfio-pci", NULL));
    check_refused(f, IGB_VF0, &want_mac, PVR_ERROR_BUSY, "vfio-pci");
    g_assert_true(pvr_host_unbind(f->host, MLX5_VF0, NULL));
    pvr_fake_set_quirk(f->root, MLX5, "no-netdev", "");
    g_assert_true(pvr_host_bind(f->host, MLX5_VF0, "mlx5_core", NULL));
    check_refused(f, MLX5_VF0, &want_mac, PVR_ERROR_BUSY, "network namespace");
    pvr_fake_remove(f->root, "sys/class/net/ib0");
    check_refused(f, IB_VF0, &want_mac, PVR_ERROR_NOT_FOUND, "no network device here");
}

/* ---- plans ---- */

static void
test_mac_plan(Fixture *f, gconstpointer data)
{
    check_plan(f, MLX5_VF0, &want_mac,
               "unbind " MLX5_VF0 " / mlx5_core\n"
               "vf-mac " MLX5_VF0 " / " MAC " / 00:00:00:00:00:00\n"
               "bind " MLX5_VF0 " / mlx5_core\n"
               "netdev-up pci " MLX5_VF0 " / up / down\n");
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0v0", TRUE, NULL));
    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
    check_plan(f, IGB_VF0, &want_mac,
               "rxe-del mlx5_9 / pci " IGB_VF0 "\n"
               "netdev-up pci " IGB_VF0 " / down / up\n"
               "unbind " IGB_VF0 " / igbvf\n"
               "vf-mac " IGB_VF0 " / " MAC " / 00:00:00:00:00:00\n"
               "bind " IGB_VF0 " / igbvf\n"
               "netdev-up pci " IGB_VF0 " / up / down\n"
               "rxe-add mlx5_9 / pci " IGB_VF0 "\n");
}

/* Nobody's driver is bound: the address takes effect when one is. */
static void
test_unbound_plan(Fixture *f, gconstpointer data)
{
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, NULL));
    check_plan(f, IGB_VF0, &want_mac,
               "vf-mac " IGB_VF0 " / " MAC " / 00:00:00:00:00:00\n");
}

static void
test_attr_plan(Fixture *f, gconstpointer data)
{
    const PvrVf want = { .set = PVR_VF_TRUST | PVR_VF_VLAN | PVR_VF_SPOOFCHK, .trust = TRUE,
                         .vlan = 5, .spoofchk = TRUE };

    check_plan(f, MLX5_VF0, &want,
               "vf-attr " MLX5_VF0 " / vlan 5 0 / vlan 0 0\n"
               "vf-attr " MLX5_VF0 " / trust on / trust off\n");
}

static void
test_guid_plan(Fixture *f, gconstpointer data)
{
    const PvrVf want = { .set = PVR_VF_NODE_GUID | PVR_VF_PORT_GUID | PVR_VF_LINK_STATE,
                         .node_guid = 0x0200000000000001, .port_guid = 0x0200000000000002,
                         .link_state = IFLA_VF_LINK_STATE_AUTO };

    check_plan(f, IB_VF0, &want,
               "unbind " IB_VF0 " / mlx5_core\n"
               "vf-attr " IB_VF0 " / state auto / state disable\n"
               "vf-guid " IB_VF0 " / 0200:0000:0000:0001 0200:0000:0000:0002"
               " / 0000:0000:0000:0000 0000:0000:0000:0000\n"
               "bind " IB_VF0 " / mlx5_core\n"
               "netdev-up pci " IB_VF0 " / up / down\n");
}

static void
check_number_plan(Fixture *f, const char *pf, guint number, const char *expected)
{
    g_autoptr(PvrPci) pci = get(f, pf);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) steps = pvr_vf_plan_number(f->host, pci, number, &error);
    g_autofree char *text = NULL;

    g_assert_no_error(error);
    text = to_text(steps);
    g_assert_cmpstr(text, ==, expected);
}

static void
test_number_plan(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) pf = get(f, MLX5);
    g_autoptr(PvrPci) vf = get(f, MLX5_VF0);
    g_autoptr(GError) error = NULL;

    check_number_plan(f, MLX5, 2, "");
    check_number_plan(f, MLX5, 0, "num-vfs " MLX5 " / 0 / 2\n");
    check_number_plan(f, MLX5, 8, "num-vfs " MLX5 " / 0 / 2\nnum-vfs " MLX5 " / 8 / 0\n");
    g_assert_true(pvr_host_set_num_vfs(f->host, IGB, 0, NULL));
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0", FALSE, NULL));
    check_number_plan(f, IGB, 1, "netdev-up enp1s0f0 / up / down\nnum-vfs " IGB " / 1 / 0\n");
    g_assert_null(pvr_vf_plan_number(f->host, pf, 9, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, "allows 8 VFs, not 9"));
    g_clear_error(&error);
    g_assert_null(pvr_vf_plan_number(f->host, vf, 1, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, "name its PF"));
}

/* ---- running them ---- */

typedef struct {
    PvrHost *host;
    GPtrArray *made;
    guint told;
} Runner;

static gboolean
run_step(PvrStep *step, gpointer user_data, GError **error)
{
    Runner *runner = user_data;
    g_autoptr(PvrStep) owned = step;

    if (!pvr_step_do(owned, runner->host, error))
        return FALSE;
    g_ptr_array_add(runner->made, g_steal_pointer(&owned));
    return TRUE;
}

static void
count_progress(const char *text, gpointer user_data)
{
    ((Runner *) user_data)->told++;
}

static void
runner_init(Runner *runner, PvrHost *host)
{
    *runner = (Runner) { .host = host };
    runner->made = pvr_steps_new();
}

static void
undo_all(Runner *runner)
{
    for (guint i = runner->made->len; i > 0; i--) {
        GError *error = NULL;

        pvr_step_undo(runner->made->pdata[i - 1], runner->host, &error);
        g_assert_no_error(error);
    }
}

static gboolean
run_plan(Fixture *f, Runner *runner, const char *address, const PvrVf *want, GError **error)
{
    g_autoptr(PvrPci) vf = get(f, address);
    g_autoptr(GPtrArray) steps = pvr_vf_plan(f->host, vf, want, error);
    const PvrVfRun run = { 2000, run_step, count_progress, runner };

    return steps != NULL && pvr_vf_run(f->host, steps, &run, error) &&
           pvr_vf_wait(f->host, address, want, vf->ibdevs->len != 0, &run, error);
}

static void
check_runs(Fixture *f, const char *address, const PvrVf *want)
{
    g_autoptr(GError) error = NULL;
    Runner runner;

    runner_init(&runner, f->host);
    run_plan(f, &runner, address, want, &error);
    g_assert_no_error(error);
    check_plan(f, address, want, "");
    g_ptr_array_unref(runner.made);
}

static void
test_run(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) rxe = NULL;
    g_autoptr(PvrPci) vf = NULL;
    g_autofree char *reason = NULL;

    check_runs(f, MLX5_VF0, &want_mac);
    vf = get(f, MLX5_VF0);
    g_assert_cmpstr(vf->node_guid, ==, "0000:00ff:fe00:0007");
    reason = pvr_vf_explain_port(f->host, vf);
    g_assert_null(reason);
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0v0", TRUE, NULL));
    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
    check_runs(f, IGB_VF0, &want_mac);
    rxe = pvr_host_get_ibdev(f->host, "mlx5_9", NULL);
    g_assert_nonnull(pvr_port_find_gid_of_mac(rxe->ports->pdata[0], &want_mac.mac));
    g_assert_true(pvr_port_is_active(rxe->ports->pdata[0]));
}

/* The netdev comes back late, and under another name. */
static void
test_run_renamed(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrIbdev) rxe = NULL;

    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
    pvr_fake_set_quirk(f->root, IGB, "late", "3");
    pvr_fake_set_quirk(f->root, IGB, "new-names", "");
    check_runs(f, IGB_VF0, &want_mac);
    rxe = pvr_host_get_ibdev(f->host, "mlx5_9", NULL);
    g_assert_nonnull(rxe);
    g_assert_true(g_str_has_prefix(rxe->parent, "eth"));
    g_assert_true(pvr_port_is_active(rxe->ports->pdata[0]));
}

static void
test_run_infiniband(Fixture *f, gconstpointer data)
{
    PvrVf want = { .set = PVR_VF_NODE_GUID | PVR_VF_PORT_GUID | PVR_VF_LINK_STATE,
                   .link_state = IFLA_VF_LINK_STATE_AUTO };
    g_autoptr(PvrPci) vf = NULL;
    g_autofree char *active = NULL;
    g_autofree char *no_sm = NULL;
    g_autofree char *disabled = NULL;

    g_assert_true(pvr_vf_make_address(f->host, IB_VF0, &want, NULL));
    check_runs(f, IB_VF0, &want);
    vf = get(f, IB_VF0);
    active = pvr_vf_explain_port(f->host, vf);
    g_assert_null(active);
    pvr_fake_set_port_state(f->root, vf->ibdevs->pdata[0], 1, "INIT");
    no_sm = pvr_vf_explain_port(f->host, vf);
    g_assert_nonnull(strstr(no_sm, "no subnet manager"));
    want.set = PVR_VF_LINK_STATE;
    want.link_state = IFLA_VF_LINK_STATE_DISABLE;
    check_runs(f, IB_VF0, &want);
    disabled = pvr_vf_explain_port(f->host, vf);
    g_assert_nonnull(strstr(disabled, "holds the VF's link down"));
}

/* Each step may fail: what was made before is taken back. */
static void
test_fails_at_step(Fixture *f, gconstpointer data)
{
    static const char *const ops[] = { "ibdev_del", "set_netdev_up", "unbind", "set_vf" };
    g_autoptr(PvrPci) vf = NULL;
    PvrVf record;

    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
    g_assert_true(pvr_host_set_netdev_up(f->host, "enp1s0f0v0", TRUE, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
        g_autoptr(PvrIbdev) rxe = NULL;
        g_autofree char *pf_netdev = NULL;
        g_autoptr(GError) error = NULL;
        Runner runner;

        runner_init(&runner, f->host);
        pvr_fake_set_failure(f->root, ops[i], PVR_ERROR_FAILED, "broken");
        g_assert_false(run_plan(f, &runner, IGB_VF0, &want_mac, &error));
        g_assert_cmpstr(error->message, ==, "broken");
        pvr_fake_set_failure(f->root, ops[i], 0, NULL);
        undo_all(&runner);
        g_ptr_array_unref(runner.made);
        rxe = pvr_host_get_ibdev(f->host, "mlx5_9", NULL);
        g_assert_nonnull(rxe);
        g_assert_true(pvr_port_is_active(rxe->ports->pdata[0]));
        g_clear_pointer(&vf, pvr_pci_free);
        vf = get(f, IGB_VF0);
        g_assert_cmpstr(vf->driver, ==, "igbvf");
        pf_netdev = pvr_vf_find_record(f->host, vf, &record, NULL);
        g_assert_false(pvr_mac_is_usable(&record.mac));
    }
}

static void
test_vanishes(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    Runner runner;

    runner_init(&runner, f->host);
    pvr_fake_write(f->root, ".fake/vanish", "bind " MLX5_VF0);
    g_assert_false(run_plan(f, &runner, MLX5_VF0, &want_mac, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    undo_all(&runner);
    g_ptr_array_unref(runner.made);
}

/* The time is over: the error says what did not come. */
static void
test_too_late(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) vf = get(f, IGB_VF0);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) steps = NULL;
    Runner runner;
    const PvrVfRun run = { 1500, run_step, count_progress, &runner };

    pvr_fake_set_quirk(f->root, IGB, "late", "1000000");
    pvr_fake_add_rxe(f->root, "mlx5_9", "enp1s0f0v0");
    runner_init(&runner, f->host);
    g_clear_pointer(&vf, pvr_pci_free);
    vf = get(f, IGB_VF0);
    steps = pvr_vf_plan(f->host, vf, &want_mac, &error);
    g_assert_no_error(error);
    g_assert_false(pvr_vf_run(f->host, steps, &run, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_assert_nonnull(strstr(error->message, "no network device yet"));
    g_assert_cmpuint(runner.told, ==, 1);
    g_ptr_array_unref(runner.made);
}

/* ---- verification ---- */

static void
check_not_verified(Fixture *f, const char *address, const PvrVf *want, gboolean ibdev,
                   const char *part)
{
    g_autoptr(GError) error = NULL;

    g_assert_false(pvr_vf_verify(f->host, address, want, ibdev, &error));
    g_assert_nonnull(error);
    g_assert_nonnull(strstr(error->message, part));
}

static void
test_verify(Fixture *f, gconstpointer data)
{
    const PvrVf nothing = { 0 };
    const PvrVf guid = { .set = PVR_VF_PORT_GUID, .port_guid = 9 };

    check_not_verified(f, MLX5_VF0, &want_mac, TRUE, "instead of what its PF was given");
    check_not_verified(f, MLX5_VF0, &nothing, TRUE, "node GUID 0");
    check_not_verified(f, IGB_VF0, &nothing, TRUE, "no RDMA device yet");
    check_runs(f, MLX5_VF0, &want_mac);
    g_assert_true(pvr_vf_verify(f->host, MLX5_VF0, &want_mac, TRUE, NULL));
    check_not_verified(f, MLX5_VF0, &guid, TRUE, "no GID of the port GUID");
    pvr_fake_set_gid(f->root, "mlx5_2", 1, 0, "fe80:0000:0000:0000:0000:0000:0000:0009",
                     "IB/RoCE v1", NULL);
    g_assert_true(pvr_vf_verify(f->host, MLX5_VF0, &guid, TRUE, NULL));
    pvr_fake_set_gid(f->root, "mlx5_2", 1, 1, "fe80:0000:0000:0000:0000:0000:0000:0009",
                     "RoCE v2", NULL);
    check_not_verified(f, MLX5_VF0, &want_mac, TRUE, "no GID of MAC");
    check_not_verified(f, "0000:77:00.0", &want_mac, TRUE, "0000:77:00.0");
}

static void
test_explain(Fixture *f, gconstpointer data)
{
    g_autoptr(PvrPci) vf = get(f, MLX5_VF0);
    g_autoptr(PvrPci) plain = get(f, IGB_VF0);
    g_autofree char *down = pvr_vf_explain_port(f->host, vf);
    g_autofree char *none = pvr_vf_explain_port(f->host, plain);
    g_autofree char *pf_down = NULL;
    g_autofree char *carrier = NULL;

    g_assert_nonnull(strstr(down, "'ens1f0np0v0' is down"));
    g_assert_null(none);
    g_assert_true(pvr_host_set_netdev_up(f->host, "ens1f0np0v0", TRUE, NULL));
    pvr_fake_set_port_state(f->root, "mlx5_2", 1, "DOWN");
    pvr_fake_remove(f->root, "sys/class/net/ens1f0np0v0/carrier");
    carrier = pvr_vf_explain_port(f->host, vf);
    g_assert_nonnull(strstr(carrier, "'ens1f0np0v0' has no carrier"));
    g_assert_true(pvr_host_set_netdev_up(f->host, "ens1f0np0", FALSE, NULL));
    pf_down = pvr_vf_explain_port(f->host, vf);
    g_assert_nonnull(strstr(pf_down, "PF's network device 'ens1f0np0' is down"));
}

static void
test_ready(Fixture *f, gconstpointer data)
{
    const PvrVfRun run = { 0, NULL, NULL, NULL };
    g_autoptr(GError) error = NULL;

    g_assert_true(pvr_vf_wait_ready(f->host, MLX5_VF0, TRUE, &run, &error));
    g_assert_true(pvr_vf_wait_ready(f->host, IGB_VF0, FALSE, &run, &error));
    g_assert_false(pvr_vf_wait_ready(f->host, IGB_VF0, TRUE, &run, &error));
    g_assert_nonnull(strstr(error->message, "no RDMA device yet"));
    g_clear_error(&error);
    g_assert_true(pvr_host_unbind(f->host, IGB_VF0, NULL));
    g_assert_false(pvr_vf_wait_ready(f->host, IGB_VF0, FALSE, &run, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_clear_error(&error);
    pvr_fake_write(f->root, "sys/devices/" IGB "/sriov_drivers_autoprobe", "0\n");
    g_assert_false(pvr_vf_wait_ready(f->host, IGB_VF0, FALSE, &run, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
}

/* ---- addresses ---- */

static void
test_address(Fixture *f, gconstpointer data)
{
    PvrVf first = { 0 }, again = { 0 }, other = { 0 }, elsewhere = { 0 };
    g_autoptr(GError) error = NULL;
    static const char *const bad[] = { "", "uninitialized\n", "0123", MACHINE_ID "0\n" };

    g_assert_true(pvr_vf_make_address(f->host, MLX5_VF0, &first, &error));
    g_assert_true(pvr_vf_make_address(f->host, MLX5_VF0, &again, &error));
    g_assert_true(pvr_vf_make_address(f->host, IGB_VF0, &other, &error));
    pvr_fake_write(f->root, "etc/machine-id", "fedcba9876543210fedcba9876543210\n");
    g_assert_true(pvr_vf_make_address(f->host, MLX5_VF0, &elsewhere, &error));
    g_assert_no_error(error);
    g_assert_true(pvr_vf_same(&first, &again, ~0u));
    for (guint bit = PVR_VF_MAC; bit <= PVR_VF_PORT_GUID; bit <<= 1) {
        if (bit & (PVR_VF_MAC | PVR_VF_NODE_GUID | PVR_VF_PORT_GUID)) {
            g_assert_false(pvr_vf_same(&first, &other, bit));
            g_assert_false(pvr_vf_same(&first, &elsewhere, bit));
        }
    }
    g_assert_cmphex(first.mac.raw[0] & 3, ==, 2);
    g_assert_cmphex(first.node_guid >> 56 & 3, ==, 2);
    g_assert_cmphex(first.port_guid >> 56 & 3, ==, 2);
    g_assert_true(first.node_guid != first.port_guid);
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        pvr_fake_write(f->root, "etc/machine-id", bad[i]);
        g_assert_false(pvr_vf_make_address(f->host, MLX5_VF0, &first, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
        g_clear_error(&error);
    }
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
    add("/vf-plan/refused", test_refused);
    add("/vf-plan/given-away", test_given_away);
    add("/vf-plan/mac", test_mac_plan);
    add("/vf-plan/unbound", test_unbound_plan);
    add("/vf-plan/attr", test_attr_plan);
    add("/vf-plan/guid", test_guid_plan);
    add("/vf-plan/number", test_number_plan);
    add("/vf-plan/run", test_run);
    add("/vf-plan/run-renamed", test_run_renamed);
    add("/vf-plan/run-infiniband", test_run_infiniband);
    add("/vf-plan/fails-at-step", test_fails_at_step);
    add("/vf-plan/vanishes", test_vanishes);
    add("/vf-plan/too-late", test_too_late);
    add("/vf-plan/verify", test_verify);
    add("/vf-plan/explain", test_explain);
    add("/vf-plan/ready", test_ready);
    add("/vf-plan/address", test_address);
    return g_test_run();
}
