#!/usr/bin/python3
"""Modules with debug information in the instructions of OpenCL.DebugInfo.100, by the interpreter, by native
code and in refcl explore [cl_khr_spirv_extended_debug_info]."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from built import PATIENCE, REFCL  # noqa: E402
from engines import each_engine  # noqa: E402
from opencl import cl, context, device, numpy, queue  # noqa: E402

# A kernel, with debug information on it and the surrounding program: types, variables, scopes, inlining,
# macros, semantics.  SPIRV-Tools' validator rejects the typedef and a function's semantics, like others that
# affect no execution.
MODULE = '''OpCapability Addresses
OpCapability Kernel
OpCapability Int64
%std = OpExtInstImport "OpenCL.std"
%d = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%file = OpString "k.cl"
%text = OpString "kernel void k(global int *out) { *out = max(*out, 3); }"
%name = OpString "name"
%linkage = OpString ""
%value = OpString "3"
OpName %t_int "int"
OpName %k "k"
OpName %out "out"
OpDecorateString %k UserSemantic "a function"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%long = OpTypeInt 64 0
%three = OpConstant %int 3
%size = OpConstant %int 32
%none = OpConstantNull %long
%p = OpTypePointer CrossWorkgroup %int
%local = OpTypePointer Function %int
%f = OpTypeFunction %void %p
%no = OpExtInst %void %d DebugInfoNone
%no_expression = OpExtInst %void %d DebugExpression
%deref = OpExtInst %void %d DebugOperation Deref
%plus = OpExtInst %void %d DebugOperation PlusUconst 4
%expression = OpExtInst %void %d DebugExpression %deref %plus
%source = OpExtInst %void %d DebugSource %file %text
%unit = OpExtInst %void %d DebugCompilationUnit 65536 4 %source OpenCL_C
%t_int = OpExtInst %void %d DebugTypeBasic %name %size Signed
%t_pointer = OpExtInst %void %d DebugTypePointer %t_int CrossWorkgroup FlagIsLocal
%t_const = OpExtInst %void %d DebugTypeQualifier %t_int ConstType
%t_array = OpExtInst %void %d DebugTypeArray %t_int %three
%t_vector = OpExtInst %void %d DebugTypeVector %t_int 4
%t_def = OpExtInst %void %d DebugTypedef %name %t_vector %source 1 1 %unit
%t_function = OpExtInst %void %d DebugTypeFunction FlagIsPublic %void %t_pointer
%t_enum = OpExtInst %void %d DebugTypeEnum %name %t_int %source 1 1 %unit %size FlagIsPublic %three %value
%t_struct = OpExtInst %void %d DebugTypeComposite %name Structure %source 1 1 %unit %linkage %size FlagIsPublic %t_member
%t_member = OpExtInst %void %d DebugTypeMember %name %t_int %source 1 1 %t_struct %three %size FlagIsPublic
%t_parent = OpExtInst %void %d DebugTypeInheritance %t_struct %t_struct %three %size FlagIsPublic
%t_to_member = OpExtInst %void %d DebugTypePtrToMember %t_int %t_struct
%variable = OpExtInst %void %d DebugGlobalVariable %name %t_const %source 1 1 %unit %linkage %no FlagIsDefinition
%declaration = OpExtInst %void %d DebugFunctionDeclaration %name %t_function %source 1 1 %unit %linkage FlagIsPublic
%function = OpExtInst %void %d DebugFunction %name %t_function %source 1 1 %unit %linkage FlagIsDefinition 1 %k %declaration
%block = OpExtInst %void %d DebugLexicalBlock %source 1 1 %function
%part = OpExtInst %void %d DebugLexicalBlockDiscriminator %source 7 %block
%inlined = OpExtInst %void %d DebugInlinedAt 1 %block
%inlined_twice = OpExtInst %void %d DebugInlinedAt 1 %block %inlined
%parameter = OpExtInst %void %d DebugLocalVariable %name %t_pointer %source 1 1 %function FlagIsLocal 1
%own = OpExtInst %void %d DebugLocalVariable %name %t_int %source 1 1 %block FlagIsLocal
%inlined_own = OpExtInst %void %d DebugInlinedVariable %own %inlined
%macro = OpExtInst %void %d DebugMacroDef %source 1 %name %value
%no_macro = OpExtInst %void %d DebugMacroUndef %source 1 %macro
%entity = OpExtInst %void %d DebugImportedEntity %name ImportedModule %source %unit 1 1 %unit
%k = OpFunction %void None %f
%out = OpFunctionParameter %p
%l = OpLabel
%in_function = OpExtInst %void %d DebugScope %function
%place = OpVariable %local Function
%of_parameter = OpExtInst %void %d DebugDeclare %parameter %out %no_expression
%of_place = OpExtInst %void %d DebugDeclare %own %place %expression
OpLine %file 1 34
%in_block = OpExtInst %void %d DebugScope %block %inlined
%old = OpLoad %int %out Aligned 4
%of_old = OpExtInst %void %d DebugValue %own %old %no_expression
%new = OpExtInst %int %std s_max %old %three
OpStore %place %new Aligned 4
%outside = OpExtInst %void %d DebugNoScope
%again = OpLoad %int %place Aligned 4
OpNoLine
OpStore %out %again Aligned 4
OpReturn
OpFunctionEnd
'''


def assembled(text, folder):
    path = os.path.join(folder, 'k.spv')
    subprocess.run(['spirv-as', '--target-env', 'spv1.4', '-o', path, '-'], input=text, text=True, check=True)
    with open(path, 'rb') as file:
        return file.read()


def run():
    yield 'the extension is offered', 'cl_khr_spirv_extended_debug_info' in device.extensions.split(), device.extensions
    if not shutil.which('spirv-as'):
        yield 'a module with debug information', None, 'no spirv-as'
        return
    with tempfile.TemporaryDirectory() as folder:
        module = assembled(MODULE, folder)
        other = assembled(MODULE.replace('Kernel %k "k"', 'Kernel %k "other"').replace('%three = OpConstant %int 3',
                                                                                      '%three = OpConstant %int 4'), folder)
        done = subprocess.run([REFCL, 'explore', '--arg', 'buf:1:zero', '--assert', 'exists (out[0] == 4)', os.path.join(folder, 'k.spv')],
                              capture_output=True, text=True, timeout=PATIENCE)
        yield 'a module with debug information, explored', done.returncode == 0, done.stdout + done.stderr
    linked = cl.link_program(context, [cl.Program(context, m).compile() for m in (other, module)])
    for how, program in ('built', cl.Program(context, module).build()), ('linked with another', linked):
        kernel = cl.Kernel(program, 'k')
        for before, after in (1, 3), (5, 5):
            words = numpy.array([before], 'i4')
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=words)
            kernel(queue, (1,), None, buffer)
            cl.enqueue_copy(queue, words, buffer)
            yield f'a module with debug information, {how}: max({before}, 3)', words[0] == after, words


each_engine(run)
