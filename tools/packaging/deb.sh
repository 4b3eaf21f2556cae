#!/bin/sh
# deb.sh FOLDER VERSION BUILD_PACKAGES: builds packages from FOLDER/refcl-VERSION.tar.gz, and checks them with
# lintian. Exit 1 if lintian finds an error or a warning.
set -eu
cd "$1"
version=$2
source=refcl-$version
rm -rf "$source" ./*.deb ./*.buildinfo ./*.changes
tar xzf "$source.tar.gz"
cp -R "$source/tools/packaging/debian" "$source/debian"
depends=$(echo "$3" | sed 's/  */, /g')
headers=$(echo "$3" | grep -o 'libclang-common-[0-9]*-dev') # opencl-c.h and what it needs
sed -i "s/@BUILD_PACKAGES@/$depends/; s/@CLANG_RESOURCES@/$headers/" "$source/debian/control"
date=$(date -R ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})
cat > "$source/debian/changelog" <<END
refcl ($version) unstable; urgency=medium

  * Packages of the source tree, made by make deb.

 -- $(sed -n 's/^Maintainer: //p' "$source/debian/control" | head -1)  $date
END
(cd "$source" && dpkg-buildpackage -b -us -uc -d "-j${JOBS:-$(nproc)}")
lintian --allow-root --fail-on error,warning --tag-display-limit 0 ./*.changes
ls "$PWD"/*.deb
