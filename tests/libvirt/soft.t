Soft devices: attach, detach and status on domains of a real libvirt (embedded QEMU driver) and a host without RDMA

$ virsh -q define $DATA/q35.xml && virsh -q define $DATA/i440fx.xml
$ for v in vm1 vm2; do virsh -q dumpxml --inactive --security-info $v > $v.xml; done
$ pvrdmactl attach --help
Usage: pvrdmactl attach [OPTIONS] DOMAIN

Give a domain an RDMA device

Edits the persistent configuration: a vmxnet3 interface (function 0) and the RDMA device
(function 1) in a slot of their own; unless it is soft also shared memory. A running
domain gets the device at its next start. 'pvrdmactl detach' gives back the very
configuration from before.

Options:
  --soft                  RDMA in software inside QEMU, nothing needed on the host (the default)
  --rxe NETDEV            Soft-RoCE on this netdev of the host, made at start if need be
  --ibdev DEV             an RDMA device of the host
  --vf DEV                a VF of the host, which gets the domain's MAC at start
  --pool NAME             such a VF, chosen at start from this pool (/etc/pvrdma)
  --port N                port of the RDMA device (1)
  --gid-index N           GID of the port, by index
  --gid GID               GID of the port
  --gid-policy POLICY     which GIDs will do at each start: link-local, routable, any, or a GID
  --mac MAC               MAC of function 0, not for --rxe and --ibdev (made from the domain's UUID)
  --network NAME          virtual network of function 0 (default)
  --bridge NAME           host bridge of function 0
  --direct NETDEV         function 0 is a macvtap on this netdev
  --print-xml             print the new domain XML, change nothing
  --dry-run               print what would change as a diff, change nothing
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  # what would change, then do it: a soft device on the network 'default'
  pvrdmactl attach vm1 --dry-run
  pvrdmactl attach vm1
  # Soft-RoCE of the host, function 0 on a bridge
  pvrdmactl attach vm1 --rxe eth0 --bridge br0
  # a port of an RDMA network card
  pvrdmactl attach vm1 --ibdev mlx5_0
  # a VF of its own; or any that is free when it starts
  pvrdmactl attach vm1 --vf mlx5_4
  pvrdmactl attach vm1 --pool fast
# Usage: both options are named
$ pvrdmactl attach vm1 --soft --rxe d0
! pvrdmactl: attach 'vm1': give --soft or --rxe, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --soft --ibdev mlx5_0
! pvrdmactl: attach 'vm1': give --soft or --ibdev, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --soft --gid fe80::1
! pvrdmactl: attach 'vm1': --gid goes with --rxe or --ibdev, not with --soft
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --soft --gid-index 0
! pvrdmactl: attach 'vm1': --gid-index goes with --rxe or --ibdev, not with --soft
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --port 1
! pvrdmactl: attach 'vm1': --port goes with a device of the host, not with --soft, the default
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --mac 52:54:00:01:02:03
! pvrdmactl: attach 'vm1': --mac goes with --soft, --vf and --pool, not with --rxe: there the GID says it
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --mac 52:54
! pvrdmactl: attach 'vm1': '52:54' is not a MAC address
! write six pairs of hex digits, like 7c:fe:90:cb:74:3a
[2]
$ pvrdmactl attach vm1 --mac 01:00:5e:00:00:01
! pvrdmactl: attach 'vm1': --mac 01:00:5e:00:00:01 is not the MAC of a network card
! see 'pvrdmactl attach --help'
[2]
# Nothing else in the XML, with and without its own memory backing
$ pvrdmactl attach vm1 --dry-run > diff && grep '^[-+]' diff | sed -E "s/(bus|index|controller)=(.)[^'\"]*./\1=\2N\2/"
--- before
+++ after
-<domain type='qemu'>
+<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
+    <pvrdma:devices xmlns:pvrdma="urn:pvrdma:domain:1" version="1" added="override xmlns">
+      <pvrdma:device id="0" backend="soft" alias="ua-pvrdma0" controller="N"/>
+    </pvrdma:devices>
+    <controller type='pci' index='N' model='pcie-root-port'/>
+    <interface type='network'>
+      <mac address='52:54:00:2c:49:bc'/>
+      <source network='default'/>
+      <model type='vmxnet3'/>
+      <alias name='ua-pvrdma0-net'/>
+      <address type='pci' domain='0x0000' bus='N' slot='0x00' function='0x0' multifunction='on'/>
+    </interface>
+    <rng model='virtio'>
+      <backend model='builtin'/>
+      <alias name='ua-pvrdma0'/>
+      <address type='pci' domain='0x0000' bus='N' slot='0x00' function='0x1'/>
+    </rng>
+  <qemu:override>
+    <qemu:device alias='ua-pvrdma0'>
+      <qemu:frontend>
+        <qemu:property name='driver' type='string' value='pvrdma'/>
+        <qemu:property name='rng' type='remove'/>
+      </qemu:frontend>
+    </qemu:device>
+  </qemu:override>
$ virsh -q dumpxml --inactive vm1 > plain.xml && patch -s plain.xml diff && pvrdmactl attach vm1 --soft --print-xml | cmp plain.xml -
$ virsh -q define --validate plain.xml && virsh -q define vm1.xml
$ pvrdmactl attach vm2 --bridge br0
! pvrdmactl: attach 'vm2': no network device 'br0'
! 'ip link' shows the names
[3]
$ mkdir -p sys/class/net && fixture netdev br0 52:54:00:00:00:99 up
$ pvrdmactl attach vm2 --bridge br0 --print-xml > new2.xml && virsh -q define --validate new2.xml && virsh -q define vm2.xml
$ for v in vm1 vm2; do virsh -q dumpxml --inactive --security-info $v | cmp - $v.xml; done; ls
diff
new2.xml
plain.xml
sys
vm1.xml
vm2.xml
# Attach, and what libvirt and QEMU make of it
$ pvrdmactl attach vm1 --json
{
  "version" : 1,
  "domain" : "vm1",
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "changed" : true,
  "device" : {
    "id" : 0,
    "backend" : "soft",
    "ibdev" : null,
    "pci" : null,
    "guid" : null,
    "pool" : null,
    "port" : null,
    "netdev" : null,
    "gid" : "fe80:0000:0000:0000:5054:00ff:fe2c:49bc",
    "gid_index" : null,
    "gid_policy" : null,
    "mac" : "52:54:00:2c:49:bc",
    "alias" : "ua-pvrdma0",
    "path" : null
  },
  "notes" : []
}
$ pvrdmactl attach vm2 --bridge br0
attached a soft RDMA device to 'vm2' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe6b:5dde, MAC 52:54:00:6b:5d:de
$ for v in vm1 vm2; do virsh -q domxml-to-native qemu-argv --domain $v | tr ' ' '\n' | grep -oE '"memory-backend-[a-z]*"|."qom-type":"rng-builtin","id":"objua-pvrdma.*|"addr":"[^"]*","driver":"pvrdma".*'; done
"memory-backend-ram"
{"qom-type":"rng-builtin","id":"objua-pvrdma0"}'
"addr":"0x0.0x1","driver":"pvrdma"}'
"memory-backend-ram"
{"qom-type":"rng-builtin","id":"objua-pvrdma0"}'
"addr":"0x4.0x1","driver":"pvrdma"}'
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
DOMAIN  ID  STATE       BACKEND  DEVICE  PORT  NETDEV  GID                                      MAC                SOURCE   FUNCTIONS       LEASE
vm1     0   configured  soft     -       -     -       fe80:0000:0000:0000:5054:00ff:fe2c:49bc  52:54:00:2c:49:bc  default  0000:BB:SS.0,1  -
vm2     0   configured  soft     -       -     -       fe80:0000:0000:0000:5054:00ff:fe6b:5dde  52:54:00:6b:5d:de  br0      0000:BB:SS.0,1  -
$ pvrdmactl status vm1 --json | sed -E 's/0000:[0-9a-f]*:[0-9a-f]*([.].")/0000:BB:SS\1/'
{
  "version" : 1,
  "devices" : [
    {
      "domain" : "vm1",
      "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
      "domain_running" : false,
      "state" : "configured",
      "id" : 0,
      "backend" : "soft",
      "ibdev" : null,
      "pci" : null,
      "guid" : null,
      "pool" : null,
      "port" : null,
      "netdev" : null,
      "gid" : "fe80:0000:0000:0000:5054:00ff:fe2c:49bc",
      "gid_index" : null,
      "gid_policy" : null,
      "mac" : "52:54:00:2c:49:bc",
      "alias" : "ua-pvrdma0",
      "path" : null,
      "interface_type" : "network",
      "source" : "default",
      "function0" : "0000:BB:SS.0",
      "function1" : "0000:BB:SS.1",
      "complete" : true,
      "lease" : null
    }
  ],
  "notes" : []
}
# On a host without anything
$ pvrdmactl doctor vm1 2>&1 | grep -E '^(kernel.[ru]|hook|memory|device|domain)' | sed 's|/[a-z/]*sbin/pvrdma-hook|SBIN/pvrdma-hook|'
kernel.rxe          n/a     the running kernel has no rdma_rxe (not needed for soft devices)
kernel.uverbs       n/a     the running kernel has no ib_uverbs (not needed for soft devices)
hook.file           n/a     '/etc/libvirt/hooks/qemu.d/50-pvrdma' is not installed (not needed for soft devices)
hook.program        n/a     'SBIN/pvrdma-hook' is not installed (not needed for soft devices)
hook.known          n/a     neither libvirtd nor virtqemud is running
domain.metadata     ok      'vm1' has 1 RDMA device
domain.order        ok      no pvrdma device comes before its function 0
memory.shared       n/a     a soft device works with any memory
memory.pages        n/a     a soft device works with pages of any size
device0.functions   ok      vmxnet3 at function 0, pvrdma at function 1
device0.connection  ok      function 0 is an interface of type 'network'
device0.mac         n/a     a soft device takes the MAC that function 0 has
device0.ibdev       n/a     a soft device uses no RDMA device of the host
device0.lease       n/a     a soft device holds nothing of the host
# Twice
$ pvrdmactl attach vm1 --soft
! pvrdmactl: attach 'vm1': a soft device on network 'default' is attached already, as device 0
! to have one more there, give it a MAC of its own with --mac
[4]
$ pvrdmactl attach vm1 --mac 52:54:00:aa:00:02
! pvrdmactl: attach 'vm1': the MAC 52:54:00:aa:00:02 is that of an interface of domain 'vm2'
! choose another
[1]
$ pvrdmactl attach vm1 --mac 52:54:00:aa:00:01
! pvrdmactl: attach 'vm1': the MAC 52:54:00:aa:00:01 is that of another interface of the domain
! choose another
[1]
$ pvrdmactl attach vm1 --mac 52:54:00:01:02:03
attached a soft RDMA device to 'vm1' as device 1
GID fe80:0000:0000:0000:5054:00ff:fe01:0203, MAC 52:54:00:01:02:03
$ pvrdmactl attach vm1 --mac 52:54:00:01:02:03
! pvrdmactl: attach 'vm1': a soft device on network 'default' is attached already, as device 1
! to have one more there, give it a MAC of its own with --mac
[4]
$ pvrdmactl attach vm1 --direct br0 --mac 52:54:00:00:00:99
! pvrdmactl: attach 'vm1': a macvtap on 'br0' cannot have the MAC of 'br0' itself, which function 0 needs
! give another with --mac
[1]
$ pvrdmactl attach vm1 --bridge br0 --json | grep -E '"(id|mac)"'
    "id" : 2,
    "mac" : "52:54:00:a3:92:0a",
