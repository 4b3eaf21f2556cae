#!/usr/bin/python3
"""Feature probes through the API: the kernels of each program that builds are launched with generated
arguments: buffers, images, samplers and queues.  The programs are in $REFCL_PROBES or ../shared/probes;
without them the test is skipped."""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import check, done, skip_all  # noqa: E402

os.environ["PYOPENCL_NO_CACHE"] = "1"
try:
    import numpy as np
    import pyopencl as cl
except ImportError:
    skip_all("no pyopencl")

probes = sorted(glob.glob(os.path.join(os.environ.get("REFCL_PROBES", "../shared/probes"), "*.cl")))
if not probes:
    skip_all("no probes")

LEAST_RUN = 64
NOT_BUILT = ["34_image_msaa.cl", "46b_bitfields.cl", "59_kernel_clock.cl", "64_fnptr.cl"]
UNDEFINED = [("19_enqueue_local.cl", "k")]  # local memory of 4 bytes, by the generated argument

ctx = cl.Context(cl.get_platforms()[0].get_devices()[:1])
device = ctx.devices[0]
queue = cl.CommandQueue(ctx)
mf = cl.mem_flags
keep = []


def on_device_queue():
    properties = cl.command_queue_properties
    bits = properties.ON_DEVICE | properties.ON_DEVICE_DEFAULT | properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    return cl.CommandQueue(ctx, properties=[cl.queue_properties.PROPERTIES, bits])


try:
    keep.append(on_device_queue())
except (cl.Error, AttributeError, TypeError):
    pass


def image(name):
    order = 0x10BD if "depth" in name else cl.channel_order.RGBA  # CL_DEPTH
    form = cl.ImageFormat(order, cl.channel_type.FLOAT)
    flags = mf.READ_WRITE
    if "image1d_array" in name:
        return cl.Image(ctx, flags, form, shape=(16, 4), is_array=True)
    if "image1d" in name:
        return cl.Image(ctx, flags, form, shape=(16,))
    if "array" in name:
        return cl.Image(ctx, flags, form, shape=(16, 16, 4), is_array=True)
    if "image3d" in name:
        return cl.Image(ctx, flags, form, shape=(16, 16, 4))
    return cl.Image(ctx, flags, form, shape=(16, 16))


def argument(kernel, index):
    info = cl.kernel_arg_info
    name = kernel.get_arg_info(index, info.TYPE_NAME)
    space = kernel.get_arg_info(index, info.ADDRESS_QUALIFIER)
    where = cl.kernel_arg_address_qualifier
    if "image1d_buffer" in name:
        raise NotImplementedError(name)
    if "image" in name:
        return image(name)
    if "sampler" in name:
        return cl.Sampler(ctx, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
    if "queue" in name:
        if not keep:
            raise NotImplementedError("no device queue")
        return keep[0]
    if "pipe" in name or kernel.get_arg_info(index, info.TYPE_QUALIFIER) & 8 or "event" in name:
        raise NotImplementedError(name)
    if space == where.LOCAL:
        return cl.LocalMemory(4096)
    if space in (where.GLOBAL, where.CONSTANT):
        keep.append(cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=np.zeros(1 << 16, np.uint8)))
        return keep[-1]
    scalars = {"float": np.float32, "double": np.float64, "char": np.int8, "uchar": np.uint8, "short": np.int16,
               "ushort": np.uint16, "int": np.int32, "uint": np.uint32, "long": np.int64, "ulong": np.uint64,
               "half": np.float16, "unsigned int": np.uint32, "size_t": np.uint64}
    if name not in scalars:
        raise NotImplementedError(name)
    return scalars[name](4)


def launch(program):
    ran, left, undefined = 0, 0, []
    for kernel in program.all_kernels():
        if "_block_invoke" in kernel.function_name:
            continue
        try:
            for index in range(kernel.num_args):
                keep.append(argument(kernel, index))
                kernel.set_arg(index, keep[-1])
        except NotImplementedError:
            left += 1
            continue
        group = kernel.get_work_group_info(cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, device)
        local = tuple(group) if group[0] else (4, 1, 1)
        try:
            cl.enqueue_nd_range_kernel(queue, kernel, (local[0] * 2, local[1], local[2]), local).wait()
        except cl.Error as error:
            if "EXEC_STATUS_ERROR" not in str(error):
                raise
            undefined.append(kernel.function_name)
            continue
        ran += 1
    return ran, left, undefined


failed = []
built = ran = left = 0
not_built, undefined = [], []
for path in probes:
    with open(path) as f:
        source = f.read()
    program = None
    for version in ("CL3.0", "CL2.0", "CL1.2"):
        try:
            program = cl.Program(ctx, source).build(["-cl-std=" + version, "-cl-kernel-arg-info"])
            break
        except cl.Error:
            continue
    if program is None:
        not_built.append(os.path.basename(path))
        continue
    built += 1
    try:
        more, without, stopped = launch(program)
        ran += more
        left += without
        undefined += [(os.path.basename(path), kernel) for kernel in stopped]
    except cl.Error as error:
        failed.append("%s: %s" % (os.path.basename(path), error))
queue.finish()
print("# %d of %d probes build, %d kernels ran, %d need arguments that pyopencl cannot make" % (
    built, len(probes), ran, left))
check("kernels of probes run", not failed, "\n".join(failed))
check("all build but those that are no OpenCL C, or need an extension that no device has", not_built == NOT_BUILT, not_built)
check("%d kernels end well" % LEAST_RUN, ran >= LEAST_RUN, ran)
check("what is undefined with made-up arguments ends with an error", undefined == UNDEFINED, undefined)
sys.exit(done())
