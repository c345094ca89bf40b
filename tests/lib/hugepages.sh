# SPDX-License-Identifier: GPL-2.0-or-later
# Huge pages of 2 MiB for as long as a test needs them.  Needs tap.sh.

HUGE_POOL=/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages

# huge_pool_add N: so many more, or less; prints how many they were.  Others may
# do the same at the same time, so nobody puts back a number that was read before.
huge_pool_add() (
  flock 7
  before=$(cat "$HUGE_POOL")
  echo $((before + $1)) >"$HUGE_POOL"
  echo $(($(cat "$HUGE_POOL") - before))
) 7<"$HUGE_POOL"

# with_huge_pages MIB COMMAND...: runs COMMAND, a function too, with so much RAM
# set aside and hugetlbfs in $HUGE_DIR; a skipped check if that cannot be had.
with_huge_pages() (
  pages=$(($1 / 2)) taken=0 HUGE_DIR=
  shift
  if [ "$(id -u)" != 0 ] || [ ! -w "$HUGE_POOL" ]; then skipped "huge pages" "needs root and a kernel that has them"; exit; fi
  trap 'huge_pages_return' EXIT
  taken=$(huge_pool_add "$pages")
  if [ "$taken" -lt "$pages" ]; then skipped "huge pages" "$taken of $pages to be had"; exit; fi
  HUGE_DIR=$(mktemp -d)
  mount -t hugetlbfs -o pagesize=2M hugetlbfs "$HUGE_DIR" || exit
  "$@"
)

huge_pages_return() {
  if [ -n "$HUGE_DIR" ]; then umount "$HUGE_DIR"; rmdir "$HUGE_DIR"; fi
  huge_pool_add "-$taken" >/dev/null
}
