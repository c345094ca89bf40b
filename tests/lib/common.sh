# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by everything under tests/, check and demo.  Source it; it only
# defines functions and variables and creates the cache and log directories.

PVR_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PVR_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/pvrdma
PVR_LOGS=${PVR_LOGS:-$PVR_CACHE/logs}
PVR_JOBS=${PVR_JOBS:-$(nproc)}
mkdir -p "$PVR_CACHE" "$PVR_LOGS"

say()  { printf '%s\n' "$*" >&2; }
step() { printf '== %s\n' "$*" >&2; }
die()  { say "error: $*"; exit 1; }

# cache_key FILE-OR-STRING...: a short hash over the content of the files and
# over the arguments that name no file.
cache_key() {
  local a
  for a in "$@"; do
    if [ -f "$a" ]; then cat "$a"; else printf '%s\n' "$a"; fi
  done | sha256sum | cut -c1-16
}

# tree_key DIR...: a short hash over the names and contents of all files below.
tree_key() {
  find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum |
    sed "s|$PVR_TOP/||" | sha256sum | cut -c1-16
}

# run_logged NAME COMMAND...: runs COMMAND with all its output in
# $PVR_LOGS/NAME.log.  On a terminal or in a log the reader sees the command,
# a sign of life twice a minute with the last line, and the time it took; on
# failure the end of the log.
run_logged() {
  local name=$1 log start pid rc last
  shift
  log=$PVR_LOGS/$name.log
  start=$SECONDS
  say "  $name: $* (log: $log)"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  ( trap 'kill $! 2>/dev/null; exit' TERM
    while sleep 30 & wait $!; do
      last=$(tail -n 1 "$log" | tr -d '\r' | cut -c1-90)
      say "  $name: $((SECONDS - start)) s  $last"
    done ) &
  last=$!
  rc=0; wait "$pid" || rc=$?
  kill "$last" 2>/dev/null; wait "$last" 2>/dev/null
  if [ "$rc" -ne 0 ]; then
    say "  $name: FAILED with $rc after $((SECONDS - start)) s; the end of $log:"
    tail -n "${PVR_TAIL:-40}" "$log" >&2
    return "$rc"
  fi
  say "  $name: done in $((SECONDS - start)) s"
}

# commit_dir TMP FINAL: moves a finished directory to its place, so that a
# cache entry either is complete or does not exist.
commit_dir() {
  rm -rf "$2"
  mv "$1" "$2"
}

# cache_prune PREFIX KEEP: removes all but the KEEP most recent entries.
cache_prune() {
  local d
  ls -1dt "$PVR_CACHE/$1"* 2>/dev/null | tail -n "+$(($2 + 1))" |
    while read -r d; do rm -rf "$d"; done
}

# with_lock NAME COMMAND...: one holder at a time on this machine.
with_lock() {
  local name=$1
  shift
  flock "$PVR_CACHE/$name.lock" "$@"
}
