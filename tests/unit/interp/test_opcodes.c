/* One small kernel for each opcode that no other test of the folder covers: four work-items, one sub-group;
 * each stores a number, which is computed by hand here. */
#include "spv.h"

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* rows end where they say enough */

struct opcode_case {
    const char *declarations, *body; /* %i32: 0 .. 3; the result is %r */
    char kind;                       /* of %r: u32, bool, float, long */
    double expected[4];
    const char *capabilities;
    spv_target_env version;
};

#define V1_4     SPV_ENV_UNIVERSAL_1_4
#define FLOAT(x) x

#define VECTORS                                                                                              \
    "%v2 = OpTypeVector %u32 2\n%v4 = OpTypeVector %u32 4\n%vb = OpTypeVector %bool 4\n"                     \
    "%v4f = OpTypeVector %f32 4\n%c10 = OpConstant %u32 10\n%c20 = OpConstant %u32 20\n"                     \
    "%c30 = OpConstant %u32 30\n%k4 = OpConstantComposite %v4 %c0 %c10 %c20 %c30\n"
#define FLOATS                                                                                               \
    "%f2_5 = OpConstant %f32 2.5\n%fm2_5 = OpConstant %f32 -2.5\n%f1 = OpConstant %f32 1\n"                  \
    "%f2 = OpConstant %f32 2\n%f3 = OpConstant %f32 3\n"
#define NU   "OpCapability GroupNonUniform\n"
#define WG   "%wg = OpConstant %u32 2\n"
#define SG   "%sg = OpConstant %u32 3\n"
#define PAIR "%pair = OpTypeStruct %u32 %u32\n%big = OpConstant %u32 4294967295\n"
#define POINTERS                                                                                             \
    "%pf = OpTypePointer Function %u32\n%pg = OpTypePointer Generic %u32\n%pw = OpTypePointer Workgroup "    \
    "%u32\n"                                                                                                 \
    "%wv = OpVariable %pw Workgroup\n"
#define ATOM                                                                                                 \
    POINTERS "%one = OpConstant %u32 1\n%dev = OpConstant %u32 1\n%c5 = OpConstant %u32 5\n%c6 = "           \
             "OpConstant %u32 6\n"                                                                           \
             "%minus = OpConstant %u32 4294967295\n%big = OpConstant %u32 2147483648\n"
/* A private cell %v that holds 5. */
#define CELL  "%v = OpVariable %pf Function\nOpStore %v %c5 Aligned 4\n"
#define AFTER "%r = OpLoad %u32 %v Aligned 4\n"
#define SAME(x)                                                                                              \
    {                                                                                                        \
        x, x, x, x                                                                                           \
    }

