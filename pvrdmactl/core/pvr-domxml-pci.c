/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-domxml-priv.h"
#include "pvr-error.h"
#include "pvr-xml.h"

/* Bus numbers end at 255, and libvirt wants controller indexes without gaps. */
#define MAX_CONTROLLER 255
/* Slots 0 to 2 of pci.0 are the host bridge, the PIIX functions and the video card. */
#define FIRST_SLOT 3
#define LAST_SLOT 31

gboolean
pvr_domxml_pci_address(const xmlNode *device, guint *ret_domain, guint *ret_bus, guint *ret_slot,
                       guint *ret_function)
{
    const xmlNode *address = pvr_xml_child(device, NULL, "address");

    if (!address || !pvr_xml_attr_is(address, "type", "pci")) {
        return FALSE;
    }
    *ret_domain = 0; /* libvirt's default when the attribute is absent */
    pvr_xml_attr_uint(address, "domain", 0xffff, ret_domain);
    return pvr_xml_attr_uint(address, "bus", 0xff, ret_bus) &&
           pvr_xml_attr_uint(address, "slot", LAST_SLOT, ret_slot) &&
           pvr_xml_attr_uint(address, "function", 7, ret_function);
}

static xmlNode *
next_pci_controller(xmlNode *node)
{
    while (node && !pvr_xml_attr_is(node, "type", "pci")) {
        node = pvr_xml_next(node, NULL, "controller");
    }
    return node;
}

#define FOREACH_PCI_CONTROLLER(node, domain)                                                       \
    for (xmlNode *node = next_pci_controller(                                                      \
             pvr_xml_child(pvr_xml_child((domain), NULL, "devices"), NULL, "controller"));         \
         node; node = next_pci_controller(pvr_xml_next(node, NULL, "controller")))

xmlNode *
pvr_domxml_pci_controller(const xmlNode *domain, guint index)
{
    guint have = 0;

    FOREACH_PCI_CONTROLLER (node, domain) {
        if (pvr_xml_attr_uint(node, "index", MAX_CONTROLLER, &have) && have == index) {
            return node;
        }
    }
    return NULL;
}

guint
pvr_domxml_max_controller(const xmlNode *domain)
{
    guint max = 0;
    guint have = 0;

    FOREACH_PCI_CONTROLLER (node, domain) {
        if (pvr_xml_attr_uint(node, "index", MAX_CONTROLLER, &have)) {
            max = MAX(max, have);
        }
    }
    return max;
}

static gboolean
is_q35(const char *machine)
{
    return g_str_equal(machine, "q35") || g_str_has_prefix(machine, "pc-q35") ||
           g_str_equal(machine, "virt") || g_str_has_prefix(machine, "virt-");
}

static gboolean
is_i440fx(const char *machine)
{
    return g_str_equal(machine, "pc") || g_str_has_prefix(machine, "pc-i440fx");
}

/* From the root bus libvirt has put into the XML, else from the machine type. */
static gboolean
is_express(const xmlNode *domain, gboolean *ret_express, GError **error)
{
    const xmlNode *root = pvr_domxml_pci_controller(domain, 0);
    const xmlNode *type = pvr_xml_child(pvr_xml_child(domain, NULL, "os"), NULL, "type");
    g_autofree char *model = pvr_xml_attr(root, "model");
    g_autofree char *machine = pvr_xml_attr(type, "machine");

    if (g_strcmp0(model, "pcie-root") == 0 || (!model && machine && is_q35(machine))) {
        *ret_express = TRUE;
        return TRUE;
    }
    if (g_strcmp0(model, "pci-root") == 0 || (!model && machine && is_i440fx(machine))) {
        *ret_express = FALSE;
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                "the machine type '%s' has no PCI bus that the device can use\n"
                "use a domain of machine type q35 or pc",
                machine ? machine : "");
    return FALSE;
}

static gboolean
choose_slot(const xmlNode *domain, PvrPciPlace *ret_place, GError **error)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    gboolean used[LAST_SLOT + 1] = {FALSE};
    guint pci_domain = 0;
    guint bus = 0;
    guint slot = 0;
    guint function = 0;

    for (const xmlNode *device = pvr_xml_first_element(devices); device;
         device = pvr_xml_next_element(device)) {
        if (pvr_domxml_pci_address(device, &pci_domain, &bus, &slot, &function) &&
            pci_domain == 0 && bus == 0) {
            used[slot] = TRUE;
        }
    }
    for (slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        if (!used[slot]) {
            *ret_place = (PvrPciPlace){.express = FALSE, .bus = 0, .slot = slot};
            return TRUE;
        }
    }
    g_set_error_literal(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                        "the PCI bus of the domain has no free slot\n"
                        "remove a device, or use machine type q35");
    return FALSE;
}

gboolean
pvr_domxml_root_port_is_free(const xmlNode *domain, guint index, const xmlNode *except1,
                             const xmlNode *except2)
{
    const xmlNode *port = pvr_domxml_pci_controller(domain, index);
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    guint pci_domain = 0;
    guint bus = 0;
    guint slot = 0;
    guint function = 0;

    if (!port || !pvr_xml_attr_is(port, "model", "pcie-root-port")) {
        return FALSE;
    }
    for (const xmlNode *device = pvr_xml_first_element(devices); device;
         device = pvr_xml_next_element(device)) {
        if (device != except1 && device != except2 &&
            pvr_domxml_pci_address(device, &pci_domain, &bus, &slot, &function) &&
            pci_domain == 0 && bus == index) {
            return FALSE;
        }
    }
    return TRUE;
}

/* A bus may be addressed without its controller, which libvirt then makes: not ours to take. */
static guint
max_bus(const xmlNode *domain)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    guint max = pvr_domxml_max_controller(domain);
    guint pci_domain = 0;
    guint bus = 0;
    guint slot = 0;
    guint function = 0;

    for (const xmlNode *device = pvr_xml_first_element(devices); device;
         device = pvr_xml_next_element(device)) {
        if (pvr_domxml_pci_address(device, &pci_domain, &bus, &slot, &function) &&
            pci_domain == 0) {
            max = MAX(max, bus);
        }
    }
    return max;
}

static gboolean
take_spare(const xmlNode *domain, const GArray *spares, PvrPciPlace *ret_place)
{
    for (guint i = 0; i < spares->len; i++) {
        guint index = g_array_index(spares, guint, i);

        if (pvr_domxml_root_port_is_free(domain, index, NULL, NULL)) {
            *ret_place = (PvrPciPlace){.express = TRUE, .spare = TRUE, .bus = index};
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
pvr_domxml_choose_place(const xmlNode *domain, const GArray *spares, PvrPciPlace *ret_place,
                        GError **error)
{
    gboolean express = FALSE;
    guint max = 0;

    if (!is_express(domain, &express, error)) {
        return FALSE;
    }
    if (!express) {
        return choose_slot(domain, ret_place, error);
    }
    if (take_spare(domain, spares, ret_place)) {
        return TRUE;
    }
    max = max_bus(domain);
    if (max >= MAX_CONTROLLER) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED,
                            "the domain has no bus number left for a PCI Express root port");
        return FALSE;
    }
    *ret_place = (PvrPciPlace){.express = TRUE, .bus = max + 1};
    return TRUE;
}
