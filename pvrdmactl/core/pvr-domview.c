/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-domview.h"

#include <string.h>

#include "pvr-error.h"
#include "pvr-uuid.h"
#include "pvr-xml.h"

#define QEMU_URI "http://libvirt.org/schemas/domain/qemu/1.0"

static void
nic_free(gpointer data)
{
    PvrNicView *nic = data;

    g_free(nic->alias);
    g_free(nic->type);
    g_free(nic->model);
    g_free(nic->mac);
    g_free(nic);
}

static void
rng_free(gpointer data)
{
    PvrRngView *rng = data;

    g_free(rng->alias);
    g_free(rng->path);
    g_free(rng->driver);
    g_free(rng->backend_dev);
    g_free(rng);
}

void
pvr_domain_view_free(PvrDomainView *view)
{
    if (view != NULL) {
        g_free(view->uuid);
        g_free(view->name);
        g_free(view->emulator);
        g_free(view->nodeset);
        g_clear_pointer(&view->nics, g_ptr_array_unref);
        g_clear_pointer(&view->rngs, g_ptr_array_unref);
        g_free(view);
    }
}

static char *
child_attr(const xmlNode *parent, const char *child, const char *attr)
{
    return pvr_xml_attr(pvr_xml_child(parent, NULL, child), attr);
}

static gboolean
read_address(const xmlNode *device, PvrPciAddr *addr)
{
    const xmlNode *node = pvr_xml_child(device, NULL, "address");

    return pvr_xml_attr_is(node, "type", "pci") &&
           pvr_xml_attr_uint(node, "domain", 0xffff, &addr->domain) &&
           pvr_xml_attr_uint(node, "bus", 0xff, &addr->bus) &&
           pvr_xml_attr_uint(node, "slot", 0x1f, &addr->slot) &&
           pvr_xml_attr_uint(node, "function", 7, &addr->function);
}

static void
add_nic(PvrDomainView *view, const xmlNode *node)
{
    PvrNicView *nic = g_new0(PvrNicView, 1);

    nic->alias = child_attr(node, "alias", "name");
    nic->type = pvr_xml_attr(node, "type");
    nic->model = child_attr(node, "model", "type");
    nic->mac = child_attr(node, "mac", "address");
    nic->has_addr = read_address(node, &nic->addr);
    nic->multifunction =
        pvr_xml_attr_is(pvr_xml_child(node, NULL, "address"), "multifunction", "on");
    g_ptr_array_add(view->nics, nic);
}

static void
add_rng(PvrDomainView *view, const xmlNode *node)
{
    PvrRngView *rng = g_new0(PvrRngView, 1);

    rng->gid_index = -1;
    rng->alias = child_attr(node, "alias", "name");
    rng->path = pvr_xml_text(pvr_xml_child(node, NULL, "backend"));
    rng->has_addr = read_address(node, &rng->addr);
    g_ptr_array_add(view->rngs, rng);
}

static void
read_devices(PvrDomainView *view, const xmlNode *devices)
{
    view->emulator = pvr_xml_text(pvr_xml_child(devices, NULL, "emulator"));
    for (xmlNode *node = pvr_xml_first_element(devices); node != NULL;
         node = pvr_xml_next_element(node)) {
        if (pvr_xml_is(node, NULL, "interface")) {
            add_nic(view, node);
        } else if (pvr_xml_is(node, NULL, "rng")) {
            add_rng(view, node);
        }
    }
}

static PvrRngView *
find_rng(const PvrDomainView *view, const char *alias)
{
    for (guint i = 0; alias != NULL && i < view->rngs->len; i++) {
        PvrRngView *rng = g_ptr_array_index(view->rngs, i);

        if (g_strcmp0(rng->alias, alias) == 0) {
            return rng;
        }
    }
    return NULL;
}

static void
read_property(PvrRngView *rng, const xmlNode *property)
{
    guint index = 0;

    if (pvr_xml_attr_is(property, "name", "driver")) {
        g_free(rng->driver);
        rng->driver = pvr_xml_attr(property, "value");
    } else if (pvr_xml_attr_is(property, "name", "backend-dev")) {
        g_free(rng->backend_dev);
        rng->backend_dev = pvr_xml_attr(property, "value");
    } else if (pvr_xml_attr_is(property, "name", "backend-gid-idx") &&
               pvr_xml_attr_uint(property, "value", G_MAXUINT16, &index)) {
        rng->gid_index = (int)index;
    }
}

static void
read_override(PvrDomainView *view, const xmlNode *override)
{
    for (xmlNode *node = pvr_xml_child(override, QEMU_URI, "device"); node != NULL;
         node = pvr_xml_next(node, QEMU_URI, "device")) {
        g_autofree char *alias = pvr_xml_attr(node, "alias");
        PvrRngView *rng = find_rng(view, alias);
        xmlNode *front = pvr_xml_child(node, QEMU_URI, "frontend");

        for (xmlNode *prop = pvr_xml_child(front, QEMU_URI, "property");
             rng != NULL && prop != NULL; prop = pvr_xml_next(prop, QEMU_URI, "property")) {
            read_property(rng, prop);
        }
    }
}

