/* Cycles: the generator's input form of tests.  A cycle is a ring of accesses and of the edges between
 * them, in the manner of diy; the test's condition describes an execution that contains the ring. */
#ifndef LITMUS_GENERATE_CYCLE_H
#define LITMUS_GENERATE_CYCLE_H

#include "litmus/parse/ast.h"

#define LT_CYCLE_MAX  8   /* accesses */
#define LT_CYCLE_TEXT 640 /* bytes of a printed cycle */

enum lt_edge_kind {
    LT_E_PO,    /* program order */
    LT_E_FENCE, /* program order with a fence between */
    LT_E_RF,    /* the edges from here on lead to another thread */
    LT_E_FR,
    LT_E_CO,
    LT_E_BARRIER /* access, barrier | barrier, access */
};
struct lt_cycle_event {
    bool write, rmw;
    uint8_t order, scope; /* MM_ORDER_NONE: a plain access */
    uint8_t thread, location;
    int64_t value; /* written, or read in the execution that the cycle describes */
};
struct lt_cycle_edge {
    uint8_t kind; /* enum lt_edge_kind */
    bool same;    /* same location */
    uint8_t order, scope, flags;
    bool sub_group; /* sub_group_barrier */
};
struct lt_cycle {
    unsigned length, threads, locations;
    struct lt_cycle_event events[LT_CYCLE_MAX];
    struct lt_cycle_edge edges[LT_CYCLE_MAX]; /* [i] leads from event i to event i + 1 */
    uint8_t work_group[LT_CYCLE_MAX], sub_group[LT_CYCLE_MAX];
    /* By location: g global, l local, s fine-grained SVM with atomics; G, L, S: through generic pointers. */
    char region[LT_CYCLE_MAX];
};

static inline bool lt_cycle_is_external(const struct lt_cycle_edge *edge)
{
    return edge->kind >= LT_E_RF;
}

/* The scope that cycles and families write as NAME: sg, wg, dev, all; false: unknown. */
bool lt_cycle_find_scope(const char *name, uint8_t *scope);
/* Reads "Rlx PodWW Rel Rfe Acq PodRR Rlx Fre @0.0/1.0 :gg" (format.md); the result is in canonical form. */
enum mm_class lt_cycle_parse(const char *text, struct lt_cycle *cycle, struct mm_error *err);
void lt_cycle_print(const struct lt_cycle *cycle, char *buf, size_t size);
/* Rotates the ring to the start that makes its text greatest, so that symmetrical cycles
 * become equal; numbers threads, work-groups, locations and values.  False if it is no cycle that a test can
 * be made from. */
bool lt_cycle_settle(struct lt_cycle *cycle);
/* A name for the test, from shape, orders, placement and regions. */
void lt_cycle_name(const struct lt_cycle *cycle, char *buf, size_t size);
/* The I-th cycle that is one step weaker than CYCLE (one order, scope or fence), false if there is
 * none.  WHAT: in words. */
bool lt_cycle_weaken(const struct lt_cycle *cycle, unsigned i, struct lt_cycle *weaker, char *what,
                     size_t size);
/* Writes the test.  PROPERTIES: lines of the comment, each "   Key: value\n". */
void lt_cycle_emit(const struct lt_cycle *cycle, const char *name, const char *title, const char *properties,
                   FILE *out);
#define LT_CYCLE_REGIONS "glsGLS"
/* The shape NAME ("MP", ...) as edges and directions, for lt_cycle_parse. */
const char *lt_shape(const char *name);
/* All of their names in TEXT, of SIZE bytes, with spaces in between. */
void lt_shape_names(char *text, size_t size);

#endif
