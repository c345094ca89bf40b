What the hook says when it cannot: one line, with what to do

$ fixture netdev d0 7c:fe:90:cb:74:3a down
$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ fixture domain vm2 77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22 d0
$ hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: prepare 'vm1': the netdev 'd0' is down; ip link set d0 up
[1]
$ fixture remove sys/class/net/d0
$ hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: prepare 'vm1': no network device 'd0'; 'ip link' shows the names
[3]
$ fixture netdev d0 7c:fe:90:cb:74:3b up
$ hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: prepare 'vm1': port 1 of 'rxe_d0' has no GID fe80:0000:0000:0000:7efe:90ff:fecb:743a; 'pvrdmactl gid rxe_d0 --why' shows what it has; if the netdev got another MAC, detach and attach again
[1]
$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ fixture fail rxe_add 8 'the kernel has no rdma_rxe'
$ hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: prepare 'vm1': the kernel has no rdma_rxe
[1]
$ fixture unfail rxe_add
$ sed "s/mode='shared'/mode='private'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': the memory of 'vm1' is private; add <memoryBacking><source type='memfd'/><access mode='shared'/></memoryBacking> with 'virsh edit vm1'
[1]
$ sed 's/vmxnet3/e1000e/' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': function 0 of its slot is 'e1000e', not vmxnet3; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed "s/mac address='7c:fe:90:cb:74:3a'/mac address='52:54:00:01:02:03'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': the MAC of function 0 is 52:54:00:01:02:03, but the GID fe80:0000:0000:0000:7efe:90ff:fecb:743a carries 7c:fe:90:cb:74:3a; set <mac address='7c:fe:90:cb:74:3a'/> in that interface with 'virsh edit vm1'
[1]
$ sed "/ua-pvrdma0'/,+1s/0x1/0x3/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': its PCI address is not function 1 of a slot; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed 's/<uuid>5b/<uuid>6b/' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': pvrdma metadata: path='/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0' belongs to another domain; was 'vm1' cloned?; run 'pvrdmactl detach vm1 0' and attach a device of its own
[1]
$ sed '1s/^/<!DOCTYPE domain>/' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': malformed XML: a DOCTYPE is not allowed here
[1]
$ sed "s/backend='rxe'/backend='magic'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': pvrdma metadata: backend='magic' is none of rxe, ibdev, soft, vf and pool
[1]
$ sed "s/version='1'/version='2'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': pvrdma metadata: version='2' is not known to this program, only '1' is
[1]
$ ls dev run/pvrdma/leases sys/class
dev:
infiniband

run/pvrdma/leases:

sys/class:
infiniband
infiniband_verbs
net
# Somebody else holds the port; libvirt then calls stopped and release for vm2, and vm1 keeps it.
$ hook vm1 prepare begin - < vm1.xml
$ hook vm2 prepare begin - < vm2.xml
! pvrdma-hook: prepare 'vm2': port 1 of 'rxe_d0' is held by domain 'vm1' (device 0, prepared); shut that domain down, or give this one another ibdevice
[1]
$ hook vm2 stopped end - < vm2.xml
$ hook vm2 release end - < vm2.xml
$ ls run/pvrdma/leases
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json
# QEMU is not there, or is not this domain's.
$ hook vm1 started begin - < vm1.xml
! pvrdma-hook: started 'vm1': there is no process number in '$ROOT/run/libvirt/qemu/vm1.pid'
[3]
$ fixture qemu vm1 77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22 4711
$ hook vm1 started begin - < vm1.xml
! pvrdma-hook: started 'vm1': process 4711 of '$ROOT/run/libvirt/qemu/vm1.pid' is not the QEMU of domain 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11
[3]
$ fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ fixture fail set_memlock 7 'cannot raise the limit of locked memory of process 4711'
$ hook vm1 started begin - < vm1.xml
! pvrdma-hook: started 'vm1': cannot raise the limit of locked memory of process 4711
[1]
$ fixture unfail set_memlock
# At reconnect an error costs nothing: the guest would be killed for it.
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '[]'
$ hook vm1 reconnect begin - < vm1.xml
! pvrdma-hook: reconnect 'vm1': lease file '$ROOT/run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json' is damaged: not a JSON object; make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
$ head -c 700 vm1.xml | hook vm1 reconnect begin - 2>&1 | grep -c 'malformed XML'
1
$ hook vm1 release end - < vm1.xml
! pvrdma-hook: release 'vm1': lease file '$ROOT/run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json' is damaged: not a JSON object; make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
[1]
$ hook vm2 prepare begin - < vm2.xml
! pvrdma-hook: prepare 'vm2': lease file '$ROOT/run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json' is damaged: not a JSON object; make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
[1]
$ hook
! usage: 50-pvrdma DOMAIN OPERATION SUBOPERATION EXTRA < DOMAIN-XML
! libvirt runs this program; see pvrdma-hook(8)
[2]
$ hook vm1
! usage: 50-pvrdma DOMAIN OPERATION SUBOPERATION EXTRA < DOMAIN-XML
! libvirt runs this program; see pvrdma-hook(8)
[2]
# The front is there, the program behind it is not.
$ broken-hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: cannot run '/nonexistent/pvrdma-hook': No such file or directory; install it again
[1]
$ broken-hook vm1 reconnect begin - < vm1.xml
! pvrdma-hook: cannot run '/nonexistent/pvrdma-hook': No such file or directory; install it again
