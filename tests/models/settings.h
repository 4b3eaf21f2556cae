/* The settings of opencl.cat under which the tests of its variants are judged. */
#ifndef TESTS_MODELS_SETTINGS_H
#define TESTS_MODELS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Settings of a model; the first is the default.  SAME: says what the default says. */
struct setting {
    const char *text;
    bool same;
};
static const struct setting opencl_settings[] = {{"default", true},
                                                 {"version=2.0", false},
                                                 {"version=3.0", true},
                                                 {"version=3.1.0", false},
                                                 {"version=3.1.1", false},
                                                 {"atomic_sw_scope=literal", false},
                                                 {"incl=same", true},
                                                 {"incl=wider", false},
                                                 {"demote=off", false},
                                                 {"dev_scope_clmem=device", false},
                                                 {"rs=cpp20", false},
                                                 {"init=none", false},
                                                 {"oota=warn", false},
                                                 {"oota=forbid", false},
                                                 {"scope_races=off", false},
                                                 {"usage=off", false},
                                                 {"event_queries=on", false},
                                                 {"event_queries=off", true},
                                                 {"semaphores=none", false},
                                                 {"command_buffers=none", false},
                                                 {"sc=total", true},
                                                 {"sc=conditional", false},
                                                 {"sc=scoped", false},
                                                 {"sc=rc11-psc", false},
                                                 {"sc=none", false},
                                                 {"sc_regions=both", false},
                                                 {NULL, false}};

/* The verdicts under each of them of the tests in these folders. */
#define GOLDEN "tests/models/matrix.txt"
#define MATRIX_FOLDERS                                                                                       \
    {                                                                                                        \
        "litmus/suite/variants", "tests/models/opencl", "litmus/suite/host-atomics",                         \
            "litmus/suite/host-command-buffer", "litmus/suite/host-map", "litmus/suite/host-query",          \
            "litmus/suite/host-semaphore", "tests/models/variants"                                           \
    }

#endif
