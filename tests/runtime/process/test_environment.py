#!/usr/bin/python3
"""SPIR-V modules that the OpenCL environment requires a device to accept, by version and extension, and
modules that violate one of its validation rules, which no device accepts."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from opencl import cl, context, numpy, queue  # noqa: E402
from tap import check, done, skip_all  # noqa: E402

KERNEL = '''%k = OpFunction %void None %fk
%out = OpFunctionParameter %pg
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd'''
MODULE = '''OpCapability Addresses
OpCapability Kernel
{capabilities}{extensions}{sets}OpMemoryModel {model}
OpEntryPoint {execution} %k "k" {interface}
{decorations}%void = OpTypeVoid
%int = OpTypeInt 32 {signed}
%c0 = OpConstant %int 0
%c1 = OpConstant %int 1
%c2 = OpConstant %int 2
%c3 = OpConstant %int 3
%c4 = OpConstant %int 4
%pg = OpTypePointer CrossWorkgroup %int
%fk = OpTypeFunction %void %pg
{types}
{kernel}
'''


def module(body='', capabilities='', extensions='', types='', **other):
    """Text; CAPABILITIES and EXTENSIONS are separated by blanks."""
    values = {'model': 'Physical64 OpenCL', 'execution': 'Kernel', 'interface': '', 'decorations': '', 'signed': 0, 'sets': '',
              'kernel': KERNEL, **other}
    values['kernel'] = values['kernel'].format(body=body)
    return MODULE.format(capabilities=''.join(f'OpCapability {c}\n' for c in capabilities.split()),
                         extensions=''.join(f'OpExtension "{e}"\n' for e in extensions.split()), types=types, **values)


def binary(text, version='1.0'):
    made = subprocess.run(['spirv-as', '--target-env', 'spv' + version, '-o', '-', '-'], input=text.encode(), capture_output=True,
                          check=False)
    if made.returncode:
        raise ValueError(made.stderr.decode() + text)
    return made.stdout


def built(text, version='1.0'):
    """The program, or the device's error."""
    try:
        return cl.Program(context, binary(text, version)).build()
    except (cl.Error, ValueError) as error:
        return str(error)


def result(text, version='1.0', items=1):
    """The kernel's output, or the device's error."""
    out = numpy.full(items, 77, 'u4')
    program = built(text, version)
    if isinstance(program, str):
        return program
    try:
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=out)
        cl.Kernel(program, 'k')(queue, (items,), (items,), buffer)
        cl.enqueue_copy(queue, out, buffer)
    except cl.Error as error:
        return str(error)
    return list(out)


def accepted(name, text, want=1, version='1.0', items=1):
    got = result(text, version, items)
    check(f'{name}, SPIR-V {version}', got == (want if isinstance(want, list) else [want] * items), got)


def rejected(name, text, version='1.0'):
    got = built(text, version)
    if isinstance(got, cl.Program):  # a kernel may be checked when it is created
        try:
            cl.Kernel(got, 'k')
        except cl.Error as error:
            got = str(error)
    check('not valid: ' + name, isinstance(got, str) and 'error: ' not in got.split(chr(10), 1)[0], got)


STORE = 'OpStore %out {} Aligned 4'
ONE = STORE.format('%c1')
BASE = 'Float16Buffer Int64 Int16 Int8 Linkage Vector16 GenericPointer Groups Pipes DeviceEnqueue Float64'
IMAGES = 'ImageBasic LiteralSampler Sampled1D Image1D SampledBuffer ImageBuffer ImageReadWrite'
NON_UNIFORM = 'GroupNonUniform '
GROUP = 'OpStore %out %r Aligned 4'


