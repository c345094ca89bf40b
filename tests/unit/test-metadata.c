/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pvr-metadata: our element in domain XML; strictness and hostile input. */
#include <string.h>

#include "pvr-error.h"
#include "pvr-metadata.h"
#include "pvr-xml.h"

#define UUID "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11"
#define GID "fe80:0000:0000:0000:7efe:90ff:fecb:743a"
#define MAC "7c:fe:90:cb:74:3a"
#define GOOD_ATTRS                                                                                 \
    "id='0' backend='rxe' netdev='d0' ibdev='rxe_d0' port='1' gid='" GID "' mac='" MAC             \
    "' alias='ua-pvrdma0' controller='4' path='/dev/pvrdma/" UUID "-0'"
#define DEVICE "<pvrdma:device " GOOD_ATTRS "/>"

static char *
domain_with(const char *inner)
{
    return g_strdup_printf("<domain type='kvm'><name>vm1</name><uuid>" UUID "</uuid>"
                           "<metadata><other xmlns='urn:other'/>%s</metadata></domain>",
                           inner);
}

static char *
devices(const char *inner)
{
    g_autofree char *element = g_strdup_printf(
        "<pvrdma:devices xmlns:pvrdma='" PVR_METADATA_URI "' version='1'>%s</pvrdma:devices>",
        inner);

    return domain_with(element);
}

static PvrDomainMeta *
parse(const char *xml, GError **error)
{
    return pvr_metadata_parse_domain(xml, strlen(xml), error);
}

static void
assert_refused(const char *xml, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(xml, &error);

    g_assert_null(meta);
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    if (!strstr(error->message, part)) {
        g_error("'%s' lacks '%s'", error->message, part);
    }
}

static void
test_good(void)
{
    g_autofree char *xml = devices(DEVICE);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(xml, &error);
    PvrMetaDevice *device = NULL;
    g_autofree char *mac = NULL;

    g_assert_no_error(error);
    g_assert_cmpstr(meta->uuid, ==, UUID);
    g_assert_cmpstr(meta->name, ==, "vm1");
    g_assert_cmpuint(meta->devices->len, ==, 1);
    g_assert_cmpuint(meta->added, ==, 0);
    device = pvr_metadata_find(meta, 0);
    g_assert_nonnull(device);
    g_assert_null(pvr_metadata_find(meta, 1));
    g_assert_cmpint(device->backend, ==, PVR_BACKEND_RXE);
    g_assert_cmpstr(device->netdev, ==, "d0");
    g_assert_cmpstr(device->ibdev, ==, "rxe_d0");
    g_assert_cmpuint(device->port, ==, 1);
    g_assert_cmpint(device->gid_index, ==, -1);
    g_assert_cmpint(device->controller, ==, 4);
    g_assert_cmpstr(device->alias, ==, "ua-pvrdma0");
    mac = pvr_mac_to_string(&device->mac);
    g_assert_cmpstr(mac, ==, MAC);
    g_assert_true(pvr_metadata_check_owner(meta, &error));
    g_assert_no_error(error);
}

#define SOFT_DEVICE "<pvrdma:device id='3' backend='soft' alias='ua-pvrdma3' controller='9'/>"

static void
test_soft(void)
{
    g_autofree char *xml = devices(SOFT_DEVICE);
    g_autofree char *both = devices(DEVICE SOFT_DEVICE);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(xml, &error);
    g_autoptr(PvrDomainMeta) mixed = parse(both, NULL);
    const PvrMetaDevice *device = NULL;
    g_autofree char *text = NULL;

    g_assert_no_error(error);
    device = pvr_metadata_find(meta, 3);
    g_assert_cmpint(device->backend, ==, PVR_BACKEND_SOFT);
    g_assert_null(device->ibdev);
    g_assert_null(device->netdev);
    g_assert_null(device->path);
    g_assert_cmpuint(device->port, ==, 0);
    g_assert_cmpint(device->gid_index, ==, -1);
    g_assert_cmpint(device->controller, ==, 9);
    g_assert_false(pvr_metadata_uses_host(meta));
    g_assert_true(pvr_metadata_uses_host(mixed));
    text = pvr_meta_device_to_xml(device, "pvrdma");
    g_assert_cmpstr(text, ==,
                    "<pvrdma:device id=\"3\" backend=\"soft\" alias=\"ua-pvrdma3\" "
                    "controller=\"9\"/>");
    /* Whose domain it is, is no question. */
    g_free(meta->uuid);
    meta->uuid = g_strdup("77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22");
    g_assert_true(pvr_metadata_check_owner(meta, &error));
}

