/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-check-priv.h"

#include <string.h>

#include "pvr-claim-vf.h"
#include "pvr-claim.h"
#include "pvr-domview.h"
#include "pvr-error.h"
#include "pvr-gid-why.h"
#include "pvr-lease.h"
#include "pvr-metadata.h"
#include "pvr-proc.h"
#include "pvr-qemu-user.h"
#include "pvr-verify.h"

typedef PvrCheckDevice Ctx;

/* "device0.gid" */
static char *
device_id(const Ctx *ctx, const char *what)
{
    return g_strdup_printf("device%u.%s", ctx->device->id, what);
}

/* Adds the result of a verification; @what is what holds when there is no error. */
static void G_GNUC_PRINTF(4, 5)
    add_verified(const Ctx *ctx, const char *name, const GError *error, const char *what, ...)
{
    g_autofree char *id = device_id(ctx, name);
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, what);
    text = g_strdup_vprintf(what, args);
    va_end(args);
    pvr_checks_add_result(ctx->checks, id, PVR_CHECK_FAILED, error, "%s", text);
}

static void
check_functions(const Ctx *ctx)
{
    g_autoptr(GError) error = NULL;

    pvr_verify_functions(ctx->view, ctx->device, &error);
    add_verified(ctx, "functions", error, "vmxnet3 at function 0, pvrdma at function 1");
}

static void
check_mac(const Ctx *ctx)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *mac = pvr_mac_to_string(&ctx->device->mac);

    pvr_verify_mac(ctx->view, ctx->device, &error);
    add_verified(ctx, "mac", error, "function 0 has the MAC %s that the GID carries", mac);
}

static void
check_connection(const Ctx *ctx)
{
    g_autoptr(GError) error = NULL;
    const PvrRngView *rng = pvr_domain_view_function1(ctx->view, ctx->device);
    const PvrNicView *nic = rng != NULL ? pvr_domain_view_function0(ctx->view, rng) : NULL;

    pvr_verify_connection(ctx->view, ctx->device, &error);
    add_verified(ctx, "connection", error, "function 0 is an interface of type '%s'",
                 nic != NULL ? nic->type : "unknown");
}

static void
add_na(const Ctx *ctx, const char *name, const char *why)
{
    g_autofree char *id = device_id(ctx, name);

    pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL, "%s", why);
}

static void
check_netdev(const Ctx *ctx)
{
    g_autoptr(GError) error = NULL;
    const char *netdev = ctx->device->netdev;

    if (netdev != NULL) {
        pvr_verify_netdev(ctx->host, netdev, &error);
        add_verified(ctx, "netdev", error, "'%s' is up", netdev);
    }
}

/* Usable by QEMU: the node is there and its mode lets the user open it. */
static void
check_node(const Ctx *ctx, const PvrIbdev *ibdev)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrQemuUser) user = pvr_qemu_user_find(ctx->host);
    g_autofree char *id = device_id(ctx, "node");
    g_autofree char *path = NULL;
    g_autofree char *remedy = NULL;
    struct stat st;

    if (!pvr_verify_node(ctx->host, ibdev, &error)) {
        pvr_checks_add_result(ctx->checks, id, PVR_CHECK_FAILED, error, "unknown");
        return;
    }
    path = pvr_host_path(ctx->host, PVR_DIR_DEV_IB, ibdev->uverbs, NULL);
    if (stat(path, &st) < 0 || user == NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_NA, NULL,
                       "'%s' exists; as whom QEMU runs is not known", path);
    } else if (!pvr_qemu_user_may_read_write(user, &st)) {
        remedy = g_strdup_printf("chmod 666 %s, and see that udev rules of rdma-core are installed",
                                 path);
        pvr_checks_add(ctx->checks, id, PVR_CHECK_FAILED, remedy,
                       "'%s' has mode %04o: user '%s' cannot open it", path, st.st_mode & 07777,
                       user->name);
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "'%s' has mode %04o: user '%s' can open it", path, st.st_mode & 07777,
                       user->name);
    }
}

