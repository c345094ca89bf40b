/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-error.h"
#include "pvr-gid.h"

static void
test_rule_both_ways(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *gid_text = NULL, *mac_text = NULL;
    PvrMac mac, back;
    PvrGid gid;

    g_assert_true(pvr_mac_parse("7c:fe:90:cb:74:3a", &mac, &error));
    g_assert_no_error(error);
    pvr_gid_from_mac(&mac, &gid);
    gid_text = pvr_gid_to_string(&gid);
    g_assert_cmpstr(gid_text, ==, "fe80:0000:0000:0000:7efe:90ff:fecb:743a");
    g_assert_true(pvr_gid_to_mac(&gid, &back, &error));
    g_assert_no_error(error);
    g_assert_true(pvr_mac_equal(&mac, &back));
    mac_text = pvr_mac_to_string(&back);
    g_assert_cmpstr(mac_text, ==, "7c:fe:90:cb:74:3a");
}

static void
test_every_mac_survives(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);

    for (guint i = 0; i < 10000; i++) {
        PvrMac mac, back;
        PvrGid gid;

        for (guint b = 0; b < sizeof(mac.raw); b++)
            mac.raw[b] = (guint8) g_rand_int(rand);
        mac.raw[0] &= 0xfe;
        pvr_gid_from_mac(&mac, &gid);
        g_assert_true(pvr_gid_to_mac(&gid, &back, NULL));
        g_assert_true(pvr_mac_equal(&mac, &back));
    }
}

static void
check_refused(const char *gid_text, const char *reason)
{
    g_autoptr(GError) error = NULL;
    PvrMac mac = { { 1, 2, 3, 4, 5, 6 } };
    const PvrMac before = mac;
    PvrGid gid;

    g_assert_true(pvr_gid_parse(gid_text, &gid, NULL));
    g_assert_false(pvr_gid_to_mac(&gid, &mac, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
    g_assert_nonnull(strstr(error->message, reason));
    g_assert_nonnull(strchr(error->message, '\n'));
    g_assert_true(pvr_mac_equal(&mac, &before));
}

static void
test_refusals(void)
{
    check_refused("::", "empty GID");
    check_refused("::ffff:192.168.0.1", "IPv4-mapped");
    check_refused("0000:0000:0000:0000:0000:ffff:c0a8:0001", "IPv4-mapped");
    check_refused("fe80::a1b2:c3d4:e5f6:0718", "stable-privacy");
    check_refused("fe80::1", "stable-privacy");
    check_refused("ff12::7efe:90ff:fecb:743a", "multicast GID");
    check_refused("fe80::100:ff:fe00:1", "multicast MAC");
    check_refused("fe80::200:ff:fe00:0", "loopback");
}

static void
test_global_eui64(void)
{
    g_autofree char *text = NULL;
    PvrGid gid;
    PvrMac mac;

    g_assert_true(pvr_gid_parse("2001:db8::5054:ff:fe12:3456", &gid, NULL));
    g_assert_true(pvr_gid_to_mac(&gid, &mac, NULL));
    text = pvr_mac_to_string(&mac);
    g_assert_cmpstr(text, ==, "52:54:00:12:34:56");
}

static void
test_bad_gid_text(void)
{
    static const char *const bad[] = {
        "", " ", "fe80", "fe80:::1", "fe80::1%eth0", " fe80::1", "fe80::1 ", "fe80::1\n",
        "0000:0000:0000:0000:0000:0000:0000:00000", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "g000::", "7c:fe:90:cb:74:3a", "10.0.0.1", "\x1b[31mfe80::1", "fe80::\xff",
    };

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        PvrGid gid = { { 42 } };

        g_assert_false(pvr_gid_parse(bad[i], &gid, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
        g_assert_true(g_utf8_validate(error->message, -1, NULL));
        g_assert_cmpint(gid.raw[0], ==, 42);
    }
}

static void
test_mac_text(void)
{
    static const char *const bad[] = {
        "", "7c", "7c:fe:90:cb:74", "7c:fe:90:cb:74:3a:", "7c:fe:90:cb:74:3a:00", "7cfe90cb743a",
        "7c:fe:90:cb:74-3a", "7c:fe:90:cb:7g:3a", "7c:fe:90:cb:7:03a", " 7c:fe:90:cb:74:3",
        "7c.fe.90.cb.74.3a", "fe80::7efe:90ff:fecb", "00:00:00:00:00:0\n",
    };
    PvrMac mac, dashed;

    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_false(pvr_mac_parse(bad[i], &mac, &error));
        g_assert_error(error, PVR_ERROR, PVR_ERROR_USAGE);
    }
    g_assert_true(pvr_mac_parse("7C:FE:90:cb:74:3a", &mac, NULL));
    g_assert_true(pvr_mac_parse("7c-fe-90-cb-74-3a", &dashed, NULL));
    g_assert_true(pvr_mac_equal(&mac, &dashed));
}

static void
test_usable_mac(void)
{
    const PvrMac zero = { { 0 } }, multicast = { { 0x01, 0, 0x5e, 0, 0, 1 } };
    const PvrMac good = { { 0x52, 0x54, 0, 0, 0, 1 } };

    g_assert_false(pvr_mac_is_usable(&zero));
    g_assert_false(pvr_mac_is_usable(&multicast));
    g_assert_true(pvr_mac_is_usable(&good));
}

static void
test_domain_mac(void)
{
    static const char uuid[] = "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11";
    PvrMac first, again, second, other;
    g_autofree char *text = NULL;

    pvr_mac_of_domain(uuid, 0, &first);
    pvr_mac_of_domain(uuid, 0, &again);
    pvr_mac_of_domain(uuid, 1, &second);
    pvr_mac_of_domain("77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22", 0, &other);
    text = pvr_mac_to_string(&first);
    g_assert_cmpstr(text, ==, "52:54:00:2c:49:bc");
    g_assert_true(pvr_mac_is_usable(&first));
    g_assert_true(pvr_mac_equal(&first, &again));
    g_assert_false(pvr_mac_equal(&first, &second));
    g_assert_false(pvr_mac_equal(&first, &other));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gid/rule-both-ways", test_rule_both_ways);
    g_test_add_func("/gid/every-mac-survives", test_every_mac_survives);
    g_test_add_func("/gid/refusals", test_refusals);
    g_test_add_func("/gid/global-eui64", test_global_eui64);
    g_test_add_func("/gid/bad-text", test_bad_gid_text);
    g_test_add_func("/mac/text", test_mac_text);
    g_test_add_func("/mac/usable", test_usable_mac);
    g_test_add_func("/gid/domain-mac", test_domain_mac);
    return g_test_run();
}
