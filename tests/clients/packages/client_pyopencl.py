#!/usr/bin/python3
"""What an application does through pyopencl: one check for each kind of object and command."""
import os
import sys

os.environ["PYOPENCL_NO_CACHE"] = "1"
import numpy as np
import pyopencl as cl

mf = cl.mem_flags
device = cl.get_platforms()[0].get_devices()[0]
ctx = cl.Context([device])
queue = cl.CommandQueue(ctx)
rng = np.random.default_rng(7)


def data(*shape):
    return rng.integers(0, 1 << 30, shape, dtype=np.int32)


def read(buf, like):
    out = np.empty_like(like)
    cl.enqueue_copy(queue, out, buf)
    return out


def buffers():
    a = data(1000)
    b = cl.Buffer(ctx, mf.READ_WRITE, a.nbytes)
    cl.enqueue_copy(queue, b, a)
    c = cl.Buffer(ctx, mf.READ_WRITE, a.nbytes)
    cl.enqueue_copy(queue, c, b, byte_count=2000, src_offset=400, dst_offset=800)
    assert np.array_equal(read(c, a)[200:700], a[100:600])
    view, _ = cl.enqueue_map_buffer(queue, b, cl.map_flags.READ | cl.map_flags.WRITE, 0, a.shape, a.dtype)
    view[5] = 1234
    view.base.release(queue)
    assert read(b, a)[5] == 1234


def sub_buffers():
    a = data(1024)
    b = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=a)
    s = b.get_sub_region(1024, 512)
    assert np.array_equal(read(s, a[:128]), a[256:384])
    cl.enqueue_fill_buffer(queue, s, np.int32(9), 0, 512)
    out = read(b, a)
    assert (out[256:384] == 9).all() and np.array_equal(out[:256], a[:256])


def fills():
    a = np.zeros(256, np.int32)
    b = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=a)
    cl.enqueue_fill_buffer(queue, b, np.array([1, 2, 3, 4], np.int32), 16, 64)
    assert np.array_equal(read(b, a)[4:20], np.tile([1, 2, 3, 4], 4))


def rectangles():
    a = data(16, 20)
    b = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=a)
    part = np.zeros((5, 6), np.int32)
    cl.enqueue_copy(queue, part, b, buffer_origin=(8, 3), host_origin=(0, 0), region=(24, 5),
                    buffer_pitches=(80,), host_pitches=(24,))
    assert np.array_equal(part, a[3:8, 2:8])
    c = cl.Buffer(ctx, mf.READ_WRITE, a.nbytes)
    cl.enqueue_fill_buffer(queue, c, np.int32(0), 0, a.nbytes)
    cl.enqueue_copy(queue, c, b, src_origin=(8, 3), dst_origin=(16, 1), region=(24, 5), src_pitches=(80,),
                    dst_pitches=(80,))
    assert np.array_equal(read(c, a)[1:6, 4:10], a[3:8, 2:8])


def images():
    a = rng.random((12, 10, 4), dtype=np.float32)
    image = cl.image_from_array(ctx, a, 4)
    out = cl.Image(ctx, mf.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), (10, 12))
    program = cl.Program(ctx, """
        constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        kernel void blur(read_only image2d_t in, write_only image2d_t out) {
            int2 p = (int2)(get_global_id(0), get_global_id(1));
            float4 sum = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    sum += read_imagef(in, s, p + (int2)(x, y));
            write_imagef(out, p, sum / 9); }""").build()
    program.blur(queue, (10, 12), None, image, out)
    got = np.empty_like(a)
    cl.enqueue_copy(queue, got, out, origin=(0, 0), region=(10, 12))
    padded = np.pad(a, ((1, 1), (1, 1), (0, 0)), mode="edge")
    want = sum(padded[y:y + 12, x:x + 10] for y in range(3) for x in range(3)) / 9
    assert np.allclose(got, want, rtol=1e-5)


def user_events():
    a = data(64)
    b = cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=a)
    gate = cl.UserEvent(ctx)
    event = cl.enqueue_fill_buffer(queue, b, np.int32(3), 0, a.nbytes, wait_for=[gate])
    queue.flush()
    assert event.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert (read(b, a) == 3).all()


