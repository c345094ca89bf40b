/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-domxml-priv.h"
#include "pvr-xml.h"

xmlNode *
pvr_domxml_by_alias(const xmlNode *domain, const char *alias)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");

    for (xmlNode *device = pvr_xml_first_element(devices); device;
         device = pvr_xml_next_element(device)) {
        if (pvr_xml_attr_is(pvr_xml_child(device, NULL, "alias"), "name", alias)) {
            return device;
        }
    }
    return NULL;
}

xmlNode *
pvr_domxml_override_of(const xmlNode *domain, const char *alias)
{
    const xmlNode *override = pvr_xml_child(domain, PVR_QEMU_URI, "override");

    for (xmlNode *device = pvr_xml_child(override, PVR_QEMU_URI, "device"); device;
         device = pvr_xml_next(device, PVR_QEMU_URI, "device")) {
        if (pvr_xml_attr_is(device, "alias", alias)) {
            return device;
        }
    }
    return NULL;
}

static char *
address_of(const xmlNode *device)
{
    guint domain = 0;
    guint bus = 0;
    guint slot = 0;
    guint function = 0;

    if (!pvr_domxml_pci_address(device, &domain, &bus, &slot, &function)) {
        return NULL;
    }
    return g_strdup_printf("%04x:%02x:%02x.%x", domain, bus, slot, function);
}

void
pvr_domxml_device_free(PvrDomxmlDevice *device)
{
    if (!device) {
        return;
    }
    g_free(device->function0);
    g_free(device->function1);
    g_free(device->net_type);
    g_free(device->net_source);
    g_free(device->net_mac);
    g_free(device);
}

PvrDomxmlDevice *
pvr_domxml_find(gconstpointer domain, const PvrMetaDevice *device)
{
    PvrDomxmlDevice *found = g_new0(PvrDomxmlDevice, 1);
    g_autofree char *net_alias = pvr_metadata_net_alias(device);
    const xmlNode *net = pvr_domxml_by_alias(domain, net_alias);

    found->function0 = address_of(net);
    found->net_type = pvr_xml_attr(net, "type");
    found->net_source = pvr_domxml_net_source(net);
    found->net_mac = pvr_xml_attr(pvr_xml_child(net, NULL, "mac"), "address");
    found->function1 = address_of(pvr_domxml_by_alias(domain, device->alias));
    found->override = pvr_domxml_override_of(domain, device->alias) != NULL;
    return found;
}
