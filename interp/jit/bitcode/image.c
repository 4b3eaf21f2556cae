/* Accesses to texels of 2D images in the usual formats, inlined into kernels: the same values, bit for bit,
 * as interp/image computes.  Everything else (other kinds and formats, coordinates outside the image) is left
 * to the interpreter's function, as is every invalid access; in instrumented launches it is suspicious. */
#include "interp/image/image.h"
#include "interp/jit/instrument/shadow.h"
#include "interp/jit/run/callout.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));
typedef uint32_t uint4 __attribute__((vector_size(16)));
typedef uint8_t uchar4 __attribute__((vector_size(4)));
typedef int8_t char4 __attribute__((vector_size(4)));
typedef double double4 __attribute__((vector_size(32)));

/* The callout that the interpreter's function needs. */
#define CALLOUT                                                                                              \
    struct in_jit_callout *o, uint32_t k, uint8_t *frame, uint32_t g0, uint32_t g1, uint32_t g2,             \
        uint32_t l0, uint32_t l1, uint32_t l2
#define PASS o, k, frame, g0, g1, g2, l0, l1, l2
/* Fields of struct in_image, which compiled code loads once. */
#define IMAGE                                                                                                \
    uint8_t *data, uint64_t pitch, uint32_t kind, uint32_t order, uint32_t type, uint32_t width,             \
        uint32_t height
#define SHAPE data, pitch, kind, order, type, width, height
/* Likewise with the bytes of a texel. */
#define TEXELS IMAGE, uint32_t size
#define SIZED  SHAPE, size
/* In instrumented launches: the argument that the image is, and whether the instruction has texels of
 * floats. */
#define CHECKS uint64_t image, bool floats
#define INLINE __attribute__((always_inline))

void in_jit_image_read(CALLOUT, IMAGE, int32_t x, int32_t y, void *to);
void in_jit_image_write(CALLOUT, IMAGE, int32_t x, int32_t y, const void *from);
void in_jit_image_sample_int(CALLOUT, IMAGE, int32_t x, int32_t y, void *to, uint64_t sampler);
void in_jit_image_sample(CALLOUT, IMAGE, float x, float y, void *to, uint64_t sampler);
void in_jit_image_read_checked(CHECKS, IMAGE, int32_t x, int32_t y, void *to);
void in_jit_image_write_checked(CHECKS, IMAGE, int32_t x, int32_t y, const void *from);
void in_jit_image_sample_int_checked(CHECKS, IMAGE, int32_t x, int32_t y, void *to, uint64_t sampler);
void in_jit_image_sample_checked(CHECKS, IMAGE, float x, float y, void *to, uint64_t sampler);
/* Markers (instrument/docs/instrumentation.md#markers). */
uint8_t *in_texel(uint8_t *at, uint64_t image, uint64_t index, uint32_t how) __asm__("in.texel");
uint8_t *in_undo(uint64_t image, uint64_t index) __asm__("in.undo");
void in_suspect(bool bad) __asm__("in.suspect");

void in_jit_interpret(CALLOUT);

/* Not inlined, so that the code around it knows the callee: no work-item waits in it, and it returns
 * (vectorize/llvm_shim.cpp). */
__attribute__((noinline)) void in_jit_interpret(CALLOUT)
{
    o->call(o, k, frame, g0, g1, g2, l0, l1, l2);
}

/* ---- texels ------------------------------------------------------------------------------ */

/* Bytes of a texel; 0: not of a format that is decoded here. */
static inline INLINE uint32_t texel_size(uint32_t order, uint32_t type)
{
    bool four = order == IN_ORDER_RGBA, one = order == IN_ORDER_R;
    switch (type) {
    case IN_CHANNEL_UNORM_INT8:
        return four || order == IN_ORDER_BGRA ? 4 : one ? 1 : 0;
    case IN_CHANNEL_UNSIGNED_INT8:
    case IN_CHANNEL_SIGNED_INT8:
        return four ? 4 : one ? 1 : 0;
    case IN_CHANNEL_FLOAT:
    case IN_CHANNEL_UNSIGNED_INT32:
    case IN_CHANNEL_SIGNED_INT32:
        return four ? 16 : one ? 4 : 0;
    default:
        return 0;
    }
}

static inline INLINE float4 swap_channels(float4 t, uint32_t order)
{
    return order == IN_ORDER_BGRA ? __builtin_shufflevector(t, t, 2, 1, 0, 3) : t;
}

/* SIZE bytes, zero-extended. */
static inline INLINE uchar4 bytes_at(const uint8_t *at, uint32_t size)
{
    uchar4 b = {*at, 0, 0, 0};
    if (size == 4)
        __builtin_memcpy(&b, at, sizeof b);
    return b;
}

