/* Inside exec: how the values in a work-item's block follow from what it reads (struct mm_term).  A number
 * per byte of the block says of which term the byte is which byte; 0: it is what it is. */
#ifndef INTERP_EXEC_TERMS_H
#define INTERP_EXEC_TERMS_H

#include "interp/exec/exec.h"

/* A work-item begins, and ends; false: no memory. */
bool in_terms_begin(struct in_run *run, struct in_item *item);
void in_terms_end(struct in_item *item);
/* Before instruction OP at PC. */
void in_terms_look(struct in_run *run, struct in_item *item, const struct in_insn *pc, enum in_op op);
/* MEMBERS have exchanged values: what each got follows from what all have brought. */
void in_terms_meet(struct in_run *run, struct in_item **members, uint32_t count);
/* Before the event of an access of ITEM. */
void in_terms_access(struct in_run *run, struct in_item *item);

/* ---- shared with terms_look.c and terms_memory.c ------------------------------------------------ */

struct in_terms {
    struct in_term {
        uint32_t id; /* in the records */
        uint8_t size;
        bool kept; /* it has to be what it is: a constant from there on */
    } * list;      /* from 1 */
    uint32_t count, capacity;
    /* of the access that the instruction at hand makes: terms, 0: none */
    uint32_t read, written, compared, flag; /* FLAG: whether what it reads is not 0 */
    uint64_t value, compared_value;         /* in place of WRITTEN and COMPARED */
    uint8_t update, size;                   /* enum mm_update, MM_UPDATE_COUNT: it is none */
    bool stores;                            /* BEFORE is what the memory held that it writes to */
    uint64_t before;
    uint32_t of[]; /* per byte of the block: term << 4 | byte */
};

/* An instruction under examination. */
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
/* What SIZE bytes at SLOT hold, 8 at most. */
static inline uint64_t in_terms_number(const struct in_terms_at *x, int32_t slot, uint64_t size)
{
    uint64_t v = 0;
    memcpy(&v, x->item->frame + slot, size);
    return v;
}
/* Of which term the byte at SLOT is which: term << 4 | byte, 0: none. */
uint32_t in_terms_of(const struct in_terms_at *x, int32_t slot);
/* Another instruction comes. */
void in_terms_next(const struct in_terms_at *x);
/* A new term; 0: there are too many, and the operands are kept. */
uint32_t in_terms_make(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                       struct in_operand b, struct in_operand c);
/* The same; 0 where the operands are constants. */
uint32_t in_terms_two(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a,
                      struct in_operand b);
uint32_t in_terms_one(const struct in_terms_at *x, enum mm_term_op op, uint32_t size, struct in_operand a);
/* What the access at hand reads, SIZE bytes; FLAG: whether that is not 0.  Nothing is recorded before it. */
uint32_t in_terms_read(const struct in_terms_at *x, uint32_t size, bool flag);
/* The value of SIZE bytes (1, 2, 4 or 8) at SLOT. */
struct in_operand in_terms_operand(const struct in_terms_at *x, int32_t slot, uint32_t size);
/* A term that follows from BEFORE and what SIZE bytes at SLOT are of; 0: from nothing. */
uint32_t in_terms_gather(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t before);
/* SIZE bytes at SLOT are those of TERM, 0: what they are. */
void in_terms_set(const struct in_terms_at *x, int32_t slot, uint64_t size, uint32_t term);
void in_terms_move(const struct in_terms_at *x, int32_t to, int32_t from, uint64_t size);
/* What SIZE bytes at SLOT hold has to be that in any execution that comes this way. */
void in_terms_keep(const struct in_terms_at *x, int32_t slot, uint64_t size);
void in_terms_keep_operand(const struct in_terms_at *x, struct in_operand operand);
/* The branch at hand is taken because VALUE is not 0, or 0. */
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
