/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pvr-conf.h"
#include "pvr-error.h"
#include "pvr-ibdev.h"
#include "pvr-metadata.h"
#include "pvr-numa.h"
#include "pvr-pci.h"
#include "pvr-uuid.h"
#include "pvr-vf.h"
#include "pvr-xml.h"

static const char *const device_attrs[] = {
    "id",        "backend",    "netdev", "ibdev", "port",       "gid",  "pci",
    "gid-index", "gid-policy", "mac",    "alias", "controller", "path", "guid",
    "pool",      NULL,
};
static const char *const soft_attrs[] = {"id", "backend", "alias", "controller", NULL};
static const char *const devices_attrs[] = {"version", "added", "spare", NULL};

static gboolean G_GNUC_PRINTF(2, 3)
corrupt(GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    /* Attribute values end up here: nothing in them may disturb a terminal or a log. */
    for (char *c = text; *c; c++) {
        *c = g_ascii_iscntrl(*c) ? ' ' : *c;
    }
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "pvrdma metadata: %s", text);
    return FALSE;
}

/* Only known attributes, only white space and no elements that we do not know. */
static gboolean
check_attrs(const xmlNode *node, const char *const *known, GError **error)
{
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
        if (attr->ns || !g_strv_contains(known, (const char *)attr->name)) {
            return corrupt(error, "unknown attribute '%s' in <%s>", attr->name, node->name);
        }
    }
    return TRUE;
}

static gboolean
check_content(const xmlNode *node, const char *child_name, GError **error)
{
    for (const xmlNode *child = node->children; child; child = child->next) {
        if (child->type == XML_COMMENT_NODE || xmlIsBlankNode(child)) {
            continue;
        }
        if (!child_name || !pvr_xml_is(child, PVR_METADATA_URI, child_name)) {
            return corrupt(error, "unexpected content '%s' in <%s>",
                           child->name ? (const char *)child->name : "?", node->name);
        }
    }
    return TRUE;
}

/* An optional name: NULL if absent, error if there but no possible name. */
static gboolean
read_name(const xmlNode *node, const char *attr, gboolean (*check)(const char *, GError **),
          char **ret_name, GError **error)
{
    g_autofree char *text = pvr_xml_attr(node, attr);
    g_autoptr(GError) why = NULL;

    if (text && !check(text, &why)) {
        return corrupt(error, "%s: %s", attr, why->message);
    }
    *ret_name = g_steal_pointer(&text);
    return TRUE;
}

static gboolean
read_number(const xmlNode *node, const char *attr, guint min, guint max, gboolean required,
            int *ret_value, GError **error)
{
    g_autofree char *text = pvr_xml_attr(node, attr);
    guint64 value = 0;

    if (!text && !required) {
        *ret_value = -1;
        return TRUE;
    }
    if (!text) {
        return corrupt(error, "<device> lacks %s", attr);
    }
    if (!g_ascii_string_to_unsigned(text, 10, min, max, &value, NULL)) {
        return corrupt(error, "%s='%s' is no number from %u to %u", attr, text, min, max);
    }
    *ret_value = (int)value;
    return TRUE;
}

static gboolean
read_backend(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    g_autofree char *name = pvr_xml_attr(node, "backend");

    for (PvrBackend backend = PVR_BACKEND_RXE; backend < PVR_BACKEND_LAST; backend++) {
        if (g_strcmp0(name, pvr_backend_to_string(backend)) == 0) {
            device->backend = backend;
            return TRUE;
        }
    }
    return corrupt(error, "backend='%s' is none of rxe, ibdev, soft, vf and pool", name ? name : "");
}

static gboolean
read_port(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    int port = 0;

    if (!read_number(node, "port", 1, 255, TRUE, &port, error) ||
        !read_number(node, "gid-index", 0, 65535, FALSE, &device->gid_index, error)) {
        return FALSE;
    }
    device->port = (guint)port;
    return TRUE;
}

