A VF and a pool of VFs through the life of domains: igb's VFs with Soft-RoCE on them

$ fixture sriov igb
$ fixture write etc/machine-id 0123456789abcdef0123456789abcdef
$ fixture write etc/pvrdma/host.json '{"version": 1, "pfs": [{"pf": "0000:01:00.0", "vfs": 2}], "links": [{"name": "mlx5_4", "pci": "0000:01:00.2"}, {"name": "mlx5_5", "pci": "0000:01:00.3"}], "pools": [{"name": "fast", "members": [{"pf": "0000:01:00.0"}]}, {"name": "none", "members": [{"driver": "mlx5*"}]}]}'
$ pvrdmactl apply
DECLARED         STATE    DETAILS
PF 0000:01:00.0  changed  2 VFs (before: 0)
link mlx5_4      changed  on enp1s0f0v0
link mlx5_5      changed  on enp1s0f0v1
$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ fixture domain vm2 77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22 d1
$ fixture domain vm3 00000000-0d6e-4a57-8f0c-8f4f3f7d3b22 d1
$ sed "s/backend='rxe' netdev='d0' ibdev='rxe_d0'/backend='vf' pci='0000:01:00.2' ibdev='mlx5_4'/" vm1.xml > vf.xml
$ for i in 1 2 3; do sed -E "s/backend='rxe' netdev='d.' ibdev='rxe_d.'/backend='pool' pool='fast'/" vm$i.xml > pool$i.xml; done
$ sed s/fast/none/ pool2.xml > none.xml; sed s/fast/slow/ pool2.xml > slow.xml
$ : > .fake/log
# One VF: the domain's MAC is the VF's, and what was there before comes back
$ hook vm1 prepare begin - < vf.xml
$ cat .fake/log
ibdev_del mlx5_4
set_netdev_up enp1s0f0v0 down
unbind 0000:01:00.2
set_vf 0000:01:00.0 0 mac 7c:fe:90:cb:74:3a
bind 0000:01:00.2 igbvf
set_netdev_up enp1s0f0v0 up
rxe_add mlx5_4 enp1s0f0v0
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV      PARENT      HELD BY        GID
mlx5_4  1     ACTIVE  Ethernet  enp1s0f0v0  enp1s0f0v0  vm1 (running)  0: fe80:0000:0000:0000:7efe:90ff:fecb:743a
mlx5_5  1     ACTIVE  Ethernet  enp1s0f0v1  enp1s0f0v1  -              0: fe80:0000:0000:0000:7c55:b7ff:fe47:6082
$ readlink dev/pvrdma/*
/dev/infiniband/uverbs0
$ grep '"step"' run/pvrdma/leases/*
      "step" : "rxe-del",
      "step" : "netdev-up",
      "step" : "unbind",
      "step" : "vf-mac",
      "step" : "bind",
      "step" : "netdev-up",
      "step" : "rxe-add",
      "step" : "symlink",
$ sed s/5b4ac7b1/6b4ac7b1/ vf.xml | sed 's/<name>vm1/<name>vm9/' | hook vm9 prepare begin -
! pvrdma-hook: prepare 'vm9': port 1 of 'mlx5_4' is held by domain 'vm1' (device 0, prepared); shut that domain down, or give this one another ibdevice
[1]
$ fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ hook vm1 started begin - < vf.xml
$ hook vm1 reconnect begin - < vf.xml
$ fixture no-qemu vm1 4711
$ hook vm1 release end - < vf.xml
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV      PARENT      HELD BY  GID
mlx5_4  1     ACTIVE  Ethernet  enp1s0f0v0  enp1s0f0v0  -        0: fe80:0000:0000:0000:c0fe:6dff:fe76:0a9b
mlx5_5  1     ACTIVE  Ethernet  enp1s0f0v1  enp1s0f0v1  -        0: fe80:0000:0000:0000:7c55:b7ff:fe47:6082
$ ls dev/pvrdma run/pvrdma/leases
dev/pvrdma:

run/pvrdma/leases:
# A process of the host uses it; it is gone
$ mkdir -p proc/77/fd; ln -s "/dev/infiniband/$(basename $(dirname $(grep -lx mlx5_4 sys/class/infiniband_verbs/*/ibdev)))" proc/77/fd/5; echo rping > proc/77/comm
$ hook vm1 prepare begin - < vf.xml
! pvrdma-hook: prepare 'vm1': VF 0000:01:00.2 is in use by process 77 (rping); 'pvrdmactl vf list' shows the VFs; see pvrdma.conf(5) for Soft-RoCE on a VF
[1]
$ hook vm2 prepare begin - < pool2.xml
$ grep '"device"' run/pvrdma/leases/*
  "device" : "0000:01:00.3",
$ hook vm3 prepare begin - < pool3.xml
! pvrdma-hook: prepare 'vm3': the pool 'fast' has no free member: 0000:01:00.2 is in use by process 77 (rping); 0000:01:00.3 is leased by 'vm2'; 'pvrdmactl vf list' shows the VFs; the pool is declared at $ROOT/etc/pvrdma/host.json:1
[1]
$ rm -r proc/77
$ hook vm3 prepare begin - < pool3.xml
$ hook vm1 prepare begin - < pool1.xml
! pvrdma-hook: prepare 'vm1': all members of the pool 'fast' are leased (2, by 'vm3', 'vm2'); shut one of these domains down, or add members at $ROOT/etc/pvrdma/host.json:1
[1]
$ hook vm2 prepare begin - < none.xml
! pvrdma-hook: prepare 'vm2': the pool 'none' is empty: no VF of this host fits its members; 'pvrdmactl vf list' shows the VFs; the pool is declared at $ROOT/etc/pvrdma/host.json:1
[3]
$ hook vm2 prepare begin - < slow.xml
! pvrdma-hook: prepare 'vm2': no pool 'slow' is declared; there are: fast, none
[3]
# Sticky: each gets the one that it had
$ hook vm3 release end - < pool3.xml
$ hook vm2 release end - < pool2.xml
$ cat var/lib/pvrdma/pools/*
0000:01:00.2
0000:01:00.3
$ hook vm2 prepare begin - < pool2.xml
$ grep '"device"' run/pvrdma/leases/*
  "device" : "0000:01:00.3",
$ hook vm2 release end - < pool2.xml
$ rm -r etc/pvrdma; sed s/01:00.2/01:00.7/ vf.xml | hook vm1 prepare begin -
! pvrdma-hook: prepare 'vm1': VF 0000:01:00.7 is not there any more; 'pvrdmactl vf create' makes VFs, 'pvrdmactl apply' those of /etc/pvrdma
[3]
$ ls dev/pvrdma run/pvrdma/leases
dev/pvrdma:

run/pvrdma/leases:
