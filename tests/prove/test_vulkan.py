#!/usr/bin/env python3
"""refcl explore --prove on modules of the Vulkan memory model: barriers order the accesses that the model
orders, and specialization constants are unconstrained.  Expected answers follow from the sections of the
model that memmodel/models/vulkan.cat names."""
import os
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import tap
from built import REFCL as refcl
from sweep import answer, disagreements, kernels_of, prove
from tap import check

MODULE = """
OpCapability Shader
OpCapability VulkanMemoryModel
{capabilities}
%reflection = OpExtInstImport "NonSemantic.ClspvReflection.5"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "k" %lids %gids %t %a %b
OpDecorate %lids BuiltIn LocalInvocationId
OpDecorate %gids BuiltIn GlobalInvocationId
OpDecorate %wgsize BuiltIn WorkgroupSize
OpDecorate %x SpecId 0
OpDecorate %y SpecId 1
OpDecorate %z SpecId 2
OpDecorate %n SpecId 3
OpDecorate %run ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding {binding}
%name = OpString "k"
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%v3 = OpTypeVector %uint 3
%pv3 = OpTypePointer Input %v3
%pin = OpTypePointer Input %uint
%x = OpSpecConstant %uint 1
%y = OpSpecConstant %uint 1
%z = OpSpecConstant %uint 1
%n = OpSpecConstant %uint 1
%wgsize = OpSpecConstantComposite %v3 %x %y %z
%array = OpTypeArray %uint %n
%parray = OpTypePointer Workgroup %array
%plocal = OpTypePointer Workgroup %uint
%run = OpTypeRuntimeArray %uint
%block = OpTypeStruct %run
%pblock = OpTypePointer StorageBuffer %block
%pglobal = OpTypePointer StorageBuffer %uint
%void = OpTypeVoid
%fn = OpTypeFunction %void
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c5 = OpConstant %uint 5
%semantics = OpConstant %uint {semantics}
%lids = OpVariable %pv3 Input
%gids = OpVariable %pv3 Input
%t = OpVariable %parray Workgroup
%a = OpVariable %pblock StorageBuffer
%b = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%start = OpLabel
%plid = OpAccessChain %pin %lids %c0
%lid = OpLoad %uint %plid
%pgid = OpAccessChain %pin %gids %c0
%gid = OpLoad %uint %pgid
{body}
OpReturn
OpFunctionEnd
%kernel = OpExtInst %void %reflection Kernel %main %name %c0 %c0 %name
%sizes = OpExtInst %void %reflection SpecConstantWorkgroupSize %c0 %c1 %c2
"""
ORDER, GLOBAL, LOCAL, AVAILABLE, VISIBLE = 0x8, 0x40, 0x100, 0x2000, 0x4000
ALL = ORDER | LOCAL | AVAILABLE | VISIBLE

# Each work-item reads what its neighbor wrote before the barrier.
NEIGHBOR = """
%own = OpAccessChain %plocal %t %lid
OpStore %own %lid {store}
OpControlBarrier %c2 %{scope} %semantics
%next = OpIAdd %uint %lid %c1
%other = OpAccessChain %plocal %t %next
%read = OpLoad %uint %other {load}
"""
# A work-item writes a[index].
WRITE = """
{index}
%place = OpAccessChain %pglobal %a %c0 %index
OpStore %place %gid NonPrivatePointer
"""


def neighbor(semantics=ALL, store="NonPrivatePointer", load="NonPrivatePointer", scope="c2"):
    return {"semantics": semantics, "body": NEIGHBOR.format(store=store, load=load, scope=scope)}


def write(index):
    return {"body": WRITE.format(index=index)}


PROVED, REFUTED = ("proved",), ("refuted",)
CASES = (
    ("non-private accesses, made available and visible by the barrier", "race", neighbor(), PROVED),
    ("made available and visible by themselves", "race",
     neighbor(ORDER | LOCAL, "MakePointerAvailable|NonPrivatePointer %c5", "MakePointerVisible|NonPrivatePointer %c2"), PROVED),
    ("private write", "race", neighbor(store=""), REFUTED),
    ("private read", "race", neighbor(load=""), REFUTED),
    ("not made visible", "race", neighbor(ALL & ~VISIBLE), REFUTED),
    ("not made available", "race", neighbor(ALL & ~AVAILABLE), REFUTED),
    ("made visible to the work-item alone", "race",
     neighbor(ORDER | LOCAL, "MakePointerAvailable|NonPrivatePointer %c2", "MakePointerVisible|NonPrivatePointer %c4"), REFUTED),
    ("another storage class", "race", neighbor(ALL & ~LOCAL | GLOBAL), REFUTED),
    ("no order", "race", neighbor(0), REFUTED),
    ("memory scope of the work-item", "race", neighbor(scope="c4"), REFUTED),
    ("places by global id", "race", write("%index = OpCopyObject %uint %gid"), PROVED),
    ("places by local id", "race", write("%index = OpCopyObject %uint %lid"), REFUTED),
    ("a component of the work-group's size is not its default", "race",
     write("%size = OpCompositeExtract %uint %wgsize 0\n%index = OpUDiv %uint %gid %size"), REFUTED),
    ("neither is its specialization constant", "race", write("%index = OpUDiv %uint %gid %x"), REFUTED),
    ("nor another one", "race", write("%index = OpUDiv %uint %gid %n"), ("refuted", "unknown")),
    ("two variables of one descriptor", "race",
     {"binding": 0, "body": WRITE.format(index="%index = OpCopyObject %uint %gid")
      + "%next = OpIAdd %uint %gid %c1\n%second = OpAccessChain %pglobal %b %c0 %next\nOpStore %second %gid NonPrivatePointer"},
     ("refuted", "unknown")),
    ("an atomic operation and a read", "race",
     {"body": "%place = OpAccessChain %pglobal %a %c0 %lid\n%old = OpAtomicIAdd %uint %place %c5 %c0 %c1\n"
              "%read = OpLoad %uint %place NonPrivatePointer"}, REFUTED),
    ("a barrier of one work-item", "divergence",
     {"body": "%is = OpIEqual %bool %lid %c0\nOpSelectionMerge %end None\nOpBranchConditional %is %then %end\n%then = OpLabel\n"
              "OpControlBarrier %c2 %c2 %semantics\nOpBranch %end\n%end = OpLabel"}, REFUTED),
)


def main():
    if not os.path.exists(refcl):
        tap.skip_all("%s is not built" % refcl)
    with tempfile.TemporaryDirectory() as folder:
        for name, question, parts, answers in CASES:
            path = os.path.join(folder, "k.spvasm")
            with open(path, "w") as f:
                f.write(MODULE.format(**{"capabilities": "", "binding": 1, "semantics": ALL, **parts}))
            result, _ = prove(path)
            check("%s: %s %s" % (name, question, " or ".join(answers)),
                  "error" not in result and answer(result, question) in answers, result)
            found, made = disagreements(next(kernels_of(path)), result, 3)
            check("%s: search agrees" % name, not found and (made == 3 or answers != PROVED), (found, made))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
