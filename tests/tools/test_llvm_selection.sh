#!/bin/sh
# Which version of LLVM the Makefile selects: of the installed translator, else of the distribution's newest
# pair.
cd "$(dirname "$0")/../.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS LLVM
folder=$(mktemp -d "${TMPDIR:-/tmp}/refcl-test.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
number=0 failed=0
mkdir "$folder/bin"
cat >"$folder/bin/pkg-config" <<END
#!/bin/sh
[ "\$*" = "--modversion LLVMSPIRVLib" ] && cat "$folder/translator"
END
cat >"$folder/bin/apt-cache" <<END
#!/bin/sh
[ "\$*" = "pkgnames libllvmspirvlib-" ] && cat "$folder/packaged"
END
chmod +x "$folder"/bin/*
installed() { # installed TRANSLATOR CLANG...: the translator's version, those of Clang's headers
    echo "$1" >"$folder/translator"
    shift
    rm -rf "$folder"/llvm-*
    for version in "$@"; do
        mkdir -p "$folder/llvm-$version/include/clang/Basic"
        touch "$folder/llvm-$version/include/clang/Basic/Version.h"
    done
}
packaged() {
    for version in "$@"; do printf 'libllvmspirvlib-%s-dev\nlibllvmspirvlib%s\n' "$version" "$version"; done >"$folder/packaged"
}
select_for() { # select_for DISTRIBUTION [LLVM=N]
    PATH=$folder/bin:$PATH make -pn BUILD="$folder/build" LLVM_PREFIX="$folder/llvm-" DISTRIBUTION="$@" help 2>&1 | sed -n 's/^LLVM :*= //p; s/.*\*\*\* //p' | head -n 1
}
selects() { # selects EXPECTED NAME DISTRIBUTION [LLVM=N]
    expected=$1 name=$2
    shift 2
    number=$((number + 1))
    got=$(select_for "$@")
    if [ "$got" = "$expected" ]; then echo "ok $number - $name"; else echo "not ok $number - $name"; echo "# $got"; failed=1; fi
}

installed '' && packaged 17 18 19
selects 19 "Debian 13, nothing installed: the newest pair" trixie
selects 15 "Debian 12, nothing installed" bookworm
selects 17 "a version by hand" trixie LLVM=17
selects "LLVM=14 is not supported: LLVM 15 is the oldest.  Stop." "one that is too old" trixie LLVM=14
installed 18.1.4 18 19
selects 18 "the installed pair is used, and no newer LLVM without its translator" trixie
installed 18.1.4 19
selects 19 "a translator whose Clang is missing is not used" trixie
installed 14.0.0 14
selects 15 "nor one that is too old" bookworm
installed 23.0.0 23
selects 19 "nor one that is not supported yet" trixie
installed '' && packaged 14 16 18
selects 18 "another distribution: the newest pair of apt's lists" elsewhere
packaged 14 19 23
selects 19 "... that is supported" elsewhere
packaged
selects 15 "without apt's lists: the oldest" elsewhere
echo "1..$number"
exit $failed
