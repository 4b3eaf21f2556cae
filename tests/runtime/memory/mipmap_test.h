/* Shared by tests of mipmapped images: images of each type, and the sizes of their levels
 * [cl_khr_mipmap_image]. */
#ifndef TESTS_RUNTIME_MEMORY_MIPMAP_TEST_H
#define TESTS_RUNTIME_MEMORY_MIPMAP_TEST_H

#include "tests/runtime/memory/image_test.h"

static const struct mip_case {
    cl_mem_object_type type;
    size_t width, height, depth, layers; /* 0: none */
    cl_uint levels;
    int level_at; /* which element of an origin is the level */
} mip_cases[] = {
    {CL_MEM_OBJECT_IMAGE1D, 13, 0, 0, 0, 4, 1}, {CL_MEM_OBJECT_IMAGE1D_ARRAY, 13, 0, 0, 3, 3, 2},
    {CL_MEM_OBJECT_IMAGE2D, 12, 5, 0, 0, 4, 2}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, 6, 5, 0, 4, 3, 3},
    {CL_MEM_OBJECT_IMAGE3D, 8, 6, 5, 0, 4, 3},
};
enum { MIP_CASES = sizeof mip_cases / sizeof *mip_cases };

static size_t mip_half(size_t n, cl_uint level)
{
    return n >> level ? n >> level : 1;
}

/* The region of a whole level, in the API's order. */
static void mip_region(const struct mip_case *c, cl_uint level, size_t region[3])
{
    region[0] = mip_half(c->width, level);
    region[1] = c->height ? mip_half(c->height, level) : c->layers ? c->layers : 1;
    region[2] = c->depth ? mip_half(c->depth, level) : c->height && c->layers ? c->layers : 1;
}

static size_t mip_texels(const struct mip_case *c, cl_uint level)
{
    size_t region[3];
    mip_region(c, level, region);
    return region[0] * region[1] * region[2];
}

static void mip_origin(const struct mip_case *c, cl_uint level, size_t origin[4])
{
    memset(origin, 0, 4 * sizeof *origin);
    origin[c->level_at] = level;
}

static cl_image_desc mip_desc(const struct mip_case *c)
{
    return (cl_image_desc){.image_type = c->type,
                           .image_width = c->width,
                           .image_height = c->height,
                           .image_depth = c->depth,
                           .image_array_size = c->layers,
                           .num_mip_levels = c->levels};
}

static cl_mem mip_image(const struct mip_case *c, cl_image_format format)
{
    const cl_image_desc desc = mip_desc(c);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    OK(err);
    return image;
}

#endif
