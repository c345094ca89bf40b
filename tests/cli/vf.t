pvrdmactl vf create, vf set, vf reset, vf remove

$ fixture write etc/machine-id 0123456789abcdef0123456789abcdef
$ fixture sriov mlx5
$ fixture sriov mlx5-ib
$ fixture sriov igb
# Making them
$ pvrdmactl vf create ens1f0np0 0
! pvrdmactl: vf create 'ens1f0np0': '0' is not a number of VFs
! give one from 1 to what 'pvrdmactl vf list' shows; 'vf remove' removes them
[2]
$ pvrdmactl vf create ens1f0np0 x
! pvrdmactl: vf create 'ens1f0np0': 'x' is not a number of VFs
! give one from 1 to what 'pvrdmactl vf list' shows; 'vf remove' removes them
[2]
$ pvrdmactl vf create ens1f0np0 9
! pvrdmactl: vf create 'ens1f0np0': the firmware of 0000:3b:00.0 allows 8 VFs, not 9
! ask for fewer, or raise it with the vendor's tool (mlxconfig NUM_OF_VFS=, niccli, ...) and reboot
[1]
$ pvrdmactl vf create nope 2
! pvrdmactl: vf create 'nope': no RDMA device 'nope'
! this host has: mlx5_0, mlx5_1
[3]
$ pvrdmactl vf create 0000:77:00.0 2
! pvrdmactl: vf create '0000:77:00.0': no PCI function '0000:77:00.0' with a network or RDMA device, or for SR-IOV
! 'pvrdmactl vf list' and 'lspci' show what there is
[3]
$ pvrdmactl vf create ens1f0np0 2 --timeout=-1
! pvrdmactl: vf create 'ens1f0np0': timeout -1 is not from 0 to 3600 seconds
! see 'pvrdmactl vf create --help'
[2]
$ pvrdmactl vf create ens1f0np0
! pvrdmactl: vf create 'ens1f0np0': argument missing: needs PF N
! see 'pvrdmactl vf create --help'
[2]
$ pvrdmactl vf create mlx5_0 2
0000:3b:00.0: 2 VFs
0000:3b:00.2: MAC ae:3f:8b:26:1b:ef, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
0000:3b:00.3: MAC 0e:ca:2a:ee:0c:9d, network device ens1f0np0v1, RDMA device mlx5_3, port ACTIVE
$ pvrdmactl vf create ens1f0np0 2
! pvrdmactl: vf create 'ens1f0np0': it has 2 VFs already
[4]
$ pvrdmactl vf create ens1f0np0 4
! pvrdmactl: vf create 'ens1f0np0': 0000:3b:00.0 has 2 VFs, and the kernel can only remove them all to make 4 new ones
! if nobody needs them, say --replace
[1]
$ pvrdmactl vf create 0000:3b:00.2 1
! pvrdmactl: vf create '0000:3b:00.2': 0000:3b:00.2 has no SR-IOV
! it is a VF itself: name its PF
[1]
$ pvrdmactl --json vf create ib0 1
{
  "version" : 1,
  "pf" : "0000:5e:00.0",
  "vfs" : [
    {
      "pci" : "0000:5e:00.2",
      "pf" : "0000:5e:00.0",
      "index" : 0,
      "driver" : "mlx5_core",
      "netdev" : "ib0v0",
      "device" : "mlx5_4",
      "mac" : null,
      "node_guid" : "7ec6:6c45:3b19:eaf6",
      "port_guid" : "ba5a:458f:c486:6c6d",
      "port_state" : "ACTIVE",
      "port_reason" : null,
      "note" : null
    }
  ]
}
$ pvrdmactl vf create enp1s0f0 1
0000:01:00.0: 1 VF
0000:01:00.2: MAC c2:fe:6d:76:0a:9b, network device enp1s0f0v0
$ find run -type f | sort
# The address is the same after a reboot
$ pvrdmactl vf remove ens1f0np0
0000:3b:00.0: 2 VFs removed
$ pvrdmactl vf remove ens1f0np0
! pvrdmactl: vf remove 'ens1f0np0': it has 0 VFs
[4]
$ pvrdmactl vf create 0000:3b:00.0 2
0000:3b:00.0: 2 VFs
0000:3b:00.2: MAC ae:3f:8b:26:1b:ef, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
0000:3b:00.3: MAC 0e:ca:2a:ee:0c:9d, network device ens1f0np0v1, RDMA device mlx5_3, port ACTIVE
$ pvrdmactl vf create 0000:3b:00.0 1 --replace
0000:3b:00.0: 1 VF
0000:3b:00.2: MAC ae:3f:8b:26:1b:ef, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
# Drivers
$ fixture quirk 0000:01:00.0 needs-link-up 1
$ fixture write sys/class/net/enp1s0f0/flags 0x1002
$ fixture remove sys/class/net/enp1s0f0/carrier
$ pvrdmactl vf create enp1s0f0 2 --replace
0000:01:00.0: 2 VFs
0000:01:00.2: MAC c2:fe:6d:76:0a:9b, network device enp1s0f0v0
0000:01:00.3: MAC 7e:55:b7:47:60:82, network device enp1s0f0v1
$ pvrdmactl vf remove enp1s0f0
0000:01:00.0: 2 VFs removed
$ fixture fail set_num_vfs 1 'no resources left for 2 VFs'
$ pvrdmactl vf create enp1s0f0 2
! pvrdmactl: vf create 'enp1s0f0': no resources left for 2 VFs
[1]
$ fixture unfail set_num_vfs
$ fixture quirk 0000:01:00.0 late 2
$ pvrdmactl vf create enp1s0f0 1
0000:01:00.0: 1 VF
0000:01:00.2: MAC c2:fe:6d:76:0a:9b, network device enp1s0f0v0
$ pvrdmactl vf remove enp1s0f0
0000:01:00.0: 1 VF removed
$ fixture quirk 0000:01:00.0 late 100000000
$ pvrdmactl vf create enp1s0f0 1 --timeout 0
0000:01:00.0: 1 VF
0000:01:00.2: MAC -
  0000:01:00.2 has no network device yet
    'dmesg' may say why
