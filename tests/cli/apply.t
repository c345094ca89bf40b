pvrdmactl apply and export

$ fixture write etc/machine-id 0123456789abcdef0123456789abcdef
$ fixture sriov igb
$ fixture sriov mlx5
$ fixture netdev d0 52:54:00:00:00:01 up
$ fixture netdev d1 52:54:00:00:00:02 down
$ pvrdmactl apply
! pvrdmactl: apply: nothing is declared in /etc/pvrdma
! 'pvrdmactl export' prints what the host has; see pvrdma.conf(5)
[4]
$ pvrdmactl export
{
  "version" : 1,
  "pfs" : [],
  "links" : []
}
# One line for each thing, in the file as in this command
$ printf '%s\n' '{"version": 1, "pfs": [' '{"pf": "0000:01:00.0", "vfs": 2},' '{"pf": "0000:3b:00.0", "vfs": 4}],' '"links": [' '{"name": "rxe0", "netdev": "d0"},' '{"name": "rxe1", "netdev": "d1"},' '{"name": "mlx5_9", "pci": "0000:01:00.2"}],' '"pools": [{"name": "fast", "members": [{"pf": "0000:3b:00.0"}], "policy": ["numa"]}]}' > conf
$ fixture write etc/pvrdma/host.json "$(cat conf)"
$ pvrdmactl apply --dry-run
DECLARED         STATE         DETAILS
PF 0000:01:00.0  would change  2 VFs (before: 0)
PF 0000:3b:00.0  would change  4 VFs (before: 0)
link rxe0        would change  on d0
link rxe1        would change  on d1
link mlx5_9      would change  on 0000:01:00.2, if that is one of the VFs to come
$ pvrdmactl apply --dry-run --json
{
  "version" : 1,
  "dry_run" : true,
  "declared" : [
    {
      "what" : "PF 0000:01:00.0",
      "state" : "changed",
      "details" : "2 VFs (before: 0)"
    },
    {
      "what" : "PF 0000:3b:00.0",
      "state" : "changed",
      "details" : "4 VFs (before: 0)"
    },
    {
      "what" : "link rxe0",
      "state" : "changed",
      "details" : "on d0"
    },
    {
      "what" : "link rxe1",
      "state" : "changed",
      "details" : "on d1"
    },
    {
      "what" : "link mlx5_9",
      "state" : "changed",
      "details" : "on 0000:01:00.2, if that is one of the VFs to come"
    }
  ]
}
$ cat .fake/log
! cat: .fake/log: No such file or directory
[1]
$ pvrdmactl apply
DECLARED         STATE    DETAILS
PF 0000:01:00.0  changed  2 VFs (before: 0)
PF 0000:3b:00.0  changed  4 VFs (before: 0)
link rxe0        changed  on d0
link rxe1        changed  on d1
link mlx5_9      changed  on enp1s0f0v0
$ cat .fake/log
set_num_vfs 0000:01:00.0 2
unbind 0000:01:00.2
set_vf 0000:01:00.0 0 mac c2:fe:6d:76:0a:9b
bind 0000:01:00.2 igbvf
unbind 0000:01:00.3
set_vf 0000:01:00.0 1 mac 7e:55:b7:47:60:82
bind 0000:01:00.3 igbvf
set_num_vfs 0000:3b:00.0 4
unbind 0000:3b:00.2
set_vf 0000:3b:00.0 0 mac ae:3f:8b:26:1b:ef
bind 0000:3b:00.2 mlx5_core
set_netdev_up ens1f0np0v0 up
unbind 0000:3b:00.3
set_vf 0000:3b:00.0 1 mac 0e:ca:2a:ee:0c:9d
bind 0000:3b:00.3 mlx5_core
set_netdev_up ens1f0np0v1 up
unbind 0000:3b:00.4
set_vf 0000:3b:00.0 2 mac 16:6e:5e:e8:76:3e
bind 0000:3b:00.4 mlx5_core
set_netdev_up ens1f0np0v2 up
unbind 0000:3b:00.5
set_vf 0000:3b:00.0 3 mac 36:13:29:46:8c:69
bind 0000:3b:00.5 mlx5_core
set_netdev_up ens1f0np0v3 up
rxe_add rxe0 d0
set_netdev_up d1 up
rxe_add rxe1 d1
set_netdev_up enp1s0f0v0 up
rxe_add mlx5_9 enp1s0f0v0
$ ls run/pvrdma/journal
$ pvrdmactl apply
DECLARED         STATE  DETAILS
PF 0000:01:00.0  ok     2 VFs
PF 0000:3b:00.0  ok     4 VFs
link rxe0        ok     on d0
link rxe1        ok     on d1
link mlx5_9      ok     on enp1s0f0v0
! pvrdmactl: apply: the host is as declared
[4]
$ pvrdmactl apply --json
{
  "version" : 1,
  "dry_run" : false,
  "declared" : [
    {
      "what" : "PF 0000:01:00.0",
      "state" : "ok",
      "details" : "2 VFs"
    },
    {
      "what" : "PF 0000:3b:00.0",
      "state" : "ok",
      "details" : "4 VFs"
    },
    {
      "what" : "link rxe0",
      "state" : "ok",
      "details" : "on d0"
    },
    {
      "what" : "link rxe1",
      "state" : "ok",
      "details" : "on d1"
    },
    {
      "what" : "link mlx5_9",
      "state" : "ok",
      "details" : "on enp1s0f0v0"
    }
  ]
}
! pvrdmactl: apply: the host is as declared
[4]
$ pvrdmactl list
DEVICE  PORT  STATE   LINK      NETDEV       PARENT        HELD BY  GID
mlx5_0  1     ACTIVE  Ethernet  -            0000:3b:00.0  -        -
mlx5_1  1     ACTIVE  Ethernet  ens1f0np0v0  0000:3b:00.2  -        0: fe80:0000:0000:0000:ac3f:8bff:fe26:1bef
                                                                    1: fe80:0000:0000:0000:ac3f:8bff:fe26:1bef
