/* Witnesses: executions of a launch with everything needed to replay them. `refcl explore` finds and
 * writes them, `refcl kernel --replay` reads them. */
#ifndef TOOLS_WITNESS_WITNESS_H
#define TOOLS_WITNESS_WITNESS_H

#include "interp/image/image.h"
#include "interp/interp.h"
#include "tools/explore/explore.h"

#include <cjson/cJSON.h>

enum { WITNESS_TEXT = 600 };

struct witness_argument {
    uint32_t object;   /* of the program; CK_NO_OBJECT: no memory, or memory that is not observed */
    uint64_t size;     /* 0: a null pointer */
    const void *bytes; /* VALUE */
    bool constant;
    const struct in_image *image; /* IMAGE: its description; OBJECT has its channels */
    uint32_t sampler; /* SAMPLER: as OpConstantSampler has it in interp/module, with bit 31; else 0 */
};
struct witness {
    struct mm_arena *arena;
    /* the launch */
    const char *file, *source, *build_options; /* SOURCE: text of the file, NULL if it has none */
    const uint32_t *words;
    size_t word_count;
    struct in_module_options options;
    struct in_module *module;
    size_t kernel;
    const struct in_kernel_info *info;
    uint32_t global[3], local[3], sub_group;
    struct witness_argument *arguments; /* as many as INFO says */
    const struct ck_program *program; /* its objects, observed state and names of threads; NAME: the kernel */
    bool vulkan;
    /* the question, and what the execution shows */
    const char *model;
    const char *const *switches;
    size_t switch_count;
    const char *const *conditions;
    size_t condition_count;
    const struct ck_execution *execution;
    bool satisfies;                 /* a state: it satisfies the condition */
    struct ck_program *own_program; /* of a file */
};

/* The launch that EX was lowered from.  EX outlives WITNESS. */
enum mm_class witness_open(struct witness *witness, const struct ex *ex, struct mm_error *err);
/* EXECUTION of it, with the values of arguments that belong to it. */
enum mm_class witness_take(struct witness *witness, struct ex *ex, const struct ck_execution *execution,
                           struct mm_error *err);
/* Makes the module of WITNESS->words with WITNESS->options. */
enum mm_class witness_load(struct witness *witness, struct mm_error *err);
void witness_close(struct witness *witness);

/* The kind of the finding that EXECUTION shows: "state", "flag", "divergence", "termination"; and the
 * finding in words: "out=1", "data_race". */
const char *witness_kind(const struct ck_execution *execution);
void witness_describe(const struct ck_program *program, const struct ck_execution *execution,
                      char text[WITNESS_TEXT]);
/* FOLDER/FILE.NUMBER.KIND.SUFFIX, FILE without its folders; makes the folder.  0, or an exit code. */
int witness_path(const char *folder, const char *file, size_t number, const struct ck_execution *execution,
                 const char *suffix, char path[]);
/* For verdicts (tools/schema/litmus.schema.json). */
cJSON *witness_execution_json(const struct ck_program *program, const struct ck_execution *execution);
/* The events of EXECUTION in an order that agrees with program order, and how they are related; the same as a
 * graph for Graphviz, one cluster for each thread: po, rf, rmw, co and fr without what follows from them. */
void witness_print(const struct ck_program *program, const struct ck_execution *execution, FILE *out);
void witness_print_dot(const struct ck_program *program, const struct ck_execution *execution, FILE *out);

/* witness/image.c: the sampler of BITS; the pitches of an image without gaps; IMAGE in a file; the argument
 * JSON, an image or a sampler, becomes A, whose object is set: NULL, or what is wrong. */
void witness_sampler(uint32_t bits, struct in_sampler *sampler);
void witness_image_layout(struct in_image *image);
cJSON *witness_image_json(const struct in_image *image);
const char *witness_image_read(struct mm_arena *arena, const struct ck_program *program,
                               const struct in_argument_info *info, const cJSON *json,
                               struct witness_argument *a);

/* write.c */
/* Files: tools/schema/witness.schema.json. */
int witness_write(const struct witness *witness, const char *path);
/* read.c */
/* 0, or an exit code after an error message with the place in the file. */
int witness_read(struct witness *witness, const char *path);

/* Names in files, by number; NULL after the last. */
extern const char *const witness_kinds[], *const witness_ends[];

#endif
