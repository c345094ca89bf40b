/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-xmltext.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-xml.h"

typedef struct {
    gsize at;    /* in the original text */
    gsize cut;   /* bytes removed there */
    char *paste; /* text put in their place, may be NULL */
    guint order; /* edits at one place keep the order in which they were made */
} Edit;

struct _PvrXmlText {
    char *xml;
    gsize len;
    xmlDoc *doc;
    GHashTable *spans; /* xmlNode -> PvrXmlSpan */
    GArray *edits;     /* of Edit */
};

static void
edit_clear(gpointer edit)
{
    g_free(((Edit *)edit)->paste);
}

void
pvr_xmltext_free(PvrXmlText *text)
{
    if (!text) {
        return;
    }
    g_clear_pointer(&text->edits, g_array_unref);
    g_clear_pointer(&text->spans, g_hash_table_unref);
    g_clear_pointer(&text->doc, xmlFreeDoc);
    g_free(text->xml);
    g_free(text);
}

xmlNode *
pvr_xmltext_root(const PvrXmlText *text)
{
    return xmlDocGetRootElement(text->doc);
}

PvrXmlSpan
pvr_xmltext_span(const PvrXmlText *text, const xmlNode *element)
{
    const PvrXmlSpan *span = g_hash_table_lookup(text->spans, element);

    g_assert(span); /* every element of the tree got one in pvr_xmltext_new() */
    return *span;
}

/*
 * The scanner below walks well-formed XML without a DOCTYPE (libxml2 has just
 * said so), so '<' only begins a tag, a comment, CDATA or an instruction.
 */
static gsize
skip_past(const PvrXmlText *text, gsize at, const char *what)
{
    const char *found = g_strstr_len(text->xml + at, (gssize)(text->len - at), what);

    return found ? (gsize)(found - text->xml) + strlen(what) : text->len;
}

/* Past the '>' of a tag; one inside an attribute value does not count. */
static gsize
skip_tag(const PvrXmlText *text, gsize at)
{
    char quote = 0;

    for (; at < text->len; at++) {
        char c = text->xml[at];

        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '>') {
            return at + 1;
        }
    }
    return text->len;
}

/* The next start or end tag at or after *at; FALSE at the end of the text. */
static gboolean
next_tag(const PvrXmlText *text, gsize *at, gsize *ret_end)
{
    while (*at < text->len) {
        const char *found = memchr(text->xml + *at, '<', text->len - *at);

        if (!found) {
            return FALSE;
        }
        *at = (gsize)(found - text->xml);
        if (g_str_has_prefix(found, "<!--")) {
            *at = skip_past(text, *at + 4, "-->");
        } else if (g_str_has_prefix(found, "<![CDATA[")) {
            *at = skip_past(text, *at, "]]>");
        } else if (found[1] == '?') {
            *at = skip_past(text, *at, "?>");
        } else {
            *ret_end = skip_tag(text, *at);
            return TRUE;
        }
    }
    return FALSE;
}

/* Fills the span of @node and of all below; *at moves behind it. */
static gboolean
scan_element(PvrXmlText *text, const xmlNode *node, gsize *at)
{
    PvrXmlSpan *span = g_new0(PvrXmlSpan, 1);

    g_hash_table_insert(text->spans, (gpointer)node, span);
    if (!next_tag(text, at, &span->open_end) || text->xml[*at + 1] == '/') {
        return FALSE;
    }
    span->begin = *at;
    *at = span->open_end;
    if (text->xml[span->open_end - 2] == '/') {
        span->close_begin = span->open_end;
        span->end = span->open_end;
        return !pvr_xml_first_element(node);
    }
    for (const xmlNode *child = pvr_xml_first_element(node); child;
         child = pvr_xml_next_element(child)) {
        if (!scan_element(text, child, at)) {
            return FALSE;
        }
    }
    if (!next_tag(text, at, &span->end) || text->xml[*at + 1] != '/') {
        return FALSE;
    }
    span->close_begin = *at;
    *at = span->end;
    return TRUE;
}