! pvrdmactl: vf create 'enp1s0f0': VFs of 0000:01:00.0 that are not as they should be: 1 of 1
! the lines above say why; 'pvrdmactl vf reset VF' tries again
[1]
$ pvrdmactl vf remove enp1s0f0
0000:01:00.0: 1 VF removed
$ fixture quirk 0000:01:00.0 late -
$ fixture quirk 0000:01:00.0 no-autoprobe 1
$ fixture write sys/devices/0000:01:00.0/sriov_drivers_autoprobe 0
$ pvrdmactl vf create enp1s0f0 1
0000:01:00.0: 1 VF
0000:01:00.2: MAC -, no driver
  0000:01:00.2 has no driver: sriov_drivers_autoprobe of its PF is 0
    bind one to it, or write 1 there and make the VFs anew
! pvrdmactl: vf create 'enp1s0f0': VFs of 0000:01:00.0 that are not as they should be: 1 of 1
! the lines above say why; 'pvrdmactl vf reset VF' tries again
[1]
$ pvrdmactl vf remove enp1s0f0
0000:01:00.0: 1 VF removed
$ fixture quirk 0000:01:00.0 no-autoprobe -
$ pvrdmactl vf create enp1s0f0 2
0000:01:00.0: 2 VFs
0000:01:00.2: MAC c2:fe:6d:76:0a:9b, network device enp1s0f0v0
0000:01:00.3: MAC 7e:55:b7:47:60:82, network device enp1s0f0v1
$ fixture write etc/machine-id ''
$ pvrdmactl vf create ens1f0np0 2 --replace
0000:3b:00.0: 2 VFs
0000:3b:00.2: MAC -, network device ens1f0np0v0, RDMA device mlx5_2, port DOWN
  this machine has no id that addresses could be made from ($ROOT/etc/machine-id)
    'systemd-machine-id-setup' makes one, or give the address yourself
  the port is not ACTIVE: its network device 'ens1f0np0v0' is down
    'ip link set ens1f0np0v0 up'