# Beside a device of the host: memory is shared while that one is there, and no longer
$ fixture netdev d0 52:54:00:00:00:01 up
$ pvrdmactl attach vm1 --rxe d0
attached 'rxe_d0' port 1 to 'vm1' as device 3
GID fe80:0000:0000:0000:5054:00ff:fe00:0001, MAC 52:54:00:00:00:01
note: 'rxe_d0' does not exist yet: it is made when 'vm1' starts
$ pvrdmactl status vm1 --json | grep -E '"(id|backend|mac|source|complete)"'
      "id" : 0,
      "backend" : "soft",
      "mac" : "52:54:00:2c:49:bc",
      "source" : "default",
      "complete" : true,
      "id" : 1,
      "backend" : "soft",
      "mac" : "52:54:00:01:02:03",
      "source" : "default",
      "complete" : true,
      "id" : 2,
      "backend" : "soft",
      "mac" : "52:54:00:a3:92:0a",
      "source" : "br0",
      "complete" : true,
      "id" : 3,
      "backend" : "rxe",
      "mac" : "52:54:00:00:00:01",
      "source" : "default",
      "complete" : true,
$ virsh -q dumpxml --inactive vm1 | grep -A 3 '<memoryBacking'
  <memoryBacking>
    <source type='memfd'/>
    <access mode='shared'/>
  </memoryBacking>