PvrXmlText *
pvr_xmltext_new(const char *xml, gsize len, GError **error)
{
    g_autoptr(PvrXmlText) text = g_new0(PvrXmlText, 1);
    gsize at = 0;

    text->doc = pvr_xml_parse(xml, len, error);
    if (!text->doc) {
        return NULL;
    }
    text->xml = g_strndup(xml, len);
    text->len = len;
    text->spans = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    text->edits = g_array_new(FALSE, FALSE, sizeof(Edit));
    g_array_set_clear_func(text->edits, edit_clear);
    if (!scan_element(text, pvr_xmltext_root(text), &at)) {
        g_set_error_literal(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                            "the XML cannot be edited: its tags do not match what was parsed");
        return NULL;
    }
    return g_steal_pointer(&text);
}

static void
add_edit(PvrXmlText *text, gsize at, gsize cut, char *paste)
{
    Edit edit = {.at = at, .cut = cut, .paste = paste, .order = text->edits->len};

    g_array_append_val(text->edits, edit);
}

/* Begin of the blanks before @at, and whether a line break is among them. */
static gsize
blanks_before(const PvrXmlText *text, gsize at, gboolean *ret_newline)
{
    gsize start = at;

    while (start > 0 && (text->xml[start - 1] == ' ' || text->xml[start - 1] == '\t')) {
        start--;
    }
    *ret_newline = start > 0 && text->xml[start - 1] == '\n';
    return start;
}

/* "\n" plus the indentation of @element plus @more; "" if it begins in mid-line. */
static char *
line_break(const PvrXmlText *text, const xmlNode *element, const char *more)
{
    gsize begin = pvr_xmltext_span(text, element).begin;
    gboolean newline = FALSE;
    gsize start = blanks_before(text, begin, &newline);

    /* The root often stands at the very beginning of the text. */
    if (!newline && !(start == 0 && memchr(text->xml, '\n', text->len))) {
        return g_strdup("");
    }
    return g_strdup_printf("\n%.*s%s", (int)(begin - start), text->xml + start, more);
}

/* The fragment with @brk as its line break; without one, the indentation goes too. */
static char *
place_fragment(const char *fragment, const char *brk)
{
    g_auto(GStrv) lines = g_strsplit(fragment, "\n", -1);

    for (guint i = 0; !*brk && lines[i]; i++) {
        g_strchug(lines[i]);
    }
    return g_strjoinv(brk, lines);
}

void
pvr_xmltext_insert_after(PvrXmlText *text, const xmlNode *sibling, const char *fragment)
{
    g_autofree char *brk = line_break(text, sibling, "");
    g_autofree char *placed = place_fragment(fragment, brk);

    add_edit(text, pvr_xmltext_span(text, sibling).end, 0, g_strconcat(brk, placed, NULL));
}

void
pvr_xmltext_insert_before(PvrXmlText *text, const xmlNode *sibling, const char *fragment)
{
    g_autofree char *brk = line_break(text, sibling, "");
    g_autofree char *placed = place_fragment(fragment, brk);

    add_edit(text, pvr_xmltext_span(text, sibling).begin, 0, g_strconcat(placed, brk, NULL));
}

/* Into an element without element children: <a/>, <a></a>, or <a> with only blanks. */
static void
insert_first(PvrXmlText *text, const xmlNode *parent, const char *fragment)
{
    PvrXmlSpan span = pvr_xmltext_span(text, parent);
    g_autofree char *outer = line_break(text, parent, "");
    g_autofree char *brk = line_break(text, parent, "  ");
    g_autofree char *placed = place_fragment(fragment, brk);
    gboolean newline = FALSE;

    if (span.close_begin == span.end) {
        gsize name_len = strcspn(text->xml + span.begin + 1, " \t\r\n/>");

        add_edit(text, span.end - 2, 2,
                 g_strdup_printf(">%s%s%s</%.*s>", brk, placed, outer, (int)name_len,
                                 text->xml + span.begin + 1));
        return;
    }
    blanks_before(text, span.close_begin, &newline);
    add_edit(text, span.open_end, 0, g_strconcat(brk, placed, newline ? "" : outer, NULL));
}

