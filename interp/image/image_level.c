/* Levels of mipmapped images, and reads with a level of detail [cl_khr_mipmap_image], [CLC 6.15.15.2].
 *
 * Each level is half as large as the one before it, rounded down, but at least one texel in each dimension;
 * layers of an array stay.  The specification leaves three formulas to OpenGL's (4.6, 8.14): the level of
 * detail of gradients is the logarithm of the longer one, in texels of level 0; the nearest level of x.5 is
 * x; two levels are weighted by the fraction. */
#include "image.h"

#include <math.h>

uint32_t in_image_levels(const struct in_image *image)
{
    return image->levels ? image->levels : 1;
}

uint32_t in_image_most_levels(uint32_t width, uint32_t height, uint32_t depth)
{
    uint32_t levels = 1;
    for (uint32_t all = width | height | depth; all > 1; all >>= 1)
        levels++;
    return levels;
}

static uint64_t level_bytes(const struct in_image *level)
{
    return level->slice_pitch * level->depth * level->array_size;
}

static uint32_t next_level_size(uint32_t size)
{
    return size > 1 ? size / 2 : 1;
}

static void shrink_level(struct in_image *level)
{
    level->width = next_level_size(level->width);
    level->height = next_level_size(level->height);
    level->depth = next_level_size(level->depth);
    level->row_pitch = (uint64_t)level->width * in_image_element_size(level->order, level->type);
    level->slice_pitch = level->row_pitch * level->height;
}

bool in_image_level(const struct in_image *image, int64_t level, struct in_image *view, uint64_t *offset)
{
    *view = *image;
    view->levels = 1;
    *offset = 0;
    if (level < 0 || level >= in_image_levels(image))
        return false;
    for (int64_t k = 0; k < level; k++) {
        *offset += level_bytes(view);
        shrink_level(view);
    }
    view->data = image->data ? (unsigned char *)image->data + *offset : NULL;
    return true;
}

uint64_t in_image_bytes(const struct in_image *image)
{
    struct in_image last;
    uint64_t offset;
    in_image_level(image, (int64_t)in_image_levels(image) - 1, &last, &offset);
    return offset + level_bytes(&last);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static double length_in_texels(const struct in_image *image, const float *gradient)
{
    const uint32_t sizes[3] = {image->width, image->height, image->depth};
    double sum = 0;
    for (uint32_t axis = 0; axis < in_image_dimensions(image->kind); axis++)
        sum += (double)gradient[axis] * sizes[axis] * ((double)gradient[axis] * sizes[axis]);
    return sqrt(sum);
}

/* Held within the sampler's limits and the levels that there are; not a number counts as 0.  The smallest
 * level of detail limits those of gradients alone: SPIR-V has the same instruction for level 0 and for reads
 * without a level, which are of level 0. */
static float level_of_detail(const struct in_image *image, const struct in_sampler *sampler,
                             const struct in_lod *l)
{
    float most = (float)(in_image_levels(image) - 1), lod = l->lod;
    if (l->gradients)
        lod = (float)log2(fmax(length_in_texels(image, l->dx), length_in_texels(image, l->dy)));
    if (isnan(lod))
        lod = 0;
    if (sampler->has_mip && l->gradients)
        lod = fmaxf(lod, sampler->lod_min);
    if (sampler->has_mip)
        lod = fminf(lod, sampler->lod_max);
    return lod > most ? most : lod > 0 ? lod : 0;
}

/* A read from one level; adds to TOUCHED. */
static void sample_level(const struct in_image *image, const struct in_sampler *sampler,
                         const float *coordinates, uint32_t level, union in_texel *texel,
                         struct in_image_touched *touched)
{
    struct in_image view;
    struct in_image_touched here;
    uint64_t offset;
    in_image_level(image, level, &view, &offset);
    in_image_sample(&view, sampler, coordinates, texel, &here);
    if (!touched)
        return;
    touched->size = here.size;
    for (uint32_t k = 0; k < here.count; k++)
        touched->offset[touched->count++] = offset + here.offset[k];
}

void in_image_sample_lod(const struct in_image *image, const struct in_sampler *sampler,
                         const float *coordinates, const struct in_lod *lod, union in_texel *texel,
                         struct in_image_touched *touched)
{
    float at = level_of_detail(image, sampler, lod), fraction = at - floorf(at);
    bool weighted = sampler->has_mip && sampler->mip_filter == IN_FILTER_LINEAR &&
                    in_image_class(image->type) == IN_IMAGE_FLOAT;
    if (touched)
        *touched = (struct in_image_touched){.size = 0};
    if (!weighted) {
        sample_level(image, sampler, coordinates, (uint32_t)(ceilf(at + 0.5f) - 1), texel, touched);
        return;
    }
    union in_texel next;
    sample_level(image, sampler, coordinates, (uint32_t)at, texel, touched);
    if (fraction == 0)
        return;
    sample_level(image, sampler, coordinates, (uint32_t)at + 1, &next, touched);
    for (int k = 0; k < 4; k++)
        texel->f[k] =
            (float)((1 - (double)fraction) * (double)texel->f[k] + (double)fraction * (double)next.f[k]);
}
