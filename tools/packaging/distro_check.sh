#!/bin/bash
# distro_check.sh SUITE FOLDER [TARGET|VARIABLE=VALUE]...: builds the tracked files and makes the TARGETs (default: demo quick) in
# FOLDER/root, a root of the Debian release SUITE, which mmdebstrap makes.  The root and the build are kept: a second run compiles
# what changed.  With CCACHE_DIR in the environment the root compiles through ccache, with that folder.
set -eu
suite=$1 folder=$(realpath -m "$2") targets=() variables=()
shift 2
for word in "$@"; do
    case $word in
    *=*) variables+=("$word") ;;
    *) targets+=("$word") ;;
    esac
done
[ ${#targets[@]} -gt 0 ] || targets=(demo quick)
root=$folder/root
[ "$(id -u)" -eq 0 ] || { echo "make distro-check needs root, for mmdebstrap and chroot" >&2; exit 1; }
mirror=${ROOT_MIRROR:-http://deb.debian.org/debian}
if [ ! -e "$root/made" ]; then # written last: a root that was interrupted is made again
    rm -rf --one-file-system "$root"
    mkdir -p "$folder"
    mmdebstrap --variant=apt --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io "$suite" "$root" "$mirror"
    touch "$root/made"
fi
# By contents, and with the time of the copy, since make compares times; a file that is no longer tracked is removed.
mkdir -p "$root/src"
git ls-files -z | rsync --archive --no-times --no-owner --no-group --checksum --from0 --files-from=- --ignore-missing-args . "$root/src"
(cd "$root/src" && find . -path ./build -prune -o -type f -printf '%P\0') |
    LC_ALL=C comm -z -13 <(git ls-files -z --cached --deduplicate | LC_ALL=C sort -z) <(LC_ALL=C sort -z) |
    (cd "$root/src" && xargs -0 -r rm --)
cp /etc/resolv.conf "$root/etc/"
path=/usr/sbin:/usr/bin:/sbin:/bin packages="make git"
if [ -n "${CCACHE_DIR:-}" ]; then
    mkdir -p "$root/ccache"
    path=/usr/lib/ccache:$path packages="$packages ccache"
fi
# Mounts are of this namespace and end with it.
exec unshare --mount --pid --fork --kill-child bash -c '
    set -eu
    root=$1 path=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    [ -z "${CCACHE_DIR:-}" ] || mount --bind "$CCACHE_DIR" "$root/ccache"
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH="$path" CCACHE_DIR=/ccache LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
' distro_check "$root" "$path" bash -euc '
    packages=$1 targets=$2
    shift 2
    dpkg-query -W $packages >/dev/null 2>&1 || { apt-get -q update; apt-get -q install -y $packages; }
    cd /src
    make deps "$@"
    make -j"$(nproc)" tests "$@"
    for target in $targets; do make "$target" "$@"; done
' distro_check "$packages" "${targets[*]}" "${variables[@]}"
