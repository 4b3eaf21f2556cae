/* Output of executions by `refcl litmus check`. */
#ifndef TOOLS_CMD_LITMUS_SHOWN_H
#define TOOLS_CMD_LITMUS_SHOWN_H

#include "checker/checker.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct litmus_shown {
    bool text;          /* events and what relates them are printed */
    const char *folder; /* each becomes a graph in a file here, NULL = not */
    size_t written;     /* files */
};
/* The executions that VERDICT of the test FILE keeps, on OUT and in JSON (NULL = not).  Returns an exit
 * code. */
int litmus_show(struct litmus_shown *shown, const struct ck_program *program,
                const struct ck_verdict *verdict, const char *file, cJSON *json, FILE *out);

#endif
