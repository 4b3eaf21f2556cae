# Sourced: roots of Debian releases, made by mmdebstrap and used through chroot.

# make_root SUITE ROOT: makes ROOT unless it is there.  ROOT_MIRROR is the mirror.
make_root() {
    [ "$(id -u)" -eq 0 ] || { echo "a root of another distribution needs root, for mmdebstrap and chroot" >&2; exit 1; }
    if [ ! -e "$2/made" ]; then # written last: a root that was interrupted is made again
        rm -rf --one-file-system "$2"
        mkdir -p "$(dirname "$2")"
        mmdebstrap --variant=apt --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io "$1" "$2" \
            "${ROOT_MIRROR:-http://deb.debian.org/debian}"
        touch "$2/made"
    fi
    cp /etc/resolv.conf "$2/etc/"
}

# in_root ROOT PATH COMMAND...: runs COMMAND in ROOT.  Mounts are of its namespace and end with it; with CCACHE_DIR in the
# environment that folder is /ccache.
in_root() {
    [ -z "${CCACHE_DIR:-}" ] || mkdir -p "$1/ccache"
    unshare --mount --pid --fork --kill-child bash -c '
        set -eu
        root=$1 path=$2
        shift 2
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/tmp"
        [ -z "${CCACHE_DIR:-}" ] || mount --bind "$CCACHE_DIR" "$root/ccache"
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH="$path" CCACHE_DIR=/ccache LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
    ' in_root "$@"
}
