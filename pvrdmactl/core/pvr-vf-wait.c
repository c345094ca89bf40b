/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel, and udev after it, take their time: running steps, and waiting for what comes of them. */
#include "pvr-vf-plan.h"

#include <string.h>

#include "pvr-error.h"

/* Neither GID tables nor carriers are announced, so look again after that long. */
#define LOOK_MS 100
#define CARRIER_MS 5000
#define FIRST_PROGRESS_US (G_USEC_PER_SEC)

typedef gboolean (*Look)(PvrHost *host, gconstpointer what, GError **error);

/* What went wrong for good: waiting does not help. */
static gboolean
is_final(const GError *error)
{
    return error->code != PVR_ERROR_FAILED;
}

static void
tell(const PvrVfRun *run, char **told, const GError *error)
{
    g_auto(GStrv) lines = g_strsplit(error->message, "\n", 2);

    if (run->progress == NULL || g_strcmp0(lines[0], *told) == 0)
        return;
    run->progress(lines[0], run->user_data);
    g_free(*told);
    *told = g_strdup(lines[0]);
}

/* Until @look is content, or fails for good, or the time is over: then with what it said last. */
static gboolean
wait_for(PvrHost *host, Look look, gconstpointer what, const PvrVfRun *run, GError **error)
{
    const gint64 end = g_get_monotonic_time() + run->timeout_ms * G_TIME_SPAN_MILLISECOND;
    const gint64 silent = g_get_monotonic_time() + FIRST_PROGRESS_US;
    g_autofree char *told = NULL;

    for (;;) {
        g_autoptr(GError) local = NULL;
        gint64 now;

        if (look(host, what, &local))
            return TRUE;
        now = g_get_monotonic_time();
        if (is_final(local) || now >= end) {
            g_propagate_error(error, g_steal_pointer(&local));
            return FALSE;
        }
        if (now >= silent)
            tell(run, &told, local);
        pvr_host_wait_event(host, (guint) MIN((end - now) / 1000 + 1, LOOK_MS));
    }
}

/* ---- steps ---- */

static gboolean
look_for_netdev(PvrHost *host, gconstpointer what, GError **error)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, what, error);

    if (pci == NULL)
        return FALSE;
    if (pci->netdevs->len != 0)
        return TRUE;
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "%s has no network device%s\n"
                "'dmesg' may say why", pci->address, pci->driver != NULL ? " yet" : " or driver");
    return FALSE;
}

/* The address of the function whose netdev the step is about, or NULL. */
static const char *
netdev_function(const PvrStep *step)
{
    const char *netdev = step->kind == PVR_STEP_RXE_ADD ? step->on
                         : step->kind == PVR_STEP_NETDEV_UP ? step->what : "";

    return g_str_has_prefix(netdev, "pci ") ? netdev + strlen("pci ") : NULL;
}

static gboolean
look_for_carrier(PvrHost *host, gconstpointer what, GError **error)
{
    g_autoptr(PvrNetdev) netdev = pvr_host_get_netdev(host, what, error);

    if (netdev == NULL || netdev->carrier)
        return netdev != NULL;
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "'%s' has no carrier", netdev->name);
    return FALSE;
}

/* With igb, a VF that starts before its PF has a carrier may never get one. There need not be one, though. */
static void
wait_for_pf(PvrHost *host, const PvrStep *step, const PvrStep *next, const PvrVfRun *run)
{
    PvrVfRun brief = *run;

    if (step->kind != PVR_STEP_NETDEV_UP || next == NULL || next->kind != PVR_STEP_NUM_VFS)
        return;
    brief.timeout_ms = MIN(run->timeout_ms, CARRIER_MS);
    wait_for(host, look_for_carrier, step->what, &brief, NULL);
}

gboolean
pvr_vf_run(PvrHost *host, const GPtrArray *steps, const PvrVfRun *run, GError **error)
{
    for (guint i = 0; i < steps->len; i++) {
        const PvrStep *step = g_ptr_array_index(steps, i);
        const char *function = netdev_function(step);

        if (function != NULL && !wait_for(host, look_for_netdev, function, run, error))
            return FALSE;
        if (!run->run(pvr_step_copy(step), run->user_data, error))
            return FALSE;
        wait_for_pf(host, step, i + 1 < steps->len ? steps->pdata[i + 1] : NULL, run);
    }
    return TRUE;
}

