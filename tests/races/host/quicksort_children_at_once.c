// expect: data-race
// reason: fine-grained SVM only
// The halves may start before what was moved into them is there: a buffer is not fine-grained.
#include "quicksort.h"
int main(void)
{
    return quicksort("-DFLAGS=CLK_ENQUEUE_FLAGS_NO_WAIT");
}
