/* Valid modules that no OpenCL C compiler emits, but other producers may.  Four work-items; each stores a
 * number, which is computed by hand here. */
#include "spv.h"

struct unusual {
    const char *what, *declarations, *functions,
        *body; /* the result is %r; %i and %l: the work-item's number */
    uint32_t expected[4];
};

/* clang-format off */
#define INTS "%s32 = OpConstant %u32 4294967291\n%c4 = OpConstant %u32 4\n%c5 = OpConstant %u32 5\n%c7 = OpConstant %u32 7\n" \
             "%c9 = OpConstant %u32 9\n%c10 = OpConstant %u32 10\n%c100 = OpConstant %u32 100\n%true = OpConstantTrue %bool\n"
#define VEC  "%v2 = OpTypeVector %u32 2\n%v4 = OpTypeVector %u32 4\n%vb2 = OpTypeVector %bool 2\n"
#define PTR  "%pf = OpTypePointer Function %u32\n"
#define FN1  "%fn1 = OpTypeFunction %u32 %u32\n"
#define ALL(x) {x, x, x, x}

static const struct unusual cases[] = {
    /* ---- control flow */
    {"OpSwitch of 64 bits", INTS, "",
     "%big = OpShiftLeftLogical %u64 %l %l32\nOpSelectionMerge %m None\nOpSwitch %big %d 4294967296 %a 8589934592 %b\n"
     "%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n"
     "%m = OpLabel\n%r = OpPhi %u32 %c1 %a %c2 %b %c9 %d\n", {9, 1, 2, 9}},
    {"OpSwitch of 8 bits, negative", INTS, "",
     "%n = OpSNegate %u32 %i\n%x = OpUConvert %u8 %n\nOpSelectionMerge %m None\nOpSwitch %x %d 255 %a 253 %b\n"
     "%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n"
     "%m = OpLabel\n%r = OpPhi %u32 %c1 %a %c2 %b %c9 %d\n", {9, 1, 9, 2}},
    {"OpSwitch with nothing but a default", INTS, "",
     "OpSelectionMerge %m None\nOpSwitch %i %m\n%m = OpLabel\n%r = OpIAdd %u32 %i %c7\n", {7, 8, 9, 10}},
    {"OpSwitch whose cases share a target, some the default", INTS, "",
     "OpSelectionMerge %m None\nOpSwitch %i %d 0 %a 1 %d 2 %a\n%a = OpLabel\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n"
     "%m = OpLabel\n%r = OpPhi %u32 %c5 %a %c4 %d\n", {5, 4, 5, 4}},
    {"a phi with eight predecessors", INTS, "",
     "OpSelectionMerge %m None\nOpSwitch %i %d 0 %b0 1 %b1 2 %b2 3 %b3 4 %b4 5 %b5 6 %b6\n"
     "%b0 = OpLabel\nOpBranch %m\n%b1 = OpLabel\nOpBranch %m\n%b2 = OpLabel\nOpBranch %m\n%b3 = OpLabel\nOpBranch %m\n"
     "%b4 = OpLabel\nOpBranch %m\n%b5 = OpLabel\nOpBranch %m\n%b6 = OpLabel\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n"
     "%m = OpLabel\n%r = OpPhi %u32 %c10 %b0 %c5 %b1 %c2 %b2 %c100 %b3 %c3 %b4 %c3 %b5 %c3 %b6 %c9 %d\n", {10, 5, 2, 100}},
    {"phis that rotate three values", INTS, "",
     "OpBranch %loop\n%loop = OpLabel\n%a = OpPhi %u32 %c1 %entry %b %loop\n%b = OpPhi %u32 %c2 %entry %c %loop\n"
     "%c = OpPhi %u32 %c3 %entry %a %loop\n%n = OpPhi %u32 %c0 %entry %n1 %loop\n%n1 = OpIAdd %u32 %n %c1\n"
     "%go = OpULessThan %bool %n %i\nOpLoopMerge %out2 %loop None\nOpBranchConditional %go %loop %out2\n"
     "%out2 = OpLabel\n%x = OpIMul %u32 %a %c100\n%y = OpIMul %u32 %b %c10\n%z = OpIAdd %u32 %x %y\n"
     "%r = OpIAdd %u32 %z %c\n", {123, 231, 312, 123}},
    {"phis of vectors and of pointers", INTS VEC PTR "%va = OpConstantComposite %v2 %c1 %c2\n%vc = OpConstantComposite %v2 %c3 %c4\n", "",
     "%low = OpULessThan %bool %i %c2\n%p1 = OpAccessChain %pf %v1 %c1\n%p2 = OpAccessChain %pf %v1 %c0\n"
     "OpStore %p1 %c5 Aligned 4\nOpStore %p2 %c7 Aligned 4\nOpSelectionMerge %m None\nOpBranchConditional %low %a %b\n"
     "%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\n%v = OpPhi %v2 %va %a %vc %b\n"
     "%p = OpPhi %pf %p1 %a %p2 %b\n%x = OpCompositeExtract %u32 %v 1\n%y = OpLoad %u32 %p Aligned 4\n"
     "%z = OpIMul %u32 %y %c10\n%r = OpIAdd %u32 %x %z\n", {52, 52, 74, 74}},
    {"a loop with two entries", INTS, "",
     "%odd = OpBitwiseAnd %u32 %i %c1\n%is = OpINotEqual %bool %odd %c0\nOpBranchConditional %is %one %two\n"
     "%one = OpLabel\n%a = OpPhi %u32 %c0 %entry %b1 %two\n%a1 = OpIAdd %u32 %a %c1\n%go = OpULessThan %bool %a1 %c10\n"
     "OpBranchConditional %go %two %out2\n%two = OpLabel\n%b = OpPhi %u32 %c0 %entry %a1 %one\n"
     "%b1 = OpIAdd %u32 %b %c4\nOpBranch %one\n%out2 = OpLabel\n%r = OpCopyObject %u32 %a1\n", {10, 11, 10, 11}},
    {"a branch with one target", INTS, "",
     "%is = OpIEqual %bool %i %c2\nOpSelectionMerge %m None\nOpBranchConditional %is %m %m\n%m = OpLabel\n"
     "%r = OpIAdd %u32 %i %i\n", {0, 2, 4, 6}},
    {"a loop that leaves from its middle, by two ways", INTS, "",
     "OpBranch %head\n%head = OpLabel\n%n = OpPhi %u32 %c0 %entry %n1 %tail\nOpLoopMerge %after %tail None\nOpBranch %test\n"
     "%test = OpLabel\n%e = OpIEqual %bool %n %i\nOpBranchConditional %e %after %more\n%more = OpLabel\n"
     "%two = OpUGreaterThanEqual %bool %n %c2\nOpBranchConditional %two %after %tail\n%tail = OpLabel\n"
     "%n1 = OpIAdd %u32 %n %c1\nOpBranch %head\n%after = OpLabel\n%x = OpPhi %u32 %c10 %test %c100 %more\n"
     "%r = OpIAdd %u32 %x %n\n", {10, 11, 12, 102}},
    {"a block that nothing reaches", INTS, "",
     "OpBranch %m\n%dead = OpLabel\n%u = OpIAdd %u32 %i %c1\nOpBranch %m\n%m = OpLabel\n%r = OpPhi %u32 %c7 %entry %u %dead\n",
     ALL(7)},
    /* ---- functions */
    {"a function defined after its use, with several returns", INTS FN1, "",
     "%x = OpFunctionCall %u32 %f %i\n%r = OpIAdd %u32 %x %c1\nOpStore %cell %r Aligned 4\nOpReturn\nOpFunctionEnd\n"
     "%f = OpFunction %u32 None %fn1\n%a = OpFunctionParameter %u32\n%fe = OpLabel\n%is = OpIEqual %bool %a %c2\n"
     "OpSelectionMerge %no None\nOpBranchConditional %is %yes %no\n%yes = OpLabel\nOpReturnValue %c100\n%no = OpLabel\n"
     "OpReturnValue %a\nOpFunctionEnd\n", {1, 2, 101, 4}},
    {"structures as parameters and results",
     INTS VEC "%st = OpTypeStruct %u32 %v2\n%fst = OpTypeFunction %st %st %u32\n%z = OpConstantNull %st\n",
     "%f = OpFunction %st None %fst\n%a = OpFunctionParameter %st\n%b = OpFunctionParameter %u32\n%fe = OpLabel\n"
     "%f1 = OpCompositeInsert %st %b %a 1 1\n%f2 = OpCompositeInsert %st %c5 %f1 0\nOpReturnValue %f2\nOpFunctionEnd\n",
     "%s = OpFunctionCall %st %f %z %i\n%x = OpCompositeExtract %u32 %s 1 1\n%y = OpCompositeExtract %u32 %s 0\n"
     "%r = OpIAdd %u32 %x %y\n", {5, 6, 7, 8}},
    {"a function that is never called, and an exported one", INTS FN1, 
     "%g = OpFunction %u32 None %fn1\n%a = OpFunctionParameter %u32\n%fe = OpLabel\nOpUnreachable\nOpFunctionEnd\n",
     "%r = OpIAdd %u32 %i %c4\n", {4, 5, 6, 7}},
    /* ---- constants */
    {"constants of constants of constants",
     INTS VEC "%c2u = OpConstant %u32 2\n%st = OpTypeStruct %v2 %u32\n%arr = OpTypeArray %st %c2u\n%outer = OpTypeStruct %u8 %arr\n"
     "%b1 = OpConstant %u8 200\n%va = OpConstantComposite %v2 %c1 %c2\n%vc = OpConstantComposite %v2 %c3 %c4\n"
     "%s1 = OpConstantComposite %st %va %c5\n%s2 = OpConstantComposite %st %vc %c7\n%a1 = OpConstantComposite %arr %s1 %s2\n"
     "%o1 = OpConstantComposite %outer %b1 %a1\n", "",
     "%x = OpCompositeExtract %u32 %o1 1 1 0 1\n%y = OpCompositeExtract %u32 %o1 1 0 1\n%z = OpCompositeExtract %u8 %o1 0\n"
     "%w = OpUConvert %u32 %z\n%t = OpIAdd %u32 %x %y\n%r = OpIAdd %u32 %t %w\n", ALL(209)},
    {"OpConstantNull of a nested type", INTS VEC "%c3u = OpConstant %u32 3\n%arr = OpTypeArray %v2 %c3u\n%st = OpTypeStruct %arr %u64\n%z = OpConstantNull %st\n", "",
     "%x = OpCompositeExtract %u32 %z 0 2 1\n%r = OpIAdd %u32 %x %i\n", {0, 1, 2, 3}},
    {"constants of 8 and 16 bits, negative", INTS "%m1 = OpConstant %u8 255\n%m2 = OpConstant %u16 65534\n", "",
     "%x = OpSConvert %u32 %m1\n%y = OpUConvert %u32 %m2\n%r = OpIAdd %u32 %x %y\n", ALL(65533)},
    {"OpSpecConstantOp: integers",
     INTS "%sa = OpSpecConstant %u32 100\n%sb = OpSpecConstantOp %u32 UDiv %sa %c7\n%sc = OpSpecConstantOp %u32 UMod %sa %c7\n"
     "%sd = OpSpecConstantOp %u32 SDiv %s32 %c2\n%se = OpSpecConstantOp %u32 SRem %s32 %c3\n%sf = OpSpecConstantOp %u32 SMod %s32 %c3\n"
     "%sg = OpSpecConstantOp %u32 IMul %sb %sc\n%sh = OpSpecConstantOp %u32 ISub %sg %sd\n%si = OpSpecConstantOp %u32 IAdd %se %sf\n"
     "%sj = OpSpecConstantOp %u32 IAdd %sh %si\n", "",
     "%r = OpIAdd %u32 %sj %i\n", {29, 30, 31, 32}}, /* 14 * 2 + 2 - 2 + 1 */
    {"OpSpecConstantOp: bits",
     INTS "%sa = OpSpecConstant %u32 12\n%sb = OpSpecConstantOp %u32 ShiftLeftLogical %sa %c4\n"
     "%sc = OpSpecConstantOp %u32 ShiftRightLogical %s32 %c4\n%sd = OpSpecConstantOp %u32 ShiftRightArithmetic %s32 %c1\n"
     "%se = OpSpecConstantOp %u32 BitwiseXor %sb %c5\n%sf = OpSpecConstantOp %u32 BitwiseAnd %sc %c100\n"
     "%sg = OpSpecConstantOp %u32 BitwiseOr %se %sf\n%sh = OpSpecConstantOp %u32 Not %sd\n%si = OpSpecConstantOp %u32 SNegate %sh\n"
     "%sj = OpSpecConstantOp %u32 IAdd %sg %si\n", "",
     "%r = OpIAdd %u32 %sj %i\n", {227, 228, 229, 230}}, /* (192 ^ 5 | 0x0fffffff & 100) - 2 */
    {"OpSpecConstantOp: comparisons and selection",
     INTS "%sa = OpSpecConstant %u32 12\n%lt = OpSpecConstantOp %bool ULessThan %sa %c100\n%slt = OpSpecConstantOp %bool SLessThan %s32 %sa\n"
     "%eq = OpSpecConstantOp %bool IEqual %sa %c9\n%both = OpSpecConstantOp %bool LogicalAnd %lt %slt\n"
     "%nor = OpSpecConstantOp %bool LogicalNot %eq\n%x3 = OpSpecConstantOp %bool LogicalEqual %both %nor\n"
     "%sel = OpSpecConstantOp %u32 Select %x3 %c7 %c9\n", "",
     "%r = OpIAdd %u32 %sel %i\n", {7, 8, 9, 10}},
    {"OpSpecConstantOp: widths and vectors",
     INTS VEC "%sa = OpSpecConstant %u32 250\n%s8 = OpSpecConstantOp %u8 UConvert %sa\n%s64 = OpSpecConstantOp %u64 SConvert %s8\n"
     "%s16 = OpSpecConstantOp %u16 UConvert %s64\n%back = OpSpecConstantOp %u32 UConvert %s16\n"
     "%va = OpSpecConstantComposite %v2 %sa %c5\n%vi = OpSpecConstantOp %v2 CompositeInsert %back %va 1\n"
     "%vs = OpSpecConstantOp %v4 VectorShuffle %va %vi 3 1 0 2\n%x0 = OpSpecConstantOp %u32 CompositeExtract %vs 0\n"
     "%x1 = OpSpecConstantOp %u32 CompositeExtract %vs 1\n%sum = OpSpecConstantOp %u32 IAdd %x0 %x1\n", "",
     "%r = OpIAdd %u32 %sum %i\n", {65535, 65536, 65537, 65538}}, /* 0xfffa + 5 */
    {"OpSpecConstantOp: floats, of the kernel capability",
     INTS "%fa = OpSpecConstant %f32 2.5\n%fb = OpSpecConstantOp %f32 FAdd %fa %fa\n%fc = OpSpecConstantOp %f32 FMul %fb %fa\n"
     "%fd = OpSpecConstantOp %f64 FConvert %fc\n%fe = OpSpecConstantOp %u32 ConvertFToU %fc\n%ff = OpSpecConstantOp %u32 Bitcast %fa\n"
     "%fg = OpSpecConstantOp %u32 ShiftRightLogical %ff %c10\n", "",
     "%x = OpConvertFToS %u32 %fd\n%y = OpIAdd %u32 %x %fe\n%r = OpIAdd %u32 %y %fg\n", ALL(24 + (0x40200000 >> 10))},
    {"a specialization constant as an array's length",
     INTS "%n = OpSpecConstant %u32 6\n%twice = OpSpecConstantOp %u32 IMul %n %c2\n%arr = OpTypeArray %u32 %twice\n"
     "%pa = OpTypePointer Function %arr\n" PTR, "",
     "%p = OpAccessChain %pf %v3 %c10\nOpStore %p %i Aligned 4\n%x = OpLoad %u32 %p Aligned 4\n%r = OpIAdd %u32 %x %twice\n",
     {12, 13, 14, 15}},
    /* ---- variables and memory */
    {"variables of a function, with initializers", INTS PTR
     "%c3u = OpConstant %u32 3\n%arr = OpTypeArray %u32 %c3u\n%pa = OpTypePointer Function %arr\n%init = OpConstantComposite %arr %c5 %c7 %c9\n", "",
     "%k3 = OpUMod %u32 %i %c3\n%p = OpAccessChain %pf %v2i %k3\n%x = OpLoad %u32 %p Aligned 4\n%y = OpLoad %u32 %v1i Aligned 4\n"
     "%r = OpIAdd %u32 %x %y\n", {105, 107, 109, 105}},
    {"module variables that point to each other",
     INTS "%one = OpVariable %pu32 CrossWorkgroup %c7\n%ppu = OpTypePointer CrossWorkgroup %pu32\n%two = OpVariable %ppu CrossWorkgroup %one\n", "",
     "%p = OpLoad %pu32 %two Aligned 8\n%x = OpLoad %u32 %p Aligned 4\n%r = OpIAdd %u32 %x %i\n", {7, 8, 9, 10}},
    {"a structure with a pointer to itself",
     "OpTypeForwardPointer %pnode CrossWorkgroup\n%node = OpTypeStruct %u32 %pnode\n%pnode = OpTypePointer CrossWorkgroup %node\n" INTS
     "%null = OpConstantNull %pnode\n%i1 = OpConstantComposite %node %c5 %null\n%n1 = OpVariable %pnode CrossWorkgroup %i1\n"
     "%i2 = OpConstantComposite %node %c9 %null\n%n2 = OpVariable %pnode CrossWorkgroup %i2\n%ppn = OpTypePointer CrossWorkgroup %pnode\n", "",
     "%pp = OpAccessChain %ppn %n2 %c1\nOpStore %pp %n1 Aligned 8\n%p = OpLoad %pnode %pp Aligned 8\n%px = OpAccessChain %pu32 %p %c0\n"
     "%x = OpLoad %u32 %px Aligned 4\n%r = OpIAdd %u32 %x %i\n", {5, 6, 7, 8}},
    {"OpCopyMemorySized, of a size that is computed", INTS PTR
     "%c3u = OpConstant %u32 3\n%arr = OpTypeArray %u32 %c3u\n%pa = OpTypePointer Function %arr\n%init = OpConstantComposite %arr %c5 %c7 %c9\n"
     "%pb = OpTypePointer Function %u8\n%l4 = OpConstant %u64 4\n", "",
     "%from = OpBitcast %pb %v2i\n%to = OpBitcast %pb %v2j\n%m = OpUMod %u64 %l %l3\n%m1 = OpIAdd %u64 %m %l1\n%n = OpIMul %u64 %m1 %l4\n"
     "OpStore %v2j %zero Aligned 4\nOpCopyMemorySized %to %from %n Aligned 4\n%p0 = OpAccessChain %pf %v2j %c1\n"
     "%p1 = OpAccessChain %pf %v2j %c2\n%x = OpLoad %u32 %p0 Aligned 4\n%y = OpLoad %u32 %p1 Aligned 4\n%r = OpIAdd %u32 %x %y\n",
     {0, 7, 16, 0}},
    {"an array of a megabyte in each work-item", INTS PTR
     "%many = OpConstant %u32 262144\n%big = OpTypeArray %u32 %many\n%pa = OpTypePointer Function %big\n%last = OpConstant %u32 262143\n", "",
     "%at = OpISub %u32 %last %i\n%p = OpAccessChain %pf %v3 %at\nOpStore %p %i Aligned 4\n%x = OpLoad %u32 %p Aligned 4\n"
     "%r = OpIAdd %u32 %x %c1\n", {1, 2, 3, 4}},
    {"indices that are negative, and of 8 and 16 bits", INTS VEC PTR "%pv = OpTypePointer Function %v4\n%m1 = OpConstant %u8 255\n%two16 = OpConstant %u16 2\n"
     "%init4 = OpConstantComposite %v4 %c5 %c7 %c9 %c10\n", "",
     "%p2 = OpAccessChain %pf %v4i %two16\n%p1 = OpPtrAccessChain %pf %p2 %m1\n%x = OpLoad %u32 %p1 Aligned 4\n"
     "%y = OpLoad %u32 %p2 Aligned 4\n%z = OpIMul %u32 %x %c10\n%r = OpIAdd %u32 %y %z\n", ALL(79)},
    {"pointers as numbers and back", INTS PTR, "",
     "OpStore %v0 %i Aligned 4\n%n = OpConvertPtrToU %u64 %v0\n%m = OpBitwiseOr %u64 %n %l0\n%p = OpConvertUToPtr %pf %m\n"
     "%x = OpLoad %u32 %p Aligned 4\nOpStore %p %c9 Aligned 4\n%y = OpLoad %u32 %v0 Aligned 4\n%r = OpIAdd %u32 %x %y\n",
     {9, 10, 11, 12}},
    {"an atomic operation on private memory", INTS PTR, "",
     "OpStore %v0 %i Aligned 4\n%x = OpAtomicIAdd %u32 %v0 %c1 %c0 %c5\n%y = OpLoad %u32 %v0 Aligned 4\n%z = OpIMul %u32 %x %c10\n"
     "%r = OpIAdd %u32 %y %z\n", {5, 16, 27, 38}},
    /* ---- values */
    {"OpUndef whose every part is replaced", INTS VEC, "",
     "%u = OpUndef %v2\n%a = OpCompositeInsert %v2 %i %u 0\n%b = OpCompositeInsert %v2 %c7 %a 1\n%x = OpCompositeExtract %u32 %b 0\n"
     "%y = OpCompositeExtract %u32 %b 1\n%r = OpIAdd %u32 %x %y\n", {7, 8, 9, 10}},
    {"a shuffle with unused components", INTS VEC "%va = OpConstantComposite %v2 %c1 %c2\n", "",
     "%s = OpVectorShuffle %v4 %va %va 4294967295 1 4294967295 2\n%x = OpCompositeExtract %u32 %s 1\n%y = OpCompositeExtract %u32 %s 3\n"
     "%r = OpIAdd %u32 %x %y\n", ALL(3)},
    {"a vector made of vectors", INTS VEC, "",
     "%a = OpCompositeConstruct %v2 %i %c5\n%b = OpCompositeConstruct %v4 %a %a\n%x = OpCompositeExtract %u32 %b 2\n"
     "%y = OpCompositeExtract %u32 %b 3\n%r = OpIAdd %u32 %x %y\n", {5, 6, 7, 8}},
    {"selection of vectors by vectors of conditions", INTS VEC "%va = OpConstantComposite %v2 %c1 %c2\n%vc = OpConstantComposite %v2 %c100 %c10\n", "",
     "%b0 = OpULessThan %bool %i %c2\n%b1 = OpLogicalNot %bool %b0\n%bs = OpCompositeConstruct %vb2 %b0 %b1\n"
     "%s = OpSelect %v2 %bs %va %vc\n%x = OpCompositeExtract %u32 %s 0\n%y = OpCompositeExtract %u32 %s 1\n"
     "%r = OpIAdd %u32 %x %y\n", {11, 11, 102, 102}},
    {"selection between pointers", INTS PTR, "",
     "OpStore %v0 %c5 Aligned 4\nOpStore %v1i %c9 Aligned 4\n%is = OpIEqual %bool %i %c2\n%p = OpSelect %pf %is %v0 %v1i\n"
     "%r = OpLoad %u32 %p Aligned 4\n", {9, 9, 5, 9}},
    {"a number as a vector and back", INTS VEC, "",
     "%a = OpBitcast %v2 %l\n%x = OpCompositeExtract %u32 %a 0\n%b = OpCompositeInsert %v2 %c1 %a 1\n%n = OpBitcast %u64 %b\n"
     "%h = OpShiftRightLogical %u64 %n %l32\n%y = OpUConvert %u32 %h\n%z = OpIMul %u32 %y %c10\n%r = OpIAdd %u32 %x %z\n",
     {10, 11, 12, 13}},
    {"arrays that are values", INTS "%c2u = OpConstant %u32 2\n%arr = OpTypeArray %u32 %c2u\n%nest = OpTypeArray %arr %c2u\n", "",
     "%a = OpCompositeConstruct %arr %i %c5\n%b = OpCompositeConstruct %nest %a %a\n%c = OpCompositeInsert %nest %c100 %b 1 0\n"
     "%d = OpCopyObject %nest %c\n%x = OpCompositeExtract %u32 %d 0 0\n%y = OpCompositeExtract %u32 %d 1 0\n"
     "%r = OpIAdd %u32 %x %y\n", {100, 101, 102, 103}},
    {"instructions that mean nothing", INTS, "",
     "OpNop\nOpLine %file 3 4\nOpNoLine\nOpNop\n%r = OpCopyObject %u32 %i\nOpNop\n", {0, 1, 2, 3}},
};

