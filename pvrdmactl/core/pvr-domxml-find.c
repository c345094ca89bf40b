/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

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
    g_free(device);
}

PvrDomxmlDevice *
pvr_domxml_find(gconstpointer domain, const PvrMetaDevice *device)
{
    PvrDomxmlDevice *found = g_new0(PvrDomxmlDevice, 1);
    g_autofree char *net_alias = pvr_metadata_net_alias(device);

    found->function0 = address_of(pvr_domxml_by_alias(domain, net_alias));
    found->function1 = address_of(pvr_domxml_by_alias(domain, device->alias));
    found->override = pvr_domxml_override_of(domain, device->alias) != NULL;
    return found;
}

gboolean
pvr_domxml_has_mac(gconstpointer domain, const PvrMac *mac)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");

    for (const xmlNode *device = pvr_xml_child(devices, NULL, "interface"); device;
         device = pvr_xml_next(device, NULL, "interface")) {
        g_autofree char *text = pvr_xml_attr(pvr_xml_child(device, NULL, "mac"), "address");
        PvrMac have = {{0}};

        if (text && pvr_mac_parse(text, &have, NULL) && pvr_mac_equal(&have, mac)) {
            return TRUE;
        }
    }
    return FALSE;
}
