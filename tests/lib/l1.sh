# SPDX-License-Identifier: GPL-2.0-or-later
# What a test needs inside the L1 or l0: links, libvirt, domains.  Needs guest.sh.

# Two Ethernet links d0 and d1 joined by a bridge, for one Soft-RoCE link each,
# and the bridge that the guests' network cards are on.
MAC0=52:54:00:aa:00:01 MAC1=52:54:00:aa:00:02
links_up() {
  local n
  # A READ of 1 MiB is answered by 1024 packets in one go.  veth puts them into
  # the CPU's backlog, whose default of 1000 drops the last ones, and Soft-RoCE
  # then asks for the same again and again.
  echo 100000 >/proc/sys/net/core/netdev_max_backlog
  guests_bridge
  ip link add br-rdma type bridge
  ip link set br-rdma up
  for n in 0 1; do
    ip link add "d$n" type veth peer name "d$n-br"
    ip link set "d$n-br" master br-rdma up
  done
  ip link set d0 address $MAC0 up
  ip link set d1 address $MAC1 up
}

guests_bridge() {
  ip link add br-guests type bridge
  ip addr add 10.77.0.254/24 dev br-guests
  ip link set br-guests up
}

# until_true SECONDS COMMAND...
until_true() {
  local limit=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $limit ] || return 1
    sleep 0.3
  done
}

# As a distribution starts it, without systemd.  Nothing that this machine's own
# libvirt was told to start is started here.
libvirt_up() {
  rm -rf /etc/libvirt/qemu/networks/autostart/* /etc/libvirt/qemu/autostart/* /etc/libvirt/qemu/*.xml
  install -d /var/lib/libvirt/images
  virtlogd -d
  libvirtd -d
  until_true 30 virsh -q uri
}

# domain_type: kvm where it can be used.  A node alone does not say so: there are
# hosts whose KVM only takes kernels that were made for it.
domain_type() {
  if [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; then echo kvm; else echo qemu; fi
}

# l1_images KERNEL-DIR INITRAMFS-DIR QEMU-DIR: where an unprivileged QEMU can read them.
l1_images() {
  install -d /var/lib/libvirt/images
  cp "$1/vmlinux" "$2/initramfs.cpio" /var/lib/libvirt/images/
  install -m 755 "$3/qemu-system-x86_64" /usr/bin/qemu-system-x86_64-pvrdma
}

# domain_xml NAME UUID ADDR: a domain as a user would have it.
domain_xml() {
  sed -e "s/@TYPE@/$(domain_type)/" -e "s/@NAME@/$1/g" -e "s/@UUID@/$2/g" -e "s/@ADDR@/$3/g" "$PVR_TOP/tests/host/domain.xml.in"
}
