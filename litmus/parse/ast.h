/* The abstract syntax tree of a litmus test.  Everything lives in the test's arena; every node has a
 * position. */
#ifndef LITMUS_PARSE_AST_H
#define LITMUS_PARSE_AST_H

#include "litmus/litmus.h"

#include "memmodel/base/map.h"

#define LT_MAX_DEPTH    200 /* nesting of statements, expressions and propositions */
#define LT_MAX_THREADS  64
#define LT_MAX_ELEMENTS 4096       /* of an array location */
#define LT_HOST_NUMBER  (1u << 24) /* added to the number of a thread that is written H0, not P0 */

struct lt_pos {
    uint32_t line, column; /* from 1 */
};

/* Scalar types that a test may name [CLC 6.3.1, 6.15.12.6]. */
#define LT_TYPES(T)                                                                                          \
    /* name, bytes, signed, atomic */                                                                        \
    T(int, 4, true, false)                                                                                   \
    T(uint, 4, false, false)                                                                                 \
    T(char, 1, true, false)                                                                                  \
    T(uchar, 1, false, false)                                                                                \
    T(short, 2, true, false)                                                                                 \
    T(ushort, 2, false, false)                                                                               \
    T(long, 8, true, false)                                                                                  \
    T(ulong, 8, false, false)                                                                                \
    T(bool, 1, false, false)                                                                                 \
    T(size_t, 8, false, false)                                                                               \
    T(ptrdiff_t, 8, true, false)                                                                             \
    T(intptr_t, 8, true, false)                                                                              \
    T(uintptr_t, 8, false, false)                                                                            \
    T(atomic_int, 4, true, true)                                                                             \
    T(atomic_uint, 4, false, true)                                                                           \
    T(atomic_long, 8, true, true)                                                                            \
    T(atomic_ulong, 8, false, true)                                                                          \
    T(atomic_size_t, 8, false, true)                                                                         \
    T(atomic_ptrdiff_t, 8, true, true)                                                                       \
    T(atomic_intptr_t, 8, true, true)                                                                        \
    T(atomic_uintptr_t, 8, false, true)                                                                      \
    T(atomic_flag, 4, true, true)
struct lt_base_type {
    const char *name;
    uint8_t size;
    bool is_signed, is_atomic;
};

/* A declared type: a scalar, or a pointer to one. */
struct lt_type {
    const struct lt_base_type *base; /* NULL: none written */
    bool is_pointer, is_volatile;
    bool is_generic; /* declared generic; the region is that of the location's other declarations */
    uint8_t region;  /* enum mm_region; NONE: no qualifier */
    uint8_t origin;  /* enum mm_origin; NONE: no qualifier */
};

enum lt_operator {
    LT_OP_NONE,
    LT_OP_ADD,
    LT_OP_SUB,
    LT_OP_MUL,
    LT_OP_DIV,
    LT_OP_REM,
    LT_OP_AND,
    LT_OP_OR,
    LT_OP_XOR,
    LT_OP_SHL,
    LT_OP_SHR,
    LT_OP_EQ,
    LT_OP_NE,
    LT_OP_LT,
    LT_OP_LE,
    LT_OP_GT,
    LT_OP_GE,
    LT_OP_LAND,
    LT_OP_LOR,
    LT_OP_NEG, /* unary from here on */
    LT_OP_NOT,
    LT_OP_LNOT,
    LT_OP_PLUS
};
const char *lt_operator_text(enum lt_operator op);
int lt_operator_precedence(enum lt_operator op); /* 0: unary; else higher binds tighter */

