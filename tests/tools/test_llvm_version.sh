#!/bin/sh
# Files that contain LLVM's bitcode or structures are rebuilt when LLVM's version changes, and only then.
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS
folder=$(mktemp -d "${TMPDIR:-/tmp}/refcl-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
number=0 failed=0
check() { # NAME COMMAND...
    number=$((number + 1))
    name=$1
    shift
    if "$@"; then echo "ok $number - $name"; else echo "not ok $number - $name"; failed=1; fi
}
build() { make --no-print-directory BUILD="$folder" "$@" >"$folder/log" 2>&1; }
# The JIT's objects need generated headers first.
depends() { make -pn BUILD="$folder" 2>/dev/null | grep -q "^$1:.*$folder/llvm-version"; }
is_built() { build -q "$@"; }
is_outdated() { build -q "$@"; [ $? = 1 ]; }

bitcode=$folder/jit/interp/ext/convert.bc shim=$folder/obj/ref-runtime/compiler/clang_shim.o
other=$folder/obj/memmodel/base/alloc.o
mkdir -p "${shim%/*}" "${other%/*}"
check "bitcode is built" build "$bitcode"
touch "$shim" "$other"
check "it is not built again" is_built "$bitcode"
check "objects with LLVM's headers are not" is_built "$shim"
clang=CC=$(make -pn help | sed -n 's/^LLVM_BIN := //p')/clang
check "objects of LLVM's clang are built" is_built "$other" "$clang"
check "another version: bitcode is built again" is_outdated "$bitcode" LLVM_VERSION=other
check "another version: objects with LLVM's headers" is_outdated "$shim" LLVM_VERSION=other
check "another version: other objects are not" is_built "$other" LLVM_VERSION=other
check "another version: objects of LLVM's clang" is_outdated "$other" "$clang" LLVM_VERSION=other
check "bitcode of the other version" build "$bitcode" LLVM_VERSION=other
check "it is not built again, either" is_built "$bitcode" LLVM_VERSION=other
check "back again: bitcode is built again" is_outdated "$bitcode"
check "objects of the JIT depend on the version" depends "$folder/obj/interp/jit/run/load.o"
echo "1..$number"
exit $failed
