# SPDX-License-Identifier: GPL-2.0-or-later
# The suites of ./check.  Needs common.sh, debian.sh, build.sh, hugepages.sh and tap.sh.

# meson_tests NAME [MESON-OPTION...]: builds and runs all of meson's tests.
meson_tests() {
  local name=$1 rc=0 log
  if ! our_build "$@"; then failed "$name: build"; return; fi
  passed "$name: build"
  # shellcheck disable=SC2086
  run_logged "test-$name" meson test ${TEST_SELECTION:-} -C "$BUILD" --no-rebuild --print-errorlogs -t "${TEST_TIMEOUT_FACTOR:-3}" || rc=$?
  log=$PVR_LOGS/test-$name.log
  TAP_PASSED=$((TAP_PASSED + $(meson_count "$log" 'Ok' 'Expected Fail')))
  TAP_FAILED=$((TAP_FAILED + $(meson_count "$log" 'Fail' 'Unexpected Pass' 'Timeout')))
  TAP_SKIPPED=$((TAP_SKIPPED + $(meson_count "$log" 'Skipped')))
  mapfile -t -O ${#TAP_FAILURES[@]} TAP_FAILURES < <(
    sed -nE "s|^ *[0-9]+/[0-9]+ (.*[^ ]) +(FAIL\|TIMEOUT\|UNEXPECTEDPASS) .*|$name: \1|p" "$log" | sort -u)
  # what the numbers do not show
  if [ "$rc" -ne 0 ] && [ "$(meson_count "$log" 'Fail' 'Unexpected Pass' 'Timeout')" = 0 ]; then failed "$name: meson test"; fi
  say "  $name: $(meson_count "$log" Ok) of meson's tests ok"
}

meson_count() {
  local log=$1 word n=0
  shift
  for word in "$@"; do n=$((n + $(sed -n "s/^$word: *\([0-9]*\) *\$/\1/p" "$log" | tail -n 1 | grep . || echo 0))); done
  echo $n
}

# shellcheck disable=SC2086
suite_unit() {
  apt_need $L1_PACKAGES         # some tests use libvirt's embedded driver
  meson_tests unit --buildtype=debugoptimized
}

# LSan cannot trace a process that is traced already; everywhere else it runs.
# shellcheck disable=SC2086
suite_sanitize() {
  apt_need $L1_PACKAGES
  export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1:strict_string_checks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  CC=gcc meson_tests sanitize-gcc -Db_sanitize=address,undefined --buildtype=debugoptimized
  apt_need clang llvm
  # the slowest third of the tests, and the one where the compiler matters least
  TEST_SELECTION="--no-suite libvirt" CC=clang meson_tests sanitize-clang -Db_sanitize=address,undefined -Db_lundef=false --buildtype=debugoptimized
  unset ASAN_OPTIONS UBSAN_OPTIONS
}