$ virsh -q dumpxml --inactive --security-info vm1 | sed 's,<vcpu,<title>edited</title>&,' > edited.xml && virsh -q define edited.xml
$ pvrdmactl detach vm1 3
detached device 3 from 'vm1'
$ virsh -q dumpxml --inactive vm1 | grep -E 'memoryBacking|added='
    <pvrdma:devices xmlns:pvrdma="urn:pvrdma:domain:1" version="1" added="override xmlns">
# Detach, edited in between and not
$ pvrdmactl detach vm1 1 && pvrdmactl detach vm1 0 && pvrdmactl detach vm1 2
detached device 1 from 'vm1'
detached device 0 from 'vm1'
detached device 2 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | diff vm1.xml -
3a4
>   <title>edited</title>
[1]
$ virsh -q define vm1.xml
$ pvrdmactl attach vm1 | head -n 1
attached a soft RDMA device to 'vm1' as device 0
$ pvrdmactl attach vm1 --rxe d0 | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 1
$ pvrdmactl attach vm1 --bridge br0 | head -n 1
attached a soft RDMA device to 'vm1' as device 2
$ pvrdmactl detach vm1 1 && pvrdmactl detach vm1 0
detached device 1 from 'vm1'
detached device 0 from 'vm1'
$ pvrdmactl detach vm1 --dry-run | grep '^[-+].*builtin'
-      <backend model='builtin'/>
$ pvrdmactl detach vm1 && pvrdmactl detach vm2
detached device 2 from 'vm1'; the configuration is exactly as before
detached device 0 from 'vm2'; the configuration is exactly as before
$ for v in vm1 vm2; do virsh -q dumpxml --inactive --security-info $v | cmp - $v.xml; done; find var -type f
var/lib/pvrdma/lock
# The MAC is the same again; one that is taken is passed over
$ pvrdmactl attach vm1 --json | grep '"mac"'
    "mac" : "52:54:00:2c:49:bc",
