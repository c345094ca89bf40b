# SPDX-License-Identifier: GPL-2.0-or-later
# Kills attach, then detach, before each step that becomes final on the disk, ours and libvirt's.
# Whatever is left, status can show it and detach brings the former XML back.
#   kill-attach.sh KILL-AT PVRDMACTL FIXTURE [ATTACH-OPTIONS]
set -eu

kill_at=$1
ctl=$2
fixture=$3
shift 3
ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
# The leak checker does not work in a traced process.
export ASAN_OPTIONS=detect_leaks=0

dump() { virsh -q dumpxml --inactive --security-info vm1; }
fail() { echo "FAIL: $*"; exit 1; }
pvrdmactl() { "$ctl" --root "$ROOT" "$@"; }

# Like pvrdmactl, but killed before step $1; status 99 if there are that many steps.
killed() {
    step=$1
    shift
    status=0
    "$kill_at" "$step" "$ctl" --root "$ROOT" "$@" > "$ROOT/killed" 2>&1 || status=$?
    case $status in
    0 | 99) ;;
    *) cat "$ROOT/killed"; fail "$1 killed at step $step ended with status $status" ;;
    esac
}

# After a kill: whatever there is can be shown and undone.
recover() {
    pvrdmactl status > "$ROOT/status" || fail "status after $1"
    outcome=0
    pvrdmactl detach vm1 > "$ROOT/out" 2>&1 || outcome=$?
    [ $outcome = 0 ] || [ $outcome = 4 ] || { cat "$ROOT/out"; fail "detach after $1: $outcome"; }
    dump | diff -u "$ROOT/before.xml" - || fail "the XML after $1 is not the former one"
}

"$fixture" "$ROOT" netdev d0 52:54:00:00:00:01 up
virsh -q define "$DATA/q35.xml"
dump > "$ROOT/before.xml"

undone=0
n=1
while killed $n attach vm1 "$@"; [ $status = 99 ]; do
    recover "attach killed at step $n"
    [ $outcome = 4 ] || undone=$((undone + 1))
    n=$((n + 1))
done
[ $n -ge 5 ] && [ $undone -ge 1 ] && [ $undone -lt $n ] || fail "attach: $n steps, $undone undone"
attach_steps=$((n - 1))

n=1
while killed $n detach vm1; [ $status = 99 ]; do
    recover "detach killed at step $n"
    pvrdmactl attach vm1 "$@" > "$ROOT/out" || fail "attach after detach killed at step $n"
    n=$((n + 1))
done
dump | diff -u "$ROOT/before.xml" - || fail "the XML after the last detach is not the former one"
[ $n -ge 3 ] || fail "detach: $n steps"
echo "attach was killed at $attach_steps steps ($undone left the device), detach at $((n - 1))"
