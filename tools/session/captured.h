/* Captured launches as words for the helper that launches kernels. */
#ifndef TOOLS_SESSION_CAPTURED_H
#define TOOLS_SESSION_CAPTURED_H

#include "tools/tool.h"

#include <limits.h>

struct captured_launch {
    char folder[PATH_MAX]; /* temporary: the program, contents of memory */
    char *words[1200];     /* "--option", value, ...: without the dashes; then the program */
    size_t count;
    char *source, *file, *options; /* program text, its file name, build options; NULL: not captured */
};
/* Reads the capture PATH and unpacks it.  Returns 0 or an exit code after a complaint. */
int captured_open(struct captured_launch *launch, const char *path);
/* Writes the OpenCL C or SPIR-V of the program to a file that captured_close() removes; PATH, of PATH_MAX +
 * 40 bytes, receives its name, or "" if the capture has neither. */
int captured_program(const struct captured_launch *launch, char *path);
/* The name of the kernel. */
const char *captured_kernel(const struct captured_launch *launch);
/* Whether PATH is a captured launch of the kernel called NAME. */
bool captured_is_of(const char *path, const char *name);
void captured_close(struct captured_launch *launch);

#endif
