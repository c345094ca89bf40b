/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adapters for VFs: what they write and read, and what the kernel's errno means to the user. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <unistd.h>

#include "pvr-error.h"
#include "pvr-fake-host.h"
#include "pvr-rtnl-vf.h"
#include "pvr-rtnl.h"
#include "pvr-sriov.h"
#include "pvr-uevent.h"

typedef PvrFakeMachine Fixture;

typedef struct {
    int err;
    int code;
    const char *text;
} Row;

#define PF "0000:3b:00.0"

static void
test_num_errors(void)
{
    static const Row rows[] = {
        { EACCES, PVR_ERROR_PRIVILEGE, "run it as root" },
        { EPERM, PVR_ERROR_PRIVILEGE, "run it as root" },
        { EROFS, PVR_ERROR_PRIVILEGE, "read-only" },
        { EBUSY, PVR_ERROR_BUSY, "removed first" },
        { ENOENT, PVR_ERROR_UNSUPPORTED, "makes no VFs" },
        { ERANGE, PVR_ERROR_UNSUPPORTED, "cannot have 4 VFs" },
        { ENOSPC, PVR_ERROR_FAILED, "ethtool -L" },
        { ENOMEM, PVR_ERROR_FAILED, "pci=realloc" },
        { EIO, PVR_ERROR_FAILED, "Input/output error" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_sriov_set_num_error(rows[i].err, PF, 4, &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
        g_assert_nonnull(strstr(error->message, PF));
    }
}

static void
test_bind_errors(void)
{
    static const Row rows[] = {
        { EACCES, PVR_ERROR_PRIVILEGE, "run it as root" },
        { EROFS, PVR_ERROR_PRIVILEGE, "read-only" },
        { EBUSY, PVR_ERROR_BUSY, "another driver" },
        { ENODEV, PVR_ERROR_FAILED, "does not want" },
        { ENOENT, PVR_ERROR_NOT_FOUND, "gone" },
        { EIO, PVR_ERROR_FAILED, "driver x fails" },
    };
    g_autoptr(GError) unbind = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_sriov_set_bind_error(rows[i].err, TRUE, PF, "x", &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
    }
    pvr_sriov_set_bind_error(ENODEV, FALSE, PF, NULL, &unbind);
    g_assert_error(unbind, PVR_ERROR, PVR_ERROR_NOT_FOUND);
}

static void
test_vf_errors(void)
{
    static const Row rows[] = {
        { ENODEV, PVR_ERROR_NOT_FOUND, "no network device 'd0'" },
        { EPERM, PVR_ERROR_PRIVILEGE, "'trust on'" },
        { EOPNOTSUPP, PVR_ERROR_UNSUPPORTED, "cannot set 'trust on'" },
        { EBUSY, PVR_ERROR_BUSY, "try again" },
        { EAGAIN, PVR_ERROR_BUSY, "try again" },
        { EINVAL, PVR_ERROR_FAILED, "refuses 'trust on' of VF 3" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_rtnl_set_vf_error(rows[i].err, "d0", 3, "trust on", &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
    }
}

static void
test_change_errors(void)
{
    const int forbidden = geteuid() == 0 ? PVR_ERROR_UNSUPPORTED : PVR_ERROR_PRIVILEGE;
    const Row rows[] = {
        { ENODEV, PVR_ERROR_NOT_FOUND, "no network device 'd0'" },
        { EPERM, forbidden, "'d0'" },
        { EADDRNOTAVAIL, PVR_ERROR_UNSUPPORTED, "or its PF" },
        { EBUSY, PVR_ERROR_BUSY, "ip link set d0 down" },
        { EIO, PVR_ERROR_FAILED, "Input/output error" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;

        pvr_rtnl_set_change_error(rows[i].err, "d0", "the MAC", &error);
        g_assert_error(error, PVR_ERROR, rows[i].code);
        g_assert_nonnull(strstr(error->message, rows[i].text));
    }
}

/* ---- sysfs ---- */

static void
set_up(Fixture *f, gconstpointer data)
{
    pvr_fake_machine_init(f);
    pvr_fake_add_function(f->root, PF, "mlx5_core");
    pvr_fake_make_pf(f->root, PF, 16, 0);
    pvr_fake_write(f->root, "sys/bus/pci/drivers/mlx5_core/bind", "");
    pvr_fake_write(f->root, "sys/bus/pci/drivers/mlx5_core/unbind", "");
}

static void
check_file(Fixture *f, const char *path, const char *content)
{
    g_autofree char *text = pvr_fake_read(f->root, path);

    g_assert_cmpstr(text, ==, content);
}

static void
test_set_num(Fixture *f, gconstpointer data)
{
    GError *error = NULL;

    g_assert_true(pvr_sriov_set_num_vfs(f->host, PF, 16, &error));
    check_file(f, "sys/devices/" PF "/sriov_numvfs", "16");
    g_assert_true(pvr_sriov_set_num_vfs(f->host, PF, 0, &error));
    check_file(f, "sys/devices/" PF "/sriov_numvfs", "0");
    g_assert_false(pvr_sriov_set_num_vfs(f->host, PF, 17, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, "allows 16 VFs, not 17"));
    g_clear_error(&error);
    pvr_fake_remove(f->root, "sys/devices/" PF "/sriov_totalvfs");
    g_assert_false(pvr_sriov_set_num_vfs(f->host, PF, 1, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_clear_error(&error);
    g_assert_false(pvr_sriov_set_num_vfs(f->host, "0000:77:00.0", 1, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
}

/* /dev/null takes the number like a driver that makes no VFs of it, /dev/full like one without resources. */
static void
test_num_not_made(Fixture *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;

    pvr_fake_remove(f->root, "sys/devices/" PF "/sriov_numvfs");
    pvr_fake_link(f->root, "sys/devices/" PF "/sriov_numvfs", "/dev/null");
    g_assert_false(pvr_sriov_set_num_vfs(f->host, PF, 4, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_assert_nonnull(strstr(error->message, "link up first"));
    g_clear_error(&error);
    pvr_fake_remove(f->root, "sys/devices/" PF "/sriov_numvfs");
    pvr_fake_link(f->root, "sys/devices/" PF "/sriov_numvfs", "/dev/full");
    g_assert_false(pvr_sriov_set_num_vfs(f->host, PF, 4, &error));
    g_assert_nonnull(strstr(error->message, "no resources left for 4 VFs"));
}

static void
test_bind(Fixture *f, gconstpointer data)
{
    GError *error = NULL;

    g_assert_true(pvr_sriov_unbind(f->host, PF, &error));
    check_file(f, "sys/bus/pci/drivers/mlx5_core/unbind", PF);
    g_assert_true(pvr_sriov_bind(f->host, PF, "mlx5_core", &error));
    check_file(f, "sys/bus/pci/drivers/mlx5_core/bind", PF);
    g_assert_false(pvr_sriov_bind(f->host, PF, "nope", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_nonnull(strstr(error->message, "modprobe nope"));
    g_clear_error(&error);
    g_assert_false(pvr_sriov_bind(f->host, "0000:77:00.0", "mlx5_core", &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
    pvr_fake_remove(f->root, "sys/devices/" PF "/driver");
    g_assert_false(pvr_sriov_unbind(f->host, PF, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_clear_error(&error);
}

/* ---- rtnetlink ---- */

/* As rtnl_fill_vfinfo() writes it; @switches: trust and spoofchk, -1 = the driver has neither. */
static void
put_vf(PvrNlMsg *msg, guint index, guint32 switches, gboolean guids)
{
    const struct ifla_vf_mac mac = { .vf = index, .mac = { 2, 0, 0, 0, 0, (guint8) index } };
    const struct ifla_vf_vlan vlan = { .vf = index, .vlan = 5, .qos = 3 };
    const struct ifla_vf_spoofchk spoofchk = { .vf = index, .setting = switches };
    const struct ifla_vf_trust trust = { .vf = index, .setting = switches };
    const struct ifla_vf_guid guid = { .vf = index, .guid = 0x0c42a10300000000 + index };
    struct nlattr *info = nla_nest_start(msg, IFLA_VF_INFO);

    g_assert_nonnull(info);
    g_assert_cmpint(nla_put(msg, IFLA_VF_MAC, sizeof(mac), &mac), ==, 0);
    g_assert_cmpint(nla_put(msg, IFLA_VF_VLAN, sizeof(vlan), &vlan), ==, 0);
    g_assert_cmpint(nla_put(msg, IFLA_VF_SPOOFCHK, sizeof(spoofchk), &spoofchk), ==, 0);
    g_assert_cmpint(nla_put(msg, IFLA_VF_TRUST, sizeof(trust), &trust), ==, 0);
    if (guids)
        g_assert_cmpint(nla_put(msg, IFLA_VF_IB_NODE_GUID, sizeof(guid), &guid), ==, 0);
    nla_nest_end(msg, info);
}

static void
test_parse(void)
{
    g_autoptr(PvrNlMsg) msg = pvr_rtnl_new_message(RTM_NEWLINK, 0, "d0", 0, 0);
    struct nlattr *list = nla_nest_start(msg, IFLA_VFINFO_LIST);
    g_autoptr(GPtrArray) vfs = NULL;
    const PvrVf *vf;

    put_vf(msg, 1, 1, FALSE);
    put_vf(msg, 0, G_MAXUINT32, TRUE);
    nla_nest_end(msg, list);
    vfs = pvr_rtnl_parse_vfs(nlmsg_hdr(msg));
    g_assert_cmpuint(vfs->len, ==, 2);
    vf = vfs->pdata[0];
    g_assert_cmpuint(vf->index, ==, 0);
    g_assert_cmpuint(vf->set, ==, PVR_VF_MAC | PVR_VF_VLAN | PVR_VF_NODE_GUID);
    g_assert_cmphex(vf->node_guid, ==, 0x0c42a10300000000);
    vf = vfs->pdata[1];
    g_assert_cmpuint(vf->index, ==, 1);
    g_assert_cmpuint(vf->set, ==, PVR_VF_MAC | PVR_VF_VLAN | PVR_VF_SPOOFCHK | PVR_VF_TRUST);
    g_assert_true(vf->trust && vf->spoofchk);
    g_assert_cmpuint(vf->vlan, ==, 5);
    g_assert_cmpuint(vf->qos, ==, 3);
    g_assert_cmpuint(vf->mac.raw[5], ==, 1);
}

/* A kernel with other, shorter structures is not believed. */
static void
test_parse_short(void)
{
    g_autoptr(PvrNlMsg) msg = pvr_rtnl_new_message(RTM_NEWLINK, 0, "d0", 0, 0);
    g_autoptr(PvrNlMsg) none = pvr_rtnl_new_message(RTM_NEWLINK, 0, "d0", 0, 0);
    struct nlattr *list = nla_nest_start(msg, IFLA_VFINFO_LIST);
    struct nlattr *info = nla_nest_start(msg, IFLA_VF_INFO);
    g_autoptr(GPtrArray) vfs = NULL;

    g_assert_cmpint(nla_put_u32(msg, IFLA_VF_MAC, 0), ==, 0);
    nla_nest_end(msg, info);
    nla_nest_end(msg, list);
    vfs = pvr_rtnl_parse_vfs(nlmsg_hdr(msg));
    g_assert_cmpuint(vfs->len, ==, 0);
    g_assert_null(pvr_rtnl_parse_vfs(nlmsg_hdr(none)));
}

/* Real requests that no kernel fulfils: loopback has no VFs, and of the other there is none. */
static void
test_impossible_requests(void)
{
    const PvrVf vf = { .set = PVR_VF_TRUST, .index = 0 };
    const PvrMac mac = { { 2, 0, 0, 0, 0, 1 } };
    GError *errors[5] = { NULL };

    g_assert_null(pvr_rtnl_get_vfs("lo", &errors[0]));
    g_assert_error(errors[0], PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_assert_null(pvr_rtnl_get_vfs("pvr-nonesuch", &errors[1]));
    g_assert_error(errors[1], PVR_ERROR, PVR_ERROR_NOT_FOUND);
    g_assert_false(pvr_rtnl_set_vf("pvr-nonesuch", &vf, &errors[2]));
    g_assert_false(pvr_rtnl_set_mac("pvr-nonesuch", &mac, &errors[3]));
    g_assert_false(pvr_rtnl_set_up("pvr-nonesuch", TRUE, &errors[4]));
    for (guint i = 0; i < G_N_ELEMENTS(errors); i++) {
        g_assert_true(errors[i]->domain == PVR_ERROR);
        g_clear_error(&errors[i]);
    }
}

/* The first wait looks again at once, the others end in time. */
static void
test_uevents(void)
{
    g_autoptr(PvrUevents) uevents = pvr_uevents_new();
    gint64 start = g_get_monotonic_time();

    pvr_uevents_wait(uevents, 60000);
    pvr_uevents_wait(uevents, 20);
    pvr_uevents_wait(uevents, 20);
    g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_TIME_SPAN_SECOND);
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sriov/num-errors", test_num_errors);
    g_test_add_func("/sriov/bind-errors", test_bind_errors);
    g_test_add_func("/sriov/vf-errors", test_vf_errors);
    g_test_add_func("/sriov/change-errors", test_change_errors);
    g_test_add("/sriov/set-num", Fixture, NULL, set_up, test_set_num, pvr_fake_machine_clear);
    g_test_add("/sriov/num-not-made", Fixture, NULL, set_up, test_num_not_made,
               pvr_fake_machine_clear);
    g_test_add("/sriov/bind", Fixture, NULL, set_up, test_bind, pvr_fake_machine_clear);
    g_test_add_func("/sriov/parse", test_parse);
    g_test_add_func("/sriov/parse-short", test_parse_short);
    g_test_add_func("/sriov/impossible-requests", test_impossible_requests);
    g_test_add_func("/sriov/uevents", test_uevents);
    return g_test_run();
}
