# SPDX-License-Identifier: GPL-2.0-or-later
# What the places that scripts run in (host/l0, host/l1) have in common.  Needs
# common.sh.

# place_options ARG...: [-t SECONDS] [-o DIR] [-u DIR] SCRIPT [ARG...]; sets
# timeout, out and overlay, and SCRIPT to script and arguments.
place_options() {
  local opt
  timeout=600 out= overlay=
  while getopts t:o:u:h opt; do
    case $opt in
      t) timeout=$OPTARG ;;
      o) out=$OPTARG ;;
      u) overlay=$OPTARG ;;
      h) sed -n '3,15s/^# \{0,1\}//p' "$0"; exit ;;
      *) exit 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  [ $# -gt 0 ] || die "no script; see $0 -h"
  [ "$(id -u)" = 0 ] || die "${0##*/} must be started by root"
  SCRIPT=("$(realpath "$1")" "${@:2}")
}
