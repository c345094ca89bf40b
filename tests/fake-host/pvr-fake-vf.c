/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-fake-vf.h"

#include <linux/if_link.h>
#include <stdlib.h>
#include <string.h>

#include "pvr-error.h"
#include "pvr-fake-priv.h"
#include "pvr-fake-sriov.h"

static const PvrVfSet text_attrs[] = { PVR_VF_VLAN, PVR_VF_RATE, PVR_VF_SPOOFCHK, PVR_VF_TRUST,
                                       PVR_VF_LINK_STATE };

/* ---- what the PF keeps: lines "mac ...", "guids NODE PORT", "trust on", ... ---- */

static char *
record_path(const char *pf, guint index)
{
    return g_strdup_printf(".fake/pf-%s/vf%u", pf, index);
}

static void
parse_line(const char *line, PvrVf *vf)
{
    g_auto(GStrv) words = g_strsplit(line, " ", 3);
    GError *error = NULL;

    if (g_str_equal(words[0], "mac")) {
        g_assert_true(pvr_mac_parse(words[1], &vf->mac, NULL));
        vf->set |= PVR_VF_MAC;
    } else if (g_str_equal(words[0], "guids")) {
        g_assert_true(pvr_guid_parse(words[1], &vf->node_guid, NULL));
        g_assert_true(pvr_guid_parse(words[2], &vf->port_guid, NULL));
        vf->set |= PVR_VF_NODE_GUID | PVR_VF_PORT_GUID;
    } else {
        pvr_vf_parse_attr(line, vf, &error);
        g_assert_no_error(error);
    }
}

static void
read_record(const char *root, const char *pf, guint index, PvrVf *ret_vf)
{
    g_autofree char *path = record_path(pf, index);
    g_autofree char *text = pvr_fake_read(root, path);
    g_auto(GStrv) lines = NULL;

    *ret_vf = (PvrVf) { .index = index };
    g_assert_nonnull(text);
    lines = g_strsplit(g_strstrip(text), "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++)
        parse_line(lines[i], ret_vf);
}

static void
write_record(const char *root, const char *pf, const PvrVf *vf)
{
    g_autofree char *path = record_path(pf, vf->index);
    g_autofree char *mac = pvr_mac_to_string(&vf->mac);
    g_autoptr(GString) text = g_string_new(NULL);

    g_string_append_printf(text, "mac %s\n", mac);
    if (vf->set & PVR_VF_NODE_GUID) {
        g_autofree char *node = pvr_guid_to_string(vf->node_guid);
        g_autofree char *port = pvr_guid_to_string(vf->port_guid);

        g_string_append_printf(text, "guids %s %s\n", node, port);
    }
    for (guint i = 0; i < G_N_ELEMENTS(text_attrs); i++) {
        g_autofree char *line = vf->set & text_attrs[i] ? pvr_vf_attr_to_string(vf, text_attrs[i])
                                                        : NULL;

        if (line != NULL)
            g_string_append_printf(text, "%s\n", line);
    }
    pvr_fake_write(root, path, text->str);
}

static gboolean
is_infiniband(const char *root, const char *pf)
{
    g_autofree char *link_layer = pvr_fake_get_quirk(root, pf, "link-layer");

    return g_strcmp0(link_layer, "InfiniBand") == 0;
}

/* mlx5 on InfiniBand keeps the ports of new VFs down. */
void
pvr_fake_reset_vf(const char *root, const char *pf, guint index)
{
    PvrVf vf = { .index = index, .spoofchk = TRUE, .link_state = IFLA_VF_LINK_STATE_AUTO };

    if (is_infiniband(root, pf)) {
        vf.set = PVR_VF_MAC | PVR_VF_LINK_STATE | PVR_VF_NODE_GUID | PVR_VF_PORT_GUID;
        vf.link_state = IFLA_VF_LINK_STATE_DISABLE;
    } else {
        vf.set = PVR_VF_MAC | PVR_VF_VLAN | PVR_VF_RATE | PVR_VF_SPOOFCHK | PVR_VF_TRUST |
                 PVR_VF_LINK_STATE;
    }
    write_record(root, pf, &vf);
}

/* ---- get_vfs, set_vf ---- */

static guint
count_vfs(const char *root, const char *pf)
{
    g_autofree char *path = g_strdup_printf("sys/devices/%s/sriov_numvfs", pf);
    g_autofree char *text = pvr_fake_read(root, path);

    return text != NULL ? (guint) strtoul(text, NULL, 10) : 0;
}

/* The function of a PF's netdev, or NULL with the error. */
static char *
find_pf(PvrHost *host, const char *netdev, GError **error)
{
    g_autoptr(PvrNetdev) found = pvr_host_get_netdev(host, netdev, error);
    g_autofree char *pf = NULL;

    if (found == NULL)
        return NULL;
    pf = pvr_fake_function_of_netdev(pvr_host_get_root(host), netdev);
    if (pf == NULL || !pvr_fake_has_quirk(pvr_host_get_root(host), pf, "vf-driver")) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the driver of '%s' tells nothing about VFs", netdev);
        return NULL;
    }
    return g_steal_pointer(&pf);
}

