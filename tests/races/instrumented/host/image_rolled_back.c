// Texels of a format that compiled code does not decode, whose alpha is 1.  Work-items that read another alpha write to
// images of several kinds, and all texels remain zero.
#include "../../host/host.h"

static const char *const source =
    "kernel void look_first(read_only image2d_t from, write_only image3d_t to, write_only image1d_array_t rows,\n"
    "                       write_only image2d_array_t layers) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  if (read_imagef(from, (int2)(i % 8, i / 8)).w == 1) return;\n"
    "  write_imagei(to, (int4)(i % 4, i / 4 % 4, i / 16, 0), (int4)(7));\n"
    "  write_imagei(rows, (int2)(i % 8, i / 8), (int4)(7));\n"
    "  write_imagei(layers, (int4)(i % 2, i / 2 % 8, i / 16, 0), (int4)(7)); }\n";

static cl_mem create_filled(cl_command_queue q, const cl_image_format *format, const cl_image_desc *desc,
                            const size_t region[3], const void *color)
{
    cl_int code;
    const size_t origin[3] = {0, 0, 0};
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, format, desc, NULL, &code);
    OK(code);
    OK(clEnqueueFillImage(q, image, color, origin, region, 0, NULL, NULL));
    return image;
}

int main(void)
{
    enum { IMAGES = 3 };
    const size_t origin[3] = {0, 0, 0}, square[3] = {8, 8, 1},
                 regions[IMAGES][3] = {{4, 4, 4}, {8, 8, 1}, {2, 8, 4}};
    const cl_image_format integers = {CL_R, CL_SIGNED_INT32}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    const cl_image_desc descriptions[IMAGES] = {
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 4, .image_depth = 4},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 8, .image_array_size = 8},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
         .image_width = 2,
         .image_height = 8,
         .image_array_size = 4}};
    const cl_image_desc from = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    const float white[4] = {1, 1, 1, 1};
    const int zero[4] = {0};
    cl_mem images[IMAGES], read;
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    read = create_filled(q, &srgb, &from, square, white);
    for (int k = 0; k < IMAGES; k++)
        images[k] = create_filled(q, &integers, &descriptions[k], regions[k], zero);
    cl_kernel look = kernel("look_first", read, images[0], images[1]);
    OK(clSetKernelArg(look, 3, sizeof images[2], &images[2]));
    launch_groups(q, look, N, 16);
    for (int k = 0; k < IMAGES; k++) {
        int texels[N];
        OK(clEnqueueReadImage(q, images[k], CL_TRUE, origin, regions[k], 0, 0, texels, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            if (texels[i] != 0)
                return 1 + k;
    }
    return 0;
}
