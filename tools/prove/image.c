/* Images: an access is of the texel at its coordinates, of any texel where a sampler chooses it.  Texels that
 * are read are unconstrained, and so are the results of queries. */
#include "tools/prove/internal.h"

#include <string.h>

/* The number of coordinates of a texel in images of type T: a further component of the vector is ignored
 * [CLC 6.15.15]. */
static uint32_t coordinate_count(struct pv *pv, const struct in_inst *inst, const struct in_ty *t)
{
    const struct in_inst *type = ex_definition(pv->ex, t->id);
    if (type->operand_count < 5 || type->operands[4])
        pv_stop(pv, inst, "images of several samples are not supported by --prove");
    switch (type->operands[1]) {
    case SpvDim1D:
    case SpvDimBuffer:
        return 1 + type->operands[3];
    case SpvDim2D:
        return 2 + type->operands[3];
    case SpvDim3D:
        return 3;
    default:
        pv_stop(pv, inst, "images of this kind are not supported by --prove");
    }
}

/* COORDINATES: PV_NONE where a sampler chooses the texel. */
static void access_image(struct pv_run *run, const struct in_inst *inst, enum pv_access_kind kind,
                         uint32_t image_id, uint32_t coordinates)
{
    struct pv *pv = run->pv;
    struct pv_value image = pv_get(run, image_id), *texel = NULL;
    uint64_t object;
    if (!image.leaves[0].object || !pv_is_number(pv, image.leaves[0].object, &object))
        pv_stop(pv, inst, "an image that is no argument is not supported by --prove");
    if (coordinates != PV_NONE) {
        struct pv_value at = pv_get(run, coordinates);
        uint32_t count = coordinate_count(pv, inst, image.type);
        texel = pv_alloc(pv, 1, sizeof *texel);
        *texel = pv_new_value(pv, at.type);
        texel->count = at.count > count ? count : at.count;
        memcpy(texel->leaves, at.leaves, texel->count * sizeof *texel->leaves);
    }
    pv_add_access(run, (struct pv_access){.kind = kind,
                                          .inst = inst,
                                          .object = image.leaves[0].object,
                                          .regions = 1U << PV_IMAGE,
                                          .texel = texel});
}

bool pv_image(struct pv_run *run, const struct in_inst *inst)
{
    struct pv *pv = run->pv;
    if (pv->ex->module.vulkan)
        return false;
    switch (inst->opcode) {
    case SpvOpSampledImage: {
        struct pv_value value = pv_new_value(pv, ex_type(pv->ex, inst->type));
        value.leaves[0] = pv_get_scalar(run, inst->operands[0]);
        pv_set(run, inst, value);
        return true;
    }
    case SpvOpImageWrite:
        access_image(run, inst, PV_WRITE, inst->operands[0], inst->operands[1]);
        return true;
    case SpvOpImageRead:
        access_image(run, inst, PV_READ, inst->operands[0], inst->operands[1]);
        break;
    case SpvOpImageSampleExplicitLod:
        access_image(run, inst, PV_READ, inst->operands[0], PV_NONE);
        break;
    case SpvOpImageQueryFormat:
    case SpvOpImageQueryOrder:
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize:
    case SpvOpImageQueryLevels:
        break;
    default:
        return false;
    }
    pv_set(run, inst, pv_fresh_value(pv, ex_type(pv->ex, inst->type)));
    return true;
}