GPtrArray *
pvr_fake_get_vfs(PvrHost *host, gpointer user_data, const char *pf_netdev, GError **error)
{
    const char *root = pvr_host_get_root(host);
    g_autoptr(GPtrArray) vfs = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *pf = NULL;

    if (pvr_fake_wanted_failure(host, "get_vfs", error))
        return NULL;
    pf = find_pf(host, pf_netdev, error);
    if (pf == NULL)
        return NULL;
    for (guint i = 0; i < count_vfs(root, pf); i++) {
        PvrVf *vf = g_new0(PvrVf, 1);

        read_record(root, pf, i, vf);
        g_ptr_array_add(vfs, vf);
    }
    return g_steal_pointer(&vfs);
}

static void
copy_attr(PvrVf *to, const PvrVf *from, PvrVfSet bit)
{
    const PvrVf old = *to;

    *to = *from;
    to->set = old.set;
    to->mac = bit == PVR_VF_MAC ? from->mac : old.mac;
    to->vlan = bit == PVR_VF_VLAN ? from->vlan : old.vlan;
    to->qos = bit == PVR_VF_VLAN ? from->qos : old.qos;
    to->min_tx_rate = bit == PVR_VF_RATE ? from->min_tx_rate : old.min_tx_rate;
    to->max_tx_rate = bit == PVR_VF_RATE ? from->max_tx_rate : old.max_tx_rate;
    to->spoofchk = bit == PVR_VF_SPOOFCHK ? from->spoofchk : old.spoofchk;
    to->trust = bit == PVR_VF_TRUST ? from->trust : old.trust;
    to->link_state = bit == PVR_VF_LINK_STATE ? from->link_state : old.link_state;
    to->node_guid = bit == PVR_VF_NODE_GUID ? from->node_guid : old.node_guid;
    to->port_guid = bit == PVR_VF_PORT_GUID ? from->port_guid : old.port_guid;
}

static gboolean
set_one(PvrHost *host, const char *pf, const PvrVf *vf, PvrVfSet bit, PvrVf *record,
        GError **error)
{
    g_autofree char *line = pvr_vf_describe(vf, bit);
    g_auto(GStrv) words = g_strsplit(line, " ", 2);
    g_autofree char *lacks = pvr_fake_get_quirk(pvr_host_get_root(host), pf, "lacks");

    pvr_fake_log_call(host, "set_vf %s %u %s", pf, vf->index, line);
    if (pvr_fake_wanted_failure(host, "set_vf", error))
        return FALSE;
    if (!(record->set & bit) || (lacks != NULL && strstr(lacks, words[0]) != NULL)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                    "the driver of %s cannot set '%s' of a VF", pf, line);
        return FALSE;
    }
    copy_attr(record, vf, bit);
    return TRUE;
}

gboolean
pvr_fake_set_vf(PvrHost *host, gpointer user_data, const char *pf_netdev, const PvrVf *vf,
                GError **error)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autofree char *pf = find_pf(host, pf_netdev, error);
    PvrVf record;

    if (pf == NULL)
        return FALSE;
    if (vf->index >= count_vfs(root, pf)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND, "'%s' has no VF %u", pf_netdev,
                    vf->index);
        return FALSE;
    }
    read_record(root, pf, vf->index, &record);
    for (guint bit = PVR_VF_MAC; bit <= PVR_VF_PORT_GUID; bit <<= 1) {
        if ((vf->set & bit) && !set_one(host, pf, vf, bit, &record, error))
            return FALSE;
        write_record(root, pf, &record);
    }
    return TRUE;
}

/* ---- what the driver makes of it ---- */

/* A number that grows with each call. */
static guint
next_number(const char *root, const char *pf)
{
    g_autofree char *text = pvr_fake_get_quirk(root, pf, "counter");
    const guint number = text != NULL ? (guint) strtoul(text, NULL, 10) + 1 : 1;
    g_autofree char *next = g_strdup_printf("%u", number);

    pvr_fake_set_quirk(root, pf, "counter", next);
    return number;
}

