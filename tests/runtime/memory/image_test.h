/* Shared by tests of images. */
#ifndef TESTS_RUNTIME_MEMORY_IMAGE_TEST_H
#define TESTS_RUNTIME_MEMORY_IMAGE_TEST_H

#include "tests/runtime/runtime_test.h"

#include <stdbool.h>

__attribute__((unused)) static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8},
                                                     r32 = {CL_R, CL_UNSIGNED_INT32};

__attribute__((unused)) static cl_mem image_of(cl_mem_object_type type, cl_image_format format, size_t w,
                                               size_t h, size_t d, size_t layers)
{
    const cl_image_desc desc = {.image_type = type,
                                .image_width = w,
                                .image_height = h,
                                .image_depth = d,
                                .image_array_size = layers};
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    OK(err);
    return image;
}

__attribute__((unused)) static const size_t zero[3];

#endif
