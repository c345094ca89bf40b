What needs a daemon: a running and a transient domain, networks, users who may not

$ fixture netdev d0 52:54:00:00:00:01 up
$ virsh -q define $DATA/q35.xml && virsh -q start vm1
$ virsh -q dumpxml --inactive --security-info vm1 > vm1.xml; virsh -q dumpxml --security-info vm1 > live.xml
# Networks
$ virsh -q net-list --all
$ pvrdmactl attach vm1 --rxe d0
! pvrdmactl: attach 'vm1': no virtual network 'default'
! virsh net-define /usr/share/libvirt/networks/default.xml && virsh net-start default; or give --network, --bridge or --direct
[3]
$ pvrdmactl attach vm1 --rxe d0 --network lan
! pvrdmactl: attach 'vm1': no virtual network 'lan'
! 'virsh net-list --all' shows them; or give --network, --bridge or --direct
[3]
$ echo '<network><name>lan</name></network>' > lan.xml && virsh -q net-define lan.xml
# A soft device needs the network and nothing else
$ pvrdmactl attach vm1
! pvrdmactl: attach 'vm1': no virtual network 'default'
! virsh net-define /usr/share/libvirt/networks/default.xml && virsh net-start default; or give --network, --bridge or --direct
[3]
$ pvrdmactl attach vm1 --network lan
attached a soft RDMA device to 'vm1' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe2c:49bc, MAC 52:54:00:2c:49:bc
note: the network 'lan' is not active, and 'vm1' cannot start before it is: virsh net-start lan; for the next boot, virsh net-autostart lan
note: 'vm1' is running: this takes effect at its next start (a reboot of the guest is not enough)
$ pvrdmactl status vm1 --json | grep -E '"(backend|state|interface_type|source)"'
      "state" : "attached-at-next-start",
      "backend" : "soft",
      "interface_type" : "network",
      "source" : "lan",
$ pvrdmactl detach vm1 --json | grep exact
  "exact" : true,
# A running domain: only the configuration changes
$ pvrdmactl attach vm1 --rxe d0 --network lan
attached 'rxe_d0' port 1 to 'vm1' as device 0
GID fe80:0000:0000:0000:5054:00ff:fe00:0001, MAC 52:54:00:00:00:01
note: the network 'lan' is not active, and 'vm1' cannot start before it is: virsh net-start lan; for the next boot, virsh net-autostart lan
note: 'rxe_d0' does not exist yet: it is made when 'vm1' starts
note: 'vm1' is running: this takes effect at its next start (a reboot of the guest is not enough)
$ virsh -q dumpxml --security-info vm1 | cmp - live.xml
$ pvrdmactl status vm1 --json | grep -E '"(domain_running|state|complete)"'
      "domain_running" : true,
      "state" : "attached-at-next-start",
      "complete" : true,
