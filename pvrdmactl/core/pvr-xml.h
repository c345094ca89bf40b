/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading XML that others wrote: bounded, no network, no DTD, no entities.
 * A thin layer over libxml2 which all readers of domain XML share.
 */
#pragma once

#include <glib.h>
#include <libxml/tree.h>

G_BEGIN_DECLS

/* libvirt refuses messages beyond 32 MiB; no real domain XML comes near. */
#define PVR_XML_MAX_BYTES (16u << 20)

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlDoc, xmlFreeDoc)

/**
 * pvr_xml_parse: parses @len bytes (no NUL needed at the end).
 * Refuses a DOCTYPE, an encoding other than UTF-8, NUL bytes and more than
 * PVR_XML_MAX_BYTES. Fails with PVR_ERROR_CORRUPT and line number.
 * The caller owns the result.
 */
xmlDoc *pvr_xml_parse(const char *xml, gsize len, GError **error);

/* TRUE for an element @name in namespace @uri (NULL: in no namespace). */
gboolean pvr_xml_is(const xmlNode *node, const char *uri, const char *name);

/* First child element that matches, or NULL. @parent may be NULL. */
xmlNode *pvr_xml_child(const xmlNode *parent, const char *uri, const char *name);
/* Next sibling element that matches, or NULL. */
xmlNode *pvr_xml_next(const xmlNode *node, const char *uri, const char *name);
/* First child element of any name, or NULL; and the next one. */
xmlNode *pvr_xml_first_element(const xmlNode *parent);
xmlNode *pvr_xml_next_element(const xmlNode *node);

/* Attribute in no namespace, or NULL. @node may be NULL. Caller owns it. */
char *pvr_xml_attr(const xmlNode *node, const char *name);
/* Text of the element without surrounding blanks; "" if none, NULL for NULL. */
char *pvr_xml_text(const xmlNode *node);
/* TRUE if the attribute is there with just this value. */
gboolean pvr_xml_attr_is(const xmlNode *node, const char *name, const char *value);
/* Decimal or 0x hexadecimal attribute; FALSE if absent, no number or > @max. */
gboolean pvr_xml_attr_uint(const xmlNode *node, const char *name, guint max, guint *ret_value);

G_END_DECLS
