Soft devices: the hook verifies, and makes nothing

$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 soft
$ grep -E 'pvrdma:device |memoryBacking|<backend|backend-dev' vm1.xml
      <pvrdma:device id='0' backend='soft' alias='ua-pvrdma0' controller='4'/>
      <backend model='builtin'/>
$ for op in prepare start started reconnect stopped release; do hook vm1 $op begin - < vm1.xml || echo $op; done
$ ls; ls run/pvrdma
vm1.xml
! ls: cannot access 'run/pvrdma': No such file or directory
[2]
# Any memory and any MAC will do, and a copy of the domain is as good
$ sed 's,<os>,<memoryBacking><hugepages/><access mode="private"/></memoryBacking>&,; s/<uuid>5b/<uuid>6b/; s/7c:fe:90:cb:74:3b/52:54:00:01:02:03/' vm1.xml | hook vm1 prepare begin -
# What is wrong is said
$ sed 's/vmxnet3/virtio/' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': function 0 of its slot is 'virtio', not vmxnet3; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed '/<qemu:override>/,/<.qemu:override>/d' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': no <qemu:override> makes function 1 a pvrdma; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed "s,</qemu:frontend>,<qemu:property name='backend-dev' type='string' value='rxe0'/>&," vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': function 1 has the backend-dev rxe0, a soft device has none; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed '/<rng/,/<.rng>/d' vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': there is no function 1 (alias ua-pvrdma0); 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed "s/ multifunction='on'//" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': the address of function 0 lacks multifunction='on'; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ sed "s/function='0x1'/function='0x2'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': its PCI address is not function 1 of a slot; 'pvrdmactl detach vm1 0', then attach it again
[1]
$ for t in vhostuser vdpa hostdev null; do sed "s/interface type='bridge'/interface type='$t'/" vm1.xml | hook vm1 prepare begin -; done
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': a soft device sends through function 0, but that is an interface of type 'vhostuser', whose frames QEMU does not see; connect it to a network, a bridge or a macvtap with 'virsh edit vm1'
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': a soft device sends through function 0, but that is an interface of type 'vdpa', whose frames QEMU does not see; connect it to a network, a bridge or a macvtap with 'virsh edit vm1'
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': a soft device sends through function 0, but that is an interface of type 'hostdev', whose frames QEMU does not see; connect it to a network, a bridge or a macvtap with 'virsh edit vm1'
! pvrdma-hook: prepare 'vm1': device 0 of 'vm1': a soft device sends through function 0, but that is an interface of type 'null', whose frames QEMU does not see; connect it to a network, a bridge or a macvtap with 'virsh edit vm1'
[1]
$ for t in network direct user udp mcast server client ethernet; do sed "s/interface type='bridge'/interface type='$t'/" vm1.xml | hook vm1 prepare begin - || echo $t; done
$ sed "s/backend='soft'/& port='1'/" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': pvrdma metadata: <device> of backend soft has port, which is for others
[1]
$ sed "s/alias='ua-pvrdma0' /alias='pvrdma0' /" vm1.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': pvrdma metadata: alias='pvrdma0' is no possible alias
[1]
$ ls run/pvrdma
! ls: cannot access 'run/pvrdma': No such file or directory
[2]
# A lease that an earlier configuration left goes; one of somebody else stays, damaged or not
$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ fixture domain old 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ fixture domain vm2 77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22 d0
$ hook vm1 prepare begin - < old.xml && ls run/pvrdma/leases
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json
$ hook vm1 prepare begin - < vm1.xml && ls run/pvrdma/leases dev/pvrdma sys/class/infiniband
dev/pvrdma:

run/pvrdma/leases:

sys/class/infiniband:
$ hook vm2 prepare begin - < vm2.xml && ls run/pvrdma/leases
77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0.json
$ fixture write run/pvrdma/leases/77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0.json '[]'
$ for op in prepare started reconnect stopped release; do hook vm1 $op begin - < vm1.xml || echo $op; done
$ rm run/pvrdma/leases/* dev/pvrdma/* && rm -r sys/class/infiniband/*
# The same while it runs with the old one: it stays
$ hook vm1 prepare begin - < old.xml && fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ hook vm1 prepare begin - < vm1.xml
! pvrdma-hook: prepare 'vm1': the domain is running (process 4711)
[1]
$ ls run/pvrdma/leases
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json
$ fixture no-qemu vm1 4711 && hook vm1 release end - < vm1.xml && ls run/pvrdma/leases sys/class/infiniband
run/pvrdma/leases:

sys/class/infiniband:
# One of each
$ fixture domain vm3 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0+soft
$ hook vm3 prepare begin - < vm3.xml && ls run/pvrdma/leases dev/pvrdma
dev/pvrdma:
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0

run/pvrdma/leases:
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json
$ fixture qemu vm3 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4712
$ hook vm3 started begin - < vm3.xml && grep -e state -e pid run/pvrdma/leases/*
  "state" : "running",
  "pid" : 4712,
  "pid_start" : 47127,
$ hook vm3 reconnect begin - < vm3.xml
$ fixture no-qemu vm3 4712 && hook vm3 release end - < vm3.xml && ls run/pvrdma/leases dev/pvrdma sys/class/infiniband
dev/pvrdma:

run/pvrdma/leases:

sys/class/infiniband:
$ cat .fake/log
rxe_add rxe_d0 d0
ibdev_del rxe_d0
rxe_add rxe_d0 d0
rxe_add rxe_d0 d0
ibdev_del rxe_d0
rxe_add rxe_d0 d0
set_memlock 4712 18446744073709551615
set_memlock 4712 18446744073709551615
ibdev_del rxe_d0
# Its soft one is verified, too, before anything is made
$ sed "s/'0x05' slot='0x00' function='0x1'/'0x05' slot='0x01' function='0x1'/" vm3.xml | hook vm3 prepare begin -
! pvrdma-hook: prepare 'vm3': device 1 of 'vm3': there is no interface at function 0 of its slot; 'pvrdmactl detach vm3 1', then attach it again
[1]
$ sed "s/mode='shared'/mode='private'/" vm3.xml | hook vm3 prepare begin -
! pvrdma-hook: prepare 'vm3': the memory of 'vm3' is private; add <memoryBacking><source type='memfd'/><access mode='shared'/></memoryBacking> with 'virsh edit vm3'
[1]
$ ls run/pvrdma/leases dev/pvrdma sys/class/infiniband
dev/pvrdma:

run/pvrdma/leases:

sys/class/infiniband:
