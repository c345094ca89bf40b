/*
 * pvrdma: PCI function, registers, doorbells
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_ids.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "migration/blocker.h"
#include "pvrdma.h"
#include "trace.h"

#define BAR_MSIX 0
#define BAR_REGS 1
#define BAR_UAR 2
#define REGS_SIZE 4096

static uint32_t read_icr(PvrdmaDev *dev)
{
    uint32_t icr = dev->icr;

    dev->icr = 0;
    return icr;
}

static uint64_t regs_read(void *opaque, hwaddr addr, unsigned size)
{
    PvrdmaDev *dev = opaque;
    uint32_t value = 0;

    pvrdma_enter(dev);
    switch (addr) {
    case PVRDMA_REG_VERSION:
        value = PVRDMA_VERSION;
        break;
    case PVRDMA_REG_ERR:
        value = dev->err;
        break;
    case PVRDMA_REG_ICR:
        value = read_icr(dev);
        break;
    case PVRDMA_REG_IMR:
        value = dev->imr;
        break;
    case PVRDMA_REG_MACL:
        value = dev->mac[0];
        break;
    case PVRDMA_REG_MACH:
        value = dev->mac[1];
        break;
    }
    pvrdma_leave(dev);
    trace_pvrdma_regs_read(addr, value);
    return value;
}

static void regs_write(void *opaque, hwaddr addr, uint64_t value,
                       unsigned size)
{
    PvrdmaDev *dev = opaque;

    trace_pvrdma_regs_write(addr, value);
    pvrdma_enter(dev);
    switch (addr) {
    case PVRDMA_REG_DSRLOW:
        dev->dsr_low = value;
        break;
    case PVRDMA_REG_DSRHIGH:
        dev->dsr_high = value;
        pvrdma_dsr_written(dev);
        break;
    case PVRDMA_REG_CTL:
        dev->err = pvrdma_ctl(dev, value);
        break;
    case PVRDMA_REG_REQUEST:
        dev->err = pvrdma_cmd_run(dev);
        break;
    case PVRDMA_REG_IMR:
        pvrdma_irq_set_mask(dev, value);
        break;
    case PVRDMA_REG_MACL:
        dev->mac[0] = value;
        break;
    case PVRDMA_REG_MACH:
        dev->mac[1] = value;
        break;
    default:
        qemu_log_mask(LOG_GUEST_ERROR, "pvrdma: write to register 0x%x\n",
                      (unsigned)addr);
    }
    pvrdma_leave(dev);
    if (addr == PVRDMA_REG_REQUEST) {
        pvrdma_progress(dev);
    }
}

static const MemoryRegionOps regs_ops = {
    .read = regs_read,
    .write = regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* No driver reads a doorbell, but a guest may. */
static uint64_t uar_read(void *opaque, hwaddr addr, unsigned size)
{
    return 0;
}

/* The object of @handle; false if it belongs to another UAR page's owner. */
static bool ring_qp(PvrdmaDev *dev, PvrdmaUc *uc, uint32_t value)
{
    PvrdmaQp *qp = pvrdma_table_get(&dev->qps, value & PVRDMA_UAR_HANDLE);

    if (!qp || pvrdma_qp_uc(qp) != uc) {
        return false;
    }
    pvrdma_qp_doorbell(qp, value);
    return true;
}

static bool ring_cq(PvrdmaDev *dev, PvrdmaUc *uc, uint32_t value)
{
    PvrdmaCq *cq = pvrdma_table_get(&dev->cqs, value & PVRDMA_UAR_HANDLE);

    if (!cq || cq->uc != uc) {
        return false;
    }
    pvrdma_cq_doorbell(cq, value);
    return true;
}

static bool ring_srq(PvrdmaDev *dev, PvrdmaUc *uc, uint32_t value)
{
    PvrdmaSrq *srq = pvrdma_table_get(&dev->srqs, value & PVRDMA_UAR_HANDLE);

    if (!srq || srq->pd->uc != uc) {
        return false;
    }
    pvrdma_srq_doorbell(srq, value);
    return true;
}

static bool ring_object(PvrdmaDev *dev, uint32_t page, uint32_t offset,
                        uint32_t value)
{
    PvrdmaUc *uc = dev->uar_owner[page];

    if (page && !uc) {
        return false;
    }
    switch (offset) {
    case PVRDMA_UAR_QP:
        return ring_qp(dev, uc, value);
    case PVRDMA_UAR_CQ:
        return ring_cq(dev, uc, value);
    case PVRDMA_UAR_SRQ:
        return ring_srq(dev, uc, value);
    default:
        return false;
    }
}

static void ring(PvrdmaDev *dev, hwaddr addr, uint32_t value)
{
    uint32_t page = addr / PVRDMA_PAGE_SIZE;

    trace_pvrdma_doorbell(page, addr % PVRDMA_PAGE_SIZE, value);
    stat64_add(&dev->stats.doorbells, 1);
    if (dev->state != PVRDMA_ACTIVE ||
        !ring_object(dev, page, addr % PVRDMA_PAGE_SIZE, value)) {
        stat64_add(&dev->stats.doorbells_ignored, 1);
        return;
    }
    pvrdma_events_flush(dev);
}

