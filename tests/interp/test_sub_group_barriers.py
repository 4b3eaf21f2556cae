#!/usr/bin/python3
"""Barriers of less than a work-group, in both engines and with race checks: named barriers (a handwritten
module, as OpenCL C has none), and sub-group barriers with a wider memory scope, which order nothing between
sub-groups."""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import pyopencl as cl
except ImportError:
    print('1..0 # SKIP no pyopencl')
    sys.exit(0)

HERE = os.path.abspath(__file__)
REFCL = os.environ.get('REFCL', os.environ.get('BUILD', 'build') + '/refcl')
# Sixteen work-items in sub-groups of four: pairs of sub-groups synchronize, and each work-item reads what the
# one at a distance of four has written.
NAMED = """
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability NamedBarrier
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %lid
OpDecorate %lid BuiltIn LocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3 = OpTypeVector %u64 3
%pin = OpTypePointer Input %v3
%lid = OpVariable %pin Input
%nb = OpTypeNamedBarrier
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c4 = OpConstant %u32 4
%c8 = OpConstant %u32 8
%c16 = OpConstant %u32 16
%c100 = OpConstant %u32 100
%fence = OpConstant %u32 264
%room = OpTypeArray %u32 %c16
%proom = OpTypePointer Workgroup %room
%pw = OpTypePointer Workgroup %u32
%pg = OpTypePointer CrossWorkgroup %u32
%shared = OpVariable %proom Workgroup
%fn = OpTypeFunction %void %pg
%k = OpFunction %void None %fn
%o = OpFunctionParameter %pg
%entry = OpLabel
%g3 = OpLoad %v3 %lid Aligned 32
%gx = OpCompositeExtract %u64 %g3 0
%i = OpUConvert %u32 %gx
%low = OpULessThan %bool %i %c8
%j = OpBitwiseXor %u32 %i %DISTANCE
%cell = OpInBoundsAccessChain %pw %shared %i
%other = OpInBoundsAccessChain %pw %shared %j
%out = OpInBoundsPtrAccessChain %pg %o %i
%value = OpIAdd %u32 %i %c100
%a = OpNamedBarrierInitialize %nb %c2
%b = OpNamedBarrierInitialize %nb %c2
OpStore %cell %value Aligned 4
OpSelectionMerge %join None
OpBranchConditional %low %one %two
%one = OpLabel
OpMemoryNamedBarrier %a %c2 %fence
OpBranch %join
%two = OpLabel
OpMemoryNamedBarrier %b %c2 %fence
OpBranch %join
%join = OpLabel
%v = OpLoad %u32 %other Aligned 4
OpStore %out %v Aligned 4
OpReturn
OpFunctionEnd
"""
WIDE = """kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k(global uint *o) {
  local uint room[16]; uint i = get_local_id(0);
  room[i] = i + 100;
  sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_SCOPE);
  o[i] = room[i ^ DISTANCE]; }"""
# The case, the distance between work-items that exchange values, and whether that is a race.
CASES = [('named', 4, False), ('named', 8, True), ('sub_group', 1, False), ('sub_group', 4, True), ('work_group', 1, False),
         ('work_group', 4, True), ('device', 2, False), ('device', 4, True)]


def program(case, distance):
    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context)
    if case == 'named':
        with tempfile.TemporaryDirectory() as folder:
            text = NAMED.replace('%DISTANCE', f'%c{distance}')
            subprocess.run(['spirv-as', '--target-env', 'spv1.1', '-o', folder + '/k.spv', '-'], input=text, text=True, check=True)
            with open(folder + '/k.spv', 'rb') as file:
                made = cl.Program(context, file.read())
    else:
        made = cl.Program(context, WIDE.replace('SCOPE', case).replace('DISTANCE', str(distance)))
    kernel = cl.Kernel(made.build([] if case == 'named' else ['-cl-std=CL3.0']), 'k')
    out = numpy.zeros(16, 'u4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
    kernel.set_arg(0, buffer)
    cl.enqueue_nd_range_kernel(queue, kernel, (16,), (16,))
    cl.enqueue_copy(queue, out, buffer)
    queue.finish()
    print(*out)


def run(command, engine, case, distance):
    env = dict(os.environ, REFCL_ENGINE=engine, REFCL_SUB_GROUP_SIZE='4', PYTHONDONTWRITEBYTECODE='1', PYOPENCL_NO_CACHE='1')
    return subprocess.run(command + ['/usr/bin/python3', HERE, case, str(distance)], env=env, capture_output=True, text=True)


def offered():
    """The device reports named barriers, at least eight."""
    device = cl.get_platforms()[0].get_devices()[0]
    most = ctypes.c_uint(0) # CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, which pyopencl does not know
    code = ctypes.CDLL('libOpenCL.so.1').clGetDeviceInfo(ctypes.c_void_p(device.int_ptr), 0x2035, ctypes.c_size_t(4),
                                                         ctypes.byref(most), None)
    return 'cl_khr_subgroup_named_barrier' in device.extensions.split() and code == 0 and most.value >= 8


def main():
    number = 1
    print(f'{"ok" if offered() else "not ok"} 1 - the extension is offered')
    for case, distance, race in CASES:
        expected = ' '.join(str((i ^ distance) + 100) for i in range(16))
        for engine in ('interp', 'jit'):
            if race:
                continue
            done = run([], engine, case, distance)
            number += 1
            print(f'{"ok" if done.stdout.strip() == expected else "not ok"} {number} - {case} barrier, {engine}')
            if done.stdout.strip() != expected:
                print('# ' + (done.stdout + done.stderr).strip().replace('\n', '\n# '))
        with tempfile.NamedTemporaryFile() as report:
            done = run([REFCL, 'run', '-q', '-c', 'race', '--json', report.name, '--'], 'interp', case, distance)
            text = report.read()
        found = [f['kind'] for f in json.loads(text)['findings']] if text else [done.stderr]
        number += 1
        good = any('race' in kind for kind in found) if race else found == []
        print(f'{"ok" if good else "not ok"} {number} - {case} barrier, {"a race" if race else "no race"}, distance {distance}')
        if not good:
            print(f'# {found}')
    print(f'1..{number}')


if __name__ == '__main__':
    program(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 2 else main()