def svm_coarse():
    svm = cl.SVM(cl.csvm_empty(ctx, 100, np.int32))
    with svm.map_rw(queue) as view:
        view[:] = np.arange(100)
    program = cl.Program(ctx, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").build()
    program.twice(queue, (100,), None, svm)
    with svm.map_ro(queue) as view:
        assert np.array_equal(view, 2 * np.arange(100))
    queue.finish()  # the memory is freed without a wait for the unmap


def svm_fine():
    svm = cl.fsvm_empty(ctx, 100, np.int32)
    svm[:] = np.arange(100)
    program = cl.Program(ctx, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").build()
    program.twice(queue, (100,), None, cl.SVM(svm))
    queue.finish()
    assert np.array_equal(svm, 2 * np.arange(100))


def compile_and_link():
    header = cl.Program(ctx, "int three(int x);")
    main = cl.Program(ctx, '#include "three.h"\nkernel void k(global int *o) { o[0] = three(14); }')
    library = cl.Program(ctx, "int three(int x) { return 3 * x; }")
    main.compile(headers=[("three.h", header)])
    library.compile()
    linked = cl.link_program(ctx, [main, library])
    out = np.zeros(1, np.int32)
    b = cl.Buffer(ctx, mf.READ_WRITE, 4)
    linked.k(queue, (1,), None, b)
    assert read(b, out)[0] == 42


def binaries():
    text = "kernel void k(global int *o) { o[get_global_id(0)] = 5 + get_global_id(0); }"
    binary = cl.Program(ctx, text).build().binaries[0]
    again = cl.Program(ctx, [device], [binary]).build()
    out = np.zeros(8, np.int32)
    b = cl.Buffer(ctx, mf.READ_WRITE, out.nbytes)
    again.k(queue, (8,), None, b)
    assert np.array_equal(read(b, out), np.arange(5, 13))
    broken = bytearray(binary)
    broken[len(broken) // 2] ^= 255
    try:
        cl.Program(ctx, [device], [bytes(broken)]).build()
        raise SystemExit("a broken binary was taken")
    except cl.Error:
        pass


def intermediate_language():
    text = "kernel void add(global const int *a, global const int *b, global int *c)" \
           "{ int i = get_global_id(0); c[i] = a[i] + b[i]; }"
    binary = cl.Program(ctx, text).build().binaries[0]
    at = binary.find(b"\x03\x02\x23\x07")
    assert at >= 0
    words = np.frombuffer(binary[at:at + (len(binary) - at) // 4 * 4], np.uint32)
    end = 5
    while end < len(words) and words[end] >> 16 and (words[end] & 0xffff) < 6144 and end + (words[end] >> 16) <= len(words):
        end += int(words[end] >> 16)
        if (words[end - 1] == 0x00010038) and (end >= len(words) or (words[end] & 0xffff) not in (54, 8, 317)):
            break
    program = cl.Program(ctx, words[:end].tobytes()).build()
    a, b = data(50), data(50)
    c = cl.Buffer(ctx, mf.READ_WRITE, a.nbytes)
    program.add(queue, a.shape, None, cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=a),
                cl.Buffer(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=b), c)
    assert np.array_equal(read(c, a), a + b)


def libraries_of_pyopencl():
    import pyopencl.array as arrays
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import GenericScanKernel
    a = arrays.to_device(queue, np.arange(300, dtype=np.float32))
    assert np.array_equal((2 * a + 1).get(), 2 * np.arange(300, dtype=np.float32) + 1)
    kernel = ElementwiseKernel(ctx, "float *x", "x[i] = x[i] * x[i]")
    kernel(a)
    assert a.get()[17] == 289
    total = ReductionKernel(ctx, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]",
                            arguments="__global float *x")(a).get()
    assert total == float(sum(i * i for i in range(300)))
    n = arrays.to_device(queue, np.arange(200, dtype=np.int32))
    GenericScanKernel(ctx, np.int32, arguments="__global int *ary", input_expr="ary[i]", scan_expr="a+b",
                      neutral="0", output_statement="ary[i] = item;")(n)
    assert np.array_equal(n.get(), np.cumsum(np.arange(200)))


tests = [buffers, sub_buffers, fills, rectangles, images, user_events, svm_coarse, svm_fine, compile_and_link,
         binaries, intermediate_language, libraries_of_pyopencl]
print(f"1..{len(tests)}")
failed = 0
for number, test in enumerate(tests, 1):
    try:
        test()
        print(f"ok {number} - {test.__name__}")
    except Exception as error:  # what fails is a result, not the end
        failed += 1
        print(f"not ok {number} - {test.__name__}")
        print("# " + repr(error).replace("\n", "\n# ")[:2000])
sys.exit(failed)
