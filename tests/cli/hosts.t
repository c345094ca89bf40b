list, gid, vf list and names of devices on hosts with hardware; see tests/fixtures

$ pvrdmactl vf list
no network card with SR-IOV on this host, or it is off in the firmware
$ pvrdmactl vf list --json
{
  "version" : 1,
  "pfs" : [],
  "notes" : []
}
$ pvrdmactl vf list mlx5_0
! pvrdmactl: vf list 'mlx5_0': no RDMA device 'mlx5_0'
! this host has none; 'pvrdmactl rxe add NETDEV' makes one
[3]
# mlx5 on Ethernet: a VF in use, one without a node GUID, one without a driver, one with vfio-pci
$ host mlx5_roce
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV     PARENT        HELD BY  GID
mlx5_0  1     ACTIVE  Ethernet  ens1f0np0  0000:3b:00.0  -        0: fe80:0000:0000:0000:0e42:a1ff:fe65:bd12
                                                                  1: fe80:0000:0000:0000:0e42:a1ff:fe65:bd12
                                                                  2: 0000:0000:0000:0000:0000:ffff:c0a8:0105
                                                                  3: 0000:0000:0000:0000:0000:ffff:c0a8:0105
mlx5_1  1     ACTIVE  Ethernet  ens1f1np1  0000:3b:00.1  -        0: fe80:0000:0000:0000:0e42:a1ff:fe65:bd13
                                                                  1: fe80:0000:0000:0000:0e42:a1ff:fe65:bd13
mlx5_2  1     ACTIVE  Ethernet  ens1f0v0   0000:3b:00.2  -        0: fe80:0000:0000:0000:0011:22ff:fe33:4400
                                                                  1: fe80:0000:0000:0000:0011:22ff:fe33:4400
mlx5_3  1     ACTIVE  Ethernet  ens1f0v1   0000:3b:00.3  -        0: fe80:0000:0000:0000:0011:22ff:fe33:4401
                                                                  1: fe80:0000:0000:0000:0011:22ff:fe33:4401
$ pvrdmactl vf list
PF            DRIVER     NETDEV     DEVICE  NUMA  VFS
0000:3b:00.0  mlx5_core  ens1f0np0  mlx5_0  0     4 of 16
0000:3b:00.1  mlx5_core  ens1f1np1  mlx5_1  0     0 of 16

PF            VF  PCI           DRIVER     NETDEV    DEVICE  MAC                NODE GUID            HELD BY
0000:3b:00.0  0   0000:3b:00.2  mlx5_core  ens1f0v0  mlx5_2  02:11:22:33:44:00  0011:22ff:fe33:4400  -
0000:3b:00.0  1   0000:3b:00.3  mlx5_core  ens1f0v1  mlx5_3  02:11:22:33:44:01  0000:0000:0000:0000  -
0000:3b:00.0  2   0000:3b:00.4  -          -         -       -                  -                    -
0000:3b:00.0  3   0000:3b:00.5  vfio-pci   -         -       -                  -                    -
$ pvrdmactl vf list mlx5_1
PF            DRIVER     NETDEV     DEVICE  NUMA  VFS
0000:3b:00.1  mlx5_core  ens1f1np1  mlx5_1  0     0 of 16
$ pvrdmactl vf list 3b:00.3 --json
{
  "version" : 1,
  "pfs" : [
    {
      "pci" : "0000:3b:00.0",
      "driver" : "mlx5_core",
      "numa_node" : 0,
      "netdevs" : [
        "ens1f0np0"
      ],
      "netdev_elsewhere" : false,
      "ibdevs" : [
        "mlx5_0"
      ],
      "node_guid" : "0e42:a1ff:fe65:bd12",
      "mac" : "0c:42:a1:65:bd:12",
      "vfs_max" : 16,
      "num_vfs" : 4,
      "vfs" : [
        {
          "index" : 0,
          "pci" : "0000:3b:00.2",
          "driver" : "mlx5_core",
          "numa_node" : 0,
          "netdevs" : [
            "ens1f0v0"
          ],
          "netdev_elsewhere" : false,
          "ibdevs" : [
            "mlx5_2"
          ],
          "node_guid" : "0011:22ff:fe33:4400",
          "mac" : "02:11:22:33:44:00",
          "admin" : null,
          "holder" : null
        },
        {
          "index" : 1,
          "pci" : "0000:3b:00.3",
          "driver" : "mlx5_core",
          "numa_node" : 0,
          "netdevs" : [
            "ens1f0v1"
          ],
          "netdev_elsewhere" : false,
          "ibdevs" : [
            "mlx5_3"
          ],
          "node_guid" : "0000:0000:0000:0000",
          "mac" : "02:11:22:33:44:01",
          "admin" : null,
          "holder" : null
        },
        {
          "index" : 2,
          "pci" : "0000:3b:00.4",
          "driver" : null,
          "numa_node" : 0,
          "netdevs" : [],
          "netdev_elsewhere" : false,
          "ibdevs" : [],
          "node_guid" : null,
          "mac" : null,
          "admin" : null,
          "holder" : null
        },
        {
          "index" : 3,
          "pci" : "0000:3b:00.5",
          "driver" : "vfio-pci",
          "numa_node" : 0,
          "netdevs" : [],
          "netdev_elsewhere" : false,
          "ibdevs" : [],
          "node_guid" : null,
          "mac" : null,
          "admin" : null,
          "holder" : null
        }
      ]
    }
  ],
  "notes" : []
}
$ pvrdmactl gid 0000:3b:00.2
PORT  INDEX  GID                                      TYPE     NETDEV    MAC
1     0      fe80:0000:0000:0000:0011:22ff:fe33:4400  RoCE v1  ens1f0v0  02:11:22:33:44:00
1     1      fe80:0000:0000:0000:0011:22ff:fe33:4400  RoCE v2  ens1f0v0  02:11:22:33:44:00
$ pvrdmactl gid ens1f0v1 --json | grep device
  "device" : "mlx5_3",
