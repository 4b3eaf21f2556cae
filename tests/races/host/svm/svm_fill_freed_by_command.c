// expect: data-race
// at: svm_fill_and_free.h:16 write, svm_fill_and_free.h:20 write, command and command
// reason: no event, wait list, in-order queue, marker or barrier orders commands
// A command frees memory that an unordered fill of another queue writes.
#include "svm_fill_and_free.h"
int main(void)
{
    return fill_and_free(0, 0);
}
