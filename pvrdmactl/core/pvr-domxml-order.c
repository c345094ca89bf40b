/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which libvirt prints elements (virDomainDefFormatInternal). A
 * new element goes where libvirt would print it, so that a dry run's diff is
 * what the domain will look like. The order carries no meaning for libvirt.
 */
#include "pvr-domxml-priv.h"

#include "pvr-xml.h"

static const char *const top_order[] = {
    "name",   "uuid",          "genid",     "title",   "description", "metadata", "maxMemory",
    "memory", "currentMemory", "blkiotune", "memtune", "memoryBacking", NULL,
};

static const char *const device_order[] = {
    "emulator", "disk",     "controller", "lease",     "filesystem", "interface",
    "smartcard", "serial",  "parallel",   "console",   "channel",    "input",
    "tpm",      "graphics", "sound",      "audio",     "video",      "hostdev",
    "redirdev", "redirfilter", "hub",     "watchdog",  "memballoon", "rng",
    NULL,
};

static const char *const backing_order[] = {
    "hugepages", "nosharepages", "locked", "source", "access", NULL,
};

/* Position of @name in @order; behind all of them if it is not there. */
static guint
rank_of(const char *const *order, const char *name)
{
    guint rank = 0;

    while (order[rank] && !g_str_equal(order[rank], name)) {
        rank++;
    }
    return rank;
}

/* The last child that @order puts before or beside @name. */
static const xmlNode *
find_anchor(const xmlNode *parent, const char *const *order, const char *name)
{
    const xmlNode *anchor = NULL;
    guint rank = rank_of(order, name);

    for (const xmlNode *child = pvr_xml_first_element(parent); child;
         child = pvr_xml_next_element(child)) {
        if (rank_of(order, (const char *)child->name) <= rank) {
            anchor = child;
        }
    }
    return anchor;
}

static void
insert_in_order(PvrXmlText *text, const xmlNode *parent, const char *const *order,
                const char *name, const char *fragment)
{
    const xmlNode *anchor = find_anchor(parent, order, name);
    const xmlNode *first = pvr_xml_first_element(parent);

    if (anchor) {
        pvr_xmltext_insert_after(text, anchor, fragment);
    } else if (first) {
        pvr_xmltext_insert_before(text, first, fragment);
    } else {
        pvr_xmltext_append(text, parent, fragment);
    }
}

void
pvr_domxml_insert_device(PvrXmlText *text, const xmlNode *devices, const char *name,
                         const xmlNode *after, const char *fragment)
{
    if (after) {
        pvr_xmltext_insert_after(text, after, fragment);
    } else {
        insert_in_order(text, devices, device_order, name, fragment);
    }
}

void
pvr_domxml_insert_top(PvrXmlText *text, const char *name, const char *fragment)
{
    insert_in_order(text, pvr_xmltext_root(text), top_order, name, fragment);
}

void
pvr_domxml_insert_backing(PvrXmlText *text, const xmlNode *backing, const char *name,
                          const char *fragment)
{
    insert_in_order(text, backing, backing_order, name, fragment);
}
