/* Components of the hunt for disagreements: random programs, a naive oracle, comparison. */
#ifndef TESTS_HUNT_HUNT_H
#define TESTS_HUNT_HUNT_H

#include "checker/checker.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A generated program: threads of guarded operations; WAIT loads until it reads VALUE. Operation I of a
 * thread writes the value it reads to register I.  All values that can arise are below VALUES. */
enum {
    MAX_THREADS = 4,
    MAX_OPS = 5,
    MAX_LOCATIONS = 3,
    VALUES = 8,
    MAX_CELLS = 2 * MAX_LOCATIONS,
    MAX_EVENTS = 40,
    MAX_PAIRS = 4,
    SITES = 3
};

/* The part of its location that an operation accesses, if accesses overlap. */
enum hunt_part { WHOLE, LOW, HIGH };
enum hunt_kind { LOAD, WAIT, STORE, STORE_REG, RMW, CAS, FENCE, BARRIER };

struct hunt_op {
    enum hunt_kind kind;
    int guard; /* runs only if register GUARD is GUARD_VALUE; -1: always */
    uint32_t guard_value;
    enum hunt_part part;
    uint32_t location, value, expected;
    int index;  /* accesses element (register INDEX & 1) of the array; -1: LOCATION */
    int source; /* STORE_REG: stores (register & hunt_stored()) */
    enum mm_order order, order_fail;
    enum mm_scope scope;
    enum ck_rmw_op rmw;
    unsigned flags, site;
    bool weak, sub_group; /* SUB_GROUP: of a barrier */
    bool repeats;         /* RMW: until it reads EXPECTED, as locks do */
};
/* Work-groups of different kernels have different numbers. */
struct hunt_thread {
    bool host;
    uint32_t device, kernel, work_group, sub_group, op_count;
    struct hunt_op ops[MAX_OPS];
};
struct hunt_location {
    enum mm_region region;
    enum mm_origin origin;
    bool non_atomic;
    uint32_t initial;
};
struct hunt_atom {
    bool is_register;
    uint32_t thread, index, value; /* register or location */
};
struct hunt_program {
    bool image;    /* location 0 is one */
    bool array;    /* locations 0 and 1 are the elements of one object */
    bool overlaps; /* locations have two bytes, and accesses one or both: bytes are below VALUES */
    uint32_t thread_count, location_count, atom_count;
    struct hunt_thread threads[MAX_THREADS];
    struct hunt_location locations[MAX_LOCATIONS];
    enum ck_quantifier quantifier;
    struct hunt_atom atoms[MAX_PAIRS]; /* all hold */
};

/* Values that are passed on stay small: two bits, or two in each byte of an operation that accesses both
 * bytes. */
static inline uint32_t hunt_stored(const struct hunt_program *p, enum hunt_part part)
{
    return p->overlaps && part == WHOLE ? 0x303 : 3;
}

/* Where OP accesses memory, if the registers are REGISTERS. */
static inline uint32_t hunt_place(const struct hunt_op *op, const uint32_t *registers)
{
    return op->index < 0 ? op->location : registers[op->index] & 1;
}

/* The observed state: every register of every reading operation, then every location, in this order. */
uint32_t hunt_observed_count(const struct hunt_program *p);

void hunt_generate(uint64_t seed, struct hunt_program *p);
/* Turns the program that hunt_generate has just made into one whose accesses overlap in part. */
void hunt_overlap(struct hunt_program *p);
/* Turns the program that hunt_generate has just made into one with more barriers and with locks. */
void hunt_add_locks(struct hunt_program *p);
void hunt_print(const struct hunt_program *p, FILE *out);
struct ck_program *hunt_lower(const struct hunt_program *p);

/* The naive oracle: every candidate execution, one after the other. */
struct hunt_state {
    uint32_t values[MAX_THREADS * MAX_OPS + MAX_LOCATIONS];
    bool racy, satisfies;
};
struct hunt_result {
    enum ck_answer condition, race, usage;
    uint32_t state_count, capacity;
    struct hunt_state *states;
    uint64_t executions;
};
/* False if there are too many candidates. */
bool hunt_enumerate(const struct hunt_program *p, const struct mm_cat_model *model,
                    struct hunt_result *result);

#endif