/* ---- what came of it ---- */

static gboolean
set_not_yet(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean
set_not_yet(GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, PVR_ERROR, PVR_ERROR_FAILED, text);
    return FALSE;
}

static gboolean
verify_netdev(PvrHost *host, const PvrPci *pci, const PvrVf *want, GError **error)
{
    g_autoptr(PvrNetdev) netdev = NULL;
    g_autofree char *mac = NULL;

    if (!look_for_netdev(host, pci->address, error))
        return FALSE;
    netdev = pvr_host_get_netdev(host, pci->netdevs->pdata[0], NULL);
    if (netdev == NULL)
        return set_not_yet(error, "network device '%s' of %s is being renamed",
                           (const char *) pci->netdevs->pdata[0], pci->address);
    if (pvr_mac_equal(&netdev->mac, &want->mac))
        return TRUE;
    mac = pvr_mac_to_string(&netdev->mac);
    return set_not_yet(error, "network device '%s' of %s has MAC %s instead of what its PF was given\n"
                       "its driver does not take the PF's address: see 'dmesg'", netdev->name,
                       pci->address, mac);
}

static gboolean
verify_node_guid(const PvrPci *pci, const PvrIbdev *ibdev, const PvrVf *want, GError **error)
{
    guint64 guid = 0;

    if (ibdev->node_guid == NULL || !pvr_guid_parse(ibdev->node_guid, &guid, NULL) || guid == 0)
        return set_not_yet(error, "RDMA device '%s' of %s has node GUID 0, and cannot be used\n"
                           "give the VF an address ('pvrdmactl vf reset %s'); if that does not help, "
                           "its firmware is too old", ibdev->name, pci->address, pci->address);
    if ((want->set & PVR_VF_NODE_GUID) && guid != want->node_guid)
        return set_not_yet(error, "RDMA device '%s' of %s has node GUID %s, not the one it was given",
                           ibdev->name, pci->address, ibdev->node_guid);
    return TRUE;
}

static gboolean
is_gid_of(const PvrGidEntry *entry, guint64 guid)
{
    guint64 interface_id = 0;

    for (guint i = 8; i < 16; i++)
        interface_id = interface_id << 8 | entry->gid.raw[i];
    return interface_id == guid;
}

static gboolean
has_gid_of_guid(const PvrPort *port, guint64 guid)
{
    for (guint i = 0; i < port->gids->len; i++) {
        if (is_gid_of(g_ptr_array_index(port->gids, i), guid))
            return TRUE;
    }
    return FALSE;
}

static gboolean
verify_gid(const PvrIbdev *ibdev, const PvrVf *want, GError **error)
{
    const PvrPort *port = ibdev->ports->len != 0 ? g_ptr_array_index(ibdev->ports, 0) : NULL;

    if (port == NULL)
        return set_not_yet(error, "RDMA device '%s' has no port", ibdev->name);
    if ((want->set & PVR_VF_MAC) && pvr_port_find_gid_of_mac(port, &want->mac) == NULL) {
        g_autofree char *mac = pvr_mac_to_string(&want->mac);

        return set_not_yet(error, "port 1 of '%s' has no GID of MAC %s\n"
                           "'pvrdmactl gid %s --why' shows what it has", ibdev->name, mac,
                           ibdev->name);
    }
    if ((want->set & PVR_VF_PORT_GUID) && !has_gid_of_guid(port, want->port_guid))
        return set_not_yet(error, "port 1 of '%s' has no GID of the port GUID it was given\n"
                           "'pvrdmactl gid %s' shows what it has", ibdev->name, ibdev->name);
    return TRUE;
}