static char *
new_netdev_name(const char *root, const PvrFakeVf *vf)
{
    g_autofree char *pf_netdev = pvr_fake_get_quirk(root, vf->pf, "netdev");

    if (pvr_fake_has_quirk(root, vf->pf, "new-names"))
        return g_strdup_printf("eth%u", 100 + next_number(root, vf->pf));
    return g_strdup_printf("%sv%u", pf_netdev, vf->index);
}

/* A VF whose MAC the PF does not know makes up another one each time. */
static void
choose_mac(const char *root, const PvrFakeVf *vf, const PvrVf *record, PvrMac *ret_mac)
{
    static const PvrMac none;
    const guint number = pvr_mac_equal(&record->mac, &none) ? next_number(root, vf->pf) : 0;

    *ret_mac = record->mac;
    if (number != 0)
        *ret_mac = (PvrMac) { { 0x02, 0xfa, 0x4e, 0, (guint8) (number >> 8), (guint8) number } };
}

static char *
add_vf_netdev(const char *root, const char *address, const PvrFakeVf *vf, const PvrMac *mac)
{
    g_autofree char *netdev = new_netdev_name(root, vf);
    g_autofree char *text = pvr_mac_to_string(mac);

    pvr_fake_add_netdev(root, netdev, text, FALSE);
    pvr_fake_link_netdev(root, address, netdev);
    return g_steal_pointer(&netdev);
}

/* Of a netdev in another namespace sysfs shows the directory that it would be in. */
static void
hide_netdev(const char *root, const char *address)
{
    g_autofree char *path = g_build_filename("sys/devices", address, "net", "x", NULL);

    pvr_fake_write(root, path, "");
    pvr_fake_remove(root, path);
}

static char *
free_ibdev_name(const char *root)
{
    for (guint i = 0;; i++) {
        g_autofree char *name = g_strdup_printf("mlx5_%u", i);

        if (!pvr_fake_exists(root, SYS_IB, name))
            return g_steal_pointer(&name);
    }
}

/* mlx5 on Ethernet makes the node GUID from the MAC that the PF was given, and has none without. */
static guint64
choose_node_guid(const char *root, const PvrFakeVf *vf, const PvrVf *record)
{
    static const PvrMac none;
    PvrGid gid;
    guint64 guid = 0;

    if (pvr_fake_has_quirk(root, vf->pf, "zero-guid"))
        return 0;
    if (record->set & PVR_VF_NODE_GUID)
        return record->node_guid;
    if (pvr_mac_equal(&record->mac, &none))
        return 0;
    pvr_gid_from_mac(&record->mac, &gid);
    for (guint i = 8; i < 16; i++)
        guid = guid << 8 | gid.raw[i];
    return guid;
}

static void
set_infiniband_port(const char *root, const char *ibdev, const PvrFakeVf *vf, const PvrVf *record)
{
    g_autofree char *port_guid = pvr_guid_to_string(record->port_guid);
    g_autofree char *gid = g_strdup_printf("fe80:0000:0000:0000:%s", port_guid);

    pvr_fake_set_gid(root, ibdev, 1, 0, gid, "IB/RoCE v1", NULL);
    if (record->link_state == IFLA_VF_LINK_STATE_DISABLE)
        pvr_fake_set_port_state(root, ibdev, 1, "DOWN");
    else if (pvr_fake_has_quirk(root, vf->pf, "no-sm"))
        pvr_fake_set_port_state(root, ibdev, 1, "INIT");
    else
        pvr_fake_set_port_state(root, ibdev, 1, "ACTIVE");
}

static void
set_ethernet_port(const char *root, const char *ibdev, const char *netdev, const PvrMac *mac)
{
    PvrGid gid;
    g_autofree char *text = NULL;

    pvr_gid_from_mac(mac, &gid);
    text = pvr_gid_to_string(&gid);
    pvr_fake_set_gid(root, ibdev, 1, 0, text, "IB/RoCE v1", netdev);
    pvr_fake_set_gid(root, ibdev, 1, 1, text, "RoCE v2", netdev);
    pvr_fake_set_port_state(root, ibdev, 1, "DOWN");
}

static void
add_vf_ibdev(const char *root, const char *address, const PvrFakeVf *vf, const PvrVf *record,
             const char *netdev, const PvrMac *mac)
{
    g_autofree char *ibdev = free_ibdev_name(root);
    g_autofree char *link_layer = pvr_fake_get_quirk(root, vf->pf, "link-layer");
    g_autofree char *guid = pvr_guid_to_string(choose_node_guid(root, vf, record));

    pvr_fake_put(root, guid, SYS_IB "/%s/node_guid", ibdev);
    pvr_fake_link_ibdev(root, address, ibdev);
    pvr_fake_add_port(root, ibdev, 1, link_layer);
    if (is_infiniband(root, vf->pf))
        set_infiniband_port(root, ibdev, vf, record);
    else
        set_ethernet_port(root, ibdev, netdev, mac);
    pvr_fake_add_uverbs(root, ibdev);
}

