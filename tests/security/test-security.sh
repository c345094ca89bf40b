#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/security.md and the tests that it names: each row of the review is
# there, has a test or a word why not, and each test exists; and each test of a
# rule is in the table.
#
# usage: test-security.sh SOURCE-ROOT
set -eu

root=$1
doc=$root/docs/security.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    echo "FAILED: $1"
    failed=1
}

# table: row | rule | tests | what, without the blanks around them
sed -n 's/^| *\(\(CVE-\|B\)[0-9-]*\) *| *\(.*[^ ]\) *| *\(.*[^ ]\) *| *\(.*[^ ]\) *|$/\1|\3|\4|\5/p' \
    "$doc" >"$work/rows"

cve="2018-20123 2018-20124 2018-20125 2018-20126 2018-20191 2018-20216
     2021-3582 2021-3607 2021-3608 2022-1050 2023-1544 2020-10717 2021-3682"
for n in $cve; do echo "CVE-$n"; done >"$work/want"
for n in $(seq 25); do echo "B$n"; done >>"$work/want"
cut -d'|' -f1 "$work/rows" | sort >"$work/have"
sort -o "$work/want" "$work/want"
cmp -s "$work/want" "$work/have" ||
    fail "rows: $(diff "$work/want" "$work/have" | grep '^[<>]' | tr '\n' ' ')"

# names of tests, from the sources
sed -n 's/.*\(qtest_add_[a-z_]*\|g_test_add_[a-z_]*\)(\(".*\)/\2/p' \
    "$root"/qemu-patches/files/tests/qtest/pvrdma-*.c \
    "$root"/tests/device/*.c "$root"/tests/roce/*.c |
    sed -n 's/^"\([^"]*\)".*/\1/p' | sort -u >"$work/tests"
[ -s "$work/tests" ] || fail "no tests in the sources"

while IFS='|' read -r row rule tests shows; do
    lower=$(echo "$row" | tr '[:upper:]' '[:lower:]')
    [ -n "$shows" ] || fail "$row: shows nothing"
    echo "$tests" | grep -o '`[^`]*`' | tr -d '`' >"$work/named" || true
    if [ ! -s "$work/named" ]; then
        [ "$rule$tests" = "--" ] || fail "$row: no test"
        continue
    fi
    grep -q "^/pvrdma/rule/$lower\(/\|\$\)" "$work/named" ||
        fail "$row: no test has the row in its name"
    while read -r name; do
        grep -qxF "$name" "$work/tests" || fail "$row: there is no $name"
    done <"$work/named"
done <"$work/rows"

grep '^/pvrdma/rule/' "$work/tests" | while read -r name; do
    grep -qF "\`$name\`" "$doc" || { echo "$name"; exit 1; }
done >"$work/lost" || fail "not in the table: $(cat "$work/lost")"
exit $failed
