# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of a guest's file system, copied from this machine.  Needs common.sh.

# copy_libraries ROOT FILE...: what the programs or libraries are linked with.
copy_libraries() {
  local root=$1 lib
  shift
  ldd "$@" | awk '/=> \//{print $3} /^\t\//{print $1}' | sort -u | while read -r lib; do
    mkdir -p "$root$(dirname "$lib")"
    cp -Ln "$lib" "$root$lib"
  done
}

# copy_program ROOT PROGRAM
copy_program() {
  local path
  path=$(PATH=$PATH:/usr/sbin:/sbin command -v "$2") || die "no '$2' on this machine"
  rm -f "$1/bin/$2"
  cp -L "$path" "$1/bin/"
  copy_libraries "$1" "$path"
}

# Providers are opened by name: the same directory as on this machine.
copy_providers() {
  local so
  mkdir -p "$1/etc/libibverbs.d"
  for so in /usr/lib/*/libibverbs/librxe-rdmav*.so /usr/lib/*/libibverbs/libvmw_pvrdma-rdmav*.so; do
    mkdir -p "$1$(dirname "$so")"
    cp -L "$so" "$1$so"
  done
  cp /etc/libibverbs.d/rxe.driver /etc/libibverbs.d/vmw_pvrdma.driver "$1/etc/libibverbs.d/"
}

# base_system ROOT: directories, busybox, and the library that pthread_exit()
# opens by name.
base_system() {
  local root=$1 applet unwinder
  mkdir -p "$root"/bin "$root"/proc "$root"/sys "$root"/dev "$root"/tmp "$root"/run "$root"/mnt "$root"/etc "$root"/root "$root"/usr/lib "$root"/usr/lib64
  ln -s usr/lib "$root/lib"; ln -s usr/lib64 "$root/lib64"; ln -s bin "$root/sbin"
  cp -L "$(command -v busybox)" "$root/bin/busybox"
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"; done
  unwinder=$(ldconfig -p | awk '/libgcc_s\.so\.1 .*x86-64/ { print $NF; exit }')
  mkdir -p "$root$(dirname "$unwinder")"
  cp -L "$unwinder" "$root$unwinder"
}
