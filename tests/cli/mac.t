The GID <-> MAC rule, both ways, and its refusals.

$ pvrdmactl mac fe80:0000:0000:0000:7efe:90ff:fecb:743a
7c:fe:90:cb:74:3a
$ pvrdmactl mac fe80::7efe:90ff:fecb:743a
7c:fe:90:cb:74:3a
$ pvrdmactl mac --to-gid 7c:fe:90:cb:74:3a
fe80:0000:0000:0000:7efe:90ff:fecb:743a
$ pvrdmactl --json mac fe80::7efe:90ff:fecb:743a
{
  "version" : 1,
  "mac" : "7c:fe:90:cb:74:3a",
  "gid" : "fe80:0000:0000:0000:7efe:90ff:fecb:743a"
}
$ pvrdmactl mac --to-gid 7C-FE-90-CB-74-3A --json
{
  "version" : 1,
  "mac" : "7c:fe:90:cb:74:3a",
  "gid" : "fe80:0000:0000:0000:7efe:90ff:fecb:743a"
}
# GIDs that carry no MAC
$ pvrdmactl mac ::ffff:192.168.1.5
! pvrdmactl: mac '::ffff:192.168.1.5': GID 0000:0000:0000:0000:0000:ffff:c0a8:0105 carries no MAC: it is an IPv4-mapped GID
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
$ pvrdmactl mac fe80::a1b2:c3d4:e5f6:718
! pvrdmactl: mac 'fe80::a1b2:c3d4:e5f6:718': GID fe80:0000:0000:0000:a1b2:c3d4:e5f6:0718 carries no MAC: its interface id is not made from a MAC (no ff:fe in the middle; stable-privacy or set by hand)
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
$ pvrdmactl mac ::
! pvrdmactl: mac '::': GID 0000:0000:0000:0000:0000:0000:0000:0000 carries no MAC: it is the empty GID
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
$ pvrdmactl mac ff02::1
! pvrdmactl: mac 'ff02::1': GID ff02:0000:0000:0000:0000:0000:0000:0001 carries no MAC: it is a multicast GID
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
$ pvrdmactl --json mac ::
! pvrdmactl: mac '::': GID 0000:0000:0000:0000:0000:0000:0000:0000 carries no MAC: it is the empty GID
! use the port's link-local GID, the one that starts with fe80 and has ff:fe in the middle
[1]
# What is neither
$ pvrdmactl mac 7c:fe:90:cb:74:3a
! pvrdmactl: mac '7c:fe:90:cb:74:3a': '7c:fe:90:cb:74:3a' is not a GID
! write it like fe80::7efe:90ff:fecb:743a, or with all 32 hex digits
[2]
$ pvrdmactl mac ''
! pvrdmactl: mac '': '' is not a GID
! write it like fe80::7efe:90ff:fecb:743a, or with all 32 hex digits
[2]
$ pvrdmactl mac "$(printf 'fe80::\033[2J')"
! pvrdmactl: mac 'fe80::?[2J': 'fe80::\033[2J' is not a GID
! write it like fe80::7efe:90ff:fecb:743a, or with all 32 hex digits
[2]
$ pvrdmactl mac --to-gid fe80::1
! pvrdmactl: mac: 'fe80::1' is not a MAC address
! write six pairs of hex digits, like 7c:fe:90:cb:74:3a
[2]
$ pvrdmactl mac --to-gid 01:00:5e:00:00:01
! pvrdmactl: mac: 01:00:5e:00:00:01 cannot be the MAC of a network device: it is multicast or zero
[1]
$ pvrdmactl mac --to-gid 00:00:00:00:00:00
! pvrdmactl: mac: 00:00:00:00:00:00 cannot be the MAC of a network device: it is multicast or zero
[1]
# Usage
$ pvrdmactl mac
! pvrdmactl: mac: give either a GID or --to-gid MAC
! see 'pvrdmactl mac --help'
[2]
$ pvrdmactl mac fe80::1 --to-gid 7c:fe:90:cb:74:3a
! pvrdmactl: mac 'fe80::1': give either a GID or --to-gid MAC
! see 'pvrdmactl mac --help'
[2]
$ pvrdmactl mac fe80::1 fe80::2
! pvrdmactl: mac 'fe80::1': too many arguments: takes [GID]
! see 'pvrdmactl mac --help'
[2]
$ pvrdmactl mac --to-mac x
! pvrdmactl: mac: Unknown option --to-mac
! see 'pvrdmactl mac --help'
[2]
$ pvrdmactl mac --to-gid
! pvrdmactl: mac: Missing argument for --to-gid
! see 'pvrdmactl mac --help'
[2]
$ pvrdmactl mac --help
Usage: pvrdmactl mac [OPTIONS] [GID]

Show the MAC that a GID carries, or the GID of a MAC

A guest's RDMA function takes the MAC of its vmxnet3 function, so the host's GID must
carry the same MAC: fe80::/64 plus the modified EUI-64 of the MAC.

Options:
  --to-gid MAC            show the GID of this MAC instead
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl mac fe80:0000:0000:0000:7efe:90ff:fecb:743a
  pvrdmactl mac --to-gid 7c:fe:90:cb:74:3a
# Output that cannot be written
$ pvrdmactl mac fe80::7efe:90ff:fecb:743a >/dev/full
! pvrdmactl: cannot write the output: No space left on device
[1]
