/* Images as kernels see them [CL 5.3.1, CLC 8], [CLC 6.15.15]: formats, sampling, reads and writes of texels.
 *
 * Plain functions over a description of the image in memory.  They record nothing: where they read and wrote
 * is reported in a struct in_image_touched, from which the caller makes events. */
#ifndef INTERP_IMAGE_IMAGE_H
#define INTERP_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum in_image_kind {
    IN_IMAGE_1D,
    IN_IMAGE_1D_BUFFER,
    IN_IMAGE_1D_ARRAY,
    IN_IMAGE_2D,
    IN_IMAGE_2D_ARRAY,
    IN_IMAGE_3D,
    IN_IMAGE_KINDS
};

/* The numbers of SPIR-V's Image Channel Order [SPIRV 3.12]; cl_channel_order is 0x10B0 above. */
enum in_channel_order {
    IN_ORDER_R,
    IN_ORDER_A,
    IN_ORDER_RG,
    IN_ORDER_RA,
    IN_ORDER_RGB,
    IN_ORDER_RGBA,
    IN_ORDER_BGRA,
    IN_ORDER_ARGB,
    IN_ORDER_INTENSITY,
    IN_ORDER_LUMINANCE,
    IN_ORDER_RX,
    IN_ORDER_RGX,
    IN_ORDER_RGBX,
    IN_ORDER_DEPTH,
    IN_ORDER_DEPTH_STENCIL, /* of an extension: no format has it */
    IN_ORDER_SRGB,
    IN_ORDER_SRGBX,
    IN_ORDER_SRGBA,
    IN_ORDER_SBGRA,
    IN_ORDER_ABGR,
    IN_ORDER_COUNT
};

/* The numbers of SPIR-V's Image Channel Data Type [SPIRV 3.13]; cl_channel_type is 0x10D0 above. */
enum in_channel_type {
    IN_CHANNEL_SNORM_INT8,
    IN_CHANNEL_SNORM_INT16,
    IN_CHANNEL_UNORM_INT8,
    IN_CHANNEL_UNORM_INT16,
    IN_CHANNEL_UNORM_SHORT_565,
    IN_CHANNEL_UNORM_SHORT_555,
    IN_CHANNEL_UNORM_INT_101010,
    IN_CHANNEL_SIGNED_INT8,
    IN_CHANNEL_SIGNED_INT16,
    IN_CHANNEL_SIGNED_INT32,
    IN_CHANNEL_UNSIGNED_INT8,
    IN_CHANNEL_UNSIGNED_INT16,
    IN_CHANNEL_UNSIGNED_INT32,
    IN_CHANNEL_HALF_FLOAT,
    IN_CHANNEL_FLOAT,
    IN_CHANNEL_UNORM_INT24, /* of an extension: no format has it */
    IN_CHANNEL_UNORM_INT_101010_2,
    IN_CHANNEL_UNORM_INT10X6,
    IN_CHANNEL_UNORM_INT_2_101010 = 21, /* between them: raw formats, whose texels no text describes */
    IN_CHANNEL_UNSIGNED_INT10X6,
    IN_CHANNEL_UNSIGNED_INT12X4,
    IN_CHANNEL_UNSIGNED_INT14X2,
    IN_CHANNEL_UNORM_INT12X4,
    IN_CHANNEL_UNORM_INT14X2,
    IN_CHANNEL_COUNT
};

/* The type of a format's channels in kernels: that of read_imagef, read_imagei or read_imageui. */
enum in_image_class { IN_IMAGE_FLOAT, IN_IMAGE_SIGNED, IN_IMAGE_UNSIGNED };

/* The numbers of SPIR-V's Sampler Addressing Mode [SPIRV 3.10] and Filter Mode [SPIRV 3.11];
 * cl_addressing_mode is 0x1130 above, cl_filter_mode 0x1140. */
enum in_addressing {
    IN_ADDRESS_NONE,
    IN_ADDRESS_CLAMP_TO_EDGE,
    IN_ADDRESS_CLAMP,
    IN_ADDRESS_REPEAT,
    IN_ADDRESS_MIRRORED_REPEAT
};
enum in_filter { IN_FILTER_NEAREST, IN_FILTER_LINEAR };

struct in_sampler {
    bool normalized;
    enum in_addressing addressing;
    enum in_filter filter;
    /* For reads with a level of detail [cl_khr_mipmap_image]; the rest unless HAS_MIP: NEAREST, 0 and
     * FLT_MAX. */
    bool has_mip;
    enum in_filter mip_filter;
    float lod_min, lod_max;
};

struct in_image {
    enum in_image_kind kind;
    enum in_channel_order order;
    enum in_channel_type type;
    uint32_t width, height, depth; /* texels; 1 where the kind has no such dimension */
    uint32_t array_size;           /* layers of an array, else 1 */
    uint64_t row_pitch;            /* bytes between rows */
    uint64_t slice_pitch;          /* bytes between 2D slices, or between the layers of an array */
    void *data;
    uint32_t levels; /* mipmapped: levels, of which the other members describe level 0; else 0 or 1 */
};

