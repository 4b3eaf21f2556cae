/* Programs in which nothing will be observed. */
#ifndef TOOLS_PRELOAD_EXECUTED_H
#define TOOLS_PRELOAD_EXECUTED_H

#include <stdbool.h>
#include <sys/types.h>

/* Notifies `refcl run` if it will observe nothing in FILE, which this process is about to execute, with
 * SEARCH in the folders of PATH, or has started as PROCESS: the program has no dynamic linker, which would
 * load this library, or more rights than its caller, so that it reads no variable of `refcl run`.
 * Async-signal-safe. */
void executed_report(const char *file, bool search, pid_t process);
void executed_report_descriptor(int file);
void executed_report_at(int folder, const char *file, int flags); /* as execveat() finds it */

#endif
