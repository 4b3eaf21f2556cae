/* Accesses to texels, inlined into kernels: the same values, bit for bit, as interp/image computes.  What is
 * not decoded here (texel.h; levels of mipmapped images) is left to the interpreter's function, as is every
 * invalid access; instrumented launches are deoptimized then. */
#include "interp/jit/bitcode/texel.h"
#include "interp/jit/instrument/shadow.h"
#include "interp/jit/run/callout.h"

typedef double double4 __attribute__((vector_size(32)));

/* The callout that the interpreter's function needs. */
#define CALLOUT                                                                                              \
    struct in_jit_callout *o, uint32_t k, uint8_t *frame, uint32_t g0, uint32_t g1, uint32_t g2,             \
        uint32_t l0, uint32_t l1, uint32_t l2
#define PASS o, k, frame, g0, g1, g2, l0, l1, l2
/* Of struct in_image, which compiled code loads once: data, bytes between rows (1D arrays: layers) and
 * between slices (or layers), format, and the extent of each coordinate: 1 where there is none.  WANTED: the
 * kind that the instruction accesses, a constant. */
#define IMAGE                                                                                                \
    uint8_t *data, uint64_t pitch, uint64_t slice, uint32_t kind, uint32_t order, uint32_t type,             \
        uint32_t width, uint32_t height, uint32_t depth, uint32_t wanted
#define SHAPE data, pitch, slice, kind, order, type, width, height, depth, wanted
/* Coordinates: 0 where the image has none. */
#define AT       int32_t x, int32_t y, int32_t z
#define AT_POINT float x, float y, float z
/* In instrumented launches: the argument that the image is, and whether the instruction has texels of
 * floats. */
#define CHECKS uint64_t image, bool floats

bool in_jit_image_read(CALLOUT, IMAGE, AT, void *to);
bool in_jit_image_write(CALLOUT, IMAGE, AT, const void *from);
bool in_jit_image_sample_int(CALLOUT, IMAGE, AT, void *to, uint64_t sampler);
bool in_jit_image_sample(CALLOUT, IMAGE, AT_POINT, void *to, uint64_t sampler);
void in_jit_image_read_checked(CHECKS, IMAGE, AT, void *to);
void in_jit_image_write_checked(CHECKS, IMAGE, AT, const void *from);
void in_jit_image_sample_int_checked(CHECKS, IMAGE, AT, void *to, uint64_t sampler);
void in_jit_image_sample_checked(CHECKS, IMAGE, AT_POINT, void *to, uint64_t sampler);
/* Markers (instrument/docs/instrumentation.md#markers). */
uint8_t *in_texel(uint8_t *at, uint64_t image, uint64_t index, uint32_t how) __asm__("in.texel");
uint8_t *in_undo(uint64_t image, uint64_t index) __asm__("in.undo");
void in_deoptimize_if(bool bad) __asm__("in.deoptimize_if");

void in_jit_interpret(CALLOUT);

/* Not inlined, so that the code around it knows the callee: no work-item waits in it, and it returns
 * (llvm/llvm_shim.cpp). */
__attribute__((noinline)) void in_jit_interpret(CALLOUT)
{
    o->call(o, k, frame, g0, g1, g2, l0, l1, l2);
}

/* The outcome of an access: declined, so that the interpreter's function has to execute it; completed; or
 * completed without a texel, which is undefined behavior. */
enum outcome { DECLINED, DONE, OUTSIDE };

/* ---- texels at integer coordinates ---------------------------------------------------------- */

static inline INLINE bool is_decoded(IMAGE)
{
    (void)data, (void)pitch, (void)slice, (void)width, (void)height, (void)depth;
    return kind == wanted && texel_size(order, type) != 0;
}

static inline INLINE bool is_inside(IMAGE, AT)
{
    (void)data, (void)pitch, (void)slice, (void)kind, (void)order, (void)type, (void)wanted;
    return (uint32_t)x < width && (uint32_t)y < height && (uint32_t)z < depth;
}

static inline INLINE uint8_t *texel_address(IMAGE, AT)
{
    (void)kind, (void)width, (void)height, (void)depth, (void)wanted;
    return data + (uint64_t)(uint32_t)z * slice + (uint64_t)(uint32_t)y * pitch +
           (uint64_t)(uint32_t)x * texel_size(order, type);
}

static inline INLINE enum outcome read_texel(IMAGE, AT, void *to)
{
    uint4 texel = {0, 0, 0, 0};
    bool inside = is_inside(SHAPE, x, y, z);
    if (!is_decoded(SHAPE))
        return DECLINED;
    if (inside)
        texel = decode_texel(texel_address(SHAPE, x, y, z), order, type);
    __builtin_memcpy(to, &texel, sizeof texel);
    return inside ? DONE : OUTSIDE;
}

