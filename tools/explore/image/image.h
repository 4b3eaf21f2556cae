/* Images and samplers. */
#ifndef TOOLS_EXPLORE_IMAGE_IMAGE_H
#define TOOLS_EXPLORE_IMAGE_IMAGE_H

#include "interp/image/image.h"
#include "tools/explore/explore.h"

struct ex_input;
struct spec;

struct ex_image {                /* an image argument: one object, an element for each channel of a texel */
    struct in_image description; /* without data */
    const struct in_ty *channel;
    unsigned channels; /* of a texel, one after the other */
    bool is_unsigned;
    uint32_t object;
};

/* ---- image.c ---- */

/* Lowers an instruction on images or samplers; false: it is not one. */
bool ex_image(struct ex *ex, const struct in_inst *inst);
bool ex_is_image(const struct in_ty *type);
/* Sets INPUT from SPEC, an image or sampler; turns SPEC of an image into a buffer of its channels, of type
 * *CHANNEL.  Returns NULL, or the error. */
const char *ex_image_argument(struct ex *ex, struct ex_input *input, struct spec *spec,
                              const struct in_ty **channel);
/* The argument ID, an image or a sampler, as a value of type T. */
struct ex_value ex_image_value(struct ex *ex, uint32_t id, const struct in_ty *t);
/* The type of the channels of image ID. */
const struct in_ty *ex_image_channel(struct ex *ex, uint32_t id);
/* Sets the object that holds the texels of image ID. */
void ex_image_object(struct ex *ex, uint32_t id, uint32_t object);

/* ---- image.c: for reads with a sampler (sample.c) ---- */

/* SIDES coordinates of 4 bytes, the layer of an array last; texels, or layers, along each side */
struct ex_texel {
    uint32_t sides, at[3], extent[3];
};

_Noreturn void ex_image_fail_unsupported(struct ex *ex, const struct in_inst *inst, const char *what,
                                         const char *instead);
/* The image, or sampled image, that INST accesses; in *SAMPLER its sampler, as OpConstantSampler has it in
 * interp/module. */
const struct ex_image *ex_image_of(struct ex *ex, const struct in_inst *inst, uint32_t *sampler);
/* Fails if the image operands from operand AT on change the value that INST reads or writes. */
void ex_image_check_operands(struct ex *ex, const struct in_inst *inst, uint32_t at,
                             const struct ex_image *image);
/* Fails if T is no type of texels of IMAGE. */
void ex_image_check_texel(struct ex *ex, const struct in_inst *inst, const struct in_ty *t,
                          const struct ex_image *image);
/* How many sides the image has, and their sizes, without coordinates. */
struct ex_texel ex_image_sides(const struct ex_image *image);
/* The integer coordinates of INST. */
struct ex_texel ex_image_coordinates(struct ex *ex, const struct in_inst *inst, const struct ex_image *image);
/* Whether TEXEL lies in its image; negative coordinates are large. */
uint32_t ex_image_inside(struct ex *ex, const struct ex_texel *texel);
/* Makes coordinate I the nearest one within the image [CLC 8.2]. */
void ex_image_clamp(struct ex *ex, struct ex_texel *texel, uint32_t i);
/* Emits an access outside of all objects unless TEXEL lies in its image. */
void ex_image_fault_outside(struct ex *ex, const struct ex_texel *texel);
/* Reads TEXEL, which lies in the image, into the registers of OUT. */
void ex_image_read_texel(struct ex *ex, const struct ex_image *image, const struct ex_texel *texel,
                         struct ex_value *out);

/* sample.c: OpImageSampleExplicitLod */
void ex_image_sample(struct ex *ex, const struct in_inst *inst);

#endif
