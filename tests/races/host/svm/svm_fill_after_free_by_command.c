// expect: data-race
// at: svm_fill_and_free.h:16 write, svm_fill_and_free.h:20 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// Memory is freed by a command before a fill of another queue executes.
#include "svm_fill_and_free.h"
int main(void)
{
    return fill_and_free(1, 0);
}
