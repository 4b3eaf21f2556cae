// Images of one and three dimensions and of layers: the argument names the kernel.  "copy": every work-item reads and writes a
// texel of each; others have one invalid access.
#include "../../host/host.h"

static const char *const source =
    "constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;\n"
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
    "#define IMAGES read_only image1d_t a, read_only image2d_array_t b, read_only image3d_t c, \\\n"
    "               write_only image1d_t d, write_only image2d_array_t e, write_only image3d_t f\n"
    "#define I int i = (int)get_global_id(0); int4 at = (int4)(i % 4, i / 4 % 4, i / 16, 0)\n"
    "kernel void copy(IMAGES) { I;\n"
    "  write_imagef(d, i, read_imagef(a, i) + read_imagef(a, edge, i - 0.25f));\n"
    "  write_imagef(e, at, read_imagef(b, at) + read_imagef(b, edge, convert_float4(at) + 0.75f));\n"
    "  write_imagef(f, at, read_imagef(c, at) + read_imagef(c, edge, convert_float4(at) - 0.75f)); }\n"
    "kernel void twice(IMAGES) { I; at.x /= 2; write_imagef(f, at, (float4)((float)i)); }\n"
    "kernel void layer(IMAGES) { I; at.z += i == 52; write_imagef(e, at, (float4)(1)); }\n"
    "kernel void above(IMAGES) { I; at.z += 1; write_imagef(f, at, (float4)(1)); }\n"
    "kernel void behind(IMAGES) { I; write_imagef(d, i + (i == 63), (float4)(1)); }\n"
    "kernel void beside(IMAGES) { I; write_imagef(d, i, read_imagef(a, plain, (float)(i + 8))); }\n";

static cl_mem create_texels(int kind)
{
    static unsigned char bytes[N * 4] = {1, 2, 3, 4, 255, 250, 245, 240};
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc descriptions[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = N},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
         .image_width = 4,
         .image_height = 4,
         .image_array_size = 4},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4}};
    cl_int code;
    cl_mem mem = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &descriptions[kind], bytes, &code);
    OK(code);
    return mem;
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 1;
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    cl_kernel k = kernel(arguments[1], NULL, NULL, NULL);
    for (cl_uint i = 0; i < 6; i++) {
        cl_mem image = create_texels((int)i % 3);
        OK(clSetKernelArg(k, i, sizeof image, &image));
    }
    launch_groups(q, k, N, 16);
    OK(clFinish(q));
    return 0;
}