mlx5_2  1     ACTIVE  Ethernet  ens1f0np0v1  0000:3b:00.3  -        0: fe80:0000:0000:0000:0cca:2aff:feee:0c9d
                                                                    1: fe80:0000:0000:0000:0cca:2aff:feee:0c9d
mlx5_3  1     ACTIVE  Ethernet  ens1f0np0v2  0000:3b:00.4  -        0: fe80:0000:0000:0000:146e:5eff:fee8:763e
                                                                    1: fe80:0000:0000:0000:146e:5eff:fee8:763e
mlx5_4  1     ACTIVE  Ethernet  ens1f0np0v3  0000:3b:00.5  -        0: fe80:0000:0000:0000:3413:29ff:fe46:8c69
                                                                    1: fe80:0000:0000:0000:3413:29ff:fe46:8c69
mlx5_9  1     ACTIVE  Ethernet  enp1s0f0v0   enp1s0f0v0    -        0: fe80:0000:0000:0000:c0fe:6dff:fe76:0a9b
rxe0    1     ACTIVE  Ethernet  d0           d0            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0001
rxe1    1     ACTIVE  Ethernet  d1           d1            -        0: fe80:0000:0000:0000:5054:00ff:fe00:0002
$ pvrdmactl export
{
  "version" : 1,
  "pfs" : [
    {
      "pf" : "0000:01:00.0",
      "vfs" : 2
    },
    {
      "pf" : "0000:3b:00.0",
      "vfs" : 4
    }
  ],
  "links" : [
    {
      "name" : "mlx5_9",
      "pci" : "0000:01:00.2"
    },
    {
      "name" : "rxe0",
      "netdev" : "d0"
    },
    {
      "name" : "rxe1",
      "netdev" : "d1"
    }
  ],
  "pools" : [
    {
      "name" : "fast",
      "members" : [
        {
          "pf" : "0000:3b:00.0"
        }
      ],
      "policy" : [
        "numa"
      ]
    }
  ]
}
# What is exported is the host
$ pvrdmactl export > exported; fixture remove etc/pvrdma; fixture write etc/pvrdma/host.json "$(cat exported)"
$ pvrdmactl apply
DECLARED         STATE  DETAILS
PF 0000:01:00.0  ok     2 VFs
PF 0000:3b:00.0  ok     4 VFs
link mlx5_9      ok     on enp1s0f0v0
link rxe0        ok     on d0
link rxe1        ok     on d1
! pvrdmactl: apply: the host is as declared
[4]
$ pvrdmactl export | diff exported -
# Another number goes through 0, and not while somebody has a VF
$ fixture write etc/pvrdma/host.json '{"version": 1, "pfs": [{"pf": "ens1f0np0", "vfs": 6}]}'
$ cat sys/class/infiniband_verbs/uverbs3/ibdev
mlx5_3
$ mkdir -p proc/77/fd && ln -s /dev/infiniband/uverbs3 proc/77/fd/5 && echo ib_send_bw > proc/77/comm
$ pvrdmactl apply
DECLARED      STATE   DETAILS
PF ens1f0np0  failed  the number of VFs cannot change: VF 0000:3b:00.4 is in use by process 77 (ib_send_bw)
! pvrdmactl: apply: PF ens1f0np0: the number of VFs cannot change: VF 0000:3b:00.4 is in use by process 77 (ib_send_bw)
! free that VF first
[1]
$ pvrdmactl apply --dry-run
DECLARED      STATE   DETAILS
PF ens1f0np0  failed  the number of VFs cannot change: VF 0000:3b:00.4 is in use by process 77 (ib_send_bw)
! pvrdmactl: apply: PF ens1f0np0: the number of VFs cannot change: VF 0000:3b:00.4 is in use by process 77 (ib_send_bw)
! free that VF first
[1]
$ rm -r proc/77; : > .fake/log
$ pvrdmactl apply --dry-run
DECLARED      STATE         DETAILS
PF ens1f0np0  would change  6 VFs (before: 4)
$ fixture fail set_num_vfs 6 'the driver has no more'
$ pvrdmactl apply
DECLARED      STATE   DETAILS
PF ens1f0np0  failed  the driver has no more
! pvrdmactl: apply: PF ens1f0np0: the driver has no more
[1]
$ fixture unfail set_num_vfs
$ ls run/pvrdma/journal
$ pvrdmactl apply
DECLARED      STATE    DETAILS
PF ens1f0np0  changed  6 VFs (before: 4)
$ cat .fake/log
set_num_vfs 0000:3b:00.0 0
set_num_vfs 0000:3b:00.0 0
set_num_vfs 0000:3b:00.0 6
unbind 0000:3b:00.2
set_vf 0000:3b:00.0 0 mac ae:3f:8b:26:1b:ef
bind 0000:3b:00.2 mlx5_core
set_netdev_up ens1f0np0v0 up
unbind 0000:3b:00.3
set_vf 0000:3b:00.0 1 mac 0e:ca:2a:ee:0c:9d
bind 0000:3b:00.3 mlx5_core
set_netdev_up ens1f0np0v1 up
unbind 0000:3b:00.4
set_vf 0000:3b:00.0 2 mac 16:6e:5e:e8:76:3e
bind 0000:3b:00.4 mlx5_core
set_netdev_up ens1f0np0v2 up
unbind 0000:3b:00.5
set_vf 0000:3b:00.0 3 mac 36:13:29:46:8c:69
bind 0000:3b:00.5 mlx5_core
set_netdev_up ens1f0np0v3 up
unbind 0000:3b:00.6
set_vf 0000:3b:00.0 4 mac 52:b4:ce:99:2b:d2
bind 0000:3b:00.6 mlx5_core
set_netdev_up ens1f0np0v4 up
unbind 0000:3b:00.7
set_vf 0000:3b:00.0 5 mac 92:af:e9:58:02:cd
bind 0000:3b:00.7 mlx5_core
set_netdev_up ens1f0np0v5 up
# One PF only, with what is on it
$ fixture write etc/pvrdma/host.json "$(cat conf)"
$ pvrdmactl apply --dry-run --pf 3b:00.0
DECLARED         STATE         DETAILS
PF 0000:3b:00.0  would change  4 VFs (before: 6)
$ pvrdmactl apply --dry-run --pf 0000:01:00.0
DECLARED         STATE  DETAILS
PF 0000:01:00.0  ok     2 VFs
link mlx5_9      ok     on enp1s0f0v0
! pvrdmactl: apply: the host is as declared
[4]
$ pvrdmactl apply --pf 77:00.0
! pvrdmactl: apply: nothing is declared for PF 0000:77:00.0
[4]
$ pvrdmactl apply --pf ens1
! pvrdmactl: apply: --pf 'ens1' is no PCI address
! see 'pvrdmactl apply --help'
[2]
# What cannot be made keeps nothing else from being made
$ fixture write etc/pvrdma/host.json '{"version": 1, "pfs": [{"pf": "0000:77:00.0", "vfs": 2}, {"pf": "0000:01:00.0", "vfs": 99}, {"pf": "0000:01:00.2", "vfs": 1}, {"pf": "d0", "vfs": 1}], "links": [{"name": "rxe7", "netdev": "nope"}, {"name": "rxe8", "pci": "0000:77:00.1"}, {"name": "rxe9", "netdev": "d0"}, {"name": "rxe1", "pci": "0000:3b:00.2"}, {"name": "rxe10", "pci": "0000:01:00.3"}]}'
$ pvrdmactl apply
DECLARED         STATE    DETAILS
PF 0000:77:00.0  failed   no PCI function '0000:77:00.0' with a network or RDMA device, or for SR-IOV
PF 0000:01:00.0  failed   0000:01:00.0 can have 8 VFs, not 99
PF 0000:01:00.2  failed   0000:01:00.2 has no SR-IOV: it is a VF itself
PF d0            failed   'd0' is on no PCI function, so it has no VFs
link rxe7        failed   no network device 'nope'
link rxe8        failed   no PCI function '0000:77:00.1' with a network or RDMA device, or for SR-IOV
link rxe9        failed   netdev 'd0' has the Soft-RoCE link 'rxe0' already
link rxe1        failed   there is an RDMA device 'rxe1' already, on d1
link rxe10       changed  on enp1s0f0v1
! pvrdmactl: apply: PF 0000:77:00.0: no PCI function '0000:77:00.0' with a network or RDMA device, or for SR-IOV
! 'pvrdmactl vf list' and 'lspci' show what there is
[3]
$ pvrdmactl apply --json
{
  "version" : 1,
  "dry_run" : false,
  "declared" : [
    {
      "what" : "PF 0000:77:00.0",
      "state" : "failed",
      "details" : "no PCI function '0000:77:00.0' with a network or RDMA device, or for SR-IOV"
    },
    {
      "what" : "PF 0000:01:00.0",
      "state" : "failed",
      "details" : "0000:01:00.0 can have 8 VFs, not 99"
    },
    {
      "what" : "PF 0000:01:00.2",
      "state" : "failed",
      "details" : "0000:01:00.2 has no SR-IOV: it is a VF itself"
    },
    {
      "what" : "PF d0",
      "state" : "failed",
      "details" : "'d0' is on no PCI function, so it has no VFs"
    },
    {
      "what" : "link rxe7",
      "state" : "failed",
      "details" : "no network device 'nope'"
    },
    {
      "what" : "link rxe8",
      "state" : "failed",
      "details" : "no PCI function '0000:77:00.1' with a network or RDMA device, or for SR-IOV"
    },
    {
      "what" : "link rxe9",
      "state" : "failed",
      "details" : "netdev 'd0' has the Soft-RoCE link 'rxe0' already"
    },
    {
      "what" : "link rxe1",
      "state" : "failed",
      "details" : "there is an RDMA device 'rxe1' already, on d1"
    },
    {
      "what" : "link rxe10",
      "state" : "ok",
      "details" : "on enp1s0f0v1"
    }
  ]
}
! pvrdmactl: apply: PF 0000:77:00.0: no PCI function '0000:77:00.0' with a network or RDMA device, or for SR-IOV
! 'pvrdmactl vf list' and 'lspci' show what there is
[3]
$ fixture fail set_netdev_up 7 'no permission to set a netdev up'
$ fixture netdev d5 52:54:00:00:00:05 down
$ fixture write etc/pvrdma/host.json '{"version": 1, "links": [{"name": "rxe5", "netdev": "d5"}]}'
$ pvrdmactl apply
DECLARED   STATE   DETAILS
link rxe5  failed  no permission to set a netdev up
! pvrdmactl: apply: link rxe5: no permission to set a netdev up
[1]
# Bad files: nothing is changed
$ fixture write etc/pvrdma/host.json '{"version": 1, "links": [{"name": "rxe0", "netdev": "d0"}], "pool": []}'
$ pvrdmactl apply
! pvrdmactl: apply: $ROOT/etc/pvrdma/host.json:1: pool: unknown key 'pool'
! known here: version, pfs, links, pools
[1]
$ pvrdmactl export
! pvrdmactl: export: $ROOT/etc/pvrdma/host.json:1: pool: unknown key 'pool'
! known here: version, pfs, links, pools
[1]
$ head -c 10485760 /dev/zero | tr '\0' '[' > etc/pvrdma/host.json
$ pvrdmactl apply
! pvrdmactl: apply: '$ROOT/etc/pvrdma/host.json' is longer than 1048576 bytes
[1]
$ pvrdmactl apply vm1
! pvrdmactl: apply 'vm1': takes no argument
! see 'pvrdmactl apply --help'
[2]
$ pvrdmactl apply --help
Usage: pvrdmactl apply [OPTIONS]

Make the host what /etc/pvrdma declares

Makes VFs and Soft-RoCE links, see pvrdma.conf(5). What is as declared stays as it is; what
is not declared is left alone. Needs root. At boot, pvrdma-host.service does it.

Options:
  --dry-run               say what would change, change nothing
  --pf ADDRESS            only this PF, and the links on it and its VFs
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl apply --dry-run
  pvrdmactl apply
$ pvrdmactl export --help
Usage: pvrdmactl export

Print the present host as a file for /etc/pvrdma

PFs with their number of VFs and Soft-RoCE links, as they are now, and the pools that are
declared. 'pvrdmactl apply' makes a host so.

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl export > host.json && mv host.json /etc/pvrdma/
