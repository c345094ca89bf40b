# SPDX-License-Identifier: GPL-2.0-or-later
# Guests on this machine itself (in l0): vm1 and vm2, whose RDMA is the soft
# device, and peers with Linux's Soft-RoCE on an ordinary network card.
# Needs tap.sh, guest.sh, l1.sh, traffic.sh, domains.sh.

VM_UUID[peer1]=6a0f6a6c-0000-4000-8000-000000000011 VM_ADDR[peer1]=10.77.0.11
VM_UUID[peer2]=6a0f6a6c-0000-4000-8000-000000000012 VM_ADDR[peer2]=10.77.0.12
declare -A VM_ADDR6=([vm1]=fd77::1 [vm2]=fd77::2 [peer1]=fd77::11 [peer2]=fd77::12)
declare -A PEER_MAC=([peer1]=52:54:00:77:00:11 [peer2]=52:54:00:77:00:12)
BIG_MTU=9000

# bridges NAME...: each for frames of any size that the tests use.
bridges() {
  local name
  for name in "$@"; do
    ip link add "$name" mtu $BIG_MTU type bridge && ip link set "$name" up || return
  done
}

# soft_host KERNEL-DIR INITRAMFS-DIR QEMU-DIR: what the scripts have in common.
soft_host() {
  check "a bridge" bridges br-guests
  l1_images "$@"
  check "libvirtd starts" libvirt_up
}