enum lt_function_kind {
    LT_F_LOAD,
    LT_F_STORE,
    LT_F_INIT,
    LT_F_RMW,
    LT_F_CAS,
    LT_F_CMPXCHG, /* of OpenCL C 1.x: takes the expected value, returns the old one */
    LT_F_FLAG_TEST_AND_SET,
    LT_F_FLAG_CLEAR,
    LT_F_FENCE,
    LT_F_BARRIER,
    LT_F_SUB_GROUP_BARRIER
};
/* A built-in function.  Parameters, one letter each: p pointer to the atomic object, e pointer to the
 * expected value (CMPXCHG: that value), v value, f fence flags, o memory order; s (last, may be left out)
 * memory scope. */
struct lt_function {
    const char *name;
    enum lt_function_kind kind;
    uint8_t rmw; /* enum ck_rmw_op */
    bool weak;
    const char *parameters;
    uint8_t order; /* where the call does not say */
};
const struct lt_base_type *lt_find_type(const char *name);

enum lt_expr_kind {
    LT_CONST,
    LT_NAME,
    LT_UNARY,     /* op, a */
    LT_BINARY,    /* op, a, b */
    LT_SELECT,    /* a ? b : c */
    LT_DEREF,     /* *a */
    LT_INDEX,     /* a[b] */
    LT_ADDRESS,   /* &a */
    LT_CAST,      /* (type) a */
    LT_CALL,      /* function; a = pointer, b = expected pointer, c = value */
    LT_ASSIGNMENT /* (a [op]= b), where a is no register */
};
struct lt_expr {
    enum lt_expr_kind kind;
    enum lt_operator op;
    struct lt_pos pos;
    unsigned depth;
    uint64_t value;
    bool is_unsigned, is_long; /* CONST: suffixes */
    const char *name;
    struct lt_type type;
    const struct lt_function *function;
    uint8_t order, order_fail, scope, flags; /* as written; NONE where left out */
    struct lt_expr *a, *b, *c;
};

enum lt_stmt_kind {
    LT_EMPTY,
    LT_DECLARE, /* type name [= value] */
    LT_ASSIGN,  /* target [op]= value */
    LT_EVAL,    /* value; */
    LT_IF,      /* value, body, other */
    LT_WHILE,
    LT_DO,
    LT_FOR, /* init; value; step; body */
    LT_BLOCK,
    LT_BREAK,
    LT_CONTINUE,
    LT_RETURN,
    LT_API /* api */
};
struct lt_stmt {
    enum lt_stmt_kind kind;
    enum lt_operator op;
    struct lt_pos pos;
    const char *label; /* NULL if none */
    struct lt_type type;
    const char *name;
    struct lt_expr *target, *value;
    struct lt_stmt *body, *other, *init, *step;
    struct lt_stmt *next;
    struct lt_api *api;
};

struct lt_init {
    struct lt_pos pos;
    int32_t thread; /* -1: a location, else a register of that thread */
    struct lt_type type;
    const char *name;
    bool bracket;   /* written [x] */
    bool array;     /* written x[n] */
    uint32_t count; /* elements */
    uint32_t value_count;
    uint64_t *values;
    const char *alias; /* Vulkan: x aliases y */
    struct lt_init *next;
};

struct lt_param {
    struct lt_pos pos;
    struct lt_type type;
    const char *name;
    struct lt_param *next;
};

struct lt_thread {
    struct lt_pos pos;
    uint32_t number;
    bool has_sub_group;
    bool host; /* a host thread */
    uint32_t sub_group, work_group, device, queue_family, kernel;
    struct lt_param *params;
    struct mm_map params_by_name; /* hash of the name -> pointer */
    struct lt_stmt *body;         /* OPENCL */
    struct lt_vulkan *vulkan;     /* VULKAN: instructions */
    struct lt_thread *next;
    /* The command or callback that runs a host thread which does not start with the program. */
    const struct lt_api *started_by; /* clSetEventCallback or clEnqueueNativeKernel, NULL: nothing */
};

/* ---- host: queues, events, API calls ------------------------------------------------------------- */

