// Float texels are sampled and fetched, with a sampler argument; every work-item writes a separate texel.
#include "../../host/host.h"

static const char *const source =
    "kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t how) {\n"
    "  int i = (int)get_global_id(0); int2 at = (int2)(i % 8, i / 8);\n"
    "  write_imagef(to, at, read_imagef(from, at) + read_imagef(from, how, convert_float2(at) - 0.25f)); }\n";

static cl_mem texels(void)
{
    static unsigned char bytes[N * 4] = {1, 2, 3, 4, 255, 250, 245, 240};
    cl_int code;
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_mem mem = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, bytes, &code);
    OK(code);
    return mem;
}

int main(void)
{
    cl_int code;
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    cl_kernel k = kernel("copy", texels(), texels(), NULL);
    const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          CL_FALSE,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_FILTER_MODE,
                                          CL_FILTER_LINEAR,
                                          0};
    cl_sampler how = clCreateSamplerWithProperties(context, list, &code);
    OK(code);
    OK(clSetKernelArg(k, 2, sizeof how, &how));
    launch_groups(q, k, N, 16);
    OK(clFinish(q));
    return 0;
}