/* clang-format on */

static void append(char *text, size_t size, const char *part)
{
    assert_true(strlen(text) + strlen(part) < size);
    strcat(text, part);
}

/* Variables at the start of a function: those that the case uses. */
static void add_variables(const struct unusual *c, char *text, size_t size)
{
    static const char *const variables[][2] = {{"%v0 ", "%v0 = OpVariable %pf Function\n"},
                                               {"%v1 ", "%v1 = OpVariable %pv2 Function\n"},
                                               {"%v3 ", "%v3 = OpVariable %pa Function\n"},
                                               {"%v1i", "%v1i = OpVariable %pf Function %c100\n"},
                                               {"%v2i", "%v2i = OpVariable %pa Function %init\n"},
                                               {"%v2j", "%v2j = OpVariable %pa Function\n"},
                                               {"%v4i", "%v4i = OpVariable %pv Function %init4\n"}};
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        if (strstr(c->body, variables[k][0]) != NULL)
            append(text, size, variables[k][1]);
}

static void build(const struct unusual *c, char *text, size_t size)
{
    *text = 0;
    append(text, size, SPV_HEAD SPV_ENTRY "%file = OpString \"a.cl\"\n" SPV_BUILTINS SPV_TYPES);
    append(text, size, "%l3 = OpConstant %u64 3\n%l32 = OpConstant %u64 32\n");
    append(text, size, c->declarations);
    if (strstr(c->body, "%v1 ") != NULL)
        append(text, size, "%pv2 = OpTypePointer Function %v2\n");
    if (strstr(c->body, "%zero") != NULL)
        append(text, size, "%zero = OpConstantNull %arr\n");
    append(text, size, c->functions);
    append(text, size, "%k = OpFunction %void None %kfn\n%o = OpFunctionParameter %pu32\n%entry = OpLabel\n");
    add_variables(c, text, size);
    append(text, size,
           "%g3 = OpLoad %v3u64 %gid Aligned 32\n%l = OpCompositeExtract %u64 %g3 0\n"
           "%i = OpUConvert %u32 %l\n%cell = OpInBoundsPtrAccessChain %pu32 %o %i\n");
    append(text, size, c->body);
    if (strstr(c->body, "OpReturn\n") == NULL)
        append(text, size, "OpStore %cell %r Aligned 4\nOpReturn\nOpFunctionEnd\n");
}

