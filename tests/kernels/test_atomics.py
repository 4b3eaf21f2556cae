#!/usr/bin/python3
"""Atomic functions over values on both sides of each type's sign bit, in global and in local memory, and
SPIR-V instructions on narrower integers: returned and stored values against a model in Python [CLC 6.15.12.7;
SPIRV 3.49.18]."""
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from engines import each_engine  # noqa: E402
from opencl import cl, context, numpy, queue  # noqa: E402

numpy.seterr(over='ignore')
TYPES = {'int': 'i4', 'uint': 'u4', 'long': 'i8', 'ulong': 'u8'}
FETCH = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'min': min, 'max': max,
         'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b}
COUNTS = {'inc': lambda a, b: a + a.dtype.type(1), 'dec': lambda a, b: a - a.dtype.type(1)}


def values(dtype):
    bits = 8 * dtype.itemsize
    ones = (1 << bits) - 1
    return numpy.array([0, 1, 2, 0x55, ones, ones - 1, 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits - 1) + 1],
                       f'u{dtype.itemsize}').view(dtype)


def operations(name):
    """The kernel's operation on CELL and the operand V, and its model."""
    legacy = 'atom' if name.endswith('long') else 'atomic'
    for op, function in FETCH.items():
        yield f'atomic_fetch_{op}((volatile SPACE atomic_{name} *)CELL, V)', function
        yield f'{legacy}_{op}(CELL, V)', function
    for op, function in COUNTS.items():
        yield f'{legacy}_{op}(CELL)', function
    yield f'{legacy}_xchg(CELL, V)', lambda a, b: b
    yield f'atomic_exchange((volatile SPACE atomic_{name} *)CELL, V)', lambda a, b: b
    yield f'{legacy}_cmpxchg(CELL, ({name})1, V)', lambda a, b: b if a == 1 else a


# For each: its effect on unsigned numbers, or, for SMin and SMax, on signed ones.
INSTRUCTIONS = {'IAdd': FETCH['add'], 'ISub': FETCH['sub'], 'UMin': min, 'UMax': max, 'SMin': min, 'SMax': max,
                'And': FETCH['and'], 'Or': FETCH['or'], 'Xor': FETCH['xor'], 'Exchange': lambda a, b: b}


def module(bits, instruction, operands):
    """A kernel that applies INSTRUCTION to the n-th of the cells and of OPERANDS and stores the result."""
    t, type_ = ('%t', f'%t = OpTypeInt {bits} 0\n') if bits != 32 else ('%uint', '')
    constants, body = '', ''
    for n, operand in enumerate(operands):
        constants += f'%n{n} = OpConstant %uint {n}\n%v{n} = OpConstant {t} {operand}\n'
        body += (f'%c{n} = OpInBoundsPtrAccessChain %p %cells %n{n}\n%o{n} = OpInBoundsPtrAccessChain %p %old %n{n}\n'
                 f'%r{n} = OpAtomic{instruction} {t} %c{n} %n1 %n0 %v{n}\nOpStore %o{n} %r{n} Aligned {bits // 8}\n')
    capability = f'OpCapability Int{bits}\n' if bits != 32 else ''
    return f'''OpCapability Addresses\nOpCapability Kernel\n{capability}{'OpCapability Int64Atomics' if bits == 64 else ''}
        OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k "k"
        %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n{type_}%p = OpTypePointer CrossWorkgroup {t}\n%f = OpTypeFunction %void %p %p
        {constants}%k = OpFunction %void None %f\n%cells = OpFunctionParameter %p\n%old = OpFunctionParameter %p
        %l = OpLabel\n{body}OpReturn\nOpFunctionEnd\n'''


def instructions():
    if not shutil.which('spirv-as'):
        yield 'instructions of modules', None, 'no spirv-as'
        return
    for bits in 8, 16, 32, 64:
        dtype = numpy.dtype(f'u{bits // 8}')
        pairs = numpy.array(list(itertools.product(values(dtype), repeat=2)), dtype)
        wrong = []
        for instruction, function in INSTRUCTIONS.items():
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(['spirv-as', '--target-env', 'spv1.2', '-o', folder + '/k.spv', '-'],
                               input=module(bits, instruction, pairs[:, 1]), text=True, check=True)
                with open(folder + '/k.spv', 'rb') as file:
                    program = cl.Program(context, file.read()).build()
            cells, old = pairs[:, 0].copy(), numpy.zeros(len(pairs), dtype)
            buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)
                       for array in (cells, old)]
            cl.Kernel(program, 'k')(queue, (1,), (1,), *buffers)
            cl.enqueue_copy(queue, cells, buffers[0])
            cl.enqueue_copy(queue, old, buffers[1])
            typed = pairs.view(f'i{bits // 8}') if instruction.startswith('S') else pairs
            wanted = numpy.array([function(a, b) for a, b in typed], typed.dtype).view(dtype)
            if (cells != wanted).any() or (old != pairs[:, 0]).any():
                wrong.append(instruction)
        yield f'{len(INSTRUCTIONS)} instructions on {bits} bits', not wrong, wrong


def run():
    yield from instructions()
    for (name, code), space in itertools.product(TYPES.items(), ('global', 'local')):
        dtype = numpy.dtype(code)
        pairs = numpy.array(list(itertools.product(values(dtype), repeat=2)), dtype)
        chosen = list(operations(name))
        body = ''
        for n, (call, _) in enumerate(chosen):
            call = call.replace('SPACE', space).replace('CELL', 'cell').replace('V', 'b[i]')
            body += f'*cell = a[i]; old[{n * len(pairs)} + i] = {call}; left[{n * len(pairs)} + i] = *cell;\n'
        where = 'cells + i' if space == 'global' else 'here'
        program = cl.Program(context, f'''#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
            #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
            kernel void k(global {name} *a, global {name} *b, global {name} *old, global {name} *left, global {name} *cells) {{
                local {name} here[1]; size_t i = get_global_id(0); volatile {space} {name} *cell = {where};
                {body} }}''').build(['-cl-std=CL3.0'])
        old = numpy.zeros(len(chosen) * len(pairs), dtype)
        left = numpy.zeros_like(old)
        a, b = pairs[:, 0].copy(), pairs[:, 1].copy()
        buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=array)
                   for array in (a, b, old, left, a.copy())]
        cl.Kernel(program, 'k')(queue, a.shape, (1,), *buffers)
        cl.enqueue_copy(queue, old, buffers[2])
        cl.enqueue_copy(queue, left, buffers[3])
        wrong = []
        for n, (call, function) in enumerate(chosen):
            part = slice(n * len(pairs), (n + 1) * len(pairs))
            wanted = numpy.array([function(x, y) for x, y in pairs], dtype)
            if (old[part] != a).any() or (left[part] != wanted).any():
                wrong.append(call)
        # [CLC 6.15.12.7.5 R1]
        yield f'{len(chosen)} functions of {name} in {space} memory', not wrong, wrong


each_engine(run)
