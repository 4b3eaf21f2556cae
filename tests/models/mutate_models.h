/* The models that are mutated, and the tests that must notice. */
#ifndef TESTS_MODELS_MUTATE_MODELS_H
#define TESTS_MODELS_MUTATE_MODELS_H

#include "tests/models/mutate.h"

static const struct mutated_model {
    const char *path, *base, *stated, *equivalents;
    const char *folders[8], *settings[12];
    unsigned least; /* mutants of definitions and checks */
    unsigned open;  /* mutants of operands that no test kills and no reason excuses yet */
} mutated_models[] = {
    {.path = "memmodel/models/opencl.cat",
     .equivalents = "tests/models/equivalent.txt",
     .folders = {"litmus/suite", "tests/models/opencl", "tests/models/overlap/opencl",
                 "tests/models/variants", "tests/models/combined/opencl"},
     .settings = {"incl=wider", "version=2.0", "atomic_sw_scope=literal", "rs=cpp20", "init=none",
                  "oota=forbid", "oota=warn", "sc=scoped", "sc=rc11-psc", "sc_regions=both",
                  "event_queries=on"},
     .least = 30},
    {.path = "memmodel/models/opencl-scoped-sc.cat",
     .base = "memmodel/models/opencl.cat",
     .stated = "sc=scoped",
     .equivalents = "tests/models/equivalent-scoped-sc.txt",
     .folders = {"tests/models/variants", "tests/models/combined/opencl"},
     .least = 3},
    {.path = "memmodel/models/vulkan.cat",
     .equivalents = "tests/models/equivalent-vulkan.txt",
     .folders = {"tests/models/vulkan", "tests/models/overlap/vulkan", "tests/models/patterns/vulkan",
                 "tests/models/combined/vulkan", "tests/models/combined/vulkan-parts"},
     /* Operands of other-domain and vis-domain (10): same-domain has what they add, where hb composes.  What
      * only executions with races distinguish (9): atomic reads of hidden values (2), values read against the
      * order of writes (reads-before, 2), overlapping atomics that are not mutually ordered (2), smo in
      * location-ordered (1), and availability through another reference (2).  ithb: a release or acquire as
      * the first or last access of the same chain (2). */
     .open = 21,
     .settings = {"chains=on", "host_atomics=off", "tessellation=on"},
     .least = 60},
};

/* Every definition and check; THOROUGH: every operand too, and under every setting.  TEST_SHARE=N: one
 * operand in N, by default every operand. */
static void mutate_all(const struct mutated_model *m, bool thorough)
{
    struct mutation_run *run = calloc(1, sizeof *run);

    assert_non_null(run);
    run->path = m->path;
    run->base = m->base;
    run->stated = m->stated;
    run->equivalents_path = m->equivalents;
    mutation_begin(run, m->folders);
    run->thorough = thorough;
    run->share = thorough && getenv("TEST_SHARE") ? (unsigned)atoi(getenv("TEST_SHARE")) : 1;
    mutate_setting(run, NULL);
    assert_true(run->mutants >= m->least);
    run->thorough = false;
    for (const char *const *s = m->settings; thorough && *s; s++)
        mutate_setting(run, *s);
    if (thorough && run->share <= 1)
        equivalents_needed(run);
    mutation_end(run);
    unsigned survivors = run->survivors, undecided = run->undecided;
    free(run);
    assert_int_equal(undecided, 0);
    assert_true(survivors <= (thorough ? m->open : 0));
}

#endif