static void run_all(bool unchecked)
{
    static char text[1 << 16];
    spv_unchecked = unchecked;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct unusual *c = &cases[k];
        uint32_t cells[4] = {0};
        struct spv_run out;
        struct in_object o = spv_buffer(cells, sizeof cells, 1);
        struct in_launch launch = {.global_size = {4}, .local_size = {4}};
        build(c, text, sizeof text);
        if (spv_execute(text, &launch, &o, 1, &out) != MM_OK)
            fail_msg("%s: %s %s", c->what, out.message, out.err.message);
        for (int i = 0; i < 4; i++)
            if (cells[i] != c->expected[i])
                fail_msg("%s: work-item %d has %u, not %u", c->what, i, cells[i], c->expected[i]);
    }
}

static void test_unusual(void **state)
{
    (void)state;
    run_all(false);
    run_all(true);
}

/* Features that OpenCL lacks, or sizes that no machine supports: an error that says so, at the latest when
 * the kernel is lowered. */
static void test_refused(void **state)
{
    static const struct {
        struct unusual module;
        enum mm_class result;
        const char *says;
    } refused[] = {
        {{"a function that calls itself", INTS FN1,
          "%f = OpFunction %u32 None %fn1\n%a = OpFunctionParameter %u32\n%fe = OpLabel\n"
          "%b = OpFunctionCall %u32 %f %a\nOpReturnValue %b\nOpFunctionEnd\n",
          "%r = OpFunctionCall %u32 %f %i\n", ALL(0)},
         MM_INVALID,
         "recursi"},
        {{"functions that call each other", INTS FN1,
          "%f = OpFunction %u32 None %fn1\n%a = OpFunctionParameter %u32\n%fe = OpLabel\n"
          "%b = OpFunctionCall %u32 %g %a\nOpReturnValue %b\nOpFunctionEnd\n"
          "%g = OpFunction %u32 None %fn1\n%c = OpFunctionParameter %u32\n%ge = OpLabel\n"
          "%d = OpFunctionCall %u32 %f %c\nOpReturnValue %d\nOpFunctionEnd\n",
          "%r = OpFunctionCall %u32 %f %i\n", ALL(0)},
         MM_INVALID,
         "recursi"},
        {{"more private memory than there is",
          INTS PTR "%many = OpConstant %u32 1073741824\n%big = OpTypeArray %u32 %many\n"
                   "%pa = OpTypePointer Function %big\n",
          "", "%p = OpAccessChain %pf %v3 %i\n%r = OpLoad %u32 %p Aligned 4\n", ALL(0)},
         MM_LIMIT,
         "bytes"},
        {{"a constant of a gigabyte",
          INTS PTR "%many = OpConstant %u32 268435456\n%big = OpTypeArray %u32 %many\n"
                   "%pa = OpTypePointer Function %big\n%init = OpConstantNull %big\n",
          "", "%p = OpAccessChain %pf %v2i %i\n%r = OpLoad %u32 %p Aligned 4\n", ALL(0)},
         MM_LIMIT,
         "bytes"},
        {{"an address among numbers",
          INTS "%v = OpVariable %pu32 CrossWorkgroup %c7\n%two = OpTypeArray %u32 %c2\n"
               "%init = OpConstantComposite %two %c5 %v\n",
          "", "%r = OpCopyObject %u32 %i\n", ALL(0)},
         MM_INVALID,
         "constituent"},
        {{"a product of an address",
          INTS "%v = OpVariable %pu32 CrossWorkgroup %c7\n%at = OpSpecConstantOp %u64 ConvertPtrToU %v\n"
               "%twice = OpSpecConstantOp %u64 IMul %at %at\n",
          "", "%r = OpCopyObject %u32 %i\n", ALL(0)},
         MM_INVALID,
         "IMul of an address"},
        {{"an instruction of shaders", INTS "%fz = OpConstant %f32 1\n", "",
          "%x = OpDPdx %f32 %fz\n%r = OpCopyObject %u32 %i\n", ALL(0)},
         MM_INVALID,
         ""},
        {{"an operand that is a label", INTS, "", "%r = OpIAdd %u32 %i %entry\n", ALL(0)}, MM_INVALID, ""},
        {{"a case that is no block", INTS, "",
          "OpSelectionMerge %m None\nOpSwitch %i %m 1 %c5\n%m = OpLabel\n%r = OpCopyObject %u32 %i\n",
          ALL(0)},
         MM_INVALID,
         ""},
    };
    static char text[1 << 16];
    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct in_module *module = NULL;
        struct mm_error err = {.message = ""};
        build(&refused[k].module, text, sizeof text);
        enum mm_class result = spv_load(text, &module, &err);
        if (result != refused[k].result || strstr(err.message, refused[k].says) == NULL)
            fail_msg("%s: %d %s", refused[k].module.what, result, err.message);
        print_message("# %s: %s [%s]\n", refused[k].module.what, err.message, err.rule);
    }
}