static inline INLINE void save_texel(uint8_t *to, const uint8_t *from, uint32_t size)
{
    if (!to)
        return;
    if (size == 16)
        __builtin_memcpy(to, from, 16);
    else if (size == 8)
        __builtin_memcpy(to, from, 8);
    else if (size == 4)
        __builtin_memcpy(to, from, 4);
    else if (size == 2)
        __builtin_memcpy(to, from, 2);
    else
        *to = *from;
}

/* INSTRUMENTED: as the launch is; then IMAGE is the argument that the image is. */
static inline INLINE enum outcome write_texel(bool instrumented, uint64_t image, IMAGE, AT, const void *from)
{
    uint4 texel;
    if (!is_decoded(SHAPE))
        return DECLINED;
    if (!is_inside(SHAPE, x, y, z))
        return OUTSIDE;
    uint8_t *at = texel_address(SHAPE, x, y, z);
    if (instrumented) {
        uint64_t index = ((uint64_t)(uint32_t)z * height + (uint32_t)y) * width + (uint32_t)x;
        uint8_t *undo = in_undo(image, index);
        at = in_texel(at, image, index, IN_SHADOW_WRITTEN);
        save_texel(undo, at, texel_size(order, type));
    }
    __builtin_memcpy(&texel, from, sizeof texel);
    encode_texel(at, order, type, texel);
    return DONE;
}

/* ---- samplers ---------------------------------------------------------------------------- */

/* Samplers are their own values, as literal ones (module/constant.c). */
static inline INLINE uint32_t addressing_of(uint64_t sampler)
{
    return (uint32_t)(sampler >> 2 & 7);
}

static inline INLINE bool is_literal(uint64_t sampler)
{
    return sampler >> 31 == 1 && addressing_of(sampler) <= IN_ADDRESS_MIRRORED_REPEAT;
}

static inline INLINE int32_t clamp_index(int32_t i, uint32_t extent)
{
    int32_t last = (int32_t)extent - 1;
    return i < 0 ? 0 : i > last ? last : i;
}

/* A coordinate of a texel: one outside, which has the border color, is held inside, so that a load needs no
 * branch and work-items can become lanes of a vector. */
struct index {
    int32_t i;
    bool inside;
};

static inline INLINE struct index find_index(uint64_t sampler, int32_t i, uint32_t extent)
{
    switch (addressing_of(sampler)) {
    case IN_ADDRESS_REPEAT:
        return (struct index){i < 0                     ? i + (int32_t)extent
                              : i > (int32_t)extent - 1 ? i - (int32_t)extent
                                                        : i,
                              true};
    case IN_ADDRESS_CLAMP_TO_EDGE:
    case IN_ADDRESS_MIRRORED_REPEAT:
        return (struct index){clamp_index(i, extent), true};
    default:
        return (struct index){clamp_index(i, extent), (uint32_t)i < extent};
    }
}

/* The channels of a texel as they are in memory; those of the border color are 0. */
static inline INLINE uint4 channels_or_border(IMAGE, struct index x, struct index y, struct index z)
{
    uint4 channels = load_channels(texel_address(SHAPE, x.i, y.i, z.i), order, type), none = {0, 0, 0, 0};
    return x.inside && y.inside && z.inside ? channels : none;
}

static inline INLINE enum outcome sampled_outcome(uint64_t sampler, bool inside)
{
    return addressing_of(sampler) == IN_ADDRESS_NONE && !inside ? OUTSIDE : DONE;
}

/* Integer coordinates never repeat. */
static inline INLINE struct index find_integer(uint64_t sampler, int32_t i, uint32_t extent, bool is_layer)
{
    bool clamps = is_layer || addressing_of(sampler) == IN_ADDRESS_CLAMP_TO_EDGE;
    return (struct index){clamp_index(i, extent), clamps || (uint32_t)i < extent};
}

static inline INLINE enum outcome sample_at(IMAGE, AT, void *to, uint64_t sampler)
{
    if (!is_decoded(SHAPE) || !is_literal(sampler))
        return DECLINED;
    struct index ix = find_integer(sampler, x, width, false);
    struct index iy = find_integer(sampler, y, height, wanted == IN_IMAGE_1D_ARRAY);
    struct index iz = find_integer(sampler, z, depth, wanted == IN_IMAGE_2D_ARRAY);
    uint4 texel = place_channels(channels_or_border(SHAPE, ix, iy, iz), order, type);
    __builtin_memcpy(to, &texel, sizeof texel);
    return sampled_outcome(sampler, ix.inside && iy.inside && iz.inside);
}