0000:3b:00.3: MAC -, network device ens1f0np0v1, RDMA device mlx5_3, port DOWN
  this machine has no id that addresses could be made from ($ROOT/etc/machine-id)
    'systemd-machine-id-setup' makes one, or give the address yourself
  the port is not ACTIVE: its network device 'ens1f0np0v1' is down
    'ip link set ens1f0np0v1 up'
! pvrdmactl: vf create 'ens1f0np0': VFs of 0000:3b:00.0 that are not as they should be: 2 of 2
! the lines above say why; 'pvrdmactl vf reset VF' tries again
[1]
$ fixture write etc/machine-id 0123456789abcdef0123456789abcdef
# Setting
$ pvrdmactl vf set 0000:3b:00.2
! pvrdmactl: vf set '0000:3b:00.2': nothing to set: give at least one option
! see 'pvrdmactl vf set --help'
[2]
$ pvrdmactl vf set 0000:3b:00.2 --mac 01:00:00:00:00:01
! pvrdmactl: vf set '0000:3b:00.2': no VF can have the MAC 01:00:00:00:00:01
! give one that is neither zero nor multicast
[2]
$ pvrdmactl vf set 0000:3b:00.2 --mac nonsense
! pvrdmactl: vf set '0000:3b:00.2': 'nonsense' is not a MAC address
! write six pairs of hex digits, like 7c:fe:90:cb:74:3a
[2]
$ pvrdmactl vf set 0000:3b:00.2 --vlan 5000
! pvrdmactl: vf set '0000:3b:00.2': 'vlan 5000 0' is no attribute of a VF
! write 'vlan 5 0', 'rate 0 1000', 'spoofchk on', 'trust off', or 'state auto'
[2]
$ pvrdmactl vf set 0000:3b:00.2 --rate 5:4
! pvrdmactl: vf set '0000:3b:00.2': 'rate 5 4' is no attribute of a VF
! write 'vlan 5 0', 'rate 0 1000', 'spoofchk on', 'trust off', or 'state auto'
[2]
$ pvrdmactl vf set 0000:3b:00.2 --trust maybe
! pvrdmactl: vf set '0000:3b:00.2': 'trust maybe' is no attribute of a VF
! write 'vlan 5 0', 'rate 0 1000', 'spoofchk on', 'trust off', or 'state auto'
[2]
$ pvrdmactl vf set 0000:3b:00.2 --node-guid auto
! pvrdmactl: vf set '0000:3b:00.2': the driver of PF 0000:3b:00.0 has no GUIDs for its VFs
! leave it out; 'pvrdmactl vf list' shows what there is
[1]
$ pvrdmactl vf set 0000:3b:00.0 --trust on
! pvrdmactl: vf set '0000:3b:00.0': it is no VF
! 'pvrdmactl vf list' shows the VFs
[1]
$ pvrdmactl vf set ens1f0np0v0 --mac 52:54:00:12:34:56
0000:3b:00.2: MAC 52:54:00:12:34:56, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
$ pvrdmactl vf set mlx5_3 --mac 52:54:00:12:34:56
! pvrdmactl: vf set 'mlx5_3': VF 0 of 0000:3b:00.0 has that MAC already
! choose another one, or reset that VF first
[1]
$ pvrdmactl vf set ens1f0np0v0 --mac 52:54:00:12:34:56
! pvrdmactl: vf set 'ens1f0np0v0': it is so already
[4]
$ pvrdmactl vf set ens1f0np0v0 --vlan 5:3 --rate 10000 --trust on --spoofchk off --link-state enable
0000:3b:00.2: MAC 52:54:00:12:34:56, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
$ cat .fake/pf-0000:3b:00.0/vf0
mac 52:54:00:12:34:56
vlan 5 3
rate 0 10000
spoofchk off
trust on
state enable
$ pvrdmactl vf reset ens1f0np0v0
0000:3b:00.2: MAC ae:3f:8b:26:1b:ef, network device ens1f0np0v0, RDMA device mlx5_2, port ACTIVE
$ cat .fake/pf-0000:3b:00.0/vf0
mac ae:3f:8b:26:1b:ef
vlan 0 0
rate 0 0
spoofchk on
trust off
state auto
$ pvrdmactl vf reset ens1f0np0v0
! pvrdmactl: vf reset 'ens1f0np0v0': it is so already
[4]
$ fixture quirk 0000:3b:00.0 lacks trust
$ pvrdmactl --json vf set ens1f0np0v0 --mac 52:54:00:12:34:57 --trust on
! pvrdmactl: vf set 'ens1f0np0v0': the driver of 0000:3b:00.0 cannot set 'trust on' of a VF
[1]
$ cat .fake/pf-0000:3b:00.0/vf0
mac ae:3f:8b:26:1b:ef
vlan 0 0
rate 0 0
spoofchk on
trust off
state auto
$ fixture quirk 0000:3b:00.0 zero-guid 1
$ pvrdmactl vf set ens1f0np0v0 --mac 52:54:00:12:34:57 --timeout 0
! pvrdmactl: vf set 'ens1f0np0v0': RDMA device 'mlx5_2' of 0000:3b:00.2 has node GUID 0, and cannot be used
! give the VF an address ('pvrdmactl vf reset 0000:3b:00.2'); if that does not help, its firmware is too old
[1]
$ fixture quirk 0000:3b:00.0 zero-guid -
$ pvrdmactl vf set ens1f0np0v0 --mac auto
! pvrdmactl: vf set 'ens1f0np0v0': it is so already
[4]
# A Soft-RoCE link on a VF stays what it was
$ pvrdmactl rxe add enp1s0f0v0 --name rxe_vf
rxe_vf: Soft-RoCE link on enp1s0f0v0, port DOWN
the port becomes ACTIVE when enp1s0f0v0 is up and has a carrier: 'ip link set enp1s0f0v0 up'
$ pvrdmactl vf set rxe_vf --mac 52:54:00:12:34:58
0000:01:00.2: MAC 52:54:00:12:34:58, network device enp1s0f0v0, RDMA device rxe_vf, port ACTIVE
$ pvrdmactl --json vf set rxe_vf --mac auto
{
  "version" : 1,
  "pci" : "0000:01:00.2",
  "pf" : "0000:01:00.0",
  "index" : 0,
  "driver" : "igbvf",
  "netdev" : "enp1s0f0v0",
  "device" : "rxe_vf",
  "mac" : "c2:fe:6d:76:0a:9b",
  "port_state" : "ACTIVE",
  "port_reason" : null,
  "note" : null
}
$ pvrdmactl list
DEVICE  PORT  STATE   LINK        NETDEV       PARENT        HELD BY  GID
mlx5_0  1     ACTIVE  Ethernet    -            0000:3b:00.0  -        -
mlx5_1  1     ACTIVE  InfiniBand  -            0000:5e:00.0  -        -
mlx5_2  1     ACTIVE  Ethernet    ens1f0np0v0  0000:3b:00.2  -        0: fe80:0000:0000:0000:ac3f:8bff:fe26:1bef
                                                                      1: fe80:0000:0000:0000:ac3f:8bff:fe26:1bef