/* queue q [@ dev n] [, out_of_order] [, on_device]; */
struct lt_queue {
    struct lt_pos pos;
    const char *name;
    uint32_t device, number; /* NUMBER: place among the queues, from 0 */
    bool out_of_order;       /* on_device queues are */
    bool on_device;
    struct lt_queue *next;
};
enum lt_event_kind {
    LT_EVENT_COMMAND, /* of the command that SOURCE enqueues */
    LT_EVENT_USER,    /* declared as user_event */
    LT_SEMAPHORE,     /* declared as semaphore */
    LT_SYNC_POINT     /* of the command that SOURCE records */
};
/* user_event u;   or the event "&e" of an enqueuing call */
struct lt_event {
    struct lt_pos pos;
    const char *name;
    uint32_t number; /* place among the events, from 0 */
    enum lt_event_kind kind;
    const struct lt_api *source; /* the call that enqueues its command; user events: the call that sets it */
    struct lt_event *next;
};
/* command_buffer b @ q [, simultaneous_use]; */
struct lt_command_buffer {
    struct lt_pos pos;
    const char *name, *queue_name;
    struct lt_queue *queue; /* of its creation; set when the whole test has been read, as the rest is */
    uint32_t number;        /* place among the command buffers, from 0 */
    bool simultaneous_use;  /* may be enqueued again before it is complete */
    const struct lt_api *finalizes; /* the only call that does, by the thread that records */
    uint32_t run_count;             /* how often it is enqueued */
    struct lt_command_buffer *next;
};

enum lt_api_kind {
    LT_API_KERNEL,  /* KERNEL is launched: all threads with that kernel number */
    LT_API_NATIVE,  /* host thread THREAD runs as a native kernel */
    LT_API_READ,    /* TARGET (host memory) = SOURCE */
    LT_API_WRITE,   /* TARGET = SOURCE (host memory) */
    LT_API_COPY,    /* TARGET = SOURCE */
    LT_API_FILL,    /* TARGET = VALUE, each element */
    LT_API_MAP,     /* SOURCE */
    LT_API_UNMAP,   /* SOURCE */
    LT_API_MIGRATE, /* SOURCE */
    LT_API_SIGNALS, /* SEMAPHORES */
    LT_API_WAITS,   /* for SEMAPHORES */
    LT_API_BUFFER,  /* the commands of BUFFER */
    LT_API_MARKER,
    LT_API_BARRIER,
    LT_API_FINISH, /* from here on no command is enqueued or recorded */
    LT_API_FLUSH,
    LT_API_FINALIZE, /* recording into BUFFER ends */
    LT_API_WAIT,     /* for WAITS */
    LT_API_QUERY,    /* repeated until the status of event WAITS->event is STATUS, or one after it */
    LT_API_SIGNAL,   /* user event WAITS->event becomes CL_COMPLETE */
    LT_API_CALLBACK  /* host thread THREAD runs when event WAITS->event is complete */
};
/* One row per function.  Parameters, one letter each: q queue, k kernel number, h host thread, b blocking
 * flag, m map flags, f enqueue flags, t target, s source, v value, l list of events, e event, c CL_COMPLETE,
 * x execution status, z semaphores, B command buffer.  Calls that enqueue take after them an optional wait
 * list, {e0, e1}, and an optional event, &e2; calls that record, whose first parameter is the command buffer,
 * take sync-points instead. */
struct lt_api_function {
    const char *name;
    enum lt_api_kind kind;
    const char *parameters;
    bool svm, device; /* DEVICE: called by work-items */
};

enum { LT_MAP_READ = 1, LT_MAP_WRITE = 2 };
enum lt_enqueue_flags { LT_NO_WAIT, LT_WAIT_KERNEL, LT_WAIT_WORK_GROUP };