static inline INLINE uint4 decode_texel(const uint8_t *at, uint32_t size, uint32_t order, uint32_t type)
{
    float4 f = {0, 0, 0, 1};
    uint4 u = {0, 0, 0, 1};
    switch (type) {
    case IN_CHANNEL_UNORM_INT8:
        f = swap_channels(__builtin_convertvector(bytes_at(at, size), float4) / 255.0f, order);
        f[3] = size == 4 ? f[3] : 1;
        return (uint4)f;
    case IN_CHANNEL_UNSIGNED_INT8:
        u = __builtin_convertvector(bytes_at(at, size), uint4);
        u[3] = size == 4 ? u[3] : 1;
        return u;
    case IN_CHANNEL_SIGNED_INT8:
        u = (uint4) __builtin_convertvector((char4)bytes_at(at, size), int4);
        u[3] = size == 4 ? u[3] : 1;
        return u;
    default:
        if (type == IN_CHANNEL_FLOAT)
            u = (uint4)f;
        if (size == 16)
            __builtin_memcpy(&u, at, 16);
        else
            __builtin_memcpy(&u, at, 4);
        return u;
    }
}

/* Not a number is stored as 0. */
static inline INLINE uchar4 normalize_texel(float4 t)
{
    float4 scaled = t * 255.0f;
    int4 above = scaled > 0.0f, below = scaled < 255.0f;
    scaled = (float4)((above & below & (int4)scaled) | (above & ~below & (int4)(float4){255, 255, 255, 255}));
    return __builtin_convertvector(__builtin_convertvector(__builtin_elementwise_roundeven(scaled), int4),
                                   uchar4);
}

static inline INLINE uchar4 saturate_texel(uint4 u)
{
    uint4 fits = (uint4)(u < 256u);
    return __builtin_convertvector((u & fits) | (255u & ~fits), uchar4);
}

static inline INLINE uchar4 saturated_signed(int4 i)
{
    int4 low = i<-128, high = i> 127;
    i = (i & ~low & ~high) | (-128 & low) | (127 & high);
    return (uchar4) __builtin_convertvector(i, char4);
}

static inline INLINE void encode_texel(uint8_t *at, uint32_t size, uint32_t order, uint32_t type, uint4 u)
{
    uchar4 b;
    if (type == IN_CHANNEL_UNORM_INT8)
        b = normalize_texel(swap_channels((float4)u, order));
    else if (type == IN_CHANNEL_UNSIGNED_INT8)
        b = saturate_texel(u);
    else if (type == IN_CHANNEL_SIGNED_INT8)
        b = saturated_signed((int4)u);
    else if (size == 16)
        __builtin_memcpy(at, &u, 16);
    else
        __builtin_memcpy(at, &u, 4);
    if (type == IN_CHANNEL_UNORM_INT8 || type == IN_CHANNEL_UNSIGNED_INT8 || type == IN_CHANNEL_SIGNED_INT8) {
        if (size == 4)
            __builtin_memcpy(at, &b, 4);
        else
            *at = b[0];
    }
}

/* Whether the texel is one that is decoded here; 2D and inside the image. */
static inline INLINE bool is_plain(TEXELS, int32_t x, int32_t y)
{
    (void)data, (void)pitch, (void)order, (void)type;
    return kind == IN_IMAGE_2D && size != 0 && (uint32_t)x < width && (uint32_t)y < height;
}

static inline INLINE uint8_t *texel_address(TEXELS, int32_t x, int32_t y)
{
    (void)kind, (void)order, (void)type, (void)width, (void)height;
    return data + (uint64_t)(uint32_t)y * pitch + (uint64_t)(uint32_t)x * size;
}

/* ---- accesses: false if the interpreter's function has to make it -------------------------- */

static inline INLINE uint4 load_texel(TEXELS, int32_t x, int32_t y)
{
    return decode_texel(texel_address(SIZED, x, y), size, order, type);
}

static inline INLINE bool read_texel(TEXELS, int32_t x, int32_t y, void *to)
{
    if (!is_plain(SIZED, x, y))
        return false;
    uint4 texel = load_texel(SIZED, x, y);
    __builtin_memcpy(to, &texel, sizeof texel);
    return true;
}

static inline INLINE void save_texel(uint8_t *to, const uint8_t *from, uint32_t size)
{
    if (!to)
        return;
    if (size == 16)
        __builtin_memcpy(to, from, 16);
    else if (size == 4)
        __builtin_memcpy(to, from, 4);
    else
        *to = *from;
}