def versions():
    """Each version includes the requirements of the one before it."""
    shuffles = NON_UNIFORM + 'GroupNonUniformShuffle GroupNonUniformShuffleRelative'
    cases = [
        ('3.1 R1', '1.0', BASE, '1.0'),  # [CL env 2.1 R1; CL env 3.1 R1]
        ('3.1 R2', '1.0', IMAGES, '1.0'),  # [CL env 3.1 R2]
        ('3.2 R1', '1.1', BASE + ' ' + IMAGES, '2.2'),  # [CL env 3.2 R1]
        ('3.2 R2', '1.1', 'SubgroupDispatch PipeStorage Pipes DeviceEnqueue', '2.2'),  # [CL env 3.2 R2]
        ('3.3 R1', '1.2', BASE + ' SubgroupDispatch PipeStorage', '2.2'),  # [CL env 2.1 R2, 3.3 R1]
        ('3.4 R1', '1.3', BASE + ' ' + IMAGES, '3.1'),  # [CL env 3.4 R1]
        ('3.4 R2', '1.3', shuffles, '3.1'),  # [CL env 3.4 R2]
        ('3.5 R1', '1.4', BASE + ' ' + shuffles, '3.1'),  # [CL env 2.1 R3, 3.5 R1]
        ('3.6 R1', '1.5', BASE + ' ' + shuffles, '3.1'),  # [CL env 3.6 R1]
        ('3.7 R1', '1.6', BASE + ' ' + shuffles, '3.1'),  # [CL env 3.7 R1]
        ('3.7 R2', '1.6', 'DotProduct DotProductInput4x8Bit DotProductInput4x8BitPacked Int8', '3.1'),  # [CL env 3.7 R2]
    ]
    for clause, version, capabilities, _ in cases:
        accepted(f'{clause}: {len(capabilities.split())} capabilities', module(ONE, capabilities), version=version)
    # [CL env 2.2 R1]
    accepted('instructions of OpenCL.std', module('%r = OpExtInst %int %std u_max %c1 %c3\n' + GROUP,
                                                  sets='%std = OpExtInstImport "OpenCL.std"\n'), 3)


def extension_capabilities():
    """Requirements of 3.1 on version 1.0, through extensions [CL env 3.8]."""
    # [CL env 3.8 R1, 5.2.23 R1]: bits 4 to 7 are reversed to 24 to 27.
    accepted('bit instructions', module('%x = OpBitFieldInsert %int %c0 %c3 %c4 %c2\n%r = OpBitReverse %int %x\n' + GROUP,
                                        'BitInstructions', 'SPV_KHR_bit_instructions'), 0x0c000000)
    # [CL env 3.8 R1, 5.2.24 R1]: 1 * 3 in each of four bytes.
    dot = '%a = OpConstant %int 0x01010101\n%b = OpConstant %int 0x03030303'
    accepted('dot products', module(f'%r = OpUDot %int %a %b PackedVectorFormat4x8Bit\n' + GROUP,
                                    'DotProduct DotProductInput4x8Bit DotProductInput4x8BitPacked Int8', 'SPV_KHR_integer_dot_product', dot), 12)
    # [CL env 5.2.24 R2]
    accepted('dot products of 1.6', module(f'%r = OpUDotAccSat %int %a %b %c4 PackedVectorFormat4x8Bit\n' + GROUP,
                                           'DotProduct DotProductInput4x8BitPacked', '', dot), 16, '1.6')
    # [CL env 3.8 R1, 5.2.26 R1]
    accepted('rotation', module('%x = OpLoad %int %lid\n%r = OpGroupNonUniformRotateKHR %int %c3 %x %c1\n'
                                '%p = OpInBoundsPtrAccessChain %pg %out %x\nOpStore %p %r Aligned 4',
                                NON_UNIFORM + 'GroupNonUniformRotateKHR', 'SPV_KHR_subgroup_rotate', '%pi = OpTypePointer Input %int\n'
                                '%lid = OpVariable %pi Input', interface='%lid',
                                decorations='OpDecorate %lid BuiltIn SubgroupLocalInvocationId\n'), [1, 2, 3, 0], '1.3', 4)
    # [CL env 5.2.25 R1]
    accepted('expected values', module('%b = OpIEqual %bool %c1 %c1\nOpAssumeTrueKHR %b\n%r = OpExpectKHR %int %c3 %c1\n' + GROUP,
                                       'ExpectAssumeKHR', 'SPV_KHR_expect_assume', '%bool = OpTypeBool'), 3)
    # [CL env 5.2.27 R1]
    accepted('uniform arithmetic', module('%r = OpGroupIMulKHR %int %c2 Reduce %c3\n' + GROUP, 'Groups GroupUniformArithmeticKHR',
                                          'SPV_KHR_uniform_group_instructions'), [81, 77, 77, 77], items=4)
    # [CL env 5.2.28 R1]
    accepted('clocks', module('%t = OpReadClockKHR %long %c2\n' + ONE, 'Int64 ShaderClockKHR', 'SPV_KHR_shader_clock',
                              '%long = OpTypeInt 64 0'))
    # [CL env 5.2.13 R1]
    accepted('no integer wrap', module('%r = OpIAdd %int %c1 %c2\n' + GROUP, '', 'SPV_KHR_no_integer_wrap_decoration',
                                       decorations='OpDecorate %r NoSignedWrap\nOpDecorate %r NoUnsignedWrap\n'), 3)
    # [CL env 5.2.22 R1]
    accepted('linkonce_odr', module(ONE, 'Linkage', 'SPV_KHR_linkonce_odr', '%shared = OpVariable %pg CrossWorkgroup %c1',
                                    decorations='OpDecorate %shared LinkageAttributes "shared" LinkOnceODR\n'))
    # [CL env 5.2.21 R1]
    accepted('debug information', module(ONE, sets='%debug = OpExtInstImport "OpenCL.DebugInfo.100"\n'))


