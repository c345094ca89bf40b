The hook through the life of a domain, as libvirt calls it

$ fixture netdev d0 7c:fe:90:cb:74:3a up
$ fixture domain vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 d0
$ hook vm1 prepare begin - < vm1.xml
$ readlink dev/pvrdma/*
/dev/infiniband/uverbs0
$ cat run/pvrdma/leases/*
{
  "version" : 1,
  "uuid" : "5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11",
  "domain" : "vm1",
  "id" : 0,
  "ibdev" : "rxe_d0",
  "port" : 1,
  "device" : "d0",
  "gid" : "fe80:0000:0000:0000:7efe:90ff:fecb:743a",
  "state" : "prepared",
  "pid" : 0,
  "pid_start" : 0,
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
}
$ hook vm1 start begin - < vm1.xml
$ fixture qemu vm1 5b4ac7b1-1f7b-4c5a-9a0e-3f0a4d0c6f11 4711
$ hook vm1 started begin - < vm1.xml
$ grep -e state -e pid run/pvrdma/leases/*
  "state" : "running",
  "pid" : 4711,
  "pid_start" : 47117,
$ cat .fake/log
rxe_add rxe_d0 d0
set_memlock 4711 18446744073709551615
# The daemon restarts; the link was lost meanwhile.
$ rm dev/pvrdma/*
$ hook vm1 reconnect begin - < vm1.xml
$ readlink dev/pvrdma/*
/dev/infiniband/uverbs0
# The end, with the shutoff reason that libvirt >= 10.5 adds.
$ fixture no-qemu vm1 4711
$ hook vm1 stopped end - < vm1.xml
$ hook vm1 release end destroyed < vm1.xml
$ ls dev/pvrdma run/pvrdma/leases sys/class/infiniband dev/infiniband
dev/infiniband:

dev/pvrdma:

run/pvrdma/leases:

sys/class/infiniband:
$ cat .fake/log
rxe_add rxe_d0 d0
set_memlock 4711 18446744073709551615
set_memlock 4711 18446744073709551615
ibdev_del rxe_d0
# A domain that was renamed and lost its metadata while it ran.
$ hook vm1 prepare begin - < vm1.xml
$ echo '<domain><name>new</name><uuid>5B4AC7B1-1F7B-4C5A-9A0E-3F0A4D0C6F11</uuid></domain>' | hook new release end -
$ ls dev/pvrdma run/pvrdma/leases sys/class/infiniband
dev/pvrdma:

run/pvrdma/leases:

sys/class/infiniband:
