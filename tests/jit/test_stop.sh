#!/bin/bash
# Compiled kernels that do not terminate, or access memory of no object, are stopped like in the interpreter.
. tests/lib/tap.sh
export OCL_ICD_VENDORS=$PWD/$BUILD/librefcl.so OCL_ICD_FILENAMES=$PWD/$BUILD/librefcl.so PYOPENCL_NO_CACHE=1
/usr/bin/python3 -c 'import pyopencl' 2>/dev/null || skip_all "no pyopencl"
kernel() { # kernel NAME TEXT
    echo "$2" >"$tap_dir/$1.cl"
}
cat >"$tap_dir/run" <<SH
REFCL_DEBUG=jit /usr/bin/python3 tests/jit/run_kernel.py "$tap_dir/\$1.cl" "\${@:2}" 2>&1 | tr '\n' ' '
exit \${PIPESTATUS[0]}
SH
run="bash $tap_dir/run" # FILE GLOBAL LOCAL ARGUMENT..., prints its output in one line
export REFCL_ENGINE=jit

# ---- endless loops --------------------------------------------------------------------------
kernel for 'kernel void k(global int *a) { for (;;) a[get_global_id(0)] += 1; }'
kernel while 'kernel void k(global int *a) { int x = a[get_global_id(0)]; while (x != -1) x = (x * 5 + 2) & 0xffff; a[0] = x; }'
kernel inner 'kernel void k(global int *a) {
    for (ulong i = 0; i < ((ulong)1 << 50); i++) for (int j = 0; j < 1000; j++) a[get_global_id(0)] ^= j * (int)i; }'
kernel barrier 'kernel void k(global int *a, local int *l) {
    for (uint x = 1; x != 0; x += 2) { l[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] += l[0]; } }'
kernel spin 'kernel void k(global int *a) {
    while (atomic_load_explicit((global atomic_int *)a, memory_order_relaxed, memory_scope_device) == 0) ; }'
kernel called 'int f(int x) { while (x >= 0) x = (x + 7) & 0xfff; return x; }
kernel void k(global int *a) { a[get_global_id(0)] = f(a[get_global_id(0)]); }'
for k in for while inner barrier spin called; do
    arguments=1024
    [ $k = barrier ] && arguments="1024 local:256"
    ok "$k: the step limit ends it" prints 0 'compiled.*step-limit: the launch executed more than 200000000 instructions.*status -5' \
        env REFCL_STEP_LIMIT=200000000 $run $k 1024 64 $arguments
    ok "$k: the process can end" prints 7 compiled $run $k 1024 64 $arguments exit:compiled
done
loops=$(for k in $(seq 30); do echo "for (int i = 0; i < a[$k]; i++) s = s * $k + (i ^ a[$k]);"; done)
kernel large "kernel void k(global int *a) { int s = 0; $loops a[get_global_id(0)] = s; }"
for after in 0 100 400; do
    ok "the process can end while a kernel is being compiled, after $after ms" exits 7 $run large 65536 64 65536 exit:$after
done
kernel long 'kernel void k(global int *a) { int s = 0; for (int i = 0; i < 3000; i++) s = s * 3 + i; a[get_global_id(0)] = s; }'
ok "a launch continues in compiled code" prints 0 'compiled.*continues in compiled code from work-group [0-9]+.*status 0' \
    env REFCL_ENGINE=auto $run long 65536 64 65536
for after in 10 40; do
    ok "the process can end while a launch changes engines, after $after ms" exits 7 \
        env REFCL_ENGINE=auto $run long 65536 64 65536 exit:$after
done
for after in 0 50 2000; do
    ok "a child can end that the process has $after ms after the launch" prints 0 'child 7 .*status 0 beside 1000' \
        $run long 65536 64 65536 fork:$after
done
ok "the interpreter says the same" prints 0 'step-limit: the launch executed more than 2000000 instructions.*status -5' \
    env REFCL_ENGINE=interp REFCL_STEP_LIMIT=2000000 $run for 64 64 1024
kernel short 'kernel void k(global int *a) { for (int i = 0; i < 100; i++) a[get_global_id(0)] += i; }'
ok "what ends by itself does" prints 0 'compiled.*status 0' env REFCL_STEP_LIMIT=200000000 $run short 1024 64 1024
ok "a session that is interrupted ends" exits 124 timeout -s INT 5 "$REFCL" kernel "$tap_dir/for.cl" -g 64 -a buf:64 --check none

# ---- guards ---------------------------------------------------------------------------------------
export REFCL_GUARD=1
guarded() { # guarded NAME PATTERN FILE ARGUMENT...: the launch fails, and only this launch
    ok "$1" prints 0 "compiled.*$2.*status -5 beside 1000" $run "${@:3}"
}
kernel past 'kernel void k(global int *a, global int *b) { a[get_global_id(0) + 1024] = 7; }'
guarded "a write past the end" 'out-of-bounds: write at offset 4096 of global object buffer [0-9]+ of 4096 bytes, in kernel k' past 64 64 1024 1024
kernel before 'kernel void k(global int *a) { a[(int)get_global_id(0) - 100000] = 7; }'
guarded "a write before the beginning" 'out-of-bounds: write at offset -[0-9]+ of global object buffer' before 64 64 1024
kernel read 'kernel void k(global int *a, global int *b) { b[get_global_id(0)] = a[get_global_id(0) * 64]; }'
guarded "a read past the end" 'out-of-bounds: read at offset [0-9]+ of global object buffer [0-9]+ of 400 bytes' read 65536 64 100 65536
kernel far 'kernel void k(global int *a) { a[get_global_id(0) * 1000000000000UL] = 7; }'
guarded "a write far away" 'out-of-bounds: use of a non-canonical address, in kernel k' far 64 64 1024
kernel null 'kernel void k(global int *a) { global int *p = (global int *)(ulong)a[0]; p[get_global_id(0)] = 7; }'
guarded "a write through a null pointer" 'null-pointer: write through a null pointer, in kernel k' null 64 64 1024
kernel local 'kernel void k(global int *a, local int *l) { l[get_local_id(0) + 64] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = l[1]; }'
guarded "local memory" 'out-of-bounds: write at offset 256 of local object local memory of 256 bytes' local 64 64 1024 local:256
kernel private 'kernel void k(global int *a) { int x[16]; for (int i = 0; i < 16; i++) x[i] = a[i];
    for (int i = 0; i < 10000000 + a[0]; i++) x[i + a[1]] = 1; a[get_global_id(0)] = x[a[2]]; }'
guarded "private memory" '(out-of-bounds|null-pointer): ' private 64 64 1024
kernel turns 'kernel void k(global int *a, global int *b) {
    while (atomic_load_explicit((global atomic_int *)a, memory_order_relaxed, memory_scope_device) < (int)get_global_id(0)) ;
    atomic_store_explicit((global atomic_int *)a, (int)get_global_id(0) + 1, memory_order_relaxed, memory_scope_device);
    b[get_global_id(0) * 100000] = 1; }'
guarded "work-items that wait for each other" 'out-of-bounds: write at offset 400000 of global object buffer' turns 64 64 1024 1024
ok "a kernel that stays inside" prints 0 'compiled.*status 0' $run short 1024 64 1024
done_testing
