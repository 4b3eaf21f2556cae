/* Captured kernel launches: everything that a kernel needs to run again, in one file
 * (docs/format.md#captured-launches). */
#ifndef MEMMODEL_TRACE_CAPTURE_H
#define MEMMODEL_TRACE_CAPTURE_H

#include "memmodel/memmodel.h"

enum mm_capture_tag {
    MM_CAPTURE_KERNEL = 1, /* its name */
    MM_CAPTURE_RANGE,      /* struct mm_capture_range */
    MM_CAPTURE_PROGRAM,    /* a binary of refcl, or SPIR-V; may be missing if there is the source */
    MM_CAPTURE_ARGUMENT,   /* struct mm_capture_argument, bytes of the value; index: of the argument */
    MM_CAPTURE_MEMORY,     /* struct mm_capture_memory, contents; index: what arguments call it */
    MM_CAPTURE_SOURCE,     /* of a program that was built from source: its text, */
    MM_CAPTURE_FILE,       /* the text's name in source lines, */
    MM_CAPTURE_OPTIONS,    /* and its build options */
    MM_CAPTURE_TAG_COUNT
};
struct mm_capture_range {
    uint32_t dimensions, sub_group_size;
    uint64_t global_size[3], global_offset[3], local_size[3];
};
enum mm_capture_kind {
    MM_CAPTURE_VALUE,
    MM_CAPTURE_BUFFER, /* SIZE bytes from OFFSET on of MEMORY */
    MM_CAPTURE_SVM,    /* the address OFFSET bytes into MEMORY */
    MM_CAPTURE_LOCAL,  /* SIZE bytes */
    MM_CAPTURE_SAMPLER,
    MM_CAPTURE_IMAGE,
    MM_CAPTURE_NULL,
    MM_CAPTURE_QUEUE, /* a default queue of the device */
    MM_CAPTURE_PIPE,  /* its packets are not captured */
    MM_CAPTURE_KIND_COUNT
};
struct mm_capture_argument {
    uint32_t kind, memory;
    uint64_t offset, size, flags;
    uint32_t normalized, addressing, filter; /* samplers: as in the API; */
    /* if not 0, OFFSET and SIZE are the bits of the least and the most level of detail */
    uint32_t mip_filter;
};
struct mm_capture_memory {
    uint32_t kind;   /* MM_CAPTURE_BUFFER, SVM or IMAGE */
    uint32_t levels; /* of a mipmapped image, whose contents are its levels without gaps; else 0 or 1 */
    uint64_t flags, size;
    uint64_t address; /* SVM: its address when captured, to relocate pointers in memory */
    uint32_t image_type, channel_order, channel_type;     /* IMAGE: as in the API */
    uint32_t parent;                                      /* of an image: memory it shows, UINT32_MAX: none */
    uint64_t width, height, depth, array_size, row_pitch; /* of the image as it was made */
    uint64_t region[3], row_bytes, slice_bytes;           /* of the contents */
};

struct mm_capture_section {
    uint32_t tag, index;
    uint64_t size;
    const void *data;
};
struct mm_capture {
    struct mm_capture_section *sections; /* in BLOCK */
    size_t count;
    void *block;
};
/* The name of capture NUMBER of this process: PATTERN with %p, the process, and %n, the number, replaced. */
void mm_capture_name(const char *pattern, unsigned long number, char *path, size_t size);
/* Writes a file, complete or not at all.  MM_LIMIT: no memory; MM_INVALID: it cannot be written. */
enum mm_class mm_capture_write(const char *path, const struct mm_capture_section *sections, size_t count,
                               struct mm_error *err);
/* Reads one.  MM_INVALID unless the file is an intact capture of this version: each section that has a struct
 * is as large as it, kinds are known, indices are of memory that is there and ranges are inside it. */
enum mm_class mm_capture_read(const char *path, struct mm_capture *capture, struct mm_error *err);
void mm_capture_clear(struct mm_capture *capture);
/* The first section with TAG and INDEX, NULL if there is none. */
const struct mm_capture_section *mm_capture_find(const struct mm_capture *capture, uint32_t tag,
                                                 uint32_t index);
/* Whether the file begins like a capture. */
bool mm_capture_is(const char *path);

#endif
