/* Numbers that environment variables set. */
#ifndef TESTS_HUNT_SETTING_H
#define TESTS_HUNT_SETTING_H
#include <stdint.h>
#include <stdlib.h>

static inline uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

#endif