static const struct opcode_case cases[] = {
    /* values and composites */
    {"", "%u = OpUndef %u32\n%r = OpSelect %u32 %true %c3 %u\n", 'u', SAME(3)},
    {VECTORS, "%r = OpVectorExtractDynamic %u32 %k4 %i32\n", 'u', {0, 10, 20, 30}},
    {VECTORS,
     "%x = OpVectorInsertDynamic %v4 %k4 %c3 %i32\n%r = OpCompositeExtract %u32 %x 1\n",
     'u',
     {10, 3, 10, 10}},
    {VECTORS,
     "%x = OpVectorShuffle %v2 %k4 %k4 3 6\n%a = OpCompositeExtract %u32 %x 0\n"
     "%b = OpCompositeExtract %u32 %x 1\n%r = OpISub %u32 %a %b\n",
     'u', SAME(10)},
    {VECTORS,
     "%x = OpCompositeConstruct %v4 %i32 %c1 %c2 %c3\n%r = OpCompositeExtract %u32 %x 0\n",
     'u',
     {0, 1, 2, 3}},
    {VECTORS,
     "%x = OpCompositeInsert %v4 %i32 %k4 2\n%r = OpCompositeExtract %u32 %x 2\n",
     'u',
     {0, 1, 2, 3}},
    {"", "%r = OpCopyObject %u32 %i32\n", 'u', {0, 1, 2, 3}},
    {"%s1 = OpTypeStruct %u32 %u32\n%s2 = OpTypeStruct %u32 %u32\n%ks = OpConstantComposite %s1 %c1 %c2\n",
     "%x = OpCopyLogical %s2 %ks\n%r = OpCompositeExtract %u32 %x 1\n", 'u', SAME(2), NULL, V1_4},
    {"",
     "%r = OpExpectKHR %u32 %i32 %c1\n",
     'u',
     {0, 1, 2, 3},
     "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n"},
    {"", "%t = OpULessThan %bool %c1 %c2\nOpAssumeTrueKHR %t\n%r = OpCopyObject %u32 %c3\n", 'u', SAME(3),
     "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"\n"},
    {"", "OpNoLine\n%r = OpCopyObject %u32 %i32\n", 'u', {0, 1, 2, 3}},
    {POINTERS, "%r = OpSizeOf %u32 %wv\n", 'u', SAME(4)},
    {"", "%x = OpExtInst %u32 %std u_max %i32 %c2\n%r = OpCopyObject %u32 %x\n", 'u', {2, 2, 2, 3}},
    {FLOATS,
     "%x = OpExtInst %f32 %std fmax_common %f2 %f3\n%y = OpExtInst %f32 %std fmin_common %x %f1\n"
     "%r = OpFAdd %f32 %x %y\n",
     'f', SAME(4)},
    {"%hi = OpConstant %u8 255\n%lo = OpConstant %u8 3\n",
     "%x = OpExtInst %u16 %std s_upsample %hi %lo\n%r = OpSConvert %u32 %x\n", 'u', SAME((uint32_t)-253)},
    {"%m = OpConstant %u32 3855\n", "%r = OpExtInst %u32 %std popcount %m\n", 'u', SAME(8)},
    /* conversions */
    {FLOATS, "%r = OpConvertFToU %u32 %f2_5\n", 'u', SAME(2)},
    {FLOATS, "%r = OpConvertFToS %u32 %fm2_5\n", 'u', SAME((uint32_t)-2)},
    {"",
     "%x = OpISub %u32 %i32 %c2\n%r = OpConvertSToF %f32 %x\n",
     'f',
     {FLOAT(-2), FLOAT(-1), FLOAT(0), FLOAT(1)}},
    {"%m = OpConstant %u32 4294967295\n", "%r = OpConvertUToF %f32 %m\n", 'f', SAME(FLOAT(4294967296.0f))},
    {"%b = OpConstant %u8 200\n", "%r = OpSConvert %u32 %b\n", 'u', SAME((uint32_t)-56)},
    {FLOATS, "%d = OpFConvert %f64 %f2_5\n%r = OpFConvert %f32 %d\n", 'f', SAME(FLOAT(2.5f))},
    {"%m = OpConstant %u32 4294967295\n", "%x = OpSatConvertSToU %u32 %m\n%r = OpCopyObject %u32 %x\n", 'u',
     SAME(0)},
    {"%m = OpConstant %u32 4294967295\n", "%r = OpSatConvertUToS %u32 %m\n", 'u', SAME(0x7fffffff)},
    {"%q = OpConstant %f32 1.0001\n%tiny = OpConstant %f32 1e-6\n",
     "%a = OpQuantizeToF16 %f32 %q\n%b = OpQuantizeToF16 %f32 %tiny\n%r = OpFAdd %f32 %a %b\n", 'f',
     SAME(FLOAT(1))},
    /* arithmetic */
    {FLOATS, "%x = OpFMod %f32 %fm2_5 %f2\n%r = OpCopyObject %f32 %x\n", 'f', SAME(FLOAT(1.5f))},
    {VECTORS FLOATS "%w = OpConstantComposite %v4f %f1 %f2 %f3 %f1\n",
     "%x = OpVectorTimesScalar %v4f %w %f3\n%r = OpCompositeExtract %f32 %x 2\n", 'f', SAME(FLOAT(9))},
    {VECTORS FLOATS "%w = OpConstantComposite %v4f %f1 %f2 %f3 %f1\n", "%r = OpDot %f32 %w %w\n", 'f',
     SAME(FLOAT(15))},
    {PAIR,
     "%x = OpIAddCarry %pair %big %i32\n%a = OpCompositeExtract %u32 %x 0\n%b = OpCompositeExtract %u32 %x "
     "1\n"
     "%m = OpIMul %u32 %b %c3\n%r = OpIAdd %u32 %a %m\n",
     'u',
     {0xffffffff, 3, 4, 5}},
    {PAIR,
     "%x = OpISubBorrow %pair %c1 %i32\n%a = OpCompositeExtract %u32 %x 0\n%b = OpCompositeExtract %u32 %x "
     "1\n"
     "%m = OpIMul %u32 %b %c3\n%r = OpIAdd %u32 %a %m\n",
     'u',
     {1, 0, 2, 1}},
    {PAIR, "%x = OpUMulExtended %pair %big %i32\n%r = OpCompositeExtract %u32 %x 1\n", 'u', {0, 0, 1, 2}},
    {PAIR,
     "%x = OpSMulExtended %pair %big %i32\n%r = OpCompositeExtract %u32 %x 1\n",
     'u',
     {0, 0xffffffff, 0xffffffff, 0xffffffff}},
    {"", "%x = OpBitFieldInsert %u32 %c0 %c3 %i32 %c2\n%r = OpCopyObject %u32 %x\n", 'u', {3, 6, 12, 24}},
    {"%m = OpConstant %u32 180\n",
     "%x = OpBitFieldSExtract %u32 %m %c2 %c3\n%r = OpIAdd %u32 %x %i32\n",
     'u',
     {(uint32_t)-3, (uint32_t)-2, (uint32_t)-1, 0}}, /* 180 = 10110100b: 101b */
    {"%m = OpConstant %u32 180\n", "%r = OpBitFieldUExtract %u32 %m %c2 %c3\n", 'u', SAME(5)},
#define DOT_CAPS                                                                                             \
    "OpCapability DotProductInputAllKHR\nOpCapability DotProductInput4x8BitPackedKHR\nOpCapability "         \
    "DotProductKHR\n"                                                                                        \
    "OpExtension \"SPV_KHR_integer_dot_product\"\n"
/* bytes 1, -1 (255), 2, 3 with 2, 3, 4, 5 */
#define DOT_KS                                                                                               \
    "%a = OpConstant %u32 50528001\n%b = OpConstant %u32 84148994\n%near = OpConstant %u32 2147483640\n"     \
    "%unear = OpConstant %u32 4294967290\n"
    {DOT_KS, "%r = OpSDotKHR %u32 %a %b PackedVectorFormat4x8BitKHR\n", 'u', SAME(2 - 3 + 8 + 15), DOT_CAPS},
    {DOT_KS, "%r = OpUDotKHR %u32 %a %b PackedVectorFormat4x8BitKHR\n", 'u', SAME(2 + 765 + 8 + 15),
     DOT_CAPS},
    {DOT_KS, "%r = OpSUDotKHR %u32 %a %b PackedVectorFormat4x8BitKHR\n", 'u', SAME(2 - 3 + 8 + 15), DOT_CAPS},
    {DOT_KS, "%r = OpSDotAccSatKHR %u32 %a %b %near PackedVectorFormat4x8BitKHR\n", 'u', SAME(0x7fffffff),
     DOT_CAPS},
    {DOT_KS, "%r = OpUDotAccSatKHR %u32 %a %b %unear PackedVectorFormat4x8BitKHR\n", 'u', SAME(0xffffffff),
     DOT_CAPS},
    {DOT_KS, "%r = OpSUDotAccSatKHR %u32 %a %b %c1 PackedVectorFormat4x8BitKHR\n", 'u', SAME(23), DOT_CAPS},
    /* flags */
    {VECTORS, "%x = OpIEqual %vb %k4 %k4\n%y = OpCompositeInsert %vb %false %x 1\n%r = OpAny %bool %y\n", 'b',
     SAME(1)},
    {VECTORS, "%x = OpIEqual %vb %k4 %k4\n%y = OpCompositeInsert %vb %false %x 1\n%r = OpAll %bool %y\n", 'b',
     SAME(0)},
    {"", "%x = OpIEqual %bool %i32 %c1\n%r = OpLogicalEqual %bool %x %false\n", 'b', {1, 0, 1, 1}},
    {"", "%x = OpIEqual %bool %i32 %c1\n%r = OpLogicalNotEqual %bool %x %false\n", 'b', {0, 1, 0, 0}},
    {"",
     "%x = OpIEqual %bool %i32 %c1\n%y = OpIEqual %bool %i32 %c2\n%r = OpLogicalOr %bool %x %y\n",
     'b',
     {0, 1, 1, 0}},
    {"",
     "%x = OpULessThan %bool %i32 %c2\n%y = OpINotEqual %bool %i32 %c0\n%r = OpLogicalAnd %bool %x %y\n",
     'b',
     {0, 1, 0, 0}},
    {"%tiny = OpConstant %f32 1e-40\n", "%r = OpIsNormal %bool %tiny\n", 'b', SAME(0)},
    {FLOATS, "%x = OpConvertUToF %f32 %i32\n%r = OpLessOrGreater %bool %x %f2\n", 'b', {1, 1, 0, 1}},
    /* control flow */
    {"",
     "%t = OpULessThan %bool %i32 %c2\nOpSelectionMerge %m None\nOpBranchConditional %t %m %e2\n%e2 = "
     "OpLabel\n"
     "OpBranch %m\n%m = OpLabel\n%r = OpPhi %u32 %c1 %e %c3 %e2\n",
     'u',
     {1, 1, 3, 3}},
    {"",
     "OpSelectionMerge %m None\nOpSwitch %i32 %m 1 %one 3 %one\n%one = OpLabel\nOpBranch %m\n%m = OpLabel\n"
     "%r = OpPhi %u32 %c0 %e %c2 %one\n",
     'u',
     {0, 2, 0, 2}},
    /* pointers and memory */
    {POINTERS "%c4 = OpConstant %u32 4\n%arr = OpTypeArray %u32 %c4\n%pa = OpTypePointer Function %arr\n",
     "%v = OpVariable %pa Function\n%p = OpAccessChain %pf %v %i32\nOpStore %p %i32 Aligned 4\n"
     "%r = OpLoad %u32 %p Aligned 4\n",
     'u',
     {0, 1, 2, 3}},
    {"", "%p = OpPtrAccessChain %pu32 %out %i\nOpStore %p %c3 Aligned 4\n%r = OpLoad %u32 %p Aligned 4\n",
     'u', SAME(3)},
    {POINTERS "%l4 = OpConstant %u64 4\n",
     "%v = OpVariable %pf Function\n%w = OpVariable %pf Function\n"
     "OpStore %v %i32 Aligned 4\nOpCopyMemorySized %w %v %l4 Aligned 4\n%r = OpLoad %u32 %w Aligned 4\n",
     'u',
     {0, 1, 2, 3}},
    {POINTERS,
     "%v = OpVariable %pf Function\nOpStore %v %c3 Aligned 4\n%g = OpPtrCastToGeneric %pg %v\n"
     "%b = OpGenericCastToPtr %pf %g\n%r = OpLoad %u32 %b Aligned 4\n",
     'u', SAME(3)},
    {POINTERS,
     "%g = OpPtrCastToGeneric %pg %wv\n%b = OpGenericCastToPtrExplicit %pw %g Workgroup\n"
     "%n = OpConvertPtrToU %u64 %b\n%r = OpINotEqual %bool %n %l0\n",
     'b', SAME(1)},
    {POINTERS, "%g = OpPtrCastToGeneric %pg %wv\n%r = OpGenericPtrMemSemantics %u32 %g\n", 'u', SAME(256)},
    {"",
     "%p = OpPtrAccessChain %pu32 %out %i\n%r = OpPtrEqual %bool %p %out\n",
     'b',
     {1, 0, 0, 0},
     NULL,
     V1_4},
    {"",
     "%p = OpPtrAccessChain %pu32 %out %i\n%r = OpPtrNotEqual %bool %p %out\n",
     'b',
     {0, 1, 1, 1},
     NULL,
     V1_4},
    {"", "%p = OpPtrAccessChain %pu32 %out %i\n%r = OpPtrDiff %u32 %p %out\n", 'u', {0, 1, 2, 3}, NULL, V1_4},
    /* atomics on a private cell */
    {ATOM,
     CELL
     "%x = OpAtomicExchange %u32 %v %dev %c0 %c6\n%y = OpLoad %u32 %v Aligned 4\n%r = OpISub %u32 %y %x\n",
     'u', SAME(1)},
    {ATOM,
     CELL "%x = OpAtomicCompareExchangeWeak %u32 %v %dev %c0 %c0 %c6 %c5\n%y = OpLoad %u32 %v Aligned 4\n"
          "%r = OpIAdd %u32 %x %y\n",
     'u', SAME(11)},
    {ATOM, CELL "%x = OpAtomicIIncrement %u32 %v %dev %c0\n" AFTER, 'u', SAME(6)},
    {ATOM, CELL "%x = OpAtomicIDecrement %u32 %v %dev %c0\n" AFTER, 'u', SAME(4)},
    {ATOM, CELL "%x = OpAtomicISub %u32 %v %dev %c0 %c3\n" AFTER, 'u', SAME(2)},
    {ATOM, CELL "%x = OpAtomicSMin %u32 %v %dev %c0 %minus\n" AFTER, 'u', SAME(0xffffffff)},
    {ATOM, CELL "%x = OpAtomicUMin %u32 %v %dev %c0 %minus\n" AFTER, 'u', SAME(5)},
    {ATOM, CELL "%x = OpAtomicSMax %u32 %v %dev %c0 %minus\n" AFTER, 'u', SAME(5)},
    {ATOM, CELL "%x = OpAtomicUMax %u32 %v %dev %c0 %minus\n" AFTER, 'u', SAME(0xffffffff)},
    {ATOM, CELL "%x = OpAtomicAnd %u32 %v %dev %c0 %c6\n" AFTER, 'u', SAME(4)},
    {ATOM, CELL "%x = OpAtomicOr %u32 %v %dev %c0 %c6\n" AFTER, 'u', SAME(7)},
    {ATOM, CELL "%x = OpAtomicXor %u32 %v %dev %c0 %c6\n" AFTER, 'u', SAME(3)},
    {ATOM,
     "%v = OpVariable %pf Function\nOpStore %v %c0 Aligned 4\n%a = OpAtomicFlagTestAndSet %bool %v %dev %c0\n"
     "%b = OpAtomicFlagTestAndSet %bool %v %dev %c0\nOpAtomicFlagClear %v %dev %c0\n%n = OpLogicalNot %bool "
     "%a\n"
     "%r = OpLogicalAnd %bool %n %b\n",
     'b', SAME(1)},
#define FCELL ATOM "%pff = OpTypePointer Function %f32\n" FLOATS
#define FBODY "%v = OpVariable %pff Function\nOpStore %v %f2 Aligned 4\n"
    {FCELL, FBODY "%x = OpAtomicFAddEXT %f32 %v %dev %c0 %f2_5\n%r = OpLoad %f32 %v Aligned 4\n", 'f',
     SAME(FLOAT(4.5f)),
     "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"\n"},
    {FCELL, FBODY "%x = OpAtomicFMinEXT %f32 %v %dev %c0 %fm2_5\n%r = OpLoad %f32 %v Aligned 4\n", 'f',
     SAME(FLOAT(-2.5f)),
     "OpCapability AtomicFloat32MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n"},
    {FCELL, FBODY "%x = OpAtomicFMaxEXT %f32 %v %dev %c0 %f3\n%r = OpLoad %f32 %v Aligned 4\n", 'f',
     SAME(FLOAT(3)),
     "OpCapability AtomicFloat32MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n"},
/* groups; work-items bring 1, 2, 3, 4 */
#define BRING "%n = OpIAdd %u32 %i32 %c1\n%nf = OpConvertUToF %f32 %n\n%neg = OpISub %u32 %i32 %c2\n"
    {WG, BRING "%t = OpULessThan %bool %i32 %c3\n%r = OpGroupAll %bool %wg %t\n", 'b', SAME(0)},
    {WG, BRING "%t = OpULessThan %bool %i32 %c1\n%r = OpGroupAny %bool %wg %t\n", 'b', SAME(1)},
    {WG, BRING "%r = OpGroupBroadcast %u32 %wg %n %l1\n", 'u', SAME(2)},
    {WG, BRING "%r = OpGroupIAdd %u32 %wg InclusiveScan %n\n", 'u', {1, 3, 6, 10}},
    {WG,
     BRING "%r = OpGroupFAdd %f32 %wg ExclusiveScan %nf\n",
     'f',
     {FLOAT(0), FLOAT(1), FLOAT(3), FLOAT(6)}},
    {WG, BRING "%r = OpGroupFMin %f32 %wg Reduce %nf\n", 'f', SAME(FLOAT(1))},
    {WG, BRING "%r = OpGroupUMin %u32 %wg Reduce %neg\n", 'u', SAME(0)},
    {WG, BRING "%r = OpGroupSMin %u32 %wg Reduce %neg\n", 'u', SAME((uint32_t)-2)},
    {WG,
     BRING "%r = OpGroupFMax %f32 %wg InclusiveScan %nf\n",
     'f',
     {FLOAT(1), FLOAT(2), FLOAT(3), FLOAT(4)}},
    {WG, BRING "%r = OpGroupUMax %u32 %wg Reduce %neg\n", 'u', SAME((uint32_t)-1)},
    {WG,
     BRING "%r = OpGroupSMax %u32 %wg ExclusiveScan %neg\n",
     'u',
     {0x80000000, (uint32_t)-2, (uint32_t)-1, 0}},
#define UNIFORM "OpCapability GroupUniformArithmeticKHR\nOpExtension \"SPV_KHR_uniform_group_instructions\"\n"
    {WG, BRING "%r = OpGroupIMulKHR %u32 %wg InclusiveScan %n\n", 'u', {1, 2, 6, 24}, UNIFORM},
    {WG, BRING "%r = OpGroupFMulKHR %f32 %wg Reduce %nf\n", 'f', SAME(FLOAT(24)), UNIFORM},
    {WG, BRING "%r = OpGroupBitwiseAndKHR %u32 %wg InclusiveScan %n\n", 'u', {1, 0, 0, 0}, UNIFORM},
    {WG, BRING "%r = OpGroupBitwiseOrKHR %u32 %wg InclusiveScan %n\n", 'u', {1, 3, 3, 7}, UNIFORM},
    {WG, BRING "%r = OpGroupBitwiseXorKHR %u32 %wg ExclusiveScan %n\n", 'u', {0, 1, 3, 0}, UNIFORM},
    {WG,
     BRING "%t = OpULessThan %bool %i32 %c2\n%r = OpGroupLogicalAndKHR %bool %wg InclusiveScan %t\n",
     'b',
     {1, 1, 0, 0},
     UNIFORM},
    {WG,
     BRING "%t = OpIEqual %bool %i32 %c1\n%r = OpGroupLogicalOrKHR %bool %wg InclusiveScan %t\n",
     'b',
     {0, 1, 1, 1},
     UNIFORM},
    {WG,
     BRING "%t = OpULessThan %bool %i32 %c3\n%r = OpGroupLogicalXorKHR %bool %wg InclusiveScan %t\n",
     'b',
     {1, 0, 1, 1},
     UNIFORM},
/* non-uniform, all four active */
#define ARITH        NU "OpCapability GroupNonUniformArithmetic\n"
#define VOTE         NU "OpCapability GroupNonUniformVote\n"
#define BALLOT       NU "OpCapability GroupNonUniformBallot\n"
#define BALLOT_TYPES SG "%v4 = OpTypeVector %u32 4\n"
    {SG, "%r = OpGroupNonUniformElect %bool %sg\n", 'b', {1, 0, 0, 0}, NU},
    {SG, "%t = OpULessThan %bool %i32 %c3\n%r = OpGroupNonUniformAll %bool %sg %t\n", 'b', SAME(0), VOTE},
    {SG, "%t = OpIEqual %bool %i32 %c3\n%r = OpGroupNonUniformAny %bool %sg %t\n", 'b', SAME(1), VOTE},
    {SG, "%r = OpGroupNonUniformAllEqual %bool %sg %i32\n", 'b', SAME(0), VOTE},
    {SG, BRING "%r = OpGroupNonUniformBroadcast %u32 %sg %n %c2\n", 'u', SAME(3), BALLOT},
    {SG, BRING "%r = OpGroupNonUniformBroadcastFirst %u32 %sg %n\n", 'u', SAME(1), BALLOT},
    {BALLOT_TYPES,
     "%t = OpINotEqual %bool %i32 %c1\n%x = OpGroupNonUniformBallot %v4 %sg %t\n%r = OpCompositeExtract %u32 "
     "%x 0\n",
     'u', SAME(13), BALLOT},
    {BALLOT_TYPES "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n",
     "%r = OpGroupNonUniformInverseBallot %bool %sg %m\n",
     'b',
     {0, 1, 1, 0},
     BALLOT},
    {BALLOT_TYPES "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n",
     "%r = OpGroupNonUniformBallotBitExtract %bool %sg %m %c2\n", 'b', SAME(1), BALLOT},
    {BALLOT_TYPES "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n",
     "%r = OpGroupNonUniformBallotBitCount %u32 %sg InclusiveScan %m\n",
     'u',
     {0, 1, 2, 2},
     BALLOT},
    {BALLOT_TYPES "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n",
     "%r = OpGroupNonUniformBallotFindLSB %u32 %sg %m\n", 'u', SAME(1), BALLOT},
    {BALLOT_TYPES "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n",
     "%r = OpGroupNonUniformBallotFindMSB %u32 %sg %m\n", 'u', SAME(2), BALLOT},
    {BALLOT_TYPES
     "%c6 = OpConstant %u32 6\n%m = OpConstantComposite %v4 %c6 %c0 %c0 %c0\n%w = OpConstant %u32 32\n",
     "%x = OpGroupNonUniformBallotBitCount %u64 %sg Reduce %m\n%y = OpShiftRightLogical %u64 %x %w\n"
     "%high = OpUConvert %u32 %y\n%low = OpUConvert %u32 %x\n%r = OpIAdd %u32 %high %low\n",
     'u', SAME(2), BALLOT},
#define SHUFFLE NU "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformShuffleRelative\n"
    {SG,
     BRING "%o = OpISub %u32 %c3 %i32\n%r = OpGroupNonUniformShuffle %u32 %sg %n %o\n",
     'u',
     {4, 3, 2, 1},
     SHUFFLE},
    {SG, BRING "%r = OpGroupNonUniformShuffleXor %u32 %sg %n %c1\n", 'u', {2, 1, 4, 3}, SHUFFLE},
    {SG,
     BRING "%x = OpGroupNonUniformShuffleUp %u32 %sg %n %c1\n%t = OpIEqual %bool %i32 %c0\n"
           "%r = OpSelect %u32 %t %c0 %x\n",
     'u',
     {0, 1, 2, 3},
     SHUFFLE},
    {SG,
     BRING "%x = OpGroupNonUniformShuffleDown %u32 %sg %n %c1\n%t = OpIEqual %bool %i32 %c3\n"
           "%r = OpSelect %u32 %t %c0 %x\n",
     'u',
     {2, 3, 4, 0},
     SHUFFLE},
    {SG, BRING "%r = OpGroupNonUniformIAdd %u32 %sg ExclusiveScan %n\n", 'u', {0, 1, 3, 6}, ARITH},
    {SG, BRING "%r = OpGroupNonUniformFAdd %f32 %sg Reduce %nf\n", 'f', SAME(FLOAT(10)), ARITH},
    {SG, BRING "%r = OpGroupNonUniformIMul %u32 %sg ExclusiveScan %n\n", 'u', {1, 1, 2, 6}, ARITH},
    {SG, BRING "%r = OpGroupNonUniformFMul %f32 %sg Reduce %nf\n", 'f', SAME(FLOAT(24)), ARITH},
    {SG, BRING "%r = OpGroupNonUniformSMin %u32 %sg Reduce %neg\n", 'u', SAME((uint32_t)-2), ARITH},
    {SG, BRING "%r = OpGroupNonUniformUMin %u32 %sg Reduce %neg\n", 'u', SAME(0), ARITH},
    {SG, BRING "%r = OpGroupNonUniformFMin %f32 %sg InclusiveScan %nf\n", 'f', SAME(FLOAT(1)), ARITH},
    {SG, BRING "%r = OpGroupNonUniformSMax %u32 %sg Reduce %neg\n", 'u', SAME(1), ARITH},
    {SG, BRING "%r = OpGroupNonUniformUMax %u32 %sg Reduce %neg\n", 'u', SAME((uint32_t)-1), ARITH},
    {SG, BRING "%r = OpGroupNonUniformFMax %f32 %sg Reduce %nf\n", 'f', SAME(FLOAT(4)), ARITH},
    {SG, BRING "%r = OpGroupNonUniformBitwiseAnd %u32 %sg InclusiveScan %n\n", 'u', {1, 0, 0, 0}, ARITH},
    {SG, BRING "%r = OpGroupNonUniformBitwiseOr %u32 %sg Reduce %n\n", 'u', SAME(7), ARITH},
    {SG, BRING "%r = OpGroupNonUniformBitwiseXor %u32 %sg Reduce %n\n", 'u', SAME(4), ARITH},
    {SG, "%t = OpULessThan %bool %i32 %c3\n%r = OpGroupNonUniformLogicalAnd %bool %sg Reduce %t\n", 'b',
     SAME(0), ARITH},
    {SG, "%t = OpULessThan %bool %i32 %c1\n%r = OpGroupNonUniformLogicalOr %bool %sg Reduce %t\n", 'b',
     SAME(1), ARITH},
    {SG, "%t = OpULessThan %bool %i32 %c3\n%r = OpGroupNonUniformLogicalXor %bool %sg Reduce %t\n", 'b',
     SAME(1), ARITH},
    {SG,
     BRING "%r = OpGroupNonUniformIAdd %u32 %sg ClusteredReduce %n %c2\n",
     'u',
     {3, 3, 7, 7},
     ARITH "OpCapability GroupNonUniformClustered\n"},
    {SG,
     BRING "%r = OpGroupNonUniformRotateKHR %u32 %sg %n %c1\n",
     'u',
     {2, 3, 4, 1},
     NU "OpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"\n"},
    {SG,
     BRING "%r = OpGroupNonUniformRotateKHR %u32 %sg %n %c1 %c2\n",
     'u',
     {2, 1, 4, 3},
     NU "OpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"\n"},
    /* older extensions */
    {"%v4 = OpTypeVector %u32 4\n",
     "%t = OpINotEqual %bool %i32 %c1\n%x = OpSubgroupBallotKHR %v4 %t\n"
     "%r = OpCompositeExtract %u32 %x 0\n",
     'u', SAME(13), "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\n"},
    {"", BRING "%r = OpSubgroupFirstInvocationKHR %u32 %n\n", 'u', SAME(1),
     "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\n"},
    {"", BRING "%r = OpSubgroupReadInvocationKHR %u32 %n %c2\n", 'u', SAME(3),
     "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\n"},
#define VOTE_KHR "OpCapability SubgroupVoteKHR\nOpExtension \"SPV_KHR_subgroup_vote\"\n"
    {"", "%t = OpULessThan %bool %i32 %c3\n%r = OpSubgroupAllKHR %bool %t\n", 'b', SAME(0), VOTE_KHR},
    {"", "%t = OpULessThan %bool %i32 %c3\n%r = OpSubgroupAnyKHR %bool %t\n", 'b', SAME(1), VOTE_KHR},
    {"", "%t = OpULessThan %bool %i32 %c3\n%r = OpSubgroupAllEqualKHR %bool %t\n", 'b', SAME(0), VOTE_KHR},
#define INTEL "OpCapability SubgroupShuffleINTEL\nOpExtension \"SPV_INTEL_subgroups\"\n"
    {"",
     BRING "%o = OpISub %u32 %c3 %i32\n%r = OpSubgroupShuffleINTEL %u32 %n %o\n",
     'u',
     {4, 3, 2, 1},
     INTEL},
    {"", BRING "%r = OpSubgroupShuffleDownINTEL %u32 %n %c0 %c1\n", 'u', {2, 3, 4, 0}, INTEL},
    {"", BRING "%r = OpSubgroupShuffleUpINTEL %u32 %c0 %n %c1\n", 'u', {0, 1, 2, 3}, INTEL},
    {"", BRING "%r = OpSubgroupShuffleXorINTEL %u32 %n %c2\n", 'u', {3, 4, 1, 2}, INTEL},
    /* copies */
    {WG POINTERS "%ev = OpTypeEvent\n%nev = OpConstantNull %ev\n%pev = OpTypePointer Function %ev\n%c4 = "
                 "OpConstant %u32 4\n"
                 "%l4 = OpConstant %u64 4\n%arr = OpTypeArray %u32 %c4\n%pwa = OpTypePointer Workgroup %arr\n"
                 "%room = OpVariable %pwa Workgroup\n%pge = OpTypePointer Generic %ev\n",
     "%v = OpVariable %pev Function\n%p = OpInBoundsAccessChain %pw %room %c0\n"
     "%x = OpGroupAsyncCopy %ev %wg %p %out %l4 %l1 %nev\nOpStore %v %x Aligned 8\n%g = OpPtrCastToGeneric "
     "%pge %v\n"
     "OpGroupWaitEvents %wg %c1 %g\n%q = OpInBoundsAccessChain %pw %room %i32\n%r = OpLoad %u32 %q Aligned "
     "4\n",
     'u',
     {70, 71, 72, 73}},
    {"", "%t = OpReadClockKHR %u64 %c1\n%x = OpReadClockKHR %u64 %c1\n%r = OpUGreaterThan %bool %x %t\n", 'b',
     SAME(1), "OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"\n"},
};

static void build(const struct opcode_case *c, char *text, size_t size)
{
    const char *store = c->kind == 'b'   ? "%rr = OpSelect %u32 %r %c1 %c0\n"
                        : c->kind == 'f' ? "%rr = OpBitcast %u32 %r\n"
                                         : "%rr = OpCopyObject %u32 %r\n";
    const char *head = strstr(SPV_HEAD, "OpExtension");
    snprintf(text, size, "%.*s", (int)(head - SPV_HEAD), SPV_HEAD);
    strcat(text, c->capabilities != NULL ? c->capabilities : "");
    strcat(text, head);
    strcat(text,
           SPV_ENTRY SPV_BUILTINS SPV_TYPES "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n");
    strcat(text, c->declarations);
    strcat(text, "%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%e = OpLabel\n");
    const char *at;
    /* Variables come before everything else in the first block. */
    for (int pass = 0; pass < 2; pass++) {
        for (at = c->body; *at != 0;) {
            size_t n = strcspn(at, "\n") + 1;
            char line[512];
            snprintf(line, sizeof line, "%.*s", (int)n, at);
            if ((strstr(line, "= OpVariable") != NULL) == (pass == 0))
                strncat(text, line, size - strlen(text) - 1);
            at += n;
        }
        if (pass == 0)
            strncat(text,
                    "%g0 = OpLoad %v3u64 %gid Aligned 32\n%i = OpCompositeExtract %u64 %g0 0\n"
                    "%i32 = OpUConvert %u32 %i\n",
                    size - strlen(text) - 1);
    }
    strcat(text, store);
    strcat(text, "%place = OpInBoundsPtrAccessChain %pu32 %out %i\nOpStore %place %rr Aligned 4\n"
                 "OpReturn\nOpFunctionEnd\n");
}

static void test_opcodes(void **state)
{
    static const enum in_schedule schedules[] = {IN_SEQUENTIAL, IN_RANDOM, IN_FAIR};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int s = 0; s < 3; s++) {
            const struct opcode_case *c = &cases[k];
            static char text[16384];
            uint32_t data[4] = {70, 71, 72, 73};
            struct spv_run out;
            struct in_object buffer = spv_buffer(data, sizeof data, 1);
            struct in_launch launch = {
                .global_size = {4}, .local_size = {4}, .schedule = schedules[s], .seed = k};
            build(c, text, sizeof text);
            spv_version = c->version != 0 ? c->version : SPV_ENV_UNIVERSAL_1_3;
            enum mm_class result = spv_execute(text, &launch, &buffer, 1, &out);
            if (result != MM_OK)
                fail_msg("%s: %s\n%s", out.kind, out.message, c->body);
            for (int i = 0; i < 4; i++) {
                float f;
                memcpy(&f, &data[i], sizeof f);
                double got = c->kind == 'f' ? (double)f : data[i];
                if (got != c->expected[i])
                    fail_msg("work-item %d has %.9g, not %.9g:\n%s", i, got, c->expected[i], c->body);
            }
        }
}

/* Operands and results of wrong types that the validator accepts. */
static void test_misfits(void **state)
{
    static const struct opcode_case misfits[] = {
        {WG, "%x = OpGroupBroadcast %pu32 %wg %i %c0\n%r = OpLoad %u32 %x Aligned 4\n", 'u'},
        {WG, "%x = OpGroupIAdd %u64 %wg Reduce %i32\n%r = OpUConvert %u32 %x\n", 'u'},
        {WG "%ev = OpTypeEvent\n%none = OpConstantNull %ev\n",
         "%x = OpGroupAsyncCopy %ev %wg %i %i %i %i %none\n%r = OpCopyObject %u32 %c1\n", 'u'},
        {WG, "OpGroupWaitEvents %wg %c1 %i\n%r = OpCopyObject %u32 %c1\n", 'u'},
        {"", "%x = OpSizeOf %pu32 %out\n%r = OpLoad %u32 %x Aligned 4\n", 'u', SAME(0), NULL, V1_4},
        {"", "%r = OpGenericPtrMemSemantics %u32 %i\n", 'u', SAME(0), "OpCapability GenericPointer\n"},
        {"", "%x = OpGetDefaultQueue %pu32\n%r = OpLoad %u32 %x Aligned 4\n", 'u', SAME(0),
         "OpCapability DeviceEnqueue\n"},
        {"", "%r = OpSubgroupBallotKHR %u32 %true\n", 'u', SAME(0),
         "OpCapability SubgroupBallotKHR\nOpExtension \"SPV_KHR_shader_ballot\"\n"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof misfits / sizeof *misfits; k++) {
        spv_version = misfits[k].version != 0 ? misfits[k].version : SPV_ENV_UNIVERSAL_1_3;
        static char text[16384];
        struct in_module *module = NULL;
        struct mm_error err = {.message = ""};
        build(&misfits[k], text, sizeof text);
        if (spv_load(text, &module, &err) != MM_INVALID)
            fail_msg("loads: %s", misfits[k].body);
    }
}

/* A compute shader's array without a length in its type. */
static void test_array_length(void **state)
{
    static const char text[] =
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %k \"k\"\n"
        "OpExecutionMode %k LocalSize 1 1 1\nOpDecorate %arr ArrayStride 8\nOpDecorate %st BufferBlock\n"
        "OpMemberDecorate %st 0 Offset 0\nOpMemberDecorate %st 1 Offset 4\nOpDecorate %buf DescriptorSet 0\n"
        "OpDecorate %buf Binding 5\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n"
        "%arr = OpTypeRuntimeArray %u32\n%st = OpTypeStruct %u32 %arr\n%ps = OpTypePointer Uniform %st\n"
        "%pu = OpTypePointer Uniform %u32\n%c0 = OpConstant %u32 0\n%c1 = OpConstant %u32 1\n%c2 = "
        "OpConstant %u32 2\n"
        "%buf = OpVariable %ps Uniform\n%k = OpFunction %void None %fn\n%e = OpLabel\n"
        "%n = OpArrayLength %u32 %buf 1\n%p = OpAccessChain %pu %buf %c0\nOpStore %p %n\n"
        "%q = OpAccessChain %pu %buf %c1 %c2\nOpStore %q %c2\nOpReturn\nOpFunctionEnd\n";
    size_t size;
    uint32_t data[9] = {0}, *words;
    struct in_module *module = NULL;
    struct spv_run out = {.findings = 0};
    struct in_module_options options = {.name = "t", .any_environment = true};
    (void)state;
    spv_version = SPV_ENV_UNIVERSAL_1_3;
    words = spv_assemble(text, &size);
    assert_int_equal(in_module_create(words, size, NULL, &module, NULL, &out.err), MM_INVALID);
    if (in_module_create(words, size, &options, &module, NULL, &out.err) != MM_OK)
        fail_msg("%s", out.err.message);
    const struct in_kernel_info *info = in_module_kernel(module, 0);
    assert_int_equal(info->argument_count, 1);
    assert_true(info->arguments[0].is_descriptor);
    struct in_object buffer = spv_buffer(data, sizeof data, 1);
    struct in_argument argument = {.address = buffer.address, .object = &buffer};
    struct in_environment environment = {.context = &out, .finding = spv_on_finding};
    struct in_instance *instance = NULL;
    struct in_run *run = NULL;
    bool done = false;
    assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &out.err), MM_OK);
    struct in_launch launch = {.instance = instance,
                               .arguments = &argument,
                               .dimensions = 1,
                               .global_size = {1},
                               .local_size = {1},
                               .sub_group_size = 1,
                               .checks = true};
    assert_int_equal(in_run_create(&launch, &run, &out.err), MM_OK);
    assert_int_equal(in_run_step(run, 0, &done, &out.err), MM_OK);
    assert_int_equal(data[0], 4); /* (36 - 4) / 8 */
    assert_int_equal(data[5], 2);
    in_run_destroy(run);
    in_instance_destroy(instance);
    in_module_release(module);
    free(words);
}

/* A compute shader's control flow need not be structured, whatever its variables' storage classes are; all
 * other rules hold for it. */
static void test_unstructured(void **state)
{
    static const char head[] =
        "OpCapability Shader\nOpCapability VulkanMemoryModel\nOpMemoryModel Logical Vulkan\n"
        "OpEntryPoint GLCompute %k \"k\" %id %buf %w\n"
        "OpExecutionMode %k LocalSize 1 1 1\nOpDecorate %st Block\n"
        "OpMemberDecorate %st 0 Offset 0\nOpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0\n"
        "OpDecorate %id BuiltIn LocalInvocationIndex\n%void = OpTypeVoid\n%bool = OpTypeBool\n"
        "%fn = OpTypeFunction %void\n%u32 = OpTypeInt 32 0\n"
        "%st = OpTypeStruct %u32\n%ps = OpTypePointer StorageBuffer %st\n%pu = OpTypePointer StorageBuffer %u32\n"
        "%pi = OpTypePointer Input %u32\n%pw = OpTypePointer Workgroup %u32\n%pf = OpTypePointer Function "
        "%u32\n%c0 = OpConstant %u32 0\n%buf = OpVariable %ps StorageBuffer\n%id = OpVariable %pi Input\n"
        "%w = OpVariable %pw Workgroup\n%k = OpFunction %void None %fn\n%e = OpLabel\n"
        "%f = OpVariable %pf Function\n";
    static const char *const bodies[][2] = {
        {"%i = OpLoad %u32 %id\n", "%x = OpAccessChain %pu %buf %c0\nOpStore %x %i\nOpStore %w %i\n"},
        {"%i = OpLoad %u32 %id\n", "OpStore %f %i\n"},
        {"%i = OpLoad %u32 %id\n", "OpStore %f %f\n"}, /* a pointer where a number belongs */
    };
    (void)state;
    spv_version = SPV_ENV_UNIVERSAL_1_5;
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        struct in_module_options options = {.name = "t", .any_environment = true};
        struct in_module *module = NULL;
        struct mm_error err = {.message = ""};
        char text[4000];
        size_t size;
        snprintf(text, sizeof text,
                 "%s%s%%less = OpULessThan %%bool %%i %%c0\nOpBranchConditional %%less %%then %%end\n"
                 "%%then = OpLabel\n%sOpBranch %%end\n%%end = OpLabel\nOpReturn\nOpFunctionEnd\n",
                 head, bodies[k][0], bodies[k][1]);
        uint32_t *words = spv_assemble(text, &size);
        enum mm_class result = in_module_create(words, size, &options, &module, NULL, &err);
        if (result != (k < 2 ? MM_OK : MM_INVALID))
            fail_msg("module %zu: %s", k, err.message);
        in_module_release(module);
        free(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_opcodes), cmocka_unit_test(test_misfits),
                                       cmocka_unit_test(test_array_length),
                                       cmocka_unit_test(test_unstructured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
