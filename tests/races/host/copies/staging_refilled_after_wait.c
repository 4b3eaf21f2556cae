// expect: clean
// build: host-cc
// The host waits for the write before it refills the memory.
#include "staging.h"
int main(void)
{
    return stage(true);
}
