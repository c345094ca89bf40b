/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pvr-check-text.h"

#include <string.h>

static const PvrCheckText texts[] = {
    /* the host */
    {"kernel.rxe", "the kernel has rdma_rxe, or there is a Soft-RoCE link already",
     "Soft-RoCE (rxe) is RDMA in the kernel over an ordinary network device. 'attach --rxe' needs it,\n"
     "'attach --soft' and RDMA network cards do not. Some distributions ship the module in a package\n"
     "of its own (kernel-modules-extra, linux-modules-extra), cloud kernels often do not ship it.\n"},
    {"kernel.uverbs", "the kernel has ib_uverbs",
     "QEMU reaches an RDMA device through /dev/infiniband/uverbsN, which the module ib_uverbs makes.\n"
     "rdma-core loads it with the first RDMA device; without rdma-core: modprobe ib_uverbs, and for\n"
     "each boot a line in /etc/modules-load.d/.\n"},
    {"kernel.vendor", "the RDMA modules of this host's network cards are loaded",
     "RDMA of many cards is a module of its own beside the one for Ethernet: mlx5_ib, mlx4_ib, bnxt_re,\n"
     "irdma, qedr. rdma-core's udev rules load it; without them there is no RDMA device for the card.\n"},
    {"vf.limit", "how many VFs the network cards have and may have",
     "The limit (sriov_totalvfs) comes from the firmware; the kernel refuses more. NVIDIA/Mellanox cards\n"
     "are delivered with SR-IOV switched off: mlxconfig of mstflint changes that, and it takes a\n"
     "reboot. A limit of 0 on other cards: SR-IOV is off in the BIOS, or the card has none.\n"},
    {"rdma.devices", "this host has RDMA devices",
     "Without any, only soft devices work, or Soft-RoCE links that the hook makes at start.\n"
     "An RDMA network card that is not listed: see kernel.vendor.\n"},
    {"rdma.provider", "libibverbs can drive each RDMA device",
     "libibverbs loads a library for each kind of device (librxe, libmlx5, ...), found by a file in\n"
     "/etc/libibverbs.d. Without it ibv_devices shows nothing and QEMU cannot open the device, although\n"
     "'rdma link' lists it.\n"},
    {"rdma.nodes", "QEMU's user can open the node of each RDMA device",
     "Nodes /dev/infiniband/uverbsN are made by ib_uverbs and get mode 0666 by rdma-core's udev rules.\n"
     "libvirt's device cgroup, not the mode, limits which guest opens which node.\n"},
    {"rdma.guids", "no RDMA device has the node GUID zero",
     "A fresh VF of some drivers has the node GUID 0 until its PF gives it one and its driver is bound\n"
     "again. Such a device looks usable, but on InfiniBand the subnet manager ignores it, and libraries\n"
     "that tell devices apart by their GUID confuse it with others.\n"},
    {"rdma.namespaces", "RDMA devices and their network devices are in the same network namespace",
     "A network device that was moved into a container leaves its RDMA device behind (in shared mode):\n"
     "it is listed here, its GIDs look right, but the addresses behind them are elsewhere, and\n"
     "connections time out.\n"},
    {"rdma.netns", "whether network namespaces share the RDMA devices",
     "'rdma system' shows the mode. In shared mode each namespace sees each device; in exclusive mode a\n"
     "device is in one of them ('rdma dev set DEV netns NS'). QEMU runs in the namespace of the host, so\n"
     "both are fine, but in exclusive mode devices of containers are not seen by any command here.\n"},
    {"rdma.bonds", "RDMA over a bond goes through the RDMA device of the bond",
     "A bond of two ports of one mlx5 card has one RDMA device, mlx5_bond_0, which fails over; those of\n"
     "the single ports vanish. Soft-RoCE works on the bond's network device. An RDMA device on a slave\n"
     "receives only while frames happen to arrive at that slave.\n"},
    {"state.leases", "no lease of the hook is damaged or left over",
     "What the hook made for a running domain is written in /run/pvrdma/leases. One whose QEMU is\n"
     "gone keeps nobody from the device, but a Soft-RoCE link or a symbolic link may be left of it.\n"
     "A damaged one was changed by somebody else; nobody can know what it holds.\n"},
    {"state.journals", "no command was interrupted in its work on the host",
     "Commands that change VFs or links note each step in /run/pvrdma/journal before they make it. A\n"
     "note that stays is of a command that was killed (or that runs at this moment). 'pvrdmactl recover\n"
     "--dry-run' shows what it would take back.\n"},
    {"apparmor.rules", "AppArmor lets guests open RDMA nodes",
     "libvirt confines each QEMU by a profile, which knows nothing of /dev/infiniband. The start then\n"
     "fails with 'Permission denied' although the mode of the node is 0666. The rules of this project\n"
     "go into /etc/apparmor.d/local/abstractions/libvirt-qemu; they are read at each start.\n"},
    /* hook and daemon */
    {"hook.file", "libvirt finds the hook",
     "The hook /etc/libvirt/hooks/qemu.d/50-pvrdma claims the RDMA device, makes what is missing and\n"
     "checks the rest at each start. libvirt skips it without a word when it is not executable, and\n"
     "runs it as root: nobody but its owner may be able to change it.\n"},
    {"hook.program", "the program behind the hook is installed",
     "The hook itself only decides whether a domain concerns it; pvrdma-hook does the work. AppArmor\n"
     "lets libvirt's daemon run it from /usr/sbin, not from below /usr/local.\n"},
    {"hook.known", "libvirt's daemon knows that there is a hook",
     "The daemon looks whether there is any hook only when it starts or is reloaded. Until then it runs\n"
     "none, guests start without their device being claimed, and the node is missing ('Path\n"
     "/dev/pvrdma/... is not accessible'). A reload does not disturb guests that run.\n"},
    {"memlock.reachable", "the limit of locked memory can be raised for QEMU",
     "Memory that a guest registers is pinned and counts against RLIMIT_MEMLOCK of QEMU, 64 MiB or\n"
     "8 MiB by default. The hook raises it, for which the daemon needs CAP_SYS_RESOURCE. In a\n"
     "container without it, set LimitMEMLOCK=infinity in the daemon's unit ('systemctl edit').\n"
     "Otherwise ibv_reg_mr fails in the guest with ENOMEM.\n"},
    {"firewall.roce", "no packet filter keeps RoCE v2 out",
     "RoCE v2 is UDP to port 4791. Packets for Soft-RoCE go through the host's packet filter like any\n"
     "other, and are dropped without a word: connections time out. RDMA network cards take theirs\n"
     "before any filter. For a soft device the filters on bridges count, which are not looked at here.\n"},
    {"security.denials", "no security module has denied a guest its RDMA device",
     "AppArmor and SELinux write each refusal into the kernel's log, and QEMU sees only 'Permission\n"
     "denied'. For AppArmor the rules of this project help; for SELinux none are shipped yet.\n"},
    {"libvirt.version", "libvirt is 9.0 or later",
     "The RDMA device is put in by <qemu:override>, over which versions before 8.5 can crash. From 9.0\n"
     "on everything here is tested.\n"},
    {"libvirt.shutdown", "guests are not saved when the host shuts down",
     "A guest with RDMA cannot be saved, since the state of its connections is in the host's device.\n"
     "libvirt-guests with ON_SHUTDOWN=suspend, its default on many distributions, then leaves such\n"
     "guests to be killed; with ON_SHUTDOWN=shutdown they are shut down.\n"},
    /* QEMU */
    {"emulator.device", "QEMU has the device model of this project",
     "QEMU up to 9.0 had another device named pvrdma, which does not serve; 9.1 and later have none.\n"
     "qemu-patches/ of this project adds it to 10.0 and 10.2; <emulator> of the domain names the binary.\n"},
    {"emulator.properties", "QEMU's device knows each property that the domain sets",
     "The properties are the interface between 'attach' and the device. An older QEMU refuses one that it\n"
     "does not know, and the domain does not start ('Property ... not found').\n"},
    {"emulator.soft", "QEMU starts with a soft device",
     "A machine without anything of the host is started for a moment. If that fails, a guest with a\n"
     "soft device would not start either.\n"},
    /* a domain */
    {"domain.metadata", "the domain has RDMA devices, as attach wrote them",
     "'attach' leaves an element <pvrdma:devices> in the domain's <metadata>, by which hook and\n"
     "commands know the devices. 'virsh define' of an older XML drops it; a copy of a domain names the\n"
     "original's node and has to be attached a device of its own.\n"},
    {"domain.order", "no RDMA device is made before its function 0",
     "libvirt gives QEMU its devices as JSON. A -device in the old syntax in <qemu:commandline> is made\n"
     "before all of those, so neither its bus nor the vmxnet3 at function 0 is there yet: 'Bus pci.4 not\n"
     "found'. One in JSON works, but libvirt then does not let QEMU open the node.\n"},
    {"guest.order", "the guest loads vmxnet3 before vmw_pvrdma",
     "vmw_pvrdma looks for the network device of function 0 when it is loaded, and gives up without it\n"
     "('failed to find paired netdev'). Both drivers are loaded at the same time at boot; a softdep in\n"
     "the guest's /etc/modprobe.d puts them in order. It cannot be seen from the host.\n"},
    {"memory.shared", "the guest's memory is shared",
     "The host's RDMA device works on the guest's pages themselves. The kernel registers them through\n"
     "the file behind the memory, so it must be shared: <source type='memfd'/> and <access\n"
     "mode='shared'/> in <memoryBacking>, for each cell of <numa>, too. Private memory would be copied\n"
     "on write and the device would read the old page.\n"},
    {"memory.pages", "the guest's memory is on pages that any application can register",
     "Of memory on huge pages only what is contiguous in such a page can be registered, so the guest's\n"
     "applications have to use huge pages of the same size themselves.\n"},
    {"qemu.memlock", "the limit of locked memory of a running QEMU covers the guest's memory",
     "The hook raises it at 'started'. If it could not, ibv_reg_mr fails in the guest with ENOMEM as\n"
     "soon as the registered memory exceeds it. prlimit mends a running guest.\n"},
    {"deviceN.functions", "vmxnet3 and the RDMA device are functions 0 and 1 of one slot",
     "The guest's driver vmw_pvrdma looks for a vmxnet3 at function 0 of its own slot and takes its MAC\n"
     "and its netdev. <qemu:override> makes function 1, an <rng> for libvirt, a pvrdma device.\n"},
    {"deviceN.mac", "function 0 has the MAC that the host's GID carries",
     "The guest makes its GID from the MAC of function 0. Only when the host's port has that GID do\n"
     "packets reach the guest, so changing the MAC in the XML alone breaks RDMA.\n"},
    {"deviceN.connection", "QEMU sees the frames of a soft device's function 0",
     "A soft device sends and receives through the netdev of function 0 inside QEMU. With vhost-user,\n"
     "vDPA or a passed-through card the frames do not come through QEMU at all.\n"},
    {"deviceN.netdev", "the network device under the RDMA device is up and has a carrier",
     "The port of a RoCE device is ACTIVE only while its network device is up and has a carrier.\n"},
    {"deviceN.ibdev", "the RDMA device exists, or the hook can make it",
     "For --rxe the hook makes the link when none is on the network device. Anything else has to be\n"
     "there when the domain starts.\n"},
    {"deviceN.port", "the port is ACTIVE",
     "A port that is DOWN sends nothing. RoCE: the network device is down or has no carrier.\n"
     "InfiniBand: INIT means that no subnet manager has configured it.\n"},
    {"deviceN.gid", "the port has the GID that the domain was given",
     "GIDs come and go with the addresses of the network device, and so do their indices. Given by\n"
     "--gid-index or --gid, index and GID must be what they were; with a --gid-policy any GID serves\n"
     "that fits it and carries the MAC of function 0. 'pvrdmactl gid DEV --why' shows what there is.\n"},
    {"deviceN.node", "QEMU's user can open the node of the RDMA device",
     "QEMU runs as an unprivileged user. Nodes of uverbs have mode 0666 by rdma-core's udev rules; what\n"
     "a guest may do is limited by libvirt's device cgroup, not by the mode.\n"},
    {"deviceN.mtu", "the MTU allows RDMA packets of a good size",
     "A RoCE packet must fit into one frame of the network: MTU 1500 allows 1024 bytes of data, 4176 and\n"
     "more (as a rule 9000) allow 4096. Both ends of a connection agree on the smaller one; what lies\n"
     "between them has to pass it, since RoCE packets are never fragmented.\n"},
    {"deviceN.numa", "the guest's memory is on the NUMA node of the RDMA device",
     "A device that reaches memory through the other socket is slower, and so is QEMU. <numatune> binds\n"
     "the memory; with a pool the policy 'numa' chooses the device instead.\n"},
    {"deviceN.access", "QEMU has the node of the RDMA device open",
     "A running guest's QEMU opens /dev/infiniband/uverbsN at start, through libvirt's private /dev and\n"
     "device cgroup, which let each guest at its own node only. That it is open shows that both do.\n"},
    {"deviceN.lease", "the domain holds its port, or can get it",
     "Two guests on one port would take each other's GID. Each running domain has a lease on its port;\n"
     "a domain that runs without one was started without the hook.\n"},
};

/* "deviceN.gid" of "device12.gid"; NULL for anything else. */
static char *
general_id(const char *id)
{
    gsize digits;

    if (!g_str_has_prefix(id, "device")) {
        return NULL;
    }
    id += strlen("device");
    digits = strspn(id, "0123456789");
    return digits > 0 ? g_strconcat("deviceN", id + digits, NULL) : NULL;
}

const PvrCheckText *
pvr_check_text_find(const char *id)
{
    g_autofree char *general = general_id(id);

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (g_str_equal(texts[i].id, general != NULL ? general : id)) {
            return &texts[i];
        }
    }
    return NULL;
}

const PvrCheckText *
pvr_check_text_nth(guint n)
{
    return n < G_N_ELEMENTS(texts) ? &texts[n] : NULL;
}
