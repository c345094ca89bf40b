/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-attach-opts.h"
#include "pvr-diff.h"
#include "pvr-domain.h"
#include "pvr-domview.h"
#include "pvr-edit.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-plan.h"
#include "pvr-undo.h"

/* Everything that one run knows. */
typedef struct {
    PvrCtx *ctx;
    const PvrAttachOpts *opts;
    PvrVirt *virt;
    PvrVirtDomain *domain;
    PvrMetaDevice *wanted;
    PvrMetaDevice *device; /* wanted with its place in the domain */
    char *rxe_netdev;
    char *before, *after;
    GPtrArray *notes;
} Attach;

static void
attach_free(Attach *attach)
{
    pvr_virt_free(attach->virt);
    pvr_virt_domain_free(attach->domain);
    pvr_meta_device_free(attach->wanted);
    pvr_meta_device_free(attach->device);
    g_free(attach->rxe_netdev);
    g_free(attach->before);
    g_free(attach->after);
    g_clear_pointer(&attach->notes, g_ptr_array_unref);
    g_free(attach);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Attach, attach_free)

/* The kernel refuses a macvtap with the MAC of its lower device; libvirt would say so at start only. */
static gboolean
check_direct_mac(const Attach *attach, GError **error)
{
    const char *name = attach->opts->direct;
    g_autoptr(PvrNetdev) netdev =
        name ? pvr_host_get_netdev(attach->ctx->host, name, error) : NULL;

    if (!netdev || !pvr_mac_equal(&netdev->mac, &attach->wanted->mac)) {
        return !name || netdev;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "a macvtap on '%s' cannot have the MAC of '%s' itself, which function 0 needs\n%s",
                netdev->name, netdev->name,
                attach->opts->mac ? "give another with --mac"
                                  : "connect function 0 with --network or --bridge");
    return FALSE;
}

/* One that is not active yet is no error: it may well be when the domain starts. */
static gboolean
check_network(Attach *attach, const char *name, GError **error)
{
    gboolean active = FALSE;

    if (!pvr_virt_check_network(attach->virt, name, &active, error)) {
        return FALSE;
    }
    if (!active) {
        g_ptr_array_add(attach->notes,
                        g_strdup_printf("the network '%s' is not active, and '%s' cannot start "
                                        "before it is: virsh net-start %s; for the next boot, "
                                        "virsh net-autostart %s",
                                        name, attach->domain->name, name, name));
    }
    return TRUE;
}

static gboolean
check_source(Attach *attach, GError **error)
{
    PvrNetSource source = pvr_attach_net_source(attach->opts);
    g_autoptr(PvrNetdev) netdev = NULL;

    if (source.kind == PVR_NET_NETWORK) {
        return check_network(attach, source.name, error);
    }
    if (!pvr_netdev_check_name(source.name, error)) {
        return FALSE;
    }
    netdev = pvr_host_get_netdev(attach->ctx->host, source.name, error);
    return netdev != NULL;
}

static gboolean
plan(Attach *attach, GError **error)
{
    const PvrAttachOpts *opts = attach->opts;
    const PvrPlanRequest request = {
        .netdev = opts->rxe,
        .ibdev = opts->ibdev,
        .port = opts->port == -1 ? 1 : (guint)opts->port,
        .gid_index = opts->gid_index,
        .gid = opts->gid,
        .gid_policy = opts->gid_policy,
    };

    if (pvr_attach_has_own_mac(opts)) {
        return TRUE; /* see plan_with_mac(): its MAC depends on all other domains */
    }
    attach->wanted = pvr_plan_device(attach->ctx->host, &request, &attach->rxe_netdev, error);
    return attach->wanted != NULL;
}

/* With the MAC that was asked for, or the first of the domain's own that nobody has. */
static gboolean
plan_with_mac(Attach *attach, const PvrSurvey *survey, GError **error)
{
    const PvrAttachOpts *opts = attach->opts;
    const guint port = opts->port == -1 ? 1 : (guint)opts->port;
    PvrMac mac = {{0}};

    if (!opts->mac || !pvr_mac_parse(opts->mac, &mac, NULL)) {
        guint nth = 0;

        do {
            pvr_mac_of_domain(attach->domain->uuid, nth++, &mac);
        } while (pvr_survey_find_mac(survey, &mac, NULL));
    }
    attach->wanted = opts->vf ? pvr_plan_vf(attach->ctx->host, opts->vf, port, &mac, error)
                     : opts->pool
                         ? pvr_plan_pool(attach->ctx->host, opts->pool, port, &mac, error)
                         : pvr_plan_soft(&mac);
    return attach->wanted != NULL;
}

