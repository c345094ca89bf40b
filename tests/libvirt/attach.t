attach, detach and status on domains of a real libvirt (embedded QEMU driver) and the fake host

$ virsh -q define $DATA/q35.xml && virsh -q define $DATA/i440fx.xml
$ for v in vm1 vm2; do virsh -q dumpxml --inactive --security-info $v > $v.xml; done
$ fixture netdev d0 52:54:00:00:00:01 up
$ fixture netdev d1 52:54:00:00:00:02 down
$ fixture netdev d2 52:54:00:00:00:03 up
$ fixture rxe rxe2 d2
$ fixture netdev br0 52:54:00:00:00:99 up
$ fixture hca mlx5_0 mlx5_core 0000:03:00.0 Ethernet 2
$ fixture gid mlx5_0 1 0 fe80::7efe:90ff:fecb:743a 'IB/RoCE v1' -
$ fixture gid mlx5_0 1 1 fe80::7efe:90ff:fecb:743a 'RoCE v2' -
$ fixture gid mlx5_0 1 2 ::ffff:10.0.0.1 'RoCE v2' -
$ fixture gid mlx5_0 1 3 2001:db8::7efe:90ff:fecb:743a 'RoCE v2' -
$ fixture state mlx5_0 2 DOWN
$ fixture hca mlx4_0 mlx4_core 0000:04:00.0 InfiniBand 1
# Nothing there
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
no domain has an RDMA device
$ pvrdmactl status vm1
'vm1' has no RDMA device
$ pvrdmactl status --json
{
  "version" : 1,
  "devices" : [],
  "notes" : []
}
$ pvrdmactl status nobody
! pvrdmactl: status 'nobody': no such domain
! 'virsh list --all' shows the domains
[3]
$ pvrdmactl detach vm1
! pvrdmactl: detach 'vm1': the domain has no device of ours
[4]
$ pvrdmactl detach vm1 0
! pvrdmactl: detach 'vm1': the domain has no device 0 of ours
[4]
# Bad arguments
$ pvrdmactl attach
! pvrdmactl: attach: argument missing: needs DOMAIN
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --ibdev rxe2
! pvrdmactl: attach 'vm1': give --rxe or --ibdev, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --gid-index 0 --gid fe80::1
! pvrdmactl: attach 'vm1': give --gid or --gid-index, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --gid-index -2
! pvrdmactl: attach 'vm1': --gid-index -2 is not from 0 to 65535
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --port 0
! pvrdmactl: attach 'vm1': --port 0 is not from 1 to 255
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --bridge br0 --network default
! pvrdmactl: attach 'vm1': give --network or --bridge, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --rxe d0 --print-xml --dry-run
! pvrdmactl: attach 'vm1': give --print-xml or --dry-run, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl detach vm1 x
! pvrdmactl: detach 'vm1': 'x' is no device number, from 0 to 31
! see 'pvrdmactl detach --help'
[2]
$ pvrdmactl detach vm1 32
! pvrdmactl: detach 'vm1': '32' is no device number, from 0 to 31
! see 'pvrdmactl detach --help'
[2]
$ pvrdmactl detach vm1 --print-xml --dry-run
! pvrdmactl: detach 'vm1': give --print-xml or --dry-run, not both
! see 'pvrdmactl detach --help'
[2]
# What the host says no to
$ pvrdmactl attach nobody --rxe d0
! pvrdmactl: attach 'nobody': no such domain
! 'virsh list --all' shows the domains
[3]
$ pvrdmactl attach vm1 --rxe nodev
! pvrdmactl: attach 'vm1': no network device 'nodev'
! 'ip link' shows the names
[3]
$ pvrdmactl attach vm1 --rxe ../d0
! pvrdmactl: attach 'vm1': '../d0' cannot be the name of a network device: it has a character that is not allowed
! use at most 15 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl attach vm1 --rxe d1
! pvrdmactl: attach 'vm1': the netdev 'd1' is down
! ip link set d1 up
[1]
$ pvrdmactl attach vm1 --rxe d0 --port 2
! pvrdmactl: attach 'vm1': a Soft-RoCE device has port 1 only, not port 2
[3]
$ pvrdmactl attach vm1 --rxe d0 --gid fe80::1
! pvrdmactl: attach 'vm1': 'd0' has no Soft-RoCE device yet, its GID will be fe80:0000:0000:0000:5054:00ff:fe00:0001
! to choose another, make the device first: pvrdmactl rxe add d0
[3]
$ pvrdmactl attach vm1 --rxe d0 --gid-index 0
! pvrdmactl: attach 'vm1': 'd0' has no Soft-RoCE device yet, its GID will be fe80:0000:0000:0000:5054:00ff:fe00:0001
! to choose another, make the device first: pvrdmactl rxe add d0
[3]
$ pvrdmactl attach vm1 --rxe d0 --bridge br9
! pvrdmactl: attach 'vm1': no network device 'br9'
! 'ip link' shows the names
[3]
$ pvrdmactl attach vm1 --rxe d0 --direct d0
! pvrdmactl: attach 'vm1': a macvtap on 'd0' cannot have the MAC of 'd0' itself, which function 0 needs
! connect function 0 with --network or --bridge
[1]
$ pvrdmactl attach vm1 --ibdev mlx9
! pvrdmactl: attach 'vm1': no RDMA device 'mlx9'
! this host has: mlx4_0, mlx5_0, rxe2
[3]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --port 3
! pvrdmactl: attach 'vm1': RDMA device 'mlx5_0' has no port 3
! its ports: 1, 2
[3]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --port 2
! pvrdmactl: attach 'vm1': port 2 of 'mlx5_0' is DOWN (DISABLED)
! set its netdev up and see that it has a carrier
[1]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-index 0
! pvrdmactl: attach 'vm1': GID 0 of port 1 of 'mlx5_0' is of type RoCE v1, the device needs RoCE v2
! 'pvrdmactl gid mlx5_0' shows the types
[1]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-index 2
! pvrdmactl: attach 'vm1': GID 0000:0000:0000:0000:0000:ffff:0a00:0001 carries no MAC: it is an IPv4-mapped GID
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-index 9
! pvrdmactl: attach 'vm1': port 1 of 'mlx5_0' has no GID at index 9
! 'pvrdmactl gid mlx5_0' shows the GIDs
[3]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid fe80::1
! pvrdmactl: attach 'vm1': port 1 of 'mlx5_0' has no GID fe80::1
! 'pvrdmactl gid mlx5_0' shows the GIDs
[3]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy v1
! pvrdmactl: attach 'vm1': a RoCE v1 GID cannot serve a guest
! the device speaks RoCE v2 only
[1]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy routable,ipv4
! pvrdmactl: attach 'vm1': an IPv4 GID cannot serve a guest: it carries no MAC
! function 0 has the MAC of the GID, so it must be an IPv6 one, an EUI-64
[1]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy near
! pvrdmactl: attach 'vm1': 'near' is no word of a GID policy
! write any, link-local, routable or a GID, and v2 or ipv6, with ',' between
[2]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy fe80::5054:ff:fe00:9
! pvrdmactl: attach 'vm1': port 1 of 'mlx5_0' has no RoCE v2 GID that carries a MAC and fits the policy 'fe80::5054:ff:fe00:9'
! 'pvrdmactl gid mlx5_0 --why' shows the GIDs; an address whose interface id is an EUI-64 makes one
[3]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy any --gid-index 1
! pvrdmactl: attach 'vm1': give --gid-index or --gid-policy, not both
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --gid-policy any
! pvrdmactl: attach 'vm1': --gid-policy goes with --rxe or --ibdev, not with --soft, the default
! see 'pvrdmactl attach --help'
[2]
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid-policy routable --dry-run | grep -E 'pvrdma:device|backend-gid-idx'
+    <pvrdma:devices xmlns:pvrdma="urn:pvrdma:domain:1" version="1" added="memory-backing memory-source memory-access override xmlns">
+      <pvrdma:device id="0" backend="ibdev" ibdev="mlx5_0" pci="0000:03:00.0" guid="0c42:a103:0065:bd12" port="1" gid="2001:0db8:0000:0000:7efe:90ff:fecb:743a" gid-policy="v2,ipv6,routable" mac="7c:fe:90:cb:74:3a" alias="ua-pvrdma0" controller="6" path="/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0"/>
+    </pvrdma:devices>
$ pvrdmactl attach vm1 --ibdev mlx5_0 --gid hello
! pvrdmactl: attach 'vm1': 'hello' is not a GID
! write it like fe80::7efe:90ff:fecb:743a, or with all 32 hex digits
[2]
$ pvrdmactl attach vm1 --ibdev mlx4_0
! pvrdmactl: attach 'vm1': port 1 of 'mlx4_0' is InfiniBand, the device speaks RoCE v2
! choose a port whose link layer is Ethernet; 'pvrdmactl list' shows them
[1]
$ pvrdmactl -c test:///default attach test --rxe d0
! pvrdmactl: attach 'test': the libvirt connection is to 'TEST', not to QEMU
! give a QEMU connection with -c, such as qemu:///system
[1]
$ pvrdmactl -c 'qemu+unix:///system?socket=/nonexistent/sock' attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': cannot connect to libvirt at qemu+unix:///system?socket=/nonexistent/sock: Failed to connect socket to '/nonexistent/sock': No such file or directory
! see that libvirtd or virtqemud is running
[1]
$ rm -rf var/lib/pvrdma && mkdir -p var/lib && touch var/lib/pvrdma && pvrdmactl attach vm1 --rxe d0; rm var/lib/pvrdma
! pvrdmactl: attach 'vm1': cannot create directory '$ROOT/var/lib/pvrdma': Not a directory
$ fixture fail list_ibdevs 1 'sysfs is gone'
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': sysfs is gone
[1]
$ rm .fake/fail-list_ibdevs
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml && ls var/lib
# A dry run shows just what comes
$ pvrdmactl attach vm1 --rxe d0 --bridge br0 --dry-run > diff && grep '^[-+]' diff | sed -E "s/(bus|index|controller)=(.)[^'\"]*./\1=\2N\2/"
--- before
+++ after
-<domain type='qemu'>
+<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
+    <pvrdma:devices xmlns:pvrdma="urn:pvrdma:domain:1" version="1" added="memory-backing memory-source memory-access override xmlns">
+      <pvrdma:device id="0" backend="rxe" netdev="d0" ibdev="rxe_d0" port="1" gid="fe80:0000:0000:0000:5054:00ff:fe00:0001" mac="52:54:00:00:00:01" alias="ua-pvrdma0" controller="N" path="/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0"/>
+    </pvrdma:devices>
+  <memoryBacking>
+    <source type='memfd'/>
+    <access mode='shared'/>
+  </memoryBacking>
+    <controller type='pci' index='N' model='pcie-root-port'/>
+    <interface type='bridge'>
+      <mac address='52:54:00:00:00:01'/>
+      <source bridge='br0'/>
+      <model type='vmxnet3'/>
+      <alias name='ua-pvrdma0-net'/>
+      <address type='pci' domain='0x0000' bus='N' slot='0x00' function='0x0' multifunction='on'/>
+    </interface>
+    <rng model='virtio'>
+      <backend model='random'>/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0</backend>
+      <alias name='ua-pvrdma0'/>
+      <address type='pci' domain='0x0000' bus='N' slot='0x00' function='0x1'/>
+    </rng>
+  <qemu:override>
+    <qemu:device alias='ua-pvrdma0'>
+      <qemu:frontend>
+        <qemu:property name='driver' type='string' value='pvrdma'/>
+        <qemu:property name='rng' type='remove'/>
+        <qemu:property name='backend-dev' type='string' value='/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0'/>
+        <qemu:property name='backend-port' type='unsigned' value='1'/>
+      </qemu:frontend>
+    </qemu:device>
+  </qemu:override>
$ pvrdmactl attach vm1 --rxe d0 --bridge br0 --print-xml > new.xml
$ virsh -q dumpxml --inactive vm1 > plain.xml && patch -s plain.xml diff && cmp plain.xml new.xml
$ pvrdmactl attach vm1 --rxe d0 --bridge br0 --dry-run --json | sed 's/"diff" : .*/"diff" : .../'
{
  "version" : 1,
  "domain" : "vm1",
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "changed" : false,
  "device" : {
    "id" : 0,
    "backend" : "rxe",
    "ibdev" : "rxe_d0",
    "pci" : null,
    "guid" : null,
    "pool" : null,
    "port" : 1,
    "netdev" : "d0",
    "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0001",
    "gid_index" : null,
    "gid_policy" : null,
    "mac" : "52:54:00:00:00:01",
    "alias" : "ua-pvrdma0",
    "path" : "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0"
  },
  "diff" : ...
  "notes" : [
    "'rxe_d0' does not exist yet: it is made when 'vm1' starts"
  ]
}
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml && ls var/lib
# Attach, and what libvirt makes of it
$ pvrdmactl attach vm1 --rxe d0 --bridge br0
attached 'rxe_d0' port 1 to 'vm1' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe00:0001, MAC 52:54:00:00:00:01
note: 'rxe_d0' does not exist yet: it is made when 'vm1' starts
$ virsh -q domxml-to-native qemu-argv --domain vm1 | tr ' ' '\n' | grep -oE '"qom-type":"memory-backend-memfd"|"share":true|."qom-type":"rng-random","id":"objua-pvrdma.*|"addr":"0x0.0x1","driver":"pvrdma".*'
"qom-type":"memory-backend-memfd"
"share":true
{"qom-type":"rng-random","id":"objua-pvrdma0","filename":"/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0"}'
"addr":"0x0.0x1","driver":"pvrdma","backend-dev":"/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0","backend-port":1}'
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
DOMAIN  ID  STATE       BACKEND  DEVICE  PORT  NETDEV  GID                                      MAC                SOURCE  FUNCTIONS       LEASE
vm1     0   configured  rxe      rxe_d0  1     d0      fe80:0000:0000:0000:5054:00ff:fe00:0001  52:54:00:00:00:01  br0     0000:BB:SS.0,1  -
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': 'd0' is attached already, as device 0
! to change it, run 'pvrdmactl detach vm1 0' first
[4]
$ pvrdmactl attach vm2 --rxe d0
! pvrdmactl: attach 'vm2': 'd0' is held by domain 'vm1', as device 0
! take another, or free it: pvrdmactl detach vm1 0
[1]
$ stat -c '%a' var/lib/pvrdma/domains && (cd var/lib/pvrdma/domains && find . -type f | sort)
700
./5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11/00000000.xml
./5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11/00000001.xml
# The same device by another name, once its link is there
$ fixture rxe rxe_d0 d0
$ pvrdmactl attach vm1 --ibdev rxe_d0
! pvrdmactl: attach 'vm1': 'rxe_d0' is attached already, as device 0
! to change it, run 'pvrdmactl detach vm1 0' first
[4]
$ pvrdmactl attach vm2 --ibdev rxe_d0
! pvrdmactl: attach 'vm2': 'rxe_d0' is held by domain 'vm1', as device 0
! take another, or free it: pvrdmactl detach vm1 0
[1]
# More devices; MACs that others have
$ pvrdmactl attach vm1 --ibdev rxe2 --json
{
  "version" : 1,
  "domain" : "vm1",
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "changed" : true,
  "device" : {
    "id" : 1,
    "backend" : "ibdev",
    "ibdev" : "rxe2",
    "pci" : null,
    "guid" : null,
    "pool" : null,
    "port" : 1,
    "netdev" : null,
    "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0003",
    "gid_index" : null,
    "gid_policy" : null,
    "mac" : "52:54:00:00:00:03",
    "alias" : "ua-pvrdma1",
    "path" : "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-1"
  },
  "notes" : []
}
$ pvrdmactl attach vm2 --ibdev mlx5_0 --gid 2001:db8::7efe:90ff:fecb:743a
attached 'mlx5_0' port 1 to 'vm2' as device 0
GID 2001:0db8:0000:0000:7efe:90ff:fecb:743a, MAC 7c:fe:90:cb:74:3a
$ pvrdmactl attach vm1 --ibdev mlx5_0
! pvrdmactl: attach 'vm1': 'mlx5_0' is held by domain 'vm2', as device 0
! take another, or free it: pvrdmactl detach vm2 0
[1]
$ fixture netdev d7 52:54:00:aa:00:02 up
$ fixture netdev d8 52:54:00:aa:00:01 up
$ pvrdmactl attach vm1 --rxe d7
! pvrdmactl: attach 'vm1': the GID carries MAC 52:54:00:aa:00:02, which an interface of domain 'vm2' has
! give that interface another MAC, or choose another GID
[1]
$ pvrdmactl attach vm1 --rxe d8
! pvrdmactl: attach 'vm1': the GID carries MAC 52:54:00:aa:00:01, which another interface of the domain has
! give that interface another MAC, or choose another GID
[1]
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
DOMAIN  ID  STATE       BACKEND  DEVICE  PORT  NETDEV  GID                                      MAC                SOURCE   FUNCTIONS       LEASE
vm1     0   configured  rxe      rxe_d0  1     d0      fe80:0000:0000:0000:5054:00ff:fe00:0001  52:54:00:00:00:01  br0      0000:BB:SS.0,1  -
vm1     1   configured  ibdev    rxe2    1     -       fe80:0000:0000:0000:5054:00ff:fe00:0003  52:54:00:00:00:03  default  0000:BB:SS.0,1  -
vm2     0   configured  ibdev    mlx5_0  1     -       2001:0db8:0000:0000:7efe:90ff:fecb:743a  7c:fe:90:cb:74:3a  default  0000:BB:SS.0,1  -
$ pvrdmactl status vm2 --json | sed -E 's/0000:[0-9a-f]*:[0-9a-f]*([.].")/0000:BB:SS\1/'
{
  "version" : 1,
  "devices" : [
    {
      "domain" : "vm2",
      "uuid" : "77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22",
      "domain_running" : false,
      "state" : "configured",
      "id" : 0,
      "backend" : "ibdev",
      "ibdev" : "mlx5_0",
      "pci" : "0000:BB:SS.0",
      "guid" : "0c42:a103:0065:bd12",
      "pool" : null,
      "port" : 1,
      "netdev" : null,
      "gid" : "2001:0db8:0000:0000:7efe:90ff:fecb:743a",
      "gid_index" : 3,
      "gid_policy" : null,
      "mac" : "7c:fe:90:cb:74:3a",
      "alias" : "ua-pvrdma0",
      "path" : "/dev/pvrdma/77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0",
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
$ virsh -q domxml-to-native qemu-argv --domain vm2 | tr ' ' '\n' | grep -oE '"memory-backend-memfd"|"driver":"pvrdma".*|^debug-threads.*'
"memory-backend-memfd"
"driver":"pvrdma","backend-dev":"/dev/pvrdma/77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0","backend-port":1,"backend-gid-idx":3}'
debug-threads=on
# Detach in the other order; the domains are what they were
$ pvrdmactl detach vm1
! pvrdmactl: detach 'vm1': the domain has several devices: say which of 0, 1
! see 'pvrdmactl detach --help'
[2]
$ pvrdmactl detach vm1 0
detached device 0 from 'vm1'
$ pvrdmactl detach vm1 0
! pvrdmactl: detach 'vm1': the domain has no device 0 of ours
[4]
$ pvrdmactl status vm1 | cut -c 1-24
DOMAIN  ID  STATE       
vm1     1   configured  
$ pvrdmactl detach vm1 --dry-run | grep '^[-+].*rng'
-    <rng model='virtio'>
-    </rng>
-        <qemu:property name='rng' type='remove'/>
$ pvrdmactl detach vm1
detached device 1 from 'vm1'; the configuration is exactly as before
$ pvrdmactl detach vm2 --json
{
  "version" : 1,
  "domain" : "vm2",
  "uuid" : "77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22",
  "id" : 0,
  "changed" : true,
  "exact" : true,
  "notes" : []
}
$ for v in vm1 vm2; do virsh -q dumpxml --inactive --security-info $v | cmp - $v.xml; done
$ find var -type f
var/lib/pvrdma/lock
# Edited in between: only our parts go
$ pvrdmactl attach vm1 --rxe d0 | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ virsh -q dumpxml --inactive --security-info vm1 | sed 's,<vcpu,<title>edited</title>&,' > edited.xml
$ virsh -q define edited.xml && pvrdmactl attach vm1 --rxe d2 | head -n 1
attached 'rxe2' port 1 to 'vm1' as device 1
$ pvrdmactl detach vm1 1 && pvrdmactl detach vm1 0
detached device 1 from 'vm1'; the configuration is exactly as before
detached device 0 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | diff vm1.xml -
3a4
>   <title>edited</title>
[1]
$ virsh -q define vm1.xml && find var -type f
var/lib/pvrdma/lock
# Lost records, and parts taken out by hand
$ pvrdmactl attach vm1 --rxe d0 | head -n 1 && rm -r var/lib/pvrdma
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ virsh -q dumpxml --inactive --security-info vm1 | sed '/<rng model/{N;/pvrdma/{N;N;N;d}}' > edited.xml && virsh -q define edited.xml
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
DOMAIN  ID  STATE       BACKEND  DEVICE  PORT  NETDEV  GID                                      MAC                SOURCE   FUNCTIONS   LEASE
vm1     0   configured  rxe      rxe_d0  1     d0      fe80:0000:0000:0000:5054:00ff:fe00:0001  52:54:00:00:00:01  default  incomplete  -
note: device 0 of 'vm1' lacks parts in the domain XML: 'pvrdmactl detach vm1 0', then attach it again
$ pvrdmactl detach vm1
detached device 0 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
# A crash after the definition, before its record
$ pvrdmactl attach vm1 --rxe d0 --print-xml > submitted.xml; pvrdmactl attach vm1 --rxe d0 | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ cp submitted.xml var/lib/pvrdma/domains/*/00000001.xml && touch var/lib/pvrdma/domains/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11/00000001.xml.tmp
$ pvrdmactl detach vm1
detached device 0 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
$ find var -type f
var/lib/pvrdma/lock
# Rubbish instead of a record is not defined
$ pvrdmactl attach vm1 --rxe d0 | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ echo '<domain/>' > var/lib/pvrdma/domains/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11/00000000.xml
$ pvrdmactl detach vm1
detached device 0 from 'vm1'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
# Memory that the device cannot use
$ sed 's,<vcpu,<memoryBacking><access mode="private"/></memoryBacking>&,' $DATA/q35.xml > private.xml && virsh -q define private.xml
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': the domain's memory has access mode 'private', the device needs shared memory
! remove <access> from <memoryBacking>, or make it mode='shared'
[1]
# Huge pages, which become shared, too
$ sed 's,<vcpu,<memoryBacking><hugepages/></memoryBacking>&,' $DATA/q35.xml > huge.xml && virsh -q define huge.xml && virsh -q dumpxml --inactive --security-info vm1 > huge.xml
$ pvrdmactl attach vm1 --rxe d0
attached 'rxe_d0' port 1 to 'vm1' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe00:0001, MAC 52:54:00:00:00:01
note: 'vm1' has its memory on huge pages: its applications can register only what is on huge pages in the guest, too
$ virsh -q dumpxml --inactive vm1 | grep -A 4 '<memoryBacking'
  <memoryBacking>
    <hugepages/>
    <source type='memfd'/>
    <access mode='shared'/>
  </memoryBacking>
$ pvrdmactl detach vm1
detached device 0 from 'vm1'; the configuration is exactly as before
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - huge.xml
$ virsh -q define vm1.xml
# Metadata that nobody can understand
$ sed 's,<metadata>,&<p:devices xmlns:p="urn:pvrdma:domain:1" version="7"/>,' $DATA/q35.xml > bad.xml && virsh -q define bad.xml
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': pvrdma metadata: version='7' is not known to this program, only '1' is
[1]
$ pvrdmactl detach vm1 0
! pvrdmactl: detach 'vm1': pvrdma metadata: version='7' is not known to this program, only '1' is
[1]
$ pvrdmactl status vm1
! pvrdmactl: status 'vm1': pvrdma metadata: version='7' is not known to this program, only '1' is
[1]
$ pvrdmactl status | sed -E 's/0000:..:..[.]0,/0000:BB:SS.0,/'
no domain has an RDMA device
note: domain 'vm1' was left out: pvrdma metadata: version='7' is not known to this program, only '1' is
$ pvrdmactl attach vm2 --rxe d0
attached 'rxe_d0' port 1 to 'vm2' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe00:0001, MAC 52:54:00:00:00:01
note: domain 'vm1' was left out: pvrdma metadata: version='7' is not known to this program, only '1' is
$ virsh -q undefine vm1 && pvrdmactl detach vm1
! pvrdmactl: detach 'vm1': no such domain
! 'virsh list --all' shows the domains
[3]
