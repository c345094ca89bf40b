Help, version, and words that are no command.

$ pvrdmactl --help
Usage: pvrdmactl [OPTIONS] COMMAND [ARGS]

Gives libvirt guests VMware-compatible paravirtual RDMA devices.

Commands:
  list                    List RDMA devices, their ports and GIDs
  gid                     Show the GID table of an RDMA device
  mac                     Show the MAC that a GID carries, or the GID of a MAC
  rxe add                 Make a Soft-RoCE link on a network device
  rxe del                 Remove a Soft-RoCE link

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

'pvrdmactl COMMAND --help' shows a command's options and an example.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 nothing to do.
$ pvrdmactl -h
Usage: pvrdmactl [OPTIONS] COMMAND [ARGS]

Gives libvirt guests VMware-compatible paravirtual RDMA devices.

Commands:
  list                    List RDMA devices, their ports and GIDs
  gid                     Show the GID table of an RDMA device
  mac                     Show the MAC that a GID carries, or the GID of a MAC
  rxe add                 Make a Soft-RoCE link on a network device
  rxe del                 Remove a Soft-RoCE link

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

'pvrdmactl COMMAND --help' shows a command's options and an example.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 nothing to do.
$ pvrdmactl --version | sed 's/[0-9][0-9.]*/N/'
pvrdmactl N
$ pvrdmactl
! pvrdmactl: no command given
! see 'pvrdmactl --help'
[2]
$ pvrdmactl lst
! pvrdmactl: no command 'lst'
! see 'pvrdmactl --help'
[2]
$ pvrdmactl rxe
! pvrdmactl: 'rxe' needs one more word
! see 'pvrdmactl --help'
[2]
$ pvrdmactl rxe --help
Usage: pvrdmactl [OPTIONS] rxe [ARGS]

Commands:
  rxe add                 Make a Soft-RoCE link on a network device
  rxe del                 Remove a Soft-RoCE link

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

'pvrdmactl COMMAND --help' shows a command's options and an example.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 nothing to do.
$ pvrdmactl rxe move
! pvrdmactl: no command 'rxe move'
! see 'pvrdmactl --help'
[2]
$ pvrdmactl --nope list
! pvrdmactl: Unknown option --nope
! see 'pvrdmactl --help'
[2]
$ pvrdmactl list --nope
! pvrdmactl: list: Unknown option --nope
! see 'pvrdmactl list --help'
[2]
$ pvrdmactl list extra
! pvrdmactl: list 'extra': takes no argument
! see 'pvrdmactl list --help'
[2]
$ pvrdmactl list --help
Usage: pvrdmactl list

List RDMA devices, their ports and GIDs

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl list
  pvrdmactl list --json
$ pvrdmactl list --version | sed "s/[0-9][0-9.]*/N/"
pvrdmactl N
$ pvrdmactl list -- extra
! pvrdmactl: list 'extra': takes no argument
! see 'pvrdmactl list --help'
[2]
$ pvrdmactl -- list
no RDMA devices; 'pvrdmactl rxe add NETDEV' makes one
$ pvrdmactl ''
! pvrdmactl: no command ''
! see 'pvrdmactl --help'
[2]
$ pvrdmactl --json
! pvrdmactl: no command given
! see 'pvrdmactl --help'
[2]
