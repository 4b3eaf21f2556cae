// expect: clean
// Upload, computation and download on separate queues: each buffer is reused after a wait for its last user.
#include "three_queues.h"
int main(void)
{
    return stream(true, true);
}
