/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-attach-opts.h"

#include "pvr-error.h"

const PvrAttachOpts pvr_attach_defaults = {.port = -1, .gid_index = -1};

#define OPT(member) PVR_OPT(PvrAttachOpts, member)

const GOptionEntry pvr_attach_options[] = {
    {"soft", 0, 0, G_OPTION_ARG_NONE, OPT(soft),
     "RDMA in software inside QEMU, nothing needed on the host (the default)", NULL},
    {"rxe", 0, 0, G_OPTION_ARG_STRING, OPT(rxe),
     "Soft-RoCE on this netdev of the host, made at start if need be", "NETDEV"},
    {"ibdev", 0, 0, G_OPTION_ARG_STRING, OPT(ibdev), "an RDMA device of the host", "DEV"},
    {"vf", 0, 0, G_OPTION_ARG_STRING, OPT(vf),
     "a VF of the host, which gets the domain's MAC at start", "DEV"},
    {"pool", 0, 0, G_OPTION_ARG_STRING, OPT(pool),
     "such a VF, chosen at start from this pool (/etc/pvrdma)", "NAME"},
    {"port", 0, 0, G_OPTION_ARG_INT, OPT(port), "port of the RDMA device (1)", "N"},
    {"gid-index", 0, 0, G_OPTION_ARG_INT, OPT(gid_index), "GID of the port, by index", "N"},
    {"gid", 0, 0, G_OPTION_ARG_STRING, OPT(gid), "GID of the port", "GID"},
    {"gid-policy", 0, 0, G_OPTION_ARG_STRING, OPT(gid_policy),
     "which GIDs will do at each start: link-local, routable, any, or a GID", "POLICY"},
    {"mac", 0, 0, G_OPTION_ARG_STRING, OPT(mac),
     "MAC of function 0, not for --rxe and --ibdev (made from the domain's UUID)", "MAC"},
    {"network", 0, 0, G_OPTION_ARG_STRING, OPT(network),
     "virtual network of function 0 (" PVR_DEFAULT_NETWORK ")", "NAME"},
    {"bridge", 0, 0, G_OPTION_ARG_STRING, OPT(bridge), "host bridge of function 0", "NAME"},
    {"direct", 0, 0, G_OPTION_ARG_STRING, OPT(direct), "function 0 is a macvtap on this netdev",
     "NETDEV"},
    {"print-xml", 0, 0, G_OPTION_ARG_NONE, OPT(print_xml),
     "print the new domain XML, change nothing", NULL},
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, OPT(dry_run),
     "print what would change as a diff, change nothing", NULL},
    {NULL},
};

/* An option that may have been given. */
typedef struct {
    const char *name;
    gboolean given;
} Given;

/* At most one of them. */
static gboolean
check_exclusive(const Given *options, guint count, GError **error)
{
    const Given *first = NULL;

    for (guint i = 0; i < count; i++) {
        if (options[i].given && first) {
            return pvr_usage_error(error, "give --%s or --%s, not both", first->name,
                                   options[i].name);
        }
        if (options[i].given) {
            first = &options[i];
        }
    }
    return TRUE;
}

static gboolean
check_choices(const PvrAttachOpts *opts, GError **error)
{
    const Given backends[] = {{"soft", opts->soft},
                              {"rxe", !!opts->rxe},
                              {"ibdev", !!opts->ibdev},
                              {"vf", !!opts->vf},
                              {"pool", !!opts->pool}};
    const Given gids[] = {{"gid", !!opts->gid}, {"gid-index", opts->gid_index != -1},
                          {"gid-policy", !!opts->gid_policy}};
    const Given nets[] = {
        {"network", !!opts->network}, {"bridge", !!opts->bridge}, {"direct", !!opts->direct}};
    const Given outputs[] = {{"print-xml", opts->print_xml}, {"dry-run", opts->dry_run}};

    return check_exclusive(backends, G_N_ELEMENTS(backends), error) &&
           check_exclusive(gids, G_N_ELEMENTS(gids), error) &&
           check_exclusive(nets, G_N_ELEMENTS(nets), error) &&
           check_exclusive(outputs, G_N_ELEMENTS(outputs), error);
}

/* Options that have no meaning for the backend. */
static gboolean
check_backend(const PvrAttachOpts *opts, GError **error)
{
    const Given of_host[] = {
        {"gid-index", opts->gid_index != -1},
        {"gid", !!opts->gid},
        {"gid-policy", !!opts->gid_policy},
        {"port", opts->port != -1},
    };
    const guint count = pvr_attach_is_soft(opts) ? 4 : pvr_attach_has_own_mac(opts) ? 3 : 0;

    for (guint i = 0; i < count; i++) {
        if (of_host[i].given && !pvr_attach_is_soft(opts)) {
            return pvr_usage_error(error,
                                   "--%s goes with --rxe or --ibdev: a VF gets its GID at start, from "
                                   "the MAC",
                                   of_host[i].name);
        }
        if (of_host[i].given) {
            return pvr_usage_error(error, "--%s goes with %s, not with --soft%s", of_host[i].name,
                                   i == 3 ? "a device of the host" : "--rxe or --ibdev",
                                   opts->soft ? "" : ", the default");
        }
    }
    if (opts->mac && !pvr_attach_has_own_mac(opts)) {
        return pvr_usage_error(error,
                               "--mac goes with --soft, --vf and --pool, not with --%s: there the "
                               "GID says it",
                               opts->rxe ? "rxe" : "ibdev");
    }
    return TRUE;
}

static gboolean
check_values(const PvrAttachOpts *opts, GError **error)
{
    PvrMac mac = {{0}};

    if (opts->gid_index < -1 || opts->gid_index > 65535) {
        return pvr_usage_error(error, "--gid-index %d is not from 0 to 65535", opts->gid_index);
    }
    if (opts->port != -1 && (opts->port < 1 || opts->port > 255)) {
        return pvr_usage_error(error, "--port %d is not from 1 to 255", opts->port);
    }
    if (opts->mac && !pvr_mac_parse(opts->mac, &mac, error)) {
        return FALSE;
    }
    if (opts->mac && !pvr_mac_is_usable(&mac)) {
        return pvr_usage_error(error, "--mac %s is not the MAC of a network card", opts->mac);
    }
    return TRUE;
}

gboolean
pvr_attach_check_options(const PvrAttachOpts *opts, GError **error)
{
    return check_choices(opts, error) && check_backend(opts, error) && check_values(opts, error);
}

gboolean
pvr_attach_is_soft(const PvrAttachOpts *opts)
{
    return !pvr_attach_what(opts);
}

gboolean
pvr_attach_has_own_mac(const PvrAttachOpts *opts)
{
    return !opts->rxe && !opts->ibdev;
}

const char *
pvr_attach_what(const PvrAttachOpts *opts)
{
    return opts->rxe ? opts->rxe : opts->ibdev ? opts->ibdev : opts->vf ? opts->vf : opts->pool;
}

PvrNetSource
pvr_attach_net_source(const PvrAttachOpts *opts)
{
    if (opts->bridge) {
        return (PvrNetSource){PVR_NET_BRIDGE, opts->bridge};
    }
    if (opts->direct) {
        return (PvrNetSource){PVR_NET_DIRECT, opts->direct};
    }
    return (PvrNetSource){PVR_NET_NETWORK, opts->network ? opts->network : PVR_DEFAULT_NETWORK};
}
