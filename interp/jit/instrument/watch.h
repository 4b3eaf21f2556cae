/* Inside jit: watched launches.  Compiled code notes, with every access, who accessed what, and whether
 * anything looks like a race or another mistake; where nothing does, the launch has none, and its accesses
 * need no recording.  Where something does, the interpreter executes the launch again and finds out. */
#ifndef INTERP_JIT_WATCH_H
#define INTERP_JIT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* What compiled code keeps of each cell of some bytes, as tags of who did it last: plain writes, plain reads,
 * atomics.  Each plane is known by two pointers, so that what is stored through the one is read again
 * through the other: with vectors, other work-items may have stored in between. */
enum in_watch_plane { IN_WATCH_WRITES, IN_WATCH_READS, IN_WATCH_ATOMICS, IN_WATCH_PLANES };
enum { IN_WATCH_ARGUMENTS = 64, IN_WATCH_SCRATCH = 4096 };

/* What a kernel does with an argument, or with local memory. */
enum {
    IN_WATCH_READ = 1,
    IN_WATCH_WRITTEN = 2,
    IN_WATCH_ATOMIC = 4,
    IN_WATCH_SHADOWED = 8, /* it has planes, of cells of 1 << (use >> IN_WATCH_CELL) bytes */
    IN_WATCH_OWN = 16,     /* each work-item has its own part of it, if ids do not exceed in_watched.most */
    IN_WATCH_AGAIN = 32,   /* written alone, and where, whatever memory holds */
    IN_WATCH_CELL = 6
};
struct in_watched {
    uint8_t uses[IN_WATCH_ARGUMENTS], local; /* of the arguments; of local memory */
    uint8_t lane_bits;                       /* bits for a work-item of a work-group, and one value more */
    uint8_t phases;                          /* barriers order accesses of global memory */
    uint32_t most;                           /* what ids are multiplied by */
};

struct in_watch_memory {
    uint64_t size; /* bytes that the kernel may access */
    uint32_t *planes[IN_WATCH_PLANES][2];
};
/* What compiled code reads of the launch; tags are BASE and more, below BASE + RANGE. */
struct in_watch {
    uint32_t suspicious; /* what it writes */
    uint32_t base, range, group_shift;
    uint32_t local_base; /* of the group with number 0 in a row; LOCAL_RANGE more for the next */
    uint32_t unused;
    uint8_t *scratch; /* IN_WATCH_SCRATCH bytes that stand for what is out of bounds */
    struct in_watch_memory local, arguments[IN_WATCH_ARGUMENTS];
};
enum { IN_WATCH_LOCAL_BITS = 24 }; /* of phase and work-item in tags of local memory */

#endif