static gboolean
read_names(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    if (!read_name(node, "netdev", pvr_netdev_check_name, &device->netdev, error) ||
        !read_name(node, "ibdev", pvr_ibdev_check_name, &device->ibdev, error)) {
        return FALSE;
    }
    if (!device->ibdev && !pvr_backend_is_vf(device->backend)) {
        return corrupt(error, "<device> lacks ibdev");
    }
    if (device->backend == PVR_BACKEND_RXE && !device->netdev) {
        return corrupt(error, "<device> of backend rxe lacks netdev");
    }
    return TRUE;
}

/* Which VF, or which pool; neither has a netdev or a GUID of its own before the domain starts. */
static gboolean
check_vf(const PvrMetaDevice *device, GError **error)
{
    const gboolean pool = device->backend == PVR_BACKEND_POOL;

    if (!pvr_backend_is_vf(device->backend)) {
        return !device->pool || corrupt(error, "<device> has pool, which is for backend pool");
    }
    if (pool ? !device->pool : !device->pci) {
        return corrupt(error, "<device> of backend %s lacks %s",
                       pvr_backend_to_string(device->backend), pool ? "pool" : "pci");
    }
    if (device->netdev || device->guid || (pool ? device->pci || device->ibdev : !!device->pool)) {
        return corrupt(error, "<device> of backend %s has what is for others",
                       pvr_backend_to_string(device->backend));
    }
    return TRUE;
}

/* Exactly as we write them, so that they can be compared as text. */
static gboolean
read_hardware(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    g_autofree char *pci = pvr_xml_attr(node, "pci");
    g_autofree char *guid = pvr_xml_attr(node, "guid");
    g_autofree char *same_pci = pci ? pvr_pci_parse_address(pci) : NULL;
    g_autofree char *same_guid = NULL;
    guint64 value = 0;

    if ((pci || guid) && device->backend == PVR_BACKEND_RXE) {
        return corrupt(error, "<device> of backend rxe has %s, which is for others",
                       pci ? "pci" : "guid");
    }
    if (pci && g_strcmp0(pci, same_pci) != 0) {
        return corrupt(error, "pci='%s' is no PCI address", pci);
    }
    if (guid && pvr_guid_parse(guid, &value, NULL)) {
        same_guid = pvr_guid_to_string(value);
    }
    if (guid && (value == 0 || g_strcmp0(guid, same_guid) != 0)) {
        return corrupt(error, "guid='%s' is no node GUID", guid);
    }
    device->pci = g_steal_pointer(&pci);
    device->guid = g_steal_pointer(&guid);
    return TRUE;
}

static gboolean
read_addresses(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    g_autofree char *gid = pvr_xml_attr(node, "gid");
    g_autofree char *mac = pvr_xml_attr(node, "mac");
    g_autoptr(GError) why = NULL;
    PvrMac carried = {{0}};

    if (!gid || !mac) {
        return corrupt(error, "<device> lacks %s", gid ? "mac" : "gid");
    }
    if (!pvr_gid_parse(gid, &device->gid, &why) || !pvr_mac_parse(mac, &device->mac, &why) ||
        !pvr_gid_to_mac(&device->gid, &carried, &why)) {
        return corrupt(error, "%s", why->message);
    }
    if (memcmp(&carried, &device->mac, sizeof carried) != 0) {
        return corrupt(error, "mac='%s' is not the one that gid='%s' carries", mac, gid);
    }
    return TRUE;
}

/* Only as attach writes it. */
static gboolean
read_policy(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    g_autofree char *text = pvr_xml_attr(node, "gid-policy");
    g_autofree char *same = NULL;
    PvrGid gid = {{0}};

    if (!text) {
        return TRUE;
    }
    if (pvr_gid_policy_parse(text, &device->gid_policy, &gid, NULL)) {
        same = pvr_gid_policy_to_string(device->gid_policy);
    }
    if (g_strcmp0(text, same) != 0) {
        return corrupt(error, "gid-policy='%s' is none", text);
    }
    if (device->gid_index >= 0) {
        return corrupt(error, "<device> has both gid-index and gid-policy");
    }
    return TRUE;
}

