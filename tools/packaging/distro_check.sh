#!/bin/bash
# distro_check.sh SUITE FOLDER [TARGET|VARIABLE=VALUE]...: builds the tracked files and makes the TARGETs
# (default: demo quick) in FOLDER/root, a root of the Debian release SUITE.  The root and the build are kept:
# a second run compiles what changed.  With CCACHE_DIR in the environment the root compiles through ccache,
# with that folder.
set -eu
. tools/packaging/root.sh
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
make_root "$suite" "$root"
# By contents, and with the time of the copy, since make compares times; a file that is no longer tracked is removed.
mkdir -p "$root/src"
git ls-files -z | rsync --archive --no-times --no-owner --no-group --checksum --from0 --files-from=- --ignore-missing-args . "$root/src"
(cd "$root/src" && find . -path ./build -prune -o -type f -printf '%P\0') |
    LC_ALL=C comm -z -13 <(git ls-files -z --cached --deduplicate | LC_ALL=C sort -z) <(LC_ALL=C sort -z) |
    (cd "$root/src" && xargs -0 -r rm --)
path=/usr/sbin:/usr/bin:/sbin:/bin packages="make git"
if [ -n "${CCACHE_DIR:-}" ]; then
    path=/usr/lib/ccache:$path packages="$packages ccache"
fi
in_root "$root" "$path" bash -euc '
    packages=$1 targets=$2
    shift 2
    dpkg-query -W $packages >/dev/null 2>&1 || { apt-get -q update; apt-get -q install -y $packages; }
    cd /src
    make deps "$@"
    make -j"$(nproc)" tests "$@"
    for target in $targets; do make "$target" "$@"; done
' distro_check "$packages" "${targets[*]}" "${variables[@]}"
