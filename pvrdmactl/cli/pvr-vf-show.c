/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-vf-show.h"

#include "pvr-json.h"
#include "pvr-vf-plan.h"

#define LOCK_MS 10000
#define TIMEOUT_MAX 3600

gboolean
pvr_vf_check_timeout(int seconds, GError **error)
{
    return (seconds >= 0 && seconds <= TIMEOUT_MAX) ||
           pvr_usage_error(error, "timeout %d is not from 0 to %d seconds", seconds, TIMEOUT_MAX);
}

static void
show_progress(const char *text, gpointer user_data)
{
    PvrCtx *ctx = user_data;

    if (ctx->json)
        return;
    pvr_out(ctx, "waiting: %s\n", text);
    pvr_out_flush(ctx, NULL);
}

void
pvr_vf_change_init(PvrVfChange *change, PvrCtx *ctx, int timeout)
{
    *change = (PvrVfChange) { .lock_ms = LOCK_MS, .timeout_ms = (guint) timeout * 1000,
                              .progress = show_progress, .user_data = ctx };
}

static const char *
first_or_null(const GPtrArray *names)
{
    return names->len != 0 ? g_ptr_array_index(names, 0) : NULL;
}

/* The MAC that the PF keeps, or on InfiniBand the node GUID; NULL: not known, or none. */
static char *
describe_address(const PvrVf *record)
{
    if (record->set & PVR_VF_NODE_GUID)
        return record->node_guid != 0 ? pvr_guid_to_string(record->node_guid) : NULL;
    return pvr_mac_is_usable(&record->mac) ? pvr_mac_to_string(&record->mac) : NULL;
}

static PvrIbdev *
get_ibdev(PvrHost *host, const PvrPci *vf)
{
    const char *name = first_or_null(vf->ibdevs);

    return name != NULL ? pvr_host_get_ibdev(host, name, NULL) : NULL;
}

static const char *
port_state(const PvrIbdev *ibdev)
{
    const PvrPort *port = ibdev != NULL && ibdev->ports->len != 0 ? ibdev->ports->pdata[0] : NULL;

    return port != NULL ? port->state : NULL;
}

static void
show_names(PvrCtx *ctx, const PvrPci *vf)
{
    const char *netdev = first_or_null(vf->netdevs);
    const char *ibdev = first_or_null(vf->ibdevs);

    if (netdev != NULL)
        pvr_out(ctx, ", network device %s", netdev);
    if (ibdev != NULL)
        pvr_out(ctx, ", RDMA device %s", ibdev);
    if (vf->driver == NULL)
        pvr_out(ctx, ", no driver");
}

/* A text of one or two lines, the second further in. */
static void
show_lines(PvrCtx *ctx, const char *start, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    pvr_out(ctx, "  %s%s\n", start, lines[0]);
    for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
        pvr_out(ctx, "    %s\n", lines[i]);
}

/* Zeros when the PF's driver tells nothing. */
static PvrVf
read_record(PvrCtx *ctx, const PvrPci *vf)
{
    PvrVf record = { 0 };

    g_free(pvr_vf_find_record(ctx->host, vf, &record, NULL));
    return record;
}

void
pvr_vf_show(PvrCtx *ctx, const PvrPci *vf, const char *note)
{
    const PvrVf record = read_record(ctx, vf);
    g_autofree char *address = describe_address(&record);
    g_autoptr(PvrIbdev) ibdev = get_ibdev(ctx->host, vf);
    g_autofree char *reason = pvr_vf_explain_port(ctx->host, vf);

    pvr_out(ctx, "%s: %s %s", vf->address, record.set & PVR_VF_NODE_GUID ? "node GUID" : "MAC",
            address != NULL ? address : "-");
    show_names(ctx, vf);
    if (ibdev != NULL)
        pvr_out(ctx, ", port %s", port_state(ibdev) != NULL ? port_state(ibdev) : "UNKNOWN");
    pvr_out(ctx, "\n");
    if (note != NULL)
        show_lines(ctx, "", note);
    if (reason != NULL)
        show_lines(ctx, "the port is not ACTIVE: ", reason);
}

static void
show_guids_json(JsonBuilder *builder, const PvrVf *record)
{
    g_autofree char *node = pvr_guid_to_string(record->node_guid);
    g_autofree char *port = pvr_guid_to_string(record->port_guid);

    pvr_json_add_string(builder, "node_guid", node);
    pvr_json_add_string(builder, "port_guid", port);
}

void
pvr_vf_show_json(PvrCtx *ctx, JsonBuilder *builder, const PvrPci *vf, const char *note)
{
    const PvrVf record = read_record(ctx, vf);
    g_autofree char *mac = pvr_mac_is_usable(&record.mac) ? pvr_mac_to_string(&record.mac) : NULL;
    g_autoptr(PvrIbdev) ibdev = get_ibdev(ctx->host, vf);
    g_autofree char *reason = pvr_vf_explain_port(ctx->host, vf);

    pvr_json_add_string(builder, "pci", vf->address);
    pvr_json_add_string(builder, "pf", vf->pf);
    pvr_json_add_int(builder, "index", vf->vf);
    pvr_json_add_string(builder, "driver", vf->driver);
    pvr_json_add_string(builder, "netdev", first_or_null(vf->netdevs));
    pvr_json_add_string(builder, "device", first_or_null(vf->ibdevs));
    pvr_json_add_string(builder, "mac", mac);
    if (record.set & PVR_VF_NODE_GUID)
        show_guids_json(builder, &record);
    pvr_json_add_string(builder, "port_state", port_state(ibdev));
    pvr_json_add_string(builder, "port_reason", reason);
    pvr_json_add_string(builder, "note", note);
}
