/* See privilege.h. */
#include "memmodel/base/privilege.h"

#include <stdlib.h>
#include <sys/auxv.h>

bool mm_is_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

const char *mm_getenv(const char *name)
{
    return mm_is_privileged() ? NULL : getenv(name);
}
