#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In l0: two guests with the soft device, on either end of a wire that loses,
# doubles, reorders and damages frames.  Every byte must arrive all the same.
#
# usage: soft-loss.sh KERNEL-DIR INITRAMFS-DIR QEMU-DIR
. "$PVR_TOP/tests/lib/common.sh"
for part in tap guest l1 traffic domains soft; do . "$PVR_TOP/tests/lib/$part.sh"; done

# Two bridges; what connects them is a program.
two_networks() {
  local n
  bridges br-guests br-far || return
  for n in guests far; do
    ip link add "wire-$n" mtu $BIG_MTU type veth peer name "$n-wire" mtu $BIG_MTU &&
      ip link set "wire-$n" up && ip link set "$n-wire" master "br-$n" up || return
  done
}

# with_wire RATES COMMAND...: RATES as lossy-wire wants them, seed first.
with_wire() {
  local rates=$1 wire
  shift
  # shellcheck disable=SC2086
  /run/lossy-wire wire-guests wire-far $rates >/run/wire.out &
  wire=$!
  "$@"
  kill $wire
  wait $wire
  cat /run/wire.out
}

# some_of WORD...: the wire did do each of these.
some_of() {
  local word
  cat /run/wire.out
  for word in "$@"; do grep -qE "[1-9][0-9]* $word" /run/wire.out || return; done
}

# No ibv_rc_pingpong: its client goes without waiting for the server, whose last
# message is then never acknowledged if that acknowledgement is lost.
traffic() {
  check_verbs "$1" vm1 vm2 -t send,write,read,cas,faa
  for tool in ib_send_bw ib_write_bw ib_read_bw; do check "$1: $tool, 64 KiB" perf vm2 vm1 $tool 65536; done
  check "$1: rping" two_commands 90 cm:7174 vm1 vm2 "rping -s -a @SERVER@ -C 50 -S 4000 -V" "rping -c -a @SERVER@ -C 50 -S 4000 -V"
}

stage "two guests and a wire"
check "the wire is built" gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o /run/lossy-wire "$PVR_TOP/tests/host/lossy-wire.c"
check "two networks" two_networks
l1_images "$@"
check "libvirtd starts" libvirt_up
define_soft vm1 br-guests
define_soft vm2 br-far
start_soft vm1 vm2
check "GIDs of IPv4 addresses" use_gids ipv4 vm1 vm2

stage "a wire without faults"
with_wire "1 0 0 0 0" traffic "no loss"
stage "1 % of the frames lost"
with_wire "2 10 0 0 0" traffic "1 % lost"
check "frames were lost" some_of dropped
stage "some lost, doubled, reordered and damaged"
with_wire "3 20 20 20 10" traffic "all faults"
check "all faults occurred" some_of dropped duplicated reordered damaged
stage "10 % lost"
# -T: a second, the default, for each loss that no later packet shows is too long:
# there are some twenty in a large message.
with_wire "4 100 0 0 0" check_verbs "10 % lost" vm1 vm2 -T 16 -t send,write,read,cas
check "frames were lost" some_of dropped
soft_end