# go_on NAME COMMAND...: a check without which nothing that follows makes sense.
go_on() {
  check "$@"
  [ "$TAP_FAILED_LAST" = 0 ] && return
  tail -n 20 "$GUEST_DIR"/*.log /var/log/libvirt/qemu/*.log
  soft_end
  exit 1
}

# soft_end: keeps the logs, prints the totals.
soft_end() {
  cp "$GUEST_DIR"/*.log /var/log/libvirt/qemu/*.log "$L0_OUT" 2>/dev/null
  tap_end
}

# define_soft NAME [BRIDGE]: a domain with a soft device.
define_soft() {
  guest_pipes "$1"
  domain_xml "$1" "${VM_UUID[$1]}" "${VM_ADDR[$1]}" >"/run/$1.xml"
  check "define $1" virsh define "/run/$1.xml"
  check "attach $1" pvrdmactl attach "$1" --soft --bridge "${2:-br-guests}"
}

# define_peer NAME MODEL: a domain with an ordinary network card.
define_peer() {
  local card="<interface type='bridge'><mac address='${PEER_MAC[$1]}'/><source bridge='br-guests'/><model type='$2'/></interface>"
  guest_pipes "$1"
  domain_xml "$1" "${VM_UUID[$1]}" "${VM_ADDR[$1]}" | sed "s|^ *<memballoon|    $card\n&|" >"/run/$1.xml"
  check "define $1, with $2" virsh define "/run/$1.xml"
}

# edit_guest NAME SED-SCRIPT: before it is started.
edit_guest() { virsh dumpxml --inactive "$1" | sed "$2" | virsh define /dev/stdin; }
# with_memory NAME MIB
with_memory() { edit_guest "$1" "s|\(<[a-zA-Z]*emory unit='KiB'>\)[0-9]*|\1$(($2 * 1024))|"; }

# start_guest NAME: up, with the big MTU on the host's side (the guest's own
# decides) and an IPv6 address.  (A bare "ip" would be busybox's own.)
start_guest() {
  go_on "virsh start $1" virsh start "$1"
  go_on "$1 is up" guest_ready "$1" 120
  check "$1: network" guest_network "$1"
}
guest_network() {
  local tap
  for tap in $(ls /sys/class/net | grep ^vnet); do ip link set "$tap" mtu $BIG_MTU || return; done
  guest "$1" "/bin/ip addr add ${VM_ADDR6[$1]}/64 dev eth0 nodad"
}

# start_soft NAME...: all are started before the first one is waited for.
start_soft() {
  local vm
  for vm in "$@"; do start_guest "$vm"; done
  for vm in "$@"; do
    go_on "$vm: PORT_ACTIVE" port_active "$vm"
    check "$vm: a RoCE v2 GID with the MAC" guest_side "$vm"
  done
}

# start_peer NAME: with a Soft-RoCE link on its card.
start_peer() {
  start_guest "$1"
  go_on "$1: a Soft-RoCE link" guest "$1" "rdma link add rxe0 type rxe netdev eth0"
  go_on "$1: PORT_ACTIVE" port_active "$1"
  check "$1: a RoCE v2 GID with the MAC" guest_side "$1"
}

# remove_guest NAME: so that another of the name can be defined.
remove_guest() { virsh destroy "$1" && virsh undefine "$1" && rm "$GUEST_DIR/$1.in" "$GUEST_DIR/$1.out"; }

# use_gids KIND SIDE...: what @GID@ stands for from here on.
use_gids() {
  local kind=$1 side
  shift
  for side in "$@"; do
    SIDE_GID[$side]=$(until_guest "$side" "gid-index ${SIDE_DEV[$side]} $kind") || { echo "${SIDE_GID[$side]}"; return 1; }
  done
}
# The kernel makes GIDs of addresses in the background.
until_guest() { until_true 10 guest "$1" "$2"; guest "$1" "$2"; }

# use_mtu BYTES VM...: of the card that the RDMA device goes with.
use_mtu() {
  local mtu=$1 vm
  shift
  for vm in "$@"; do guest "$vm" "ip link set eth0 mtu $mtu" || return; done
  for vm in "$@"; do until_true 20 active_mtu "$vm" "$mtu" || active_mtu "$vm" "$mtu" || return; done
}

# active_mtu VM NETDEV-MTU: the largest path MTU that fits the network card's.
active_mtu() {
  local want=1024
  [ "$2" -lt 4200 ] || want=4096
  guest "$1" ibv_devinfo | grep active_mtu: | tee /dev/stderr | grep -qw $want && guest_port_active "$1"
}

soft_dry_run() { pvrdmactl attach vm1 --bridge br-guests --dry-run | grep "^+.*vmxnet3"; }
memory_is_private() { ! virsh dumpxml --inactive "$1" | grep -E 'memfd|shared'; }

# The limits are those of libvirtd, whose child it is, and it has nothing open
# or at hand that is the host's RDMA.
no_privileges() {
  local pid
  pid=$(qemu_pid "$1")
  diff <(grep 'Max locked memory' "/proc/$pid/limits") <(grep 'Max locked memory' "/proc/$(cat /run/libvirtd.pid)/limits") || return
  ! ls -l "/proc/$pid/fd" | grep -E 'infiniband|pvrdma' && ! nsenter -t "$pid" -m ls /dev/infiniband /dev/pvrdma 2>/dev/null
}

# counters VM EXPRESSION: whether it is true, in Python, of the object that QEMU
# has given (now) and of the one that was kept before (old).
counters() {
  pvrdmactl status "$1" --stats --json >"/run/$1.json" && python3 -c 'import json, sys
def load(name): return json.load(open(name))["devices"][0]["stats"]
now, old = load(sys.argv[1]), load(sys.argv[2])
print(json.dumps(now, indent=1))
sys.exit(not eval(sys.argv[3]))' "/run/$1.json" "/run/$1.old.json" "$2"
}
ONLY_GSI='[qp["type"] for qp in now["qps"]] == ["GSI"]'
idle_counters() { pvrdmactl status "$1" --stats --json >"/run/$1.old.json" && counters "$1" "$ONLY_GSI"; }
counters_grew() {
  counters "$1" "$ONLY_GSI and all(now['counters'][n] > old['counters'][n] for n in
    ('commands', 'doorbells', 'send-wqes', 'recv-wqes', 'completions', 'interrupts', 'tx-packets', 'rx-packets'))"
}
busy_qp() {
  cp "/run/vm1.old.json" "/run/$1.old.json"
  counters "$1" 'any(qp["type"] == "RC" and qp["state"] == "RTS" and qp["sends"] > 0 for qp in now["qps"])'
}

# What an interrupted watch has printed: two samples at least, with rates, and no complaint.
watch_counters() {
  timeout --preserve-status -s INT 4 pvrdmactl status "$1" --stats --watch=1 >/run/watch.out 2>&1 || { cat /run/watch.out; return 1; }
  [ "$(grep -c '^== ' /run/watch.out)" -ge 2 ] && grep '^tx-packets .* [0-9]*\.[0-9]$' /run/watch.out
}
start_watch() {
  pvrdmactl status "$1" --stats --watch=1 >/run/watch.out 2>&1 &
  WATCH=$!
  until_true 10 grep '^QP' /run/watch.out
}
watch_ended() { until_true 10 sh -c "! kill -0 $WATCH" && wait $WATCH || { cat /run/watch.out; return 1; }; }

card_mac() { guest "$1" cat /sys/class/net/eth0/address; }
gid_of_card() {
  local mac gid
  mac=$(card_mac "$1")
  gid=$(pvrdmactl mac --to-gid "$mac") || { echo "$gid"; return 1; }
  echo "MAC $mac, GID $gid"
  guest "$1" "cat /sys/class/infiniband/${SIDE_DEV[$1]}/ports/1/gids/*" | grep -x "$gid"
}

# start_traffic SERVER CLIENT: WRITEs for a minute; returns when they flow.
start_traffic() {
  local args="-d @DEV@ -x @GID@ -F -s 4096 -D 60"
  guest "$1" "serve 18515 timeout 100 $(for_side "$1" "ib_write_bw $args")" || return
  guest "$2" "(timeout 100 $(for_side "$2" "ib_write_bw $args") ${SIDE_ADDR[$1]} >/tmp/bw.out 2>&1 &) </dev/null"
  sleep 8
  guest "$2" 'pidof ib_write_bw || { cat /tmp/bw.out; false; }'
}

# cm_checks SERVER CLIENT ADDRESS: connections that rdma_cm makes, to an address
# of the server; with data.  Datagrams only where the guest's provider takes the
# address (see pingpong_checks).
cm_checks() {
  local a=$1 b=$2 to=$3
  check "rping to $to ($a)" two_commands 60 cm:7174 "$a" "$b" "rping -s -a $to -C 20 -S 1000 -V" "rping -c -a $to -C 20 -S 1000 -V"
  check "ucmatose to $to ($a)" two_commands 60 cm:7471 "$a" "$b" \
    "ucmatose -b $to -p 7471 -C 10 -S 4096" "ucmatose -s $to -p 7471 -C 10 -S 4096"
  [[ $to == *:* ]] || check "udaddy to $to ($a)" two_commands 60 cm:7174 "$a" "$b" "udaddy -b $to -C 10 -S 512" "udaddy -s $to -C 10 -S 512"
}

# cm_perf_checks SERVER CLIENT: perftest over connections that rdma_cm makes.
cm_perf_checks() {
  local tool
  for tool in ib_send_bw ib_write_bw "ib_read_bw -o 16" ib_send_lat; do
    check "$tool -R ($1)" cm_perf "$1" "$2" "$tool -R -F -s 4096 -n 50"
  done
}

# cm_perf SERVER CLIENT COMMAND.  perftest's two sides shake hands before the
# server listens for the connection of the test; a client that comes too early
# is rejected (8: nobody has this service) and crashes when it tries again.
cm_perf() {
  local out
  for _ in 1 2 3; do
    out=$(two_commands 60 cm:18515 "$1" "$2" "$3" "$3 @SERVER@") && { echo "$out"; return; }
    echo "$out"
    grep -q "RDMA_CM_EVENT_REJECTED; error: 8" <<<"$out" || return
  done
  return 1
}

# pingpong_checks GID-KIND SERVER CLIENT.  rdma-core's vmw_pvrdma provider makes
# address handles for link-local and IPv4-mapped GIDs only: no UD over IPv6.
pingpong_checks() {
  check "GIDs: $1" use_gids "$1" "$2" "$3"
  check "$1, $2 serves: ibv_rc_pingpong, verified" pair 60 18515 "$2" "$3" ibv_rc_pingpong -c -d @DEV@ -g @GID@ -n 100
  check "$1, $3 serves: ibv_rc_pingpong, events" pair 60 18515 "$3" "$2" ibv_rc_pingpong -e -d @DEV@ -g @GID@ -n 100
  [ "$1" != ipv6 ] || return 0
  check "$1, $2 serves: ibv_ud_pingpong" pair 60 18515 "$2" "$3" ibv_ud_pingpong -d @DEV@ -g @GID@ -n 100 -s 1024
  check "$1, $3 serves: ibv_ud_pingpong, events" pair 60 18515 "$3" "$2" ibv_ud_pingpong -e -d @DEV@ -g @GID@ -n 100 -s 1024
}
