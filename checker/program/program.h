/* The intermediate representation of search and Z3: threads of instructions in a flat list over shared
 * objects. Litmus tests, small kernel launches and windows of prediction are lowered to it.
 *
 * Values are two's complement integers of 1 to 8 bytes, kept in uint64_t with the unused high bits zero.
 * Pointers are 8-byte values: object i occupies the addresses from CK_OBJECT_BASE(i) on, so that pointer
 * arithmetic is integer arithmetic. */
#ifndef CHECKER_PROGRAM_PROGRAM_H
#define CHECKER_PROGRAM_PROGRAM_H

#include "memmodel/memmodel.h"

#define CK_OBJECT_BASE(i) (((uint64_t)(i) + 1) << 32)
/* The object that the constant VALUE of an address belongs to, less than 2^31 bytes before or behind its
 * beginning, as p + i in p[i - 1] is computed from an address before p; CK_NO_OBJECT: VALUE is a number, also
 * a negative one. */
static inline uint32_t ck_object_at(uint64_t value)
{
    return (uint32_t)((value + (UINT64_C(1) << 31)) >> 32) - 1;
}

enum ck_expr_op {
    CK_CONST, /* imm */
    CK_REG,   /* imm = register number of the thread */
    /* binary: a, b */
    CK_ADD,
    CK_SUB,
    CK_MUL,
    CK_UDIV,
    CK_SDIV,
    CK_UREM,
    CK_SREM,
    CK_AND,
    CK_OR,
    CK_XOR,
    CK_SHL,
    CK_LSHR,
    CK_ASHR,
    CK_EQ,
    CK_NE,
    CK_ULT,
    CK_ULE,
    CK_SLT,
    CK_SLE, /* 1 or 0 */
    /* unary: a */
    CK_NOT,  /* bitwise */
    CK_LNOT, /* a == 0 */
    CK_NEG,
    CK_ZEXT,
    CK_SEXT,
    CK_TRUNC,  /* to SIZE bytes; sext from the size of a */
    CK_SELECT, /* a ? b : c */
    /* imm = function of the program, with 1, 2 or 3 operands */
    CK_APPLY1,
    CK_APPLY2,
    CK_APPLY3
};
/* Number of operands among a, b and c. */
static inline unsigned ck_expr_operands(enum ck_expr_op op)
{
    return op <= CK_REG                         ? 0
           : op <= CK_SLE || op == CK_APPLY2    ? 2
           : op == CK_SELECT || op == CK_APPLY3 ? 3
                                                : 1;
}
struct ck_expr {
    enum ck_expr_op op;
    uint8_t size;     /* bytes of the result */
    uint32_t a, b, c; /* indices in ck_program.exprs */
    uint64_t imm;
};
/* In place of an index in a program: none, or unknown. */
#define CK_NO_EXPR   UINT32_MAX
#define CK_NO_REG    UINT32_MAX
#define CK_NO_OBJECT UINT32_MAX
#define CK_NO_THREAD UINT32_MAX
#define CK_NO_INSTR  UINT32_MAX
#define CK_NO_INPUT  UINT32_MAX

enum ck_rmw_op {
    CK_RMW_XCHG,
    CK_RMW_ADD,
    CK_RMW_SUB,
    CK_RMW_AND,
    CK_RMW_OR,
    CK_RMW_XOR,
    CK_RMW_SMIN,
    CK_RMW_SMAX,
    CK_RMW_UMIN,
    CK_RMW_UMAX,
    CK_RMW_APPLY /* the instruction's function, applied to the old value and the operand */
};

enum ck_op {
    CK_ASSIGN, /* reg = value */
    CK_LOAD,   /* reg = *address */
    CK_STORE,  /* *address = value */
    CK_RMW,    /* reg = *address; *address = reg OP value; reg may be CK_NO_REG */
    CK_CAS,    /* reg = *address; reg2 = (reg == expected); if (reg2) *address = value */
    CK_FENCE,
    CK_BARRIER, /* site; VALUE: id of a dynamic barrier, or CK_NO_EXPR */
    CK_JUMP,    /* target */
    CK_BRANCH,  /* if value is 0 go to target, else fall through */
    CK_ASSUME,  /* excludes executions where value is 0; SITE not 0: a barrier before it may be incomplete */
    CK_ASSERT,  /* value must not be 0 */
    CK_AVAILABILITY,
    CK_VISIBILITY, /* Vulkan device-domain operations */
    CK_END,
    CK_POINT /* a command event; tags: which */
};
/* Vulkan's memory semantics: bit i of CK_SEM_CLASSES is storage class i; the sets SEMAV and SEMVIS of the
 * models. */