$ pvrdmactl gid 0x001122fffe334400 --json | grep device
  "device" : "mlx5_2",
$ pvrdmactl gid /dev/infiniband/uverbs3 --json | grep device
  "device" : "mlx5_3",
$ fixture rename mlx5_2 rocep59s0v0
$ pvrdmactl gid 3b:00.2 --json | grep device
  "device" : "rocep59s0v0",
$ pvrdmactl gid mlx5_2
! pvrdmactl: gid 'mlx5_2': no RDMA device 'mlx5_2'
! this host has: mlx5_0, mlx5_1, mlx5_3, rocep59s0v0
[3]
$ pvrdmactl gid 3b:00.4
! pvrdmactl: gid '3b:00.4': PCI function '0000:3b:00.4' has no RDMA device at present
! it has no driver; 'dmesg' may say more
[3]
$ pvrdmactl gid 3b:00.5
! pvrdmactl: gid '3b:00.5': PCI function '0000:3b:00.5' has no RDMA device at present
! it has the driver vfio-pci; 'dmesg' may say more
[3]
$ pvrdmactl gid 3b:00.6
! pvrdmactl: gid '3b:00.6': no PCI function '0000:3b:00.6' with a network or RDMA device, or for SR-IOV
! 'pvrdmactl vf list' and 'lspci' show what there is
[3]
$ pvrdmactl gid 0000:0000:0000:0000
! pvrdmactl: gid '0000:0000:0000:0000': node GUID 0 is that of every VF which has not got one yet
! name the device by its PCI address
[2]
$ pvrdmactl gid uverbs9
! pvrdmactl: gid 'uverbs9': no RDMA device has the uverbs node 'uverbs9'
! 'pvrdmactl list --json' shows what there is
[3]
$ pvrdmactl gid 1111:2222:3333:4444
! pvrdmactl: gid '1111:2222:3333:4444': no RDMA device has the node GUID '1111:2222:3333:4444'
! 'pvrdmactl list --json' shows what there is
[3]
$ pvrdmactl rxe del 3b:00.0
! pvrdmactl: rxe del '3b:00.0': RDMA device 'mlx5_0' is not a Soft-RoCE link but driver mlx5_core: it cannot be removed
[1]
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1, "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "domain": "vm1", "id": 0, "ibdev": "rocep59s0v0", "port": 1, "gid": "fe80:0000:0000:0000:0011:22ff:fe33:4400", "state": "prepared", "pid": 0, "pid_start": 0, "steps": []}'
$ pvrdmactl vf list 3b:00.0 | grep vm1
0000:3b:00.0  0   0000:3b:00.2  mlx5_core  ens1f0v0  rocep59s0v0  02:11:22:33:44:00  0011:22ff:fe33:4400  vm1 (running)
$ fixture remove run/pvrdma
# mlx5 on InfiniBand: the ibdevice and the IPoIB netdev of a function have one name
$ host mlx5_ib
$ pvrdmactl list
DEVICE     PORT  STATE   LINK        NETDEV  PARENT        HELD BY  GID
ibp94s0    1     ACTIVE  InfiniBand  -       0000:5e:00.0  -        0: fe80:0000:0000:0000:b859:9f03:0012:3456
ibp94s0v0  1     ACTIVE  InfiniBand  -       0000:5e:00.1  -        0: fe80:0000:0000:0000:0211:22ff:fe33:4455
ibp94s0v1  1     DOWN    InfiniBand  -       0000:5e:00.2  -        -
$ pvrdmactl vf list
PF            DRIVER     NETDEV   DEVICE   NUMA  VFS
0000:5e:00.0  mlx5_core  ibp94s0  ibp94s0  1     2 of 8