/* The unnormalized coordinate that the mode makes of C. */
static inline INLINE float unnormalize_coordinate(uint64_t sampler, float c, uint32_t extent)
{
    float n = (float)extent, s = sampler & 2 ? c : c / n;
    switch (addressing_of(sampler)) {
    case IN_ADDRESS_REPEAT:
        return (s - __builtin_floorf(s)) * n;
    case IN_ADDRESS_MIRRORED_REPEAT:
        return __builtin_fabsf(s - 2.0f * __builtin_rintf(0.5f * s)) * n;
    default:
        return sampler & 2 ? c * n : c;
    }
}

/* No image is as large as the limits, and neither are the results of repeating modes. */
static inline INLINE int32_t to_index(float whole)
{
    float low = whole > -0x1p30f ? whole : -0x1p30f;
    float held = low < 0x1p30f ? low : 0x1p30f;
    return whole == whole ? (int32_t)held : 0;
}

/* The texels between which a coordinate lies, and how far. */
struct place {
    struct index i[2];
    double weight[2];
};

static inline INLINE struct place find_place(uint64_t sampler, bool linear, float c, uint32_t extent)
{
    float u = unnormalize_coordinate(sampler, c, extent) - (linear ? 0.5f : 0.0f),
          whole = __builtin_floorf(u);
    float rest = u - whole, fraction = rest == rest ? rest : 0.0f;
    int32_t i = to_index(whole);
    return (struct place){{find_index(sampler, i, extent), find_index(sampler, i + 1, extent)},
                          {1 - (double)fraction, (double)fraction}};
}

/* On an axis that is not filtered: the layer C, or the only place. */
static inline INLINE struct place place_layer(float c, uint32_t extent)
{
    struct index i = {clamp_index(to_index(__builtin_rintf(c)), extent), true};
    return (struct place){{i, i}, {1, 0}};
}

static inline INLINE uint32_t axes_of(uint32_t wanted)
{
    return wanted == IN_IMAGE_3D ? 3 : wanted == IN_IMAGE_2D || wanted == IN_IMAGE_2D_ARRAY ? 2 : 1;
}

static inline INLINE void add_weighted(double4 *sum, IMAGE, struct index x, struct index y, struct index z,
                                       double weight)
{
    *sum += weight * __builtin_convertvector((float4)channels_or_border(SHAPE, x, y, z), double4);
}

static inline INLINE void add_row(double4 *sum, IMAGE, const struct place p[3], int y, int z)
{
    double wy = p[1].weight[y], wz = p[2].weight[z];
    add_weighted(sum, SHAPE, p[0].i[0], p[1].i[y], p[2].i[z], p[0].weight[0] * wy * wz);
    add_weighted(sum, SHAPE, p[0].i[1], p[1].i[y], p[2].i[z], p[0].weight[1] * wy * wz);
}

/* In the interpreter's order of additions.  A loop would be vectorized across work-items.  An alpha of 1 of
 * texels and border is 1 in the sum, too: the weights add up to 1 but for less than half a unit of floats. */
static inline INLINE uint4 filter_channels(IMAGE, const struct place p[3])
{
    double4 sum = {0, 0, 0, 0};
    add_row(&sum, SHAPE, p, 0, 0);
    if (axes_of(wanted) > 1)
        add_row(&sum, SHAPE, p, 1, 0);
    if (axes_of(wanted) > 2) {
        add_row(&sum, SHAPE, p, 0, 1);
        add_row(&sum, SHAPE, p, 1, 1);
    }
    float4 all = __builtin_convertvector(sum, float4), none = {0, 0, 0, 0};
    switch (channel_count(order)) { /* so that no other sums are computed */
    case 1:
        return (uint4)__builtin_shufflevector(all, none, 0, 4, 4, 4);
    case 2:
        return (uint4)__builtin_shufflevector(all, none, 0, 1, 4, 4);
    default:
        return (uint4)all;
    }
}