/* x: all of it; x[1]: one element */
struct lt_place {
    struct lt_pos pos;
    const char *name; /* NULL: the call has none */
    bool has_index;
    uint32_t index;
};
struct lt_event_use {
    struct lt_pos pos;
    const char *name;
    struct lt_event *event; /* set when the whole test has been read */
    struct lt_event_use *next;
};
struct lt_api {
    struct lt_pos pos;
    const struct lt_api_function *function;
    const char *queue_name;
    struct lt_queue
        *queue; /* set when the whole test has been read, as EVENT, THREAD, UNMAPS are; of a recording
                               call: that of the command buffer's creation */
    struct lt_place target, source;
    bool blocking;
    uint8_t map_flags; /* MAP; UNMAP: those of the map it ends */
    enum lt_enqueue_flags flags;
    uint64_t value; /* FILL; QUERY: the execution status */
    uint32_t kernel;
    uint32_t thread_number;
    struct lt_thread *thread; /* NATIVE, CALLBACK: the thread that it runs */
    struct lt_thread *caller;
    struct lt_event_use *waits; /* wait list in order; WAIT, SIGNAL, CALLBACK: their events */
    struct lt_event_use *semaphores;
    const char *buffer_name; /* NULL: the call has none */
    struct lt_command_buffer *buffer;
    const char *event_name; /* NULL: none asked for */
    struct lt_event *event;
    const struct lt_api *unmaps; /* UNMAP: the call that mapped */
    uint32_t number;             /* place among all calls, from 0 */
    /* place among the commands of the test in order of the text, from 0, recorded ones too */
    uint32_t command;
    struct lt_api *next; /* all calls of the test, in order of the text */
};

enum lt_vulkan_op {
    LT_V_LOAD,
    LT_V_STORE,
    LT_V_RMW,
    LT_V_FENCE,
    LT_V_BARRIER,
    LT_V_AVAILABILITY,
    LT_V_VISIBILITY,
    LT_V_LABEL,
    LT_V_GOTO,
    LT_V_BRANCH,
    LT_V_LOCAL,
    LT_V_FREE /* all of a location's memory */
};
struct lt_operand {
    bool present, is_const;
    uint64_t value;
    const char *name;
    uint32_t offset; /* of a location: bytes from its start */
};
struct lt_vulkan {
    enum lt_vulkan_op op;
    struct lt_pos pos;
    const char *mnemonic; /* as written, with its suffixes */
    uint8_t attributes;   /* MM_ATOMIC, MM_NON_PRIVATE, MM_MAKE_AVAILABLE, MM_MAKE_VISIBLE */
    uint8_t order, scope;
    uint16_t semantics; /* as struct ck_instr has them */
    uint8_t storage_class;
    uint8_t rmw;                /* enum ck_rmw_op */
    enum ck_expr_op arithmetic; /* LOCAL */
    enum lt_operator compare;   /* BRANCH */
    bool is_cas;
    uint8_t size; /* bytes accessed */
    struct lt_operand operands[4];
    const char *label; /* LABEL, GOTO, BRANCH */
    struct lt_vulkan *next;
};

struct lt_edge {
    uint32_t from, to;
    struct lt_pos pos;
    struct lt_edge *next;
};

enum lt_term_kind { LT_TERM_CONST, LT_TERM_REG, LT_TERM_LOCATION };
enum lt_term_form { LT_PLAIN, LT_BRACKET, LT_STAR, LT_ELEMENT };
struct lt_term {
    enum lt_term_kind kind;
    struct lt_pos pos;
    uint64_t value;
    uint32_t thread;
    bool thread_p; /* written P0:r0 */
    const char *name;
    enum lt_term_form form;
    uint32_t index;
};
enum lt_prop_kind { LT_PROP_TRUE, LT_PROP_FALSE, LT_PROP_AND, LT_PROP_OR, LT_PROP_NOT, LT_PROP_COMPARE };
struct lt_prop {
    enum lt_prop_kind kind;
    enum lt_operator op;
    struct lt_pos pos;
    unsigned depth;
    struct lt_term left, right;
    struct lt_prop *a, *b;
};

struct lt_property {
    const char *key, *value;
    struct lt_property *next;
};
struct lt_observed {
    struct lt_term term;
    struct lt_observed *next;
};

