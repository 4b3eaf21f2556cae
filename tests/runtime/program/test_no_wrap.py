#!/usr/bin/python3
"""Instructions with the decorations of SPV_KHR_no_integer_wrap_decoration, which do not wrap, in modules of
the application [cl_khr_spirv_no_integer_wrap_decoration]."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from opencl import cl, context, device, numpy, queue  # noqa: E402
from tap import check, done, skip  # noqa: E402

MODULE = '''OpCapability Addresses
OpCapability Kernel
OpExtension "SPV_KHR_no_integer_wrap_decoration"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpDecorate %r {decoration}
%void = OpTypeVoid
%int = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %int
%f = OpTypeFunction %void %p %int %int
%k = OpFunction %void None %f
%out = OpFunctionParameter %p
%a = OpFunctionParameter %int
%b = OpFunctionParameter %int
%l = OpLabel
%r = {instruction}
OpStore %out %r Aligned 4
OpReturn
OpFunctionEnd
'''
# The operands, which have the same value signed and unsigned, and the results.
CASES = {'OpIAdd %int %a %b': [(5, 7, 12), (0x7ffffffe, 1, 0x7fffffff)], 'OpISub %int %a %b': [(9, 4, 5), (7, 7, 0)],
         'OpIMul %int %a %b': [(6, 7, 42), (0x7fffffff, 1, 0x7fffffff)], 'OpShiftLeftLogical %int %a %b': [(3, 4, 48), (1, 30, 1 << 30)],
         'OpSNegate %int %a': [(0, 0, 0), (0, 1, 0)]}


def results(instruction, decoration, cases, folder):
    path = os.path.join(folder, 'k.spv')
    text = MODULE.format(instruction=instruction, decoration=decoration)
    subprocess.run(['spirv-as', '--target-env', 'spv1.2', '-o', path, '-'], input=text, text=True, check=True)
    with open(path, 'rb') as file:
        kernel = cl.Kernel(cl.Program(context, file.read()).build(), 'k')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    for a, b, _ in cases:
        kernel(queue, (1,), None, buffer, numpy.uint32(a), numpy.uint32(b))
        out = numpy.zeros(1, 'u4')
        cl.enqueue_copy(queue, out, buffer)
        yield int(out[0])


check('the extension is offered', 'cl_khr_spirv_no_integer_wrap_decoration' in device.extensions.split())
with tempfile.TemporaryDirectory() as folder:
    for instruction, cases in CASES.items():
        for decoration in 'NoSignedWrap', 'NoUnsignedWrap':
            name = f'{instruction.split()[0]} {decoration}'
            if not shutil.which('spirv-as'):
                skip(name, 'no spirv-as')
                continue
            found = list(results(instruction, decoration, cases, folder))
            check(name, found == [c for _, _, c in cases], found)
sys.exit(done())
