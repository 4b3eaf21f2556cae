#!/bin/bash
# The cache of compiled programs: used again, never trusted, bounded, and nothing fails without it.
. tests/lib/tap.sh
export REFCL_ENGINE=interp # the JIT keeps machine code in the same folder
folder=$tap_dir
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
source_of() { echo "kernel void k(global int *a) { a[get_global_id(0)] = $1; }"; }
run() { # FILE, with the environment given
    "$BUILD/refcl" kernel "$1" -k k --global 4 --local 4 --arg buf:16 >"$folder/out" 2>&1
}
entries() { find "$1" -type f | wc -l; }
export REFCL_CACHE_DIR=$folder/a/b
source_of 1 >"$folder/one.cl"
run "$folder/one.cl"; check "the first build" $?
check "leaves an entry" "$([ "$(entries "$folder/a/b")" = 1 ]; echo $?)"
before=$(stat -c %i "$folder"/a/b/*)
run "$folder/one.cl"; check "the second build" $?
check "finds it" "$([ "$(stat -c %i "$folder"/a/b/*)" = "$before" ]; echo $?)"
cp "$folder"/a/b/* "$folder/whole"
for change in truncate garble empty; do
    entry=$(ls "$folder"/a/b/*)
    case $change in
    truncate) truncate -s 100 "$entry" ;;
    garble) printf 'garbage' | dd of="$entry" bs=1 seek=200 conv=notrunc 2>/dev/null ;;
    empty) : >"$entry" ;;
    esac
    run "$folder/one.cl"; check "$change: the build goes on" $?
    check "$change: the entry is made anew" "$(cmp -s "$folder"/a/b/* "$folder/whole"; echo $?)"
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
check "leave one entry and no rests" "$([ "$(entries "$folder/a/b")" = 2 ]; echo $?)"
export REFCL_CACHE_SIZE=1
head -c 1200000 /dev/zero >"$folder/a/b/$(printf '%032d' 0)"
touch -d '2 days ago' "$folder/a/b/$(printf '%032d' 0)"
source_of 9 >"$folder/two.cl"
run "$folder/two.cl"; check "more than there is room for" $?
check "the oldest goes" "$([ ! -e "$folder/a/b/$(printf '%032d' 0)" ]; echo $?)"
unset REFCL_CACHE_SIZE
chmod 777 "$folder/a/b"
source_of 11 >"$folder/three.cl"
before=$(entries "$folder/a/b")
run "$folder/three.cl"; check "a folder that others may write to" $?
check "is not used" "$([ "$(entries "$folder/a/b")" = "$before" ]; echo $?)"
REFCL_CACHE_DIR=/proc/none run "$folder/three.cl"; check "a folder that cannot be made" $?
REFCL_CACHE_DIR=off run "$folder/three.cl"; check "no cache" $?
done_testing