static void
test_hardware(void)
{
    static const char text[] =
        "<pvrdma:device id=\"0\" backend=\"ibdev\" ibdev=\"mlx5_4\" pci=\"0000:3b:00.2\" "
        "guid=\"7efe:90ff:fecb:743a\" port=\"1\" gid=\"" GID "\" mac=\"" MAC "\" "
        "alias=\"ua-pvrdma0\" path=\"/dev/pvrdma/" UUID "-0\"/>";
    g_autofree char *xml = devices(text);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = pvr_metadata_parse_domain(xml, strlen(xml), &error);
    g_autoptr(PvrMetaDevice) copy = NULL;
    g_autofree char *back = NULL;

    g_assert_no_error(error);
    copy = pvr_meta_device_copy(g_ptr_array_index(meta->devices, 0));
    g_assert_cmpstr(copy->pci, ==, "0000:3b:00.2");
    g_assert_cmpstr(copy->guid, ==, "7efe:90ff:fecb:743a");
    back = pvr_meta_device_to_xml(copy, "pvrdma");
    g_assert_cmpstr(back, ==, text);
}

static void
test_bad_soft(void)
{
    static const char *const more[] = {"netdev='d0'", "ibdev='x'", "port='1'",
                                       "gid='" GID "'", "gid-index='1'", "mac='" MAC "'",
                                       "pci='0000:3b:00.2'", "guid='7efe:90ff:fecb:743a'",
                                       "path='/dev/pvrdma/" UUID "-3'"};

    for (gsize i = 0; i < G_N_ELEMENTS(more); i++) {
        g_autofree char *element = g_strdup_printf(
            "<pvrdma:device id='3' backend='soft' alias='ua-pvrdma3' %s/>", more[i]);
        g_autofree char *xml = devices(element);

        assert_refused(xml, "which is for others");
    }
}

static void
test_none(void)
{
    g_autofree char *xml = domain_with("<pvrdma:devices xmlns:pvrdma='urn:somebody-else'/>");
    g_autoptr(PvrDomainMeta) meta = parse(xml, NULL);
    g_autoptr(PvrDomainMeta) bare =
        parse("<domain><name>a</name><uuid>5B4AC7B1-1F7B-4C5A-9A0E-3F0A4D0C6F11</uuid></domain>",
              NULL);

    g_assert_nonnull(meta);
    g_assert_cmpuint(meta->devices->len, ==, 0);
    g_assert_nonnull(bare);
    g_assert_cmpstr(bare->uuid, ==, UUID);
}

