/* Images that `--arg image:...` describes; their contents from PNG and NumPy files. */
#include "tools/host/kernel_host.h"

#ifdef HAVE_PNG
#include <png.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct host_format read_format(const char *text)
{
    struct spec_format f;
    if (!spec_format_read(text, &f))
        host_fail("not a format of images", text);
    return (struct host_format){{CL_R + f.order, CL_SNORM_INT8 + f.type}, f.channels, f.scalar};
}

static bool is_png(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".png") == 0;
}

#ifdef HAVE_PNG
static void check_png_format(const struct host_format *format, const char *path)
{
    if (format->scalar.bytes != 1 || (format->channels != 4 && format->channels != 1))
        host_fail("a PNG file is for images of rgba8, bgra8 or r8", path);
}

static png_uint_32 png_format(const struct host_format *format)
{
    return format->channels == 1                       ? PNG_FORMAT_GRAY
           : format->cl.image_channel_order == CL_BGRA ? PNG_FORMAT_BGRA
                                                       : PNG_FORMAT_RGBA;
}
#endif

/* Reads width and height from the header alone: a picture may have far more pixels than its file has
 * bytes. */
static void read_png_size(const char *path, const struct host_format *format, uint64_t size[3])
{
#ifdef HAVE_PNG
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        host_fail(image.message, path);
    check_png_format(format, path);
    size[0] = image.width;
    size[1] = image.height;
    png_image_free(&image);
#else
    (void)format;
    (void)size;
    host_fail("this refcl was built without libpng: use a .npy file instead of", path);
#endif
}

/* Reads the picture, which has the image's size, as 8 bits for each of the format's channels; to be freed
 * with free(). */
static unsigned char *read_png(const char *path, const struct host_format *format, const size_t region[3])
{
    uint64_t size[3] = {0};
    read_png_size(path, format, size);
    if (size[0] != region[0] || size[1] != region[1])
        host_fail("the image's size is not that of", path);
#ifdef HAVE_PNG
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        host_fail(image.message, path);
    image.format = png_format(format);
    bool same = image.width == size[0] && image.height == size[1];
    unsigned char *pixels = same ? malloc(PNG_IMAGE_SIZE(image)) : NULL;
    if (!pixels)
        host_fail(same ? "out of memory for" : "the file changes while it is read", path);
    if (!png_image_finish_read(&image, NULL, pixels, 0, NULL))
        host_fail(image.message, path);
    return pixels;
#else
    return NULL;
#endif
}

static void write_png(const char *path, const unsigned char *pixels, const struct host_format *format,
                      const size_t *region)
{
#ifdef HAVE_PNG
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)region[0],
                       .height = (png_uint_32)(region[1] * region[2])};
    check_png_format(format, path);
    image.format = png_format(format);
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
        host_fail(image.message, path);
#else
    (void)pixels;
    (void)format;
    (void)region;
    host_fail("this refcl was built without libpng: use a .npy file instead of", path);
#endif
}

void host_image_level(const cl_image_desc *d, size_t level, size_t origin[4], size_t region[3])
{
    const size_t size[3] = {d->image_width >> level, d->image_height >> level, d->image_depth >> level};
    bool rows = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY,
         slices = d->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    int at = d->image_type == CL_MEM_OBJECT_IMAGE1D           ? 1
             : rows || d->image_type == CL_MEM_OBJECT_IMAGE2D ? 2
                                                              : 3;
    for (int k = 0; k < 3; k++)
        region[k] = size[k] ? size[k] : 1;
    if (rows || slices)
        region[rows ? 1 : 2] = d->image_array_size;
    memset(origin, 0, 4 * sizeof *origin);
    if (d->num_mip_levels > 1)
        origin[at] = level;
}

static cl_image_desc image_descriptor(const struct spec *spec, size_t region[3])
{
    const char *kind = spec->image_kind;
    const size_t n[3] = {spec->size[0], spec->size[1] ? spec->size[1] : 1, spec->size[2] ? spec->size[2] : 1};
    cl_image_desc d = {.image_width = n[0], .image_height = n[1], .image_depth = n[2]};
    memcpy(region, n, sizeof n);
    d.num_mip_levels = (cl_uint)spec->levels;
    d.image_type = *kind == '3'   ? CL_MEM_OBJECT_IMAGE3D
                   : *kind == '2' ? CL_MEM_OBJECT_IMAGE2D
                                  : CL_MEM_OBJECT_IMAGE1D;
    if (strcmp(kind, "1d_array") == 0) {
        d.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY;
        d.image_array_size = n[1];
    } else if (strcmp(kind, "2d_array") == 0) {
        d.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
        d.image_array_size = n[2];
    }
    return d;
}

static size_t bytes_of(const struct argument *a)
{
    return a->region[0] * a->region[1] * a->region[2] * a->format.channels * a->format.scalar.bytes;
}

void host_fill_image(struct host *host, struct argument *a)
{
    size_t bytes = bytes_of(a);
    unsigned char *data = calloc(1, bytes);
    if (!data)
        host_fail("out of memory", NULL);
    if (is_png(a->spec.file)) {
        free(data);
        data = read_png(a->spec.file, &a->format, a->region);
    } else {
        host_fill(data, bytes, a->format.scalar, &a->spec, host->round);
    }
    cl_image_desc d = image_descriptor(&a->spec, (size_t[3]){0});
    size_t origin[4], region[3];
    for (size_t level = 0; level == 0 || level < d.num_mip_levels; level++) {
        host_image_level(&d, level, origin, region);
        host_check(
            clEnqueueWriteImage(host->queue, a->image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL),
            "clEnqueueWriteImage");
    }
    free(data);
}

void host_make_image(struct host *host, struct argument *a)
{
    cl_int code;
    a->format = read_format(a->spec.format);
    if (!a->spec.size[0] && !is_png(a->spec.file))
        host_fail("an image without a size needs a PNG file, not", a->spec.file);
    if (!a->spec.size[0])
        read_png_size(a->spec.file, &a->format, a->spec.size);
    cl_image_desc description = image_descriptor(&a->spec, a->region);
    a->image = clCreateImage(host->context, host_access(&a->spec), &a->format.cl, &description, NULL, &code);
    host_check(code, "clCreateImage");
    host_fill_image(host, a);
}

void host_save_image(struct host *host, struct argument *a)
{
    unsigned char *data = malloc(bytes_of(a));
    const size_t shape[4] = {a->region[2], a->region[1], a->region[0], a->format.channels};
    unsigned first = a->region[2] == 1; /* two-dimensional: rows, columns, channels */
    if (!data)
        host_fail("out of memory", NULL);
    host_check(clEnqueueReadImage(host->queue, a->image, CL_TRUE, (size_t[4]){0}, a->region, 0, 0, data, 0,
                                  NULL, NULL),
               "clEnqueueReadImage");
    if (is_png(a->spec.output))
        write_png(a->spec.output, data, &a->format, a->region);
    else
        host_write_npy(a->spec.output, data, a->format.scalar, shape + first, 4 - first);
    free(data);
}
