// expect: clean
// build: host-cc
// The host waits for the write before it fills the memory anew.
#include "staging.h"
int main(void)
{
    return stage(true);
}
