/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pvr-domxml: attach against golden files, detach as its exact inverse in any
 * order, refusals. The inputs in domxml/ are real dumps of libvirt 9.0.
 * `test-domxml --regenerate DIR` writes the golden files anew: read the diff.
 */
#include <string.h>

#include <libxml/parser.h>

#include "pvr-domxml.h"
#include "pvr-error.h"
#include "pvr-fake-domain.h"
#include "pvr-plan.h"
#include "pvr-xml.h"

#define UUID "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11"

/* Makes device N a soft one. */
#define SOFT 0x100u

static const char *const golden_names[] = {"q35", "i440fx", "numa", "numa-shared", "override"};

static char *
read_file(const char *name)
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "unit", "domxml", name, NULL);
    g_autoptr(GError) error = NULL;
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

static char *
read_input(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".xml", NULL);

    return read_file(file);
}

/* Device @n: netdev dN unless SOFT, MAC 02:00:00:00:01:0N. */
static PvrMetaDevice *
make_wanted(guint n)
{
    const PvrMac mac = {{2, 0, 0, 0, 1, (guint8)n}};
    PvrMetaDevice *wanted = pvr_plan_soft(&mac);

    if (n & SOFT) {
        return wanted;
    }
    wanted->backend = PVR_BACKEND_RXE;
    wanted->netdev = g_strdup_printf("d%u", n);
    wanted->ibdev = g_strdup_printf("rxe_d%u", n);
    wanted->port = 1;
    return wanted;
}

static char *
try_attach(const char *xml, guint n, GError **error)
{
    g_autoptr(PvrMetaDevice) wanted = make_wanted(n);
    PvrNetSource source = {PVR_NET_NETWORK, "default"};

    return pvr_domxml_attach(xml, strlen(xml), wanted, &source, NULL, error);
}

static char *
attach(const char *xml, guint n)
{
    g_autoptr(GError) error = NULL;
    char *result = try_attach(xml, n, &error);

    g_assert_no_error(error);
    return result;
}

static char *
detach(const char *xml, guint id)
{
    g_autoptr(GError) error = NULL;
    char *result = pvr_domxml_detach(xml, strlen(xml), id, NULL, &error);

    g_assert_no_error(error);
    return result;
}

/* Attach of devices 0 and 1, @soft or not: what the golden file holds. */
static char *
golden_result(const char *name, guint soft)
{
    g_autofree char *before = read_input(name);
    g_autofree char *one = attach(before, 0 | soft);
    g_autoptr(PvrMetaDevice) wanted = make_wanted(1 | soft);
    PvrNetSource source = {PVR_NET_DIRECT, "a<b"};
    g_autoptr(GError) error = NULL;
    char *both = NULL;

    wanted->gid_index = soft ? -1 : 3;
    both = pvr_domxml_attach(one, strlen(one), wanted, &source, NULL, &error);
    g_assert_no_error(error);
    return both;
}

static const struct {
    guint soft;
    const char *suffix;
} golden_kinds[] = {{0, ".attached.xml"}, {SOFT, ".soft.xml"}};

static void
test_golden(gconstpointer data)
{
    for (guint i = 0; i < G_N_ELEMENTS(golden_kinds); i++) {
        g_autofree char *file = g_strconcat(data, golden_kinds[i].suffix, NULL);
        g_autofree char *want = read_file(file);
        g_autofree char *have = golden_result(data, golden_kinds[i].soft);

        g_assert_cmpstr(have, ==, want);
    }
}

static void
regenerate_one(const char *dir, const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS(golden_kinds); i++) {
        g_autofree char *path = g_strconcat(dir, "/", name, golden_kinds[i].suffix, NULL);
        g_autofree char *text = golden_result(name, golden_kinds[i].soft);

        g_assert_true(g_file_set_contents(path, text, -1, NULL));
    }
}

static int
regenerate(const char *dir)
{
    for (guint i = 0; i < G_N_ELEMENTS(golden_names); i++) {
        regenerate_one(dir, golden_names[i]);
    }
    return 0;
}

