pvrdmactl release

$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': no domain of that name or UUID holds anything
[3]
$ fixture rxe rxe_d0 d0
$ fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '{"version": 1, "uuid": "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "domain": "vm1", "id": 0, "ibdev": "rxe_d0", "port": 1, "device": "d0", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "running", "pid": 4711, "pid_start": 47117, "steps": [{"step": "rxe-add", "what": "rxe_d0", "on": "d0"}, {"step": "symlink", "what": "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0", "on": "/dev/infiniband/uverbs0"}]}'
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': the domain is running (process 4711)
[1]
$ pvrdmactl release 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11
! pvrdmactl: release '5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11': the domain is running (process 4711)
[1]
# QEMU is gone, and nobody called the hook
$ fixture no-qemu vm1 4711
$ pvrdmactl release vm2
! pvrdmactl: release 'vm2': no domain of that name or UUID holds anything
[3]
$ fixture fail ibdev_del 6 'rxe_d0 is busy'
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': rxe_d0 is busy
[1]
$ fixture unfail ibdev_del
$ pvrdmactl release vm1
vm1: device 0 has given back port 1 of rxe_d0
$ ls sys/class/infiniband run/pvrdma/leases run/pvrdma/locks
run/pvrdma/leases:

run/pvrdma/locks:

sys/class/infiniband:
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': no domain of that name or UUID holds anything
[3]
# By UUID, before QEMU was there
$ fixture rxe rxe_d0 d0
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '{"version": 1, "uuid": "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "domain": "vm1", "id": 0, "ibdev": "rxe_d0", "port": 1, "device": "d0", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "prepared", "pid": 0, "pid_start": 0, "steps": [{"step": "rxe-add", "what": "rxe_d0", "on": "d0"}, {"step": "symlink", "what": "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0", "on": "/dev/infiniband/uverbs0"}]}'
$ pvrdmactl --json release 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11
{
  "version" : 1,
  "domain" : "vm1",
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "released" : [
    {
      "id" : 0,
      "ibdev" : "rxe_d0",
      "port" : 1
    }
  ]
}
# Names of before
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json '{"version": 1, "uuid": "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11", "domain": "vm1", "id": 0, "ibdev": "rxe_d0", "port": 1, "device": "d0", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "prepared", "pid": 0, "pid_start": 0, "steps": [{"step": "rxe-add", "what": "rxe_d0", "on": "d0"}, {"step": "symlink", "what": "/dev/pvrdma/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0", "on": "/dev/infiniband/uverbs0"}]}'
$ fixture write run/pvrdma/leases/77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0.json '{"version": 1, "uuid": "77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22", "domain": "vm1", "id": 0, "ibdev": "rxe_d1", "port": 1, "device": "d1", "gid": "fe80:0000:0000:0000:7efe:90ff:fecb:743a", "state": "prepared", "pid": 0, "pid_start": 0, "steps": [{"step": "rxe-add", "what": "rxe_d1", "on": "d1"}, {"step": "symlink", "what": "/dev/pvrdma/77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22-0", "on": "/dev/infiniband/uverbs0"}]}'
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': domains 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 and 77e1c4a2-0d6e-4a57-8f0c-8f4f3f7d3b22 were called so
! give the UUID
[2]
$ fixture write run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json ''
$ pvrdmactl release vm1
! pvrdmactl: release 'vm1': lease file '$ROOT/run/pvrdma/leases/5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11-0.json' is damaged: it is empty
! make sure that its domain is shut off, remove what is left of it ('rdma link show', /dev/pvrdma), then remove the file
[1]
$ pvrdmactl release
! pvrdmactl: release: argument missing: needs DOMAIN
! see 'pvrdmactl release --help'
[2]
