#!/usr/bin/python3
"""The clocks of a work-group and of a sub-group: every sample is later than earlier ones, of the same
work-item and of others ordered by a barrier; as a number, and as a vector with the low half first; the
instruction in modules of the application; the device queries [cl_khr_kernel_clock]."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, device, numpy, queue  # noqa: E402

CAPABILITIES, WORK_GROUP, SUB_GROUP = 0x1076, 1 << 1, 1 << 2
ITEMS, TIMES = 32, 8
C = '''
#if !defined(cl_khr_kernel_clock) || !defined(__opencl_c_kernel_clock_scope_SCOPE)
#error not offered
#endif
kernel void k(global ulong *out) {
    global ulong *mine = out + TIMES * get_global_id(0);
    for (int i = 0; i < TIMES; i += 2) {
        mine[i] = clock_read_SCOPE();
        SCOPE_barrier(CLK_GLOBAL_MEM_FENCE);
        uint2 both = clock_read_hilo_SCOPE();
        mine[i + 1] = (ulong)both.hi << 32 | both.lo;
        SCOPE_barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
'''.replace('TIMES', str(TIMES))
MODULE = f'''OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability ShaderClockKHR
OpExtension "SPV_KHR_shader_clock"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %gid
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%pair = OpTypeVector %int 2
%three = OpTypeVector %long 3
%in = OpTypePointer Input %three
%p = OpTypePointer CrossWorkgroup %long
%scope = OpConstant %int SCOPE
%times = OpConstant %long {TIMES}
{''.join(f'%c{i} = OpConstant %long {i}' + chr(10) for i in range(TIMES))}
%gid = OpVariable %in Input
%f = OpTypeFunction %void %p
%k = OpFunction %void None %f
%out = OpFunctionParameter %p
%l = OpLabel
%ids = OpLoad %three %gid
%id = OpCompositeExtract %long %ids 0
%first = OpIMul %long %id %times
%mine = OpInBoundsPtrAccessChain %p %out %first
{''.join(f"""%t{i} = OpReadClockKHR {'%pair' if i % 2 else '%long'} %scope
%v{i} = OpBitcast %long %t{i}
%a{i} = OpInBoundsPtrAccessChain %p %mine %c{i}
OpStore %a{i} %v{i} Aligned 8
""".replace('OpBitcast %long', 'OpBitcast %long' if i % 2 else 'OpCopyObject %long') for i in range(TIMES))}OpReturn
OpFunctionEnd
'''


def ask(param):
    library, answer = ctypes.CDLL('libOpenCL.so.1'), ctypes.c_uint64(77)
    code = library.clGetDeviceInfo(ctypes.c_void_p(device.int_ptr), param, ctypes.c_size_t(8), ctypes.byref(answer), None)
    return answer.value if code == 0 else code


def samples(program):
    out = numpy.zeros((ITEMS, TIMES), 'u8')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    cl.Kernel(program, 'k')(queue, (ITEMS,), (ITEMS,), buffer)
    cl.enqueue_copy(queue, out, buffer)
    return out


def module(text, folder):
    path = os.path.join(folder, 'k.spv')
    subprocess.run(['spirv-as', '--target-env', 'spv1.2', '-o', path, '-'], input=text, text=True, check=True)
    with open(path, 'rb') as file:
        return cl.Program(context, file.read()).build()


def refused(make):
    try:
        make()
    except cl.RuntimeError:
        return True
    return False


def run():
    yield 'the capabilities', ask(CAPABILITIES) == WORK_GROUP | SUB_GROUP, hex(ask(CAPABILITIES))
    for name in 'work_group', 'sub_group':  # the sub-group is the work-group
        out = samples(cl.Program(context, C.replace('SCOPE', name)).build(['-cl-std=CL3.0']))
        # [CLC 6.15.21 R1]
        yield f'{name}: each sample of a work-item is later', (out[:, 1:] > out[:, :-1]).all(), out
        late = [out[:, i + 1].min() > out[:, i].max() for i in range(TIMES - 1)]
        yield f'{name}: samples after a barrier are later than all before it', all(late), out
    for name in 'device', 'hilo_device':
        # [CLC 6.15.21 R2]
        yield f'clock_read_{name} is not declared', refused(
            lambda: cl.Program(context, f'kernel void k() {{ clock_read_{name}(); }}').build(['-cl-std=CL3.0'])), ''
    if not shutil.which('spirv-as'):
        yield 'the instruction', None, 'no spirv-as'
        return
    with tempfile.TemporaryDirectory() as folder:
        for scope in '2', '3':
            out = samples(module(MODULE.replace('SCOPE', scope), folder))
            yield f'the instruction, scope {scope}', (out[:, 1:] > out[:, :-1]).all(), out
        narrow = MODULE.replace('SCOPE', '3').replace('%t0 = OpReadClockKHR %long', '%t0 = OpReadClockKHR %int').replace(
            '%v0 = OpCopyObject %long', '%v0 = OpUConvert %long')
        yield 'a clock of 32 bits is refused', refused(lambda: samples(module(narrow, folder))), ''


each_engine(run)
