# SPDX-License-Identifier: GPL-2.0-or-later
# Showing the main job: every command is printed before it runs; the first one
# that fails ends the demonstration.  Needs guest.sh and traffic.sh.

title() { printf '\n--- %s (%d s)\n' "$*" "$SECONDS"; }
give_up() { printf '\ndemo: failed: %s\n' "$*"; exit 1; }

# show COMMAND...: on the host; show_in VM COMMAND: in a guest.
show() {
  printf 'host# %s\n' "$*"
  "$@" || give_up "$*"
}
show_in() {
  local vm=$1
  shift
  printf '%s# %s\n' "$vm" "$*"
  guest "$vm" -t 90 "$*" || give_up "$* (in $vm)"
}
# show_pair SERVER CLIENT COMMAND...: the last lines of what the client says.
show_pair() {
  local server=$1 client=$2 out
  shift 2
  printf '%s# %s\n' "$server" "$(for_side "$server" "$*")"
  printf '%s# %s %s\n' "$client" "$(for_side "$client" "$*")" "${SIDE_ADDR[$server]}"
  out=$(pair 120 "${DEMO_PORT:-18515}" "$server" "$client" "$@") || { printf '%s\n' "$out"; give_up "$*"; }
  tail -n "${DEMO_LINES:-2}" <<<"$out"
}

# row SIZE: a line of the table.
row() {
  local tool value
  printf '%10s' "$1"
  for tool in ib_send_lat ib_write_bw ib_read_bw; do
    value=$(perf vm1 vm2 $tool "$1") || { printf '\n%s\n' "$value"; give_up "$tool, $1 bytes"; }
    printf '%12s' "$value"
  done
  printf '\n'
}

# show_table: perftest from vm1 to vm2; the table is also in /run/table.
show_table() {
  title "perftest between the guests: latency in microseconds, bandwidth in MB/s"
  {
    printf '%10s%12s%12s%12s\n' bytes send_lat write_bw read_bw
    for size in ${DEMO_SIZES:-64 4096 1048576}; do row "$size" || exit 1; done
  } | tee /run/table
  [ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
}
