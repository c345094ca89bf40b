pvrdmactl gid

$ fixture netdev d0 52:54:00:00:00:01 up
$ pvrdmactl gid rxe0
! pvrdmactl: gid 'rxe0': no RDMA device 'rxe0'
! this host has none; 'pvrdmactl rxe add NETDEV' makes one
[3]
$ fixture rxe rxe0 d0
$ fixture gid rxe0 1 1 0000:0000:0000:0000:0000:ffff:0a00:0001 'RoCE v2' d0
$ fixture gid rxe0 1 2 2001:0db8:0000:0000:5054:00ff:fe00:0001 'RoCE v2' d0
$ fixture gid rxe0 1 10 fe80:0000:0000:0000:1234:5678:9abc:def0 'RoCE v2' -
$ pvrdmactl gid rxe0
PORT  INDEX  GID                                      TYPE     NETDEV  MAC
1     0      fe80:0000:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01
1     1      0000:0000:0000:0000:0000:ffff:0a00:0001  RoCE v2  d0      -
1     2      2001:0db8:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01
1     10     fe80:0000:0000:0000:1234:5678:9abc:def0  RoCE v2  -       -
$ pvrdmactl gid rxe0 --json
{
  "version" : 1,
  "device" : "rxe0",
  "ports" : [
    {
      "port" : 1,
      "gids" : [
        {
          "index" : 0,
          "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : "52:54:00:00:00:01"
        },
        {
          "index" : 1,
          "gid" : "0000:0000:0000:0000:0000:ffff:0a00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : null
        },
        {
          "index" : 2,
          "gid" : "2001:0db8:0000:0000:5054:00ff:fe00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : "52:54:00:00:00:01"
        },
        {
          "index" : 10,
          "gid" : "fe80:0000:0000:0000:1234:5678:9abc:def0",
          "type" : "RoCE v2",
          "netdev" : null,
          "mac" : null
        }
      ]
    }
  ]
}
$ pvrdmactl gid rxe0 --port 1
PORT  INDEX  GID                                      TYPE     NETDEV  MAC
1     0      fe80:0000:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01
1     1      0000:0000:0000:0000:0000:ffff:0a00:0001  RoCE v2  d0      -
1     2      2001:0db8:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01
1     10     fe80:0000:0000:0000:1234:5678:9abc:def0  RoCE v2  -       -
$ fixture hca ibp4s0 mlx5_core 0000:04:00.0 InfiniBand 2
$ fixture gid ibp4s0 2 0 fe80:0000:0000:0000:0002:c903:0012:3456 'IB/RoCE v1' -
$ pvrdmactl gid ibp4s0
PORT  INDEX  GID                                      TYPE  NETDEV  MAC
2     0      fe80:0000:0000:0000:0002:c903:0012:3456  IB    -       -
$ pvrdmactl gid ibp4s0 --port 1
no GIDs
$ pvrdmactl gid ibp4s0 --port 1 --json
{
  "version" : 1,
  "device" : "ibp4s0",
  "ports" : [
    {
      "port" : 1,
      "gids" : []
    }
  ]
}
$ pvrdmactl gid ibp4s0 --port=2
PORT  INDEX  GID                                      TYPE  NETDEV  MAC
2     0      fe80:0000:0000:0000:0002:c903:0012:3456  IB    -       -
# Errors
$ pvrdmactl gid rxe0 --port 2
! pvrdmactl: gid 'rxe0': RDMA device 'rxe0' has no port 2
! its ports: 1
[3]
$ pvrdmactl gid rxe0 --port 0
! pvrdmactl: gid 'rxe0': port 0 is not from 1 to 255
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid rxe0 --port 256
! pvrdmactl: gid 'rxe0': port 256 is not from 1 to 255
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid rxe0 --port -1
! pvrdmactl: gid 'rxe0': port -1 is not from 1 to 255
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid rxe0 --port one
! pvrdmactl: gid: Cannot parse integer value “one” for --port
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid nope
! pvrdmactl: gid 'nope': no RDMA device 'nope'
! this host has: ibp4s0, rxe0
[3]
$ pvrdmactl gid nope --json
! pvrdmactl: gid 'nope': no RDMA device 'nope'
! this host has: ibp4s0, rxe0
[3]
$ pvrdmactl gid
! pvrdmactl: gid: argument missing: needs DEV
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid a b
! pvrdmactl: gid 'a': too many arguments: takes DEV
! see 'pvrdmactl gid --help'
[2]
$ pvrdmactl gid ../../etc
! pvrdmactl: gid '../../etc': no RDMA device '../../etc'
! this host has: ibp4s0, rxe0
[3]
$ pvrdmactl gid --help
Usage: pvrdmactl gid [OPTIONS] DEV