enum { CK_SEM_CLASSES = 0xf, CK_SEM_AVAILABLE = 0x100, CK_SEM_VISIBLE = 0x200 };
struct ck_instr {
    enum ck_op op;
    uint8_t size;          /* bytes accessed */
    uint8_t order;         /* enum mm_order; NONE for plain accesses */
    uint8_t order_fail;    /* CAS: order of the load when it fails */
    uint8_t scope;         /* enum mm_scope as written; NONE for plain accesses */
    uint8_t fence_flags;   /* fences and barriers: MM_FENCE_* */
    uint8_t attributes;    /* MM_ATOMIC, MM_VOLATILE, MM_NON_PRIVATE, ... */
    uint8_t rmw;           /* enum ck_rmw_op */
    bool weak;             /* CAS may fail spuriously */
    uint16_t semantics;    /* Vulkan: CK_SEM_* */
    uint8_t storage_class; /* Vulkan: mask, bit i = class i (of the access) */
    uint32_t reg, reg2;
    uint32_t address, value, expected; /* expressions */
    uint32_t target;                   /* instruction index */
    uint32_t site;                     /* barrier: static call site, from 1 */
    uint32_t reference;                /* Vulkan: virtual location (alias number); else 0 */
    uint32_t line, column;             /* in the source, 0 = unknown */
    bool sub_group; /* barrier: the threads of the sub-group meet, not those of the work-group */
    uint32_t barrier_name, quorum; /* barrier: Vulkan named barriers; quorum = threads that must arrive,
                                      0 = the whole group */
    uint16_t tags;                 /* MM_POINT_*; of accesses too */
    uint32_t point;                /* POINT, accesses: number that edges refer to, from 1 */
    uint32_t function;             /* RMW_APPLY */
    bool hidden;                   /* barriers: inside a group function, not in the source */
    uint32_t trip_count;           /* back edges: static upper bound on how often it is taken; 0: unknown */
};

enum { CK_LARGEST_OBJECT = 1 << 30 }; /* bytes */
struct ck_object {
    const char *name;
    uint64_t size;        /* bytes */
    uint8_t element_size; /* for printing and for initial values */
    uint8_t region;       /* enum mm_region as declared; NONE = generic or unknown */
    uint8_t origin;       /* enum mm_origin; BUFFER unless said */
    bool non_atomic;      /* some thread declares it with a non-atomic type (cat: NAL) */
    bool uninitialized;   /* initial value arbitrary, or that of inputs */
    bool is_signed;       /* print values as signed */
    bool is_float;        /* print values as floating-point numbers of element_size bytes */
    const char *layout;   /* types and offsets of its members, see mm_layout_find(); NULL: scalars as above */
    int32_t work_group; /* local memory: its work-group (dense number over all devices), -1 = shared by all */
    uint32_t alias_of;  /* Vulkan: the object whose memory it aliases, or its own number */
    const uint64_t *initial; /* size / element_size values */
    bool hidden; /* not in the source: work-items exchange operands of group functions through it */
};
struct ck_thread {
    const char *name;                                     /* "P0", "H0" */
    uint32_t device, work_group, sub_group, queue_family; /* work_group numbers count within the device, and
                                                             threads of one are in one queue family;
                                                             sub_group within the work-group */
    bool host;
    uint32_t reg_count;
    const char **reg_names; /* NULL for temporaries */
    uint8_t *reg_sizes;     /* bytes; registers start at 0 */
    bool *reg_signed;
    uint32_t instr_count;
    struct ck_instr *instrs;
    uint32_t kernel; /* which kernel-instance, with its descendants, the work-item belongs to */
    bool agent;      /* performs an asynchronous copy of its work-group: barriers do not wait for it */
};
/* Whether THREAD takes part in barriers. */
static inline bool ck_meets_others(const struct ck_thread *thread)
{
    return !thread->host && !thread->agent;
}

