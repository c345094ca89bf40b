/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-domxml-priv.h"
#include "pvr-error.h"
#include "pvr-xml.h"

/* Soft devices and those of pools are never the same here: each has a MAC of its own. */
static gboolean
same_device(const PvrMetaDevice *a, const PvrMetaDevice *b)
{
    if (a->backend == PVR_BACKEND_SOFT || b->backend == PVR_BACKEND_SOFT) {
        return FALSE;
    }
    if (a->pci && b->pci && a->port == b->port) {
        return g_str_equal(a->pci, b->pci);
    }
    return (a->ibdev && g_strcmp0(a->ibdev, b->ibdev) == 0 && a->port == b->port) ||
           (a->netdev && g_strcmp0(a->netdev, b->netdev) == 0);
}

static gboolean
check_not_there(const PvrDomainMeta *meta, const PvrMetaDevice *wanted, GError **error)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *have = g_ptr_array_index(meta->devices, i);

        if (same_device(have, wanted)) {
            g_set_error(error, PVR_ERROR, PVR_ERROR_NOTHING,
                        "'%s' is attached already, as device %u\n"
                        "to change it, run 'pvrdmactl detach %s %u' first",
                        wanted->netdev  ? wanted->netdev
                        : wanted->ibdev ? wanted->ibdev
                                        : wanted->pci,
                        have->id, meta->name, have->id);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
check_mac(const xmlNode *domain, const PvrMetaDevice *wanted, GError **error)
{
    g_autofree char *text = pvr_mac_to_string(&wanted->mac);

    if (!pvr_domxml_has_mac(domain, &wanted->mac)) {
        return TRUE;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_BUSY,
                wanted->backend == PVR_BACKEND_SOFT || pvr_backend_is_vf(wanted->backend)
                    ? "the MAC %s is that of another interface of the domain\nchoose another"
                    : "the GID carries MAC %s, which another interface of the domain has\n"
                      "give that interface another MAC, or choose another GID",
                text);
    return FALSE;
}

/* Somebody may have renamed a device: then its alias is not the one of its id. */
static gboolean
has_alias(const PvrDomainMeta *meta, const char *alias)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *device = g_ptr_array_index(meta->devices, i);
        g_autofree char *net_alias = pvr_metadata_net_alias(device);

        if (g_str_equal(device->alias, alias) || g_str_equal(net_alias, alias)) {
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
is_free(const PvrDomainMeta *meta, const xmlNode *domain, guint id)
{
    g_autofree char *alias = pvr_metadata_alias(id);
    g_autofree char *net_alias = g_strconcat(alias, "-net", NULL);

    return !pvr_metadata_find(meta, id) && !has_alias(meta, alias) && !has_alias(meta, net_alias) &&
           !pvr_domxml_by_alias(domain, alias) && !pvr_domxml_by_alias(domain, net_alias) &&
           !pvr_domxml_override_of(domain, alias);
}

/* The lowest id that nothing in the domain uses, in whatever way. */
static gboolean
choose_id(const PvrDomainMeta *meta, const xmlNode *domain, guint *ret_id, GError **error)
{
    for (guint id = 0; id < PVR_METADATA_MAX_DEVICES; id++) {
        if (is_free(meta, domain, id)) {
            *ret_id = id;
            return TRUE;
        }
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_FAILED, "the domain has %u devices, more are not possible",
                PVR_METADATA_MAX_DEVICES);
    return FALSE;
}

static PvrMetaDevice *
complete_device(const PvrMetaDevice *wanted, const PvrDomainMeta *meta, guint id,
                const PvrPciPlace *place)
{
    PvrMetaDevice *device = pvr_meta_device_copy(wanted);

    g_free(device->alias);
    g_free(device->path);
    device->id = id;
    device->alias = pvr_metadata_alias(id);
    device->path = device->backend == PVR_BACKEND_SOFT ? NULL
                                                       : pvr_metadata_link_path(meta->uuid, id);
    device->controller = place->express ? (int)place->bus : -1;
    return device;
}

static char *
rng_xml(const PvrMetaDevice *device, const PvrPciPlace *place)
{
    g_autofree char *backend =
        device->path ? g_strdup_printf("<backend model='random'>%s</backend>", device->path)
                     : g_strdup("<backend model='builtin'/>");

    return g_strdup_printf("<rng model='virtio'>\n"
                           "  %s\n"
                           "  <alias name='%s'/>\n"
                           "  <address type='pci' domain='0x0000' bus='0x%02x' slot='0x%02x' "
                           "function='0x1'/>\n"
                           "</rng>",
                           backend, device->alias, place->bus, place->slot);
}

static void
append_property(GString *xml, const char *prefix, const char *name, const char *type,
                const char *value)
{
    g_string_append_printf(xml, "    <%sproperty name='%s' type='%s'", prefix, name, type);
    if (value) {
        g_string_append_printf(xml, " value='%s'", value);
    }
    g_string_append(xml, "/>\n");
}

static void
append_backend(GString *xml, const PvrMetaDevice *device, const char *prefix)
{
    g_autofree char *port = g_strdup_printf("%u", device->port);
    g_autofree char *index = g_strdup_printf("%d", device->gid_index);

    append_property(xml, prefix, "backend-dev", "string", device->path);
    append_property(xml, prefix, "backend-port", "unsigned", port);
    if (device->gid_index >= 0) {
        append_property(xml, prefix, "backend-gid-idx", "unsigned", index);
    }
}

/* @prefix has its colon. Without a backend-dev the device is soft. */
static char *
override_xml(const PvrMetaDevice *device, const char *prefix, const char *xmlns)
{
    GString *xml = g_string_new(NULL);

    g_string_append_printf(xml, "<%sdevice%s alias='%s'>\n  <%sfrontend>\n", prefix, xmlns,
                           device->alias, prefix);
    append_property(xml, prefix, "driver", "string", "pvrdma");
    append_property(xml, prefix, "rng", "remove", NULL);
    if (device->backend != PVR_BACKEND_SOFT) {
        append_backend(xml, device, prefix);
    }
    g_string_append_printf(xml, "  </%sfrontend>\n</%sdevice>", prefix, prefix);
    return g_string_free(xml, FALSE);
}

/* "x:" for a prefix that means @uri at @node, "" for the default namespace, NULL if there is none. */
static char *
prefix_at(const xmlNode *node, const char *uri)
{
    const xmlNs *ns = xmlSearchNsByHref(node->doc, (xmlNode *)node, (const xmlChar *)uri);

    if (!ns) {
        return NULL;
    }
    return ns->prefix ? g_strconcat((const char *)ns->prefix, ":", NULL) : g_strdup("");
}

/* Each line of @fragment one level deeper. */
static char *
indent(const char *fragment)
{
    g_auto(GStrv) lines = g_strsplit(fragment, "\n", -1);
    g_autofree char *joined = g_strjoinv("\n  ", lines);

    return g_strconcat("  ", joined, NULL);
}

/* libxml2 lets a prefix that nobody declares pass, as part of the name: declaring it would bind it. */
static gboolean
has_undeclared_qemu(const xmlNode *node)
{
    if (!node->ns && g_str_has_prefix((const char *)node->name, "qemu:")) {
        return TRUE;
    }
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
        if (!attr->ns && g_str_has_prefix((const char *)attr->name, "qemu:")) {
            return TRUE;
        }
    }
    for (const xmlNode *child = pvr_xml_first_element(node); child;
         child = pvr_xml_next_element(child)) {
        if (has_undeclared_qemu(child)) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Declares our prefix for QEMU's namespace on <domain>; unless "qemu" means something else there. */
static char *
declare_qemu(PvrXmlText *text, guint *added)
{
    xmlNode *domain = pvr_xmltext_root(text);

    if (xmlSearchNs(domain->doc, domain, (const xmlChar *)"qemu") || has_undeclared_qemu(domain)) {
        return NULL;
    }
    pvr_xmltext_add_attr(text, domain, "xmlns:qemu", PVR_QEMU_URI);
    *added |= PVR_ADDED_XMLNS;
    return g_strdup("qemu:");
}

static void
add_override(PvrXmlText *text, const PvrMetaDevice *device, guint *added)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    const xmlNode *override = pvr_xml_child(domain, PVR_QEMU_URI, "override");
    g_autofree char *prefix = prefix_at(override ? override : domain, PVR_QEMU_URI);
    g_autofree char *inner = NULL;
    g_autofree char *inside = NULL;
    g_autofree char *outer = NULL;
    const char *xmlns = "";

    if (!prefix && !override) {
        prefix = declare_qemu(text, added);
    }
    if (!prefix) {
        prefix = g_strdup("");
        xmlns = " xmlns='" PVR_QEMU_URI "'";
    }
    inner = override_xml(device, prefix, override ? xmlns : "");
    if (override) {
        pvr_xmltext_append(text, override, inner);
        return;
    }
    inside = indent(inner);
    outer = g_strdup_printf("<%soverride%s>\n%s\n</%soverride>", prefix, xmlns, inside, prefix);
    pvr_xmltext_append(text, domain, outer);
    *added |= PVR_ADDED_OVERRIDE;
}

static void
add_first_metadata(PvrXmlText *text, const PvrMetaDevice *device, guint added)
{
    const xmlNode *metadata = pvr_xml_child(pvr_xmltext_root(text), NULL, "metadata");
    g_autofree char *inner = pvr_meta_device_to_xml(device, PVR_METADATA_PREFIX);
    g_autofree char *words = NULL;
    g_autofree char *element = NULL;
    g_autofree char *inside = NULL;
    g_autofree char *outer = NULL;

    if (!metadata) {
        added |= PVR_ADDED_METADATA;
    }
    words = pvr_added_to_string(added);
    element = g_strdup_printf("<pvrdma:devices xmlns:pvrdma=\"" PVR_METADATA_URI
                              "\" version=\"1\" added=\"%s\">\n  %s\n</pvrdma:devices>",
                              words, inner);
    if (metadata) {
        pvr_xmltext_append(text, metadata, element);
        return;
    }
    inside = indent(element);
    outer = g_strdup_printf("<metadata>\n%s\n</metadata>", inside);
    pvr_domxml_insert_top(text, "metadata", outer);
}

static void
drop_number(GArray *numbers, int number)
{
    for (guint i = numbers->len; i > 0; i--) {
        if ((int)g_array_index(numbers, guint, i - 1) == number) {
            g_array_remove_index(numbers, i - 1);
        }
    }
}

/* @meta is what the domain has now, @added what this attach adds. */
static void
add_metadata(PvrXmlText *text, const PvrMetaDevice *device, PvrDomainMeta *meta, guint added)
{
    const xmlNode *metadata = pvr_xml_child(pvr_xmltext_root(text), NULL, "metadata");
    const xmlNode *devices = pvr_xml_child(metadata, PVR_METADATA_URI, "devices");
    g_autofree char *prefix = NULL;
    g_autofree char *element = NULL;

    if (!devices) {
        add_first_metadata(text, device, added);
        return;
    }
    prefix = g_strdup(devices->ns->prefix ? (const char *)devices->ns->prefix : "");
    element = pvr_meta_device_to_xml(device, prefix);
    pvr_xmltext_append(text, devices, element);
    drop_number(meta->spares, device->controller);
    pvr_domxml_set_spares(text, devices, meta->spares);
    if (added & ~meta->added) {
        pvr_domxml_set_added(text, devices, meta->added | added);
    }
}

static void
add_devices(PvrXmlText *text, const PvrMetaDevice *device, const PvrNetSource *source,
            const PvrPciPlace *place)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    g_autofree char *interface = pvr_domxml_interface(device, source, place);
    g_autofree char *rng = rng_xml(device, place);
    g_autofree char *port = g_strdup_printf(
        "<controller type='pci' index='%u' model='pcie-root-port'/>", place->bus);
    const gboolean new_port = place->express && !place->spare;

    if (!pvr_xml_first_element(devices)) {
        g_autofree char *all =
            g_strdup_printf("%s%s%s\n%s", new_port ? port : "", new_port ? "\n" : "", interface, rng);

        pvr_xmltext_append(text, devices, all);
        return;
    }
    if (new_port) {
        /* Beside its predecessor: 9.0.0 makes controllers in the order of the XML. */
        pvr_domxml_insert_device(text, devices, "controller",
                                 pvr_domxml_pci_controller(domain, place->bus - 1), port);
    }
    pvr_domxml_insert_device(text, devices, "interface", NULL, interface);
    pvr_domxml_insert_device(text, devices, "rng", NULL, rng);
}

static gboolean
check_domain(const xmlNode *domain, GError **error)
{
    if (!pvr_xml_child(domain, NULL, "devices")) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT, "the domain XML has no <devices>");
        return FALSE;
    }
    return TRUE;
}

