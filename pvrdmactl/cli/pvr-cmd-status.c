/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-domain.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-lease.h"
#include "pvr-status-stats.h"
#include "pvr-xml.h"

#define WATCH_SECONDS 2.0
#define MIN_SECONDS 0.1
#define MAX_SECONDS 86400.0

typedef struct {
    gboolean stats;
    char *watch; /* seconds; NULL: not given, empty: the default */
} StatusOpts;

/* The devices of one XML of a domain, configuration or live; meta is NULL if there is no such XML. */
typedef struct {
    xmlDoc *doc;
    PvrDomainMeta *meta;
} Side;

typedef struct {
    PvrCtx *ctx;
    PvrVirt *virt;
    GPtrArray *leases; /* NULL if they cannot be read */
    GPtrArray *notes;
    PvrTable *table;      /* one of these two */
    JsonBuilder *builder;
    guint count;
} Status;

static void
side_clear(Side *side)
{
    g_clear_pointer(&side->doc, xmlFreeDoc);
    g_clear_pointer(&side->meta, pvr_domain_meta_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Side, side_clear)

static void
status_clear(Status *status)
{
    g_clear_pointer(&status->virt, pvr_virt_free);
    g_clear_pointer(&status->leases, g_ptr_array_unref);
    g_clear_pointer(&status->notes, g_ptr_array_unref);
    g_clear_pointer(&status->table, pvr_table_free);
    g_clear_object(&status->builder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Status, status_clear)

static gboolean
load_side(PvrVirt *virt, const PvrVirtDomain *domain, PvrVirtXml which, Side *side, GError **error)
{
    g_autofree char *xml = pvr_virt_get_xml(virt, domain->uuid, which, error);

    side->doc = xml ? pvr_xml_parse(xml, strlen(xml), error) : NULL;
    side->meta =
        side->doc ? pvr_metadata_parse_node(xmlDocGetRootElement(side->doc), error) : NULL;
    return side->meta != NULL;
}

static PvrMetaDevice *
side_find(const Side *side, guint id)
{
    return side->meta ? pvr_metadata_find(side->meta, id) : NULL;
}

static PvrDomxmlDevice *
side_place(const Side *side, const PvrMetaDevice *device)
{
    return pvr_domxml_find(xmlDocGetRootElement(side->doc), device);
}

/* In words that a script can compare. */
static const char *
state_of(const PvrVirtDomain *domain, gboolean in_config, gboolean in_live)
{
    if (!domain->active) {
        return "configured";
    }
    if (in_live) {
        return in_config || !domain->persistent ? "running" : "detached-at-shutdown";
    }
    return "attached-at-next-start";
}

static char *
functions_text(const PvrDomxmlDevice *place)
{
    if (!place->function0 || !place->function1 || !place->override) {
        return g_strdup("incomplete");
    }
    return g_strdup_printf("%s,%c", place->function0,
                           place->function1[strlen(place->function1) - 1]);
}

/* What a domain has while it runs is in the lease; before that, what it was attached to. */
static const char *
device_name(const PvrMetaDevice *device, const PvrLease *lease)
{
    const char *attached = device->ibdev ? device->ibdev : device->pci;

    return lease ? lease->ibdev : attached ? attached : device->pool;
}

static void
add_row(Status *status, const PvrVirtDomain *domain, const PvrMetaDevice *device,
        const PvrDomxmlDevice *place, const char *state, const PvrLease *lease)
{
    g_autofree char *id = g_strdup_printf("%u", device->id);
    g_autofree char *port = device->port ? g_strdup_printf("%u", device->port) : NULL;
    const gboolean has_mac = pvr_mac_is_usable(&device->mac);
    g_autofree char *gid = has_mac ? pvr_gid_to_string(lease ? &lease->gid : &device->gid) : NULL;
    g_autofree char *mac = has_mac ? pvr_mac_to_string(&device->mac) : NULL;
    g_autofree char *functions = functions_text(place);

    pvr_table_add(status->table,
                  (const char *[]){domain->name, id, state, pvr_backend_to_string(device->backend),
                                   device_name(device, lease), port, device->netdev, gid, mac,
                                   place->net_source, functions, lease ? lease->state : NULL});
}

static void
add_lease_json(JsonBuilder *builder, const PvrLease *lease)
{
    if (!lease) {
        json_builder_set_member_name(builder, "lease");
        json_builder_add_null_value(builder);
        return;
    }
    pvr_json_begin_object(builder, "lease");
    pvr_json_add_string(builder, "state", lease->state);
    pvr_json_add_string(builder, "ibdev", lease->ibdev);
    pvr_json_add_int(builder, "port", lease->port);
    pvr_json_add_int(builder, "pid", lease->pid);
    json_builder_end_object(builder);
}

static void
add_json(Status *status, const PvrVirtDomain *domain, const PvrMetaDevice *device,
         const PvrDomxmlDevice *place, const char *state, const PvrLease *lease)
{
    JsonBuilder *builder = status->builder;

    json_builder_begin_object(builder);
    pvr_json_add_string(builder, "domain", domain->name);
    pvr_json_add_string(builder, "uuid", domain->uuid);
    pvr_json_add_bool(builder, "domain_running", domain->active);
    pvr_json_add_string(builder, "state", state);
    pvr_domain_device_json(builder, device);
    pvr_json_add_string(builder, "interface_type", place->net_type);
    pvr_json_add_string(builder, "source", place->net_source);
    pvr_json_add_string(builder, "function0", place->function0);
    pvr_json_add_string(builder, "function1", place->function1);
    pvr_json_add_bool(builder, "complete", place->function0 && place->function1 && place->override);
    add_lease_json(builder, lease);
    json_builder_end_object(builder);
}

static void
show_device(Status *status, const PvrVirtDomain *domain, const Side *config, const Side *live,
            guint id)
{
    PvrMetaDevice *in_config = side_find(config, id);
    PvrMetaDevice *in_live = side_find(live, id);
    PvrMetaDevice *device = in_live ? in_live : in_config;
    const char *state = state_of(domain, in_config != NULL, in_live != NULL);
    const PvrLease *lease =
        status->leases ? pvr_lease_find(status->leases, domain->uuid, id) : NULL;
    g_autoptr(PvrDomxmlDevice) place = NULL;

    if (!device) {
        return;
    }
    status->count++;
    place = side_place(in_live ? live : config, device);
    pvr_domain_complete_soft(device, place);
    if (status->builder) {
        add_json(status, domain, device, place, state, lease);
    } else {
        add_row(status, domain, device, place, state, lease);
    }
    if (!place->function0 || !place->function1 || !place->override) {
        g_ptr_array_add(status->notes,
                        g_strdup_printf("device %u of '%s' lacks parts in the domain XML: "
                                        "'pvrdmactl detach %s %u', then attach it again",
                                        id, domain->name, domain->name, id));
    }
}

static gboolean
show_domain(Status *status, const PvrVirtDomain *domain, GError **error)
{
    g_auto(Side) config = {NULL, NULL};
    g_auto(Side) live = {NULL, NULL};

    if ((domain->persistent && !load_side(status->virt, domain, PVR_VIRT_CONFIG, &config, error)) ||
        (domain->active && !load_side(status->virt, domain, PVR_VIRT_LIVE, &live, error))) {
        return FALSE;
    }
    for (guint id = 0; id < PVR_METADATA_MAX_DEVICES; id++) {
        show_device(status, domain, &config, &live, id);
    }
    return TRUE;
}

/* A domain that cannot be read does not hide the others. */
static gboolean
show_all(Status *status, GError **error)
{
    g_autoptr(GPtrArray) domains = pvr_virt_list(status->virt, error);

    for (guint i = 0; domains && i < domains->len; i++) {
        const PvrVirtDomain *domain = g_ptr_array_index(domains, i);
        g_autoptr(GError) failed = NULL;

        if (!show_domain(status, domain, &failed) &&
            !g_error_matches(failed, PVR_ERROR, PVR_ERROR_NOT_FOUND)) {
            g_strdelimit(failed->message, "\n", ' ');
            g_ptr_array_add(status->notes, g_strdup_printf("domain '%s' was left out: %s",
                                                           domain->name, failed->message));
        }
    }
    return domains != NULL;
}

static gboolean
show_one(Status *status, const char *name, GError **error)
{
    g_autoptr(PvrVirtDomain) domain = pvr_virt_find(status->virt, name, error);

    return domain && show_domain(status, domain, error);
}

static void
load_leases(Status *status)
{
    g_autoptr(GError) failed = NULL;

    status->leases = pvr_lease_list(status->ctx->host, &failed);
    if (failed) {
        g_strdelimit(failed->message, "\n", ' ');
        g_ptr_array_add(status->notes, g_strdup_printf("leases are not shown: %s",
                                                       failed->message));
    }
}

static void
begin_output(Status *status)
{
    if (status->ctx->json) {
        status->builder = pvr_json_begin();
        pvr_json_begin_array(status->builder, "devices");
    } else {
        status->table = pvr_table_new("DOMAIN", "ID", "STATE", "BACKEND", "DEVICE", "PORT",
                                      "NETDEV", "GID", "MAC", "SOURCE", "FUNCTIONS", "LEASE", NULL);
    }
}

static void
end_output(Status *status, const char *name)
{
    if (status->builder) {
        json_builder_end_array(status->builder);
        pvr_domain_notes_json(status->builder, status->notes);
        pvr_out_json(status->ctx, status->builder);
        return;
    }
    if (status->count) {
        pvr_out_table(status->ctx, status->table);
    } else if (name) {
        pvr_out(status->ctx, "'%s' has no RDMA device\n", name);
    } else {
        pvr_out(status->ctx, "no domain has an RDMA device\n");
    }
    for (guint i = 0; i < status->notes->len; i++) {
        pvr_out(status->ctx, "note: %s\n", (const char *)g_ptr_array_index(status->notes, i));
    }
}

/* 0 without --watch */
static gboolean
get_interval(const StatusOpts *opts, double *ret_seconds, GError **error)
{
    char *end = NULL;
    double seconds = 0;

    if (opts->watch && !opts->stats) {
        return pvr_usage_error(error, "--watch goes with --stats");
    }
    if (opts->watch) {
        seconds = *opts->watch ? g_ascii_strtod(opts->watch, &end) : WATCH_SECONDS;
        if ((end && *end) || !(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) {
            return pvr_usage_error(error, "--watch takes seconds, %.1f to %.0f", MIN_SECONDS,
                                   MAX_SECONDS);
        }
    }
    *ret_seconds = seconds;
    return TRUE;
}

static gboolean
run_status(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const StatusOpts *opts = ctx->opts;
    g_auto(Status) status = {.ctx = ctx};
    const char *name = argc > 0 ? argv[0] : NULL;
    double interval = 0;

    if (!get_interval(opts, &interval, error)) {
        return FALSE;
    }

    status.notes = g_ptr_array_new_with_free_func(g_free);
    status.virt = pvr_virt_open(ctx->uri, error);
    if (!status.virt) {
        return FALSE;
    }
    if (opts->stats) {
        return pvr_status_stats(ctx, status.virt, name, interval, error);
    }
    load_leases(&status);
    begin_output(&status);
    if (name ? !show_one(&status, name, error) : !show_all(&status, error)) {
        return FALSE;
    }
    end_output(&status, name);
    return TRUE;
}

static const GOptionEntry options[] = {
    {"stats", 0, 0, G_OPTION_ARG_NONE, PVR_OPT(StatusOpts, stats),
     "the counters of the devices of running domains", NULL},
    {"watch", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_STRING, PVR_OPT(StatusOpts, watch),
     "with --stats: again and again, every so many seconds (2), with rates", "SECONDS"},
    {NULL},
};

const PvrCommand pvr_cmd_status = {
    .name = "status",
    .args = "[DOMAIN]",
    .summary = "Show the RDMA devices of domains",
    .description =
        "STATE is 'configured' (the domain is shut off), 'running', 'attached-at-next-start' or\n"
        "'detached-at-shutdown'. SOURCE is the network, bridge or netdev of the vmxnet3. FUNCTIONS\n"
        "are the guest's PCI functions, vmxnet3 and RDMA. LEASE is what the libvirt hook holds on\n"
        "the host for it; nothing for a soft device.\n"
        "\n"
        "--stats asks the QEMU of running domains what their devices have done: totals, objects in use\n"
        "and the most there can be, and each QP. libvirt marks the domain as tainted by that.",
    .options = options,
    .opts_size = sizeof(StatusOpts),
    .max_args = 1,
    .example = "pvrdmactl status\n"
               "pvrdmactl status vm1 --json\n"
               "pvrdmactl status vm1 --stats --watch",
    .run = run_status,
};