static inline INLINE enum outcome sample_image(IMAGE, AT_POINT, void *to, uint64_t sampler)
{
    bool linear = (sampler & 1) && has_floats(type), inside = true;
    uint32_t axes = axes_of(wanted);
    if (!is_decoded(SHAPE) || !is_literal(sampler))
        return DECLINED;
    const struct place p[3] = {find_place(sampler, linear, x, width),
                               axes > 1 ? find_place(sampler, linear, y, height) : place_layer(y, height),
                               axes > 2 ? find_place(sampler, linear, z, depth) : place_layer(z, depth)};
    for (int k = 0; k < 3; k++)
        inside &= p[k].i[0].inside && (!linear || p[k].i[1].inside);
    uint4 channels =
        linear ? filter_channels(SHAPE, p) : channels_or_border(SHAPE, p[0].i[0], p[1].i[0], p[2].i[0]);
    uint4 texel = place_channels(channels, order, type);
    __builtin_memcpy(to, &texel, sizeof texel);
    return sampled_outcome(sampler, inside);
}

/* ---- what compiled code calls -------------------------------------------------------------- */

/* Separate functions with arguments in registers, so that kernels with many accesses need not have a copy
 * for each: in_shim_inline_image_paths() inlines them into all others. */
#ifdef __x86_64__
#define OUT_OF_LINE __attribute__((noinline, regcall))
#else
#define OUT_OF_LINE __attribute__((noinline))
#endif

OUT_OF_LINE enum outcome in_jit_path_read(IMAGE, AT, void *to) __asm__("in_jit_path_read");
OUT_OF_LINE enum outcome in_jit_path_write(IMAGE, AT, const void *from) __asm__("in_jit_path_write");
OUT_OF_LINE enum outcome in_jit_path_sample_int(IMAGE, AT, void *to,
                                                uint64_t sampler) __asm__("in_jit_path_sample_int");
OUT_OF_LINE enum outcome in_jit_path_sample(IMAGE, AT_POINT, void *to,
                                            uint64_t sampler) __asm__("in_jit_path_sample");

enum outcome in_jit_path_read(IMAGE, AT, void *to)
{
    return read_texel(SHAPE, x, y, z, to);
}

enum outcome in_jit_path_write(IMAGE, AT, const void *from)
{
    return write_texel(false, 0, SHAPE, x, y, z, from);
}

enum outcome in_jit_path_sample_int(IMAGE, AT, void *to, uint64_t sampler)
{
    return sample_at(SHAPE, x, y, z, to, sampler);
}

enum outcome in_jit_path_sample(IMAGE, AT_POINT, void *to, uint64_t sampler)
{
    return sample_image(SHAPE, x, y, z, to, sampler);
}

/* False: the interpreter's function made the access, with operands and result in the frame. */
static inline INLINE bool complete_access(CALLOUT, enum outcome outcome)
{
    if (outcome == DECLINED)
        in_jit_interpret(PASS);
    return outcome != DECLINED;
}

INLINE bool in_jit_image_read(CALLOUT, IMAGE, AT, void *to)
{
    return complete_access(PASS, in_jit_path_read(SHAPE, x, y, z, to));
}

INLINE bool in_jit_image_write(CALLOUT, IMAGE, AT, const void *from)
{
    return complete_access(PASS, in_jit_path_write(SHAPE, x, y, z, from));
}

INLINE bool in_jit_image_sample_int(CALLOUT, IMAGE, AT, void *to, uint64_t sampler)
{
    return complete_access(PASS, in_jit_path_sample_int(SHAPE, x, y, z, to, sampler));
}

INLINE bool in_jit_image_sample(CALLOUT, IMAGE, AT_POINT, void *to, uint64_t sampler)
{
    return complete_access(PASS, in_jit_path_sample(SHAPE, x, y, z, to, sampler));
}

/* Images that are read have no tags: the marker says of the image that it is read, whichever texels are. */
INLINE void in_jit_image_read_checked(CHECKS, IMAGE, AT, void *to)
{
    data = in_texel(data, image, 0, 0);
    in_deoptimize_if(has_floats(type) != floats || in_jit_path_read(SHAPE, x, y, z, to) != DONE);
}

INLINE void in_jit_image_write_checked(CHECKS, IMAGE, AT, const void *from)
{
    in_deoptimize_if(has_floats(type) != floats || write_texel(true, image, SHAPE, x, y, z, from) != DONE);
}

INLINE void in_jit_image_sample_int_checked(CHECKS, IMAGE, AT, void *to, uint64_t sampler)
{
    data = in_texel(data, image, 0, 0);
    in_deoptimize_if(has_floats(type) != floats ||
                     in_jit_path_sample_int(SHAPE, x, y, z, to, sampler) != DONE);
}

INLINE void in_jit_image_sample_checked(CHECKS, IMAGE, AT_POINT, void *to, uint64_t sampler)
{
    data = in_texel(data, image, 0, 0);
    in_deoptimize_if(has_floats(type) != floats || in_jit_path_sample(SHAPE, x, y, z, to, sampler) != DONE);
}
