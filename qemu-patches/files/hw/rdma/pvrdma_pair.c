/*
 * pvrdma: pairing with function 0, a vmxnet3
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The guest derives its default GID from the MAC of function 0 (EUI-64), so
 * the host port, if there is one, must have that GID.  Function 0 is looked up
 * whenever it is needed and never kept: it comes and goes on its own.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/pci/pci.h"
#include "net/net.h"
#include "net/util.h"
#include "qemu/cutils.h"
#include "pvrdma.h"
#include "trace.h"

PCIDevice *pvrdma_function0(PvrdmaDev *dev)
{
    PCIDevice *fn0 = pci_get_function_0(PCI_DEVICE(dev));

    return fn0 == PCI_DEVICE(dev) ? NULL : fn0;
}

/* Whether another pvrdma is in the slot */
static bool shared_with(PvrdmaDev *dev)
{
    PCIDevice *pdev = PCI_DEVICE(dev);
    PCIBus *bus = pci_get_bus(pdev);

    for (int fn = 1; fn < PCI_FUNC_MAX; fn++) {
        PCIDevice *other = pci_find_device(bus, pci_bus_num(bus),
                                           PCI_DEVFN(PCI_SLOT(pdev->devfn),
                                                     fn));

        if (other && other != pdev &&
            object_dynamic_cast(OBJECT(other), TYPE_PVRDMA)) {
            return true;
        }
    }
    return false;
}

static PCIDevice *get_vmxnet3(PvrdmaDev *dev, Error **errp)
{
    PCIDevice *fn0 = pvrdma_function0(dev);

    if (!fn0) {
        error_setg(errp, "function 0 of the slot is missing; it has to be a "
                   "vmxnet3 with multifunction=on at the same address");
        return NULL;
    }
    if (shared_with(dev)) {
        error_setg(errp, "the vmxnet3 in the slot is paired with another "
                   "pvrdma already; give each its own");
        return NULL;
    }
    if (!object_dynamic_cast(OBJECT(fn0), "vmxnet3")) {
        error_setg(errp, "function 0 of the slot is a '%s', but it has to be "
                   "a vmxnet3", object_get_typename(OBJECT(fn0)));
        return NULL;
    }
    return fn0;
}

/* The link-local GID that a guest makes from a MAC. */
static void mac_to_gid(const uint8_t *mac, uint8_t *gid)
{
    memset(gid, 0, 16);
    gid[0] = 0xfe;
    gid[1] = 0x80;
    gid[8] = mac[0] ^ 2;
    gid[9] = mac[1];
    gid[10] = mac[2];
    gid[11] = 0xff;
    gid[12] = 0xfe;
    memcpy(gid + 13, mac + 3, 3);
}

static char *gid_to_str(const uint8_t *gid)
{
    GString *s = g_string_new(NULL);

    for (int i = 0; i < 16; i += 2) {
        g_string_append_printf(s, "%s%02x%02x", i ? ":" : "", gid[i],
                               gid[i + 1]);
    }
    return g_string_free(s, false);
}

/* Whether @gid, link-local or routable, carries the MAC that @want was made
 * from: its interface identifier says so. */
static bool same_mac(const uint8_t *gid, const uint8_t *want)
{
    return !memcmp(gid + 8, want + 8, 8);
}

/* The link-local one is what guests use by default; -ENOENT without any. */
static int find_gid(PvrdmaBackend *be, const uint8_t *want, uint8_t *ret_gid)
{
    int index = be->ops->gid_find(be, want);

    if (index >= 0) {
        memcpy(ret_gid, want, 16);
        return index;
    }
    for (index = 0; index <= UINT8_MAX; index++) {
        if (be->ops->gid_at(be, index, ret_gid) == 0 &&
            same_mac(ret_gid, want)) {
            return be->ops->gid_find(be, ret_gid); /* its RoCE v2 entry */
        }
    }
    return -ENOENT;
}

/* The host GID at the index that the user named, against function 0's. */
static bool check_index(PvrdmaDev *dev, const uint8_t *want, const char *mac,
                        Error **errp)
{
    PvrdmaBackend *be = dev->be;
    uint8_t gid[16] = { 0 }, other[16];
    g_autofree char *want_str = gid_to_str(want), *have = NULL, *fits = NULL;
    int res = be->ops->gid_at(be, dev->backend_gid_idx, gid);
    int found;

    if (res == 0 && same_mac(gid, want)) {
        dev->host_gid_index = dev->backend_gid_idx;
        memcpy(dev->pair_gid, gid, sizeof(gid));
        return true;
    }
    found = find_gid(be, want, other);
    have = res == 0 ? gid_to_str(gid) : g_strdup("empty");
    fits = found >= 0 ? g_strdup_printf("backend-gid-idx=%d would fit", found)
                      : g_strdup("no entry of the port fits");
    error_setg(errp, "GID %d of %s port %u is %s, but function 0's MAC %s "
               "makes the guest use %s (EUI-64: ff:fe in the middle, bit 1 of "
               "the first byte inverted); %s", dev->backend_gid_idx,
               be->host_name, be->port, have, mac, want_str, fits);
    return false;
}

static bool find_index(PvrdmaDev *dev, const uint8_t *want, const char *mac,
                       Error **errp)
{
    PvrdmaBackend *be = dev->be;
    g_autofree char *want_str = gid_to_str(want);
    int found = find_gid(be, want, dev->pair_gid);

    if (found < 0) {
        error_setg(errp, "%s port %u has no GID %s, which belongs to function "
                   "0's MAC %s; give the vmxnet3 the MAC of one of the port's "
                   "GIDs (pvrdmactl gid %s)", be->host_name, be->port,
                   want_str, mac, be->host_name);
        return false;
    }
    dev->host_gid_index = found;
    return true;
}

static void set_guids(PvrdmaDev *dev)
{
    memcpy(&dev->caps.node_guid, dev->pair_gid + 8, 8);
    memcpy(&dev->caps.sys_image_guid, dev->pair_gid + 8, 8);
}

/* Without a host port, the guest may have the GID it wants. */
static bool find_host_gid(PvrdmaDev *dev, const uint8_t *want, const char *mac,
                          Error **errp)
{
    if (!dev->be->ops->gid_find) {
        memcpy(dev->pair_gid, want, sizeof(dev->pair_gid));
        dev->host_gid_index = 0;
        return true;
    }
    return dev->backend_gid_idx >= 0 ? check_index(dev, want, mac, errp)
                                     : find_index(dev, want, mac, errp);
}

static bool attach(PvrdmaDev *dev, PCIDevice *fn0, Error **errp)
{
    const PvrdmaBackendOps *ops = dev->be->ops;

    return !ops->attach || ops->attach(dev->be, fn0, errp);
}

bool pvrdma_pair(PvrdmaDev *dev, Error **errp)
{
    PCIDevice *fn0 = get_vmxnet3(dev, errp);
    g_autofree char *mac = NULL;
    uint8_t gid[16];
    MACAddr addr;

    dev->paired = false;
    if (!fn0) {
        return false;
    }
    mac = object_property_get_str(OBJECT(fn0), "mac", errp);
    if (!mac) {
        return false;
    }
    if (net_parse_macaddr(addr.a, mac) < 0) {
        error_setg(errp, "function 0 has no usable MAC address ('%s')", mac);
        return false;
    }
    mac_to_gid(addr.a, gid);
    if (!find_host_gid(dev, gid, mac, errp) || !attach(dev, fn0, errp)) {
        return false;
    }
    set_guids(dev);
    dev->paired = true;
    trace_pvrdma_pair(mac, dev->host_gid_index);
    return true;
}
