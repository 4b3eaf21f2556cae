#!/usr/bin/python3
"""Real kernels through pyopencl, as an application sees them."""
import os
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
try:
    import numpy as np
    import pyopencl as cl
except ImportError:
    print("1..0 # SKIP no pyopencl")
    sys.exit(0)

ctx = cl.Context(cl.get_platforms()[0].get_devices()[:1])
queue = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
mf = cl.mem_flags
rng = np.random.default_rng(1)


def buffer(array):
    return cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=array)


def result(buf, like):
    out = np.empty_like(like)
    cl.enqueue_copy(queue, out, buf)
    return out


def vector_add():
    a = rng.random(1000, dtype=np.float32)
    b = rng.random(1000, dtype=np.float32)
    program = cl.Program(ctx, """
        kernel void add(global const float *a, global const float *b, global float *c)
        { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }""").build()
    c = cl.Buffer(ctx, mf.WRITE_ONLY, a.nbytes)
    event = program.add(queue, a.shape, None, buffer(a), buffer(b), c)
    event.wait()
    assert event.profile.end >= event.profile.start > 0
    assert np.array_equal(result(c, a), a + b)


def tiled_matmul():
    n, tile = 32, 8
    a = rng.integers(-5, 5, (n, n)).astype(np.float32)
    b = rng.integers(-5, 5, (n, n)).astype(np.float32)
    program = cl.Program(ctx, """
        kernel void matmul(global const float *a, global const float *b, global float *c, int n,
                           local float *ta, local float *tb)
        {
            int x = get_local_id(0), y = get_local_id(1), t = get_local_size(0);
            int col = get_global_id(0), row = get_global_id(1);
            float sum = 0;
            for (int k = 0; k < n; k += t) {
                ta[y * t + x] = a[row * n + k + x];
                tb[y * t + x] = b[(k + y) * n + col];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int i = 0; i < t; i++)
                    sum += ta[y * t + i] * tb[i * t + x];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            c[row * n + col] = sum;
        }""").build()
    c = cl.Buffer(ctx, mf.WRITE_ONLY, a.nbytes)
    local = cl.LocalMemory(4 * tile * tile)
    program.matmul(queue, (n, n), (tile, tile), buffer(a), buffer(b), c, np.int32(n), local, local)
    assert np.array_equal(result(c, a), a @ b)


def reduction():
    a = rng.integers(0, 100, 4096).astype(np.int32)
    program = cl.Program(ctx, """
        kernel void sum(global const int *in, global int *out)
        {
            local int part[64];
            int l = get_local_id(0);
            part[l] = in[get_global_id(0)];
            for (int s = 32; s > 0; s >>= 1) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (l < s) part[l] += part[l + s];
            }
            if (l == 0) out[get_group_id(0)] = part[0];
        }""").build()
    out = cl.Buffer(ctx, mf.WRITE_ONLY, 64 * 4)
    program.sum(queue, a.shape, (64,), buffer(a), out)
    sums = result(out, np.empty(64, np.int32))
    assert np.array_equal(sums, a.reshape(64, 64).sum(1))


def histogram():
    a = rng.integers(0, 16, 2000).astype(np.uint32)
    program = cl.Program(ctx, """
        kernel void histogram(global const uint *in, global uint *bins)
        { atomic_inc(&bins[in[get_global_id(0)]]); }""").build()
    bins = buffer(np.zeros(16, np.uint32))
    program.histogram(queue, a.shape, None, buffer(a), bins)
    assert np.array_equal(result(bins, np.empty(16, np.uint32)), np.bincount(a, minlength=16))


def spin_lock():
    program = cl.Program(ctx, """
        kernel void count(global atomic_int *lock, global int *counter)
        {
            for (int done = 0; !done;) {
                int expected = 0;
                if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                            memory_order_relaxed, memory_scope_device)) {
                    counter[0] = counter[0] + 1;
                    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
                    done = 1;
                }
            }
        }""").build(options=["-cl-std=CL3.0"])
    lock, counter = buffer(np.zeros(1, np.int32)), buffer(np.zeros(1, np.int32))
    program.count(queue, (64,), (4,), lock, counter)
    assert result(counter, np.empty(1, np.int32))[0] == 64


