#!/bin/bash
# distro_check.sh SUITE FOLDER [TARGET]: builds the tracked files and makes TARGET (default: quick) in FOLDER/root, a root of
# the Debian release SUITE, which mmdebstrap makes.  The root and the build are kept: a second run compiles what changed.
set -eu
suite=$1 folder=$(realpath -m "$2") target=${3:-quick}
root=$folder/root
[ "$(id -u)" -eq 0 ] || { echo "make distro-check needs root, for mmdebstrap and chroot" >&2; exit 1; }
mirror=${ROOT_MIRROR:-http://deb.debian.org/debian}
if [ ! -e "$root/etc/os-release" ]; then
    mkdir -p "$folder"
    mmdebstrap --variant=apt --aptopt='APT::Install-Recommends "false"' "$suite" "$root" "$mirror"
fi
# A file that differs is copied with the time of now, since make compares times; a file that is no longer tracked is removed.
mkdir -p "$root/src"
git ls-files -z | while IFS= read -r -d '' file; do
    cmp -s "$file" "$root/src/$file" || { mkdir -p "$root/src/$(dirname "$file")" && cp --preserve=mode "$file" "$root/src/$file"; }
done
(cd "$root/src" && find . -path ./build -prune -o -type f -printf '%P\0') |
    LC_ALL=C comm -z -13 <(git ls-files -z | LC_ALL=C sort -z) <(LC_ALL=C sort -z) | (cd "$root/src" && xargs -0 -r rm --)
cp /etc/resolv.conf "$root/etc/"
# Mounts are of this namespace and end with it.
exec unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    mount -t tmpfs tmpfs "$0/tmp"
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        sh -euc "apt-get -q update; apt-get -q install -y make git; cd /src; make deps; make -j$(nproc) all; make $1"
' "$root" "$target"
