/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-domxml-priv.h"
#include "pvr-error.h"
#include "pvr-xml.h"

static guint
count_elements(const xmlNode *parent)
{
    guint count = 0;

    for (const xmlNode *child = pvr_xml_first_element(parent); child;
         child = pvr_xml_next_element(child)) {
        count++;
    }
    return count;
}

static gboolean
take_out(GArray *numbers, guint number)
{
    for (guint i = 0; i < numbers->len; i++) {
        if (g_array_index(numbers, guint, i) == number) {
            g_array_remove_index(numbers, i);
            return TRUE;
        }
    }
    return FALSE;
}

/*
 * Removes our root ports from the highest index downwards. One with a higher
 * index behind it stays: libvirt would put another into the gap. What stays
 * is left in @ports, without those that somebody else has come to use.
 */
static void
remove_root_ports(PvrXmlText *text, GArray *ports, const xmlNode *net, const xmlNode *rng)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    guint index = pvr_domxml_max_controller(domain);

    for (guint i = ports->len; i > 0; i--) {
        if (!pvr_domxml_root_port_is_free(domain, g_array_index(ports, guint, i - 1), net, rng)) {
            g_array_remove_index(ports, i - 1);
        }
    }
    for (; take_out(ports, index); index--) {
        pvr_xmltext_remove(text, pvr_domxml_pci_controller(domain, index));
    }
}

/* @ports: in: root ports of ours that may go; out: those that stay. */
static void
remove_devices(PvrXmlText *text, const PvrMetaDevice *device, GArray *ports)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    g_autofree char *net_alias = pvr_metadata_net_alias(device);
    const xmlNode *net = pvr_domxml_by_alias(domain, net_alias);
    const xmlNode *rng = pvr_domxml_by_alias(domain, device->alias);

    if (net) {
        pvr_xmltext_remove(text, net);
    }
    if (rng) {
        pvr_xmltext_remove(text, rng);
    }
    if (device->controller > 0) {
        guint own = (guint)device->controller;

        g_array_append_val(ports, own);
    }
    remove_root_ports(text, ports, net, rng);
}

/* TRUE if an element or attribute in @node, but not in @except, is written with @ns. */
static gboolean
uses_ns(const xmlNode *node, const xmlNs *ns, const xmlNode *except)
{
    if (node == except) {
        return FALSE;
    }
    if (node->ns == ns) {
        return TRUE;
    }
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
        if (attr->ns == ns) {
            return TRUE;
        }
    }
    for (const xmlNode *child = pvr_xml_first_element(node); child;
         child = pvr_xml_next_element(child)) {
        if (uses_ns(child, ns, except)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Only the declaration that attach makes, and only if nobody else has come to use it. */
static void
remove_xmlns(PvrXmlText *text, const xmlNode *gone)
{
    const xmlNode *domain = pvr_xmltext_root(text);

    for (const xmlNs *ns = domain->nsDef; ns; ns = ns->next) {
        if (g_strcmp0((const char *)ns->prefix, "qemu") == 0 &&
            g_strcmp0((const char *)ns->href, PVR_QEMU_URI) == 0 && !uses_ns(domain, ns, gone)) {
            pvr_xmltext_remove_attr(text, domain, "xmlns:qemu");
        }
    }
}

static void
remove_override(PvrXmlText *text, const PvrMetaDevice *device, gboolean last, guint added)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    const xmlNode *override = pvr_xml_child(domain, PVR_QEMU_URI, "override");
    const xmlNode *own = pvr_domxml_override_of(domain, device->alias);
    const xmlNode *gone = own;

    /* Another's device may have come into the element that we made: it then stays. */
    if (last && (added & PVR_ADDED_OVERRIDE) && override &&
        count_elements(override) == (own ? 1u : 0u)) {
        gone = override;
    }
    if (gone) {
        pvr_xmltext_remove(text, gone);
    }
    if (last && (added & PVR_ADDED_XMLNS)) {
        remove_xmlns(text, gone);
    }
}

void
pvr_domxml_set_spares(PvrXmlText *text, const xmlNode *devices, const GArray *spares)
{
    g_autofree char *words = pvr_spares_to_string(spares);

    pvr_xmltext_remove_attr(text, devices, "spare");
    if (spares->len) {
        pvr_xmltext_add_attr(text, devices, "spare", words);
    }
}

void
pvr_domxml_set_added(PvrXmlText *text, const xmlNode *devices, guint added)
{
    g_autofree char *words = pvr_added_to_string(added);

    pvr_xmltext_remove_attr(text, devices, "added");
    pvr_xmltext_add_attr(text, devices, "added", words);
}

static xmlNode *
metadata_device(const xmlNode *devices, guint id)
{
    guint have = 0;

    for (xmlNode *node = pvr_xml_child(devices, PVR_METADATA_URI, "device"); node;
         node = pvr_xml_next(node, PVR_METADATA_URI, "device")) {
        if (pvr_xml_attr_uint(node, "id", G_MAXUINT, &have) && have == id) {
            return node;
        }
    }
    return NULL;
}

/* @added: what stays in the domain of what attach added to it. */
static void
remove_metadata(PvrXmlText *text, guint id, const PvrDomainMeta *meta, guint added)
{
    const xmlNode *metadata = pvr_xml_child(pvr_xmltext_root(text), NULL, "metadata");
    const xmlNode *devices = pvr_xml_child(metadata, PVR_METADATA_URI, "devices");

    if (meta->devices->len > 1) {
        pvr_xmltext_remove(text, metadata_device(devices, id));
        pvr_domxml_set_spares(text, devices, meta->spares);
        if (added != meta->added) {
            pvr_domxml_set_added(text, devices, added);
        }
    } else if ((added & PVR_ADDED_METADATA) && count_elements(metadata) == 1) {
        pvr_xmltext_remove(text, metadata);
    } else {
        pvr_xmltext_remove(text, devices);
    }
}

/* TRUE if a device other than @id needs shared memory. */
static gboolean
memory_is_used(const PvrDomainMeta *meta, guint id)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);

        if (device->id != id && device->backend != PVR_BACKEND_SOFT) {
            return TRUE;
        }
    }
    return FALSE;
}

char *
pvr_domxml_detach(const char *xml, gsize len, guint id, char **ret_note, GError **error)
{
    g_autoptr(PvrXmlText) text = pvr_xmltext_new(xml, len, error);
    g_autoptr(PvrDomainMeta) meta =
        text ? pvr_metadata_parse_node(pvr_xmltext_root(text), error) : NULL;
    const PvrMetaDevice *device = meta ? pvr_metadata_find(meta, id) : NULL;
    g_autofree char *note = NULL;
    char *result = NULL;
    gboolean last = FALSE;
    guint added = 0;

    if (!meta) {
        return NULL;
    }
    if (!device) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING, "the domain has no device %u of ours", id);
        return NULL;
    }
    last = meta->devices->len == 1;
    added = meta->added;
    remove_devices(text, device, meta->spares);
    remove_override(text, device, last, added);
    if (!memory_is_used(meta, id)) {
        pvr_domxml_unshare_memory(text, &added, &note);
    }
    remove_metadata(text, id, meta, added);
    if (last && meta->spares->len && !note) {
        note = g_strdup("a PCI Express root port stays, because others follow it");
    }
    result = pvr_xmltext_apply(text, error);
    if (result && ret_note) {
        *ret_note = g_steal_pointer(&note);
    }
    return result;
}