static void
drop_blanks(xmlNode *node)
{
    for (xmlNode *child = node->children; child;) {
        xmlNode *next = child->next;

        if (xmlIsBlankNode(child)) {
            xmlUnlinkNode(child);
            xmlFreeNode(child);
        } else {
            drop_blanks(child);
        }
        child = next;
    }
}

/* Equal but for blanks between elements and <a></a> written as <a/>. */
static char *
canonical(const char *xml)
{
    xmlDoc *doc = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, 0);
    xmlChar *out = NULL;
    char *copy = NULL;

    g_assert_nonnull(doc);
    drop_blanks(xmlDocGetRootElement(doc));
    xmlDocDumpMemoryEnc(doc, &out, NULL, "UTF-8");
    copy = g_strdup((const char *)out);
    xmlFree(out);
    xmlFreeDoc(doc);
    return copy;
}

static const guint orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Device N is soft if bit N of @mask is set. */
static guint
kind_of(guint n, guint mask)
{
    return mask >> n & 1 ? n | SOFT : n;
}

static char *
attach_three(const char *xml, guint mask)
{
    g_autofree char *one = attach(xml, kind_of(0, mask));
    g_autofree char *two = attach(one, kind_of(1, mask));

    return attach(two, kind_of(2, mask));
}

static char *
detach_three(const char *xml, const guint *order)
{
    g_autofree char *one = detach(xml, order[0]);
    g_autofree char *two = detach(one, order[1]);

    return detach(two, order[2]);
}

static void
test_inverse(gconstpointer data)
{
    g_autofree char *before = read_input(data);

    for (guint i = 0; i < G_N_ELEMENTS(orders) * 8; i++) {
        g_autofree char *all = attach_three(before, i % 8);
        g_autofree char *after = detach_three(all, orders[i / 8]);

        g_assert_cmpstr(after, ==, before);
    }
}

/* Small domains in all combinations of what attach has to look at. */
static const char *const roots[] = {
    "<domain type='kvm'>",
    "<domain xmlns:qemu='" PVR_QEMU_URI "'\n type=\"a>b\" >",
    "<?xml version='1.0'?>\n<!-- <domain> -->\n<domain xmlns:qemu='urn:not-qemu'>",
    "<domain xmlns:q='" PVR_QEMU_URI "'>",
};
static const char *const metadatas[] = {
    "",
    "<metadata/>",
    "<metadata>\n    <a xmlns='urn:a'><!-- <b> --><![CDATA[</metadata>]]></a>\n  </metadata>",
};
static const char *const backings[] = {
    "",
    "<memoryBacking/>",
    "<memoryBacking><locked/></memoryBacking>",
    "<memoryBacking><hugepages><page size='2048' unit='KiB'/></hugepages></memoryBacking>",
    "<memoryBacking>\n    <source type='memfd'/>\n  </memoryBacking>",
    "<memoryBacking><source type='memfd'/><access mode='shared'/></memoryBacking>",
    "<memoryBacking><source type='file'/><access mode='shared'/><discard/></memoryBacking>",
};
static const char *const tails[] = {
    "",
    "<override xmlns='" PVR_QEMU_URI "'><device alias='ua-x'/></override>",
    "<c:commandline xmlns:c='" PVR_QEMU_URI "'><c:arg value='>'/></c:commandline>",
};
static const char *const device_lists[] = {
    "<devices/>", "<devices></devices>", "<devices><emulator>x</emulator></devices>",
};
static const char *const machines[] = {"pc", "q35"};

static char *
combine(guint n, gboolean lines)
{
    const char *root = roots[n % 4];
    const char *metadata = metadatas[n / 4 % 3];
    const char *backing = backings[n / 12 % 7];
    const char *tail = tails[n / 84 % 3];
    const char *machine = machines[n / 252 % 2];
    const char *brk = lines ? "\n  " : "";

    return g_strdup_printf("%s%s<name>vm1</name>%s<uuid>" UUID "</uuid>%s%s%s<memory>1</memory>"
                           "%s%s%s<os><type machine='%s'>hvm</type></os>%s%s"
                           "%s%s%s</domain>\n",
                           root, brk, brk, brk, metadata, brk, brk, backing, brk, machine, brk,
                           device_lists[n % 3], brk, tail, lines ? "\n" : "");
}

