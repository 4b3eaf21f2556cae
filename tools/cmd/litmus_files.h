/* Reading many litmus tests, from files and folders. */
#ifndef TOOLS_CMD_LITMUS_FILES_H
#define TOOLS_CMD_LITMUS_FILES_H

#include "litmus/litmus.h"

struct litmus_files {
    char **paths;
    struct lt_test **tests; /* of each path, once they are parsed */
    size_t count;
};
/* Adds PATH; of a folder, every *.litmus file below it, in name order, at least one.  Returns an exit code. */
int litmus_files_add(struct litmus_files *files, const char *path);
/* Adds the arguments of a command from FIRST on, at least one, and parses them all.  Returns an exit code. */
int litmus_files_load(struct litmus_files *files, int argc, char **argv, int first);
void litmus_files_clear(struct litmus_files *files);
/* Whether VALUE is a version of OpenCL C.  Returns an exit code. */
int litmus_cl_std(const char *value);
/* The mapping from OpenCL to Vulkan called NAME.  Returns an exit code. */
int litmus_mapping(const char *name, enum lt_mapping *mapping);

/* Writes plan.json for FILES to OUTPUT (- is stdout).  Returns an exit code. */
int litmus_write_plan(const struct litmus_files *files, const struct lt_plan_options *plan_options,
                      const char *output);

#endif
