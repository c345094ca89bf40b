# SPDX-License-Identifier: GPL-2.0-or-later
# Builds of pvrdmactl and the hook.  Needs common.sh and debian.sh.

OUR_PACKAGES="build-essential meson ninja-build pkg-config libglib2.0-dev libjson-glib-dev libxml2-dev libvirt-dev
  libnl-3-dev libnl-route-3-dev libibverbs-dev python3 python3-docutils"
L1_PACKAGES="libvirt-daemon-system libvirt-daemon-driver-qemu libvirt-clients qemu-system-x86 qemu-system-data seabios ipxe-qemu
  iproute2 rdma-core ibverbs-utils ibverbs-providers perftest"

# our_configure NAME [MESON-OPTION...]: configures this checkout (once); sets
# BUILD to the directory.
our_configure() {
  local name=$1
  shift
  # shellcheck disable=SC2086
  apt_need $OUR_PACKAGES
  BUILD=$PVR_CACHE/build-$(cache_key "$PVR_TOP" "$name" "$*")
  if [ ! -f "$BUILD/build.ninja" ]; then
    rm -rf "$BUILD"
    run_logged "configure-$name" meson setup "$@" "$BUILD" "$PVR_TOP"
  fi
}

# our_build NAME [MESON-OPTION...]: compiles it, too.
our_build() {
  our_configure "$@" && run_logged "build-$1" ninja -C "$BUILD" -j "$PVR_JOBS"
}

# What is built to be installed, without the tests.
installed_targets() {
  meson introspect --targets "$BUILD" |
    python3 -c 'import json, os, sys
for target in json.load(sys.stdin):
    if target["installed"]: print(*(os.path.relpath(path, sys.argv[1]) for path in target["filename"]))' "$BUILD"
}

# install_ours DIR: as a package would, below DIR.
install_ours() {
  our_configure install --prefix=/usr --sysconfdir=/etc --buildtype=debugoptimized || return
  run_logged configure-install ninja -C "$BUILD" build.ninja || return
  # shellcheck disable=SC2046
  run_logged build-install ninja -C "$BUILD" -j "$PVR_JOBS" $(installed_targets) || return
  DESTDIR=$1 run_logged install meson install -C "$BUILD" --no-rebuild
}
