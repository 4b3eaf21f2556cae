/* Reading many litmus tests, from files and folders. */
#ifndef TOOLS_CMD_LITMUS_FILES_H
#define TOOLS_CMD_LITMUS_FILES_H

#include "litmus/litmus.h"
#include "tools/tool.h"

struct litmus_files {
    char **paths;
    struct lt_test **tests; /* of each path, once they are parsed */
    size_t count;
};
/* Adds PATH; of a folder, every *.litmus file below it, in name order, at least one.  Returns an exit
 * code. */
int litmus_files_add(struct litmus_files *files, const char *path);
/* Adds the arguments of a command from FIRST on, at least one, and parses them all.  Returns an exit code. */
int litmus_files_load(struct litmus_files *files, int argc, char **argv, int first);
void litmus_files_clear(struct litmus_files *files);
/* The versions of OpenCL C. */
#define LITMUS_CL_STD "CL1.0 CL1.1 CL1.2 CL2.0 CL3.0 CL3.1"
/* How tests are translated to Vulkan: options for struct lt_plan_options.  A tool_reader for enum
 * lt_mapping. */
extern const struct tool_option litmus_mapping_options[];
int litmus_read_mapping(void *mapping, const struct tool_option *option, const char *value);

/* Writes plan.json for FILES to OUTPUT (- is stdout).  Returns an exit code. */
int litmus_write_plan(const struct litmus_files *files, const struct lt_plan_options *plan_options,
                      const char *output);

#endif