def sub_groups():
    boolean = '%bool = OpTypeBool\n%true = OpConstantTrue %bool\n%four = OpTypeVector %int 4'
    chosen = '%r = OpSelect %int %b %c1 %c0\n' + GROUP
    for clause, name, capability, body in [
            # [CL env 5.2.15 R1]
            ('5.2.15', 'votes', 'GroupNonUniformVote', '%b = OpGroupNonUniformAllEqual %bool %c3 %c2\n' + chosen),
            # [CL env 5.2.16 R1]
            ('5.2.16', 'ballots', 'GroupNonUniformBallot',
             '%v = OpGroupNonUniformBallot %four %c3 %true\n%r = OpGroupNonUniformBallotBitCount %int %c3 Reduce %v\n' + GROUP),
            # [CL env 5.2.17 R1]
            ('5.2.17', 'reductions', 'GroupNonUniformArithmetic', '%r = OpGroupNonUniformIAdd %int %c3 Reduce %c1\n' + GROUP),
            # [CL env 5.2.18 R1]
            ('5.2.18', 'shuffles', 'GroupNonUniformShuffle', '%r = OpGroupNonUniformShuffle %int %c3 %c1 %c0\n' + GROUP),
            # [CL env 5.2.19 R1]
            ('5.2.19', 'relative shuffles', 'GroupNonUniformShuffleRelative',
             '%r = OpGroupNonUniformShuffleUp %int %c3 %c1 %c0\n' + GROUP),
            # [CL env 5.2.20 R1]
            ('5.2.20', 'clusters', 'GroupNonUniformClustered',
             '%r = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %c1 %c1\n' + GROUP),
            # [CL env 5.2.14 R1]: a vector is broadcast
            ('5.2.14', 'vectors', 'Groups', '%v = OpCompositeConstruct %four %c1 %c2 %c3 %c4\n%w = OpGroupBroadcast %four %c3 %v %c0\n'
             '%r = OpCompositeExtract %int %w 0\n' + GROUP)]:
        both = capability if capability == 'Groups' else NON_UNIFORM + capability
        accepted(f'{clause}: {name}', module(body, both, types=boolean), version='1.3')
    # [CL env 5.2.12 R1]
    accepted('named barriers', module('%n = OpNamedBarrierInitialize %nb %c1\nOpMemoryNamedBarrier %n %c2 %fence\n' + ONE, 'NamedBarrier',
                                      types='%nb = OpTypeNamedBarrier\n%fence = OpConstant %int 272'), version='1.1')
    # [CL env 5.2.8 R1]
    accepted('64-bit atomics', module('%p = OpBitcast %pl %out\n%o = OpAtomicIAdd %long %p %c1 %c0 %l1\n', 'Int64 Int64Atomics',
                                      types='%long = OpTypeInt 64 0\n%l1 = OpConstant %long 1\n%pl = OpTypePointer CrossWorkgroup %long'),
             [79, 77], items=2)
    # [CL env 5.2.4 R1]
    accepted('half precision', module('%h = OpConvertUToF %half %c3\n%r = OpConvertFToU %int %h\n' + GROUP, 'Float16',
                                      types='%half = OpTypeFloat 16'), 3)
    # [CL env 5.2.5 R1]
    accepted('double precision', module('%h = OpConvertUToF %double %c3\n%r = OpConvertFToU %int %h\n' + GROUP, 'Float64',
                                        types='%double = OpTypeFloat 64'), 3)