/* The prefix is only a name: the URI decides. */
static void
test_other_prefix(void)
{
    g_autofree char *xml = domain_with("<devices xmlns='" PVR_METADATA_URI
                                       "' version='1' added='override metadata'><device " GOOD_ATTRS
                                       "/><!-- why --></devices>");
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(xml, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(meta->devices->len, ==, 1);
    g_assert_cmpuint(meta->added, ==, PVR_ADDED_OVERRIDE | PVR_ADDED_METADATA);
}

static void
test_round_trip(void)
{
    g_autofree char *first = devices(DEVICE);
    g_autoptr(PvrDomainMeta) meta = parse(first, NULL);
    g_autoptr(PvrMetaDevice) copy = pvr_meta_device_copy(pvr_metadata_find(meta, 0));
    g_autofree char *text = NULL;
    g_autofree char *second = NULL;
    g_autoptr(PvrDomainMeta) again = NULL;
    g_autofree char *again_text = NULL;

    copy->gid_index = 3;
    copy->controller = -1;
    text = pvr_meta_device_to_xml(copy, "pvrdma");
    second = devices(text);
    again = parse(second, NULL);
    g_assert_nonnull(again);
    g_assert_cmpint(pvr_metadata_find(again, 0)->gid_index, ==, 3);
    g_assert_cmpint(pvr_metadata_find(again, 0)->controller, ==, -1);
    again_text = pvr_meta_device_to_xml(pvr_metadata_find(again, 0), "pvrdma");
    g_assert_cmpstr(again_text, ==, text);
}

static char *
replace_once(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    GString *out = g_string_new(NULL);

    g_assert_nonnull(at);
    g_string_append_len(out, text, at - text);
    g_string_append(out, to);
    g_string_append(out, at + strlen(from));
    return g_string_free(out, FALSE);
}

/* What each kind of VF is written as reads as the same. */
static void
test_vfs(void)
{
    static const char *const elements[] = {
        "backend='vf' ibdev='mlx5_4' pci='0000:3b:00.2'",
        "backend='vf' pci='0000:3b:00.2'",
        "backend='pool' pool='fast'",
    };
    g_autofree char *good = devices(DEVICE);

    for (guint i = 0; i < G_N_ELEMENTS(elements); i++) {
        g_autofree char *xml =
            replace_once(good, "backend='rxe' netdev='d0' ibdev='rxe_d0'", elements[i]);
        g_autoptr(GError) error = NULL;
        g_autoptr(PvrDomainMeta) meta = parse(xml, &error);
        g_autoptr(PvrMetaDevice) copy = NULL;
        g_autofree char *text = NULL;

        g_assert_no_error(error);
        copy = pvr_meta_device_copy(pvr_metadata_find(meta, 0));
        g_assert_true(pvr_backend_is_vf(copy->backend));
        text = pvr_meta_device_to_xml(copy, "pvrdma");
        g_strdelimit(text, "\"", '\'');
        g_assert_nonnull(strstr(text, elements[i]));
    }
}

static void
test_added_words(void)
{
    g_autofree char *all = pvr_added_to_string(0x3f);
    g_autofree char *none = pvr_added_to_string(0);

    g_assert_cmpstr(all, ==,
                    "metadata memory-backing memory-source memory-access override xmlns");
    g_assert_cmpstr(none, ==, "");
}

/* Each line replaces one text of the good element; the message must name the trouble. */
static const struct {
    const char *from, *to, *message;
} bad_cases[] = {
    {"id='0'", "id='-1'", "id='-1'"},
    {"id='0'", "id='4294967296'", "id='4294967296'"},
    {"id='0' ", "", "lacks id"},
    {"id='0'", "id='00x'", "id='00x'"},
    {"backend='rxe'", "backend='magic'", "backend='magic'"},
    {"backend='rxe' ", "", "none of rxe, ibdev, soft, vf and pool"},
    {"backend='rxe'", "backend='soft'", "soft has netdev"},
    {"backend='rxe' netdev='d0'", "backend='vf'", "of backend vf lacks pci"},
    {"backend='rxe'", "backend='vf' pci='0000:3b:00.2'", "of backend vf has what is for others"},
    {"backend='rxe' netdev='d0'", "backend='vf' pci='3b:00.2'", "pci='3b:00.2'"},
    {"backend='rxe' netdev='d0'", "backend='vf' pci='0000:3b:00.2' pool='p'", "for others"},
    {"backend='rxe' netdev='d0'", "backend='vf' pci='0000:3b:00.2' guid='0c42:a103:0065:bd12'",
     "for others"},
    {"backend='rxe' netdev='d0' ibdev='rxe_d0'", "backend='pool'", "of backend pool lacks pool"},
    {"backend='rxe' netdev='d0' ibdev='rxe_d0'", "backend='pool' pool='-p'", "pool: '-p'"},
    {"backend='rxe' netdev='d0'", "backend='pool' pool='p'", "pool has what is for others"},
    {"backend='rxe' netdev='d0' ibdev='rxe_d0'", "backend='pool' pool='p' pci='0000:3b:00.2'",
     "pool has what is for others"},
    {"backend='rxe'", "backend='rxe' pool='p'", "has pool, which is for backend pool"},
    {"netdev='d0' ", "", "lacks netdev"},
    {"netdev='d0'", "netdev='../d0'", "netdev"},
    {"netdev='d0'", "netdev='sixteen-letters-'", "netdev"},
    {"ibdev='rxe_d0' ", "", "lacks ibdev"},
    {"ibdev='rxe_d0'", "ibdev='..'", "ibdev"},
    {"ibdev='rxe_d0'", "ibdev=''", "ibdev"},
    {"port='1'", "port='0'", "port='0'"},
    {"port='1'", "port='256'", "port='256'"},
    {"port='1' ", "", "lacks port"},
    {"gid='" GID "' ", "", "lacks gid"},
    {GID, "fe80::zz", "fe80::zz"},
    {GID, "::ffff:10.0.0.1", "IPv4"},
    {MAC, "7c:fe:90:cb:74:3b", "is not the one"},
    {MAC, "7c:fe", "7c:fe"},
    {"alias='ua-pvrdma0'", "alias='pvrdma0'", "alias='pvrdma0'"},
    {"alias='ua-pvrdma0'", "alias='ua-'", "alias='ua-'"},
    {"alias='ua-pvrdma0'", "alias='ua-a&lt;b'", "alias"},
    {"controller='4'", "controller='0'", "controller='0'"},
    {"/dev/pvrdma/" UUID "-0", "/dev/pvrdma/../mem", "path="},
    {"/dev/pvrdma/" UUID "-0", "/dev/pvrdma/" UUID "-1", "path="},
    {"/dev/pvrdma/" UUID "-0", "/dev/pvrdma/" UUID "-0/..", "path="},
    {"id='0'", "id='0' gid-index='70000'", "gid-index='70000'"},
    {"id='0'", "id='0' pci='0000:3b:00.2'", "rxe has pci"},
    {"id='0'", "id='0' guid='7efe:90ff:fecb:743a'", "rxe has guid"},
    {"backend='rxe'", "backend='ibdev' pci='3b:00.2'", "pci='3b:00.2' is no PCI address"},
    {"backend='rxe'", "backend='ibdev' pci=''", "pci='' is no PCI address"},
    {"backend='rxe'", "backend='ibdev' pci='0000:3B:00.2'", "pci='0000:3B:00.2'"},
    {"backend='rxe'", "backend='ibdev' guid='mlx5_0'", "guid='mlx5_0' is no node GUID"},
    {"backend='rxe'", "backend='ibdev' guid='0000:0000:0000:0000'", "is no node GUID"},
    {"backend='rxe'", "backend='ibdev' guid='7E:fe:90:ff:fe:cb:74:3a'", "is no node GUID"},
    {"id='0'", "id='0' gid-policy='routable'", "gid-policy='routable' is none"},
    {"id='0'", "id='0' gid-policy='v2,ipv6,fe80::1'", "gid-policy='v2,ipv6,fe80::1' is none"},
    {"id='0'", "id='0' gid-policy='v1,ipv6,any'", "gid-policy='v1,ipv6,any' is none"},
    {"id='0'", "id='0' gid-index='1' gid-policy='v2,ipv6,any'", "both gid-index and gid-policy"},
    {"id='0'", "id='0' colour='red'", "unknown attribute 'colour'"},
    {"version='1'", "version='2'", "version='2'"},
    {"version='1'", "", "version=''"},
    {"version='1'", "version='1' added='kitchen'", "unknown word 'kitchen'"},
    {"version='1'", "version='1' spare='6 x'", "spare='6 x'"},
    {"version='1'", "version='1' spare='256'", "spare='256'"},
    {"version='1'", "version='1' x='y'", "unknown attribute 'x'"},
    {"/></pvrdma:devices>", "><x/></pvrdma:device></pvrdma:devices>", "unexpected content 'x'"},
    {"</pvrdma:devices>", "text</pvrdma:devices>", "unexpected content"},
    {"</pvrdma:devices>", "<pvrdma:devise/></pvrdma:devices>", "unexpected content 'devise'"},
    {"</pvrdma:devices>", DEVICE "</pvrdma:devices>", "two devices have id='0'"},
    {"</metadata>", "<d:devices xmlns:d='" PVR_METADATA_URI "' version='1'/></metadata>",
     "two <devices>"},
    {"<name>vm1</name>", "", "no name"},
    {"<uuid>" UUID "</uuid>", "", "no valid UUID"},
    {UUID "</uuid>", "42</uuid>", "no valid UUID"},
    {"<domain type='kvm'>", "<domain xmlns='urn:x' type='kvm'>", "no domain XML"},
    {"<domain type='kvm'>", "<domain", "malformed XML"},
    {"</domain>", "", "malformed XML"},
    {"<name>vm1", "<name>&undefined;", "malformed XML"},
    {"<domain type='kvm'>", "<!DOCTYPE domain [<!ENTITY a 'b'>]><domain type='kvm'>", "DOCTYPE"},
    {"<domain type='kvm'>", "<!DOCTYPE domain SYSTEM 'file:///etc/passwd'><domain>", "DOCTYPE"},
    {"<name>vm1", "<name>\xff", "not UTF-8"},
};

static void
test_policy(void)
{
    g_autofree char *element =
        replace_once(DEVICE, "mac=", "gid-policy='v2,ipv6,routable' mac=");
    g_autofree char *xml = devices(element);
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(xml, &error);
    g_autofree char *text = NULL;

    g_assert_no_error(error);
    g_assert_cmpint(pvr_metadata_find(meta, 0)->gid_policy, ==, PVR_GID_ROUTABLE);
    text = pvr_meta_device_to_xml(pvr_metadata_find(meta, 0), "pvrdma");
    g_assert_nonnull(strstr(text, " gid-policy=\"v2,ipv6,routable\" "));
}

static void
test_bad(void)
{
    g_autofree char *good = devices(DEVICE);

    for (gsize i = 0; i < G_N_ELEMENTS(bad_cases); i++) {
        g_autofree char *bad = replace_once(good, bad_cases[i].from, bad_cases[i].to);

        assert_refused(bad, bad_cases[i].message);
    }
}

static void
test_bounds(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *huge = g_malloc0(PVR_XML_MAX_BYTES + 1);
    GString *deep = g_string_new("<domain>");
    GString *many = g_string_new(NULL);
    g_autofree char *many_xml = NULL;

    memset(huge, ' ', PVR_XML_MAX_BYTES + 1);
    g_assert_null(pvr_metadata_parse_domain(huge, PVR_XML_MAX_BYTES + 1, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    assert_refused("", "empty");
    g_assert_null(pvr_metadata_parse_domain("<a>\0</a>", 8, NULL));
    for (guint i = 0; i < 100000; i++) {
        g_string_append(deep, "<a>");
    }
    assert_refused(deep->str, "malformed XML");
    for (guint i = 0; i <= PVR_METADATA_MAX_DEVICES; i++) {
        g_string_append(many, DEVICE);
    }
    many_xml = devices(many->str);
    assert_refused(many_xml, "two devices");
    g_string_free(deep, TRUE);
    g_string_free(many, TRUE);
}

/* A cloned domain has another UUID, and a copy of our element. */
static void
test_clone(void)
{
    g_autofree char *xml = devices(DEVICE);
    g_autofree char *clone =
        replace_once(xml, "<uuid>5b4ac7b1", "<uuid>00000001");
    g_autoptr(GError) error = NULL;
    g_autoptr(PvrDomainMeta) meta = parse(clone, &error);

    g_assert_no_error(error);
    g_assert_false(pvr_metadata_check_owner(meta, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
    g_assert_nonnull(strstr(error->message, "cloned"));
    g_assert_nonnull(strstr(error->message, "pvrdmactl detach vm1 0"));
}

/* Values with quotes and angle brackets cannot leave their attribute. */
static void
test_escape(void)
{
    g_autofree char *xml = devices(DEVICE);
    g_autoptr(PvrDomainMeta) meta = parse(xml, NULL);
    PvrMetaDevice *device = pvr_metadata_find(meta, 0);
    g_autofree char *text = NULL;

    g_free(device->netdev);
    device->netdev = g_strdup("a'\"<&>");
    text = pvr_meta_device_to_xml(device, "pvrdma");
    g_assert_nonnull(strstr(text, "netdev=\"a&apos;&quot;&lt;&amp;&gt;\""));
}

int
main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/metadata/good", test_good);
    g_test_add_func("/metadata/soft", test_soft);
    g_test_add_func("/metadata/hardware", test_hardware);
    g_test_add_func("/metadata/bad-soft", test_bad_soft);
    g_test_add_func("/metadata/none", test_none);
    g_test_add_func("/metadata/other-prefix", test_other_prefix);
    g_test_add_func("/metadata/round-trip", test_round_trip);
    g_test_add_func("/metadata/policy", test_policy);
    g_test_add_func("/metadata/added-words", test_added_words);
    g_test_add_func("/metadata/vfs", test_vfs);
    g_test_add_func("/metadata/bad", test_bad);
    g_test_add_func("/metadata/bounds", test_bounds);
    g_test_add_func("/metadata/clone", test_clone);
    g_test_add_func("/metadata/escape", test_escape);
    return g_test_run();
}
