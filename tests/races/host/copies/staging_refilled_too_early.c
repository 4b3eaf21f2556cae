// expect: data-race
// at: staging.h:19 write, staging.h:20 read, command and host
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// Pinned memory stays mapped; the host fills it anew while the write from it is under way.
#include "staging.h"
int main(void)
{
    return stage(false);
}