static gboolean
is_shared(const xmlNode *domain)
{
    const xmlNode *backing = pvr_xml_child(domain, NULL, "memoryBacking");

    return pvr_xml_attr_is(pvr_xml_child(backing, NULL, "access"), "mode", "shared");
}

static void
check_attached(const char *xml, guint count, guint mask)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, strlen(xml), &error);
    const xmlNode *domain = doc ? xmlDocGetRootElement(doc) : NULL;
    g_autoptr(PvrDomainMeta) meta = doc ? pvr_metadata_parse_node(domain, &error) : NULL;

    g_assert_no_error(error);
    g_assert_cmpuint(meta->devices->len, ==, count);
    for (guint i = 0; i < count; i++) {
        const PvrMetaDevice *device = pvr_metadata_find(meta, i);
        g_autoptr(PvrDomxmlDevice) found = pvr_domxml_find(domain, device);
        PvrMac mac = {{0}};

        g_assert_nonnull(found->function0);
        g_assert_nonnull(found->function1);
        g_assert_true(found->override);
        g_assert_true(g_str_has_suffix(found->function0, ".0"));
        g_assert_true(g_str_has_suffix(found->function1, ".1"));
        g_assert_cmpint(strncmp(found->function0, found->function1, 10), ==, 0);
        g_assert_cmpstr(found->net_type, ==, "network");
        g_assert_cmpstr(found->net_source, ==, "default");
        g_assert_true(pvr_mac_parse(found->net_mac, &mac, NULL));
        g_assert_cmpuint(mac.raw[5], ==, i);
        g_assert_true(pvr_domxml_has_mac(domain, &mac));
        g_assert_cmpint(device->backend == PVR_BACKEND_SOFT, ==, mask >> i & 1);
    }
    /* What was shared before stays so; a soft device alone does not make it so. */
    g_assert_true(is_shared(domain) || !pvr_metadata_uses_host(meta));
}

static void
test_combinations(void)
{
    /* Every fifth: 5 divides none of the factors, so all pairs of choices occur. */
    for (guint n = 0; n < 4 * 3 * 7 * 3 * 2 * 2; n += 5) {
        g_autofree char *before = combine(n / 2, n % 2);
        const guint mask = n / 5 % 8;
        g_autofree char *all = attach_three(before, mask);
        g_autofree char *want = canonical(before);
        g_autofree char *after = detach_three(all, orders[n % G_N_ELEMENTS(orders)]);
        g_autofree char *have = canonical(after);

        check_attached(all, 3, mask);
        g_assert_cmpstr(have, ==, want);
    }
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

/* In the dump of "q35" (numa: "numa"), one text replaced: attach must refuse, and say why. */
static const struct {
    const char *input, *from, *to;
    int code;
    const char *message;
} refusals[] = {
    {"q35", "<vcpu", "<memoryBacking><source type='file'/></memoryBacking><vcpu",
     PVR_ERROR_UNSUPPORTED, "source type 'file'"},
    {"q35", "<vcpu", "<memoryBacking><source type='anonymous'/></memoryBacking><vcpu",
     PVR_ERROR_UNSUPPORTED, "source type 'anonymous'"},
    {"q35", "<vcpu", "<memoryBacking><access mode='private'/></memoryBacking><vcpu",
     PVR_ERROR_UNSUPPORTED, "access mode 'private'"},
    {"numa", "<cell id='1'", "<cell id='1' memAccess='private'", PVR_ERROR_UNSUPPORTED,
     "NUMA cell"},
    {"q35", "</devices>", "<memory model='dimm' access='private'/></devices>",
     PVR_ERROR_UNSUPPORTED, "<memory> device"},
    {"q35", "</devices>", "<memory model='nvdimm'/></devices>", PVR_ERROR_UNSUPPORTED, "NVDIMM"},
    {"q35", "52:54:00:00:00:01", "02:00:00:00:01:00", PVR_ERROR_BUSY, "02:00:00:00:01:00"},
    {"q35", "model='pcie-root'", "model='none'", PVR_ERROR_UNSUPPORTED, "machine type"},
    {"q35", "type='pci' index='5'", "type='pci' index='255'", PVR_ERROR_UNSUPPORTED, "bus number"},
    {"q35", "<devices>", "<devices><", PVR_ERROR_CORRUPT, "malformed XML"},
    {"q35", "<domain", "<!DOCTYPE domain><domain", PVR_ERROR_CORRUPT, "DOCTYPE"},
    {"q35", "<metadata>", "<metadata><d:devices xmlns:d='" PVR_METADATA_URI "' version='9'/>",
     PVR_ERROR_CORRUPT, "version='9'"},
};

static void
test_refusals(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
        g_autofree char *good = read_input(refusals[i].input);
        g_autofree char *bad = replace_once(good, refusals[i].from, refusals[i].to);
        g_autoptr(GError) error = NULL;
        g_autofree char *result = try_attach(bad, 0, &error);

        g_assert_null(result);
        g_assert_error(error, PVR_ERROR, refusals[i].code);
        if (!strstr(error->message, refusals[i].message)) {
            g_error("'%s' lacks '%s'", error->message, refusals[i].message);
        }
    }
}

