/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device maps guest memory by file descriptor, so all of it must be
 * shared. memfd plus access='shared' does that for RAM, for the cells of
 * <cpu><numa> and for memory devices; what the user has chosen otherwise is
 * either shared already or refused, never changed.
 */
#include "pvr-domxml-priv.h"
#include "pvr-error.h"
#include "pvr-xml.h"

#define SOURCE "<source type='memfd'/>"
#define ACCESS "<access mode='shared'/>"

static gboolean
refuse(GError **error, const char *what, const char *todo)
{
    g_set_error(error, PVR_ERROR, PVR_ERROR_UNSUPPORTED, "%s\n%s", what, todo);
    return FALSE;
}

static const xmlNode *
first_cell(const xmlNode *domain)
{
    const xmlNode *cpu = pvr_xml_child(domain, NULL, "cpu");

    return pvr_xml_child(pvr_xml_child(cpu, NULL, "numa"), NULL, "cell");
}

/* TRUE if there are cells and each says itself that it is shared. */
static gboolean
cells_are_shared(const xmlNode *domain)
{
    const xmlNode *cell = first_cell(domain);

    if (!cell) {
        return FALSE;
    }
    for (; cell; cell = pvr_xml_next(cell, NULL, "cell")) {
        if (!pvr_xml_attr_is(cell, "memAccess", "shared")) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
check_cells(const xmlNode *domain, GError **error)
{
    for (const xmlNode *cell = first_cell(domain); cell; cell = pvr_xml_next(cell, NULL, "cell")) {
        if (pvr_xml_attr_is(cell, "memAccess", "private")) {
            return refuse(error, "a NUMA cell of the domain has private memory, the device needs "
                                 "shared memory",
                          "remove memAccess='private' from the <cell> in <cpu><numa>");
        }
    }
    return TRUE;
}

/* access='shared' for the domain would also make a private NVDIMM file writable. */
static gboolean
check_memory_devices(const xmlNode *domain, gboolean add_access, GError **error)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");

    for (const xmlNode *dimm = pvr_xml_child(devices, NULL, "memory"); dimm;
         dimm = pvr_xml_next(dimm, NULL, "memory")) {
        g_autofree char *access = pvr_xml_attr(dimm, "access");
        gboolean nvdimm = pvr_xml_attr_is(dimm, "model", "nvdimm");

        if (g_strcmp0(access, "private") == 0) {
            return refuse(error, "a <memory> device of the domain is private, the device needs "
                                 "shared memory",
                          "remove access='private' from it");
        }
        if (nvdimm && !access && add_access) {
            return refuse(error, "the domain has an NVDIMM that shared memory would change: guest "
                                 "writes would reach its file",
                          "if that is right, set access='shared' on its <memory> device");
        }
    }
    return TRUE;
}

/* Access that is neither absent nor shared, or a source whose choice implies private memory. */
static gboolean
check_backing(const xmlNode *backing, GError **error)
{
    g_autofree char *type = pvr_xml_attr(pvr_xml_child(backing, NULL, "source"), "type");
    g_autofree char *mode = pvr_xml_attr(pvr_xml_child(backing, NULL, "access"), "mode");
    g_autofree char *what = NULL;

    if (mode && !g_str_equal(mode, "shared")) {
        what = g_strdup_printf("the domain's memory has access mode '%s', the device needs shared "
                               "memory", mode);
        return refuse(error, what, "remove <access> from <memoryBacking>, or make it mode='shared'");
    }
    if (type && !mode && !g_str_equal(type, "memfd")) {
        what = g_strdup_printf("the domain's memory is private and of source type '%s', the device "
                               "needs shared memory", type);
        return refuse(error, what,
                      "add <access mode='shared'/> to <memoryBacking>, or remove its <source>");
    }
    return TRUE;
}

static void
add_backing(PvrXmlText *text, const xmlNode *backing, guint *added)
{
    if (!backing) {
        pvr_domxml_insert_top(text, "memoryBacking",
                              "<memoryBacking>\n  " SOURCE "\n  " ACCESS "\n</memoryBacking>");
        *added |= PVR_ADDED_MEMORY_BACKING | PVR_ADDED_MEMORY_SOURCE | PVR_ADDED_MEMORY_ACCESS;
        return;
    }
    if (!pvr_xml_child(backing, NULL, "source")) {
        pvr_domxml_insert_backing(text, backing, "source", SOURCE "\n" ACCESS);
        *added |= PVR_ADDED_MEMORY_SOURCE | PVR_ADDED_MEMORY_ACCESS;
        return;
    }
    pvr_domxml_insert_backing(text, backing, "access", ACCESS);
    *added |= PVR_ADDED_MEMORY_ACCESS;
}

gboolean
pvr_domxml_share_memory(PvrXmlText *text, guint *added, GError **error)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    const xmlNode *backing = pvr_xml_child(domain, NULL, "memoryBacking");
    gboolean shared = pvr_xml_child(backing, NULL, "access") || cells_are_shared(domain);

    if (!check_cells(domain, error) || !check_backing(backing, error) ||
        !check_memory_devices(domain, !shared, error)) {
        return FALSE;
    }
    if (!shared) {
        add_backing(text, backing, added);
    }
    return TRUE;
}

/* Devices of others that only work with shared memory; NULL if there is none. */
static const char *
other_user(const xmlNode *domain)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");

    for (const xmlNode *device = pvr_xml_first_element(devices); device;
         device = pvr_xml_next_element(device)) {
        if (pvr_xml_is(device, NULL, "filesystem") &&
            pvr_xml_attr_is(pvr_xml_child(device, NULL, "driver"), "type", "virtiofs")) {
            return "a virtiofs file system";
        }
        if (pvr_xml_attr_is(device, "type", "vhostuser") ||
            pvr_xml_attr_is(pvr_xml_child(device, NULL, "driver"), "name", "vhostuser")) {
            return "a vhost-user device";
        }
    }
    return NULL;
}

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

void
pvr_domxml_unshare_memory(PvrXmlText *text, guint *added, char **ret_note)
{
    const xmlNode *domain = pvr_xmltext_root(text);
    const xmlNode *backing = pvr_xml_child(domain, NULL, "memoryBacking");
    const xmlNode *source = pvr_xml_child(backing, NULL, "source");
    const xmlNode *access = pvr_xml_child(backing, NULL, "access");
    const char *user = other_user(domain);
    gboolean cut_source = (*added & PVR_ADDED_MEMORY_SOURCE) && source &&
                          pvr_xml_attr_is(source, "type", "memfd");
    gboolean cut_access = (*added & PVR_ADDED_MEMORY_ACCESS) && access &&
                          pvr_xml_attr_is(access, "mode", "shared");

    if ((cut_source || cut_access) && user) {
        *ret_note = g_strdup_printf("the shared memory backing stays, because %s needs it", user);
        return;
    }
    if ((*added & PVR_ADDED_MEMORY_BACKING) && backing &&
        count_elements(backing) == (guint)cut_source + (guint)cut_access) {
        pvr_xmltext_remove(text, backing);
        cut_source = FALSE;
        cut_access = FALSE;
    }
    if (cut_source) {
        pvr_xmltext_remove(text, source);
    }
    if (cut_access) {
        pvr_xmltext_remove(text, access);
    }
    *added &= ~(guint)PVR_ADDED_MEMORY;
}
