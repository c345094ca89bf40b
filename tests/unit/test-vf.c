/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text forms of what a VF can be given. */
#include <linux/if_link.h>

#include "pvr-error.h"
#include "pvr-vf.h"

static void
test_bad_attrs(void)
{
    static const char *const bad[] = {
        "", "vlan", "vlan 5", "vlan 5 0 0", "vlan 4095 0", "vlan 5 8", "vlan 0 3", "vlan -1 0",
        "vlan 5  0", "rate 5 4", "rate 1", "rate 0 4294967296", "trust", "trust yes",
        "trust on off", "spoofchk 1",
        "state up", "state", "mac 52:54:00:00:00:01", "Trust on", " trust on", "trust on ",
    };

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        PvrVf vf = { .index = 3, .vlan = 7 };

        g_assert_false(pvr_vf_parse_attr(bad[i], &vf, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
        g_assert_cmpuint(vf.set, ==, 0);
        g_assert_cmpuint(vf.vlan, ==, 7);
    }
}

static void
test_attrs(void)
{
    static const struct {
        PvrVfSet bit;
        const char *text;
    } rows[] = {
        { PVR_VF_VLAN, "vlan 4094 7" },   { PVR_VF_VLAN, "vlan 0 0" },
        { PVR_VF_RATE, "rate 10 1000" },  { PVR_VF_RATE, "rate 5 0" },
        { PVR_VF_SPOOFCHK, "spoofchk on" }, { PVR_VF_TRUST, "trust off" },
        { PVR_VF_LINK_STATE, "state auto" }, { PVR_VF_LINK_STATE, "state enable" },
        { PVR_VF_LINK_STATE, "state disable" },
    };

    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *back = NULL;
        PvrVf vf = { .set = PVR_VF_MAC, .trust = TRUE };

        g_assert_true(pvr_vf_parse_attr(rows[i].text, &vf, &error));
        g_assert_no_error(error);
        g_assert_cmpuint(vf.set, ==, PVR_VF_MAC | rows[i].bit);
        back = pvr_vf_attr_to_string(&vf, rows[i].bit);
        g_assert_cmpstr(back, ==, rows[i].text);
    }
}

static void
test_same(void)
{
    const PvrVf a = { .vlan = 5, .trust = TRUE, .mac = { { 2, 0, 0, 0, 0, 1 } }, .port_guid = 7 };
    PvrVf b = a;

    g_assert_true(pvr_vf_same(&a, &b, ~0u));
    b.qos = 1;
    g_assert_false(pvr_vf_same(&a, &b, ~0u));
    g_assert_false(pvr_vf_same(&a, &b, PVR_VF_VLAN));
    g_assert_true(pvr_vf_same(&a, &b, ~(guint) PVR_VF_VLAN));
    b = a;
    b.mac.raw[5] = 2;
    g_assert_false(pvr_vf_same(&a, &b, PVR_VF_MAC | PVR_VF_TRUST));
    g_assert_true(pvr_vf_same(&a, &b, PVR_VF_TRUST));
    b.port_guid = 8;
    g_assert_false(pvr_vf_same(&a, &b, PVR_VF_PORT_GUID));
    g_assert_true(pvr_vf_same(&a, &b, PVR_VF_NODE_GUID | PVR_VF_RATE | PVR_VF_LINK_STATE));
}

static void
test_guids(void)
{
    static const char *const bad[] = {
        "", "0c42:a103:0065", "0c42:a103:0065:bd1", "0c42:a103:0065:bd123", "0c42a1030065bd12",
        "0c42-a103-0065-bd12", "0c42:a103:0065:bdxy", "0c:42:a1:03:00:65:bd", "0c:42:a1:03:00:65:bd:1 ",
    };
    g_autoptr(GError) error = NULL;
    g_autofree char *text = pvr_guid_to_string(G_GUINT64_CONSTANT(0x0c42a1030065bd12));
    guint64 guid = 1;

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_false(pvr_guid_parse(bad[i], &guid, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
        g_assert_cmpuint(guid, ==, 1);
        g_clear_error(&error);
    }
    g_assert_cmpstr(text, ==, "0c42:a103:0065:bd12");
    g_assert_true(pvr_guid_parse(text, &guid, &error));
    g_assert_cmphex(guid, ==, G_GUINT64_CONSTANT(0x0c42a1030065bd12));
    g_assert_true(pvr_guid_parse("0x0C42a1030065bd13", &guid, &error));
    g_assert_cmphex(guid, ==, G_GUINT64_CONSTANT(0x0c42a1030065bd13));
    g_assert_true(pvr_guid_parse("FF:00:00:00:00:00:00:01", &guid, &error));
    g_assert_cmphex(guid, ==, G_GUINT64_CONSTANT(0xff00000000000001));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/vf/bad-attrs", test_bad_attrs);
    g_test_add_func("/vf/attrs", test_attrs);
    g_test_add_func("/vf/same", test_same);
    g_test_add_func("/vf/guids", test_guids);
    return g_test_run();
}
