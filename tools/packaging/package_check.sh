#!/bin/bash
# package_check.sh SUITE FOLDER PACKAGE.deb...: installs the packages in a new root of the Debian release
# SUITE, which has no build tools, uses them as a user, and removes them (tests/tools/installed_packages.sh,
# which prints TAP).  FOLDER/clean is the root before that, and is kept.
set -eu
. tools/packaging/root.sh
suite=$1 folder=$(realpath -m "$2")
shift 2
[ $# -gt 0 ] || { echo "no packages: make distro-check CHECK=deb ROOT_SUITE=$suite, or DEBS='FILE.deb...'" >&2; exit 1; }
unset CCACHE_DIR
make_root "$suite" "$folder/clean/root"
rm -rf --one-file-system "$folder/installed"
trap 'rm -rf --one-file-system "$folder/installed"' EXIT
mkdir -p "$folder/installed"
cp -a "$folder/clean/root" "$folder/installed/root"
mkdir "$folder/installed/root/packages"
cp "$@" tests/tools/installed_packages.sh "$folder/installed/root/packages/"
in_root "$folder/installed/root" /usr/sbin:/usr/bin:/sbin:/bin bash /packages/installed_packages.sh
