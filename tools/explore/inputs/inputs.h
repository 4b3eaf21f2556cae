/* Inputs of the launch: sizes, arguments, initial values and conditions, from header lines or the command
 * line. */
#ifndef TOOLS_EXPLORE_INPUTS_INPUTS_H
#define TOOLS_EXPLORE_INPUTS_INPUTS_H

#include "tools/explore/explore.h"

struct ex_place;

/* A constant given for an object or a specialization constant: a tree of numbers. */
enum ex_form { EX_DECIMAL, EX_HEXADECIMAL, EX_REAL, EX_LIST };
struct ex_init {
    enum ex_form form;
    uint64_t value; /* DECIMAL, HEXADECIMAL */
    double real;    /* REAL */
    uint32_t count; /* LIST */
    struct ex_init *items;
};
struct ex_input {
    const char *name;
    uint32_t id;    /* 0: not found in the module */
    bool given;     /* false: only named by a condition */
    uint64_t bytes; /* not 0: a size without values */
    bool any;       /* symbolic: INIT is not set */
    bool null;      /* a null pointer */
    bool svm;       /* fine-grained SVM with atomics, not a buffer */
    bool ranged;    /* the values are from LOW to HIGH */
    int64_t low, high;
    struct ex_init init;
    uint32_t image;   /* images: number of its description, from 1 */
    uint32_t sampler; /* samplers: as OpConstantSampler has it in interp/module, else 0 */
};

/* ---- header.c ---- */

void ex_read_headers(struct ex *ex);
/* The bits of a scalar of type TYPE with the value INIT.  Hexadecimal numbers are the bits, of floats too. */
uint64_t ex_init_bits(struct ex *ex, const struct in_ty *type, const struct ex_init *init);
/* The number or list of numbers TEXT. */
struct ex_init ex_value_text(struct ex *ex, const char *text);
/* The input for ID, created if it does not exist. */
struct ex_input *ex_input_for(struct ex *ex, uint32_t id);
/* Reads the condition and the filter into the program, whose objects exist. */
void ex_conditions(struct ex *ex);

/* ---- argument.c ---- */

/* Sets the kernel's parameter ID from the argument TEXT of the command line. */
void ex_argument(struct ex *ex, uint32_t id, const char *text);
/* The command-line argument with NAME, else the next one without a name from index *NEXT on, which is
 * advanced; NULL: none. */
const char *ex_argument_text(struct ex *ex, const char *name, uint32_t *next);
/* Fails if an argument has a name that no parameter of F has. */
void ex_argument_names(struct ex *ex, const struct in_function *f);

/* ---- inputs.c ---- */

/* The value that options give for ID, NULL if none. */
const struct ex_input *ex_input_of(const struct ex *ex, uint32_t id);
/* Adds inputs and requirements to the program, whose objects exist. */
void ex_add_inputs(struct ex *ex);
/* Whether the argument ID is, or points to, an unsigned integer. */
bool ex_is_unsigned(const struct ex *ex, uint32_t id);
/* Whether an argument is symbolic, or points to memory without initial values. */
bool ex_has_inputs(const struct ex *ex);
/* Calls TAKE for each symbolic input that EXECUTION reads, with its name, such as "n" or "a[3]". */
void ex_each_input(struct ex *ex, const struct ck_execution *execution,
                   void (*take)(void *context, const char *name, int64_t value, bool is_unsigned),
                   void *context);

/* ---- launch.c ---- */

/* Chooses the sizes that neither options nor the file give; fails if the kernel requires others. */
void ex_complete_launch(struct ex *ex);

/* ---- initial.c ---- */

enum { EX_UNKNOWN_ELEMENTS = 4096 }; /* length of an array of unknown length */
/* The type of member or element I of T. */
const struct in_ty *ex_part_type(struct ex *ex, const struct in_ty *t, uint32_t i);
/* Bytes of a value of type T; T NULL: of an array with elements of ELEMENT bytes.  INIT (NULL: unknown)
 * determines the length of arrays without one. */
uint64_t ex_init_size(const struct in_ty *t, uint64_t element, const struct ex_init *init);
/* Writes INIT, a value of type T, at OFFSET of BYTES, an array of SIZE bytes. */
void ex_init_fill(struct ex *ex, const struct in_ty *t, const struct ex_init *init, uint8_t *bytes,
                  uint64_t size, uint64_t offset);
/* Adds the values that launch and arguments give to BYTES (SIZE bytes), which hold INIT; values of INIT take
 * precedence.  Sets PLACE->known.  True: all scalars are given. */
bool ex_init_add_launch(struct ex *ex, struct ex_place *place, const struct ex_init *init, uint8_t *bytes,
                        uint64_t size);
/* Writes the initializer ID of a variable of type T to BYTES (SIZE bytes); false: it is undefined. */
bool ex_init_from_constant(struct ex *ex, const struct in_ty *t, uint32_t id, uint8_t *bytes, uint64_t size);
/* Writes the value of the kernel's parameter ID, passed by value, in EXECUTION to BYTES; false: it is larger
 * than SIZE. */
bool ex_argument_bytes(struct ex *ex, uint32_t id, const struct ck_execution *execution, uint8_t *bytes,
                       uint64_t size);

/* ---- reflection.c ---- */

/* Sets the specialization constants that the launch gives, before ex_declare(); the arguments, after it. */
void ex_reflect_constants(struct ex *ex);
void ex_reflect_arguments(struct ex *ex);
/* Writes the value that launch and arguments give to variable ID, of SIZE bytes and TYPE, into BYTES;
 * KNOWN[i] becomes 1 where byte i is given. */
void ex_reflected_bytes(struct ex *ex, uint32_t id, const struct in_ty *type, uint8_t *bytes, uint8_t *known,
                        uint64_t size);

#endif
