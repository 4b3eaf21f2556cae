// expect: clean
// Memory is freed by a command that waits for the fill.
#include "svm_fill_and_free.h"
int main(void)
{
    return fill_and_free(0, 1);
}