/* Execution modes that change results and are not supported; initializers with arguments, which no launch
 * passes. */
static void test_refused_modes(void **state)
{
    static const struct {
        const char *capability, *mode, *says;
    } refused[] = {
        {"OpCapability RoundingModeRTZ\n", "OpExecutionMode %k RoundingModeRTZ 32\n", "toward zero"},
        {"OpCapability DenormFlushToZero\n", "OpExecutionMode %k DenormFlushToZero 64\n", "flushed"},
        {"", "OpExecutionMode %k Initializer\n", "has parameters"},
        {"", "OpExecutionMode %k Finalizer\n", "has parameters"},
    };
    (void)state;
    spv_version = SPV_ENV_UNIVERSAL_1_4;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        char text[1 << 13];
        struct in_module *module = NULL;
        struct mm_error err = {.message = ""};
        snprintf(text, sizeof text, "%s%s%s%s", refused[k].capability, SPV_HEAD SPV_ENTRY, refused[k].mode,
                 SPV_BUILTINS SPV_TYPES
                 "%k = OpFunction %void None %kfn\n%o = OpFunctionParameter %pu32\n%entry = OpLabel\n"
                 "OpReturn\nOpFunctionEnd\n");
        assert_int_equal(spv_load(text, &module, &err), MM_INVALID);
        assert_non_null(strstr(err.message, refused[k].says));
        assert_string_equal(err.rule, "SPIRV 3.6");
    }
    spv_version = SPV_ENV_UNIVERSAL_1_3;
}