/* All cells say memAccess='shared'; FALSE when there are no cells. */
static gboolean
numa_cells_shared(const xmlNode *domain)
{
    const xmlNode *numa = pvr_xml_child(pvr_xml_child(domain, NULL, "cpu"), NULL, "numa");
    const xmlNode *cell = pvr_xml_child(numa, NULL, "cell");
    gboolean shared = cell != NULL;

    for (; cell != NULL; cell = pvr_xml_next(cell, NULL, "cell")) {
        shared = shared && pvr_xml_attr_is(cell, "memAccess", "shared");
    }
    return shared;
}

/* Of the RAM, or of memory devices */
static gboolean
uses_huge_pages(const xmlNode *domain, const xmlNode *backing)
{
    const xmlNode *devices = pvr_xml_child(domain, NULL, "devices");
    const xmlNode *dimm = pvr_xml_child(devices, NULL, "memory");

    for (; dimm != NULL; dimm = pvr_xml_next(dimm, NULL, "memory")) {
        if (pvr_xml_child(pvr_xml_child(dimm, NULL, "source"), NULL, "pagesize") != NULL) {
            return TRUE;
        }
    }
    return pvr_xml_child(backing, NULL, "hugepages") != NULL;
}

/* What libvirt makes of each combination: QEMU's memfd backend is shared unless told otherwise. */
static void
read_memory(PvrDomainView *view, const xmlNode *domain)
{
    const xmlNode *backing = pvr_xml_child(domain, NULL, "memoryBacking");
    const xmlNode *access = pvr_xml_child(backing, NULL, "access");
    g_autofree char *memory = pvr_xml_text(pvr_xml_child(domain, NULL, "memory"));

    view->hugepages = uses_huge_pages(domain, backing);
    view->memory_shared =
        access != NULL ? pvr_xml_attr_is(access, "mode", "shared")
                       : pvr_xml_attr_is(pvr_xml_child(backing, NULL, "source"), "type", "memfd");
    view->memory_shared = view->memory_shared || numa_cells_shared(domain);
    view->nodeset = pvr_xml_attr(
        pvr_xml_child(pvr_xml_child(domain, NULL, "numatune"), NULL, "memory"), "nodeset");
    if (memory != NULL) {
        view->memory_kib = g_ascii_strtoull(memory, NULL, 10); /* libvirt prints KiB */
    }
}

static gboolean
read_identity(PvrDomainView *view, const xmlNode *domain, GError **error)
{
    g_autofree char *uuid = pvr_xml_text(pvr_xml_child(domain, NULL, "uuid"));

    view->name = pvr_xml_text(pvr_xml_child(domain, NULL, "name"));
    view->uuid = uuid != NULL ? pvr_uuid_canonical(uuid, NULL) : NULL;
    if (!pvr_xml_is(domain, NULL, "domain") || view->uuid == NULL || view->name == NULL ||
        *view->name == '\0' || strchr(view->name, '/') != NULL) {
        g_set_error(error, PVR_ERROR, PVR_ERROR_CORRUPT,
                    "this is not a domain XML with a valid name and UUID");
        return FALSE;
    }
    return TRUE;
}

PvrDomainView *
pvr_domain_view_parse(const char *xml, gsize len, GError **error)
{
    g_autoptr(PvrDomainView) view = g_new0(PvrDomainView, 1);
    g_autoptr(xmlDoc) doc = pvr_xml_parse(xml, len, error);
    const xmlNode *domain;

    view->nics = g_ptr_array_new_with_free_func(nic_free);
    view->rngs = g_ptr_array_new_with_free_func(rng_free);
    if (doc == NULL) {
        return NULL;
    }
    domain = xmlDocGetRootElement(doc);
    if (!read_identity(view, domain, error)) {
        return NULL;
    }
    read_memory(view, domain);
    read_devices(view, pvr_xml_child(domain, NULL, "devices"));
    read_override(view, pvr_xml_child(domain, QEMU_URI, "override"));
    return g_steal_pointer(&view);
}

const PvrRngView *
pvr_domain_view_function1(const PvrDomainView *view, const PvrMetaDevice *device)
{
    return find_rng(view, device->alias);
}

const PvrNicView *
pvr_domain_view_function0(const PvrDomainView *view, const PvrRngView *rng)
{
    for (guint i = 0; rng->has_addr && i < view->nics->len; i++) {
        const PvrNicView *nic = g_ptr_array_index(view->nics, i);

        if (nic->has_addr && nic->addr.domain == rng->addr.domain &&
            nic->addr.bus == rng->addr.bus && nic->addr.slot == rng->addr.slot &&
            nic->addr.function == 0) {
            return nic;
        }
    }
    return NULL;
}
