Help, version, and words that are no command.

# The list of commands grows: only some of it is compared.
$ pvrdmactl --help | grep -vE '^  [a-z]'
Usage: pvrdmactl [OPTIONS] COMMAND [ARGS]

Gives libvirt guests VMware-compatible paravirtual RDMA devices.

Commands:

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

'pvrdmactl COMMAND --help' shows a command's options and an example.
Exit status: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 nothing to do.
$ pvrdmactl --help | grep -E '^  (list|rxe)'
  list                    List RDMA devices, their ports and GIDs, and who holds them
  rxe add                 Make a Soft-RoCE link on a network device
  rxe del                 Remove a Soft-RoCE link
$ pvrdmactl -h | head -n 1
Usage: pvrdmactl [OPTIONS] COMMAND [ARGS]
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

List RDMA devices, their ports and GIDs, and who holds them

Options:
  --json                  print one JSON object
  -c, --connect URI       libvirt connection
  -h, --help              show this text
  -V, --version           show the version

Example:
  pvrdmactl list
  pvrdmactl list --json
$ pvrdmactl status --help | grep -E '^  --(stats|watch)'
  --stats                 the counters of the devices of running domains
  --watch[=SECONDS]       with --stats: again and again, every so many seconds (2), with rates
$ pvrdmactl status vm1 --watch
! pvrdmactl: status 'vm1': --watch goes with --stats
! see 'pvrdmactl status --help'
[2]
$ pvrdmactl status vm1 --watch=5
! pvrdmactl: status 'vm1': --watch goes with --stats
! see 'pvrdmactl status --help'
[2]
$ pvrdmactl status vm1 --stats --watch=0
! pvrdmactl: status 'vm1': --watch takes seconds, 0.1 to 86400
! see 'pvrdmactl status --help'
[2]
$ pvrdmactl status --stats --watch=1m
! pvrdmactl: status: --watch takes seconds, 0.1 to 86400
! see 'pvrdmactl status --help'
[2]
$ pvrdmactl list --version | sed "s/[0-9][0-9.]*/N/"
pvrdmactl N
$ pvrdmactl list -- extra
! pvrdmactl: list 'extra': takes no argument
! see 'pvrdmactl list --help'
[2]
$ pvrdmactl -- list
no RDMA devices on this host; 'pvrdmactl attach DOMAIN' needs none, 'pvrdmactl rxe add NETDEV' makes one
$ pvrdmactl ''
! pvrdmactl: no command ''
! see 'pvrdmactl --help'
[2]
$ pvrdmactl --json
! pvrdmactl: no command given
! see 'pvrdmactl --help'
[2]
