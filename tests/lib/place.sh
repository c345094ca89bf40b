# SPDX-License-Identifier: GPL-2.0-or-later
# What the places that scripts run in (host/l0, host/l1) have in common.  Needs
# common.sh.

# place_options ARG...: [-t SECONDS] [-o DIR] [-u DIR] [-s] SCRIPT [ARG...]; sets
# timeout, out, overlay and systemd, and SCRIPT to script and arguments.
place_options() {
  local opt
  timeout=600 out= overlay= systemd=
  while getopts t:o:u:sh opt; do
    case $opt in
      t) timeout=$OPTARG ;;
      o) out=$OPTARG ;;
      u) overlay=$OPTARG ;;
      s) systemd=1 ;;
      h) sed -n '3,20s/^# \{0,1\}//p' "$0"; exit ;;
      *) exit 2 ;;
    esac
  done
  shift $((OPTIND - 1))
  [ $# -gt 0 ] || die "no script; see $0 -h"
  [ "$(id -u)" = 0 ] || die "${0##*/} must be started by root"
  SCRIPT=("$(realpath "$1")" "${@:2}")
}