static gboolean
fail_held(const Attach *attach, const PvrHolder *holder, GError **error)
{
    const char *what = pvr_attach_what(attach->opts);

    if (g_str_equal(holder->uuid, attach->domain->uuid)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                    "'%s' is attached already, as device %u\n"
                    "to change it, run 'pvrdmactl detach %s %u' first",
                    what, holder->id, attach->domain->name, holder->id);
        return FALSE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "'%s' is held by domain '%s'%s, as device %u\n"
                "take another, or free it: pvrdmactl detach %s %u",
                what, holder->domain, holder->leased ? ", which is running" : "", holder->id,
                holder->domain, holder->id);
    return FALSE;
}

/* Own metadata counts, an own lease does not: a detached device is free for its domain again. */
static gboolean
check_holders(const Attach *attach, const GPtrArray *holders, GError **error)
{
    const PvrMetaDevice *wanted = attach->wanted;
    const PvrHolder *other =
        pvr_holders_find(holders, wanted->ibdev, wanted->pci, wanted->port, attach->rxe_netdev,
                         attach->domain->uuid);
    const PvrHolder *own = pvr_holders_find(holders, wanted->ibdev, wanted->pci, wanted->port,
                                            attach->rxe_netdev, NULL);

    if (other) {
        return fail_held(attach, other, error);
    }
    return own && !own->leased ? fail_held(attach, own, error) : TRUE;
}

static gboolean
check_macs(const Attach *attach, const PvrSurvey *survey, GError **error)
{
    const char *domain =
        pvr_survey_find_mac(survey, &attach->wanted->mac, attach->domain->uuid);
    g_autofree char *mac = pvr_mac_to_string(&attach->wanted->mac);

    if (!domain) {
        return TRUE;
    }
    if (attach->opts->mac) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "the MAC %s is that of an interface of domain '%s'\nchoose another", mac,
                    domain);
        return FALSE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "the GID carries MAC %s, which an interface of domain '%s' has\n"
                "give that interface another MAC, or choose another GID",
                mac, domain);
    return FALSE;
}

static gboolean
check_others(Attach *attach, GError **error)
{
    g_autoptr(PvrSurvey) survey = pvr_domain_survey(attach->virt, attach->ctx->host, error);

    if (!survey) {
        return FALSE;
    }
    if (pvr_attach_has_own_mac(attach->opts) && !plan_with_mac(attach, survey, error)) {
        return FALSE;
    }
    if ((attach->wanted->pci || attach->wanted->ibdev) &&
        !check_holders(attach, survey->holders, error)) {
        return FALSE;
    }
    if (!check_macs(attach, survey, error) || !check_direct_mac(attach, error)) {
        return FALSE;
    }
    for (guint i = 0; i < survey->warnings->len; i++) {
        g_ptr_array_add(attach->notes, g_strdup(g_ptr_array_index(survey->warnings, i)));
    }
    return TRUE;
}

static gboolean
check_pool_twice(const Attach *attach, GError **error)
{
    g_autoptr(PvrDomainMeta) meta =
        pvr_metadata_parse_domain(attach->before, strlen(attach->before), error);

    for (guint i = 0; meta && attach->opts->pool && !attach->opts->mac && i < meta->devices->len;
         i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        if (g_strcmp0(device->pool, attach->opts->pool) == 0) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                        "a VF of the pool '%s' is attached already, as device %u\n"
                        "to have a further one, give it a MAC with --mac",
                        device->pool, device->id);
            return FALSE;
        }
    }
    return meta != NULL;
}

/* The same attach twice is no wish for two devices. */
static gboolean
check_soft_twice(const Attach *attach, const PvrNetSource *source, GError **error)
{
    return !pvr_attach_is_soft(attach->opts) ||
           pvr_domxml_check_soft(attach->before, strlen(attach->before), source,
                                 attach->opts->mac ? &attach->wanted->mac : NULL, error);
}

