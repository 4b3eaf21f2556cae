/* Images and samplers among the arguments of witnesses. */
#include "tools/witness/witness.h"

void witness_sampler(uint32_t bits, struct in_sampler *sampler)
{
    *sampler = (struct in_sampler){.normalized = bits >> 1 & 1,
                                   .addressing = (enum in_addressing)(bits >> 2 & 7),
                                   .filter = (enum in_filter)(bits & 1)};
}

void witness_image_layout(struct in_image *image)
{
    uint64_t texel = in_image_element_size(image->order, image->type);
    image->row_pitch = image->width * texel;
    image->slice_pitch = image->row_pitch * image->height;
}

/* The members of "image" in a file. */
static const char *const members[] = {"kind", "order", "type", "width", "height", "depth", "array_size"};

cJSON *witness_image_json(const struct in_image *image)
{
    const double values[] = {image->kind,   image->order, image->type,      image->width,
                             image->height, image->depth, image->array_size};
    cJSON *json = cJSON_CreateObject();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cJSON_AddNumberToObject(json, members[i], values[i]);
    return json;
}

/* Reads the description JSON of an image of BYTES bytes.  Returns NULL, or the error as text. */
static const char *read_image(const cJSON *json, uint64_t bytes, struct in_image *image)
{
    uint32_t values[sizeof members / sizeof *members];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(json, members[i]);
        double value = cJSON_IsNumber(member) ? member->valuedouble : -1;
        if (!(value >= 0 && value <= UINT16_MAX) || value != (double)(uint32_t)value)
            return "lacks a number that its description needs, or has a wrong one";
        values[i] = (uint32_t)value;
    }
    *image = (struct in_image){.kind = (enum in_image_kind)values[0],
                               .order = (enum in_channel_order)values[1],
                               .type = (enum in_channel_type)values[2],
                               .width = values[3],
                               .height = values[4],
                               .depth = values[5],
                               .array_size = values[6],
                               .levels = 1};
    if (image->kind >= IN_IMAGE_KINDS || image->kind == IN_IMAGE_1D_BUFFER ||
        !in_image_format_valid(values[1], values[2]))
        return "is of an unknown kind or format";
    uint64_t texels = (uint64_t)image->width * image->height * image->depth * image->array_size;
    witness_image_layout(image);
    if (texels == 0 || texels > bytes || texels * in_image_element_size(image->order, image->type) != bytes)
        return "is not as large as its object";
    return NULL;
}

static const char *read_sampler(const cJSON *json, struct witness_argument *a)
{
    const cJSON *bits = cJSON_GetObjectItemCaseSensitive(json, "sampler");
    double value = cJSON_IsNumber(bits) ? bits->valuedouble : 0;
    if (!(value >= 0x1p31 && value <= UINT32_MAX) || value != (double)(uint32_t)value)
        return "has no sampler";
    a->sampler = (uint32_t)value;
    return (a->sampler >> 2 & 7) > IN_ADDRESS_MIRRORED_REPEAT ? "has a sampler of an unknown addressing mode"
                                                              : NULL;
}

const char *witness_image_read(struct mm_arena *arena, const struct ck_program *program,
                               const struct in_argument_info *info, const cJSON *json,
                               struct witness_argument *a)
{
    if (info->kind == IN_ARG_SAMPLER)
        return read_sampler(json, a);
    if (info->kind != IN_ARG_IMAGE)
        return "is a pipe or a queue";
    struct in_image *image = mm_arena_alloc(arena, sizeof *image);
    if (!image || a->object >= program->object_count)
        return image ? "has no texels" : "cannot be read: out of memory";
    a->size = program->objects[a->object].size;
    const char *why = read_image(cJSON_GetObjectItemCaseSensitive(json, "image"), a->size, image);
    a->image = image;
    return why || image->kind == info->image_kind ? why : "is of another kind than the kernel's image";
}
