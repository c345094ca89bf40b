#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# prepare and mkseries on a copy of qemu-patches/ and on miniature QEMU trees,
# which hold just the lines that the hunks look for.  That the hunks fit real
# QEMU sources is checked where those are (./check qemu).
set -eu

for command in git patch diff; do
    command -v "$command" >/dev/null || { echo "no $command"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$1" "$work/qp"
qp=$work/qp
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@example.org
export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=tester@example.org
export GIT_AUTHOR_DATE="Thu, 01 Jan 2026 12:00:00 +0000"
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

# A tree $1 of version $2
mini_tree() {
    mkdir -p "$1"
    for h in "$qp"/hunks/*.patch; do
        f=$(sed -n 's,^+++ b/,,p' "$h")
        mkdir -p "$1/$(dirname "$f")"
        sed -n '/^@@/,$p' "$h" | sed -n 's/^[ -]//p' >"$1/$f"
    done
    echo "$2" >"$1/VERSION"
}

# COMMAND has to fail with exit code $1 and to say $2
expect_failure() {
    want=$1 says=$2 rc=0
    shift 2
    "$@" >"$work/out" 2>&1 || rc=$?
    [ "$rc" = "$want" ] || fail "$*: exit $rc, not $want: $(cat "$work/out")"
    grep -q -- "$says" "$work/out" || fail "$*: does not say '$says': $(cat "$work/out")"
}

same() {
    diff -r "$1" "$2" >"$work/out" || fail "$3: $(head -n 5 "$work/out")"
}

# ---- prepare
mini_tree "$work/a" 10.0.13
cp -R "$work/a" "$work/pristine"
"$qp/prepare" "$work/a" || fail "prepare"
(cd "$qp/files" && find . -type f) | while read -r f; do
    cmp -s "$qp/files/$f" "$work/a/$f" || { echo "not copied: $f"; exit 1; }
done || fail "files"
for h in "$qp"/hunks/*.patch; do
    patch -d "$work/a" -p1 -R -s -f --dry-run <"$h" >/dev/null || fail "not applied: $h"
done
[ -z "$(find "$work/a" -name '*.orig' -o -name '*.rej')" ] || fail "litter of patch"

# again: nothing changes, not even time stamps
touch -d '2001-01-01' "$work/a/hw/rdma/meson.build" "$work/a/hw/Kconfig"
cp -Rp "$work/a" "$work/before"
"$qp/prepare" "$work/a" || fail "prepare again"
same "$work/before" "$work/a" "prepare again"
[ -z "$(find "$work/a/hw/rdma/meson.build" "$work/a/hw/Kconfig" -newermt 2002-01-01)" ] ||
    fail "prepare again: touched"

# a file that is no longer ours goes, one that changed comes
echo "/* changed */" >>"$qp/files/hw/rdma/trace.h"
mv "$qp/files/hw/rdma/pvrdma_abi.h" "$work/abi.h"
"$qp/prepare" "$work/a" || fail "prepare after a change"
[ ! -e "$work/a/hw/rdma/pvrdma_abi.h" ] || fail "stale file stays"
cmp -s "$qp/files/hw/rdma/trace.h" "$work/a/hw/rdma/trace.h" || fail "changed file not copied"
mv "$work/abi.h" "$qp/files/hw/rdma/pvrdma_abi.h"

# refusals change nothing
mini_tree "$work/b" 10.2.2
mkdir -p "$work/b/hw/rdma"
echo "int x;" >"$work/b/hw/rdma/pvrdma_pci.c"
cp -R "$work/b" "$work/b.before"
expect_failure 1 "not put there by this script" "$qp/prepare" "$work/b"
same "$work/b.before" "$work/b" "foreign file"
mini_tree "$work/c" 10.2.2
echo "something else" >"$work/c/hw/meson.build"
cp -R "$work/c" "$work/c.before"
expect_failure 1 "hw-meson.build.patch' does not apply" "$qp/prepare" "$work/c"
same "$work/c.before" "$work/c" "bad hunk"
mini_tree "$work/d" 9.2.0
expect_failure 1 "QEMU 9.2.0" "$qp/prepare" "$work/d"
expect_failure 1 "not a QEMU source tree" "$qp/prepare" "$work"
expect_failure 1 "not a directory" "$qp/prepare" "$work/none"
expect_failure 2 "usage" "$qp/prepare"
expect_failure 2 "usage" "$qp/prepare" a b
"$qp/prepare" --help >/dev/null || fail "prepare --help"

# ---- mkseries
"$qp/mkseries" "$work/s" "$work/pristine" >"$work/out" 2>&1 || fail "mkseries: $(cat "$work/out")"
n=$(find "$qp/commits" -name '*.txt' | wc -l)
[ "$(find "$work/s" -name '*.patch' | wc -l)" -eq "$n" ] || fail "mkseries: not $n patches"
grep -q '^From: Tester <tester@example.org>$' "$work"/s/0001-*.patch || fail "author"
! grep -lq '^Signed-off-by' "$work"/s/*.patch || fail "signed"
"$qp/mkseries" "$work/s2" || fail "mkseries without a tree"
same "$work/s" "$work/s2" "mkseries without a tree"
expect_failure 1 "not empty" "$qp/mkseries" "$work/s"
expect_failure 2 "usage" "$qp/mkseries"
expect_failure 1 "not a directory" "$qp/mkseries" "$work/s3" "$work/none"
expect_failure 1 "not a QEMU source tree" "$qp/mkseries" "$work/s4" "$work/s"
echo "x" >"$qp/files/stray.c"
expect_failure 1 "in no patch: stray.c" "$qp/mkseries" "$work/s5"
rm "$qp/files/stray.c"
expect_failure 1 "does not apply" "$qp/mkseries" "$work/s6" "$work/c"
"$qp/mkseries" --help >/dev/null || fail "mkseries --help"
exit $failed