static gboolean
is_alias(const char *text)
{
    if (!g_str_has_prefix(text, "ua-") || strlen(text) < 4 || strlen(text) > 64) {
        return FALSE;
    }
    for (const char *c = text; *c; c++) {
        if (!g_ascii_isalnum(*c) && !strchr("-_.", *c)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* LINK_DIR/UUID-ID; which UUID is pvr_metadata_check_owner()'s question. */
static gboolean
is_link_path(const char *text, guint id)
{
    g_autofree char *uuid = NULL;
    g_autofree char *same = NULL;
    const gsize dir_len = strlen(PVR_METADATA_LINK_DIR "/");

    if (strlen(text) < dir_len + 36) {
        return FALSE;
    }
    uuid = g_strndup(text + dir_len, 36);
    same = pvr_metadata_link_path(uuid, id);
    return g_uuid_string_is_valid(uuid) && g_str_equal(text, same);
}

static gboolean
read_path(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    device->path = pvr_xml_attr(node, "path");
    if (!device->path || !is_link_path(device->path, device->id)) {
        return corrupt(error, "path='%s' is not " PVR_METADATA_LINK_DIR "/UUID-%u",
                       device->path ? device->path : "", device->id);
    }
    return TRUE;
}

/* What a device of any backend has. */
static gboolean
read_common(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    int id = 0;

    if (!read_backend(node, device, error) ||
        !read_number(node, "id", 0, PVR_METADATA_MAX_DEVICES - 1, TRUE, &id, error) ||
        !read_number(node, "controller", 1, 255, FALSE, &device->controller, error)) {
        return FALSE;
    }
    device->id = (guint)id;
    device->alias = pvr_xml_attr(node, "alias");
    if (!device->alias || !is_alias(device->alias)) {
        return corrupt(error, "alias='%s' is no possible alias",
                       device->alias ? device->alias : "");
    }
    return TRUE;
}

static gboolean
check_soft(const xmlNode *node, GError **error)
{
    for (const xmlAttr *attr = node->properties; attr; attr = attr->next) {
        if (!g_strv_contains(soft_attrs, (const char *)attr->name)) {
            return corrupt(error, "<device> of backend soft has %s, which is for others",
                           attr->name);
        }
    }
    return TRUE;
}

static gboolean
read_host_part(const xmlNode *node, PvrMetaDevice *device, GError **error)
{
    if (device->backend == PVR_BACKEND_SOFT) {
        device->gid_index = -1;
        return check_soft(node, error);
    }
    return read_port(node, device, error) && read_names(node, device, error) &&
           read_name(node, "pool", pvr_conf_check_pool_name, &device->pool, error) &&
           read_hardware(node, device, error) && check_vf(device, error) &&
           read_addresses(node, device, error) && read_policy(node, device, error) &&
           read_path(node, device, error);
}

static PvrMetaDevice *
parse_device(const xmlNode *node, GError **error)
{
    g_autoptr(PvrMetaDevice) device = g_new0(PvrMetaDevice, 1);

    if (!check_attrs(node, device_attrs, error) || !check_content(node, NULL, error) ||
        !read_common(node, device, error) || !read_host_part(node, device, error)) {
        return NULL;
    }
    return g_steal_pointer(&device);
}

static gboolean
check_unique(const PvrDomainMeta *meta, const PvrMetaDevice *device, GError **error)
{
    for (guint i = 0; i < meta->devices->len; i++) {
        const PvrMetaDevice *other = g_ptr_array_index(meta->devices, i);

        if (other->id == device->id) {
            return corrupt(error, "two devices have id='%u'", device->id);
        }
        if (g_str_equal(other->alias, device->alias)) {
            return corrupt(error, "two devices have alias='%s'", device->alias);
        }
    }
    if (meta->devices->len >= PVR_METADATA_MAX_DEVICES) {
        return corrupt(error, "more than %u devices", PVR_METADATA_MAX_DEVICES);
    }
    return TRUE;
}

static gboolean
read_added(const xmlNode *node, guint *ret_added, GError **error)
{
    g_autofree char *text = pvr_xml_attr(node, "added");
    g_auto(GStrv) words = g_strsplit(text ? text : "", " ", 16);

    *ret_added = 0;
    for (guint i = 0; words[i]; i++) {
        guint bit = pvr_added_from_word(words[i]);

        if (*words[i] && !bit) {
            return corrupt(error, "unknown word '%s' in added", words[i]);
        }
        *ret_added |= bit;
    }
    return TRUE;
}

/* Controller indexes: they follow one another without gaps, so a port in the middle has to stay. */
static gboolean
read_spares(const xmlNode *node, GArray *spares, GError **error)
{
    g_autofree char *text = pvr_xml_attr(node, "spare");
    g_auto(GStrv) words = g_strsplit(text ? text : "", " ", 256);

    for (guint i = 0; words[i]; i++) {
        guint64 value = 0;
        guint index = 0;

        if (!g_ascii_string_to_unsigned(words[i], 10, 1, 255, &value, NULL)) {
            return corrupt(error, "spare='%s' is no list of numbers from 1 to 255", text);
        }
        index = (guint)value;
        g_array_append_val(spares, index);
    }
    return TRUE;
}

static gboolean
parse_devices(const xmlNode *node, PvrDomainMeta *meta, GError **error)
{
    if (!pvr_xml_attr_is(node, "version", "1")) {
        g_autofree char *version = pvr_xml_attr(node, "version");

        return corrupt(error, "version='%s' is not known to this program, only '1' is",
                       version ? version : "");
    }
    if (!check_attrs(node, devices_attrs, error) || !check_content(node, "device", error) ||
        !read_added(node, &meta->added, error) || !read_spares(node, meta->spares, error)) {
        return FALSE;
    }
    for (const xmlNode *child = pvr_xml_child(node, PVR_METADATA_URI, "device"); child;
         child = pvr_xml_next(child, PVR_METADATA_URI, "device")) {
        g_autoptr(PvrMetaDevice) device = parse_device(child, error);

        if (!device || !check_unique(meta, device, error)) {
            return FALSE;
        }
        g_ptr_array_add(meta->devices, g_steal_pointer(&device));
    }
    return TRUE;
}

static gboolean
read_identity(const xmlNode *domain, PvrDomainMeta *meta, GError **error)
{
    g_autofree char *uuid = pvr_xml_text(pvr_xml_child(domain, NULL, "uuid"));

    meta->name = pvr_xml_text(pvr_xml_child(domain, NULL, "name"));
    if (!meta->name || !*meta->name) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT, "the domain XML has no name");
        return FALSE;
    }
    meta->uuid = uuid ? pvr_uuid_canonical(uuid, NULL) : NULL;
    if (!meta->uuid) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                            "the domain XML has no valid UUID");
        return FALSE;
    }
    return TRUE;
}

