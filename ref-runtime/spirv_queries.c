/* What SPIR-V modules may use [cl_khr_spirv_queries] [CL 4.2].  tests/runtime/program/test_spirv_queries.c
 * builds a module with each of the capabilities. */
#include "ref-runtime/device.h"

#include <spirv/unified1/spirv.h>

cl_int rt_put_spirv_sets(const void *object, const struct rt_info_out *out)
{
    static const char *const sets[] = {"OpenCL.std", "OpenCL.DebugInfo.100"};
    (void)object; /* [CL env 2.2 R1; CL env 5.2.21 R1] */
    return rt_info_put(out, sets, sizeof sets);
}

/* [CL env 3.8 R1; CL env 5.2.13 R1; CL env 5.2.22 R1; CL env 5.2.23 R1; CL env 5.2.24 R1, R2;
 * CL env 5.2.25 R1; CL env 5.2.26 R1] [CL env 5.2.27 R1; CL env 5.2.28 R1] */
cl_int rt_put_spirv_extensions(const void *object, const struct rt_info_out *out)
{
    static const char *const extensions[] = {"SPV_EXT_shader_atomic_float16_add",
                                             "SPV_EXT_shader_atomic_float_add",
                                             "SPV_EXT_shader_atomic_float_min_max",
                                             "SPV_KHR_bit_instructions",
                                             "SPV_KHR_expect_assume",
                                             "SPV_KHR_integer_dot_product",
                                             "SPV_KHR_linkonce_odr",
                                             "SPV_KHR_no_integer_wrap_decoration",
                                             "SPV_KHR_shader_clock",
                                             "SPV_KHR_subgroup_rotate",
                                             "SPV_KHR_uniform_group_instructions"};
    (void)object;
    return rt_info_put(out, extensions, sizeof extensions);
}

/* [CL env 3.1 R1, R2; CL env 3.2 R1, R2; CL env 3.3 R1; CL env 3.4 R1, R2; CL env 3.5 R1; CL env 3.6 R1;
 * CL env 3.7 R1, R2] [CL env 5.2.2 R1; CL env 5.2.4 R1; CL env 5.2.5 R1; CL env 5.2.8 R1; CL env 5.2.9 R1;
 * CL env 5.2.10 R1; CL env 5.2.12 R1] [CL env 5.2.14 R1; CL env 5.2.15 R1; CL env 5.2.16 R1;
 * CL env 5.2.17 R1; CL env 5.2.18 R1; CL env 5.2.19 R1; CL env 5.2.20 R1] */
static const struct {
    cl_uint capability;
    bool images; /* needs a device with images */
} capabilities[] = {
    {SpvCapabilityAddresses, false},
    {SpvCapabilityLinkage, false},
    {SpvCapabilityKernel, false},
    {SpvCapabilityVector16, false},
    {SpvCapabilityFloat16Buffer, false},
    {SpvCapabilityFloat16, false},
    {SpvCapabilityFloat64, false},
    {SpvCapabilityInt64, false},
    {SpvCapabilityInt64Atomics, false},
    {SpvCapabilityImageBasic, true},
    {SpvCapabilityImageReadWrite, true},
    {SpvCapabilityImageMipmap, true},
    {SpvCapabilityPipes, false},
    {SpvCapabilityGroups, false},
    {SpvCapabilityDeviceEnqueue, false},
    {SpvCapabilityLiteralSampler, true},
    {SpvCapabilityInt16, false},
    {SpvCapabilityGenericPointer, false},
    {SpvCapabilityInt8, false},
    {SpvCapabilitySampled1D, true},
    {SpvCapabilityImage1D, true},
    {SpvCapabilitySampledBuffer, true},
    {SpvCapabilityImageBuffer, true},
    {SpvCapabilitySubgroupDispatch, false},
    {SpvCapabilityNamedBarrier, false},
    {SpvCapabilityPipeStorage, false},
    {SpvCapabilityGroupNonUniform, false},
    {SpvCapabilityGroupNonUniformVote, false},
    {SpvCapabilityGroupNonUniformArithmetic, false},
    {SpvCapabilityGroupNonUniformBallot, false},
    {SpvCapabilityGroupNonUniformShuffle, false},
    {SpvCapabilityGroupNonUniformShuffleRelative, false},
    {SpvCapabilityGroupNonUniformClustered, false},
    {SpvCapabilityExpectAssumeKHR, false},
    {SpvCapabilityDotProductInput4x8Bit, false},
    {SpvCapabilityDotProductInput4x8BitPacked, false},
    {SpvCapabilityDotProduct, false},
    {SpvCapabilityBitInstructions, false},
    {SpvCapabilityGroupNonUniformRotateKHR, false},
    {SpvCapabilityGroupUniformArithmeticKHR, false},
    {SpvCapabilityShaderClockKHR, false},
    {SpvCapabilityAtomicFloat16AddEXT, false},
    {SpvCapabilityAtomicFloat32AddEXT, false},
    {SpvCapabilityAtomicFloat64AddEXT, false},
    {SpvCapabilityAtomicFloat16MinMaxEXT, false},
    {SpvCapabilityAtomicFloat32MinMaxEXT, false},
    {SpvCapabilityAtomicFloat64MinMaxEXT, false},
};

cl_int rt_put_spirv_capabilities(const void *object, const struct rt_info_out *out)
{
    const struct rt_device *device = object;
    cl_uint found[sizeof capabilities / sizeof *capabilities];
    size_t count = 0;
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (device->limits.images || !capabilities[i].images)
            found[count++] = capabilities[i].capability;
    return rt_info_put(out, found, count * sizeof *found);
}
