/* Specifications of kernel arguments, as `--arg` takes them:
 *
 *     [NAME=]buf:N[:CONTENTS]...   [NAME=]svm:N[:CONTENTS]...   [NAME=]local:BYTES   [NAME=]null
 *     [NAME=]image:KIND:WxHxD[:FORMAT][:levels=N][:CONTENTS]...   [NAME=]sampler[:WORD]...
 *     [NAME=]pipe:PACKETS   [NAME=]VALUE
 *     CONTENTS: zero, iota, fill=VALUE, rand=SEED, below=LIMIT, file=PATH, ANY; out=PATH: written after the
 *     launch;
 *     read_only, write_only: what kernels may do with the memory (default: both); as=TYPE: N counts elements
 *     of TYPE, numbers or a
 *     structure of the program, whatever the argument points to; as=@BYTES: elements of BYTES bytes
 *     VALUE: 1, -2.5, 0x10, a vector 1,2,3,4, a structure {1, 2.0, {3, 4}} or ANY; N:other=M, N:tail=M: an
 *     integer that is M in one more launch
 *     ANY: any, any:LOW..HIGH: symbolic, for refcl explore
 *     N counts elements of the type that the argument points to in the source: numbers, vectors or
 * structures */
#ifndef TOOLS_LAUNCH_SPEC_H
#define TOOLS_LAUNCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spec_form { SPEC_DECIMAL, SPEC_HEXADECIMAL, SPEC_REAL, SPEC_LIST };
struct spec_value {
    enum spec_form form;
    uint64_t whole; /* DECIMAL: two's complement; HEXADECIMAL: bits */
    double real;    /* REAL */
    uint32_t count; /* LIST */
    struct spec_value *items;
};

enum spec_kind {
    SPEC_VALUE,
    SPEC_BUFFER,
    SPEC_SVM,
    SPEC_LOCAL,
    SPEC_NULL,
    SPEC_IMAGE,
    SPEC_SAMPLER,
    SPEC_PIPE,
    SPEC_CAPTURED
};
/* CHANGING: other contents in each launch of refcl-kernel-host, by `changing` or `changing=LAST`, whose last
 * launch has LAST in each element; INDICES: the same, all of them below LIMIT. */
enum spec_fill {
    SPEC_ZERO,
    SPEC_IOTA,
    SPEC_FILL,
    SPEC_RANDOM,
    SPEC_BELOW,
    SPEC_FILE,
    SPEC_ANY,
    SPEC_CHANGING,
    SPEC_INDICES
};
enum spec_access { SPEC_READ_WRITE, SPEC_READ_ONLY, SPEC_WRITE_ONLY };
enum { SPEC_NAME = 64, SPEC_PATH = 1024, SPEC_DEPTH = 32, SPEC_ITEMS = 65536 };

/* The parts of the names of image formats: "rgba", "bgra", "rg", "r", and then "8", "16", ... */
enum spec_order { SPEC_RGBA, SPEC_BGRA, SPEC_RG, SPEC_R, SPEC_ORDERS };
enum spec_channel {
    SPEC_UNORM8,
    SPEC_UNORM16,
    SPEC_SNORM8,
    SPEC_SNORM16,
    SPEC_FLOAT,
    SPEC_FLOAT_32,
    SPEC_HALF,
    SPEC_INT8,
    SPEC_INT16,
    SPEC_INT32,
    SPEC_UINT8,
    SPEC_UINT16,
    SPEC_UINT32,
    SPEC_CHANNELS
};

