# SPDX-License-Identifier: GPL-2.0-or-later
# Many lives of a guest's driver, and of a guest, while a peer sends: nothing of
# them stays in QEMU or on the host.  Needs tap.sh, guest.sh, l1.sh, traffic.sh,
# domains.sh.

SOAK_BINDS=${SOAK_BINDS:-20} SOAK_RESETS=${SOAK_RESETS:-3}
SOAK_BATCH=10           # binds between two signs of life
SOAK_GROWTH=16384       # KiB of heap; most of it is the emulator's

# stock VM [MAPPINGS]: what its QEMU, and the device in it, have of the host.  Fewer
# mappings than MAPPINGS are no difference.
stock() {
  local pid least=${2:-0} mappings
  pid=$(qemu_pid "$1")
  mappings=$(wc -l <"/proc/$pid/maps")
  echo "file descriptors $(ls "/proc/$pid/fd" | wc -l)"
  echo "mappings $((mappings > least ? mappings : least))"
  pvrdmactl status "$1" --stats | sed -n '/^OBJECT/,/^$/p'
  [ ! -d "/sys/class/infiniband/${VM_RXE[$1]}" ] || rdma_objects "${VM_RXE[$1]}"
}
# take_stock VM: once the guest's kernel has made its GIDs, and all is quiet.
take_stock() {
  stock "$1" >"/run/$1.stock"
  until_true 30 quiet "$1"
  cat "/run/$1.stock"
  grep -q '^OBJECT' "/run/$1.stock"
}
quiet() { sleep 2 && { diff_stock "$1" || { stock "$1" >"/run/$1.stock"; false; }; }; }
# Threads that come and go have mappings, and the guest's kernel takes its time.
same_stock() { until_true 30 diff_stock "$1" || diff_stock "$1"; }
diff_stock() { diff "/run/$1.stock" <(stock "$1" "$(sed -n 's/^mappings \([0-9]*\)$/\1/p' "/run/$1.stock")"); }

# bound_emulator VM: before its start.  Without, what is translated takes more and
# more memory, and the heap says nothing about the device.
bound_emulator() {
  [ "$(domain_type)" = kvm ] && return
  virsh dumpxml --inactive "$1" | sed "s|<features>|&<tcg><tb-cache unit='MiB'>64</tb-cache></tcg>|" | virsh define /dev/stdin
}
heap_is_comparable() { virsh dumpxml "$1" | grep -qE "<tb-cache|<domain type='kvm'"; }
# heap VM: KiB, without the guest's memory and the emulator's code.
heap() { awk '/^Size:/ { big = $2 >= 262144 } /^Anonymous:/ && !big { sum += $2 } END { print sum }' "/proc/$(qemu_pid "$1")/smaps"; }
same_heap() {
  local now
  now=$(heap "$1")
  echo "$2 KiB before, $now KiB now"
  [ "$now" -le $(($2 + SOAK_GROWTH)) ]
}

# start_pester FROM TO: TO's receivers are never without a sender.
start_pester() {
  guest "$1" "(pester ${SIDE_ADDR[$2]} ${SIDE_DEV[$1]} ${SIDE_GID[$1]} >/dev/null 2>&1 & echo \$! >/tmp/pester.pid) </dev/null"
}
stop_pester() { guest "$1" 'kill $(cat /tmp/pester.pid); killall ib_write_bw; true'; }

# binds VM COUNT, resets VM COUNT: with a line now and then.
binds() {
  local n=0 batch
  while [ $n -lt "$2" ]; do
    batch=$(($2 - n < SOAK_BATCH ? $2 - n : SOAK_BATCH))
    guest "$1" -t $((batch * 240)) "rebind $batch" || return
    n=$((n + batch))
    echo "  $1: $n of $2 binds, $SECONDS s" >&3
  done
}
resets() {
  local n
  for ((n = 1; n <= $2; n++)); do
    guest "$1" -t 120 victim && virsh reset "$1" && guest_ready "$1" 240 && port_active "$1" || return
    echo "  $1: $n of $2 resets, $SECONDS s" >&3
  done
}

# soak_kind KIND VM COUNT: what is there after the first two is there after all.
soak_kind() {
  local heap
  check "$2: the first $1" "$1" "$2" 2
  check "$2: what it has" take_stock "$2"
  heap=$(heap "$2")
  check "$2: $3 $1 under traffic" "$1" "$2" "$3"
  check "$2: no descriptor, mapping or object more than before" same_stock "$2"
  ! heap_is_comparable "$2" || check "$2: no memory more than before" same_heap "$2" "$heap"
}

# soak VM PEER
soak() {
  exec 3>&1
  check "$2: what it has" take_stock "$2"
  check "$2 sends to $1" start_pester "$2" "$1"
  soak_kind binds "$1" "$SOAK_BINDS"
  soak_kind resets "$1" "$SOAK_RESETS"
  check "$2 stops" stop_pester "$2"
  check "$2: no descriptor, mapping or object more than before" same_stock "$2"
  check "$1: its GID" guest_side "$1"
  exec 3>&-
}
