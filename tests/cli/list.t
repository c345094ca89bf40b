pvrdmactl list

$ pvrdmactl list
no RDMA devices on this host; 'pvrdmactl attach DOMAIN' needs none, 'pvrdmactl rxe add NETDEV' makes one
$ pvrdmactl list --json
{
  "version" : 1,
  "devices" : [],
  "notes" : []
}
$ fixture netdev d0 52:54:00:00:00:01 up
$ fixture netdev d1 52:54:00:00:00:02 down
$ fixture rxe rxe0 d0
$ fixture rxe rxe1 d1
$ fixture hca mlx5_0 mlx5_core 0000:03:00.0 Ethernet 1
$ fixture gid mlx5_0 1 0 fe80:0000:0000:0000:7efe:90ff:fecb:743a 'IB/RoCE v1' eth5
$ fixture gid mlx5_0 1 1 fe80:0000:0000:0000:7efe:90ff:fecb:743a 'RoCE v2' eth5
$ fixture gid mlx5_0 1 3 0000:0000:0000:0000:0000:ffff:c0a8:0105 'RoCE v2' eth5
$ fixture hca mlx4_0 mlx4_core 0000:04:00.0 InfiniBand 2
$ fixture gid mlx4_0 1 0 fe80:0000:0000:0000:0002:c903:0012:3456 'IB/RoCE v1' -
$ fixture state mlx4_0 2 INIT
$ pvrdmactl list
DEVICE  PORT  STATE   LINK        NETDEV  PARENT        HELD BY  GID
mlx4_0  1     ACTIVE  InfiniBand  -       0000:04:00.0  -        0: fe80:0000:0000:0000:0002:c903:0012:3456
mlx4_0  2     INIT    InfiniBand  -       0000:04:00.0  -        -
mlx5_0  1     ACTIVE  Ethernet    eth5    0000:03:00.0  -        0: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                 1: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                 3: 0000:0000:0000:0000:0000:ffff:c0a8:0105
rxe0    1     ACTIVE  Ethernet    d0      d0            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     DOWN    Ethernet    d1      d1            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0002
$ pvrdmactl list --json
{
  "version" : 1,
  "devices" : [
    {
      "name" : "mlx4_0",
      "driver" : "mlx4_core",
      "node_guid" : "0c42:a103:0065:bd12",
      "uverbs" : "uverbs3",
      "parent" : "0000:04:00.0",
      "ports" : [
        {
          "port" : 1,
          "state" : "ACTIVE",
          "phys_state" : "LINK_UP",
          "link_layer" : "InfiniBand",
          "netdev" : null,
          "gids" : [
            {
              "index" : 0,
              "gid" : "fe80:0000:0000:0000:0002:c903:0012:3456",
              "type" : "IB",
              "netdev" : null,
              "mac" : null
            }
          ],
          "holder" : null
        },
        {
          "port" : 2,
          "state" : "INIT",
          "phys_state" : "LINK_UP",
          "link_layer" : "InfiniBand",
          "netdev" : null,
          "gids" : [],
          "holder" : null
        }
      ]
    },
    {
      "name" : "mlx5_0",
      "driver" : "mlx5_core",
      "node_guid" : "0c42:a103:0065:bd12",
      "uverbs" : "uverbs2",
      "parent" : "0000:03:00.0",
      "ports" : [
        {
          "port" : 1,
          "state" : "ACTIVE",
          "phys_state" : "LINK_UP",
          "link_layer" : "Ethernet",
          "netdev" : "eth5",
          "gids" : [
            {
              "index" : 0,
              "gid" : "fe80:0000:0000:0000:7efe:90ff:fecb:743a",
              "type" : "RoCE v1",
              "netdev" : "eth5",
              "mac" : "7c:fe:90:cb:74:3a"
            },
            {
              "index" : 1,
              "gid" : "fe80:0000:0000:0000:7efe:90ff:fecb:743a",
              "type" : "RoCE v2",
              "netdev" : "eth5",
              "mac" : "7c:fe:90:cb:74:3a"
            },
            {
              "index" : 3,
              "gid" : "0000:0000:0000:0000:0000:ffff:c0a8:0105",
              "type" : "RoCE v2",
              "netdev" : "eth5",
              "mac" : null
            }
          ],
          "holder" : null
        }
      ]
    },
    {
      "name" : "rxe0",
      "driver" : "rxe",
      "node_guid" : "5054:00ff:fe00:0001",
      "uverbs" : "uverbs0",
      "parent" : "d0",
      "ports" : [
        {
          "port" : 1,
          "state" : "ACTIVE",
          "phys_state" : "LINK_UP",
          "link_layer" : "Ethernet",
          "netdev" : "d0",
          "gids" : [
            {
              "index" : 0,
              "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0001",
              "type" : "RoCE v2",
              "netdev" : "d0",
              "mac" : "52:54:00:00:00:01"
            }
          ],
          "holder" : null
        }
      ]
    },
    {
      "name" : "rxe1",
      "driver" : "rxe",
      "node_guid" : "5054:00ff:fe00:0002",
      "uverbs" : "uverbs1",
      "parent" : "d1",
      "ports" : [
        {
          "port" : 1,
          "state" : "DOWN",
          "phys_state" : "DISABLED",
          "link_layer" : "Ethernet",
          "netdev" : "d1",
          "gids" : [
            {
              "index" : 0,
              "gid" : "fe80:0000:0000:0000:5054:00ff:fe00:0002",
              "type" : "RoCE v2",
              "netdev" : "d1",
              "mac" : "52:54:00:00:00:02"
            }
          ],
          "holder" : null
        }
      ]
    }
  ],
  "notes" : []
}
# A running domain holds rxe0
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1, "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "domain": "vm1", "id": 0, "ibdev": "rxe0", "port": 1, "gid": "fe80:0000:0000:0000:5054:00ff:fe00:0001", "state": "prepared", "pid": 0, "pid_start": 0, "steps": []}'
$ pvrdmactl list
DEVICE  PORT  STATE   LINK        NETDEV  PARENT        HELD BY        GID
mlx4_0  1     ACTIVE  InfiniBand  -       0000:04:00.0  -              0: fe80:0000:0000:0000:0002:c903:0012:3456
mlx4_0  2     INIT    InfiniBand  -       0000:04:00.0  -              -
mlx5_0  1     ACTIVE  Ethernet    eth5    0000:03:00.0  -              0: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                       1: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                       3: 0000:0000:0000:0000:0000:ffff:c0a8:0105
rxe0    1     ACTIVE  Ethernet    d0      d0            vm1 (running)  0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     DOWN    Ethernet    d1      d1            -              0: fe80:0000:0000:0000:5054:00ff:fe00:0002
$ pvrdmactl list --json | grep -A 5 'holder.*{'
          "holder" : {
            "domain" : "vm1",
            "uuid" : "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "id" : 0,
            "running" : true
          }
