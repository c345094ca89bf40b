# SPDX-License-Identifier: GPL-2.0-or-later
# The L1 with systemd: what its first process does before systemd takes over, and
# the unit that runs the script (see host/l1).

# systemd_boot: prepares /etc at the first boot; does not return.
systemd_boot() {
  local boot
  boot=$(($(cat "$L1_OUT/boots" 2>/dev/null || echo 0) + 1))
  echo "$boot" >"$L1_OUT/boots"
  if [ "$boot" -gt 5 ]; then
    echo "l1: boots again and again" >/dev/hvc0
    echo 125 >"$L1_OUT/exit-code"
    poweroff -f
  fi
  [ "$boot" -gt 1 ] || bare_etc
  mkdir -p /run/systemd/system
  cat >/run/systemd/system/l1-script.service <<EOF
[Unit]
Description=$(printf '%q' "${L1_COMMAND[0]}")
# When all else that starts with the machine has started
After=multi-user.target
[Service]
Type=oneshot
Environment=L1_OUT=$L1_OUT L1_BOOT=$boot LC_ALL=C.UTF-8 HOME=/tmp
ExecStart=/bin/bash -c '. "\$L1_OUT/l1.conf"; . "\$PVR_TOP/tests/lib/systemd.sh"; systemd_script'
EOF
  mkdir -p /run/systemd/system/graphical.target.wants
  ln -sf ../l1-script.service /run/systemd/system/graphical.target.wants/
  # whatever this machine is, the L1 is no container
  exec env container= /lib/systemd/systemd --unit=graphical.target
}

# bare_etc: as a fresh installation, without what this machine starts and mounts.
# Nobody logs in.
bare_etc() {
  local unit
  rm -rf /etc/systemd/system/* /etc/rc?.d
  : >/etc/fstab
  [ -s /etc/machine-id ] || systemd-machine-id-setup
  for unit in getty.target systemd-logind.service systemd-hwdb-update.service ldconfig.service systemd-tmpfiles-clean.timer; do
    ln -s /dev/null "/etc/systemd/system/$unit"
  done
  # /tmp may be where this checkout is; the small kernel has few PIDs
  mkdir -p /etc/tmpfiles.d /etc/sysctl.d
  ln -sf /dev/null /etc/tmpfiles.d/tmp.conf
  ln -sf /dev/null /etc/sysctl.d/50-pid-max.conf
  # modules that are built in are no failure to load them
  mkdir -p "/usr/lib/modules/$(uname -r)"
  cp "$L1_KERNEL"/modules.builtin* "/usr/lib/modules/$(uname -r)/"
  : >"/usr/lib/modules/$(uname -r)/modules.order"
  depmod
  touch /etc/.updated /var/.updated
}

# systemd_script: the unit's work.
systemd_script() {
  local rc=0
  "${L1_COMMAND[@]}" </dev/null >/dev/hvc0 2>&1 || rc=$?
  journalctl -b --no-pager >"$L1_OUT/journal-$L1_BOOT.log" 2>/dev/null
  if [ -e "$L1_OUT/reboot" ]; then
    rm "$L1_OUT/reboot"
    systemctl --no-block reboot
    return
  fi
  echo "$rc" >"$L1_OUT/exit-code"
  sync
  poweroff -f
}
