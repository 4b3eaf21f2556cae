/* Programs in which nothing will be observed. */
#ifndef TOOLS_PRELOAD_EXECUTED_H
#define TOOLS_PRELOAD_EXECUTED_H

#include <stdbool.h>
#include <sys/types.h>

/* Before this process executes FILE, with SEARCH by the list PATH as of execvp(), or after it has started it as PROCESS: `refcl run` is
 * told if the program has no dynamic linker, which would load this library, or more rights than its caller, so that no variable of
 * `refcl run` is honored.  Async-signal-safe. */
void executed_report(const char *file, bool search, pid_t process);
void executed_report_descriptor(int file);

#endif