struct spec {
    enum spec_kind kind;
    char name[SPEC_NAME]; /* "": by position */
    uint64_t count;       /* buffers: elements, 0: as many as the file has; LOCAL: bytes; PIPE: packets */
    enum spec_fill fill;
    enum spec_access access;
    bool is_ranged; /* ANY: values are from LOW to HIGH */
    int64_t low, high;
    uint64_t number; /* RANDOM: the seed; BELOW, INDICES: the limit */
    bool has_last;   /* CHANGING: LAST is given */
    int64_t last;
    bool has_other; /* VALUE: OTHER is its value in a further launch */
    int64_t other;
    bool has_tail; /* the same for TAIL */
    int64_t tail;
    char as[SPEC_NAME];                      /* buffers: type of the elements, "": that of the argument */
    char file[SPEC_PATH], output[SPEC_PATH]; /* "": none */
    char image_kind[16], format[32];         /* "2d", "1d_array"; "rgba8" */
    uint64_t size[3];                        /* of images, 0: as the file or 1 */
    uint64_t levels;                         /* of mipmapped images, 0: the image is none */
    bool normalized, linear;                 /* samplers */
    char addressing[24];
    struct spec_value value; /* VALUE unless ANY, FILL */
    const char *rest;        /* CAPTURED: what follows '@' */
    size_t wrong_at;         /* where in its text the error is; 0 if there is none */
};

/* Reads TEXT into SPEC, which spec_clear frees in any case.  False: MESSAGE, of SIZE bytes, says what is
 * wrong. */
bool spec_read(const char *text, struct spec *spec, char *message, size_t size);
void spec_clear(struct spec *spec);
/* The image format TEXT, such as "rgba8" or "rg16ui"; false: there is no such format. */
bool spec_format_find(const char *text, enum spec_order *order, enum spec_channel *channel);
/* Length of the name before '=' that TEXT begins with, 0 if there is none. */
size_t spec_name_length(const char *text);
/* The number for a scalar of KIND 'i', 'u' or 'f': an integer, or the nearest double. */
int64_t spec_whole(const struct spec_value *value);
double spec_real(const struct spec_value *value);

/* The next number of RANDOM contents, whose LIMIT is 0, or of those BELOW one; REAL: what a float holds
 * instead. */
uint64_t spec_random_state(uint64_t seed);
int64_t spec_random(uint64_t *state, uint64_t limit, double *real);

/* Contents of changing memory, in the order of launches, and their names. */
enum spec_input {
    SPEC_INPUT_ZEROS,
    SPEC_INPUT_IOTA,
    SPEC_INPUT_ONES,
    SPEC_INPUT_RANDOM,
    SPEC_INPUT_SMALL,
    SPEC_INPUT_LAST,
    /* Small random numbers, and values that are others than in all other launches: numbers; limits that the
     * last work-items are beyond. */
    SPEC_INPUT_OTHER,
    SPEC_INPUT_TAIL,
    SPEC_INPUTS
};
unsigned spec_inputs(const struct spec *spec); /* bit N: of those the launches with input N */
const char *spec_input_name(unsigned input);

/* A number by its OpenCL C name, or a vector of them. */
struct spec_scalar {
    const char *name;
    unsigned bytes;
    char kind; /* 'i' signed, 'u' unsigned, 'f' floating point */
};
struct spec_type {
    struct spec_scalar scalar;
    unsigned width, bytes; /* of a vector; from one element of an array to the next */
};
#define SPEC_BYTE                                                                                            \
    {                                                                                                        \
        "uchar", 1, 'u'                                                                                      \
    }
/* Whether SCALAR can have each number of VALUE: no fraction, no more bits; either sign, as names of types
 * need not have it.  If not, NUMBER is the text of the first one that it cannot have. */
bool spec_fits(const struct spec_value *value, const struct spec_scalar *scalar, char *number, size_t size);
/* The type TEXT of numbers, such as "uint4" or "uint4*"; false: it is another type. */
bool spec_type_read(const char *text, struct spec_type *type);
/* Elements of the memory that an argument points to: by the type in the source if that is one of numbers,
 * else COUNT numbers of SIZE bytes, else, if SIZE is 0, BYTES bytes. */
struct spec_type spec_element_type(const char *source_name, uint32_t size, uint32_t count, bool is_real,
                                   uint32_t bytes);

/* A format of images: numbers of enum in_channel_order and enum in_channel_type, CHANNELS numbers for each
 * texel. */
struct spec_format {
    unsigned order, type, channels;
    struct spec_scalar scalar;
};
/* The format that TEXT names, such as "rgba8" or "r32f"; false: none. */
bool spec_format_read(const char *text, struct spec_format *format);

/* "CL_INVALID_ARG_SIZE (-51)" in TEXT. */
const char *spec_code_text(int code, char *text, size_t size);

#endif