/* What stands against the entry although it is the right one; NULL when nothing does. */
static char *
why_not(const Ctx *ctx, const PvrIbdev *ibdev, const PvrGidEntry *entry)
{
    const PvrPort *port = pvr_ibdev_get_port(ibdev, ctx->device->port, NULL);
    g_autoptr(GPtrArray) list = pvr_gid_why_port(ctx->host, ibdev, port);

    for (guint i = 0; i < list->len; i++) {
        const PvrGidWhy *why = g_ptr_array_index(list, i);

        /* Of the port another check speaks. */
        if (why->entry == entry && why->verdict != PVR_GID_USABLE &&
            why->verdict != PVR_GID_PORT_DOWN && why->verdict != PVR_GID_NO_NETDEV) {
            return g_strdup(why->why);
        }
    }
    return NULL;
}

static void
check_gid(const Ctx *ctx, const PvrIbdev *ibdev)
{
    g_autoptr(GError) error = NULL;
    const PvrGidEntry *entry = pvr_verify_find_gid(ibdev, ctx->device);
    g_autofree char *id = device_id(ctx, "gid");
    g_autofree char *given = pvr_gid_to_string(&ctx->device->gid);
    g_autofree char *policy = pvr_gid_policy_to_string(ctx->device->gid_policy);
    g_autofree char *gid = entry != NULL ? pvr_gid_to_string(&entry->gid) : NULL;
    g_autofree char *why = entry != NULL ? why_not(ctx, ibdev, entry) : NULL;
    g_autofree char *remedy = g_strdup_printf("see 'pvrdmactl gid %s --why'", ibdev->name);

    if (entry == NULL) {
        pvr_verify_gid(ibdev, ctx->device, &error);
        pvr_checks_add_result(ctx->checks, id, PVR_CHECK_FAILED, error, "unknown");
    } else if (why != NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_FAILED, remedy,
                       "port %u of '%s' has the GID %s, but a guest cannot use it: %s",
                       ctx->device->port, ibdev->name, gid, why);
    } else if (!pvr_gid_equal(&entry->gid, &ctx->device->gid)) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "port %u of '%s' has the GID %s at index %u, which fits %s; attach saw %s",
                       ctx->device->port, ibdev->name, gid, entry->index,
                       policy != NULL ? policy : "the MAC", given);
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL, "port %u of '%s' has the GID %s",
                       ctx->device->port, ibdev->name, gid);
    }
}

static void
check_port(const Ctx *ctx, const PvrIbdev *ibdev)
{
    g_autoptr(GError) port = NULL;

    pvr_verify_port(ibdev, ctx->device, &port);
    add_verified(ctx, "port", port, "port %u of '%s' is ACTIVE", ctx->device->port, ibdev->name);
    if (pvr_ibdev_get_port(ibdev, ctx->device->port, NULL) != NULL) {
        check_gid(ctx, ibdev);
    }
    check_node(ctx, ibdev);
    pvr_check_device(ctx, ibdev);
}

static void
check_ibdev(const Ctx *ctx)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev = pvr_claim_find_ibdev(ctx->host, ctx->device, &error);
    g_autofree char *id = device_id(ctx, "ibdev");

    if (ibdev != NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL, "'%s' exists", ibdev->name);
        check_port(ctx, ibdev);
    } else if (error == NULL && !ctx->running) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "the hook makes the rxe link '%s' on '%s' at start", ctx->device->ibdev,
                       ctx->device->netdev);
    } else if (error == NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_FAILED, "shut the domain down and start it again",
                       "the domain runs, but the rxe link on '%s' is gone", ctx->device->netdev);
    } else {
        pvr_checks_add_result(ctx->checks, id, PVR_CHECK_FAILED, error, "unknown");
    }
}

