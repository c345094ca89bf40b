# SPDX-License-Identifier: GPL-2.0-or-later
# A scratch layer over what programs write to: all that happens there is gone
# with the mount namespace or the machine.

# scratch_layers DIR OVERLAY: over /etc, /var, /usr and /tmp, kept below DIR;
# with OVERLAY's etc, var and so on between (it may be empty).
scratch_layers() {
  local d lower
  for d in etc var usr tmp; do
    mkdir -p "$1/$d/up" "$1/$d/work"
    lower=/$d
    [ -z "$2" ] || [ ! -d "$2/$d" ] || lower=$2/$d:/$d
    mount -t overlay -o "lowerdir=$lower,upperdir=$1/$d/up,workdir=$1/$d/work" overlay "/$d" || return
  done
}