/* A proposition over final states. */
enum ck_prop_op { CK_PROP_TRUE, CK_PROP_AND, CK_PROP_OR, CK_PROP_NOT, CK_PROP_COMPARE };
enum ck_term_kind { CK_TERM_CONST, CK_TERM_REG, CK_TERM_MEMORY };
struct ck_term {
    enum ck_term_kind kind;
    uint64_t value;          /* CONST, two's complement in 8 bytes */
    uint32_t thread, reg;    /* REG */
    uint32_t object, offset; /* MEMORY: the mo-last value of element_size bytes at offset */
    uint8_t size;            /* MEMORY: bytes; 0: element_size */
};
struct ck_prop {
    enum ck_prop_op op;
    /* CK_EQ, CK_NE, CK_SLT, CK_SLE; operands at the wider size, signed if so declared. */
    enum ck_expr_op compare;
    uint32_t a, b; /* AND, OR, NOT: indices in ck_program.props */
    struct ck_term left, right;
};
/* Comparison operators of conditions, in the order in which a parser tries them; SWAP: with exchanged
 * operands. */
enum { CK_COMPARISONS = 6 };
extern const struct ck_comparison {
    const char *text;
    enum ck_expr_op op;
    bool swap;
} ck_comparisons[CK_COMPARISONS];
enum ck_quantifier { CK_EXISTS, CK_NOT_EXISTS, CK_FORALL };

/* An element of an uninitialized object whose initial value V satisfies V - LOW <= SPAN, modulo 2^(8 SIZE),
 * and the requirements of the program.  If one element of an object is an input all are, in order. */
struct ck_input {
    uint32_t object, offset;
    uint8_t size; /* element_size of the object */
    uint64_t low, span;
};

struct ck_edge { /* given order between threads (Vulkan ssw) or their points */
    uint32_t from_thread, to_thread;
    const char *relation;          /* base relation it belongs to: "ssw", ... */
    uint32_t from_point, to_point; /* 0: all events of the thread */
};

/* A function that engines can only evaluate for concrete arguments: floating-point arithmetic. */
struct ck_function {
    const char *name;
    const void *context; /* lives as long as the program */
    uint64_t (*value)(const void *context, const uint64_t *arguments);
};

struct ck_program {
    struct mm_arena *arena; /* owns everything below */
    const char *name, *file;
    bool vulkan;
    uint32_t object_count, thread_count, expr_count, prop_count, edge_count, observed_count;
    struct ck_object *objects;
    struct ck_thread *threads;
    struct ck_expr *exprs;
    struct ck_prop *props;
    struct ck_edge *edges;
    enum ck_quantifier quantifier;
    uint32_t condition; /* index in props */
    uint32_t filter;    /* index in props, CK_NO_EXPR if none */
    /* The components of a final state: registers and memory that the condition names, each once, in order of
     * first appearance. */
    struct ck_term *observed;
    uint32_t input_count, requirement_count;
    struct ck_input *inputs;
    uint32_t *requirements; /* expressions that no execution makes 0: register I is the value of input I */
    bool kernel;            /* lowered from a kernel: barriers block work-items, in Vulkan too */
    uint32_t function_count;
    struct ck_function *functions;
    struct ck_names *names; /* index of names (names.c) */
};

struct ck_program *ck_program_create(void);
void ck_program_destroy(struct ck_program *program);
/* The first object, or register of THREAD, with this name; CK_NO_OBJECT, CK_NO_REG: none.  Constant time on
 * average; names do not change once one was looked up. */
uint32_t ck_program_find_object(const struct ck_program *program, const char *name);
uint32_t ck_program_find_reg(const struct ck_program *program, uint32_t thread, const char *name);
/* For ck_program_create (NULL: out of memory) and ck_program_destroy. */
struct ck_names *ck_names_create(struct mm_arena *arena);
void ck_names_clear(struct ck_names *names);
#define CK_NOT_ADDED UINT32_MAX
/* Builders; each returns the index of the new item, CK_NOT_ADDED when out of memory. */
uint32_t ck_program_add_object(struct ck_program *program, const struct ck_object *object);
uint32_t ck_program_add_thread(struct ck_program *program, const struct ck_thread *thread);
uint32_t ck_program_add_reg(struct ck_program *program, uint32_t thread, const char *name, uint8_t size,
                            bool is_signed);
