/* Collective operations of work-groups and sub-groups. [SPIRV 3.49.21, 3.49.24] */
#include "exec.h"

void in_collective(struct in_run *run, struct in_item **members, uint32_t count, const struct in_wait *wait)
{
    (void)count;
    (void)wait;
    in_raise(run, members[0], members[0]->pc - 1, "unsupported", "SPIRV", NULL, 0, 0,
             "collective operations");
    run->stopped = true;
}
