/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our element under <metadata> of a domain XML: which devices the domain has
 * and what attach added for them. Used by pvrdmactl and by the libvirt hook.
 *
 *   <pvrdma:devices xmlns:pvrdma='urn:pvrdma:domain:1' version='1'
 *                   added='memory-backing override' spare='5'>
 *     <pvrdma:device id='0' backend='rxe' netdev='d0' ibdev='rxe_d0' port='1'
 *                    gid='fe80:...' gid-index='1' gid-policy='v2,ipv6,any'
 *                    mac='52:54:...'
 *                    alias='ua-pvrdma0' controller='4'
 *                    path='/dev/pvrdma/UUID-0'/>
 *     <pvrdma:device id='1' backend='soft' alias='ua-pvrdma1' controller='6'/>
 *     <pvrdma:device id='2' backend='ibdev' ibdev='mlx5_4' pci='0000:3b:00.2'
 *                    guid='7efe:90ff:fecb:743a' .../>
 *   </pvrdma:devices>
 *
 * A device of an RDMA network card is found by pci and guid, whatever it is
 * called by then; metadata of before has neither, and goes by the name.
 *
 *     <pvrdma:device id='3' backend='vf' pci='0000:3b:00.3' ibdev='mlx5_5' .../>
 *     <pvrdma:device id='4' backend='pool' pool='fast' .../>
 *
 * A VF, also one of a pool, has the MAC that is here for as long as the domain
 * runs; so the GID is known before the VF is.
 *
 * A soft device has nothing of the host, not even a MAC that would have to be
 * a certain one: a copy of such a domain needs no change.
 */
#pragma once

#include <glib.h>

#include "pvr-gid-policy.h"
#include "pvr-gid.h"
#include "pvr-uri.h"

G_BEGIN_DECLS

#define PVR_METADATA_PREFIX "pvrdma"
#define PVR_METADATA_MAX_DEVICES 32
/* Where the hook makes the links that the XML names. Never root-prefixed. */
#define PVR_METADATA_LINK_DIR "/dev/pvrdma"

typedef enum {
    PVR_BACKEND_RXE,   /* netdev required; prepare makes a link named ibdev if none is there */
    PVR_BACKEND_IBDEV, /* ibdev required; it must exist at start */
    PVR_BACKEND_SOFT,  /* RoCE inside QEMU, over the netdev of function 0 */
    PVR_BACKEND_VF,    /* pci required: a VF, which gets the domain's MAC at start */
    PVR_BACKEND_POOL,  /* pool required: such a VF, chosen at start */
    PVR_BACKEND_LAST
} PvrBackend;

/* What attach had to add to the domain besides the devices themselves. */
typedef enum {
    PVR_ADDED_METADATA = 1 << 0,       /* the <metadata> element */
    PVR_ADDED_MEMORY_BACKING = 1 << 1, /* the <memoryBacking> element */
    PVR_ADDED_MEMORY_SOURCE = 1 << 2,  /* <source type='memfd'/> in it */
    PVR_ADDED_MEMORY_ACCESS = 1 << 3,  /* <access mode='shared'/> in it */
    PVR_ADDED_OVERRIDE = 1 << 4,       /* the <qemu:override> element */
    PVR_ADDED_XMLNS = 1 << 5,          /* the namespace on <domain> */
    PVR_ADDED_MEMORY =
        PVR_ADDED_MEMORY_BACKING | PVR_ADDED_MEMORY_SOURCE | PVR_ADDED_MEMORY_ACCESS,
} PvrAdded;

typedef struct {
    guint id;
    PvrBackend backend;
    char *netdev; /* NULL unless given */
    char *ibdev;  /* NULL for soft and pool; of a VF: what it was called at attach, may be NULL */
    char *pci;    /* backends ibdev and vf: PCI address, as pvr_pci_parse_address() gives it; NULL: not stored */
    char *pool;   /* backend pool only */
    char *guid;   /* backend ibdev: node GUID, as sysfs has it; NULL: not stored */
    char *alias;  /* of function 1; function 0 has the same with "-net" */
    char *path;   /* PVR_METADATA_LINK_DIR/UUID-ID; NULL for soft */
    guint port;   /* 0 for soft */
    PvrGid gid;
    PvrMac mac;     /* the one that gid carries. Both are not in the metadata of soft: zeros there */
    int gid_index;  /* -1: the device looks the GID up itself */
    PvrGidScope gid_policy; /* which others than gid will do; never with an index */
    gboolean gid_index_by_hand; /* gid_index is not from the metadata, but from the <qemu:override> */
    int controller; /* index of the root port attach added, -1: none */
} PvrMetaDevice;

typedef struct {
    char *uuid; /* lower case */
    char *name;
    guint added;        /* PvrAdded bits */
    guint64 numa_nodes; /* bits: those of the guest's memory; 0: the domain does not say */
    GArray *spares;     /* of guint: root ports of ours that a detached device left; never NULL */
    GPtrArray *devices; /* of PvrMetaDevice, in document order; never NULL */
} PvrDomainMeta;

void pvr_meta_device_free(PvrMetaDevice *device);
PvrMetaDevice *pvr_meta_device_copy(const PvrMetaDevice *device);
void pvr_domain_meta_free(PvrDomainMeta *meta);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrMetaDevice, pvr_meta_device_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PvrDomainMeta, pvr_domain_meta_free)

/**
 * pvr_metadata_parse_domain: reads @len bytes of domain XML.
 * Elements are matched by namespace URI, never by prefix. A domain without
 * our element gives an empty list. Everything inside our element is checked:
 * an unknown attribute, element or version, a GID that does not carry the
 * MAC, a doubled id is PVR_ERROR_CORRUPT. The caller owns the result.
 */
PvrDomainMeta *pvr_metadata_parse_domain(const char *xml, gsize len, GError **error);

/* Same, with the root element of a document already parsed (an xmlNode). */
PvrDomainMeta *pvr_metadata_parse_node(gconstpointer domain, GError **error);

/**
 * pvr_metadata_check_owner: fails with PVR_ERROR_CORRUPT if a device's path
 * carries another UUID than the domain's: the XML was cloned, and two domains
 * must not claim one device.
 */
gboolean pvr_metadata_check_owner(const PvrDomainMeta *meta, GError **error);

/* TRUE for the backends vf and pool. */
gboolean pvr_backend_is_vf(PvrBackend backend);

/* TRUE if a device works through an RDMA device of the host: it takes a hook and shared memory. */
gboolean pvr_metadata_uses_host(const PvrDomainMeta *meta);

/* The device with this id, or NULL; owned by @meta. */
PvrMetaDevice *pvr_metadata_find(const PvrDomainMeta *meta, guint id);

const char *pvr_backend_to_string(PvrBackend backend);
char *pvr_metadata_link_path(const char *uuid, guint id);
/* "ua-pvrdmaN" and "ua-pvrdmaN-net": libvirt demands the prefix ua-. */
char *pvr_metadata_alias(guint id);
char *pvr_metadata_net_alias(const PvrMetaDevice *device);

/* One <pvrdma:device .../>, escaped; and the values of added='...' and spare='...'. */
char *pvr_meta_device_to_xml(const PvrMetaDevice *device, const char *prefix);
char *pvr_added_to_string(guint added);
char *pvr_spares_to_string(const GArray *spares);
/* The bit of one word of added; 0 if it is none. */
guint pvr_added_from_word(const char *word);

G_END_DECLS