FUZZ_SECONDS=${FUZZ_SECONDS:-10}
suite_fuzz() {
  local target name corpus found=
  apt_need clang llvm
  if ! CC=clang our_build fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false --buildtype=debugoptimized; then
    failed "fuzz: build"; return
  fi
  for target in "$BUILD"/tests/fuzz/fuzz-*; do
    [ -f "$target" ] && [ -x "$target" ] || continue
    found=1 name=${target##*/} corpus=$PVR_CACHE/corpus/${target##*/}
    mkdir -p "$corpus"
    # new inputs go to the cache, the saved corpus of the checkout is only read
    check "$name, $FUZZ_SECONDS s" run_logged "$name" "$target" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=1024 \
      -timeout=10 -artifact_prefix="$PVR_LOGS/$name-" "$corpus" "$PVR_TOP/tests/fuzz/corpus/${name#fuzz-}"
  done
  [ -n "$found" ] || failed "fuzz: no target was built"
}

# run_qtest NAME QEMU-DIR: the device's own test in software, right here.
run_qtest() {
  local log=$PVR_LOGS/qtest-$1-soft.log
  each_qtest "qtest $1 soft" "$2" / | tee "$log" | grep -v '^ok   ' >&2
  [ -s "$log" ] || failed "qtest $1 soft: no tests"
  count_log "qtest-$1-soft" "$log"
}
# The tests of the data path with guest RAM on huge pages, of both kinds
run_huge_qtest() {
  local log=$PVR_LOGS/qtest-$1-huge.log
  with_huge_pages 512 huge_qtests "$@" | tee "$log" | grep -v '^ok   ' >&2
  [ -s "$log" ] || failed "qtest $1 huge pages: no tests"
  count_log "qtest-$1-huge" "$log"
}
huge_qtests() {
  PVRDMA_TEST_HUGE=memfd each_qtest "qtest $1 huge memfd" "$2" /mr/ /data/ /soft/ /wire/
  PVRDMA_TEST_HUGE=$HUGE_DIR each_qtest "qtest $1 huge file" "$2" /mr/ /data/
  PVRDMA_TEST_HUGE=memfd LD_PRELOAD=$(loop_verbs) PVRDMA_TEST_IBDEV=loop0 each_qtest "qtest $1 huge loop" "$2" /mr/ /data/
}
# each_qtest LABEL QEMU-DIR PART...: those whose names have a PART.
each_qtest() {
  local label=$1 dir=$2 part
  shift 2
  for part; do qtest_names "$dir" | grep "$part"; done | each_line qtest_of "$label" "$dir"
}
qtest_of() { check "$1 $3" one_qtest "$2" "$3"; }
qtest_names() { QTEST_QEMU_BINARY=$1/qemu-system-x86_64 "$1/pvrdma-test" -l 2>/dev/null | grep '^/'; }

# each_line COMMAND [ARG...]: COMMAND with each line of the input as its last argument, two at a time, since a test
# mostly waits.  One process each: a failed assertion ends it.
each_line() {
  local dir lines n
  dir=$(mktemp -d)
  mapfile -t lines
  for n in 0 1; do
    # of loop-verbs each has a device of its own
    LOOP_VERBS_HOST=$dir/$n each_other "$n" "$@" >"$dir/$n" &
  done
  wait
  cat "$dir"/0 "$dir"/1
  rm -r "$dir"
}

one_qtest() {
  PVRDMA_FUZZ_CORPUS=$PVR_TOP/tests/fuzz/corpus/pvrdma QTEST_QEMU_BINARY=${QTEST_WRAPPER:-$1/qemu-system-x86_64} \
    timeout -k 5 300 "$1/pvrdma-test" --tap -p "$2" </dev/null
}

each_other() {
  local line
  for ((line = $1; line < ${#lines[@]}; line += 2)); do "${@:2}" "${lines[line]}"; done
}

# run_loop_qtest NAME QEMU-DIR: the same as with an RDMA device of the host, one that is preloaded.
run_loop_qtest() {
  local so log=$PVR_LOGS/qtest-$1-loop.log
  if ! so=$(loop_verbs); then failed "qtest $1 loop: build"; return; fi
  PVRDMA_TEST_IBDEV=loop0 qtest_names "$2" | each_line loop_qtest_of "$1" "$2" "$so" | tee "$log" | grep -v '^ok   ' >&2
  [ -s "$log" ] || failed "qtest $1 loop: no tests"
  count_log "qtest-$1-loop" "$log"
}
loop_qtest_of() {
  check "qtest $1 loop $4" loop_qtest "$3" "$2" "$4"
  case $4 in
    */life/* | */qp/* | */data/* | */batch/* | */fault/*)
      PVRDMA_TEST_IOTHREAD=1 check "qtest $1 loop iothread $4" loop_qtest "$3" "$2" "$4" ;;
  esac
}
loop_qtest() { LD_PRELOAD=$1 PVRDMA_TEST_IBDEV=loop0 one_qtest "$2" "$3"; }
# loop_verbs: prints the library's path
loop_verbs() {
  local src=$PVR_TOP/tests/loop-verbs/loop-verbs.c so
  so=$PVR_CACHE/loop-verbs-$(cache_key "$src").so
  if [ ! -f "$so" ]; then
    run_logged loop-verbs cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$so.tmp" "$src" -lpthread -ldl || return
    mv "$so.tmp" "$so"
  fi
  echo "$so"
}

# run_leak_qtest NAME QEMU-DIR: what is to leave nothing behind, under LeakSanitizer.
run_leak_qtest() {
  local log=$PVR_LOGS/qtest-$1-leaks.log
  qtest_names "$2" | grep -E '/(fault|limits)/|/realize/(steps|hotplug)$' | each_line leak_qtest_of "$1" "$2" |
    tee "$log" | grep -v '^ok   ' >&2
  [ -s "$log" ] || failed "qtest $1 leaks: no tests"
  count_log "qtest-$1-leaks" "$log"
}
leak_qtest_of() { check "qtest $1 leaks $3" leak_qtest "$2" "$3"; }
leak_qtest() { LEAKS_QEMU_DIR=$1 QTEST_WRAPPER=$PVR_TOP/tests/host/leaks-system-x86_64 one_qtest "$1" "$2"; }

# run_rxe_qtest NAME QEMU-DIR [all]: in the L1, where it has a Soft-RoCE link to work on.
run_rxe_qtest() { script_suite "qtest-$1" -q "$2" qtest.sh ${3:+"$3"}; }

suite_qemu() {
  local series tree dir
  apt_need git patch
  for series in 10.0 10.2; do
    if ! tree=$("$PVR_TOP/tests/host/build-qemu" --source-only $series); then failed "source of QEMU $series"; continue; fi
    check "git-am series on QEMU $series" mkseries_check "$tree"
    check "the device compiles with clang on QEMU $series" "$PVR_TOP/tests/host/build-qemu" --clang $series
  done
  if ! dir=$("$PVR_TOP/tests/host/build-qemu"); then failed "QEMU 10.0 with the device: build"; return; fi
  passed "QEMU 10.0 with the device: build"
  check "QEMU 10.0 knows -device pvrdma" device_help "$dir"
  run_qtest 10.0 "$dir"
  run_leak_qtest 10.0 "$dir"
  run_loop_qtest 10.0 "$dir"
  run_huge_qtest 10.0 "$dir"
  run_rxe_qtest 10.0 "$dir"
}

# The whole of QEMU 10.2, and 10.0 under ASan and UBSan: two more long builds.
suite_qemu_more() {
  local dir
  if dir=$("$PVR_TOP/tests/host/build-qemu" 10.2); then run_qtest 10.2 "$dir"; run_loop_qtest 10.2 "$dir"; run_rxe_qtest 10.2 "$dir" all; else failed "QEMU 10.2 with the device: build"; fi
  if dir=$("$PVR_TOP/tests/host/build-qemu" --sanitize); then
    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_qtest 10.0-sanitize "$dir"
  else
    failed "QEMU 10.0 with sanitizers: build"
  fi
}

mkseries_check() {
  local out rc=0
  out=$(mktemp -d)
  "$PVR_TOP/qemu-patches/mkseries" "$out" "$1" || rc=$?
  ls "$out"/*.patch || rc=1
  rm -rf "$out"
  return $rc
}

device_help() { timeout 30 "$1/qemu-system-x86_64" -device pvrdma,help </dev/null | grep backend-dev; }

# The script prints its checks as they pass; its output is the log, too.
script_suite() {
  local name=$1 log=$PVR_LOGS/$1.log rc
  shift
  setpriv --pdeathsig TERM "$PVR_TOP/tests/host/run" "$@" 2>&1 </dev/null | tee "$log" | grep --line-buffered -v '^ok   ' >&2
  rc=${PIPESTATUS[0]}
  count_log "$name" "$log"
  if [ "$rc" -ne 0 ] && ! grep -q '^FAIL ' "$log"; then failed "$name: ended with $rc"; fi
}

suite_host() {
  if [ "$(id -u)" != 0 ]; then skipped "host" "needs root"; return; fi
  script_suite host -t 3600 scenario.sh
  script_suite host-systemd -t 1200 systemd.sh
}

# On this machine itself: the soft device needs no host that has RDMA.
SOFT_SCRIPTS=${SOFT_SCRIPTS:-guests rxe loss pyverbs nvme}
suite_soft() {
  local script
  if [ "$(id -u)" != 0 ]; then skipped "soft" "needs root"; return; fi
  for script in $SOFT_SCRIPTS; do script_suite "soft-$script" "soft-$script.sh"; done
}

# The short form is a part of host and of soft.
suite_soak() {
  export SOAK_BINDS=${SOAK_BINDS:-1000} SOAK_RESETS=${SOAK_RESETS:-200}
  script_suite soft-soak -t 36000 soft-soak.sh
  script_suite soak -t 86400 soak.sh
}

suite_bench() {
  script_suite bench-mr ../bench/mr-bench.sh
  script_suite bench-soft ../bench/soft-bench.sh
  script_suite bench ../bench/bench.sh
}