/* The VF that the domain has, or would get if it started now. */
static void
check_vf(const Ctx *ctx, const PvrDomainMeta *meta, GPtrArray *leases)
{
    const PvrLease *own = pvr_lease_find(leases, ctx->view->uuid, ctx->device->id);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrIbdev) ibdev =
        own != NULL ? pvr_host_get_ibdev(ctx->host, own->ibdev, &error) : NULL;
    g_autofree char *id = device_id(ctx, "ibdev");
    g_autofree char *name = NULL;
    g_autofree char *address = NULL;
    PvrLease *holder = NULL;

    if (ibdev != NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL, "'%s' exists", ibdev->name);
        check_port(ctx, ibdev);
    } else if (own == NULL && ctx->running) {
        add_na(ctx, "ibdev", "which VF the domain has is not known");
    } else if (own == NULL && pvr_claim_choose_vf(ctx->host, meta, ctx->device, leases, FALSE, &name,
                                                  &address, &holder, &error)) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL,
                       "at start it would get VF %s ('%s'), with the domain's MAC", address, name);
    } else {
        pvr_checks_add_result(ctx->checks, id, PVR_CHECK_FAILED, error, "unknown");
    }
}

/* Who holds what a domain that is shut off needs; NULL also where that is chosen at start. */
static const PvrLease *
find_holder(const Ctx *ctx, GPtrArray *leases)
{
    if (ctx->device->pci != NULL) {
        return pvr_lease_find_holder(leases, ctx->device->ibdev, ctx->device->port,
                                     ctx->device->pci);
    }
    return ctx->device->ibdev != NULL
               ? pvr_lease_find_ibdev(leases, ctx->device->ibdev, ctx->device->port)
               : NULL;
}

/* A running domain has a lease; one that is shut off must be able to get it. */
static void
check_lease(const Ctx *ctx, GPtrArray *leases)
{
    g_autofree char *id = device_id(ctx, "lease");
    const PvrLease *own = pvr_lease_find(leases, ctx->view->uuid, ctx->device->id);
    const PvrLease *holder = own == NULL ? find_holder(ctx, leases) : NULL;
    const char *what = ctx->device->ibdev != NULL ? ctx->device->ibdev : ctx->device->pci;

    if (own != NULL) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL, "it holds '%s' (%s)", own->ibdev,
                       own->state);
    } else if (ctx->running) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_FAILED,
                       "see hook.file and hook.known, then shut the domain down and start it again",
                       "the domain runs without a lease: the hook was not there at its start");
    } else if (holder != NULL && !pvr_claim_is_dead(ctx->host, holder)) {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_WARNING, "shut that domain down first",
                       "'%s' is held by domain '%s' now", holder->ibdev, holder->domain);
    } else if (what == NULL) {
        add_na(ctx, "lease", "the VF is chosen at start");
    } else {
        pvr_checks_add(ctx->checks, id, PVR_CHECK_OK, NULL, "'%s' is free", what);
    }
}

static void
check_qemu_memlock(PvrHost *host, const PvrDomainView *view, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *remedy = NULL;
    guint64 limit = 0;
    gint64 pid = 0;

    if (!pvr_proc_find_qemu(host, view->name, view->uuid, &pid, &error)) {
        pvr_checks_add_result(checks, "qemu.memlock", PVR_CHECK_NA, error, "unknown");
    } else if (pvr_proc_get_memlock(host, pid, &limit) && limit / 1024 < view->memory_kib) {
        remedy = g_strdup_printf("prlimit --pid %" G_GINT64_FORMAT " --memlock=unlimited", pid);
        pvr_checks_add(checks, "qemu.memlock", PVR_CHECK_FAILED, remedy,
                       "QEMU (process %" G_GINT64_FORMAT ") may lock %" G_GUINT64_FORMAT
                       " KiB, less than the guest has",
                       pid, limit / 1024);
    } else {
        pvr_checks_add(checks, "qemu.memlock", PVR_CHECK_OK, NULL,
                       "QEMU (process %" G_GINT64_FORMAT ") may lock all of the guest's memory",
                       pid);
    }
}

