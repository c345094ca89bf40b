pvrdmactl rxe add, rxe del

$ fixture netdev d0 52:54:00:00:00:01 up
$ fixture netdev d1 52:54:00:00:00:02 down
$ fixture netdev d2 52:54:00:00:00:03 up
$ pvrdmactl rxe add d0
rxe0: Soft-RoCE link on d0, port ACTIVE
$ pvrdmactl rxe add d1 --name soft1
soft1: Soft-RoCE link on d1, port DOWN
the port becomes ACTIVE when d1 is up and has a carrier: 'ip link set d1 up'
$ pvrdmactl --json rxe add d2
{
  "version" : 1,
  "name" : "rxe1",
  "driver" : "rxe",
  "node_guid" : "5054:00ff:fe00:0003",
  "uverbs" : "uverbs2",
  "parent" : "d2",
  "ports" : [
    {
      "port" : 1,
      "state" : "ACTIVE",
      "phys_state" : "LINK_UP",
      "link_layer" : "Ethernet",
      "netdev" : "d2",
      "gids" : [
        {
          "index" : 0,
          "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0003",
          "type" : "RoCE v2",
          "netdev" : "d2",
          "mac" : "52:54:00:00:00:03"
        }
      ]
    }
  ]
}
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV  PARENT  HELD BY  GID
rxe0    1     ACTIVE  Ethernet  d0      d0      -        0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     ACTIVE  Ethernet  d2      d2      -        0: fe80:0000:0000:0000:5054:00ff:fe00:0003
soft1   1     DOWN    Ethernet  d1      d1      -        0: fe80:0000:0000:0000:5054:00ff:fe00:0002
# Nothing to do, or taken
$ pvrdmactl rxe add d0
! pvrdmactl: rxe add 'd0': it already carries Soft-RoCE link 'rxe0'
[4]
$ pvrdmactl rxe add d0 --name rxe0
! pvrdmactl: rxe add 'd0': it already carries Soft-RoCE link 'rxe0'
[4]
$ pvrdmactl rxe add d0 --name other
! pvrdmactl: rxe add 'd0': network device 'd0' already carries Soft-RoCE link 'rxe0'
! use that one; there can be only one per network device
[1]
$ fixture netdev d3 52:54:00:00:00:04 up
$ pvrdmactl rxe add d3 --name rxe0
! pvrdmactl: rxe add 'd3': there is already an RDMA device 'rxe0'
! choose another name
[1]
# Names
$ pvrdmactl rxe add nope
! pvrdmactl: rxe add 'nope': no network device 'nope'
! 'ip link' shows the names
[3]
$ pvrdmactl rxe add ''
! pvrdmactl: rxe add '': '' cannot be the name of a network device: it is empty
! use at most 15 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add ../d3
! pvrdmactl: rxe add '../d3': '../d3' cannot be the name of a network device: it has a character that is not allowed
! use at most 15 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add averyveryverylongnetdev
! pvrdmactl: rxe add 'averyveryverylongnetdev': 'averyveryverylongnetdev' cannot be the name of a network device: it is too long
! use at most 15 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name 'a/b'
! pvrdmactl: rxe add 'd3': 'a/b' cannot be the name of an RDMA device: it has a character that is not allowed
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name 'a b'
! pvrdmactl: rxe add 'd3': 'a b' cannot be the name of an RDMA device: it has a blank or a character that is not ASCII
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name 'rxe%d'
! pvrdmactl: rxe add 'd3': 'rxe%d' cannot be the name of an RDMA device: it has a character that is not allowed
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name ''
! pvrdmactl: rxe add 'd3': '' cannot be the name of an RDMA device: it is empty
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name ..
! pvrdmactl: rxe add 'd3': '..' cannot be the name of an RDMA device: it is a directory name
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add d3 --name "$(printf '%080d' 0)"
! pvrdmactl: rxe add 'd3': '00000000000000000000000000000000000000000000000000000000000000000000000000000000' cannot be the name of an RDMA device: it is too long
! use at most 63 letters, digits, '_', '-' and '.'
[2]
$ pvrdmactl rxe add
! pvrdmactl: rxe add: argument missing: needs NETDEV
! see 'pvrdmactl rxe add --help'
[2]
$ pvrdmactl rxe add d3 d4
! pvrdmactl: rxe add 'd3': too many arguments: takes NETDEV
! see 'pvrdmactl rxe add --help'
[2]
# The kernel refuses
$ fixture fail rxe_add 7 'no permission to make a Soft-RoCE link'
$ pvrdmactl rxe add d3
! pvrdmactl: rxe add 'd3': no permission to make a Soft-RoCE link
[1]
$ fixture fail rxe_add 8 'the kernel has no Soft-RoCE (module rdma_rxe)'
$ pvrdmactl rxe add d3 --json
! pvrdmactl: rxe add 'd3': the kernel has no Soft-RoCE (module rdma_rxe)
[1]
$ fixture unfail rxe_add
# Removal
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1, "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "domain": "vm1", "id": 0, "ibdev": "rxe0", "port": 1, "gid": "fe80:0000:0000:0000:5054:00ff:fe00:0001", "state": "prepared", "pid": 0, "pid_start": 0, "steps": []}'
$ pvrdmactl rxe del rxe0
! pvrdmactl: rxe del 'rxe0': running domain 'vm1' holds it
! shut the domain down first
[1]
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1}'
$ pvrdmactl rxe del rxe0
! pvrdmactl: rxe del 'rxe0': lease file '$ROOT/run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json' is damaged: member 'uuid' is missing
! make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
[1]
$ fixture remove run/pvrdma
$ pvrdmactl rxe del rxe0
rxe0 removed
$ pvrdmactl rxe del rxe0
! pvrdmactl: rxe del 'rxe0': no RDMA device 'rxe0'
! this host has: rxe1, soft1
[3]
$ pvrdmactl --json rxe del soft1
{
  "version" : 1,
  "removed" : "soft1"
}
$ fixture hca mlx5_0 mlx5_core 0000:03:00.0 Ethernet 1
$ pvrdmactl rxe del mlx5_0
! pvrdmactl: rxe del 'mlx5_0': RDMA device 'mlx5_0' is not a Soft-RoCE link but driver mlx5_core: it cannot be removed
[1]
$ fixture fail ibdev_del 7 'no permission to remove an RDMA device'
$ pvrdmactl rxe del rxe1
! pvrdmactl: rxe del 'rxe1': no permission to remove an RDMA device
[1]
$ fixture unfail ibdev_del
$ pvrdmactl rxe del
! pvrdmactl: rxe del: argument missing: needs DEV
! see 'pvrdmactl rxe del --help'
[2]
$ pvrdmactl rxe del ''
! pvrdmactl: rxe del '': no RDMA device ''
! this host has: mlx5_0, rxe1
[3]
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV  PARENT        HELD BY  GID
mlx5_0  1     ACTIVE  Ethernet  -       0000:03:00.0  -        -
rxe1    1     ACTIVE  Ethernet  d2      d2            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0003
$ cat .fake/log
rxe_add rxe0 d0
rxe_add soft1 d1
rxe_add rxe1 d2
rxe_add rxe2 d3
rxe_add rxe2 d3
ibdev_del rxe0
ibdev_del soft1
ibdev_del rxe1
$ pvrdmactl rxe add --help
Usage: pvrdmactl rxe add [OPTIONS] NETDEV

Make a Soft-RoCE link on a network device

Needs root and the kernel module rdma_rxe. The link is gone after a reboot; the qemu hook
makes it again for a domain that it was attached to.

Options:
  --name NAME             name of the RDMA device (default: the first free of rxe0, rxe1, ...)
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl rxe add eth1 --name rxe0
$ pvrdmactl rxe del --help
Usage: pvrdmactl rxe del DEV

Remove a Soft-RoCE link

Needs root. A link that a running domain holds is not removed.

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl rxe del rxe0