void
pvr_xmltext_append(PvrXmlText *text, const xmlNode *parent, const char *fragment)
{
    const xmlNode *last = NULL;

    for (const xmlNode *child = pvr_xml_first_element(parent); child;
         child = pvr_xml_next_element(child)) {
        last = child;
    }
    if (last) {
        pvr_xmltext_insert_after(text, last, fragment);
    } else {
        insert_first(text, parent, fragment);
    }
}

void
pvr_xmltext_remove(PvrXmlText *text, const xmlNode *element)
{
    PvrXmlSpan span = pvr_xmltext_span(text, element);
    gboolean newline = FALSE;
    gsize start = blanks_before(text, span.begin, &newline);

    start = newline ? start - 1 : span.begin;
    if (newline && start > 0 && text->xml[start - 1] == '\r') {
        start--;
    }
    add_edit(text, start, span.end - start, NULL);
}

void
pvr_xmltext_add_attr(PvrXmlText *text, const xmlNode *element, const char *name,
                     const char *value)
{
    PvrXmlSpan span = pvr_xmltext_span(text, element);
    gsize at = span.open_end - 1;

    if (span.close_begin == span.end) {
        at--;
    }
    while (g_ascii_isspace(text->xml[at - 1])) {
        at--;
    }
    add_edit(text, at, 0, g_strdup_printf(" %s='%s'", name, value));
}

void
pvr_xmltext_remove_attr(PvrXmlText *text, const xmlNode *element, const char *name)
{
    PvrXmlSpan span = pvr_xmltext_span(text, element);
    gsize at = span.begin + 1 + strcspn(text->xml + span.begin + 1, " \t\r\n/>");

    while (g_ascii_isspace(text->xml[at])) {
        gsize start = at;
        gsize name_at = at + strspn(text->xml + at, " \t\r\n");
        gsize name_len = strcspn(text->xml + name_at, " \t\r\n=/>");
        gsize quote_at = name_at + name_len + strspn(text->xml + name_at + name_len, " \t\r\n=");
        const char *close = NULL;

        if (!strchr("'\"", text->xml[quote_at])) {
            return;
        }
        close = strchr(text->xml + quote_at + 1, text->xml[quote_at]);
        at = (gsize)(close - text->xml) + 1;
        if (name_len == strlen(name) && strncmp(text->xml + name_at, name, name_len) == 0) {
            add_edit(text, start, at - start, NULL);
            return;
        }
    }
}

/* At one place, insertions come before the removal that begins there. */
static gint
compare_edits(gconstpointer a, gconstpointer b)
{
    const Edit *x = a;
    const Edit *y = b;

    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    if (!x->cut != !y->cut) {
        return x->cut ? 1 : -1;
    }
    return x->order < y->order ? -1 : 1;
}

char *
pvr_xmltext_apply(PvrXmlText *text, GError **error)
{
    g_autoptr(GString) out = g_string_sized_new(text->len + 4096);
    g_autoptr(xmlDoc) check = NULL;
    gsize at = 0;

    g_array_sort(text->edits, compare_edits);
    for (guint i = 0; i < text->edits->len; i++) {
        const Edit *edit = &g_array_index(text->edits, Edit, i);

        if (edit->at < at) {
            g_set_error_literal(error, PVR_ERROR, PVR_ERROR_FAILED,
                                "the XML cannot be edited: two changes overlap");
            return NULL;
        }
        g_string_append_len(out, text->xml + at, (gssize)(edit->at - at));
        g_string_append(out, edit->paste ? edit->paste : "");
        at = edit->at + edit->cut;
    }
    g_string_append_len(out, text->xml + at, (gssize)(text->len - at));
    check = pvr_xml_parse(out->str, out->len, error);
    return check ? g_string_free(g_steal_pointer(&out), FALSE) : NULL;
}