/* WATCH: the launch is instrumented; then IMAGE is the argument that the image is. */
static inline INLINE bool write_texel(bool watch, uint64_t image, TEXELS, int32_t x, int32_t y,
                                      const void *from)
{
    uint4 texel;
    if (!is_plain(SIZED, x, y))
        return false;
    uint8_t *at = texel_address(SIZED, x, y);
    if (watch) {
        uint64_t index = (uint64_t)(uint32_t)y * width + (uint32_t)x;
        uint8_t *undo = in_undo(image, index);
        at = in_texel(at, image, index, IN_SHADOW_WRITTEN);
        save_texel(undo, at, size);
    }
    __builtin_memcpy(&texel, from, sizeof texel);
    encode_texel(at, size, order, type, texel);
    return true;
}

/* ---- samplers ---------------------------------------------------------------------------- */

/* Samplers are their own values, as literal ones (module/constant.c). */
static inline INLINE bool is_literal(uint64_t sampler)
{
    return sampler >> 31 == 1;
}

static inline INLINE uint32_t addressing_of(uint64_t sampler)
{
    return (uint32_t)(sampler >> 2 & 7);
}

/* Coordinates that stay outside the image go to the interpreter's function. */
static inline INLINE int32_t address_texel(uint32_t mode, int32_t i, uint32_t size)
{
    int32_t last = (int32_t)size - 1;
    if (mode == IN_ADDRESS_REPEAT)
        return i < 0 ? i + (int32_t)size : i > last ? i - (int32_t)size : i;
    bool clamps = mode == IN_ADDRESS_CLAMP_TO_EDGE || mode == IN_ADDRESS_MIRRORED_REPEAT;
    return !clamps ? i : i < 0 ? 0 : i > last ? last : i;
}

/* Repeating modes need normalized coordinates. */
static inline INLINE bool sample_at(TEXELS, int32_t x, int32_t y, void *to, uint64_t sampler)
{
    uint32_t mode = addressing_of(sampler), known = mode == IN_ADDRESS_CLAMP_TO_EDGE ? mode : IN_ADDRESS_NONE;
    int32_t ax = address_texel(known, x, width), ay = address_texel(known, y, height);
    return is_literal(sampler) && mode <= IN_ADDRESS_MIRRORED_REPEAT && read_texel(SIZED, ax, ay, to);
}

static inline INLINE void add_weighted(double4 *sum, TEXELS, int32_t x, int32_t y, double wx, double wy)
{
    uint4 texel = load_texel(SIZED, x, y);
    *sum += wx * wy * __builtin_convertvector((float4)texel, double4);
}

/* In the interpreter's order of additions.  A loop would be vectorized across work-items. */
static inline INLINE float4 filter_texels(TEXELS, const int32_t x[2], const int32_t y[2], float fx, float fy)
{
    double right = (double)fx, left = 1 - right, low = (double)fy, high = 1 - low;
    double4 sum = {0, 0, 0, 0};
    add_weighted(&sum, SIZED, x[0], y[0], left, high);
    add_weighted(&sum, SIZED, x[1], y[0], right, high);
    add_weighted(&sum, SIZED, x[0], y[1], left, low);
    add_weighted(&sum, SIZED, x[1], y[1], right, low);
    return __builtin_convertvector(sum, float4);
}

/* The unnormalized coordinate that the mode makes of C. */
static inline INLINE float unnormalize_coordinate(uint64_t sampler, float c, uint32_t size)
{
    float n = (float)size, s = sampler & 2 ? c : c / n;
    switch (addressing_of(sampler)) {
    case IN_ADDRESS_REPEAT:
        return (s - __builtin_floorf(s)) * n;
    case IN_ADDRESS_MIRRORED_REPEAT:
        return __builtin_fabsf(s - 2.0f * __builtin_rintf(0.5f * s)) * n;
    default:
        return sampler & 2 ? c * n : c;
    }
}

static inline INLINE bool is_near(float u)
{
    return u > -1e9f && u < 1e9f;
}

static inline INLINE bool has_floats(uint32_t type)
{
    return type == IN_CHANNEL_UNORM_INT8 || type == IN_CHANNEL_FLOAT;
}

static inline INLINE bool sample_image(TEXELS, float x, float y, void *to, uint64_t sampler)
{
    bool linear = (sampler & 1) && has_floats(type);
    float u = unnormalize_coordinate(sampler, x, width) - (linear ? 0.5f : 0.0f);
    float v = unnormalize_coordinate(sampler, y, height) - (linear ? 0.5f : 0.0f);
    uint32_t mode = addressing_of(sampler);
    if (!is_literal(sampler) || mode > IN_ADDRESS_MIRRORED_REPEAT || !is_near(u) || !is_near(v))
        return false;
    float fu = __builtin_floorf(u), fv = __builtin_floorf(v);
    int32_t ax[2] = {address_texel(mode, (int32_t)fu, width), address_texel(mode, (int32_t)fu + 1, width)};
    int32_t ay[2] = {address_texel(mode, (int32_t)fv, height), address_texel(mode, (int32_t)fv + 1, height)};
    if (!is_plain(SIZED, ax[0], ay[0]) || (linear && !is_plain(SIZED, ax[1], ay[1])))
        return false;
    uint4 texel =
        linear ? (uint4)filter_texels(SIZED, ax, ay, u - fu, v - fv) : load_texel(SIZED, ax[0], ay[0]);
    __builtin_memcpy(to, &texel, sizeof texel);
    return true;
}