/* The level of detail of a read with a sampler: explicit, or that of gradients by x and by y of the
 * coordinates. */
struct in_lod {
    bool gradients;
    float lod;
    float dx[3], dy[3]; /* with GRADIENTS: one element for each coordinate, without the layer of an array */
};

/* Red, green, blue, alpha; depth images use the first. */
union in_texel {
    float f[4];
    int32_t i[4];
    uint32_t u[4];
};

/* Texels of the image that an operation accessed. */
struct in_image_touched {
    uint32_t count;
    uint32_t size;       /* bytes of each */
    uint64_t offset[16]; /* bytes from the image's data */
};

/* ---- formats ------------------------------------------------------------------------------------ */

/* Whether the standard lets the type go with the order [CL 5.3.1.1]. */
bool in_image_format_valid(uint32_t order, uint32_t type);
/* The rest expects valid formats. */
uint32_t in_image_element_size(enum in_channel_order order, enum in_channel_type type); /* bytes */
enum in_image_class in_image_class(enum in_channel_type type);
/* Between a texel and the bytes of one element [CLC 8.3]: channels that the format lacks read as 0, alpha as
 * 1; what a write gives for them is dropped; values out of range are clamped. */
void in_texel_decode(enum in_channel_order order, enum in_channel_type type, const void *element,
                     union in_texel *texel);
void in_texel_encode(enum in_channel_order order, enum in_channel_type type, const union in_texel *texel,
                     void *element);

/* ---- geometry ------------------------------------------------------------------------------------ */

uint32_t in_image_coordinate_count(enum in_image_kind kind); /* with the layer of an array: 1, 2 or 3 */
uint32_t in_image_dimensions(enum in_image_kind kind);       /* without it */

/* ---- mip levels [cl_khr_mipmap_image] (image_level.c): one after the other, each without gaps -------- */

uint32_t in_image_levels(const struct in_image *image); /* at least 1 */
/* How many levels an image of this size has at most: the last one has a single texel, or a row of layers. */
uint32_t in_image_most_levels(uint32_t width, uint32_t height, uint32_t depth);
/* Level LEVEL as an image with one level; *OFFSET: of its texels, in bytes, from the data of IMAGE.  False:
 * there is no such level. */
bool in_image_level(const struct in_image *image, int64_t level, struct in_image *view, uint64_t *offset);
uint64_t in_image_bytes(const struct in_image *image); /* of all levels */

/* ---- addressing ---------------------------------------------------------------------------------- */

/* The texels between which a coordinate lies, at FRACTION of the way; for the nearest one, I0. */
struct in_image_place {
    int64_t i0, i1;
    float fraction;
};
/* The texels that a sampler reads for coordinate C of a side of EXTENT texels; those outside have the
 * border color [CLC 8.2]. */
struct in_image_place in_image_place(const struct in_sampler *sampler, float c, uint32_t extent,
                                     bool is_linear);
int64_t in_image_layer(float c, uint32_t array_size); /* [CLC 8.4] */

/* ---- access: COORDINATES has in_image_coordinate_count elements; TOUCHED may be NULL ------------- */

/* Reads with a sampler [CLC 8.2].  Linear filtering takes effect on formats of class FLOAT only, and the
 * repeating modes with normalized coordinates only: otherwise undefined, here nearest, and coordinates
 * divided by the size. NaN counts as coordinate 0. */
void in_image_sample(const struct in_image *image, const struct in_sampler *sampler, const float *coordinates,
                     union in_texel *texel, struct in_image_touched *touched);
/* The same with integer coordinates, which are never normalized nor filtered. */
void in_image_sample_int(const struct in_image *image, const struct in_sampler *sampler,
                         const int32_t *coordinates, union in_texel *texel, struct in_image_touched *touched);
/* Samples with a level of detail: from the nearest level, or a weighted mean of the two nearest ones,
 * depending on the sampler [CLC 6.15.15.2]. */
void in_image_sample_lod(const struct in_image *image, const struct in_sampler *sampler,
                         const float *coordinates, const struct in_lod *lod, union in_texel *texel,
                         struct in_image_touched *touched);
/* Without a sampler; false, and a texel of zeros, outside the image, which is undefined behavior. */
bool in_image_read(const struct in_image *image, const int32_t *coordinates, union in_texel *texel,
                   struct in_image_touched *touched);
/* False, and nothing written, outside the image, which is undefined behavior. */
bool in_image_write(const struct in_image *image, const int32_t *coordinates, const union in_texel *texel,
                    struct in_image_touched *touched);
/* The border color: the result of reads beyond the edges with IN_ADDRESS_CLAMP [CLC 6.15.15.1]. */
void in_image_border(const struct in_image *image, union in_texel *texel);

#endif