static gboolean
edit(Attach *attach, GError **error)
{
    PvrNetSource source = pvr_attach_net_source(attach->opts);
    gboolean dry = attach->opts->dry_run || attach->opts->print_xml;

    attach->before = pvr_virt_get_xml(attach->virt, attach->domain->uuid,
                                      dry ? PVR_VIRT_CONFIG : PVR_VIRT_CONFIG_SECURE, error);
    if (!attach->before || !check_soft_twice(attach, &source, error) ||
        !check_pool_twice(attach, error)) {
        return FALSE;
    }
    attach->after = pvr_domxml_attach(attach->before, strlen(attach->before), attach->wanted,
                                      &source, &attach->device, error);
    return attach->after != NULL;
}

/* A bridge takes frames to the MAC of one of its ports as meant for the host. */
static void
add_bridge_note(Attach *attach)
{
    const char *bridge = attach->opts->bridge;
    g_autofree char *master = NULL;
    g_autofree char *target = NULL;
    g_autofree char *name = NULL;

    if (!bridge || !attach->rxe_netdev) {
        return;
    }
    master = pvr_host_path(attach->ctx->host, PVR_DIR_SYS_NET, attach->rxe_netdev, "master", NULL);
    target = g_file_read_link(master, NULL);
    name = target ? g_path_get_basename(target) : NULL;
    if (g_strcmp0(name, bridge) == 0) {
        g_ptr_array_add(attach->notes,
                        g_strdup_printf("'%s' is a port of '%s' and has the MAC of function 0, which "
                                        "therefore receives nothing: better use another bridge",
                                        attach->rxe_netdev, bridge));
    }
}

/* It works, but not for everything. */
static void
add_pages_note(Attach *attach)
{
    g_autoptr(PvrDomainView) view =
        pvr_domain_view_parse(attach->after, strlen(attach->after), NULL);

    if (attach->device->backend != PVR_BACKEND_SOFT && view && view->hugepages) {
        g_ptr_array_add(attach->notes,
                        g_strdup_printf("'%s' has its memory on huge pages: its applications can "
                                        "register only what is on huge pages in the guest, too",
                                        attach->domain->name));
    }
}

static void
add_policy_note(Attach *attach)
{
    g_autofree char *policy = pvr_gid_policy_to_string(attach->device->gid_policy);

    if (policy) {
        g_ptr_array_add(attach->notes,
                        g_strdup_printf("at each start any GID of the port will do that carries this MAC "
                                        "and fits the policy %s",
                                        policy));
    }
}

static void
add_notes(Attach *attach)
{
    g_autoptr(PvrIbdev) link = NULL;

    if (attach->opts->rxe) {
        link = pvr_host_get_ibdev(attach->ctx->host, attach->device->ibdev, NULL);
        if (!link) {
            g_ptr_array_add(attach->notes,
                            g_strdup_printf("'%s' does not exist yet: it is made when '%s' starts",
                                            attach->device->ibdev, attach->domain->name));
        }
    }
    if (attach->opts->vf && !attach->device->ibdev) {
        g_ptr_array_add(attach->notes,
                        g_strdup_printf("VF %s has no RDMA device now, and '%s' cannot start before "
                                        "it has: see 'pvrdmactl vf list', pvrdma.conf(5)",
                                        attach->device->pci, attach->domain->name));
    }
    add_bridge_note(attach);
    add_pages_note(attach);
    add_policy_note(attach);
    pvr_domain_effect_notes(attach->notes, attach->domain);
}

static void
show_text(Attach *attach)
{
    const PvrMetaDevice *device = attach->device;
    g_autofree char *gid = pvr_gid_to_string(&device->gid);
    g_autofree char *mac = pvr_mac_to_string(&device->mac);

    if (device->backend == PVR_BACKEND_SOFT) {
        pvr_out(attach->ctx, "attached a soft RDMA device to '%s' as device %u\n",
                attach->domain->name, device->id);
    } else if (device->backend == PVR_BACKEND_POOL) {
        pvr_out(attach->ctx, "attached a VF of the pool '%s' to '%s' as device %u\n", device->pool,
                attach->domain->name, device->id);
    } else if (device->backend == PVR_BACKEND_VF) {
        pvr_out(attach->ctx, "attached VF %s%s%s%s to '%s' as device %u\n", device->pci,
                device->ibdev ? " ('" : "", device->ibdev ? device->ibdev : "",
                device->ibdev ? "')" : "", attach->domain->name, device->id);
    } else {
        pvr_out(attach->ctx, "attached '%s' port %u to '%s' as device %u\n", device->ibdev,
                device->port, attach->domain->name, device->id);
    }
    pvr_out(attach->ctx, "GID %s, MAC %s\n", gid, mac);
    for (guint i = 0; i < attach->notes->len; i++) {
        pvr_out(attach->ctx, "note: %s\n", (const char *)g_ptr_array_index(attach->notes, i));
    }
}

