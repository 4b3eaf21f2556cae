/* Programs that processes of a session execute and in which nothing is observed, as tools/preload/executed.c
 * reports them. */
#ifndef TOOLS_EXECUTED_H
#define TOOLS_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { EXECUTED_MOST = 16, EXECUTED_PATH = 100 };
struct executed {
    int socket;
    size_t count; /* of all; the first EXECUTED_MOST are kept */
    /* one may use OpenCL unseen: it has more rights than refcl, or is another machine's; static ones
     * cannot */
    bool hides;
    struct {
        pid_t process;
        char why[24], path[EXECUTED_PATH + 1];
    } list[EXECUTED_MOST];
};
/* Listens at the name, which has no other meaning, of the abstract namespace.  False: with errno. */
bool executed_open(struct executed *executed, const char *name);
/* Takes what has arrived. */
void executed_receive(struct executed *executed);
void executed_close(struct executed *executed);

#endif
