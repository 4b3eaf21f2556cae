/* Inside jit: shadow memory of instrumented launches.  Compiled code records in tags which work-item accessed
 * which cell, and sets a flag at any access that could be a race or another error.  A launch that leaves the
 * flag clear has no finding and needs no recording; otherwise the interpreter re-executes the launch.
 * docs/instrumentation.md#shadow-tags */
#ifndef INTERP_JIT_INSTRUMENT_SHADOW_H
#define INTERP_JIT_INSTRUMENT_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

/* Each plane holds, per cell, the tag of the last work-item that made this kind of access.  A plane has two
 * pointers to the same memory: a store through one is not forwarded to the load through the other, so that
 * the load sees tags that other lanes of the vector stored in between. */
enum in_shadow_plane { IN_SHADOW_WRITES, IN_SHADOW_READS, IN_SHADOW_ATOMICS, IN_SHADOW_PLANES };
enum {
    IN_SHADOW_ARGUMENTS = 64,
    IN_SHADOW_SCRATCH = 4096,
    IN_SHADOW_TEXEL = 16 /* bytes of a texel, at most */
};

/* What a kernel does with an argument, or with local memory. */
enum {
    IN_SHADOW_READ = 1,
    IN_SHADOW_WRITTEN = 2,
    IN_SHADOW_ATOMIC = 4,
    IN_SHADOW_TAGGED = 8,      /* it has planes, with cells of 1 << (use >> IN_SHADOW_GRANULE) bytes */
    IN_SHADOW_DISJOINT = 16,   /* work-items access disjoint parts, if id * max_coefficient does not wrap */
    IN_SHADOW_IDEMPOTENT = 32, /* only written, at addresses independent of memory: re-execution repeats it */
    IN_SHADOW_GRANULE = 6
};
/* Whether memory with this USE is rolled back cell by cell: compiled code saves a cell before the launch's
 * first write to it. */
static inline bool in_shadow_has_undo(uint8_t use)
{
    return (use & (IN_SHADOW_WRITTEN | IN_SHADOW_ATOMIC)) &&
           !(use & (IN_SHADOW_DISJOINT | IN_SHADOW_IDEMPOTENT));
}
/* How an atomic or a fence orders accesses of global memory (clocks.h). */
enum {
    IN_SYNC_ACQUIRES = 1,
    IN_SYNC_RELEASES = 2,
    IN_SYNC_STORES = 4, /* it ends release sequences */
    IN_SYNC_READS = 8,  /* later acquire fences acquire what it reads */
    IN_SYNC_WRITES = 16 /* it publishes earlier release fences */
};
/* Bytes [LOW, HIGH) of each stride: what a work-item accesses of an argument of disjoint parts. */
struct in_shadow_part {
    int32_t stride, low, high;
};
/* A value that is known when the launch begins: 1, a global size, an argument of 32 or of 64 bits. */
enum {
    IN_GRID_ONE,
    IN_GRID_SIZE,
    IN_GRID_ARGUMENT = IN_GRID_SIZE + 3,
    IN_GRID_LARGE_ARGUMENT = IN_GRID_ARGUMENT + IN_SHADOW_ARGUMENTS
};
enum {
    IN_GRIDS = 12,
    IN_GRID_ACCESSES = 512, /* of all grids of a kernel */
    IN_GRID_TERMS = 4,
    IN_GRID_GUARDS = 4,
    IN_GRID_COUNTERS = 2,
    IN_GRID_LOOPS = 3 /* that are one counter */
};
struct in_grid_term { /* BY * A * B */
    int32_t by;
    uint8_t a, b;
};
struct in_grid_sum {
    uint8_t count;
    struct in_grid_term terms[IN_GRID_TERMS];
};
/* A comparison of an id or counter with SUM, in 64 bits if WIDE, else in 32. */
struct in_grid_limit {
    uint8_t exists, or_equal, wide;
    struct in_grid_sum sum;
};
/* Greater than FROM and less than BELOW. */
struct in_grid_bounds {
    struct in_grid_limit from, below;
};
/* Ids in each of the three dimensions, and numbers of iterations of loops. */
enum {
    IN_GRID_GLOBAL,
    IN_GRID_GROUP = 3,
    IN_GRID_LOCAL = 6,
    IN_GRID_COUNTER = 9,
    IN_GRID_IDS = IN_GRID_COUNTER + IN_GRID_COUNTERS
};
struct in_grid_access {
    uint32_t size; /* bytes */
    bool written;
    uint8_t guard; /* which of the grid's is its own */
    struct in_grid_sum fixed;
};
/* A loop whose iterations have values from START or more on, STEP apart, within the limit. */
struct in_grid_counter {
    uint8_t wide; /* of 64 bits; else of 32 */
    int32_t start;
    struct in_grid_sum step;
    struct in_grid_limit limit;
};
/* Accesses to bytes of an argument at sum(STRIDES * ids) + FIXED modulo 2^32: a matrix with any number of
 * dimensions.  Each access is within one of the GUARDS, bounds of each id.  An argument may have several
 * grids, which differ in their strides. */