PvrDomainMeta *
pvr_metadata_parse_node(gconstpointer root, GError **error)
{
    const xmlNode *domain = root;
    const xmlNode *node = NULL;
    g_autoptr(PvrDomainMeta) meta = g_new0(PvrDomainMeta, 1);

    meta->spares = g_array_new(FALSE, FALSE, sizeof(guint));
    meta->devices = g_ptr_array_new_with_free_func((GDestroyNotify)pvr_meta_device_free);
    if (!pvr_xml_is(domain, NULL, "domain")) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT, "the XML is no domain XML");
        return NULL;
    }
    if (!read_identity(domain, meta, error)) {
        return NULL;
    }
    meta->numa_nodes = pvr_numa_of_domain(domain);
    node = pvr_xml_child(pvr_xml_child(domain, NULL, "metadata"), PVR_METADATA_URI, "devices");
    if (node && pvr_xml_next(node, PVR_METADATA_URI, "devices")) {
        corrupt(error, "there are two <devices> elements");
        return NULL;
    }
    if (node && !parse_devices(node, meta, error)) {
        return NULL;
    }
    return g_steal_pointer(&meta);
}

PvrDomainMeta *
pvr_metadata_parse_domain(const char *xml, gsize len, GError **error)
{
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, error);

    return doc ? pvr_metadata_parse_node(xmlDocGetRootElement(doc), error) : NULL;
}