$ pvrdmactl detach vm1
detached device 0 from 'vm1'; the configuration is exactly as before
$ pvrdmactl attach vm2 --mac 52:54:00:2c:49:bc | tail -n 1
GID fe80:0000:0000:0000:5054:00ff:fe2c:49bc, MAC 52:54:00:2c:49:bc
$ pvrdmactl attach vm1 --json | grep '"mac"'
    "mac" : "52:54:00:a3:92:0a",
# The MAC may change; other changes are seen
$ virsh -q dumpxml --inactive --security-info vm1 | sed s/52:54:00:a3:92:0a/52:54:00:00:00:77/ > edited.xml && virsh -q define edited.xml
$ pvrdmactl status vm1 --json | grep -E '"(gid|mac|complete)"'
      "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0077",
      "mac" : "52:54:00:00:00:77",
      "complete" : true,
$ virsh -q dumpxml --inactive --security-info vm1 | sed '/<rng model/{N;/builtin/{N;N;N;d}}' > edited.xml && virsh -q define edited.xml
$ pvrdmactl status vm1 | tail -n 1
note: device 0 of 'vm1' lacks parts in the domain XML: 'pvrdmactl detach vm1 0', then attach it again
$ pvrdmactl detach vm1
detached device 0 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
# Memory that a device of the host could not use is no matter
$ sed 's,<vcpu,<memoryBacking><hugepages/><access mode="private"/></memoryBacking>&,' $DATA/q35.xml > huge.xml && virsh -q define huge.xml && virsh -q dumpxml --inactive --security-info vm1 > huge.xml
$ pvrdmactl attach vm1 | head -n 1
attached a soft RDMA device to 'vm1' as device 0
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': the domain's memory has access mode 'private', the device needs shared memory
! remove <access> from <memoryBacking>, or make it mode='shared'
[1]
$ pvrdmactl detach vm1
detached device 0 from 'vm1'; the configuration is exactly as before
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - huge.xml
# A copy of the domain has its own device
$ virsh -q define vm1.xml && pvrdmactl detach vm2 && pvrdmactl attach vm1 | head -n 1
detached device 0 from 'vm2'; the configuration is exactly as before
attached a soft RDMA device to 'vm1' as device 0
$ virsh -q dumpxml --inactive vm1 | sed -E 's/vm1/vm7/; s/5b4ac7b1(.*<.uuid>)/5b4ac7b2\1/; s/52:54:00:2c:49:bc/52:54:00:00:00:78/' > clone.xml && virsh -q define clone.xml
$ pvrdmactl status vm7 --json | grep -E '"(domain|mac|complete)"'
      "domain" : "vm7",
      "mac" : "52:54:00:00:00:78",
      "complete" : true,
$ pvrdmactl detach vm7
detached device 0 from 'vm7'