/* Names of a source language, for any id; they have no effect. */
static void test_user_semantics(void **state)
{
    (void)state;
    static const char text[] = SPV_HEAD SPV_ENTRY
        "OpDecorateString %k UserSemantic \"main\"\nOpDecorateString %r UserSemantic \"sum\"\n"
        "OpMemberDecorateString %pair 1 UserSemantic \"second\"\n" SPV_BUILTINS SPV_TYPES
        "%pair = OpTypeStruct %u32 %u32\n"
        "%k = OpFunction %void None %kfn\n%o = OpFunctionParameter %pu32\n%entry = OpLabel\n"
        "%r = OpIAdd %u32 %c1 %c2\nOpStore %o %r Aligned 4\nOpReturn\nOpFunctionEnd\n";
    uint32_t cell = 0;
    struct spv_run out;
    struct in_object o = spv_buffer(&cell, sizeof cell, 1);
    struct in_launch launch = {.global_size = {1}, .local_size = {1}};
    spv_target_env before = spv_version;
    spv_version = SPV_ENV_UNIVERSAL_1_4;
    enum mm_class class = spv_execute(text, &launch, &o, 1, &out);
    spv_version = before;
    if (class != MM_OK)
        fail_msg("%s %s", out.message, out.err.message);
    assert_int_equal(cell, 3);
}

