pvrdmactl recover

$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ fixture netdev d1 7c:fe:90:cb:74:3b up
$ pvrdmactl recover
! pvrdmactl: recover: nothing was left by a crash
[4]
$ pvrdmactl --json recover
{
  "version" : 1,
  "dry_run" : false,
  "leftovers" : []
}
! pvrdmactl: recover: nothing was left by a crash
[4]
# A guest whose QEMU is gone, and a command that was killed
$ fixture rxe rxe_d0 d0
$ fixture rxe soft1 d1
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '{"version": 1, "uuid": "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "domain": "vm1", "id": 0, "ibdev": "rxe_d0", "port": 1, "device": "d0", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "running", "pid": 4711, "pid_start": 5, "steps": [{"step": "rxe-add", "what": "rxe_d0", "on": "d0"}, {"step": "symlink", "what": "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0", "on": "/dev/infiniband/uverbs0"}]}'
$ fixture write run/pvrdma/journal/apply.json '{"version": 1, "name": "apply", "pid": 4711, "steps": [{"step": "netdev-up", "what": "d1", "on": "up", "was": "down"}, {"step": "rxe-add", "what": "soft1", "on": "d1"}]}'
$ pvrdmactl recover --dry-run
lease 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0 of domain 'vm1' (running, process 4711 is gone): would be taken back
  symlink /dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0: /dev/infiniband/uverbs0
  rxe-add rxe_d0: d0
journal apply, process 4711 is gone: would be taken back
  rxe-add soft1: d1
  netdev-up d1: up (was down)
$ pvrdmactl --json recover --dry-run
{
  "version" : 1,
  "dry_run" : true,
  "leftovers" : [
    {
      "kind" : "lease",
      "name" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0",
      "domain" : "vm1",
      "state" : "running",
      "pid" : 4711,
      "error" : null,
      "steps" : [
        {
          "step" : "rxe-add",
          "what" : "rxe_d0",
          "on" : "d0"
        },
        {
          "step" : "symlink",
          "what" : "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0",
          "on" : "/dev/infiniband/uverbs0"
        }
      ]
    },
    {
      "kind" : "journal",
      "name" : "apply",
      "domain" : null,
      "state" : null,
      "pid" : 4711,
      "error" : null,
      "steps" : [
        {
          "step" : "netdev-up",
          "what" : "d1",
          "on" : "up",
          "was" : "down"
        },
        {
          "step" : "rxe-add",
          "what" : "soft1",
          "on" : "d1"
        }
      ]
    }
  ]
}
$ ls sys/class/infiniband run/pvrdma/leases run/pvrdma/journal
run/pvrdma/journal:
apply.json

run/pvrdma/leases:
5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json

sys/class/infiniband:
rxe_d0
soft1
$ pvrdmactl recover
lease 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0 of domain 'vm1' (running, process 4711 is gone): taken back
  symlink /dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0: /dev/infiniband/uverbs0
  rxe-add rxe_d0: d0
journal apply, process 4711 is gone: taken back
  rxe-add soft1: d1
  netdev-up d1: up (was down)
$ ls sys/class/infiniband run/pvrdma/leases run/pvrdma/journal run/pvrdma/locks
run/pvrdma/journal:

run/pvrdma/leases:

run/pvrdma/locks:

sys/class/infiniband:
$ pvrdmactl recover
! pvrdmactl: recover: nothing was left by a crash
[4]
# A domain that runs holds what the command had made
$ fixture rxe soft1 d1
$ fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '{"version": 1, "uuid": "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "domain": "vm1", "id": 0, "ibdev": "soft1", "port": 1, "device": "d1", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "running", "pid": 4711, "pid_start": 47117, "steps": [{"step": "rxe-add", "what": "soft1", "on": "d1"}, {"step": "symlink", "what": "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0", "on": "/dev/infiniband/uverbs0"}]}'
$ fixture write run/pvrdma/journal/apply.json '{"version": 1, "name": "apply", "pid": 4711, "steps": [{"step": "netdev-up", "what": "d1", "on": "up", "was": "down"}, {"step": "rxe-add", "what": "soft1", "on": "d1"}]}'
$ pvrdmactl recover
journal apply, process 4711 is gone: stays
  because domain 'vm1' (device 0, running) holds 'soft1'
  shut that domain down, then try again
  rxe-add soft1: d1
  netdev-up d1: up (was down)
! pvrdmactl: recover: 1 of 1 cannot be taken back
[1]
$ fixture no-qemu vm1 4711
# A step that fails: it stays, and what comes before it on the same device
$ fixture fail ibdev_del 6 'soft1 is busy'
$ pvrdmactl recover
lease 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0 of domain 'vm1' (running, process 4711 is gone): stays
  because soft1 is busy
  symlink /dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0: /dev/infiniband/uverbs0
  rxe-add soft1: d1
journal apply, process 4711 is gone: stays
  because soft1 is busy
  rxe-add soft1: d1
  netdev-up d1: up (was down)
! pvrdmactl: recover: 2 of 2 cannot be taken back
[1]
$ fixture unfail ibdev_del
$ pvrdmactl recover
lease 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0 of domain 'vm1' (running, process 4711 is gone): taken back
  rxe-add soft1: d1
journal apply, process 4711 is gone: taken back
  rxe-add soft1: d1
  netdev-up d1: up (was down)
# Files that we did not write
$ fixture write run/pvrdma/journal/half.json ''
$ fixture write run/pvrdma/journal/other.json.tmp 'rubbish of an unfinished write'
$ pvrdmactl recover
journal half: stays
  because journal '$ROOT/run/pvrdma/journal/half.json' is damaged: it is empty
  look at the devices that its text names, then remove the file
! pvrdmactl: recover: 1 of 1 cannot be taken back
[1]
$ pvrdmactl --json recover
{
  "version" : 1,
  "dry_run" : false,
  "leftovers" : [
    {
      "kind" : "journal",
      "name" : "half",
      "domain" : null,
      "state" : null,
      "pid" : 0,
      "error" : "journal '$ROOT/run/pvrdma/journal/half.json' is damaged: it is empty\nlook at the devices that its text names, then remove the file",
      "steps" : []
    }
  ]
}
! pvrdmactl: recover: 1 of 1 cannot be taken back
[1]
$ ls run/pvrdma/journal
half.json
$ rm run/pvrdma/journal/half.json
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json ''
$ pvrdmactl recover
! pvrdmactl: recover: lease file '$ROOT/run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json' is damaged: it is empty
! make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
[1]
$ pvrdmactl recover now
! pvrdmactl: recover 'now': takes no argument
! see 'pvrdmactl recover --help'
[2]
