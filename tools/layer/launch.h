/* The layer's records of programs and launches, input of the footprint analysis: the bytes of
 * MM_RECORD_PROGRAM and MM_RECORD_REPLAY in a trace of the layer, in the machine's byte order. */
#ifndef TOOLS_LAYER_LAUNCH_H
#define TOOLS_LAYER_LAUNCH_H

#include <stdint.h>

#define LY_PROGRAM_MAGIC UINT32_C(0x50594c52) /* "RLYP" */
#define LY_LAUNCH_MAGIC  UINT32_C(0x4c594c52) /* "RLYL" */

enum ly_program_kind {
    LY_PROGRAM_SOURCE = 1, /* build options, a NUL, OpenCL C, a NUL */
    LY_PROGRAM_IL,         /* SPIR-V */
    LY_PROGRAM_OTHER       /* no text: a binary, or linked from several programs */
};
/* File name of the MM_RECORD_TEXT that lists what is not checked. */
#define LY_NOT_CHECKED "refcl: not checked"
/* File name of the MM_RECORD_TEXT that notes that the accesses of the host are recorded, too. */
#define LY_HOST "refcl: host"
/* File name of the MM_RECORD_TEXT that notes that the program queries profiling times. */
#define LY_PROFILED "refcl: profiled"

struct ly_program_head {
    uint32_t magic, kind;
};

enum ly_argument_kind {
    LY_ARGUMENT_UNSET,
    LY_ARGUMENT_VALUE,
    LY_ARGUMENT_MEMORY,
    LY_ARGUMENT_LOCAL,
    LY_ARGUMENT_IMAGE,
    LY_ARGUMENT_SAMPLER,
    LY_ARGUMENT_QUEUE
};
enum { LY_VALUE_BYTES = 64 };
struct ly_argument {
    uint32_t kind;
    uint32_t allocation;   /* MEMORY, IMAGE; 0: a null pointer */
    uint64_t offset, size; /* of the pointer in the allocation, and bytes from there; VALUE, LOCAL: bytes */
    unsigned char value[LY_VALUE_BYTES]; /* VALUE of at most LY_VALUE_BYTES; IMAGE, SAMPLER: struct */
};
struct ly_image { /* bytes of a texel, texels, bytes */
    uint64_t element, width, height, depth, row_pitch, slice_pitch;
    uint32_t levels; /* 0, 1: not mipmapped; else one after the other, without gaps */
    uint32_t halved; /* how many of the three sizes are halved from level to level */
};
struct ly_sampler_state { /* as in the API */
    uint32_t normalized, addressing, filter;
};
/* Followed by the arguments and the kernel's name. */
struct ly_launch_head {
    uint32_t magic, arguments, dimensions;
    uint32_t local_size[3]; /* 0: the driver's choice */
    uint64_t global_size[3], global_offset[3];
};

#endif