mlx5_3  1     DOWN    Ethernet    ens1f0np0v1  0000:3b:00.3  -        0: fe80:0000:0000:0000:00fa:4eff:fe00:0007
                                                                      1: fe80:0000:0000:0000:00fa:4eff:fe00:0007
mlx5_4  1     ACTIVE  InfiniBand  -            0000:5e:00.2  -        0: fe80:0000:0000:0000:ba5a:458f:c486:6c6d
rxe_vf  1     ACTIVE  Ethernet    enp1s0f0v0   enp1s0f0v0    -        0: fe80:0000:0000:0000:c0fe:6dff:fe76:0a9b
$ fixture fail rxe_add 1 'no memory'
$ pvrdmactl vf set rxe_vf --mac 52:54:00:12:34:58
! pvrdmactl: vf set 'rxe_vf': no memory; and it could not be taken back: no memory
! 'pvrdmactl recover' tries again
[1]
$ pvrdmactl vf set 0000:5e:00.2 --mac 52:54:00:12:34:59
! pvrdmactl: vf set '0000:5e:00.2': 0000:5e:00.2 is on InfiniBand, and has no MAC of its own
! give it GUIDs
[1]
$ fixture unfail rxe_add
$ pvrdmactl recover | sed 's,process [0-9]*,process N,'
journal vf-0000:01:00.2, process N is gone: taken back
  rxe-del rxe_vf: pci 0000:01:00.2
