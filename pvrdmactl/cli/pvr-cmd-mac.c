/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-gid.h"
#include "pvr-json.h"

typedef struct {
    char *to_gid;
} MacOpts;

static const GOptionEntry mac_options[] = {
    { "to-gid", 0, 0, G_OPTION_ARG_STRING, PVR_OPT(MacOpts, to_gid),
      "show the GID of this MAC instead", "MAC" },
    { NULL }
};

static void
print_result(PvrCtx *ctx, const PvrMac *mac, const PvrGid *gid, gboolean want_gid)
{
    g_autofree char *mac_text = pvr_mac_to_string(mac);
    g_autofree char *gid_text = pvr_gid_to_string(gid);

    if (ctx->json) {
        g_autoptr(JsonBuilder) builder = pvr_json_begin();

        pvr_json_add_string(builder, "mac", mac_text);
        pvr_json_add_string(builder, "gid", gid_text);
        pvr_out_json(ctx, builder);
    } else {
        pvr_out(ctx, "%s\n", want_gid ? gid_text : mac_text);
    }
}

static gboolean
show_gid(PvrCtx *ctx, const char *mac_text, GError **error)
{
    PvrMac mac;
    PvrGid gid;

    if (!pvr_mac_parse(mac_text, &mac, error))
        return FALSE;
    if (!pvr_mac_is_usable(&mac)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED,
                    "%s cannot be the MAC of a network device: it is multicast or zero", mac_text);
        return FALSE;
    }
    pvr_gid_from_mac(&mac, &gid);
    print_result(ctx, &mac, &gid, TRUE);
    return TRUE;
}

static gboolean
show_mac(PvrCtx *ctx, const char *gid_text, GError **error)
{
    PvrMac mac;
    PvrGid gid;

    if (!pvr_gid_parse(gid_text, &gid, error) || !pvr_gid_to_mac(&gid, &mac, error))
        return FALSE;
    print_result(ctx, &mac, &gid, FALSE);
    return TRUE;
}

static gboolean
run_mac(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    const MacOpts *opts = ctx->opts;

    if (opts->to_gid != NULL && argc == 0)
        return show_gid(ctx, opts->to_gid, error);
    if (opts->to_gid == NULL && argc == 1)
        return show_mac(ctx, argv[0], error);
    return pvr_usage_error(error, "give either a GID or --to-gid MAC");
}

const PvrCommand pvr_cmd_mac = {
    .name = "mac",
    .args = "[GID]",
    .summary = "Show the MAC that a GID carries, or the GID of a MAC",
    .description =
        "A guest's RDMA function takes the MAC of its vmxnet3 function, so the host's GID must\n"
        "carry the same MAC: fe80::/64 plus the modified EUI-64 of the MAC.",
    .options = mac_options,
    .opts_size = sizeof(MacOpts),
    .max_args = 1,
    .example = "pvrdmactl mac fe80:0000:0000:0000:7efe:90ff:fecb:743a\n"
               "pvrdmactl mac --to-gid 7c:fe:90:cb:74:3a",
    .run = run_mac,
};