Show the GID table of an RDMA device

Only filled entries are shown. MAC is the one that the GID carries; a GID that carries
none ('-') cannot be used for a guest. With --why also the empty slots, and for each entry
whether a guest can use it, or what stands against it.

Options:
  --port N                only this port
  --why                   also whether a guest can use each entry, or why not
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl gid rxe0
  pvrdmactl gid mlx5_0 --port 2
  pvrdmactl gid mlx5_4 --why
# Why: each entry, and empty slots
$ fixture write proc/net/if_inet6 '20010db800000000505400fffe000001 02 40 00 80       d0'
$ pvrdmactl gid rxe0 --why
PORT  INDEX  GID                                      TYPE     NETDEV  MAC                USABLE  WHY
1     0      fe80:0000:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01  no      d0 does not have the address
1     1      0000:0000:0000:0000:0000:ffff:0a00:0001  RoCE v2  d0      -                  no      carries no MAC: it is an IPv4-mapped GID
1     2      2001:0db8:0000:0000:5054:00ff:fe00:0001  RoCE v2  d0      52:54:00:00:00:01  yes     routable, for the MAC of d0
1     3-9    -                                        -        -       -                  no      empty
1     10     fe80:0000:0000:0000:1234:5678:9abc:def0  RoCE v2  -       -                  no      carries no MAC: its interface id is not made from a MAC (no ff:fe in the middle; stable-privacy or set by hand)
$ pvrdmactl gid ibp4s0 --why
PORT  INDEX  GID                                      TYPE  NETDEV  MAC  USABLE  WHY
1     0-7    -                                        -     -       -    no      empty
2     0      fe80:0000:0000:0000:0002:c903:0012:3456  IB    -       -    no      InfiniBand; the device speaks RoCE v2
2     1-7    -                                        -     -       -    no      empty
$ fixture gid rxe0 1 7 2001:0db8:0000:0000:5054:00ff:fe00:0001 'RoCE v2' away
$ pvrdmactl gid rxe0 --why --json
{
  "version" : 1,
  "device" : "rxe0",
  "ports" : [
    {
      "port" : 1,
      "gids" : [
        {
          "index" : 0,
          "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : "52:54:00:00:00:01",
          "usable" : false,
          "verdict" : "no-address",
          "why" : "d0 does not have the address"
        },
        {
          "index" : 1,
          "gid" : "0000:0000:0000:0000:0000:ffff:0a00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : null,
          "usable" : false,
          "verdict" : "no-mac",
          "why" : "carries no MAC: it is an IPv4-mapped GID"
        },
        {
          "index" : 2,
          "gid" : "2001:0db8:0000:0000:5054:00ff:fe00:0001",
          "type" : "RoCE v2",
          "netdev" : "d0",
          "mac" : "52:54:00:00:00:01",
          "usable" : true,
          "verdict" : "usable",
          "why" : "routable, for the MAC of d0"
        },
        {
          "index" : 7,
          "gid" : "2001:0db8:0000:0000:5054:00ff:fe00:0001",
          "type" : "RoCE v2",
          "netdev" : "away",
          "mac" : "52:54:00:00:00:01",
          "usable" : false,
          "verdict" : "other-namespace",
          "why" : "away is in another network namespace"
        },
        {
          "index" : 10,
          "gid" : "fe80:0000:0000:0000:1234:5678:9abc:def0",
          "type" : "RoCE v2",
          "netdev" : null,
          "mac" : null,
          "usable" : false,
          "verdict" : "no-mac",
          "why" : "carries no MAC: its interface id is not made from a MAC (no ff:fe in the middle; stable-privacy or set by hand)"
        }
      ],
      "empty" : [
        {
          "first" : 3,
          "last" : 6
        },
        {
          "first" : 8,
          "last" : 9
        }
      ]
    }
  ]
}