gboolean
pvr_vf_verify(PvrHost *host, const char *address, const PvrVf *want, gboolean ibdev_wanted,
              GError **error)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, address, error);
    g_autoptr(PvrIbdev) ibdev = NULL;

    if (pci == NULL || ((want->set & PVR_VF_MAC) && !verify_netdev(host, pci, want, error)))
        return FALSE;
    if (!ibdev_wanted)
        return TRUE;
    if (pci->ibdevs->len != 0)
        ibdev = pvr_host_get_ibdev(host, pci->ibdevs->pdata[0], NULL);
    if (ibdev == NULL)
        return set_not_yet(error, "%s has no RDMA device%s\n'dmesg' may say why", address,
                           pci->driver != NULL ? " yet" : " or driver");
    return verify_node_guid(pci, ibdev, want, error) && verify_gid(ibdev, want, error);
}

typedef struct {
    const char *address;
    const PvrVf *want;
    gboolean ibdev;
} Wanted;

static gboolean
look_at_vf(PvrHost *host, gconstpointer what, GError **error)
{
    const Wanted *wanted = what;

    return pvr_vf_verify(host, wanted->address, wanted->want, wanted->ibdev, error);
}

gboolean
pvr_vf_wait(PvrHost *host, const char *pci, const PvrVf *want, gboolean ibdev,
            const PvrVfRun *run, GError **error)
{
    const Wanted wanted = { pci, want, ibdev };

    return wait_for(host, look_at_vf, &wanted, run, error);
}

/* Drivers that udev loads come late; those that nobody binds do not come at all. */
static gboolean
look_for_driver(PvrHost *host, const PvrPci *pci, GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *autoprobe = NULL;

    if (pci->driver != NULL || pci->pf == NULL)
        return TRUE;
    path = pvr_host_path(host, PVR_DIR_SYS_PCI, "devices", pci->pf, "sriov_drivers_autoprobe",
                         NULL);
    if (g_file_get_contents(path, &autoprobe, NULL, NULL) && autoprobe[0] == '0') {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "%s has no driver: sriov_drivers_autoprobe of its PF is 0\n"
                    "bind one to it, or write 1 there and make the VFs anew", pci->address);
        return FALSE;
    }
    return set_not_yet(error, "%s has no driver yet\n"
                       "load it ('lspci -k' shows the module), or see 'dmesg' why it fails",
                       pci->address);
}

static gboolean
look_for_devices(PvrHost *host, gconstpointer what, GError **error)
{
    const Wanted *wanted = what;
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, wanted->address, error);

    if (pci == NULL || !look_for_driver(host, pci, error))
        return FALSE;
    if (!pci->netdev_elsewhere && !look_for_netdev(host, wanted->address, error))
        return FALSE;
    if (wanted->ibdev && pci->ibdevs->len == 0)
        return set_not_yet(error, "%s has no RDMA device yet\n'dmesg' may say why",
                           wanted->address);
    return TRUE;
}

gboolean
pvr_vf_wait_ready(PvrHost *host, const char *pci, gboolean ibdev, const PvrVfRun *run,
                  GError **error)
{
    const Wanted wanted = { pci, NULL, ibdev };

    return wait_for(host, look_for_devices, &wanted, run, error);
}

static gboolean
look_at_port(PvrHost *host, gconstpointer what, GError **error)
{
    g_autoptr(PvrPci) pci = pvr_host_get_pci(host, what, error);
    g_autofree char *reason = pci != NULL ? pvr_vf_explain_port(host, pci) : NULL;
    g_autoptr(PvrNetdev) netdev = pci != NULL && pci->netdevs->len != 0
                                  ? pvr_host_get_netdev(host, pci->netdevs->pdata[0], NULL) : NULL;

    if (pci == NULL || reason == NULL)
        return pci != NULL;
    g_set_error_literal(error, PVR_ERROR,
                        netdev != NULL && netdev->up ? PVR_ERROR_FAILED : PVR_ERROR_UNSUPPORTED,
                        reason);
    return FALSE;
}

void
pvr_vf_wait_port(PvrHost *host, const char *pci, guint timeout_ms)
{
    const PvrVfRun run = { .timeout_ms = timeout_ms };

    wait_for(host, look_at_port, pci, &run, NULL);
}
