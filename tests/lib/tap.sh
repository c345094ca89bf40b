# SPDX-License-Identifier: GPL-2.0-or-later
# Counting: every check has a name and either passes or fails.

TAP_PASSED=0 TAP_FAILED=0 TAP_SKIPPED=0
TAP_FAILURES=()                 # their names, for the end of a long output

stage() { printf '\n== %s (%d s)\n' "$1" "$SECONDS"; }

passed()  { TAP_FAILED_LAST=0 TAP_PASSED=$((TAP_PASSED + 1)); printf 'ok   %s\n' "$1"; }
skipped() { TAP_SKIPPED=$((TAP_SKIPPED + 1)); printf 'skip %s: %s\n' "$1" "$2"; }

# failed NAME [FILE]: FILE holds what was printed.
failed() {
  TAP_FAILED_LAST=1 TAP_FAILED=$((TAP_FAILED + 1)) TAP_FAILURES+=("$1")
  printf 'FAIL %s\n' "$1"
  [ ! -s "${2:-}" ] || tail -n 25 "$2" | sed 's/^/     /'
}

# check NAME COMMAND...: passes if COMMAND succeeds; says so if it was slow.
check() {
  local name=$1 out from=$SECONDS
  shift
  out=$(mktemp)
  if "$@" >"$out" 2>&1; then passed "$name$(slow $from)"; else failed "$name$(slow $from)" "$out"; fi
  rm -f "$out"
}
slow() { [ $((SECONDS - $1)) -lt 10 ] || printf ' (%d s)' $((SECONDS - $1)); }

# check_fails NAME PATTERN COMMAND...: passes if COMMAND fails and says PATTERN.
check_fails() {
  local name=$1 pattern=$2 out rc=0
  shift 2
  out=$(mktemp)
  "$@" >"$out" 2>&1 || rc=$?
  if [ "$rc" -eq 0 ]; then
    echo "(succeeded)" >>"$out"; failed "$name" "$out"
  elif ! grep -qE -- "$pattern" "$out"; then
    echo "(exit $rc without the message '$pattern')" >>"$out"; failed "$name" "$out"
  else
    passed "$name"
  fi
  rm -f "$out"
}

# count_log NAME LOG: adds up the results in LOG, lines as above; the failures
# have been shown already.  Needs common.sh.
count_log() {
  local p f s
  p=$(grep -c '^ok   ' "$2") f=$(grep -c '^FAIL ' "$2") s=$(grep -c '^skip ' "$2")
  TAP_PASSED=$((TAP_PASSED + p)) TAP_FAILED=$((TAP_FAILED + f)) TAP_SKIPPED=$((TAP_SKIPPED + s))
  mapfile -t -O ${#TAP_FAILURES[@]} TAP_FAILURES < <(sed -n "s/^FAIL /$1: /p" "$2")
  say "  $1: $p passed, $f failed, $s skipped"
}

tap_end() {
  local name
  for name in "${TAP_FAILURES[@]}"; do printf 'failed: %s\n' "$name"; done
  printf '%d passed, %d failed, %d skipped\n' "$TAP_PASSED" "$TAP_FAILED" "$TAP_SKIPPED"
  [ "$TAP_FAILED" -eq 0 ] && [ "$TAP_PASSED" -gt 0 ]
}
