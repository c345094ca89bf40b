/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Editing a persistent domain XML: text in, text out, nothing else is touched.
 *
 * A device of ours is, in the XML:
 *   - on a PCI Express machine a <controller> of its own, model pcie-root-port,
 *   - function 0: an <interface> of model vmxnet3, alias ua-pvrdmaN-net, its
 *     MAC the one that the GID carries (soft: any), multifunction='on',
 *   - function 1: an <rng> whose backend is the path of the verbs node (soft:
 *     builtin), alias ua-pvrdmaN; so libvirt knows the function and lets QEMU
 *     open the node,
 *   - <qemu:override>, which turns that rng into -device pvrdma,
 *   - shared guest memory (not for soft), and the metadata of pvr-metadata.h.
 */
#pragma once

#include <glib.h>

#include "pvr-metadata.h"

G_BEGIN_DECLS

#define PVR_QEMU_URI "http://libvirt.org/schemas/domain/qemu/1.0"

typedef enum {
    PVR_NET_NETWORK, /* a libvirt network */
    PVR_NET_BRIDGE,  /* a host bridge */
    PVR_NET_DIRECT,  /* macvtap on a host netdev */
} PvrNetKind;

typedef struct {
    PvrNetKind kind;
    const char *name;
} PvrNetSource;

/**
 * pvr_domxml_attach: adds a device.
 * @wanted gives backend, netdev, ibdev, port, gid, mac and gid_index; its
 * other fields are ignored, and filled in @ret_device (caller owns it).
 * The id is the lowest that neither a device nor an alias of the domain uses.
 * Fails with PVR_ERROR_NOTHING if the domain has this device already (for a
 * soft one see pvr_domxml_check_soft()), PVR_ERROR_BUSY for a MAC that another interface has, PVR_ERROR_UNSUPPORTED
 * for memory or a machine type that the device cannot use, PVR_ERROR_CORRUPT
 * for malformed XML or metadata.
 */
char *pvr_domxml_attach(const char *xml, gsize len, const PvrMetaDevice *wanted,
                        const PvrNetSource *source, PvrMetaDevice **ret_device, GError **error);

/**
 * pvr_domxml_detach: removes what attach added for device @id, as far as it
 * is still there; with the last device also what attach added to the domain.
 * Everything else stays. @ret_note is NULL or set to a sentence about
 * something of ours that had to stay (caller owns it; NULL if nothing).
 * Fails with PVR_ERROR_NOTHING if there is no such device.
 */
char *pvr_domxml_detach(const char *xml, gsize len, guint id, char **ret_note, GError **error);

/* How complete a device is in an XML, with its addresses ("0000:04:00.0"); NULL for what is absent. */
typedef struct {
    char *function0;
    char *function1;
    gboolean override;
    char *net_type;   /* of the <interface>, as in "network" */
    char *net_source; /* name of that network, bridge or netdev */
    char *net_mac;
} PvrDomxmlDevice;

void pvr_domxml_device_free(PvrDomxmlDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrDomxmlDevice, pvr_domxml_device_free)

/* @domain: the xmlNode of the root element. The caller owns the result. */
PvrDomxmlDevice *pvr_domxml_find(gconstpointer domain, const PvrMetaDevice *device);

/* Of PvrMac: those of all interfaces of the domain (an xmlNode). */
GArray *pvr_domxml_list_macs(gconstpointer domain);
/* TRUE if an interface of the domain (an xmlNode) has this MAC. */
gboolean pvr_domxml_has_mac(gconstpointer domain, const PvrMac *mac);

/**
 * pvr_domxml_check_soft: PVR_ERROR_NOTHING if the domain has a soft device with that connection and
 * MAC (NULL: with any). So the same attach twice is one device, and who wants more has to say so.
 */
gboolean pvr_domxml_check_soft(const char *xml, gsize len, const PvrNetSource *source,
                               const PvrMac *mac, GError **error);

G_END_DECLS
