# SPDX-License-Identifier: GPL-2.0-or-later
# RDMA traffic between two sides.  A side is a guest or a bare rxe link of the
# L1 itself; what it is called in commands is in these tables.  Needs guest.sh.

declare -A SIDE_DEV SIDE_GID SIDE_ADDR      # ibdevice, GID index, TCP address

# on SIDE [-t SECONDS] COMMAND: runs it there.
on() {
  local side=$1 seconds=60
  if [ -n "${GUEST_TX[$side]:-}" ]; then guest "$@"; return; fi
  shift
  if [ "$1" = -t ]; then seconds=$2; shift 2; fi
  mkdir -p "/tmp/side-$side"
  SERVE_DIR=/tmp/side-$side PATH=$PVR_TOP/tests/host/guest:$TOOLS_DIR:$PATH timeout "$seconds" sh -c "$*" </dev/null 2>&1
}

# pair SECONDS PORT SERVER-SIDE CLIENT-SIDE COMMAND...: COMMAND once on each
# side, @DEV@, @GID@ replaced; the client's gets the server's address appended.
pair() {
  local seconds=$1 port=$2 server=$3 client=$4
  shift 4
  two_commands "$seconds" "$port" "$server" "$client" "$*" "$* @SERVER@"
}

# two_commands SECONDS PORT|cm:PORT SERVER-SIDE CLIENT-SIDE SERVER-COMMAND
# CLIENT-COMMAND: @SERVER@ is the server's address.  Prints the client's output;
# on failure the server's too.
two_commands() {
  local seconds=$1 server=$3 client=$4 address=${SIDE_ADDR[$3]} out rc=0
  on "$server" -t 30 "serve $2 timeout $seconds $(for_side "$server" "${5//@SERVER@/$address}")" || return
  on "$client" -t "$seconds" "$(for_side "$client" "${6//@SERVER@/$address}")" || rc=$?
  if [ "$rc" -ne 0 ]; then echo "(the client's exit code: $rc; the server:)"; fi
  out=$(mktemp)
  on "$server" -t "$seconds" served >"$out" || { [ "$rc" -ne 0 ] || cat "$out"; rc=1; }
  [ "$rc" -eq 0 ] || cat "$out"
  rm -f "$out"
  return "$rc"
}

for_side() {
  local text=$2
  text=${text//@DEV@/${SIDE_DEV[$1]}}
  printf '%s' "${text//@GID@/${SIDE_GID[$1]}}"
}

# How many messages of a size are enough for a number and do not take for ever.
iterations() {
  if [ -n "${PERF_ITERATIONS:-}" ]; then echo "$PERF_ITERATIONS"; elif [ "$1" -le 4096 ]; then echo 50; elif [ "$1" -le 65536 ]; then echo 10; else echo 5; fi
}

# perf SERVER CLIENT TOOL SIZE [OPTION...]: prints the one number of interest,
# microseconds for *_lat (typical) and MB/s for *_bw (average); of PERF_COLUMN
# another one.  perftest
# measures the CPU's frequency first; under emulation that can go wrong, and all
# times are then "inf": measure again.
perf() {
  local i value=
  for i in 1 2 3; do
    value=$(perf_once "$@") || { echo "$value"; return 1; }
    [[ $value =~ ^[0-9.]+$ ]] && break
  done
  echo "$value"
  [[ $value =~ ^[0-9.]+$ ]]
}

perf_once() {
  local server=$1 client=$2 tool=$3 size=$4 n out column seconds=60
  shift 4
  n=$(iterations "$size")
  [ "$size" -le 65536 ] || seconds=180
  case $tool in
    ib_atomic_*) size="-o 16" ;;        # what each device can have outstanding
    ib_read_*) size="-s $size -o 16" ;;
    *) size="-s $size" ;;
  esac
  case $tool in *_lat) column=5 ;; *) column=4 ;; esac
  column=${PERF_COLUMN:-$column}
  out=$(pair $seconds 18515 "$server" "$client" "$tool -d @DEV@ -x @GID@ -F $size -n $n $*") || { echo "$out"; return 1; }
  awk -v c=$column '/^ *#bytes/ { in_table = 1; next } in_table && NF >= c && $1 ~ /^[0-9]+$/ { print $c; ok = 1; exit }
    END { exit !ok }' <<<"$out" || { echo "$out"; return 1; }
}

# A receive that is posted to a QP in ERR is not flushed by Soft-RoCE (its user
# space writes it to the queue without telling the kernel).
RXE_LACKS="-x flush-late-recv"

# bare_sides: the L1's own rxe0 and rxe1 as the sides a0 and a1.
bare_sides() {
  local n
  for n in 0 1; do
    SIDE_DEV[a$n]=rxe$n SIDE_ADDR[a$n]=127.0.0.1
    SIDE_GID[a$n]=$(on "a$n" gid-index "rxe$n")
  done
}

# check_verbs PREFIX SERVER CLIENT [OPTION...]: verbs-check, each of its tests a check here.
check_verbs() {
  local prefix=$1 server=$2 client=$3 out line rc=0
  shift 3
  out=$(mktemp)
  pair 300 18520 "$server" "$client" verbs-check -d @DEV@ -g @GID@ -p 18520 "$@" >"$out" || rc=$?
  while IFS= read -r line; do
    case $line in
      'ok '*) passed "$prefix: verbs-check ${line#ok }" ;;
      'FAILED '*) failed "$prefix: verbs-check ${line#FAILED }" ;;
    esac
  done < <(sed '/(the client.s exit code/,$d' "$out")
  if [ "$rc" -ne 0 ]; then failed "$prefix: verbs-check as a whole" "$out"; else passed "$prefix: verbs-check as a whole"; fi
  rm -f "$out"
}
