// expect: data-race
// at: staging.h:19 write, staging.h:20 read, command and host
// reason: the host neither waits for it nor enqueues it afterwards
// build: host-cc
// Pinned memory stays mapped; the host refills it while the write from it is in flight.
#include "staging.h"
int main(void)
{
    return stage(false);
}