enum { LT_DIGEST_SIZE = 17 }; /* 16 hexadecimal digits and a zero byte */
struct lt_test {
    struct mm_arena *arena;
    enum lt_dialect dialect;
    bool c11; /* written in C11: no scopes, no regions, no places */
    const char *name, *file, *text;
    char digest[LT_DIGEST_SIZE]; /* see lt_test_digest() */
    const char *comment;         /* text of the leading comments, NULL if none */
    struct lt_property *properties;
    struct lt_init *inits;
    struct lt_edge *edges; /* Vulkan: ssw */
    struct lt_thread *threads;
    uint32_t thread_count;
    struct lt_prop *filter; /* NULL if none */
    enum ck_quantifier quantifier;
    struct lt_prop *condition;    /* NULL if none */
    struct lt_observed *observed; /* locations [...] clause */
    /* host part; all NULL where the test has none */
    struct lt_queue *queues;
    struct lt_command_buffer *buffers;
    struct lt_event *events;
    struct lt_api *calls;
    uint32_t command_count; /* calls that enqueue */
};

/* ---- tokens ----------------------------------------------------------------------------------- */

enum lt_token_kind { LT_T_END, LT_T_NAME, LT_T_NUMBER, LT_T_PUNCT };
struct lt_token {
    enum lt_token_kind kind;
    struct lt_pos pos;
    const char *text; /* in the arena */
    uint64_t value;
    bool is_unsigned, is_long;
    bool line_start; /* first token of its line */
};
struct lt_lexer {
    struct lt_test *test;
    struct lt_token *tokens; /* the last one is END */
    size_t count, next;
    struct mm_error *err;
    bool failed;
    unsigned depth;
    struct lt_thread *thread; /* whose body is being read */
    struct lt_init *last_init;
};
/* Reads the header line, comments and tokens of the whole text. */
enum mm_class lt_lex(struct lt_lexer *lexer, const char *text, size_t size);
const struct lt_token *lt_peek(const struct lt_lexer *lexer, size_t ahead);
const struct lt_token *lt_take(struct lt_lexer *lexer);
bool lt_is(const struct lt_lexer *lexer, const char *text);
bool lt_accept(struct lt_lexer *lexer, const char *text);
/* False, with the error set, unless the next token is TEXT. */
bool lt_expect(struct lt_lexer *lexer, const char *text);
const char *lt_expect_name(struct lt_lexer *lexer, const char *what);
bool lt_expect_number(struct lt_lexer *lexer, const char *what, uint64_t limit, uint64_t *value);
/* Fails at the next token: "expected WHAT, found ...". */
void lt_unexpected(struct lt_lexer *lexer, const char *what);
void lt_fail_at(struct lt_lexer *lexer, struct lt_pos pos, const char *format, ...) MM_PRINTF(3, 4);
void *lt_new(struct lt_lexer *lexer, size_t size);
bool lt_enter(struct lt_lexer *lexer); /* counts nesting */
void lt_leave(struct lt_lexer *lexer);

/* ---- parts of the parser ------------------------------------------------------------------------ */

bool lt_starts_type(const struct lt_token *token);
bool lt_parse_type(struct lt_lexer *lexer, struct lt_type *type);
/* The * that each declarator has or has not. */
bool lt_parse_stars(struct lt_lexer *lexer, struct lt_type *type);
struct lt_expr *lt_parse_expr(struct lt_lexer *lexer);
struct lt_expr *lt_one(struct lt_lexer *lexer, struct lt_pos pos); /* the constant 1 */
/* The operator of an assignment other than =, or of ++ and --; NONE if there is none. */
enum lt_operator lt_assignment_operator(const struct lt_lexer *lexer);
/* [-] number */
bool lt_parse_constant(struct lt_lexer *lexer, uint64_t *value);
/* The number of a thread: n, Pn, or Hn plus LT_HOST_NUMBER; false: TOKEN is none of them. */
bool lt_thread_number(const struct lt_token *token, uint32_t *number);
/* A new thread, whose name is the next token; NULL, with the error set, if the token is no such name:
 * "expected WHAT". */
