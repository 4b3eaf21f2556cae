#!/bin/bash
# The cache of compiled programs: it is reused, never trusted, bounded, and nothing fails without it.
. tests/lib/tap.sh
needs "the cache" tests/clients/racy_histogram
export REFCL_ENGINE=interp # the JIT keeps machine code in the same folder
folder=$tap_dir
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
source_of() { echo "kernel void k(global int *a) { a[get_global_id(0)] = $1; }"; }
run() { # FILE, with the environment given
    "$BUILD/refcl" kernel "$1" -k k --global 4 --local 4 --arg buf:16 >"$folder/out" 2>&1
}
entries() { find "$1" -type f ! -name .total | wc -l; }
export REFCL_CACHE_DIR=$folder/a/b
source_of 1 >"$folder/one.cl"
run "$folder/one.cl"; check "the first build" $?
check "leaves an entry" "$([ "$(entries "$folder/a/b")" = 1 ]; echo $?)"
before=$(stat -c %i "$folder"/a/b/*)
run "$folder/one.cl"; check "the second build" $?
check "finds it" "$([ "$(stat -c %i "$folder"/a/b/*)" = "$before" ]; echo $?)"
cp "$folder"/a/b/* "$folder/whole"
cp "$folder/whole" "$folder/keep"
for change in truncate garble empty; do
    entry=$(ls "$folder"/a/b/*)
    case $change in
    truncate) truncate -s 100 "$entry" ;;
    garble) printf 'garbage' | dd of="$entry" bs=1 seek=200 conv=notrunc 2>/dev/null ;;
    empty) : >"$entry" ;;
    esac
    run "$folder/one.cl"; check "$change: the build succeeds" $?
    check "$change: the entry is rebuilt" "$(cmp -s "$folder"/a/b/* "$folder/whole"; echo $?)"
done
echo 'kernel void k(global int *a) { a[get_global_id(0)] = missing; }' >"$folder/bad.cl"
run "$folder/bad.cl"; check "a failed build fails" "$([ $? != 0 ]; echo $?)"
check "and is not kept" "$([ "$(entries "$folder/a/b")" = 1 ]; echo $?)"
pids=
source_of 7 >"$folder/many.cl"
for k in 1 2 3 4; do
    "$BUILD/refcl" kernel "$folder/many.cl" -k k --global 4 --local 4 --arg buf:16 >/dev/null 2>&1 &
    pids="$pids $!"
done
good=0
for p in $pids; do wait "$p" || good=1; done
check "several writers" $good
check "leave one entry and no temporary files" "$([ "$(entries "$folder/a/b")" = 2 ]; echo $?)"
export REFCL_CACHE_SIZE=1
head -c 1200000 /dev/zero >"$folder/a/b/$(printf '%032d' 0)"
touch -d '2 days ago' "$folder/a/b/$(printf '%032d' 0)"
# Other files: with any name, a folder and a link with names of entries, and one with the name of a file being
# written.
others="report.pdf 0123456789abcdef $(printf '%032d' 0).pdf $(printf '%031dx' 0) $(printf '%032X' 10) new.1.0 .hidden"
for name in $others; do head -c 400000 /dev/zero >"$folder/a/b/$name"; done
mkdir "$folder/a/b/$(printf '%032d' 1)"
ln -s "$folder/whole" "$folder/a/b/$(printf '%032d' 2)"
draft=new.0123456789abcdef left=new.fedcba9876543210
echo >"$folder/a/b/$draft"
echo >"$folder/a/b/$left"
find "$folder/a/b" -mindepth 1 ! -name $draft -exec touch -h -d '2 days ago' {} +
source_of 8 >"$folder/two.cl"
run "$folder/two.cl"; check "a store while the known size is below the limit" $?
check "does not look at other entries" "$([ -e "$folder/a/b/$(printf '%032d' 0)" ]; echo $?)"
total=$(stat -c %s "$folder/a/b/.total")
check "the size is in one file, whatever the number of entries" "$([ "$total" = 8 ]; echo $?)"
source_of 9 >"$folder/two.cl"
printf 'garbage!' >"$folder/a/b/.total"
run "$folder/two.cl"; check "more than there is room for, of a size that is unknown" $?
check "the oldest goes" "$([ ! -e "$folder/a/b/$(printf '%032d' 0)" ]; echo $?)"
for name in $others; do check "the file $name stays" "$([ -e "$folder/a/b/$name" ]; echo $?)"; done
check "a folder stays" "$([ -d "$folder/a/b/$(printf '%032d' 1)" ]; echo $?)"
check "a symbolic link stays" "$([ -L "$folder/a/b/$(printf '%032d' 2)" ]; echo $?)"
check "a file that is being written stays" "$([ -e "$folder/a/b/$draft" ]; echo $?)"
check "a file of a writer that is gone goes" "$([ ! -e "$folder/a/b/$left" ]; echo $?)"
head -c 1200000 /dev/zero >"$folder/a/b/$(printf '%032d' 0)"
touch -d '2 days ago' "$folder/a/b/$(printf '%032d' 0)"
rm "$folder/a/b/.total"
ln -s "$folder/whole" "$folder/a/b/.total"
source_of 10 >"$folder/two.cl"
run "$folder/two.cl"; check "a size file that is a link: the build succeeds" $?
check "and the link's target is unchanged" "$(cmp -s "$folder/whole" "$folder/keep"; echo $?)"
rm "$folder/a/b/.total"
exec 9>"$folder/a/b/.total"
flock 9
source_of 12 >"$folder/two.cl"
run "$folder/two.cl"; check "another process holds the size file: the build succeeds" $?
exec 9>&-
source_of 13 >"$folder/two.cl"
run "$folder/two.cl"; check "an empty size file" $?
check "the folder is scanned" "$([ ! -e "$folder/a/b/$(printf '%032d' 0)" ]; echo $?)"
unset REFCL_CACHE_SIZE
rm -rf "$folder/a/b"
mkdir "$folder/a/b"
chmod 777 "$folder/a/b"
source_of 11 >"$folder/three.cl"
before=$(entries "$folder/a/b")
run "$folder/three.cl"; check "a folder that others may write to" $?
check "is not used" "$([ "$(entries "$folder/a/b")" = "$before" ]; echo $?)"

# Files that others can change are not used.
used() { # used NAME FOLDER 0|1
    source_of $((++used_count + 100)) >"$folder/used.cl"
    REFCL_DEBUG=cache REFCL_CACHE_DIR=$2 run "$folder/used.cl"
    check "$1: the build succeeds" $?
    check "$1: $([ "$3" = 1 ] && echo used || echo not used)" \
        "$([ "$(find -L "$2" -type f 2>/dev/null | wc -l)" -gt 0 ] && found=1 || found=0; [ $found = "$3" ]; echo $?)"
    [ "$3" = 1 ] || check "$1: REFCL_DEBUG says why" "$(grep -q "refcl: no cache in '$2': " "$folder/out"; echo $?)"
}
mkdir -p "$folder/open/own" "$folder/sticky/own" "$folder/real"
chmod 777 "$folder/open"
chmod 1777 "$folder/sticky"
chmod 700 "$folder/open/own" "$folder/sticky/own"
ln -s "$folder/real" "$folder/link"
used "a parent that others may rename folders in" "$folder/open/own" 0
used "a sticky parent" "$folder/sticky/own" 1
used "a symbolic link of the user" "$folder/link/made/here" 1
ln -s loop "$folder/loop"
used "a circle of symbolic links" "$folder/loop" 0
if [ "$(id -u)" = 0 ]; then
    mkdir "$folder/theirs" "$folder/theirs/own"
    ln -s "$folder/real" "$folder/their-link"
    chown -h 65534 "$folder/theirs" "$folder/their-link"
    used "a parent of another user" "$folder/theirs/own" 0
    rm -rf "$folder"/real/*
    used "a symbolic link of another user" "$folder/their-link/x" 0
else
    skip "a parent of another user" "no root: makes one"
    skip "a symbolic link of another user" "no root: makes one"
fi
entry_is() { # entry_is NAME COMMAND...: the entry of used.cl becomes what the command makes of it
    name=$1
    shift
    rm -rf "$folder/entries"
    mkdir -m 700 "$folder/entries"
    export REFCL_CACHE_DIR=$folder/entries
    run "$folder/used.cl"
    entry=$(find "$folder/entries" -type f ! -name .total)
    "$@"
    before=$(stat -c %i "$entry")
    timeout "$patience" "$BUILD/refcl" kernel "$folder/used.cl" -k k --global 4 --local 4 --arg buf:16 >"$folder/out" 2>&1
    check "$name as an entry: the build succeeds" $?
    check "$name as an entry: is replaced, not used" "$([ "$(stat -c %i "$entry")" != "$before" ] && [ -f "$entry" ]; echo $?)"
}
entry_is "a FIFO" eval 'rm "$entry"; mkfifo "$entry"'
entry_is "a symbolic link" eval 'mv "$entry" "$folder/moved"; ln -s "$folder/moved" "$entry"'
entry_is "a file that others may write to" eval 'chmod 666 "$entry"'
[ "$(id -u)" = 0 ] && entry_is "a file of another user" eval 'chown 65534 "$entry"' || skip "a file of another user" "no root: makes one"

# A process that was killed during a write left a file with its id in the name; ids are reused soon in
# containers.
export REFCL_CACHE_DIR=$folder/pids
mkdir -m 700 "$folder/pids"
(
    for k in 0 1 2; do : >"$folder/pids/new.$BASHPID.$k"; done
    exec "$BUILD/tests/clients/racy_histogram" tests/clients/racy_histogram.cl >"$folder/out" 2>&1
)
check "a file left by a process of the same id" $?
check "does not keep entries from being written" "$([ "$(find "$folder/pids" -type f ! -name .total ! -name 'new.*' | wc -l)" = 1 ]; echo $?)"

# Included files, however they are spelled, and files that did not exist.
export REFCL_CACHE_DIR=$folder/includes REFCL_ENGINE=interp
inside() { (cd "$folder/work" && "$REFCL" kernel k.cl -k k --global 1 --arg buf:4 --print 0 "$@" >"$folder/out" 2>&1); }
builds() { # builds NAME RESULT: RESULT is what the kernel stores
    inside
    check "$1" "$(grep -q "$2" "$folder/out"; echo $?)"
}
follows() { # follows NAME SOURCE: a change of a file that SOURCE includes causes a rebuild
    rm -rf "$folder/work" "$REFCL_CACHE_DIR"
    mkdir -p "$folder/work"
    printf '%b' "$2" >"$folder/work/k.cl"
    echo '#define VALUE 111' >"$folder/work/value.h"
    builds "$1: first" 111
    check "$1: is kept" "$([ "$(entries "$REFCL_CACHE_DIR")" = 1 ]; echo $?)"
    before=$(stat -c %i "$REFCL_CACHE_DIR"/*)
    builds "$1: again" 111
    check "$1: is taken from the cache" "$([ "$(stat -c %i "$REFCL_CACHE_DIR"/*)" = "$before" ]; echo $?)"
    touch -r "$folder/work/value.h" "$folder/stamp"
    echo '#define VALUE 222' >"$folder/work/value.h"
    touch -r "$folder/stamp" "$folder/work/value.h"
    builds "$1: the file changed, but not its size and date" 222
}
kernel='kernel void k(global int *a) { *a = VALUE; }\n'
follows "#include" "#include \"value.h\"\n$kernel"
follows "#import" "#import \"value.h\"\n$kernel"
follows "a continued line" "#inc\\\\\nlude \"value.h\"\n$kernel"
follows "a digraph" "%:include \"value.h\"\n$kernel"
follows "a macro as the name" "#define NAME \"value.h\"\n#include NAME\n$kernel"
rm -rf "$folder/work" "$REFCL_CACHE_DIR"
mkdir -p "$folder/work/first" "$folder/work/second"
printf '#include "value.h"\n%b' "$kernel" >"$folder/work/k.cl"
echo '#define VALUE 333' >"$folder/work/second/value.h"
with_folders() { inside --build-options "-I first -I second"; }
with_folders; check "a folder to look in" "$(grep -q 333 "$folder/out"; echo $?)"
echo '#define VALUE 444' >"$folder/work/first/value.h"
with_folders; check "a file that appears where the compiler looks first" "$(grep -q 444 "$folder/out"; echo $?)"
printf '#if __has_include("more.h")\n#define VALUE 666\n#else\n#define VALUE 555\n#endif\n%b' "$kernel" >"$folder/work/k.cl"
builds "a file that is not there" 555
echo >"$folder/work/more.h"
builds "and then is" 666
rm -rf "$REFCL_CACHE_DIR"
for spelled in __DATE__ '__TI\\\\\nME__' 'PASTE(__TIME, STAMP__)'; do
    printf "#define PASTE(a, b) a##b\nconstant char now[] = $spelled;\nkernel void k(global int *a) { *a = now[0]; }\n" >"$folder/work/k.cl"
    inside; check "$(printf '%s' "$spelled" | tr -d '\n'): the build" $?
    check "depends on the time: is not kept" "$([ "$(entries "$REFCL_CACHE_DIR" 2>/dev/null)" = 0 ]; echo $?)"
done
# Another compiler under the same name, of the same size and date.
rm -rf "$REFCL_CACHE_DIR" "$folder/compiler"
mkdir "$folder/compiler"
cp "$BUILD/refcl-compiler" "$folder/compiler/refcl-compiler"
printf 'kernel void k(global int *a) { *a = 777; }\n' >"$folder/work/k.cl"
export REFCL_COMPILER=$folder/compiler/refcl-compiler
builds "a compiler" 777
before=$(stat -c %i "$REFCL_CACHE_DIR"/*)
builds "again" 777
check "is taken from the cache" "$([ "$(stat -c %i "$REFCL_CACHE_DIR"/*)" = "$before" ]; echo $?)"
/usr/bin/python3 - "$REFCL_COMPILER" <<'PY'
import os, subprocess, sys
path = sys.argv[1]
status = os.stat(path)
notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, text=True).stdout
old = bytes.fromhex(notes.split("Build ID: ")[1].split()[0])
data = open(path, "rb").read()
assert data.count(old) >= 1
open(path, "wb").write(data.replace(old, old[::-1]))
os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
PY
builds "another build of the compiler, of the same size and date" 777
check "compiles again" "$([ "$(stat -c %i "$REFCL_CACHE_DIR"/*)" != "$before" ]; echo $?)"
unset REFCL_COMPILER
REFCL_CACHE_DIR=/proc/none run "$folder/three.cl"; check "a folder that cannot be made" $?
REFCL_CACHE_DIR=off run "$folder/three.cl"; check "no cache" $?
done_testing
