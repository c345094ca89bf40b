/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vf set, vf reset */
#include <string.h>

#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-json.h"
#include "pvr-resolve.h"
#include "pvr-vf-address.h"
#include "pvr-vf-change.h"
#include "pvr-vf-show.h"

typedef struct {
    char *mac, *node_guid, *port_guid;
    char *vlan, *rate, *spoofchk, *trust, *link_state;
    int timeout;
} SetOpts;

static const SetOpts set_defaults = { .timeout = PVR_VF_TIMEOUT };

static const GOptionEntry set_options[] = {
    { "mac", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, mac),
      "MAC; 'auto' makes one from this machine's id", "MAC" },
    { "node-guid", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, node_guid),
      "InfiniBand: node GUID, or 'auto'", "GUID" },
    { "port-guid", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, port_guid),
      "InfiniBand: port GUID, or 'auto'", "GUID" },
    { "vlan", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, vlan),
      "VLAN that the VF is in without knowing, 0 for none", "ID[:QOS]" },
    { "rate", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, rate),
      "most (and least) that it may send in Mbit/s, 0 for no limit", "[MIN:]MAX" },
    { "spoofchk", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, spoofchk),
      "whether it may send only with its own MAC", "on|off" },
    { "trust", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, trust),
      "whether it may change its MAC and receive everything", "on|off" },
    { "link-state", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(SetOpts, link_state),
      "whether its link follows the PF's", "auto|enable|disable" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, PVR_OPT(SetOpts, timeout),
      "how long devices may take to appear again (default: 30)", "SECONDS" },
    { NULL }
};

static PvrPci *
resolve_vf(PvrHost *host, const char *text, GError **error)
{
    g_autoptr(PvrDevice) device = pvr_resolve(host, text, error);

    if (device == NULL)
        return NULL;
    if (device->pci != NULL && device->pci->pf != NULL)
        return g_steal_pointer(&device->pci);
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "it is no VF\n"
                "'pvrdmactl vf list' shows the VFs");
    return NULL;
}

/* ---- options ---- */

static gboolean
take_mac(const char *text, const PvrVf *made, PvrVf *want, GError **error)
{
    if (text == NULL)
        return TRUE;
    want->set |= PVR_VF_MAC;
    want->mac = made->mac;
    return strcmp(text, "auto") == 0 || pvr_mac_parse(text, &want->mac, error);
}

static gboolean
take_guid(const char *text, PvrVfSet bit, guint64 made, guint64 *guid, PvrVf *want, GError **error)
{
    if (text == NULL)
        return TRUE;
    want->set |= bit;
    *guid = made;
    return strcmp(text, "auto") == 0 || pvr_guid_parse(text, guid, error);
}

/* "ID[:QOS]" */
static gboolean
take_vlan(const char *text, PvrVf *want, GError **error)
{
    g_auto(GStrv) parts = text != NULL ? g_strsplit(text, ":", 2) : NULL;
    g_autofree char *attr = NULL;

    if (text == NULL)
        return TRUE;
    attr = g_strdup_printf("vlan %s %s", parts[0] != NULL ? parts[0] : "",
                           parts[0] != NULL && parts[1] != NULL ? parts[1] : "0");
    return pvr_vf_parse_attr(attr, want, error);
}

/* "[MIN:]MAX" */
static gboolean
take_rate(const char *text, PvrVf *want, GError **error)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    g_autofree char *min = colon != NULL ? g_strndup(text, (gsize) (colon - text)) : NULL;
    g_autofree char *attr = NULL;

    if (text == NULL)
        return TRUE;
    attr = g_strdup_printf("rate %s %s", min != NULL ? min : "0", colon != NULL ? colon + 1 : text);
    return pvr_vf_parse_attr(attr, want, error);
}

static gboolean
take_word(const char *text, const char *attr, PvrVf *want, GError **error)
{
    g_autofree char *both = text != NULL ? g_strdup_printf("%s %s", attr, text) : NULL;

    return both == NULL || pvr_vf_parse_attr(both, want, error);
}

static gboolean
is_auto(const char *text)
{
    return text != NULL && strcmp(text, "auto") == 0;
}