$ pvrdmactl attach vm1 --rxe d0 --network lan
! pvrdmactl: attach 'vm1': 'd0' is attached already, as device 0
! to change it, run 'pvrdmactl detach vm1 0' first
[4]
$ pvrdmactl detach vm1 --json
{
  "version" : 1,
  "domain" : "vm1",
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "id" : 0,
  "changed" : true,
  "exact" : true,
  "notes" : [
    "'vm1' is running: this takes effect at its next start (a reboot of the guest is not enough)"
  ]
}
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
$ virsh -q dumpxml --security-info vm1 | cmp - live.xml
# The name may change: records go by UUID
$ virsh -q destroy vm1 && pvrdmactl attach vm1 --rxe d0 --network lan | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ virsh -q domrename vm1 vm9 && pvrdmactl detach vm9 && virsh -q domrename vm9 vm1
detached device 0 from 'vm9'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
$ pvrdmactl attach 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 --rxe d0 --network lan | head -n 1
attached 'rxe_d0' port 1 to 'vm1' as device 0
$ virsh -q dumpxml --inactive vm1 | sed -E 's/vm1/vm7/; s/5b4ac7b1(.*<.uuid>)/5b4ac7b2\1/' > clone.xml && virsh -q define clone.xml
# A copy of the XML claims the same device: it counts as held, and detach works on the copy too
$ pvrdmactl status | cut -d ' ' -f 1-6
DOMAIN  ID  STATE 
vm1     0
vm7     0
$ pvrdmactl detach vm1
detached device 0 from 'vm1'; the configuration is exactly as before
$ pvrdmactl attach vm1 --rxe d0 --network lan
! pvrdmactl: attach 'vm1': 'd0' is held by domain 'vm7', as device 0
! take another, or free it: pvrdmactl detach vm7 0
[1]
$ pvrdmactl detach vm7
detached device 0 from 'vm7'
$ virsh -q dumpxml --inactive --security-info vm1 | cmp - vm1.xml
# Counters: only running domains have them, and only those with a device are asked
$ pvrdmactl attach vm1 --network lan | head -n 1
attached a soft RDMA device to 'vm1' as device 0
$ pvrdmactl status vm1 --stats
! pvrdmactl: status 'vm1': the domain is not running
! start it: virsh start vm1
[1]
$ pvrdmactl status --stats
no running domain has an RDMA device
$ pvrdmactl status --stats --json
{
  "version" : 1,
  "devices" : [],
  "notes" : []
}
$ pvrdmactl status nosuch --stats
! pvrdmactl: status 'nosuch': no such domain
! 'virsh list --all' shows the domains
[3]
$ pvrdmactl detach vm1
detached device 0 from 'vm1'; the configuration is exactly as before
$ virsh -q start vm1 && pvrdmactl status --stats --watch | sed 's/^==.*/==/' && virsh -q dominfo vm1 | grep custom
==
no running domain has an RDMA device
[1]
$ pvrdmactl status vm1 --stats
'vm1' runs without an RDMA device
$ pvrdmactl status vm1 --stats --watch --json
{
  "version" : 1,
  "devices" : [],
  "notes" : []
}
$ virsh -q dominfo vm1 | grep -o 'custom.*'; virsh -q destroy vm1
custom monitor control commands issued
# Transient
$ virsh -q start vm1 && virsh -q undefine vm1
$ pvrdmactl attach vm1 --rxe d0 --network lan
! pvrdmactl: attach 'vm1': the domain is transient, it has no configuration to change
! make it persistent: virsh dumpxml vm1 > FILE; virsh define FILE
[1]
$ pvrdmactl detach vm1
! pvrdmactl: detach 'vm1': the domain is transient, it has no configuration to change
! make it persistent: virsh dumpxml vm1 > FILE; virsh define FILE
[1]
$ pvrdmactl status vm1
'vm1' has no RDMA device
# Users who may not
$ chmod 711 . && chmod 700 $STATE/sock && chmod 711 $STATE
$ setpriv --reuid 65534 --regid 65534 --clear-groups virsh -q list 2>&1 | grep -o 'Permission denied'
Permission denied
$ user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$PVRDMACTL" --root "$ROOT" "$@" 2>&1 | sed 's/at qemu.*: /at ...: /'; }; user status
pvrdmactl: status: cannot connect to libvirt at ...: Permission denied
run it as root, or as a user whom libvirt lets manage domains
$ chmod 711 $STATE/sock && chmod 777 $STATE/sock/libvirt-sock && virsh -q define $DATA/i440fx.xml
$ user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$PVRDMACTL" --root "$ROOT" "$@" 2>&1; }; user attach vm2 --rxe d0 --network lan; user attach vm2 --rxe d0 --network lan --dry-run | head -n 2
pvrdmactl: attach 'vm2': cannot open lock file '$ROOT/var/lib/pvrdma/lock': Permission denied
run this as root
--- before
+++ after
$ pvrdmactl status vm2
'vm2' has no RDMA device