/*
 * Maybe without the BQL, and then without a guard against re-entrancy.  There
 * is nothing to guard against: the device reads and writes RAM, looked up when
 * its objects were made, and sends its interrupts from a bottom half that holds
 * no lock.  One that the guest points at a doorbell gets here once for each,
 * and all that can come of it is that bottom half again.
 */
static void uar_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    PvrdmaDev *dev = opaque;

    pvrdma_enter(dev);
    ring(dev, addr, value);
    pvrdma_leave(dev);
    pvrdma_progress(dev);
}

static const MemoryRegionOps uar_ops = {
    .read = uar_read,
    .write = uar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

static void init_bars(PvrdmaDev *dev)
{
    PCIDevice *pdev = PCI_DEVICE(dev);

    memory_region_init_io(&dev->regs_bar, OBJECT(dev), &regs_ops, dev,
                          "pvrdma-regs", REGS_SIZE);
    pci_register_bar(pdev, BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &dev->regs_bar);
    memory_region_init_io(&dev->uar_bar, OBJECT(dev), &uar_ops, dev,
                          "pvrdma-uar", PVRDMA_MAX_UAR * PVRDMA_PAGE_SIZE);
    if (dev->has_lock) {
        pvrdma_enable_lockless_io(&dev->uar_bar);
    }
    pci_register_bar(pdev, BAR_UAR, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &dev->uar_bar);
}

static bool init_msix(PvrdmaDev *dev, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(dev);

    if (msix_init_exclusive_bar(pdev, PVRDMA_NUM_VEC, BAR_MSIX, errp) < 0) {
        error_prepend(errp, "pvrdma needs MSI-X: ");
        return false;
    }
    for (unsigned i = 0; i < PVRDMA_NUM_VEC; i++) {
        msix_vector_use(pdev, i);
    }
    return true;
}

static bool check_place(PvrdmaDev *dev, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(dev);

    if (PCI_FUNC(pdev->devfn) == 0) {
        error_setg(errp, "pvrdma cannot be function 0 of its slot: that has "
                   "to be a vmxnet3; use addr=SLOT.1");
        return false;
    }
    if (pci_device_iommu_address_space(pdev) != &address_space_memory) {
        error_setg(errp, "pvrdma does not work behind a vIOMMU yet; remove "
                   "the <iommu/> device from the machine");
        return false;
    }
    return true;
}

static bool block_migration(PvrdmaDev *dev, Error **errp)
{
    const char *id = DEVICE(dev)->id;

    error_setg(&dev->migration_blocker, "pvrdma device '%s' keeps state that "
               "cannot move to another host; detach it first",
               id ?: "pvrdma");
    return migrate_add_blocker(&dev->migration_blocker, errp) == 0;
}

/* Undoes whatever of pvrdma_realize() was done. */
static void pvrdma_teardown(PvrdmaDev *dev)
{
    PCIDevice *pdev = PCI_DEVICE(dev);

    pvrdma_life_exit(dev);
    pvrdma_thread_exit(dev);
    if (msix_present(pdev)) {
        msix_uninit_exclusive_bar(pdev);
    }
    if (pci_is_express(pdev) && pdev->exp.exp_cap) {
        pcie_cap_exit(pdev);
    }
    migrate_del_blocker(&dev->migration_blocker);
}

static void pvrdma_realize(PCIDevice *pdev, Error **errp)
{
    PvrdmaDev *dev = PVRDMA(pdev);

    if (!check_place(dev, errp) || !pvrdma_thread_init(dev, errp)) {
        return;
    }
    init_bars(dev);
    if (!init_msix(dev, errp) || !block_migration(dev, errp) ||
        !pvrdma_life_init(dev, errp)) {
        pvrdma_teardown(dev);
        return;
    }
    if (pci_is_express(pdev) && pci_bus_is_express(pci_get_bus(pdev))) {
        pcie_endpoint_cap_init(pdev, 0);
    }
    trace_pvrdma_realize(dev->be->host_name, dev->be->port);
}

static void pvrdma_exit(PCIDevice *pdev)
{
    pvrdma_teardown(PVRDMA(pdev));
}

/* Clearing bus master stops all DMA, that of the host's RDMA device too. */
static void pvrdma_config_write(PCIDevice *pdev, uint32_t addr, uint32_t value,
                                int len)
{
    PvrdmaDev *dev = PVRDMA(pdev);
    bool master;

    pci_default_write_config(pdev, addr, value, len);
    master = pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER;
    pvrdma_enter(dev);
    if (dev->bus_master && !master) {
        pvrdma_reset(dev);
    }
    dev->bus_master = master;
    pvrdma_leave(dev);
}

static void pvrdma_reset_hold(Object *obj, ResetType type)
{
    PvrdmaDev *dev = PVRDMA(obj);

    pvrdma_enter(dev);
    pvrdma_reset(dev);
    dev->bus_master = false;
    dev->dsr_low = dev->dsr_high = 0;
    dev->mac[0] = dev->mac[1] = 0;
    pvrdma_leave(dev);
}

static const Property pvrdma_properties[] = {
    DEFINE_PROP_STRING("backend-dev", PvrdmaDev, backend_dev),
    DEFINE_PROP_UINT8("backend-port", PvrdmaDev, backend_port, 0),
    DEFINE_PROP_INT32("backend-gid-idx", PvrdmaDev, backend_gid_idx, -1),
    DEFINE_PROP_LINK("iothread", PvrdmaDev, iothread, TYPE_IOTHREAD,
                     IOThread *),
    DEFINE_PROP_UINT32("max-qp", PvrdmaDev, limits.max_qp, 0),
    DEFINE_PROP_UINT32("max-cq", PvrdmaDev, limits.max_cq, 0),
    DEFINE_PROP_UINT32("max-mr", PvrdmaDev, limits.max_mr, 0),
    DEFINE_PROP_SIZE("max-mr-size", PvrdmaDev, limits.max_mr_size, 0),
    DEFINE_PROP_SIZE("max-queue-memory", PvrdmaDev, limits.max_queue_memory,
                     0),
    DEFINE_PROP_SIZE("max-pinned", PvrdmaDev, limits.max_pinned, 0),
    DEFINE_PROP_UINT32("max-mappings", PvrdmaDev, limits.max_mappings, 0),
};

static const char *const descriptions[][2] = {
    { "backend-dev", "RDMA device of the host, or path of its uverbs node; "
      "none: RDMA in software" },
    { "backend-port", "Port of backend-dev" },
    { "backend-gid-idx", "Host GID to use (-1: by function 0's MAC)" },
    { "max-qp", "Queue pairs, with number 0 (0: as many as there are)" },
    { "max-cq", "Completion queues, with number 0 (0: as many as there are)" },
    { "max-mr", "Memory regions (0: as many as there are)" },
    { "max-mr-size", "Bytes of a memory region (0: 1 GiB)" },
    { "max-queue-memory", "Bytes that queues may take on the host (0: 1 GiB)" },
    { "max-pinned", "With backend-dev: bytes that memory regions may pin (0: "
      "the machine's memory)" },
    { "max-mappings", "With backend-dev: mappings that memory regions may "
      "consist of (0: half of what vm.max_map_count leaves)" },
    { "stats", "Counters, object usage and queue pairs" },
};

static void pvrdma_instance_init(Object *obj)
{
    object_property_add_alias(obj, "ibdev", obj, "backend-dev");
    object_property_add_alias(obj, "ibport", obj, "backend-port");
    PVRDMA(obj)->lock_fd = -1;
    qemu_mutex_init(&PVRDMA(obj)->lock);
}

static void pvrdma_instance_finalize(Object *obj)
{
    pvrdma_fault_free(PVRDMA(obj));
    qemu_mutex_destroy(&PVRDMA(obj)->lock);
}

/* The PCI core sizes config space before the device's own realize. */
static void pvrdma_parent_realize(DeviceState *qdev, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(qdev);

    pdev->cap_present |= QEMU_PCI_CAP_EXPRESS;
    PVRDMA_GET_CLASS(qdev)->parent_dc_realize(qdev, errp);
}

static void pvrdma_class_init(ObjectClass *klass, PvrdmaClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    k->realize = pvrdma_realize;
    k->exit = pvrdma_exit;
    k->config_write = pvrdma_config_write;
    k->vendor_id = PCI_VENDOR_ID_VMWARE;
    k->device_id = PCI_DEVICE_ID_VMWARE_PVRDMA;
    k->subsystem_vendor_id = PCI_VENDOR_ID_VMWARE;
    k->subsystem_id = PCI_DEVICE_ID_VMWARE_PVRDMA;
    k->revision = 1;
    k->class_id = PCI_CLASS_NETWORK_OTHER;
    rc->phases.hold = pvrdma_reset_hold;
    device_class_set_parent_realize(dc, pvrdma_parent_realize,
                                    &PVRDMA_CLASS(klass)->parent_dc_realize);
    device_class_set_props(dc, pvrdma_properties);
    object_class_property_add(klass, "stats", "dict", pvrdma_stats_get, NULL,
                              NULL, NULL);
    pvrdma_fault_class_init(klass);
    for (unsigned i = 0; i < ARRAY_SIZE(descriptions); i++) {
        object_class_property_set_description(klass, descriptions[i][0],
                                              descriptions[i][1]);
    }
    dc->desc = "VMware paravirtual RDMA (pairs with vmxnet3)";
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static PvrdmaInterfaceInfo pvrdma_interfaces[] = {
    { INTERFACE_PCIE_DEVICE },
    { INTERFACE_CONVENTIONAL_PCI_DEVICE },
    { }
};

static const TypeInfo pvrdma_info = {
    .name = TYPE_PVRDMA,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(PvrdmaDev),
    .instance_init = pvrdma_instance_init,
    .instance_finalize = pvrdma_instance_finalize,
    .class_size = sizeof(PvrdmaDevClass),
    .class_init = pvrdma_class_init,
    .interfaces = pvrdma_interfaces,
};

static void pvrdma_register_types(void)
{
    type_register_static(&pvrdma_info);
}

type_init(pvrdma_register_types)
