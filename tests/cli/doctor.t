pvrdmactl doctor: a bare host, then one in good order

$ pvrdmactl doctor | sed 's|/[a-z/]*sbin/pvrdma-hook|SBIN/pvrdma-hook|'
CHECK              STATE    EVIDENCE
kernel.rxe         warning  the running kernel has no rdma_rxe (needed only for --rxe and --ibdev)
kernel.uverbs      warning  the running kernel has no ib_uverbs (needed only for --rxe and --ibdev)
kernel.vendor      n/a      there is no network card that is known to do RDMA
vf.limit           n/a      there is no network card that can have VFs
rdma.devices       n/a      this host has no RDMA devices (needed only for --rxe and --ibdev)
rdma.provider      n/a      there is no RDMA device
rdma.nodes         n/a      there is no RDMA device
rdma.guids         n/a      there is no RDMA device
rdma.namespaces    n/a      there is no RDMA device
rdma.netns         n/a      whether network namespaces share RDMA devices is not known
rdma.bonds         n/a      there is no bond
state.leases       ok       0 leases, none damaged or left over
state.journals     ok       no command has left its work unfinished
apparmor.rules     n/a      AppArmor is not in use
hook.file          warning  '/etc/libvirt/hooks/qemu.d/50-pvrdma' is not installed (needed only for --rxe and --ibdev)
hook.program       warning  'SBIN/pvrdma-hook' is not installed (needed only for --rxe and --ibdev)
hook.known         n/a      neither libvirtd nor virtqemud is running
memlock.reachable  n/a      neither libvirtd nor virtqemud is running
firewall.roce      n/a      neither nft nor ip6tables tells the rules (it takes root)
security.denials   n/a      the journal cannot be read (it takes root)
libvirt.version    n/a      neither libvirtd nor virtqemud tells its version
libvirt.shutdown   n/a      there is no libvirt-guests
emulator.device    failed   there is no program '/usr/bin/qemu-system-x86_64'