def doubles_and_structs():
    program = cl.Program(ctx, """
        typedef struct { int n; double d; char c[3]; } s;
        kernel void scale(global s *p, double by)
        { int i = get_global_id(0); p[i].d *= by; p[i].n = i; p[i].c[2] = 'a' + i; }""").build()
    kind = np.dtype({"names": ["n", "d", "c"], "formats": [np.int32, np.float64, (np.uint8, 3)],
                     "offsets": [0, 8, 16], "itemsize": 24})
    a = np.zeros(10, kind)
    a["d"] = np.arange(10)
    buf = buffer(a)
    program.scale(queue, (10,), None, buf, np.float64(1.5))
    out = result(buf, a)
    assert np.array_equal(out["d"], np.arange(10) * 1.5)
    assert list(out["n"]) == list(range(10)) and list(out["c"][:, 2]) == [97 + i for i in range(10)]


def run(source, items, group, options=("-cl-std=CL3.0",)):
    """Final contents of an array of ITEMS ints, initially zero, after kernel k."""
    program = cl.Program(ctx, source).build(options=list(options))
    buf = buffer(np.zeros(items, np.int32))
    program.k(queue, (items,), (group,), buf)
    return result(buf, np.empty(items, np.int32))


def sub_groups():
    out = run("""
        #ifndef __opencl_c_subgroups
        #error "the device says that it has sub-groups"
        #endif
        kernel void k(global int *p)
        { p[get_global_id(0)] = sub_group_reduce_add(1) * 1000 + sub_group_scan_inclusive_add(1); }""", 80, 40)
    width = int(out[0] // 1000)
    sizes = [min(width, 40 - i // width * width) for i in range(40)]
    assert list(out) == [sizes[i] * 1000 + i % width + 1 for i in range(40)] * 2


def sub_groups_progress():
    out = run("""
        kernel void k(global atomic_int *p) {
            if (get_sub_group_id() == 0) {
                while (atomic_load_explicit(p + 63, memory_order_acquire, memory_scope_device) == 0)
                    ;
                atomic_store_explicit(p + get_global_id(0), 5, memory_order_relaxed, memory_scope_device);
            } else
                atomic_store_explicit(p + get_global_id(0), 7, memory_order_release, memory_scope_device);
        }""", 64, 64)
    assert out[0] == 5 and out[63] == 7 and not (out == 0).any()


def collectives():
    out = run("""
        kernel void k(global int *p) {
            int l = get_local_id(0);
            p[get_global_id(0)] = work_group_reduce_add(l) * 10000 + work_group_scan_exclusive_add(2) * 100 +
                                  work_group_broadcast(l, 3) * 10 + work_group_any(l == 2) - work_group_all(l < 5);
        }""", 16, 8)
    assert list(out) == [28 * 10000 + 2 * l * 100 + 30 + 1 for l in range(8)] * 2


def generic_and_program_scope():
    out = run("""
        global atomic_int next = 3;
        kernel void k(global int *p) {
            int x = 3, i = get_global_id(0);
            int *q = i & 1 ? &x : (int *)(p + i);
            *q += 2;
            p[i] += x + 100 * atomic_fetch_add_explicit(&next, 1, memory_order_relaxed, memory_scope_device);
        }""", 8, 8)
    assert sorted(out // 100) == list(range(3, 11)) and set(out % 100) == {5}


def build_errors():
    try:
        cl.Program(ctx, "kernel void broken(global int *a) { a[0] = nonsense; }").build()
    except cl.RuntimeError as error:
        assert "nonsense" in str(error)
        return
    raise AssertionError("a broken program was built")


tests = [vector_add, tiled_matmul, reduction, histogram, spin_lock, doubles_and_structs,
         sub_groups, sub_groups_progress, collectives, generic_and_program_scope, build_errors]
print(f"1..{len(tests)}")
failed = 0
for i, test in enumerate(tests, 1):
    try:
        test()
        print(f"ok {i} - {test.__name__}", flush=True)
    except Exception as error:
        failed += 1
        print(f"not ok {i} - {test.__name__}", flush=True)
        print("# " + repr(error).replace("\\n", "\n# "), flush=True)
sys.exit(1 if failed else 0)