static gboolean
read_wishes(PvrHost *host, const PvrPci *vf, const SetOpts *opts, PvrVf *want, GError **error)
{
    PvrVf made = { 0 };

    if ((is_auto(opts->mac) || is_auto(opts->node_guid) || is_auto(opts->port_guid)) &&
        !pvr_vf_make_address(host, vf->address, &made, error))
        return FALSE;
    return take_mac(opts->mac, &made, want, error) &&
           take_guid(opts->node_guid, PVR_VF_NODE_GUID, made.node_guid, &want->node_guid, want,
                     error) &&
           take_guid(opts->port_guid, PVR_VF_PORT_GUID, made.port_guid, &want->port_guid, want,
                     error) &&
           take_vlan(opts->vlan, want, error) && take_rate(opts->rate, want, error) &&
           take_word(opts->spoofchk, "spoofchk", want, error) &&
           take_word(opts->trust, "trust", want, error) &&
           take_word(opts->link_state, "state", want, error);
}

/* ---- commands ---- */

static gboolean
show_changed(PvrCtx *ctx, const char *address, GError **error)
{
    g_autoptr(PvrPci) vf = pvr_host_get_pci(ctx->host, address, error);
    g_autoptr(JsonBuilder) builder = NULL;

    if (vf == NULL)
        return FALSE;
    if (!ctx->json) {
        pvr_vf_show(ctx, vf, NULL);
        return TRUE;
    }
    builder = pvr_json_begin();
    pvr_vf_show_json(ctx, builder, vf, NULL);
    pvr_out_json(ctx, builder);
    return TRUE;
}

static gboolean
change_vf(PvrCtx *ctx, const PvrPci *vf, const PvrVf *want, int timeout, GError **error)
{
    PvrVfChange change;

    pvr_vf_change_init(&change, ctx, timeout);
    return pvr_vf_change(ctx->host, vf->address, want, &change, error) &&
           show_changed(ctx, vf->address, error);
}

static gboolean
run_set(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const SetOpts *opts = ctx->opts;
    g_autoptr(PvrPci) vf = NULL;
    PvrVf want = { 0 };

    if (!pvr_vf_check_timeout(opts->timeout, error))
        return FALSE;
    vf = resolve_vf(ctx->host, argv[0], error);
    if (vf == NULL || !read_wishes(ctx->host, vf, opts, &want, error))
        return FALSE;
    if (want.set == 0)
        return pvr_usage_error(error, "nothing to set: give at least one option");
    return change_vf(ctx, vf, &want, opts->timeout, error);
}

const PvrCommand pvr_cmd_vf_set = {
    .name = "vf set",
    .args = "VF",
    .summary = "Give a VF an address, or rights and limits that its card has for it",
    .description =
        "Needs root. A new MAC or GUID needs the driver to be bound anew: the VF's devices go and come\n"
        "back, a Soft-RoCE link on it included; IP addresses of its network device are lost. What fails\n"
        "is taken back. Nothing is done to a VF that is in use.",
    .options = set_options,
    .opts_size = sizeof(SetOpts),
    .opts_default = &set_defaults,
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl vf set mlx5_4 --mac 52:54:00:12:34:56\n"
               "pvrdmactl vf set 0000:3b:00.2 --vlan 5 --rate 10000 --trust off",
    .run = run_set,
};

typedef struct {
    int timeout;
} ResetOpts;

static const ResetOpts reset_defaults = { .timeout = PVR_VF_TIMEOUT };

static const GOptionEntry reset_options[] = {
    { "timeout", 0, 0, G_OPTION_ARG_INT, PVR_OPT(ResetOpts, timeout),
      "how long devices may take to appear again (default: 30)", "SECONDS" },
    { NULL }
};

static gboolean
run_reset(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const ResetOpts *opts = ctx->opts;
    g_autoptr(PvrPci) vf = NULL;
    PvrVf want;

    if (!pvr_vf_check_timeout(opts->timeout, error))
        return FALSE;
    vf = resolve_vf(ctx->host, argv[0], error);
    return vf != NULL && pvr_vf_find_reset(ctx->host, vf, &want, error) &&
           change_vf(ctx, vf, &want, opts->timeout, error);
}

const PvrCommand pvr_cmd_vf_reset = {
    .name = "vf reset",
    .args = "VF",
    .summary = "Take from a VF what the last guest or administrator left on it",
    .description =
        "Needs root. It gets the MAC (on InfiniBand: the GUIDs) made from this machine's id, no VLAN, no\n"
        "rate limit, no trust, spoofchk on, and a link that follows the PF's.",
    .options = reset_options,
    .opts_size = sizeof(ResetOpts),
    .opts_default = &reset_defaults,
    .min_args = 1,
    .max_args = 1,
    .example = "pvrdmactl vf reset 0000:3b:00.2",
    .run = run_reset,
};
