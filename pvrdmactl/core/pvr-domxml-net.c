/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function 0: the <interface>, its MAC and what it is connected to. */
#include "pvr-domxml-priv.h"
#include "pvr-error.h"
#include "pvr-xml.h"

/* In the order of PvrNetKind. */
static const struct {
    const char *type;
    const char *attr; /* of <source> */
    const char *more; /* other attributes that it takes */
} net_kinds[] = {
    {"network", "network", ""},
    {"bridge", "bridge", ""},
    {"direct", "dev", " mode='bridge'"},
};

char *
pvr_domxml_interface(const PvrMetaDevice *device, const PvrNetSource *source,
                     const PvrPciPlace *place)
{
    g_autofree char *mac = pvr_mac_to_string(&device->mac);
    g_autofree char *alias = pvr_metadata_net_alias(device);
    g_autofree char *name = g_markup_escape_text(source->name, -1);

    return g_strdup_printf("<interface type='%s'>\n"
                           "  <mac address='%s'/>\n"
                           "  <source %s='%s'%s/>\n"
                           "  <model type='vmxnet3'/>\n"
                           "  <alias name='%s'/>\n"
                           "  <address type='pci' domain='0x0000' bus='0x%02x' slot='0x%02x' "
                           "function='0x0' multifunction='on'/>\n"
                           "</interface>",
                           net_kinds[source->kind].type, mac, net_kinds[source->kind].attr, name,
                           net_kinds[source->kind].more, alias, place->bus, place->slot);
}

char *
pvr_domxml_net_source(const xmlNode *interface)
{
    for (guint i = 0; i < G_N_ELEMENTS(net_kinds); i++) {
        if (pvr_xml_attr_is(interface, "type", net_kinds[i].type)) {
            return pvr_xml_attr(pvr_xml_child(interface, NULL, "source"), net_kinds[i].attr);
        }
    }
    return NULL;
}

GArray *
pvr_domxml_list_macs(gconstpointer domain)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    GArray *macs = g_array_new(FALSE, FALSE, sizeof(PvrMac));

    for (const xmlNode *device = pvr_xml_child(devices, NULL, "interface"); device;
         device = pvr_xml_next(device, NULL, "interface")) {
        g_autofree char *text = pvr_xml_attr(pvr_xml_child(device, NULL, "mac"), "address");
        PvrMac mac = {{0}};

        if (text && pvr_mac_parse(text, &mac, NULL)) {
            g_array_append_val(macs, mac);
        }
    }
    return macs;
}

gboolean
pvr_domxml_has_mac(gconstpointer domain, const PvrMac *mac)
{
    g_autoptr(GArray) macs = pvr_domxml_list_macs(domain);

    for (guint i = 0; i < macs->len; i++) {
        if (pvr_mac_equal(&g_array_index(macs, PvrMac, i), mac)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
is_same(const PvrDomxmlDevice *have, const PvrNetSource *source, const PvrMac *mac)
{
    PvrMac have_mac = {{0}};

    if (g_strcmp0(have->net_type, net_kinds[source->kind].type) != 0 ||
        g_strcmp0(have->net_source, source->name) != 0) {
        return FALSE;
    }
    return !mac || (have->net_mac && pvr_mac_parse(have->net_mac, &have_mac, NULL) &&
                    pvr_mac_equal(&have_mac, mac));
}

gboolean
pvr_domxml_check_soft(const char *xml, gsize len, const PvrNetSource *source, const PvrMac *mac,
                      GError **error)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, error);
    const xmlNode *domain = doc ? xmlDocGetRootElement(doc) : NULL;
    g_autoptr(PvrDomainMeta) meta = domain ? pvr_metadata_parse_node(domain, error) : NULL;

    for (guint i = 0; meta && i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        g_autoptr(PvrDomxmlDevice) have = pvr_domxml_find(domain, device);

        if (device->backend == PVR_BACKEND_SOFT && is_same(have, source, mac)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                        "a soft device on %s '%s' is attached already, as device %u\n"
                        "to have one more there, give it a MAC of its own with --mac",
                        have->net_type, have->net_source, device->id);
            return FALSE;
        }
    }
    return meta != NULL;
}
