// expect: clean
// Upload, computation and download on queues of their own: what is used again waits for who used it.
#include "three_queues.h"
int main(void)
{
    return stream(true, true);
}
