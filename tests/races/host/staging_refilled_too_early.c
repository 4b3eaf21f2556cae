// expect: data-race
// build: host-cc
// Pinned memory stays mapped; the host fills it anew while the write from it is under way.
#include "staging.h"
int main(void)
{
    return stage(false);
}
