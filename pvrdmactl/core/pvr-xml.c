/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

#include "pvr-error.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlParserCtxt, xmlFreeParserCtxt)

/*
 * Stops at the DOCTYPE itself, so that no entity in it is ever looked at.
 * ctxt->_private tells pvr_xml_parse() why the parser stopped.
 */
static void
refuse_doctype(void *data, const xmlChar *name G_GNUC_UNUSED,
               const xmlChar *external_id G_GNUC_UNUSED,
               const xmlChar *system_id G_GNUC_UNUSED)
{
    xmlParserCtxt *ctxt = data;

    ctxt->_private = (void *)"a DOCTYPE is not allowed here";
    xmlStopParser(ctxt);
}

static void
set_parse_error(xmlParserCtxt *ctxt, GError **error)
{
    const xmlError *last = xmlCtxtGetLastError(ctxt);
    g_autofree char *text = NULL;

    if (ctxt->_private) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "malformed XML: %s",
                    (const char *)ctxt->_private);
        return;
    }
    if (!last || !last->message) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT, "malformed XML");
        return;
    }
    text = g_strstrip(g_strdup(last->message));
    g_strdelimit(text, "\n", ' ');
    g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "malformed XML: line %d: %s", last->line,
                text);
}

static gboolean
check_bytes(const char *xml, gsize len, GError **error)
{
    const char *end = NULL;

    if (len == 0) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT, "the XML is empty");
        return FALSE;
    }
    if (len > PVR_XML_MAX_BYTES) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT, "the XML is larger than %u bytes",
                    PVR_XML_MAX_BYTES);
        return FALSE;
    }
    if (!g_utf8_validate_len(xml, len, &end)) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "malformed XML: not UTF-8 at byte %" G_GSIZE_FORMAT, (gsize)(end - xml));
        return FALSE;
    }
    return TRUE;
}

xmlDoc *
pvr_xml_parse(const char *xml, gsize len, GError **error)
{
    g_autoptr(xmlParserCtxt) ctxt = NULL;
    g_autoptr(xmlDoc) doc = NULL;

    if (!check_bytes(xml, len, error)) {
        return NULL;
    }
    ctxt = xmlNewParserCtxt();
    if (!ctxt) {
        g_error("out of memory"); /* as g_malloc() does */
    }
    ctxt->sax->internalSubset = refuse_doctype;
    /* The bytes are UTF-8, whatever the declaration claims. */
    doc = xmlCtxtReadMemory(ctxt, xml, (int)len, NULL, "UTF-8",
                            XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                XML_PARSE_IGNORE_ENC);
    if (!doc || !ctxt->wellFormed || ctxt->_private || !xmlDocGetRootElement(doc)) {
        set_parse_error(ctxt, error);
        return NULL;
    }
    return g_steal_pointer(&doc);
}

gboolean
pvr_xml_is(const xmlNode *node, const char *uri, const char *name)
{
    if (!node || node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, name) != 0) {
        return FALSE;
    }
    if (!uri) {
        return !node->ns;
    }
    return node->ns && g_strcmp0((const char *)node->ns->href, uri) == 0;
}

static xmlNode *
find_from(xmlNode *node, const char *uri, const char *name)
{
    while (node && !pvr_xml_is(node, uri, name)) {
        node = node->next;
    }
    return node;
}

xmlNode *
pvr_xml_child(const xmlNode *parent, const char *uri, const char *name)
{
    return parent ? find_from(parent->children, uri, name) : NULL;
}

xmlNode *
pvr_xml_next(const xmlNode *node, const char *uri, const char *name)
{
    return find_from(node->next, uri, name);
}

static xmlNode *
element_from(xmlNode *node)
{
    while (node && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

xmlNode *
pvr_xml_first_element(const xmlNode *parent)
{
    return parent ? element_from(parent->children) : NULL;
}

xmlNode *
pvr_xml_next_element(const xmlNode *node)
{
    return element_from(node->next);
}

char *
pvr_xml_attr(const xmlNode *node, const char *name)
{
    xmlChar *value;
    char *copy;

    if (!node) {
        return NULL;
    }
    value = xmlGetNoNsProp((xmlNode *)node, (const xmlChar *)name);
    copy = g_strdup((const char *)value);
    xmlFree(value);
    return copy;
}

char *
pvr_xml_text(const xmlNode *node)
{
    xmlChar *value;
    char *copy;

    if (!node) {
        return NULL;
    }
    value = xmlNodeGetContent((xmlNode *)node);
    copy = g_strdup(value ? (const char *)value : "");
    xmlFree(value);
    return g_strstrip(copy);
}

gboolean
pvr_xml_attr_is(const xmlNode *node, const char *name, const char *value)
{
    g_autofree char *have = pvr_xml_attr(node, name);

    return g_strcmp0(have, value) == 0;
}

gboolean
pvr_xml_attr_uint(const xmlNode *node, const char *name, guint max, guint *ret_value)
{
    g_autofree char *text = pvr_xml_attr(node, name);
    gboolean hex = text && g_str_has_prefix(text, "0x");
    guint64 value = 0;

    if (!text || !g_ascii_string_to_unsigned(hex ? text + 2 : text, hex ? 16 : 10, 0, max, &value,
                                             NULL)) {
        return FALSE;
    }
    *ret_value = (guint)value;
    return TRUE;
}