char *
pvr_domxml_attach(const char *xml, gsize len, const PvrMetaDevice *wanted,
                  const PvrNetSource *source, PvrMetaDevice **ret_device, GError **error)
{
    g_autoptr(PvrXmlText) text = pvr_xmltext_new(xml, len, error);
    const xmlNode *domain = text ? pvr_xmltext_root(text) : NULL;
    g_autoptr(PvrDomainMeta) meta = domain ? pvr_metadata_parse_node(domain, error) : NULL;
    g_autoptr(PvrMetaDevice) device = NULL;
    g_autofree char *result = NULL;
    PvrPciPlace place = {0};
    guint id = 0;
    guint added = 0;

    if (!meta || !check_domain(domain, error) || !check_not_there(meta, wanted, error) ||
        !check_mac(domain, wanted, error) || !choose_id(meta, domain, &id, error) ||
        !pvr_domxml_choose_place(domain, meta->spares, &place, error) ||
        (wanted->backend != PVR_BACKEND_SOFT && !pvr_domxml_share_memory(text, &added, error))) {
        return NULL;
    }
    device = complete_device(wanted, meta, id, &place);
    add_devices(text, device, source, &place);
    add_override(text, device, &added);
    add_metadata(text, device, meta, added);
    result = pvr_xmltext_apply(text, error);
    if (!result) {
        return NULL;
    }
    if (ret_device) {
        *ret_device = g_steal_pointer(&device);
    }
    return g_steal_pointer(&result);
}
