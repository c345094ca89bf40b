# SPDX-License-Identifier: GPL-2.0-or-later
# Commands in test guests.  Runs in the L1; the guest's end is host/guest/agent.
# A guest's console is a pair of pipes, GUEST_DIR/NAME.in and .out, which the
# domain XML names (see host/domain.xml.in).

GUEST_DIR=/run/guests
declare -A GUEST_TX GUEST_RX GUEST_SEQ

# guest_pipes NAME: before the domain is started.
guest_pipes() {
  local tx rx
  mkdir -p "$GUEST_DIR"
  mkfifo "$GUEST_DIR/$1.in" "$GUEST_DIR/$1.out"
  exec {tx}<>"$GUEST_DIR/$1.in" {rx}<>"$GUEST_DIR/$1.out"
  GUEST_TX[$1]=$tx GUEST_RX[$1]=$rx GUEST_SEQ[$1]=0
}

# guest_ready NAME SECONDS: waits for a guest that boots.
guest_ready() {
  local line limit=$((SECONDS + $2))
  while [ $SECONDS -lt $limit ]; do
    IFS= read -r -t $((limit - SECONDS)) -u "${GUEST_RX[$1]}" line || break
    [ "${line%$'\r'}" != @READY ] || return 0
  done
  echo "guest $1 did not come up within $2 s"
  return 1
}

# guest NAME [-t SECONDS] COMMAND: runs it, prints its output, returns its
# exit code; 124 if it took longer.
guest() {
  local name=$1 seconds=60 line n
  shift
  if [ "$1" = -t ]; then seconds=$2; shift 2; fi
  n=$((++GUEST_SEQ[$name]))
  printf '%s %s %s\n' "$n" "$seconds" "$*" >&"${GUEST_TX[$name]}"
  local limit=$((SECONDS + seconds + 10)) blank=
  while [ $SECONDS -lt $limit ]; do
    IFS= read -r -t $((limit - SECONDS)) -u "${GUEST_RX[$name]}" line || break
    line=${line%$'\r'}
    case $line in
      "@END $n "*)
        # busybox's timeout reports the signal; 124 is what everybody knows
        line=${line##* }
        [ "$line" != 143 ] || line=124
        return "$line" ;;
      '@END '*) ;;
      '') blank=${blank}$'\n' ;;
      *) printf '%s%s\n' "$blank" "$line"; blank= ;;
    esac
  done
  echo "guest $name: no answer within $((seconds + 10)) s to: $*"
  return 124
}
