/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-diff.h"
#include "pvr-domain.h"
#include "pvr-edit.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-plan.h"
#include "pvr-undo.h"

typedef struct {
    char *rxe, *ibdev;
    int port;
    int gid_index;
    char *gid;
    char *network, *bridge, *direct;
    gboolean print_xml, dry_run;
} AttachOpts;

static const AttachOpts attach_defaults = {.port = 1, .gid_index = -1};

static const GOptionEntry attach_options[] = {
    {"rxe", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, rxe),
     "Soft-RoCE on this netdev, made at start if need be", "NETDEV"},
    {"ibdev", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, ibdev),
     "an RDMA device of the host", "NAME"},
    {"port", 0, 0, G_OPTION_ARG_INT, PVR_OPT(AttachOpts, port), "port of the device (1)", "N"},
    {"gid-index", 0, 0, G_OPTION_ARG_INT, PVR_OPT(AttachOpts, gid_index),
     "GID of the port, by index", "N"},
    {"gid", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, gid), "GID of the port", "GID"},
    {"network", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, network),
     "virtual network of function 0 (default)", "NAME"},
    {"bridge", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, bridge),
     "host bridge of function 0", "NAME"},
    {"direct", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(AttachOpts, direct),
     "function 0 is a macvtap on this netdev", "NETDEV"},
    {"print-xml", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(AttachOpts, print_xml),
     "print the new domain XML, change nothing", NULL},
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(AttachOpts, dry_run),
     "print what would change as a diff, change nothing", NULL},
    {NULL},
};

/* Everything that one run knows. */
typedef struct {
    PvrCtx *ctx;
    const AttachOpts *opts;
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

static gboolean
check_options(const AttachOpts *opts, GError **error)
{
    if (!opts->rxe == !opts->ibdev) {
        return pvr_usage_error(error, "give either --rxe NETDEV or --ibdev NAME");
    }
    if (opts->gid && opts->gid_index != -1) {
        return pvr_usage_error(error, "give --gid or --gid-index, not both");
    }
    if (opts->gid_index < -1 || opts->gid_index > 65535) {
        return pvr_usage_error(error, "--gid-index %d is not from 0 to 65535", opts->gid_index);
    }
    if (opts->port < 1 || opts->port > 255) {
        return pvr_usage_error(error, "--port %d is not from 1 to 255", opts->port);
    }
    if (!!opts->network + !!opts->bridge + !!opts->direct > 1) {
        return pvr_usage_error(error, "give only one of --network, --bridge and --direct");
    }
    if (opts->print_xml && opts->dry_run) {
        return pvr_usage_error(error, "give --print-xml or --dry-run, not both");
    }
    return TRUE;
}

static PvrNetSource
net_source(const AttachOpts *opts)
{
    if (opts->bridge) {
        return (PvrNetSource){PVR_NET_BRIDGE, opts->bridge};
    }
    if (opts->direct) {
        return (PvrNetSource){PVR_NET_DIRECT, opts->direct};
    }
    return (PvrNetSource){PVR_NET_NETWORK, opts->network ? opts->network : "default"};
}

/* The kernel refuses a macvtap with the MAC of its lower device; libvirt would say so at start only. */
static gboolean
check_direct_mac(const Attach *attach, const PvrNetdev *netdev, GError **error)
{
    if (!pvr_mac_equal(&netdev->mac, &attach->wanted->mac)) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                "a macvtap on '%s' cannot have the MAC of '%s' itself, which function 0 needs\n"
                "connect function 0 with --network or --bridge",
                netdev->name, netdev->name);
    return FALSE;
}

static gboolean
check_source(Attach *attach, GError **error)
{
    PvrNetSource source = net_source(attach->opts);
    g_autoptr(PvrNetdev) netdev = NULL;

    if (source.kind == PVR_NET_NETWORK) {
        return pvr_virt_check_network(attach->virt, source.name, error);
    }
    if (!pvr_netdev_check_name(source.name, error)) {
        return FALSE;
    }
    netdev = pvr_host_get_netdev(attach->ctx->host, source.name, error);
    return netdev && (source.kind != PVR_NET_DIRECT || check_direct_mac(attach, netdev, error));
}