uint32_t ck_program_add_instr(struct ck_program *program, uint32_t thread, const struct ck_instr *instr);
uint32_t ck_program_add_expr(struct ck_program *program, const struct ck_expr *expr);
uint32_t ck_program_add_prop(struct ck_program *program, const struct ck_prop *prop);
uint32_t ck_program_add_edge(struct ck_program *program, const struct ck_edge *edge);
uint32_t ck_program_add_observed(struct ck_program *program, const struct ck_term *term);
uint32_t ck_program_add_function(struct ck_program *program, const struct ck_function *function);
uint32_t ck_program_add_input(struct ck_program *program, const struct ck_input *input);
uint32_t ck_program_add_requirement(struct ck_program *program, uint32_t expr);
/* The first input of OBJECT; CK_NO_INPUT: it has none. */
uint32_t ck_program_first_input(const struct ck_program *program, uint32_t object);
/* Bytes of a MEMORY term. */
unsigned ck_term_size(const struct ck_program *program, const struct ck_term *term);
/* The base object of address EXPR: that of the pointer constant it adds to; CK_NO_OBJECT: unknown.  The
 * address may be out of bounds. */
uint32_t ck_program_base(const struct ck_program *program, uint32_t expr);
/* Whether a write of another thread to the object of ACCESS, an atomic instruction of THREAD, can race with
 * it (if it is a read-modify-write, a read too): one that is plain, of another size, or without inclusive
 * scopes.  A compare-exchange counts as a read. */
bool ck_program_may_race(const struct ck_program *program, uint32_t thread, const struct ck_instr *access);
/* The next such access, instruction *I of thread *T or a later one: sets both.  False: there is none. */
bool ck_program_next_race(const struct ck_program *program, uint32_t thread, const struct ck_instr *access,
                          uint32_t *t, uint32_t *i);
/* evaluate.c: OP applied to A and B of SIZE bytes each (unary operations ignore B); bits beyond the result's
 * size are arbitrary.  Division by zero as in bit-vector logic. */
uint64_t ck_evaluate(enum ck_expr_op op, uint64_t a, uint64_t b, unsigned size);
int64_t ck_sign_extend(uint64_t value, unsigned size);
/* Evaluates EXPR with the registers REGS of its thread. */
uint64_t ck_eval_expr(const struct ck_program *program, uint32_t expr, const uint64_t *regs);
/* Applies FUNCTION. */
uint64_t ck_apply(const struct ck_program *program, uint64_t function, const uint64_t *arguments);
/* liveness.c: adds the registers that EXPR reads to SET, a bit for each register of the thread. */
void ck_expr_registers(const struct ck_program *program, uint32_t expr, uint64_t *set);
/* Updates LIVE, the registers that are live after INSTR, to those live before it. */
void ck_instr_live(const struct ck_program *program, const struct ck_instr *instr, uint64_t *live);
/* validate.c */
/* Checks every index, size and target; engines rely on it. */
enum mm_class ck_program_validate(const struct ck_program *program, struct mm_error *err);

static inline bool ck_instr_is_access(const struct ck_instr *i)
{
    return i->op >= CK_LOAD && i->op <= CK_CAS;
}

static inline bool ck_instr_reads(const struct ck_instr *i)
{
    return i->op == CK_LOAD || i->op == CK_RMW || i->op == CK_CAS;
}
static inline bool ck_instr_writes(const struct ck_instr *i)
{
    return i->op == CK_STORE || i->op == CK_RMW || i->op == CK_CAS;
}
static inline bool ck_instr_is_jump(const struct ck_instr *i)
{
    return i->op == CK_JUMP || i->op == CK_BRANCH;
}

static inline bool ck_instr_is_atomic(const struct ck_instr *i)
{
    return (i->attributes & MM_ATOMIC) || i->order != MM_ORDER_NONE;
}

static inline bool ck_instr_is_plain(const struct ck_instr *i)
{
    return (i->op == CK_LOAD || i->op == CK_STORE) && !ck_instr_is_atomic(i);
}

#endif