$ pvrdmactl -c test:///default list
! pvrdmactl: list: the libvirt connection is to 'TEST', not to QEMU
! give a QEMU connection with -c, such as qemu:///system
[1]
# A lease that cannot be read
$ fixture write run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json '{"version": 1}'
$ pvrdmactl list
DEVICE  PORT  STATE   LINK        NETDEV  PARENT        HELD BY  GID
mlx4_0  1     ACTIVE  InfiniBand  -       0000:04:00.0  -        0: fe80:0000:0000:0000:0002:c903:0012:3456
mlx4_0  2     INIT    InfiniBand  -       0000:04:00.0  -        -
mlx5_0  1     ACTIVE  Ethernet    eth5    0000:03:00.0  -        0: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                 1: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                 3: 0000:0000:0000:0000:0000:ffff:c0a8:0105
rxe0    1     ACTIVE  Ethernet    d0      d0            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     DOWN    Ethernet    d1      d1            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0002
note: running domains are not known: lease file '$ROOT/run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json' is damaged: member 'uuid' is missing
$ pvrdmactl list --json | grep -A 3 notes
  "notes" : [
    "running domains are not known: lease file '$ROOT/run/pvrdma/leases/6ba7b810-9dad-11d1-80b4-00c04fd430c8-0.json' is damaged: member 'uuid' is missing"
  ]
}
$ fixture remove run/pvrdma
# Attributes that cannot be read, or hold rubbish, do not hide the rest
$ rm sys/class/infiniband/rxe0/ports/1/state sys/class/infiniband/rxe0/node_guid
$ rm sys/class/infiniband/mlx5_0/ports/1/gids/1 && mkdir sys/class/infiniband/mlx5_0/ports/1/gids/1
$ printf 'a\033[2Jb\377\n' > sys/class/infiniband/rxe1/parent
$ head -c 5000 /dev/zero | tr '\0' x > sys/class/infiniband/mlx4_0/ports/1/link_layer
$ pvrdmactl list
DEVICE  PORT  STATE    LINK        NETDEV  PARENT        HELD BY  GID
mlx4_0  1     ACTIVE   UNKNOWN     -       0000:04:00.0  -        0: fe80:0000:0000:0000:0002:c903:0012:3456
mlx4_0  2     INIT     InfiniBand  -       0000:04:00.0  -        -
mlx5_0  1     ACTIVE   Ethernet    eth5    0000:03:00.0  -        0: fe80:0000:0000:0000:7efe:90ff:fecb:743a
                                                                  3: 0000:0000:0000:0000:0000:ffff:c0a8:0105
rxe0    1     UNKNOWN  Ethernet    d0      d0            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     DOWN     Ethernet    d1      a?[2Jb�       -        0: fe80:0000:0000:0000:5054:00ff:fe00:0002
$ fixture fail list_ibdevs 1 'sysfs is gone'
$ pvrdmactl list
! pvrdmactl: list: sysfs is gone
[1]
$ pvrdmactl list --json
! pvrdmactl: list: sysfs is gone
[1]
