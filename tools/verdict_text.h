/* Verdicts of the checker in words: what `refcl litmus check` prints, and the parts that pages and JSON are
 * made of. */
#ifndef TOOLS_VERDICT_TEXT_H
#define TOOLS_VERDICT_TEXT_H

#include "checker/checker.h"

#include <stdio.h>

const char *verdict_condition_name(enum ck_answer answer); /* "holds", "fails", "unknown" */
const char *verdict_race_name(enum ck_answer answer);      /* "found", "none", "unknown" */
/* " x=1 0:r0=2", cut where BUF is full. */
void verdict_state_text(const struct ck_program *program, const uint64_t *values, char *buf, size_t size);
void verdict_print_states(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
/* Sets the model whose clauses are printed with the edges of explanations; NULL: none. */
void verdict_use_model(const struct mm_cat_model *model);
void verdict_print_explanation(const struct ck_program *program, const struct ck_verdict *verdict, FILE *out);
/* Prints the cause of the race, and the change that removes it. */
void verdict_print_advice(const struct ck_program *program, const struct ck_advice *advice, FILE *out);
/* The place of BYTES bytes at OFFSET, "x", "x[2]", "x[2].y", as the detector names it; the value of SIZE
 * bytes there. */
void verdict_element(const struct ck_object *object, uint64_t offset, unsigned bytes, char *buf, size_t size);
void verdict_value_text(const struct ck_object *object, uint64_t offset, uint64_t value, unsigned size,
                        char text[MM_SCALAR_TEXT]);
/* "1:r0", "x[2]"; its value. */
void verdict_term_name(const struct ck_program *program, const struct ck_term *term, char *buf, size_t size);
void verdict_term_text(const struct ck_program *program, const struct ck_term *term, uint64_t value,
                       char text[MM_SCALAR_TEXT]);
/* "P1: acquire read y = 1 (line 12)" */
void verdict_step_text(const struct ck_program *program, const struct ck_step *step, char *buf, size_t size);
/* The clauses of the definition that an edge is named after ("mo", "rf^-1", "sw(...)"): what its comment
 * has before the colon.  Empty if there are none. */
const char *verdict_edge_clause(const char *edge, char *buf, size_t size);
/* "read x = 1 (acquire)" */
enum { VERDICT_TEXT = 200 };
void verdict_event_text(const struct ck_program *program, const struct ck_event *event,
                        char text[VERDICT_TEXT]);
/* Calls VISIT with each edge of rf, rmw, and the transitive reduction of co and fr; with the pair that raises
 * a flag. */
struct verdict_edge {
    const char *name;
    size_t from, to; /* events */
};
void verdict_each_edge(const struct ck_execution *x,
                       void (*visit)(void *context, const struct verdict_edge *edge), void *context);
/* For EDIT: its source line; the existing operation and what it lacks; the change as text. */
uint32_t verdict_edit_line(const struct ck_program *program, const struct ck_edit *edit);
void verdict_lack_text(const struct ck_program *program, const struct ck_edit *edit, char *buf, size_t size);
void verdict_change_text(const struct ck_program *program, const struct ck_edit *edit, char *buf,
                         size_t size);

#endif
