#!/usr/bin/python3
"""Functions and variables that several modules define with LinkOnceODR: each module alone, linked together,
with a module that exports or imports the name, in libraries that are linked again
[cl_khr_spirv_linkonce_odr]."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from opencl import cl, context, device, numpy, queue  # noqa: E402
from tap import check, done, skip_all  # noqa: E402

MODULE = '''OpCapability Addresses
OpCapability Kernel
OpCapability Linkage
OpExtension "SPV_KHR_linkonce_odr"
OpMemoryModel Physical64 OpenCL
{entry}
OpName %sum "sum of the body"
{function_linkage}
{variable_linkage}
%void = OpTypeVoid
%int = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %int
%value = OpConstant %int {value}
%two = OpConstant %int 2
%shared = OpVariable %p CrossWorkgroup {initializer}
%function = OpTypeFunction %int %int
%kernel = OpTypeFunction %void %p
{define}
{k}
'''
BODY = '''%g = OpFunction %int None %function
%x = OpFunctionParameter %int
%begin = OpLabel
%sum = OpIAdd %int %x %two
OpReturnValue %sum
OpFunctionEnd'''
DECLARATION = '''%g = OpFunction %int None %function
%x = OpFunctionParameter %int
OpFunctionEnd'''
KERNEL = '''%k = OpFunction %void None %kernel
%out = OpFunctionParameter %p
%l = OpLabel
%v = OpLoad %int %shared Aligned 4
%r = OpFunctionCall %int %g %v
%w = OpIAdd %int %v %value
OpStore %shared %w Aligned 4
OpStore %out %r Aligned 4
OpReturn
OpFunctionEnd'''


def assembled(folder, linkage, kernel=None):
    """Linkage of the function "g" and of the variable "shared", which begins as 5."""
    declared = linkage == 'Import'
    text = MODULE.format(entry=f'OpEntryPoint Kernel %k "{kernel}"' if kernel else '',
                         function_linkage=f'OpDecorate %g LinkageAttributes "g" {linkage}',
                         variable_linkage=f'OpDecorate %shared LinkageAttributes "shared" {linkage}', value=5,
                         initializer='' if declared else '%value', define=DECLARATION if declared else BODY,
                         k=KERNEL if kernel else '')
    if declared:
        text = text.replace('OpName %sum "sum of the body"\n', '')
    path = os.path.join(folder, 'm.spv')
    subprocess.run(['spirv-as', '--target-env', 'spv1.2', '-o', path, '-'], input=text, text=True, check=True)
    with open(path, 'rb') as file:
        return cl.Program(context, file.read())


def result(program, kernel):
    out = numpy.zeros(1, 'u4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    cl.Kernel(program, kernel)(queue, (1,), None, buffer)
    cl.enqueue_copy(queue, out, buffer)
    return int(out[0])


def linked(*programs, options=''):
    return cl.link_program(context, list(programs), options)


check('the extension is offered', 'cl_khr_spirv_linkonce_odr' in device.extensions.split())
if not shutil.which('spirv-as'):
    skip_all('no spirv-as')
with tempfile.TemporaryDirectory() as folder:
    def compiled(linkage, kernel=None):
        return assembled(folder, linkage, kernel).compile()

    check('a module alone', result(assembled(folder, 'LinkOnceODR', 'a').build(), 'a') == 7)
    pair = linked(compiled('LinkOnceODR', 'a'), compiled('LinkOnceODR', 'b'))
    results = [result(pair, k) for k in 'aba']
    check('two modules share function and variable', results == [7, 12, 17], results)
    for others in ('Export', 'LinkOnceODR'), ('LinkOnceODR', 'Export'), ('Import', 'LinkOnceODR'), ('LinkOnceODR', 'Import'):
        pair = linked(compiled(others[0], 'a'), compiled(others[1], 'b'))
        results = [result(pair, k) for k in 'ab']
        check(f'{others[0]} and {others[1]}', results == [7, 12], results)
    libraries = [linked(compiled('LinkOnceODR', k), options='-create-library') for k in 'ab']
    pair = linked(*libraries)
    results = [result(pair, k) for k in 'ab']
    check('two libraries', results == [7, 12], results)
    try:
        linked(compiled('Export', 'a'), compiled('Export', 'b'))
        check('two exports do not link', False)
    except cl.RuntimeError:
        check('two exports do not link', True)
sys.exit(done())