/* No work-items at all; and a work-group of none. */
static void test_empty(void **state)
{
    static char text[1 << 16];
    uint32_t cells[4] = {0};
    struct in_module *module = NULL;
    struct in_instance *instance = NULL;
    struct in_run *run = NULL;
    struct mm_error err;
    struct in_object o = spv_buffer(cells, sizeof cells, 1);
    struct in_argument argument = {.address = o.address, .object = &o};
    struct in_environment environment = {.context = NULL};
    bool done = false;
    (void)state;
    build(&cases[0], text, sizeof text);
    assert_int_equal(spv_load(text, &module, &err), MM_OK);
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &err), MM_OK);
    struct in_launch launch = {.instance = instance,
                               .arguments = &argument,
                               .dimensions = 1,
                               .global_size = {0},
                               .local_size = {4},
                               .sub_group_size = 4};
    assert_int_equal(in_run_create(&launch, &run, &err), MM_OK);
    assert_int_equal(in_run_step(run, 0, &done, &err), MM_OK);
    assert_true(done && cells[0] == 0);
    in_run_destroy(run);
    launch.local_size[0] = 0;
    assert_int_equal(in_run_create(&launch, &run, &err), MM_INVALID);
    in_instance_destroy(instance);
    in_module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unusual), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_refused_modes),
                                       cmocka_unit_test(test_user_semantics), cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
