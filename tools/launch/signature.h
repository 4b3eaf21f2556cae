/* Kernels of a module: their signatures as OpenCL C has them, how they use their arguments, and launches that
 * would do. */
#ifndef TOOLS_LAUNCH_SIGNATURE_H
#define TOOLS_LAUNCH_SIGNATURE_H

#include "interp/interp.h"

#include <stdio.h>

struct in_ty;

/* A file of OpenCL C, or of SPIR-V as words or text, and its module. */
struct launch_file {
    const char *path;
    struct in_module *module;
};
/* Compiles and reads PATH.  launch_close frees FILE in any case. */
enum mm_class launch_open(const char *path, const char *build_options, struct launch_file *file,
                          struct mm_error *err);
void launch_close(struct launch_file *file);

/* "kernel void add(global float *out, int n)" */
void launch_put_signature(const struct in_kernel_info *kernel, FILE *out);

/* How a kernel uses the memory that an argument points to. */
enum {
    LAUNCH_ATOMIC = 1,
    LAUNCH_INDICES = 2,
    LAUNCH_WRITTEN = 4,
    LAUNCH_COUNTED_DOWN = 8,  /* by atomic decrements and subtractions */
    LAUNCH_LOWERED = 16,      /* by atomic minima */
    LAUNCH_OTHER_ATOMIC = 32, /* by other read-modify-write operations */
    LAUNCH_FOREST = 64,       /* what is read there is compared with its index, as in a forest of parents */
    LAUNCH_EXTENT = 128,      /* a value that ids are limited, scaled or divided by: a size of the problem */
    LAUNCH_INTEGERS = 256,    /* an image whose texels are read or written as integers */
    LAUNCH_SIGNED = 512,      /* ... with signs */
    LAUNCH_LIMIT = 1024,      /* a value that ids of all work-items are compared with */
    LAUNCH_WHOLE = 2048,      /* a value that is divided, shifted or masked */
    LAUNCH_TILE = 4096,       /* a value that local ids or group ids alone are multiplied with */
    LAUNCH_PITCH = 8192       /* a value that other ids are multiplied with */
};
enum { LAUNCH_ARGUMENTS = 56 };
struct launch_roles {
    unsigned roles[LAUNCH_ARGUMENTS];
    int64_t compared[LAUNCH_ARGUMENTS]; /* a constant that elements are compared with for equality, 0: none */
    unsigned dimensions;                /* of the ids that are used */
    /* work-items that constants imply: strides between groups, lengths of local arrays; 0: none */
    uint64_t local_items;
    uint64_t sides[3]; /* the same along each dimension, for launches of several */
    bool sub_groups;   /* it uses sub-groups */
    bool item_ids;     /* it uses local ids, global ids or sub-groups */
    bool one_group;    /* it uses local ids, and nothing that differs between groups or is atomic */
};
void launch_find_roles(struct in_module *module, const char *kernel, struct launch_roles *roles);

struct launch_choice {
    struct in_module *module;
    uint64_t global[3], local[3], groups; /* GROUPS along each dimension */
    unsigned dimensions;
    uint64_t elements; /* of memory whose contents are neither atomic nor indices, 0: many */
    char *arguments[LAUNCH_ARGUMENTS];
    size_t argument_count;
    struct launch_roles roles;
    bool is_fixed; /* the kernel says the size of its work-groups */
};
/* A launch of KERNEL; launch_choice_clear frees it.  False: no memory, or too many arguments. */
bool launch_choose(struct in_module *module, const struct in_kernel_info *kernel,
                   struct launch_choice *choice);
/* The arguments for sizes that are given as text, at least one of them; NULL: chosen. */
bool launch_choose_sized(const struct in_kernel_info *kernel, struct launch_choice *choice,
                         const char *global, const char *local);
/* The same for refcl explore: few work-items, arguments that are symbolic where that is decided fast. */
bool launch_choose_symbolic(struct in_module *module, const struct in_kernel_info *kernel,
                            struct launch_choice *choice);
/* Reduces the number of work-groups, then halves their size; SINGLE: work-groups of one work-item.  False:
 * the launch cannot be smaller. */
bool launch_shrink(const struct in_kernel_info *kernel, struct launch_choice *choice, bool single);
/* The same arguments for one work-group, halved NUMBER times; OTHER is to be freed in any case.  False: that
 * is not smaller, or one work-item of a kernel whose work-items have different ids. */
bool launch_choose_less(const struct in_kernel_info *kernel, const struct launch_choice *choice,
                        unsigned number, struct launch_choice *other);
/* The same launch with an element of memory for each work-item, and MORE; OTHER is to be freed in any
 * case. */
bool launch_choose_exact(const struct in_kernel_info *kernel, const struct launch_choice *choice,
                         uint64_t more, struct launch_choice *other);
/* Other contents for locks, counters and flags, one argument after the other: STEP counts from 0.  False:
 * there are no more. */
bool launch_choose_atomics(const struct in_kernel_info *kernel, struct launch_choice *choice, unsigned step);
void launch_choice_clear(struct launch_choice *choice);
/* "N", "N,M" or "N,M,K". */
const char *launch_sizes(const uint64_t sizes[3], unsigned dimensions, char *text, size_t size);

/* The bytes that TEXT describes of argument INDEX of KERNEL, a structure or a pointer to one, or of the
 * structure AS if that is not "", as "@raw:" and hexadecimal digits, freed with mm_free.  NULL: it is neither
 * (then ERR is unchanged), or the text does not fit it. */
char *launch_structure(struct in_module *module, const char *kernel, size_t index, const char *as,
                       const char *text, struct mm_error *err);
/* The bytes of a structure that the program uses under this name; 0: there is none. */
uint64_t launch_structure_size(struct in_module *module, const char *name);

/* A value of the same argument in TEXT: WHOLE for integers, 1 for other numbers. */
void launch_choose_structure(struct in_module *module, const char *kernel, size_t index, uint64_t whole,
                             char *text, size_t size);

#endif
