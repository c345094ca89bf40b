/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the pvr-domxml-*.c files only. */
#pragma once

#include "pvr-domxml.h"
#include "pvr-xmltext.h"

/* pvr-domxml-pci.c */
typedef struct {
    gboolean express; /* a root port of its own, else a slot of pci.0 */
    gboolean spare;   /* that root port is there already */
    guint bus;        /* also the index of that root port */
    guint slot;
} PvrPciPlace;

/*
 * A place where function 0 and 1 can go; PVR_ERROR_UNSUPPORTED if there is none.
 * One of @spares, if a root port of that index is there and empty, is taken first.
 */
gboolean pvr_domxml_choose_place(const xmlNode *domain, const GArray *spares,
                                 PvrPciPlace *ret_place, GError **error);
/* The highest index of a PCI controller; 0 if there is none. */
guint pvr_domxml_max_controller(const xmlNode *domain);
/* TRUE if there is such a root port, and on it nothing but @except1 and @except2 (may be NULL). */
gboolean pvr_domxml_root_port_is_free(const xmlNode *domain, guint index, const xmlNode *except1,
                                      const xmlNode *except2);
/* The <address> of a device element if it is a PCI address, and its parts. */
gboolean pvr_domxml_pci_address(const xmlNode *device, guint *ret_domain, guint *ret_bus,
                                guint *ret_slot, guint *ret_function);
/* The <controller> of type pci with this index, or NULL. */
xmlNode *pvr_domxml_pci_controller(const xmlNode *domain, guint index);

/* pvr-domxml-memory.c */
/* Adds what makes all guest memory shared, and the PvrAdded bits of it to *added. */
gboolean pvr_domxml_share_memory(PvrXmlText *text, guint *added, GError **error);
/* Takes that back, and its bits, unless somebody else needs it: that is said in @ret_note. */
void pvr_domxml_unshare_memory(PvrXmlText *text, guint *added, char **ret_note);

/* pvr-domxml-net.c */
/* The <interface> of function 0. */
char *pvr_domxml_interface(const PvrMetaDevice *device, const PvrNetSource *source,
                           const PvrPciPlace *place);
/* What it is connected to: the name of the network, bridge or netdev; NULL for others. */
char *pvr_domxml_net_source(const xmlNode *interface);

/* pvr-domxml-find.c */
/* The device element (of any name) with this alias, or NULL. */
xmlNode *pvr_domxml_by_alias(const xmlNode *domain, const char *alias);
/* The <qemu:device> in <qemu:override> with this alias, or NULL. */
xmlNode *pvr_domxml_override_of(const xmlNode *domain, const char *alias);

/* pvr-domxml-order.c: insertion at the place where libvirt itself would print the element */
void pvr_domxml_insert_device(PvrXmlText *text, const xmlNode *devices, const char *name,
                              const xmlNode *after, const char *fragment);
void pvr_domxml_insert_top(PvrXmlText *text, const char *name, const char *fragment);
void pvr_domxml_insert_backing(PvrXmlText *text, const xmlNode *backing, const char *name,
                               const char *fragment);

/* pvr-domxml-detach.c: write an attribute of our <devices> element */
void pvr_domxml_set_spares(PvrXmlText *text, const xmlNode *devices, const GArray *spares);
void pvr_domxml_set_added(PvrXmlText *text, const xmlNode *devices, guint added);