PF            VF  PCI           DRIVER     NETDEV     DEVICE     MAC  NODE GUID            HELD BY
0000:5e:00.0  0   0000:5e:00.1  mlx5_core  ibp94s0v0  ibp94s0v0  -    0211:22ff:fe33:4455  -
0000:5e:00.0  1   0000:5e:00.2  mlx5_core  ibp94s0v1  ibp94s0v1  -    0000:0000:0000:0000  -
$ pvrdmactl gid ibp94s0v0
PORT  INDEX  GID                                      TYPE  NETDEV  MAC
1     0      fe80:0000:0000:0000:0211:22ff:fe33:4455  IB    -       00:11:22:33:44:55
# mlx5 with a bond: the second function has no device of its own
$ host bond
$ pvrdmactl list
DEVICE       PORT  STATE   LINK      NETDEV  PARENT        HELD BY  GID
mlx5_bond_0  1     ACTIVE  Ethernet  bond0   0000:3b:00.0  -        0: fe80:0000:0000:0000:0e42:a1ff:fe65:bd20
                                                                    1: fe80:0000:0000:0000:0e42:a1ff:fe65:bd20
                                                                    2: 0000:0000:0000:0000:0000:ffff:c0a8:0107
                                                                    3: 0000:0000:0000:0000:0000:ffff:c0a8:0107
$ pvrdmactl vf list
PF            DRIVER     NETDEV     DEVICE       NUMA  VFS
0000:3b:00.0  mlx5_core  ens1f0np0  mlx5_bond_0  0     0 of 16
0000:3b:00.1  mlx5_core  ens1f1np1  -            0     0 of 16
$ pvrdmactl gid bond0 --json | grep device
  "device" : "mlx5_bond_0",
$ pvrdmactl gid 3b:00.1
! pvrdmactl: gid '3b:00.1': network device 'ens1f1np1' is a part of 'bond0', whose RDMA device is 'mlx5_bond_0'
! use that one
[3]
# bnxt_re
$ host bnxt
$ pvrdmactl list
DEVICE    PORT  STATE   LINK      NETDEV         PARENT        HELD BY  GID
bnxt_re0  1     ACTIVE  Ethernet  enp101s0f0np0  0000:65:00.0  -        0: fe80:0000:0000:0000:b226:28ff:fe00:1122
                                                                        1: fe80:0000:0000:0000:b226:28ff:fe00:1122
bnxt_re1  1     ACTIVE  Ethernet  enp101s0f0v0   0000:65:02.0  -        0: fe80:0000:0000:0000:0026:28ff:fe00:1123
                                                                        1: fe80:0000:0000:0000:0026:28ff:fe00:1123
$ pvrdmactl vf list
PF            DRIVER   NETDEV         DEVICE    NUMA  VFS
0000:65:00.0  bnxt_en  enp101s0f0np0  bnxt_re0  1     1 of 64

PF            VF  PCI           DRIVER   NETDEV        DEVICE    MAC                NODE GUID            HELD BY
0000:65:00.0  0   0000:65:02.0  bnxt_en  enp101s0f0v0  bnxt_re1  02:26:28:00:11:23  0026:28ff:fe00:1123  -
# irdma: VFs are no RDMA devices
$ host irdma
$ pvrdmactl list
DEVICE       PORT  STATE   LINK      NETDEV  PARENT        HELD BY  GID
rocep24s0f0  1     ACTIVE  Ethernet  ens2f0  0000:18:00.0  -        0: fe80:0000:0000:0000:b696:91ff:feaa:bbcc
                                                                    1: 0000:0000:0000:0000:0000:ffff:c0a8:0108
$ pvrdmactl vf list
PF            DRIVER  NETDEV  DEVICE       NUMA  VFS
0000:18:00.0  ice     ens2f0  rocep24s0f0  0     1 of 128