static gboolean
plan(Attach *attach, GError **error)
{
    const AttachOpts *opts = attach->opts;
    const PvrPlanRequest request = {
        .netdev = opts->rxe,
        .ibdev = opts->ibdev,
        .port = (guint)opts->port,
        .gid_index = opts->gid_index,
        .gid = opts->gid,
    };

    attach->wanted = pvr_plan_device(attach->ctx->host, &request, &attach->rxe_netdev, error);
    return attach->wanted != NULL;
}

static gboolean
fail_held(const Attach *attach, const PvrHolder *holder, GError **error)
{
    const char *what = attach->opts->rxe ? attach->opts->rxe : attach->opts->ibdev;

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
    const PvrHolder *other = pvr_holders_find(holders, wanted->ibdev, wanted->port,
                                              attach->rxe_netdev, attach->domain->uuid);
    const PvrHolder *own = pvr_holders_find(holders, wanted->ibdev, wanted->port,
                                            attach->rxe_netdev, NULL);

    if (other) {
        return fail_held(attach, other, error);
    }
    return own && !own->leased ? fail_held(attach, own, error) : TRUE;
}

static gboolean
check_others(Attach *attach, GError **error)
{
    g_autoptr(PvrSurvey) survey =
        pvr_domain_survey(attach->virt, attach->ctx->host, &attach->wanted->mac,
                          attach->domain->uuid, error);

    if (!survey || !check_holders(attach, survey->holders, error)) {
        return FALSE;
    }
    if (survey->mac_domain) {
        g_autofree char *mac = pvr_mac_to_string(&attach->wanted->mac);

        g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                    "the GID carries MAC %s, which an interface of domain '%s' has\n"
                    "give that interface another MAC, or choose another GID",
                    mac, survey->mac_domain);
        return FALSE;
    }
    for (guint i = 0; i < survey->warnings->len; i++) {
        g_ptr_array_add(attach->notes, g_strdup(g_ptr_array_index(survey->warnings, i)));
    }
    return TRUE;
}

static gboolean
edit(Attach *attach, GError **error)
{
    PvrNetSource source = net_source(attach->opts);
    gboolean dry = attach->opts->dry_run || attach->opts->print_xml;

    attach->before = pvr_virt_get_xml(attach->virt, attach->domain->uuid,
                                      dry ? PVR_VIRT_CONFIG : PVR_VIRT_CONFIG_SECURE, error);
    if (!attach->before) {
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
    add_bridge_note(attach);
    pvr_domain_effect_notes(attach->notes, attach->domain);
}

static void
show_text(Attach *attach)
{
    const PvrMetaDevice *device = attach->device;
    g_autofree char *gid = pvr_gid_to_string(&device->gid);
    g_autofree char *mac = pvr_mac_to_string(&device->mac);

    pvr_out(attach->ctx, "attached '%s' port %u to '%s' as device %u\nGID %s, MAC %s\n",
            device->ibdev, device->port, attach->domain->name, device->id, gid, mac);
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
    if (!check_options(attach->opts, error)) {
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
        "(function 1) in a slot of their own, and shared memory. A running domain gets the device\n"
        "at its next start. 'pvrdmactl detach' gives back the very configuration from before.",
    .options = attach_options,
    .opts_size = sizeof(AttachOpts),
    .opts_default = &attach_defaults,
    .min_args = 1,
    .max_args = 1,
    .example = "# what would change\n"
               "pvrdmactl attach vm1 --rxe eth0 --bridge br0 --dry-run\n"
               "pvrdmactl attach vm1 --rxe eth0 --bridge br0\n"
               "# a port of an RDMA network card, function 0 on the network 'default'\n"
               "pvrdmactl attach vm1 --ibdev mlx5_4",
    .run = run_attach,
};
