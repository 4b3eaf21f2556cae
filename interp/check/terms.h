/* Internal to interp: symbolic values of the bytes in a work-item's block (struct mm_term).  Each byte of the
 * block has the number of a term and of the byte within it; 0: the byte is concrete. */
#ifndef INTERP_CHECK_TERMS_H
#define INTERP_CHECK_TERMS_H

#include "interp/exec/exec.h"

/* Called when a work-item begins, and when it ends; false: out of memory. */
bool in_terms_begin(struct in_run *run, struct in_item *item);
void in_terms_end(struct in_item *item);
/* Called before instruction OP at PC. */
void in_terms_look(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op);
/* Called after a collective operation of MEMBERS: each result depends on the operands of all. */
void in_terms_meet(struct in_run *run, struct in_item **members, uint32_t count);
/* Called before the event of an access of ITEM is recorded. */
void in_terms_access(struct in_run *run, struct in_item *item);

/* ---- shared with terms_transfer.c and terms_memory.c ------------------------------------------------ */

struct in_terms {
    struct in_term {
        uint32_t id; /* in the records */
        uint8_t size;
        bool kept; /* concretized: a constant from there on */
    } * list;      /* from 1 */
    uint32_t count, capacity;
    /* of the access of the current instruction: terms, 0: none */
    uint32_t read, written, compared, flag; /* FLAG: the value read is not 0 */
    uint64_t value, compared_value;         /* constants, if WRITTEN or COMPARED is 0 */
    uint8_t update, size;                   /* enum mm_update; MM_UPDATE_COUNT: no update */
    bool stores;                            /* BEFORE is the old contents of the written memory */
    uint64_t before;
    uint32_t of[]; /* per byte of the block: term << 4 | byte */
};

/* The instruction being examined. */
struct in_terms_at {
    struct in_run *run;
    struct in_item *item;
    const struct in_insn *pc;
    struct in_terms *t;
};
/* A value: a term, or a constant. */
struct in_operand {
    uint32_t term;
    uint64_t value;
};

static inline bool in_terms_is_size(uint64_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}
static inline struct in_operand in_terms_constant(uint64_t value)
{
    return (struct in_operand){0, value};
}
/* The integer in SIZE bytes at SLOT, at most 8. */
static inline uint64_t in_terms_number(const struct in_terms_at *x, int32_t slot, uint64_t size)
{
    uint64_t v = 0;
    memcpy(&v, x->item->frame + slot, size);
    return v;
}
/* The term and byte number of the byte at SLOT: term << 4 | byte, 0: none. */
uint32_t in_terms_of(const struct in_terms_at *x, int32_t slot);
/* Called at the start of each instruction. */
void in_terms_next(const struct in_terms_at *x);
/* Creates a term; 0: limit reached, the operands are concretized. */
uint32_t in_terms_make(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                       struct in_operand b, struct in_operand c);
/* The same; 0 if the operands are constants. */
uint32_t in_terms_two(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                      struct in_operand b);
uint32_t in_terms_one(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a);
/* The term of the SIZE bytes that the current access reads; FLAG: of their being nonzero.  Called before the
 * access is recorded. */
uint32_t in_terms_read(const struct in_terms_at *x, uint32_t size, bool flag);
/* The value of SIZE bytes (1, 2, 4 or 8) at SLOT. */
struct in_operand in_terms_operand(const struct in_terms_at *x, int32_t slot, uint32_t size);
/* A term that depends on BEFORE and on the terms of SIZE bytes at SLOT; 0: all are concrete. */
uint32_t in_terms_gather(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t before);
/* Assigns TERM to SIZE bytes at SLOT; 0: they are concrete. */
void in_terms_set(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t term);
void in_terms_move(const struct in_terms_at *x, int32_t to, int32_t from, uint64_t size);
/* Concretizes SIZE bytes at SLOT: predicted executions must have the same value there. */
void in_terms_keep(const struct in_terms_at *x, int32_t slot, uint64_t size);
void in_terms_keep_operand(const struct in_terms_at *x, struct in_operand operand);
/* Records the path condition of the current branch: the term is nonzero, or zero. */
void in_terms_condition(const struct in_terms_at *x, uint32_t term, bool value);

/* terms_memory.c: loads, stores, atomic operations, calls, waits; HOW and SIZE as in its table */
enum in_terms_address { IN_TERMS_PLAIN, IN_TERMS_INDEX, IN_TERMS_NARROW };
void in_terms_load(const struct in_terms_at *x, enum in_terms_address how, uint64_t size, bool pointer);
void in_terms_store(const struct in_terms_at *x, enum in_terms_address how, uint64_t size);
void in_terms_copy(const struct in_terms_at *x);
void in_terms_atomic(const struct in_terms_at *x);
void in_terms_call(const struct in_terms_at *x);
void in_terms_wait(const struct in_terms_at *x);

#endif