struct lt_thread *lt_parse_thread_name(struct lt_lexer *lexer, const char *what);
void lt_parse_placement(struct lt_lexer *lexer, struct lt_thread *thread);
void lt_parse_init(struct lt_lexer *lexer);
void lt_parse_final(struct lt_lexer *lexer);
void lt_parse_opencl(struct lt_lexer *lexer);
void lt_parse_vulkan(struct lt_lexer *lexer);
/* Host part: false if the next tokens are no declaration of a queue or user event. */
bool lt_parse_declaration(struct lt_lexer *lexer);
bool lt_starts_api(const struct lt_lexer *lexer);
struct lt_api *lt_parse_api(struct lt_lexer *lexer);
/* Finds the queues, events, threads and kernels that calls name, once the test has been read. */
void lt_resolve_host(struct lt_lexer *lexer);
bool lt_api_enqueues(const struct lt_api *api);
bool lt_api_records(const struct lt_api *api);
/* How often calls of API's kind before API name the semaphore of USE, in text order. */
uint32_t lt_semaphore_turn(const struct lt_test *test, const struct lt_api *api,
                           const struct lt_event_use *use);

/* ---- lowering ----------------------------------------------------------------------------------- */

struct lt_thread *lt_find_thread(const struct lt_test *test, uint32_t number, uint32_t *index);
/* The parameter NAME of any type, and the one that names a location; NULL: there is none. */
const struct lt_param *lt_find_any_param(const struct lt_thread *thread, const char *name);
const struct lt_param *lt_find_param(const struct lt_thread *thread, const char *name);
bool lt_add_param(struct lt_thread *thread,
                  const struct lt_param *param); /* to what they find; false: out of memory */
enum mm_class lt_lower_vulkan(const struct lt_test *test, struct ck_program *program, struct mm_error *err);
/* Filter, condition and observed terms: the same for both dialects, once objects and registers exist. */
enum mm_class lt_lower_final(const struct lt_test *test, struct ck_program *program, struct mm_error *err);
/* Bytes of a register or an element, whether it is signed, and whether two terms are the same one. */
uint8_t lt_term_size(const struct ck_program *program, const struct ck_term *term);
bool lt_term_is_signed(const struct ck_program *program, const struct ck_term *term);
bool lt_same_term(const struct ck_term *a, const struct ck_term *b);
/* Adds the terms of the filter to the observed ones, so that final states show whether they satisfy it.
 * False: out of memory. */
bool lt_observe_filter(struct ck_program *program);

/* ---- printing ------------------------------------------------------------------------------------- */

void lt_print_prop(const struct lt_prop *prop, FILE *out);
void lt_print_stmt(const struct lt_stmt *stmt, unsigned indent, FILE *out);
/* Prints the part after the threads: filter, condition, observed locations. */
void lt_print_final(const struct lt_test *test, FILE *out);
void lt_print_declarations(const struct lt_test *test,
                           FILE *out); /* queues, user events, semaphores, command buffers */
void lt_print_api(const struct lt_api *api, FILE *out);
/* "P0", "H0" */
const char *lt_thread_name(const struct lt_thread *thread, char buf[16]);
const char *lt_order_text(uint8_t order);                       /* memory_order_... */
const char *lt_scope_text(uint8_t scope);                       /* memory_scope_... */
const char *lt_enqueue_flags_text(enum lt_enqueue_flags flags); /* CLK_ENQUEUE_FLAGS_... */
const char *lt_quantifier_text(enum ck_quantifier quantifier);  /* exists, ~exists, forall */
const char *lt_fence_flag_text(uint8_t flag);                   /* CLK_..._MEM_FENCE */

#endif