$ pvrdmactl recover | sed 's,process [0-9]*,process N,'
! pvrdmactl: recover: nothing was left by a crash
$ pvrdmactl list --json | grep -A4 rxe_vf
      "name" : "rxe_vf",
      "driver" : "rxe",
      "node_guid" : "c0fe:6dff:fe76:0a9b",
      "uverbs" : "uverbs5",
      "parent" : "enp1s0f0v0",
# In use
$ fixture quirk 0000:5e:00.0 no-sm 1
$ pvrdmactl vf set 0000:5e:00.2 --node-guid 0200:0000:0000:0001 --port-guid 0200:0000:0000:0002 --timeout 0
0000:5e:00.2: node GUID 0200:0000:0000:0001, network device ib0v0, RDMA device mlx5_4, port INIT
  the port is not ACTIVE: no subnet manager has configured it (it is INIT)
    start one: 'systemctl start opensm' on a host of the fabric, or the switch's own; it must allow virtual ports
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1, "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "domain": "vm1", "id": 0, "ibdev": "mlx5_4", "port": 1, "gid": "fe80:0000:0000:0000:5054:00ff:fe00:0001", "state": "prepared", "pid": 0, "pid_start": 0, "steps": []}'
$ pvrdmactl vf remove 0000:5e:00.0
! pvrdmactl: vf remove '0000:5e:00.0': VF 0000:5e:00.2 is leased by 'vm1'
! shut that domain down first
[1]
$ fixture remove run/pvrdma
$ pvrdmactl vf remove 0000:5e:00.0
0000:5e:00.0: 1 VF removed
$ pvrdmactl vf create --help
Usage: pvrdmactl vf create [OPTIONS] PF N

Make VFs on a network or RDMA card, and give them addresses that last

Needs root. Each VF gets a MAC (on InfiniBand: GUIDs) made from this machine's id and the VF's
PCI address, so that it is the same after a reboot. The PF's network device is set up. The
kernel cannot change the number of VFs without removing all of them.

Options:
  --replace               remove the VFs that there are, if they are not in use
  --timeout SECONDS       how long drivers and devices may take to appear (default: 30)
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl vf create ens1f0np0 8
  pvrdmactl vf create 0000:3b:00.0 16 --replace
$ pvrdmactl vf set --help
Usage: pvrdmactl vf set [OPTIONS] VF

Give a VF an address, or rights and limits that its card has for it

Needs root. A new MAC or GUID needs the driver to be bound anew: the VF's devices go and come
back, a Soft-RoCE link on it included; IP addresses of its network device are lost. What fails
is taken back. Nothing is done to a VF that is in use.

Options:
  --mac MAC               MAC; 'auto' makes one from this machine's id
  --node-guid GUID        InfiniBand: node GUID, or 'auto'
  --port-guid GUID        InfiniBand: port GUID, or 'auto'
  --vlan ID[:QOS]         VLAN that the VF is in without knowing, 0 for none
  --rate [MIN:]MAX        most (and least) that it may send in Mbit/s, 0 for no limit
  --spoofchk on|off       whether it may send only with its own MAC
  --trust on|off          whether it may change its MAC and receive everything
  --link-state auto|enable|disable  whether its link follows the PF's
  --timeout SECONDS       how long devices may take to appear again (default: 30)
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl vf set mlx5_4 --mac 52:54:00:12:34:56
  pvrdmactl vf set 0000:3b:00.2 --vlan 5 --rate 10000 --trust off
$ pvrdmactl vf reset --help
Usage: pvrdmactl vf reset [OPTIONS] VF

Take from a VF what the last guest or administrator left on it

Needs root. It gets the MAC (on InfiniBand: the GUIDs) made from this machine's id, no VLAN, no
rate limit, no trust, spoofchk on, and a link that follows the PF's.

Options:
  --timeout SECONDS       how long devices may take to appear again (default: 30)
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl vf reset 0000:3b:00.2
$ pvrdmactl vf remove --help
Usage: pvrdmactl vf remove PF

Remove all VFs of a card

Needs root. Nothing is removed when one of them is in use.

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl vf remove ens1f0np0