What to do:
kernel.rxe: install the kernel package that has it, or boot a kernel with it
kernel.uverbs: install the kernel package that has it, or boot a kernel with it
rdma.devices: pvrdmactl rxe add NETDEV, or let the hook make the link at start
hook.file: meson install, or install the package
hook.program: meson install, or install the package
emulator.device: install QEMU, or correct <emulator>
! pvrdmactl: doctor: 1 of 23 checks failed
$ pvrdmactl doctor --json > out
! pvrdmactl: doctor: 1 of 23 checks failed
[1]
$ head -9 out
{
  "version" : 1,
  "domain" : null,
  "worst" : "failed",
  "checks" : [
    {
      "id" : "kernel.rxe",
      "state" : "warning",
      "evidence" : "the running kernel has no rdma_rxe (needed only for --rxe and --ibdev)",
$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ fixture rxe rxe0 d0
$ fixture write sys/module/ib_uverbs/refcnt 0
$ fixture write etc/libvirt/hooks/qemu.d/50-pvrdma '#!/bin/sh'
$ mkdir -p usr/bin; printf '%s\n' '#!/bin/sh' 'case $5 in help) echo "name \"pvrdma\"";; pvrdma,help) echo backend-dev=;; *) cat > /dev/null;; esac' > usr/bin/qemu-system-x86_64
$ chmod 755 etc/libvirt/hooks/qemu.d/50-pvrdma usr/bin/qemu-system-x86_64
$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ fixture write etc/libibverbs.d/rxe.driver 'driver rxe'
$ fixture write usr/lib64/libibverbs/librxe-rdmav57.so ''
$ pvrdmactl doctor 2>&1 | grep -v hook.program | sed '/^$/,$d'
CHECK              STATE    EVIDENCE
kernel.rxe         ok       there is an rxe link already
kernel.uverbs      ok       the module ib_uverbs is loaded
kernel.vendor      n/a      there is no network card that is known to do RDMA
vf.limit           n/a      there is no network card that can have VFs
rdma.devices       ok       this host has 1 RDMA device
rdma.provider      ok       libibverbs has a provider for each RDMA device
rdma.nodes         ok       each RDMA device has its node; as whom QEMU runs is not known
rdma.guids         ok       each RDMA device has a node GUID
rdma.namespaces    ok       RDMA devices and their netdevs are in this network namespace
rdma.netns         n/a      whether network namespaces share RDMA devices is not known
rdma.bonds         n/a      there is no bond
state.leases       ok       0 leases, none damaged or left over
state.journals     ok       no command has left its work unfinished
apparmor.rules     n/a      AppArmor is not in use
hook.file          ok       '/etc/libvirt/hooks/qemu.d/50-pvrdma' is installed
hook.known         n/a      neither libvirtd nor virtqemud is running
memlock.reachable  n/a      neither libvirtd nor virtqemud is running
firewall.roce      n/a      neither nft nor ip6tables tells the rules (it takes root)
security.denials   n/a      the journal cannot be read (it takes root)
libvirt.version    n/a      neither libvirtd nor virtqemud tells its version
libvirt.shutdown   n/a      there is no libvirt-guests
emulator.device    ok       '/usr/bin/qemu-system-x86_64' has the device model pvrdma
emulator.soft      ok       '/usr/bin/qemu-system-x86_64' starts with a soft device
$ mkdir -p usr/sbin; printf '%s\n' '#!/bin/sh' 'echo "{\"nftables\":[{\"chain\":{\"family\":\"inet\",\"table\":\"filter\",\"name\":\"input\",\"hook\":\"input\",\"policy\":\"drop\"}}]}"' > usr/sbin/nft; chmod 755 usr/sbin/nft
$ printf '%s\n' '#!/bin/sh' 'echo "virtqemud (libvirt) 10.0.0"' > usr/sbin/virtqemud; chmod 755 usr/sbin/virtqemud
$ pvrdmactl doctor 2>&1 | grep -E '^(firewall|libvirt|security)'
firewall.roce      warning  chain 'inet filter input' drops what no rule lets in, and none is about UDP port 4791 (needed only for --rxe and --ibdev)
security.denials   n/a      the journal cannot be read (it takes root)
libvirt.version    ok       libvirt is 10.0
libvirt.shutdown   n/a      there is no libvirt-guests
firewall.roce: firewall-cmd --permanent --add-port=4791/udp && firewall-cmd --reload, or: ufw allow 4791/udp
$ printf '%s\n' '#!/bin/sh' 'exit 1' > usr/sbin/nft
$ pvrdmactl doctor 2>&1 | grep -E '^firewall'
firewall.roce      n/a      neither nft nor ip6tables tells the rules (it takes root)
$ fixture write run/pvrdma/leases/x.json '{}'
$ pvrdmactl doctor 2>&1 | grep state.leases
state.leases       failed   lease file '$ROOT/run/pvrdma/leases/x.json' is damaged: its name is not UUID-ID.json
state.leases: make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
$ pvrdmactl doctor a b
! pvrdmactl: doctor 'a': too many arguments: takes [DOMAIN]
! see 'pvrdmactl doctor --help'
[2]
$ pvrdmactl doctor --explain hook.known
hook.known: libvirt's daemon knows that there is a hook

The daemon looks whether there is any hook only when it starts or is reloaded. Until then it runs
none, guests start without their device being claimed, and the node is missing ('Path
/dev/pvrdma/... is not accessible'). A reload does not disturb guests that run.
$ pvrdmactl doctor --explain device7.gid --json
{
  "version" : 1,
  "id" : "deviceN.gid",
  "title" : "the port has the GID that the domain was given",
  "text" : "GIDs come and go with the addresses of the network device, and so do their indices. Given by\n--gid-index or --gid, index and GID must be what they were; with a --gid-policy any GID serves\nthat fits it and carries the MAC of function 0. 'pvrdmactl gid DEV --why' shows what there is.\n"
}
$ pvrdmactl doctor --explain device.gid 2>&1 | cut -c 1-60
pvrdmactl: doctor: no check 'device.gid'
there are: kernel.rxe, kernel.uverbs, kernel.vendor, vf.limi
$ pvrdmactl doctor --explain deviceN.gid | head -1
deviceN.gid: the port has the GID that the domain was given
$ pvrdmactl doctor vm1 --explain hook.known
! pvrdmactl: doctor 'vm1': --explain goes without a domain
! see 'pvrdmactl doctor --help'
[2]
$ pvrdmactl doctor --explain
! pvrdmactl: doctor: Missing argument for --explain
! see 'pvrdmactl doctor --help'
[2]