static void
show_json(Attach *attach, const char *diff)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_add_string(builder, "domain", attach->domain->name);
    pvr_json_add_string(builder, "uuid", attach->domain->uuid);
    pvr_json_add_bool(builder, "changed", !diff && !attach->opts->print_xml);
    pvr_json_begin_object(builder, "device");
    pvr_domain_device_json(builder, attach->device);
    json_builder_end_object(builder);
    if (diff) {
        pvr_json_add_string(builder, "diff", diff);
    }
    if (attach->opts->print_xml) {
        pvr_json_add_string(builder, "xml", attach->after);
    }
    pvr_domain_notes_json(builder, attach->notes);
    pvr_out_json(attach->ctx, builder);
}

static void
show(Attach *attach)
{
    g_autofree char *diff = NULL;

    if (attach->opts->dry_run) {
        diff = pvr_diff_unified(attach->before, attach->after, "before", "after");
    }
    if (attach->ctx->json) {
        show_json(attach, diff);
    } else if (attach->opts->dry_run || attach->opts->print_xml) {
        pvr_out(attach->ctx, "%s", diff ? diff : attach->after);
    } else {
        show_text(attach);
    }
}

/* The lock also keeps two attaches from giving one device to two domains. */
static gboolean
check_and_edit(Attach *attach, GError **error)
{
    gboolean dry = attach->opts->dry_run || attach->opts->print_xml;
    g_autoptr(PvrLock) lock = dry ? NULL : pvr_undo_lock(attach->ctx->host, error);

    if (!dry && !lock) {
        return FALSE;
    }
    if (!check_others(attach, error) || !edit(attach, error)) {
        return FALSE;
    }
    return dry || pvr_edit_attach(attach->virt, attach->ctx->host, attach->domain->uuid,
                                  attach->before, attach->after, attach->device->id, error);
}

static gboolean
run_attach(PvrCtx *ctx, int argc G_GNUC_UNUSED, char **argv, GError **error)
{
    g_autoptr(Attach) attach = g_new0(Attach, 1);

    attach->ctx = ctx;
    attach->opts = ctx->opts;
    attach->notes = g_ptr_array_new_with_free_func(g_free);
    if (!pvr_attach_check_options(attach->opts, error)) {
        return FALSE;
    }
    attach->virt = pvr_virt_open(ctx->uri, error);
    attach->domain =
        attach->virt ? pvr_domain_find_persistent(attach->virt, argv[0], error) : NULL;
    if (!attach->domain || !plan(attach, error) || !check_source(attach, error) ||
        !check_and_edit(attach, error)) {
        return FALSE;
    }
    add_notes(attach);
    show(attach);
    return TRUE;
}

const PvrCommand pvr_cmd_attach = {
    .name = "attach",
    .args = "DOMAIN",
    .summary = "Give a domain an RDMA device",
    .description =
        "Edits the persistent configuration: a vmxnet3 interface (function 0) and the RDMA device\n"
        "(function 1) in a slot of their own; unless it is soft also shared memory. A running\n"
        "domain gets the device at its next start. 'pvrdmactl detach' gives back the very\n"
        "configuration from before.",
    .options = pvr_attach_options,
    .opts_size = sizeof(PvrAttachOpts),
    .opts_default = &pvr_attach_defaults,
    .min_args = 1,
    .max_args = 1,
    .example = "# what would change, then do it: a soft device on the network 'default'\n"
               "pvrdmactl attach vm1 --dry-run\n"
               "pvrdmactl attach vm1\n"
               "# Soft-RoCE of the host, function 0 on a bridge\n"
               "pvrdmactl attach vm1 --rxe eth0 --bridge br0\n"
               "# a port of an RDMA network card\n"
               "pvrdmactl attach vm1 --ibdev mlx5_0\n"
               "# a VF of its own; or any that is free when it starts\n"
               "pvrdmactl attach vm1 --vf mlx5_4\n"
               "pvrdmactl attach vm1 --pool fast",
    .run = run_attach,
};
