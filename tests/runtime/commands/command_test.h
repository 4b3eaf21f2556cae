/* Entry points of extensions with their current interface, whatever the headers declare, as p_NAME. */
#ifndef TESTS_RUNTIME_COMMANDS_COMMAND_TEST_H
#define TESTS_RUNTIME_COMMANDS_COMMAND_TEST_H

#include <stdbool.h>

#include "tests/runtime/runtime_test.h"

#include "ref-runtime/registry.h"

#define RT_CALL(extension, name, parameters, arguments, first)                                               \
    __attribute__((unused)) static cl_int(CL_API_CALL *p_##name) parameters;
#define RT_CREATE(extension, type, name, parameters, arguments, first)                                       \
    __attribute__((unused)) static type(CL_API_CALL *p_##name) parameters;
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE

/* Opens the device and finds the entry points of its extensions; the others are null. */
static int open_extensions(void **state)
{
    char listed[8192];
    if (open_device(state) || clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof listed, listed, NULL))
        return -1;
#define FIND(extension, name)                                                                                \
    {                                                                                                        \
        void *found = clGetExtensionFunctionAddressForPlatform(platform, #name);                             \
        if (!found != !strstr(listed, extension)) {                                                          \
            fprintf(stderr, "%s has %s address\n", #name, found ? "an" : "no");                              \
            return -1;                                                                                       \
        }                                                                                                    \
        memcpy(&p_##name, &found, sizeof found);                                                             \
    }
#define RT_CALL(extension, name, parameters, arguments, first)         FIND(extension, name)
#define RT_CREATE(extension, type, name, parameters, arguments, first) FIND(extension, name)
#include "ref-runtime/check/extension_check.def"
#undef RT_CALL
#undef RT_CREATE
#undef FIND
    return 0;
}

#endif