PF            VF  PCI           DRIVER  NETDEV    DEVICE  MAC                NODE GUID  HELD BY
0000:18:00.0  0   0000:18:01.0  iavf    ens2f0v0  -       0a:96:91:aa:bb:cd  -          -
$ pvrdmactl gid ens2f0v0
! pvrdmactl: gid 'ens2f0v0': network device 'ens2f0v0' has no RDMA device
! 'pvrdmactl rxe add ens2f0v0' makes one in software
[3]
$ pvrdmactl vf list ens2f0v0
PF            DRIVER  NETDEV  DEVICE       NUMA  VFS
0000:18:00.0  ice     ens2f0  rocep24s0f0  0     1 of 128

PF            VF  PCI           DRIVER  NETDEV    DEVICE  MAC                NODE GUID  HELD BY
0000:18:00.0  0   0000:18:01.0  iavf    ens2f0v0  -       0a:96:91:aa:bb:cd  -          -
# A netdev in another network namespace, and one of ours that has the same name
$ host netns
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV     PARENT        HELD BY  GID
mlx5_0  1     ACTIVE  Ethernet  ens1f0np0  0000:3b:00.0  -        0: fe80:0000:0000:0000:0e42:a1ff:fe65:bd12
                                                                  1: fe80:0000:0000:0000:0e42:a1ff:fe65:bd12
mlx5_1  1     ACTIVE  Ethernet  eth0       0000:3b:00.2  -        0: fe80:0000:0000:0000:0011:22ff:fe33:4400
                                                                  1: fe80:0000:0000:0000:0011:22ff:fe33:4400
$ pvrdmactl vf list
PF            DRIVER     NETDEV     DEVICE  NUMA  VFS
0000:3b:00.0  mlx5_core  ens1f0np0  mlx5_0  0     1 of 16

PF            VF  PCI           DRIVER     NETDEV             DEVICE  MAC  NODE GUID            HELD BY
0000:3b:00.0  0   0000:3b:00.2  mlx5_core  (other namespace)  mlx5_1  -    0011:22ff:fe33:4400  -
$ pvrdmactl vf list --json | grep netdev_elsewhere
      "netdev_elsewhere" : false,
          "netdev_elsewhere" : true,
$ pvrdmactl gid eth0
! pvrdmactl: gid 'eth0': network device 'eth0' has no RDMA device
! 'pvrdmactl rxe add eth0' makes one in software
[3]
$ pvrdmactl rxe add 3b:00.2
! pvrdmactl: rxe add '3b:00.2': '3b:00.2' has no network device in this network namespace
! 'pvrdmactl list' and 'ip link' show what there is
[3]
# Firmware: two VFs at most, or none at all
$ host capped
$ pvrdmactl vf list
PF            DRIVER     NETDEV     DEVICE  NUMA  VFS
0000:3b:00.0  mlx5_core  ens1f0np0  mlx5_0  0     2 of 2

PF            VF  PCI           DRIVER     NETDEV    DEVICE  MAC                NODE GUID            HELD BY
0000:3b:00.0  0   0000:3b:00.2  mlx5_core  ens1f0v0  mlx5_2  02:11:22:33:44:00  0011:22ff:fe33:4400  -
0000:3b:00.0  1   0000:3b:00.3  mlx5_core  ens1f0v1  mlx5_3  02:11:22:33:44:01  0011:22ff:fe33:4401  -
$ pvrdmactl vf list mlx5_1
! pvrdmactl: vf list 'mlx5_1': it has no SR-IOV
! 'pvrdmactl vf list' shows what has; firmware and BIOS can turn it off
[3]
# Errors
$ pvrdmactl vf list nope
! pvrdmactl: vf list 'nope': no RDMA device 'nope'
! this host has: mlx5_0, mlx5_1, mlx5_2, mlx5_3
[3]
$ pvrdmactl vf list a b
! pvrdmactl: vf list 'a': too many arguments: takes [DEV]
! see 'pvrdmactl vf list --help'
[2]
$ pvrdmactl vf
! pvrdmactl: 'vf' needs one more word
! see 'pvrdmactl --help'
[2]
$ fixture fail list_pci 1 'sysfs is gone'
$ pvrdmactl vf list
! pvrdmactl: vf list: sysfs is gone
[1]
$ fixture unfail list_pci
$ pvrdmactl -c test:///default vf list
! pvrdmactl: vf list: the libvirt connection is to 'TEST', not to QEMU
! give a QEMU connection with -c, such as qemu:///system
[1]
$ pvrdmactl vf list --help
Usage: pvrdmactl vf list [DEV]

List network cards with SR-IOV, their VFs, and who holds them

With DEV only that card (PF), which may be named by one of its VFs, too. VFS is how many
there are, of how many the firmware allows.

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl vf list
  pvrdmactl vf list mlx5_0 --json