struct in_shadow_grid {
    uint8_t argument, guard_count;
    bool written;
    uint16_t first, count; /* of the plan's accesses */
    struct in_grid_sum strides[IN_GRID_IDS];
    struct in_grid_bounds guards[IN_GRID_GUARDS][IN_GRID_COUNTER];
    struct in_grid_counter counters[IN_GRID_COUNTERS][IN_GRID_LOOPS];
};
struct in_shadow_plan {
    uint8_t uses[IN_SHADOW_ARGUMENTS], local; /* of the arguments; of local memory */
    uint8_t direct[IN_SHADOW_ARGUMENTS];      /* the uses through pointers of known origin alone */
    uint8_t program;                          /* of variables of the program */
    /* Of all global memory, where the origin of some pointers is known at run time alone; 0: there are
     * none. */
    uint8_t dynamic;
    /* Pointers of unknown origin are read through alone, and only where the launch does not write. */
    uint8_t reads_unwritten;
    uint8_t followed; /* with it: those pointers are expected to lead to SVM of arguments alone */
    struct in_shadow_part parts[IN_SHADOW_ARGUMENTS];
    struct in_shadow_grid grids[IN_GRIDS];
    struct in_grid_access grid_accesses[IN_GRID_ACCESSES];
    uint8_t grid_count;
    uint16_t grid_access_count;
    uint8_t lane_bits;        /* bits of a local id, with one value to spare for several readers */
    uint8_t phases;           /* barriers order accesses of global memory */
    uint8_t clocks;           /* atomics do: tags of global memory are segments (clocks.h) */
    uint8_t outlined;         /* accesses call functions for their checks */
    uint8_t ranges;           /* code is for launches of which run.holds is true (launch_ranges.hpp) */
    uint32_t max_coefficient; /* largest coefficient of an id in a subscript */
};

enum { IN_SHADOW_FOLLOWED = 2 };
struct in_shadow_range {
    uint64_t address, size;
};

struct in_shadow_memory {
    uint64_t address, size; /* bytes that the kernel may access */
    uint8_t *
        undo; /* the bytes before the first write of the launch, where in_shadow_has_undo; of each texel IN_SHADOW_TEXEL */
    uint32_t *planes[IN_SHADOW_PLANES][2];
    bool written; /* the launch may write it */
};
/* The part of the frame for checks; tags of the launch are in [BASE, BASE + RANGE). */
struct in_shadow {
    uint32_t deoptimized; /* set by compiled code */
    uint32_t base, range, group_shift;
    /* of work-group 0 of the row; each further work-group adds 1 << IN_SHADOW_LOCAL_BITS */
    uint32_t local_base;
    int32_t slice;      /* with clocks: instructions left to the work-item, at least */
    uint32_t parameter; /* read only by the loads that replace ids and sizes while checks are simplified */
    uint8_t *scratch;   /* IN_SHADOW_SCRATCH bytes accessed in place of memory out of bounds */
    struct in_shadow_memory local, arguments[IN_SHADOW_ARGUMENTS];
    /* Where pointers of unknown origin may point: arguments and variables of the program. */
    struct in_shadow_memory *objects;
    uint32_t object_count, writable_count; /* those that the kernel may write come first */
    struct in_shadow_memory *shared;       /* SVM that pointers were found to point to */
    uint32_t shared_count;
    struct in_shadow_range followed[IN_SHADOW_FOLLOWED]; /* where pointers are expected to lead */
    struct in_jit_run *run;                              /* where pointers may point to SVM; else null */
    struct in_shadow_memory nothing;                     /* of size 0 */
    struct in_clocks *clocks;                            /* where the plan has clocks */
    uint32_t last_used;                                  /* with clocks: the tag that was stored last */
    uint64_t fill_bytes; /* of local memory behind the callout's: each is FILL when a work-group begins */
    uint8_t fill;
};
enum in_find { IN_FIND_ANY, IN_FIND_WRITABLE, IN_FIND_UNWRITTEN };
/* The object that ADDRESS is in, if it is one of WHICH.  Compiled code calls it by its name. */
const struct in_shadow_memory *in_shadow_find(const struct in_shadow *shadow, uint64_t address,
                                              uint32_t which);
enum { IN_SHADOW_LOCAL_BITS = 24 }; /* of phase and work-item in tags of local memory */

#endif
