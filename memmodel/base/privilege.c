/* See privilege.h. */
#include "memmodel/base/privilege.h"

#include <stdlib.h>
#ifndef __EMSCRIPTEN__ /* whose newer versions lack it */
#include <sys/auxv.h>
#endif

bool mm_is_privileged(void)
{
#ifdef __EMSCRIPTEN__ /* a page has no rights that its caller lacks */
    return false;
#else
    return getauxval(AT_SECURE) != 0;
#endif
}

const char *mm_getenv(const char *name)
{
    return mm_is_privileged() ? NULL : getenv(name);
}
