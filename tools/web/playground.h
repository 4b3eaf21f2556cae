/* The playground's checker: a litmus test or the program of a kernel (checker/program/file.h), a model and
 * its switches as text, the verdict with executions as JSON. */
#ifndef TOOLS_WEB_PLAYGROUND_H
#define TOOLS_WEB_PLAYGROUND_H

/* Gives the model file NAME the contents TEXT, for requests and for what models include.  False: out of
 * memory. */
int playground_set_file(const char *name, const char *text);

enum {
    PLAYGROUND_FORBIDDEN = 1, /* also forbidden final states, each with the axioms that forbid it */
    PLAYGROUND_ADVICE = 2,    /* also the smallest change that removes a race */
    PLAYGROUND_ALLOW = 4      /* playground_advise: a change that allows the state, not one that forbids it */
};
/* Decides TEST under the file MODEL.  SWITCHES and RELATIONS are words: "name=value", and definitions of the
 * model to show in executions.  Returns JSON, freed with playground_free(); NULL: out of memory. */
char *playground_check(const char *test, const char *model, const char *switches, const char *relations,
                       unsigned flags, unsigned timeout_ms);
/* The smallest change after which no execution ends in STATE, the values of a final state with spaces
 * between, and none has a race; or, with PLAYGROUND_ALLOW, after which some execution does. */
char *playground_advise(const char *test, const char *model, const char *switches, const char *state,
                        unsigned flags, unsigned timeout_ms);
void playground_free(char *json);

#endif
