/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Editing XML as text: elements are found through libxml2's tree, but changes
 * are made in the original bytes, so everything that is not touched (quotes,
 * comments, order, white space) stays exactly as it was.
 *
 * Life: new -> any number of edits, all relative to the original text and not
 * overlapping -> apply once -> free. Removing an element that was inserted
 * gives the text from before, byte for byte.
 */
#pragma once

#include <glib.h>
#include <libxml/tree.h>

G_BEGIN_DECLS

typedef struct _PvrXmlText PvrXmlText;

/* Where an element stands in the text; for <a/> both middle ones are equal. */
typedef struct {
    gsize begin;       /* at the '<' of the start tag */
    gsize open_end;    /* after its '>' */
    gsize close_begin; /* at the '<' of the end tag */
    gsize end;         /* after its '>' */
} PvrXmlSpan;

/* Copies @xml. Fails as pvr_xml_parse() does. */
PvrXmlText *pvr_xmltext_new(const char *xml, gsize len, GError **error);
void pvr_xmltext_free(PvrXmlText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrXmlText, pvr_xmltext_free)

/* The root element; the tree belongs to @text and must not be changed. */
xmlNode *pvr_xmltext_root(const PvrXmlText *text);
PvrXmlSpan pvr_xmltext_span(const PvrXmlText *text, const xmlNode *element);

/*
 * Insert @fragment: lines without a final newline, indented by two blanks per
 * level from zero. It takes the indentation of its new place; in a text
 * without line breaks it goes in without any.
 */
void pvr_xmltext_insert_after(PvrXmlText *text, const xmlNode *sibling, const char *fragment);
void pvr_xmltext_insert_before(PvrXmlText *text, const xmlNode *sibling, const char *fragment);
/* As last child. At most one of these per empty parent. */
void pvr_xmltext_append(PvrXmlText *text, const xmlNode *parent, const char *fragment);

/* Removes the element and the line break and blanks before it. */
void pvr_xmltext_remove(PvrXmlText *text, const xmlNode *element);

/*
 * Attributes and namespace declarations, by their name as written. A value
 * must be escaped already; a new attribute goes to the end of the start tag.
 * Removing one that is not there changes nothing.
 */
void pvr_xmltext_add_attr(PvrXmlText *text, const xmlNode *element, const char *name,
                          const char *value);
void pvr_xmltext_remove_attr(PvrXmlText *text, const xmlNode *element, const char *name);

/* The edited text; checked to be well-formed XML. */
char *pvr_xmltext_apply(PvrXmlText *text, GError **error);

G_END_DECLS
