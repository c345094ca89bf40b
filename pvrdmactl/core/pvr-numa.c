/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-numa.h"

#include "pvr-xml.h"

#define MAX_NODE 63
#define MAX_WORDS 256
#define MAX_NUMBER 65535

/* "3" or "0-3" */
static gboolean
parse_range(const char *text, guint64 *ret_set)
{
    g_auto(GStrv) ends = g_strsplit(text, "-", 3);
    guint64 first = 0, last = 0;

    if (ends[0] == NULL || !g_ascii_string_to_unsigned(ends[0], 10, 0, MAX_NUMBER, &first, NULL)) {
        return FALSE;
    }
    last = first;
    if (ends[1] != NULL &&
        (ends[2] != NULL ||
         !g_ascii_string_to_unsigned(ends[1], 10, first, MAX_NUMBER, &last, NULL))) {
        return FALSE;
    }
    *ret_set = 0;
    for (guint64 node = first; node <= MIN(last, MAX_NODE); node++) {
        *ret_set |= G_GUINT64_CONSTANT(1) << node;
    }
    return TRUE;
}

guint64
pvr_numa_parse(const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, ",", MAX_WORDS);
    guint64 nodes = 0;

    for (guint i = 0; words[i] != NULL; i++) {
        const gboolean without = words[i][0] == '^';
        guint64 range = 0;

        if (!parse_range(words[i] + without, &range)) {
            return 0;
        }
        nodes = without ? nodes & ~range : nodes | range;
    }
    return nodes;
}

guint64
pvr_numa_of_domain(gconstpointer domain)
{
    const xmlNode *tune = pvr_xml_child(domain, NULL, "numatune");
    g_autofree char *all = pvr_xml_attr(pvr_xml_child(tune, NULL, "memory"), "nodeset");
    guint64 nodes = all != NULL ? pvr_numa_parse(all) : 0;

    for (xmlNode *cell = pvr_xml_child(tune, NULL, "memnode"); cell != NULL;
         cell = pvr_xml_next(cell, NULL, "memnode")) {
        g_autofree char *set = pvr_xml_attr(cell, "nodeset");

        nodes |= set != NULL ? pvr_numa_parse(set) : 0;
    }
    return nodes;
}
