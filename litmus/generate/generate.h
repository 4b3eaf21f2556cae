/* The generator's interface for tools: cycles and families of cycles become tests. */
#ifndef LITMUS_GENERATE_GENERATE_H
#define LITMUS_GENERATE_GENERATE_H

#include "litmus/generate/cycle.h"

struct lt_generate_options {
    const struct mm_cat_model *model;
    struct ck_options check;
    const char *clause; /* only what a clause with this in its name forbids; NULL = all */
    unsigned weaker;    /* weakenings to write for each minimal cycle */
    bool allowed;       /* also write strongest cycles that are not forbidden */
    size_t limit;       /* files */
};
struct lt_generate_counts {
    size_t decided, files, forbidden, disagreements;
};
/* Called for each test; PROPERTIES and TITLE are for lt_cycle_emit. */
typedef enum mm_class lt_generate_sink(void *context, const struct lt_cycle *cycle, const char *name,
                                       const char *title, const char *properties, struct mm_error *err);

struct lt_generator;
struct lt_generator *lt_generator_create(const struct lt_generate_options *options, lt_generate_sink *sink,
                                         void *context, struct mm_error *err);
void lt_generator_destroy(struct lt_generator *generator);
/* Writes the minimal forbidden cycles below STRONGEST, and some cycles that are one step weaker. */
enum mm_class lt_generate(struct lt_generator *generator, const struct lt_cycle *strongest);
const struct lt_generate_counts *lt_generator_counts(const struct lt_generator *generator);

/* A family: every combination of these, each a comma-separated list. */
struct lt_family {
    const char *shapes;     /* "MP,SB" */
    const char *places;     /* dev, wg, sg, split: other work-groups, one work-group, one sub-group, the first
                               thread in another work-group than the rest */
    const char *regions;    /* "gg,gl": of the locations in order; the last letter is repeated */
    const char *scopes;     /* sg, wg, dev, all */
    const char *mechanisms; /* of the threads in order, the last letter is repeated: a atomics, f fences,
                               m read-modify-writes; "aa,fa" */
    const char *data;       /* atomic, plain: accesses next to no reads-from edge */
    const char *flags;      /* of fences and barriers: g, l, gl */
    const char *orders;     /* the strongest to start from: sc, ar, rlx */
};
/* Calls lt_generate for each member. */
enum mm_class lt_generate_family(struct lt_generator *generator, const struct lt_family *family,
                                 struct mm_error *err);

#endif
