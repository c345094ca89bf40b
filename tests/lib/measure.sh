# SPDX-License-Identifier: GPL-2.0-or-later
# Repeated measurements.  Needs traffic.sh.

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# measure SERVER CLIENT TOOL SIZE: the median; fails if a run fails.
measure() {
  local i value values=
  for ((i = 0; i < REPEAT; i++)); do
    value=$(perf "$@") || { echo "$value"; return 1; }
    values="$values$value"$'\n'
  done
  printf '%s' "$values" | median
}
