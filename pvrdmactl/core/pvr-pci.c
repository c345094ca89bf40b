/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-pci.h"

#include <string.h>

#define SLOT_MAX 31

PvrPci *
pvr_pci_new(const char *address)
{
    PvrPci *pci = g_new0(PvrPci, 1);

    pci->address = g_strdup(address);
    pci->numa_node = -1;
    pci->netdevs = g_ptr_array_new_with_free_func(g_free);
    pci->ibdevs = g_ptr_array_new_with_free_func(g_free);
    return pci;
}

void
pvr_pci_free(PvrPci *pci)
{
    g_free(pci->address);
    g_free(pci->driver);
    g_free(pci->pf);
    g_free(pci->node_guid);
    g_ptr_array_unref(pci->netdevs);
    g_ptr_array_unref(pci->ibdevs);
    g_free(pci);
}

/* Exactly @min to @max hex digits up to @end. */
static gboolean
read_hex(const char *text, const char *end, gsize min, gsize max, guint *ret_value)
{
    guint value = 0;

    if (end == NULL || end < text + min || end > text + max)
        return FALSE;
    for (const char *c = text; c < end; c++) {
        if (!g_ascii_isxdigit(*c))
            return FALSE;
        value = value << 4 | (guint) g_ascii_xdigit_value(*c);
    }
    *ret_value = value;
    return TRUE;
}

/* A domain has more than four digits behind a VMD (drivers/pci/controller/vmd.c). */
char *
pvr_pci_parse_address(const char *text)
{
    const char *last = strrchr(text, ':');
    const char *first = strchr(text, ':');
    const char *dot = last != NULL ? strchr(last, '.') : NULL;
    const char *bus_text = first != last ? first + 1 : text;
    guint domain = 0, bus, slot, function;

    if (dot == NULL || !read_hex(bus_text, last, 2, 2, &bus) ||
        !read_hex(last + 1, dot, 2, 2, &slot) || !read_hex(dot + 1, dot + strlen(dot), 1, 1, &function))
        return NULL;
    if (first != last && !read_hex(text, first, 4, 8, &domain))
        return NULL;
    if (slot > SLOT_MAX || function > 7)
        return NULL;
    return g_strdup_printf("%04x:%02x:%02x.%u", domain, bus, slot, function);
}