static void
appear(const char *root, const char *address, const PvrFakeVf *vf)
{
    g_autofree char *netdev = NULL;
    PvrVf record;
    PvrMac mac;

    read_record(root, vf->pf, vf->index, &record);
    choose_mac(root, vf, &record, &mac);
    if (pvr_fake_has_quirk(root, vf->pf, "no-netdev"))
        hide_netdev(root, address);
    else
        netdev = add_vf_netdev(root, address, vf, &mac);
    if (pvr_fake_has_quirk(root, vf->pf, "link-layer"))
        add_vf_ibdev(root, address, vf, &record, netdev, &mac);
}

void
pvr_fake_probe_vf(const char *root, const char *address, const char *driver)
{
    g_auto(PvrFakeVf) vf = { NULL };
    g_autofree char *own = NULL;
    g_autofree char *late = NULL;

    if (!pvr_fake_find_vf(root, address, &vf))
        return;
    own = pvr_fake_get_quirk(root, vf.pf, "vf-driver");
    late = pvr_fake_get_quirk(root, vf.pf, "late");
    if (!g_str_equal(own, driver))
        return;
    if (late != NULL)
        pvr_fake_put(root, late, ".fake/late/%s", address);
    else
        appear(root, address, &vf);
}

/* Names in a directory below the function. */
static GPtrArray *
list_children(const char *root, const char *address, const char *kind)
{
    g_autofree char *path = g_build_filename(root, "sys/devices", address, kind, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL)
        g_ptr_array_add(names, g_strdup(name));
    return names;
}

/* As rdma_rxe does when its netdev goes. */
static void
remove_rxe_of(const char *root, const char *netdev)
{
    g_autofree char *path = g_build_filename(root, SYS_IB, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) gone = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(SYS_IB, name, "parent", NULL);
        g_autofree char *parent = pvr_fake_read(root, file);

        if (parent != NULL && g_str_equal(g_strstrip(parent), netdev))
            g_ptr_array_add(gone, g_strdup(name));
    }
    for (guint i = 0; i < gone->len; i++)
        pvr_fake_remove_ibdev(root, g_ptr_array_index(gone, i));
}

void
pvr_fake_strip_function(const char *root, const char *address)
{
    g_autoptr(GPtrArray) netdevs = list_children(root, address, "net");
    g_autoptr(GPtrArray) ibdevs = list_children(root, address, "infiniband");
    g_autofree char *late = g_build_filename(".fake/late", address, NULL);
    g_autofree char *net = g_build_filename("sys/devices", address, "net", NULL);
    g_autofree char *infiniband = g_build_filename("sys/devices", address, "infiniband", NULL);

    for (guint i = 0; i < ibdevs->len; i++)
        pvr_fake_remove_ibdev(root, g_ptr_array_index(ibdevs, i));
    for (guint i = 0; i < netdevs->len; i++) {
        const char *netdev = g_ptr_array_index(netdevs, i);
        g_autofree char *dir = g_build_filename(SYS_NET, netdev, NULL);

        remove_rxe_of(root, netdev);
        pvr_fake_remove(root, dir);
    }
    pvr_fake_remove(root, late);
    pvr_fake_remove(root, net);
    pvr_fake_remove(root, infiniband);
}

/* ---- waiting ---- */

static void
count_down(const char *root, const char *address)
{
    g_autofree char *path = g_build_filename(".fake/late", address, NULL);
    g_autofree char *text = pvr_fake_read(root, path);
    const guint left = text != NULL ? (guint) strtoul(text, NULL, 10) : 0;
    g_autofree char *less = g_strdup_printf("%u", left > 0 ? left - 1 : 0);
    g_auto(PvrFakeVf) vf = { NULL };

    if (left > 1) {
        pvr_fake_write(root, path, less);
        return;
    }
    pvr_fake_remove(root, path);
    if (pvr_fake_find_vf(root, address, &vf))
        appear(root, address, &vf);
}

void
pvr_fake_wait_event(PvrHost *host, gpointer user_data, guint timeout_ms)
{
    const char *root = pvr_host_get_root(host);
    G_GNUC_UNUSED g_autoptr(PvrLock) lock = pvr_fake_lock(host);
    g_autofree char *path = g_build_filename(root, ".fake/late", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    g_autoptr(GPtrArray) late = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL)
        g_ptr_array_add(late, g_strdup(name));
    for (guint i = 0; i < late->len; i++)
        count_down(root, g_ptr_array_index(late, i));
    g_usleep(MIN(timeout_ms, 1) * 1000);
}
