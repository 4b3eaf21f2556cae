/* See privilege.h. */
#include "memmodel/base/privilege.h"

#include <stdlib.h>
#ifndef __EMSCRIPTEN__ /* newer versions of Emscripten lack <sys/auxv.h> */
#include <sys/auxv.h>
#endif

bool mm_is_privileged(void)
{
#ifdef __EMSCRIPTEN__ /* a web page has no rights that its caller lacks */
    return false;
#else
    return getauxval(AT_SECURE) != 0;
#endif
}

const char *mm_getenv(const char *name)
{
    return mm_is_privileged() ? NULL : getenv(name);
}
