/* Programs as text: refcl explore --export writes them, the playground reads them.  The format is described
 * in docs/program-file.md. */
#ifndef CHECKER_PROGRAM_FILE_H
#define CHECKER_PROGRAM_FILE_H

#include "checker/program/program.h"

#include <stdio.h>

/* The first word of such a text. */
#define CK_PROGRAM_MAGIC "refcl-program"

/* MM_LIMIT: PROGRAM applies functions that exist in this process alone.  Errors of OUT are the caller's to
 * check. */
enum mm_class ck_program_write(const struct ck_program *program, FILE *out, struct mm_error *err);
/* Reads and validates TEXT, SIZE bytes with a zero byte behind them; NAME is for messages.  *PROGRAM is freed
 * with ck_program_destroy(). */
enum mm_class ck_program_read(const char *text, size_t size, const char *name, struct ck_program **program,
                              struct mm_error *err);

#endif