/* ---- what compiled code calls -------------------------------------------------------------- */

/* Separate functions with all arguments in registers, so that kernels with many accesses need not have a copy
 * for each: in_shim_inline_image_paths() inlines them into all others. */
#ifdef __x86_64__
#define OUT_OF_LINE __attribute__((noinline, regcall))
#else
#define OUT_OF_LINE __attribute__((noinline))
#endif

OUT_OF_LINE bool in_jit_path_read(IMAGE, int32_t x, int32_t y, void *to) __asm__("in_jit_path_read");
OUT_OF_LINE bool in_jit_path_write(IMAGE, int32_t x, int32_t y,
                                   const void *from) __asm__("in_jit_path_write");
OUT_OF_LINE bool in_jit_path_sample_int(IMAGE, int32_t x, int32_t y, void *to,
                                        uint64_t sampler) __asm__("in_jit_path_sample_int");
OUT_OF_LINE bool in_jit_path_sample(IMAGE, float x, float y, void *to,
                                    uint64_t sampler) __asm__("in_jit_path_sample");

bool in_jit_path_read(IMAGE, int32_t x, int32_t y, void *to)
{
    return read_texel(SHAPE, texel_size(order, type), x, y, to);
}

bool in_jit_path_write(IMAGE, int32_t x, int32_t y, const void *from)
{
    return write_texel(false, 0, SHAPE, texel_size(order, type), x, y, from);
}

bool in_jit_path_sample_int(IMAGE, int32_t x, int32_t y, void *to, uint64_t sampler)
{
    return sample_at(SHAPE, texel_size(order, type), x, y, to, sampler);
}

bool in_jit_path_sample(IMAGE, float x, float y, void *to, uint64_t sampler)
{
    return sample_image(SHAPE, texel_size(order, type), x, y, to, sampler);
}

INLINE void in_jit_image_read(CALLOUT, IMAGE, int32_t x, int32_t y, void *to)
{
    if (!in_jit_path_read(SHAPE, x, y, to))
        in_jit_interpret(PASS);
}

INLINE void in_jit_image_write(CALLOUT, IMAGE, int32_t x, int32_t y, const void *from)
{
    if (!in_jit_path_write(SHAPE, x, y, from))
        in_jit_interpret(PASS);
}

INLINE void in_jit_image_sample_int(CALLOUT, IMAGE, int32_t x, int32_t y, void *to, uint64_t sampler)
{
    if (!in_jit_path_sample_int(SHAPE, x, y, to, sampler))
        in_jit_interpret(PASS);
}

INLINE void in_jit_image_sample(CALLOUT, IMAGE, float x, float y, void *to, uint64_t sampler)
{
    if (!in_jit_path_sample(SHAPE, x, y, to, sampler))
        in_jit_interpret(PASS);
}

/* Images that are read have no tags: the marker says of the image that it is read, whichever texels are. */
INLINE void in_jit_image_read_checked(CHECKS, IMAGE, int32_t x, int32_t y, void *to)
{
    data = in_texel(data, image, 0, 0);
    in_suspect(has_floats(type) != floats || !in_jit_path_read(SHAPE, x, y, to));
}

INLINE void in_jit_image_write_checked(CHECKS, IMAGE, int32_t x, int32_t y, const void *from)
{
    in_suspect(has_floats(type) != floats ||
               !write_texel(true, image, SHAPE, texel_size(order, type), x, y, from));
}

INLINE void in_jit_image_sample_int_checked(CHECKS, IMAGE, int32_t x, int32_t y, void *to, uint64_t sampler)
{
    data = in_texel(data, image, 0, 0);
    in_suspect(has_floats(type) != floats || !in_jit_path_sample_int(SHAPE, x, y, to, sampler));
}

INLINE void in_jit_image_sample_checked(CHECKS, IMAGE, float x, float y, void *to, uint64_t sampler)
{
    data = in_texel(data, image, 0, 0);
    in_suspect(has_floats(type) != floats || !in_jit_path_sample(SHAPE, x, y, to, sampler));
}
