/* Options of clBuildProgram, clCompileProgram and clLinkProgram [CL 5.8.6, 5.8.7]. */
#ifndef REF_RUNTIME_COMPILER_CLIENT_OPTIONS_H
#define REF_RUNTIME_COMPILER_CLIENT_OPTIONS_H

#include "memmodel/memmodel.h"

enum rt_options_stage { RT_OPTIONS_BUILD = 1, RT_OPTIONS_COMPILE = 2, RT_OPTIONS_LINK = 4 };

struct rt_options {
    char **arguments; /* for clang */
    size_t argument_count;
    const char *standard; /* "CL1.2" if the options name none */
    bool create_library, enable_link_options, argument_info, spir, uniform_groups;
};

/* Takes TEXT (may be NULL) apart.  MM_INVALID with rule "options" if it has an option that STAGE does not
 * allow or that is malformed.  Freed with rt_options_free in every case. */
enum mm_class rt_options_parse(const char *text, enum rt_options_stage stage, struct rt_options *options,
                               struct mm_error *err);
void rt_options_free(struct rt_options *options);

#endif