/* As many devices as bus 0 has slots; the next one is refused, nothing else breaks. */
static void
test_full_bus(void)
{
    g_autofree char *xml = read_input("i440fx");
    g_autoptr(GError) error = NULL;
    guint n = 0;

    for (;; n++) {
        g_autofree char *next = try_attach(xml, n, &error);

        if (!next) {
            break;
        }
        g_free(xml);
        xml = g_steal_pointer(&next);
    }
    g_assert_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED);
    g_assert_nonnull(strstr(error->message, "no free slot"));
    g_assert_cmpuint(n, ==, 27); /* 3 to 31 without the two that are taken */
    check_attached(xml, n, 0);
}

static void
test_too_many(void)
{
    g_autofree char *xml = read_input("q35");
    g_autoptr(GError) error = NULL;

    for (guint n = 0; n < PVR_METADATA_MAX_DEVICES; n++) {
        char *next = attach(xml, n);

        g_free(xml);
        xml = next;
    }
    g_assert_null(try_attach(xml, PVR_METADATA_MAX_DEVICES, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_FAILED);
}

static void
test_twice(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autoptr(GError) error = NULL;

    g_assert_null(try_attach(one, 0, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOTHING);
    g_assert_nonnull(strstr(error->message, "'d0' is attached already, as device 0"));
}

static void
assert_soft_there(const char *xml, PvrNetSource source, const char *mac_text, gboolean there)
{
    g_autoptr(GError) error = NULL;
    PvrMac mac = {{0}};

    if (mac_text) {
        g_assert_true(pvr_mac_parse(mac_text, &mac, NULL));
    }
    g_assert_true(pvr_domxml_check_soft(xml, strlen(xml), &source, mac_text ? &mac : NULL,
                                        &error) == !there);
    if (there) {
        g_assert_error(error, PVR_ERROR, PVR_ERROR_NOTHING);
        g_assert_nonnull(strstr(error->message, "network 'default' is attached already"));
    }
}

static void
test_soft_twice(void)
{
    const PvrNetSource network = {PVR_NET_NETWORK, "default"};
    const PvrNetSource bridge = {PVR_NET_BRIDGE, "default"};
    const PvrNetSource other = {PVR_NET_NETWORK, "lan"};
    g_autofree char *before = read_input("q35");
    g_autofree char *rxe = attach(before, 0);
    g_autofree char *soft = attach(rxe, 1 | SOFT);
    g_autoptr(GError) error = NULL;

    assert_soft_there(before, network, NULL, FALSE);
    assert_soft_there(rxe, network, NULL, FALSE);
    assert_soft_there(soft, network, NULL, TRUE);
    assert_soft_there(soft, bridge, NULL, FALSE);
    assert_soft_there(soft, other, NULL, FALSE);
    assert_soft_there(soft, network, "02:00:00:00:01:01", TRUE);
    assert_soft_there(soft, network, "02:00:00:00:01:00", FALSE);
    g_assert_null(try_attach(soft, 1 | SOFT, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_BUSY);
    g_clear_error(&error);
    g_assert_false(pvr_domxml_check_soft("<domain", 7, &network, NULL, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_CORRUPT);
}

/* Memory that is refused for devices of the host is no matter for soft ones, and stays as it is. */
static void
test_soft_memory(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
        g_autofree char *input = read_input(refusals[i].input);
        g_autofree char *xml = replace_once(input, refusals[i].from, refusals[i].to);
        g_autofree char *one = NULL;
        g_autofree char *after = NULL;

        if (!strstr(refusals[i].to, "emory")) {
            continue;
        }
        one = attach(xml, 0 | SOFT);
        after = detach(one, 0);
        g_assert_cmpstr(after, ==, xml);
    }
}

/* Of a mixed domain the shared memory goes with the last device that needs it, unless others do. */
static void
test_mixed_memory(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *soft = attach(before, 0 | SOFT);
    g_autofree char *both = attach(soft, 1);
    g_autofree char *rest = detach(both, 1);
    g_autofree char *virtiofs = replace_once(
        both, "    <input", "    <filesystem><driver type='virtiofs'/></filesystem>\n    <input");
    g_autofree char *note = NULL;
    g_autofree char *kept = pvr_domxml_detach(virtiofs, strlen(virtiofs), 1, &note, NULL);
    g_autofree char *gone = replace_once(
        kept, "    <filesystem><driver type='virtiofs'/></filesystem>\n", "");
    g_autofree char *last = detach(gone, 0);

    g_assert_null(strstr(soft, "memfd"));
    g_assert_nonnull(strstr(both, "memfd"));
    g_assert_null(strstr(rest, "memfd"));
    g_assert_null(strstr(rest, "memory-backing"));
    g_assert_nonnull(strstr(note, "virtiofs"));
    g_assert_nonnull(strstr(kept, "memfd"));
    g_assert_nonnull(strstr(kept, "memory-backing"));
    g_assert_cmpstr(last, ==, before);
}

static void
test_detach_nothing(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autoptr(GError) error = NULL;

    g_assert_null(pvr_domxml_detach(before, strlen(before), 0, NULL, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOTHING);
    g_clear_error(&error);
    g_assert_null(pvr_domxml_detach(one, strlen(one), 1, NULL, &error));
    g_assert_error(error, PVR_ERROR, PVR_ERROR_NOTHING);
}

/* Detached ids and root ports are used again; ids that others use as alias are not. */
static void
test_ids(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *all = attach_three(before, 0);
    g_autofree char *gap = detach(all, 0);
    g_autofree char *again = attach(gap, 5);
    g_autofree char *taken = replace_once(before, "<model type='virtio'/>",
                                          "<model type='virtio'/><alias name='ua-pvrdma0-net'/>");
    g_autofree char *moved = attach(taken, 0);

    g_assert_nonnull(strstr(gap, " spare='6'"));
    g_assert_nonnull(strstr(again, "id=\"0\" backend=\"rxe\" netdev=\"d5\""));
    g_assert_null(strstr(again, "spare="));
    g_assert_null(strstr(again, "index='9'"));
    g_assert_nonnull(strstr(moved, "id=\"1\" backend=\"rxe\" netdev=\"d0\""));
}

/* In our metadata somebody gave a device the alias that another id would get. */
static void
test_renamed(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autofree char *renamed =
        pvr_fake_replace(one, "alias=\"ua-pvrdma0\"", "alias=\"ua-pvrdma1\"");
    g_autofree char *two = attach(renamed, 1);

    g_assert_nonnull(strstr(two, "id=\"2\" backend=\"rxe\" netdev=\"d1\""));
    g_assert_nonnull(strstr(two, "ua-pvrdma2-net"));
}

/* What the user added meanwhile stays, with all that it needs. */
static void
test_edited(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autofree char *two = replace_once(one, "<access mode='shared'/>",
                                        "<access mode='shared'/>\n    <allocation mode='ondemand'/>");
    g_autofree char *three = replace_once(two, "  </qemu:override>",
                                          "    <qemu:device alias='ua-mine'/>\n  </qemu:override>");
    g_autofree char *four = replace_once(
        three, "    </rng>\n",
        "    </rng>\n    <rng model='virtio'>\n      <address type='pci' domain='0x0000' bus='0x06' "
        "slot='0x00' function='0x2'/>\n    </rng>\n");
    g_autofree char *after = detach(four, 0);

    g_assert_null(strstr(after, "pvrdma"));
    g_assert_null(strstr(after, "memfd"));
    g_assert_null(strstr(after, "shared"));
    g_assert_nonnull(strstr(after, "<memoryBacking>\n    <allocation mode='ondemand'/>\n"));
    g_assert_nonnull(strstr(after, "<qemu:override>\n    <qemu:device alias='ua-mine'/>\n"));
    g_assert_nonnull(strstr(after, "xmlns:qemu="));
    g_assert_nonnull(strstr(after, "index='6' model='pcie-root-port'"));
    g_assert_nonnull(strstr(after, "function='0x2'/>\n    </rng>"));
}

static void
test_kept_memory(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autofree char *two = replace_once(
        one, "    <input", "    <filesystem><driver type='virtiofs'/></filesystem>\n    <input");
    g_autofree char *note = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *after = pvr_domxml_detach(two, strlen(two), 0, &note, &error);

    g_assert_no_error(error);
    g_assert_nonnull(strstr(after, "<access mode='shared'/>"));
    g_assert_nonnull(note);
    g_assert_nonnull(strstr(note, "virtiofs"));
}

/* Somebody has removed parts of the device by hand: detach takes the rest. */
static void
test_half_gone(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    char *begin = strstr(one, "    <rng");
    char *end = strstr(one, "</rng>\n") + strlen("</rng>\n");
    g_autofree char *after = NULL;

    memmove(begin, end, strlen(end) + 1);
    after = detach(one, 0);
    g_assert_cmpstr(after, ==, before);
}

/* A root port that a later one follows cannot go: libvirt wants no gaps. */
static void
test_kept_port(void)
{
    g_autofree char *before = read_input("q35");
    g_autofree char *one = attach(before, 0);
    g_autofree char *two = replace_once(
        one, "    <controller type='pci' index='6' model='pcie-root-port'/>\n",
        "    <controller type='pci' index='6' model='pcie-root-port'/>\n"
        "    <controller type='pci' index='7' model='pcie-root-port'/>\n");
    g_autofree char *note = NULL;
    g_autofree char *after = pvr_domxml_detach(two, strlen(two), 0, &note, NULL);

    g_assert_nonnull(after);
    g_assert_nonnull(strstr(after, "index='6'"));
    g_assert_nonnull(note);
}

static void
add_per_file(const char *what, GTestDataFunc func)
{
    for (guint i = 0; i < G_N_ELEMENTS(golden_names); i++) {
        g_autofree char *path = g_strconcat("/domxml/", what, "/", golden_names[i], NULL);

        g_test_add_data_func(path, golden_names[i], func);
    }
}

int
main(int argc, char **argv)
{
    const char *dir = argc == 3 && g_str_equal(argv[1], "--regenerate") ? argv[2] : NULL;
    int test_argc = dir ? 1 : argc;

    g_test_init(&test_argc, &argv, NULL);
    if (dir) {
        return regenerate(dir);
    }
    add_per_file("golden", test_golden);
    add_per_file("inverse", test_inverse);
    g_test_add_func("/domxml/combinations", test_combinations);
    g_test_add_func("/domxml/refusals", test_refusals);
    g_test_add_func("/domxml/full-bus", test_full_bus);
    g_test_add_func("/domxml/too-many", test_too_many);
    g_test_add_func("/domxml/twice", test_twice);
    g_test_add_func("/domxml/soft-twice", test_soft_twice);
    g_test_add_func("/domxml/soft-memory", test_soft_memory);
    g_test_add_func("/domxml/mixed-memory", test_mixed_memory);
    g_test_add_func("/domxml/detach-nothing", test_detach_nothing);
    g_test_add_func("/domxml/ids", test_ids);
    g_test_add_func("/domxml/renamed", test_renamed);
    g_test_add_func("/domxml/edited", test_edited);
    g_test_add_func("/domxml/kept-memory", test_kept_memory);
    g_test_add_func("/domxml/half-gone", test_half_gone);
    g_test_add_func("/domxml/kept-port", test_kept_port);
    return g_test_run();
}