static void
check_soft_device(const Ctx *ctx)
{
    check_functions(ctx);
    check_connection(ctx);
    add_na(ctx, "mac", "a soft device takes the MAC that function 0 has");
    add_na(ctx, "ibdev", "a soft device uses no RDMA device of the host");
    add_na(ctx, "lease", "a soft device holds nothing of the host");
}

static void
check_device(const Ctx *ctx, const PvrDomainMeta *meta, GPtrArray *leases)
{
    check_functions(ctx);
    check_mac(ctx);
    check_netdev(ctx);
    if (!pvr_backend_is_vf(ctx->device->backend)) {
        check_ibdev(ctx);
    } else if (leases != NULL) {
        check_vf(ctx, meta, leases);
    }
    if (leases != NULL) { /* else state.leases says why */
        check_lease(ctx, leases);
    }
}

static void
check_memory(const PvrDomainView *view, const PvrDomainMeta *meta, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;

    if (!pvr_metadata_uses_host(meta)) {
        pvr_checks_add(checks, "memory.shared", PVR_CHECK_NA, NULL,
                       "a soft device works with any memory");
        pvr_checks_add(checks, "memory.pages", PVR_CHECK_NA, NULL,
                       "a soft device works with pages of any size");
        return;
    }
    pvr_verify_memory(view, &error);
    pvr_checks_add_result(checks, "memory.shared", PVR_CHECK_FAILED, error,
                          "the guest's memory is shared");
    if (view->hugepages) {
        pvr_checks_add(checks, "memory.pages", PVR_CHECK_WARNING,
                       "remove <hugepages/>, or let the guest's applications use huge pages, too",
                       "the guest's memory is on huge pages: what is not on such in the guest, too, "
                       "cannot be registered");
    } else {
        pvr_checks_add(checks, "memory.pages", PVR_CHECK_OK, NULL,
                       "the guest's memory is on ordinary pages");
    }
}

static void
check_devices(PvrHost *host, const PvrDomainView *view, const PvrDomainMeta *meta, gboolean running,
              GPtrArray *checks)
{
    g_autoptr(GPtrArray) leases = pvr_lease_list(host, NULL);

    check_memory(view, meta, checks);
    for (guint i = 0; i < meta->devices->len; i++) {
        const Ctx ctx = {.host = host,
                         .view = view,
                         .device = g_ptr_array_index(meta->devices, i),
                         .running = running,
                         .checks = checks};

        pvr_verify_adopt_index(view, g_ptr_array_index(meta->devices, i));
        if (ctx.device->backend == PVR_BACKEND_SOFT) {
            check_soft_device(&ctx);
        } else {
            check_device(&ctx, meta, leases);
        }
    }
    if (running && pvr_metadata_uses_host(meta)) {
        check_qemu_memlock(host, view, checks);
    } else if (running) {
        pvr_checks_add(checks, "qemu.memlock", PVR_CHECK_NA, NULL, "a soft device locks no memory");
    }
}

void
pvr_check_domain(PvrHost *host, const char *xml, gsize len, gboolean running, GPtrArray *checks)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainView) view = pvr_domain_view_parse(xml, len, &error);
    g_autoptr(PvrDomainMeta) meta =
        view != NULL ? pvr_metadata_parse_domain(xml, len, &error) : NULL;

    if (meta != NULL) {
        pvr_metadata_check_owner(meta, &error);
    }
    if (error != NULL) {
        pvr_checks_add_result(checks, "domain.metadata", PVR_CHECK_FAILED, error, "unknown");
    } else if (meta->devices->len == 0) {
        g_autofree char *remedy = g_strdup_printf("pvrdmactl attach %s", view->name);

        pvr_checks_add(checks, "domain.metadata", PVR_CHECK_NA, remedy, "'%s' has no RDMA device",
                       view->name);
    } else {
        pvr_checks_add(checks, "domain.metadata", PVR_CHECK_OK, NULL, "'%s' has %u RDMA device%s",
                       view->name, meta->devices->len, meta->devices->len > 1 ? "s" : "");
        pvr_check_xml(xml, len, checks);
        check_devices(host, view, meta, running, checks);
    }
}
