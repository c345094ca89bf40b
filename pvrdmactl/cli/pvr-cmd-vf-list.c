/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-cmd.h"
#include "pvr-error.h"
#include "pvr-holding.h"
#include "pvr-json.h"
#include "pvr-resolve.h"

/* What one run knows. */
typedef struct {
    GPtrArray *functions;   /* of PvrPci: all of the host, sorted */
    GPtrArray *pfs;         /* of PvrPci: those to show; borrowed from functions */
    GHashTable *admin;      /* address of PF -> GPtrArray of PvrVf; none when the driver tells nothing */
    PvrHolding *holding;
} VfList;

static void
vf_list_clear(VfList *list)
{
    g_clear_pointer(&list->pfs, g_ptr_array_unref);
    g_clear_pointer(&list->functions, g_ptr_array_unref);
    g_clear_pointer(&list->admin, g_hash_table_unref);
    g_clear_pointer(&list->holding, pvr_holding_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(VfList, vf_list_clear)

static const char *
first(const GPtrArray *names)
{
    return names->len != 0 ? g_ptr_array_index(names, 0) : NULL;
}

/* What the PF keeps for the VF; NULL when nothing is known. */
static const PvrVf *
find_admin(const VfList *list, const PvrPci *vf)
{
    const GPtrArray *vfs = g_hash_table_lookup(list->admin, vf->pf);

    for (guint i = 0; vfs != NULL && i < vfs->len; i++) {
        const PvrVf *admin = g_ptr_array_index(vfs, i);

        if (admin->index == vf->vf)
            return admin;
    }
    return NULL;
}

/* NULL when there is none, or the PF has none for it. */
static char *
admin_mac(const PvrVf *admin)
{
    if (admin == NULL || !(admin->set & PVR_VF_MAC) || !pvr_mac_is_usable(&admin->mac))
        return NULL;
    return pvr_mac_to_string(&admin->mac);
}

static char *
netdev_mac(PvrCtx *ctx, const PvrPci *pci)
{
    const char *name = first(pci->netdevs);
    g_autoptr(PvrNetdev) netdev = name != NULL ? pvr_host_get_netdev(ctx->host, name, NULL) : NULL;

    return netdev != NULL && pvr_mac_is_usable(&netdev->mac) ? pvr_mac_to_string(&netdev->mac) : NULL;
}

/* ---- JSON ---- */

static void
add_names(JsonBuilder *builder, const char *key, const GPtrArray *names)
{
    pvr_json_begin_array(builder, key);
    for (guint i = 0; i < names->len; i++)
        json_builder_add_string_value(builder, g_ptr_array_index(names, i));
    json_builder_end_array(builder);
}

static void
add_function(JsonBuilder *builder, PvrCtx *ctx, const PvrPci *pci)
{
    g_autofree char *mac = netdev_mac(ctx, pci);

    pvr_json_add_string(builder, "pci", pci->address);
    pvr_json_add_string(builder, "driver", pci->driver);
    pvr_json_add_int(builder, "numa_node", pci->numa_node);
    add_names(builder, "netdevs", pci->netdevs);
    pvr_json_add_bool(builder, "netdev_elsewhere", pci->netdev_elsewhere);
    add_names(builder, "ibdevs", pci->ibdevs);
    pvr_json_add_string(builder, "node_guid", pci->node_guid);
    pvr_json_add_string(builder, "mac", mac);
}

static void
add_guid(JsonBuilder *builder, const char *key, const PvrVf *vf, PvrVfSet bit, guint64 guid)
{
    g_autofree char *text = vf->set & bit ? pvr_guid_to_string(guid) : NULL;

    if (text != NULL)
        pvr_json_add_string(builder, key, text);
}

static const char *
link_state_word(guint state)
{
    static const char *const words[] = { "auto", "enable", "disable" };

    return state < G_N_ELEMENTS(words) ? words[state] : NULL;
}

/* Only what the driver has. */
static void
add_admin(JsonBuilder *builder, const PvrVf *vf)
{
    g_autofree char *mac = admin_mac(vf);

    if (vf->set & PVR_VF_MAC)
        pvr_json_add_string(builder, "mac", mac);
    if (vf->set & PVR_VF_VLAN) {
        pvr_json_add_int(builder, "vlan", vf->vlan);
        pvr_json_add_int(builder, "qos", vf->qos);
    }
    if (vf->set & PVR_VF_RATE) {
        pvr_json_add_int(builder, "min_tx_rate", vf->min_tx_rate);
        pvr_json_add_int(builder, "max_tx_rate", vf->max_tx_rate);
    }
    if (vf->set & PVR_VF_SPOOFCHK)
        pvr_json_add_bool(builder, "spoofchk", vf->spoofchk);
    if (vf->set & PVR_VF_TRUST)
        pvr_json_add_bool(builder, "trust", vf->trust);
    if (vf->set & PVR_VF_LINK_STATE)
        pvr_json_add_string(builder, "link_state", link_state_word(vf->link_state));
    add_guid(builder, "node_guid", vf, PVR_VF_NODE_GUID, vf->node_guid);
    add_guid(builder, "port_guid", vf, PVR_VF_PORT_GUID, vf->port_guid);
}

static void
show_vf_json(JsonBuilder *builder, PvrCtx *ctx, const VfList *list, const PvrPci *vf)
{
    const PvrVf *admin = find_admin(list, vf);

    json_builder_begin_object(builder);
    pvr_json_add_int(builder, "index", vf->vf);
    add_function(builder, ctx, vf);
    json_builder_set_member_name(builder, "admin");
    if (admin == NULL) {
        json_builder_add_null_value(builder);
    } else {
        json_builder_begin_object(builder);
        add_admin(builder, admin);
        json_builder_end_object(builder);
    }
    pvr_holding_show_json(builder, pvr_holding_find_function(list->holding, vf));
    json_builder_end_object(builder);
}

static void
show_pf_json(JsonBuilder *builder, PvrCtx *ctx, const VfList *list, const PvrPci *pf)
{
    json_builder_begin_object(builder);
    add_function(builder, ctx, pf);
    pvr_json_add_int(builder, "vfs_max", pf->vfs_max);
    pvr_json_add_int(builder, "num_vfs", pf->vfs);
    pvr_json_begin_array(builder, "vfs");
    for (guint i = 0; i < list->functions->len; i++) {
        const PvrPci *vf = g_ptr_array_index(list->functions, i);

        if (g_strcmp0(vf->pf, pf->address) == 0)
            show_vf_json(builder, ctx, list, vf);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void
show_json(PvrCtx *ctx, const VfList *list)
{
    g_autoptr(JsonBuilder) builder = pvr_json_begin();

    pvr_json_begin_array(builder, "pfs");
    for (guint i = 0; i < list->pfs->len; i++)
        show_pf_json(builder, ctx, list, g_ptr_array_index(list->pfs, i));
    json_builder_end_array(builder);
    add_names(builder, "notes", list->holding->notes);
    pvr_out_json(ctx, builder);
}

/* ---- text ---- */

static const char *
netdev_cell(const PvrPci *pci)
{
    return pci->netdev_elsewhere ? "(other namespace)" : first(pci->netdevs);
}

static void
add_pf_row(PvrTable *table, const PvrPci *pf)
{
    g_autofree char *vfs = g_strdup_printf("%u of %u", pf->vfs, pf->vfs_max);
    g_autofree char *node = pf->numa_node >= 0 ? g_strdup_printf("%d", pf->numa_node) : NULL;

    pvr_table_add(table, (const char *[]) { pf->address, pf->driver, netdev_cell(pf),
                                            first(pf->ibdevs), node, vfs });
}

/* The MAC that the VF has; one that it will have when its driver is bound again comes behind it. */
static char *
mac_cell(PvrCtx *ctx, const VfList *list, const PvrPci *vf)
{
    g_autofree char *own = netdev_mac(ctx, vf);
    g_autofree char *wanted = admin_mac(find_admin(list, vf));

    if (own == NULL || wanted == NULL || g_str_equal(own, wanted))
        return g_strdup(own != NULL ? own : wanted);
    return g_strdup_printf("%s (to be %s)", own, wanted);
}

static void
add_vf_row(PvrTable *table, PvrCtx *ctx, const VfList *list, const PvrPci *vf)
{
    g_autofree char *index = g_strdup_printf("%u", vf->vf);
    g_autofree char *mac = mac_cell(ctx, list, vf);
    g_autofree char *held_by = pvr_holding_cell(pvr_holding_find_function(list->holding, vf));

    pvr_table_add(table, (const char *[]) { vf->pf, index, vf->address, vf->driver,
                                            netdev_cell(vf), first(vf->ibdevs), mac,
                                            vf->node_guid, held_by });
}

static gboolean
is_shown(const VfList *list, const PvrPci *vf)
{
    for (guint i = 0; vf->pf != NULL && i < list->pfs->len; i++) {
        const PvrPci *pf = g_ptr_array_index(list->pfs, i);

        if (g_str_equal(vf->pf, pf->address))
            return TRUE;
    }
    return FALSE;
}

static void
show_tables(PvrCtx *ctx, const VfList *list)
{
    g_autoptr(PvrTable) pfs =
        pvr_table_new("PF", "DRIVER", "NETDEV", "DEVICE", "NUMA", "VFS", NULL);
    g_autoptr(PvrTable) vfs = pvr_table_new("PF", "VF", "PCI", "DRIVER", "NETDEV", "DEVICE", "MAC",
                                            "NODE GUID", "HELD BY", NULL);

    for (guint i = 0; i < list->pfs->len; i++)
        add_pf_row(pfs, g_ptr_array_index(list->pfs, i));
    for (guint i = 0; i < list->functions->len; i++) {
        const PvrPci *vf = g_ptr_array_index(list->functions, i);

        if (is_shown(list, vf))
            add_vf_row(vfs, ctx, list, vf);
    }
    pvr_out_table(ctx, pfs);
    if (pvr_table_rows(vfs) != 0) {
        pvr_out(ctx, "\n");
        pvr_out_table(ctx, vfs);
    }
}

static void
show_text(PvrCtx *ctx, const VfList *list)
{
    if (list->pfs->len == 0)
        pvr_out(ctx, "no network card with SR-IOV on this host, or it is off in the firmware\n");
    else
        show_tables(ctx, list);
    for (guint i = 0; i < list->holding->notes->len; i++)
        pvr_out(ctx, "note: %s\n", (const char *) g_ptr_array_index(list->holding->notes, i));
}

/* ---- collect ---- */

/* The address of the PF that is meant, also by one of its VFs. */
static char *
find_pf(PvrCtx *ctx, const char *text, GError **error)
{
    g_autoptr(PvrDevice) device = pvr_resolve(ctx->host, text, error);

    if (device == NULL)
        return NULL;
    if (device->pci != NULL && device->pci->pf != NULL)
        return g_strdup(device->pci->pf);
    if (device->pci != NULL && device->pci->vfs_max != 0)
        return g_strdup(device->pci->address);
    g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "it has no SR-IOV\n"
                "'pvrdmactl vf list' shows what has; firmware and BIOS can turn it off");
    return NULL;
}

/* A driver that tells nothing, or a PF whose netdev is in another network namespace: the rest is shown. */
static void
ask_admin(PvrCtx *ctx, VfList *list, const PvrPci *pf)
{
    const char *netdev = pf->vfs != 0 ? first(pf->netdevs) : NULL;
    GPtrArray *vfs = netdev != NULL ? pvr_host_get_vfs(ctx->host, netdev, NULL) : NULL;

    if (vfs != NULL)
        g_hash_table_insert(list->admin, g_strdup(pf->address), vfs);
}

static gboolean
collect(PvrCtx *ctx, VfList *list, const char *only_pf, GError **error)
{
    list->functions = pvr_host_list_pci(ctx->host, error);
    if (list->functions == NULL)
        return FALSE;
    list->pfs = g_ptr_array_new();
    list->admin = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify) g_ptr_array_unref);
    for (guint i = 0; i < list->functions->len; i++) {
        PvrPci *pci = g_ptr_array_index(list->functions, i);

        if (pci->vfs_max == 0 || (only_pf != NULL && !g_str_equal(pci->address, only_pf)))
            continue;
        g_ptr_array_add(list->pfs, pci);
        ask_admin(ctx, list, pci);
    }
    list->holding = pvr_holding_collect(ctx, error);
    return list->holding != NULL;
}

static gboolean
run_vf_list(PvrCtx *ctx, int argc, char **argv, GError **error)
{
    g_auto(VfList) list = { NULL };
    g_autofree char *only_pf = argc > 0 ? find_pf(ctx, argv[0], error) : NULL;

    if ((argc > 0 && only_pf == NULL) || !collect(ctx, &list, only_pf, error))
        return FALSE;
    if (ctx->json)
        show_json(ctx, &list);
    else
        show_text(ctx, &list);
    return TRUE;
}

const PvrCommand pvr_cmd_vf_list = {
    .name = "vf list",
    .args = "[DEV]",
    .summary = "List network cards with SR-IOV, their VFs, and who holds them",
    .description =
        "With DEV only that card (PF), which may be named by one of its VFs, too. VFS is how many\n"
        "there are, of how many the firmware allows.",
    .max_args = 1,
    .example = "pvrdmactl vf list\n"
               "pvrdmactl vf list mlx5_0 --json",
    .run = run_vf_list,
};