def image_types():
    types = '%image = OpTypeImage %void {} ReadOnly'
    kernel = KERNEL.replace('%out', '%i = OpFunctionParameter %image\n%out').replace('%fk', '%fi')
    for clause, name, kind in [
            # [CL env 5.2.2 R1]
            ('5.2.2', 'depth images', '2D 1 0 0 0 Unknown'), ('5.2.2', 'arrays of depth images', '2D 1 1 0 0 Unknown')]:
        text = module(ONE, 'ImageBasic', types=types.format(kind) + '\n%fi = OpTypeFunction %void %image %pg', kernel=kernel)
        got = built(text)
        check(f'{clause}: {name}', isinstance(got, cl.Program), got)
    # [CL env 5.2.10 R1]
    got = built(module('%at = OpCompositeConstruct %pair %c1 %c1\n%t = OpCompositeConstruct %four %c1 %c1 %c1 %c1\n'
                       'OpImageWrite %i %at %t Lod %c1\n' + ONE, 'ImageBasic ImageMipmap', kernel=kernel,
                       types=types.format('2D 0 0 0 0 Unknown').replace('Read', 'Write') + '\n%fi = OpTypeFunction %void %image %pg\n'
                       '%pair = OpTypeVector %int 2\n%four = OpTypeVector %int 4'))
    check('5.2.10: a write to a level', isinstance(got, cl.Program), got)
    for clause, name, kind in [
            # [CL env 4 R5]
            ('4 R5', 'sampled', '2D 0 0 0 1 Unknown'),
            ('4 R5', 'a format', '2D 0 0 0 0 Rgba8'), ('4 R5', 'an array of three dimensions', '3D 0 1 0 0 Unknown')]:
        rejected(f'{clause}: {name}', module(ONE, 'ImageBasic', types=types.format(kind) + '\n%fi = OpTypeFunction %void %image %pg',
                                             kernel=kernel))
    rejected('4 R5: a sampled type', module(ONE, 'ImageBasic', types='%image = OpTypeImage %int 2D 0 0 0 0 Unknown ReadOnly\n'
                                            '%fi = OpTypeFunction %void %image %pg', kernel=kernel))
    rejected('4 R5: no access qualifier', module(ONE, 'ImageBasic', types='%image = OpTypeImage %void 2D 0 0 0 0 Unknown\n'
                                                 '%fi = OpTypeFunction %void %image %pg', kernel=kernel))


def rules():
    # [CL env 4 R1]
    rejected('another execution model', module(ONE, 'Shader', execution='GLCompute'))
    # [CL env 4 R2]
    rejected('pointers of 32 bits', module(ONE, model='Physical32 OpenCL'))
    # [CL env 4 R3]
    rejected('another memory model', module(ONE, 'Shader', model='Physical64 GLSL450'))
    # [CL env 4 R4]
    rejected('a signed type', module(ONE, signed=1))
    # [CL env 4 R8]
    rejected('recursion', module('%x = OpFunctionCall %void %f\n' + ONE, types='%ff = OpTypeFunction %void', kernel=KERNEL + '''
%f = OpFunction %void None %ff
%l = OpLabel
%y = OpFunctionCall %void %f
OpReturn
OpFunctionEnd'''))
    # [CL env 2.8.1 R1]
    rejected('a kernel that returns a value', module('', types='%fr = OpTypeFunction %int %pg', kernel=KERNEL.replace('%void', '%int')
                                                     .replace('%fk', '%fr').replace('OpReturn', 'OpReturnValue %c1')))
    # [CL env 2.9 R1]
    rejected('a built-in variable of another storage class',
             module(ONE, types='%v = OpVariable %pg CrossWorkgroup', interface='%v',
                    decorations='OpDecorate %v BuiltIn SubgroupLocalInvocationId\n'))
    # [CL env 2.9 R2]
    rejected('a built-in variable of another type',
             module('%x = OpLoad %int %v\n' + ONE, types='%pi = OpTypePointer Input %int\n%v = OpVariable %pi Input', interface='%v',
                    decorations='OpDecorate %v BuiltIn GlobalInvocationId\n'))
    # [CL env 4 R9]
    rejected('an asynchronous copy of a sub-group', module(
        '%e = OpGroupAsyncCopy %event %c3 %local %out %c1 %c1 %none\n' + ONE,
        types='%event = OpTypeEvent\n%none = OpConstantNull %event\n%pl = OpTypePointer Workgroup %int\n%local = OpVariable %pl Workgroup'))
    # [CL env 4 R10]
    rejected('a reduction of a device', module('%r = OpGroupIAdd %int %c1 Reduce %c1\n' + GROUP, 'Groups'))
    # [CL env 4 R11]
    rejected('a barrier of a device', module('OpControlBarrier %c1 %c2 %c0\n' + ONE))
    # [CL env 5.2.17 R2]
    rejected('a cluster size for a scan', module('%r = OpGroupNonUniformIAdd %int %c3 InclusiveScan %c1 %c1\n' + GROUP,
                                                 NON_UNIFORM + 'GroupNonUniformArithmetic'), '1.3')


def main():
    if not shutil.which('spirv-as'):
        skip_all('no spirv-as')
    versions()
    extension_capabilities()
    sub_groups()
    image_types()
    rules()
    sys.exit(done())


main()
