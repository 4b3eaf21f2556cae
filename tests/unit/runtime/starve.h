/* Allocations that fail, one after the other, in calls of a context with one queue. */
#ifndef TESTS_UNIT_RUNTIME_STARVE_H
#define TESTS_UNIT_RUNTIME_STARVE_H

#include "ref-runtime/sched/command.h"

#include <stdlib.h>

#define OK(call) assert_int_equal((call), CL_SUCCESS)

enum { MOST = 20000 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_int err;

static void count_one(const struct rt_object *object, void *data)
{
    (void)object;
    ++*(size_t *)data;
}

static size_t objects(void)
{
    size_t n = 0;
    rt_object_each(count_one, &n);
    return n;
}

static void finish(void)
{
    rt_clFinish(queue);
}

/* CALL with each of its allocations failing in turn, until it succeeds; then AFTER. */
#define STARVE(code, call, after)                                                                            \
    do {                                                                                                     \
        bool seen_ = false, over_ = false;                                                                   \
        for (size_t n_ = 1; !over_ && n_ < MOST; n_ += 1 + n_ / 40) {                                        \
            finish();                                                                                        \
            size_t before_ = objects();                                                                      \
            mm_alloc_fail_after(n_);                                                                         \
            cl_int got_ = (call);                                                                            \
            mm_alloc_fail_after(0);                                                                          \
            over_ = got_ == CL_SUCCESS;                                                                      \
            if (!over_) {                                                                                    \
                assert_int_equal(got_, code);                                                                \
                assert_int_equal(objects(), before_);                                                        \
                seen_ = true;                                                                                \
            }                                                                                                \
        }                                                                                                    \
        after;                                                                                               \
        assert_true(seen_ &&over_);                                                                          \
    } while (0)

/* As STARVE, for calls that also need memory for data. */
#define STARVE_BOTH(host, data, call, after)                                                                 \
    do {                                                                                                     \
        bool host_ = false, data_ = false, over_ = false;                                                    \
        for (size_t n_ = 1; !over_ && n_ < MOST; n_++) {                                                     \
            size_t before_ = objects();                                                                      \
            mm_alloc_fail_after(n_);                                                                         \
            cl_int got_ = (call);                                                                            \
            mm_alloc_fail_after(0);                                                                          \
            over_ = got_ == CL_SUCCESS;                                                                      \
            host_ = host_ || got_ == (host);                                                                 \
            data_ = data_ || got_ == (data);                                                                 \
            assert_true(over_ || ((got_ == (host) || got_ == (data)) && objects() == before_));              \
        }                                                                                                    \
        after;                                                                                               \
        assert_true(host_ &&data_ &&over_);                                                                  \
    } while (0)

static int open_starved(void **state)
{
    (void)state;
    cl_platform_id platform;
    char path[4096];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/refcl-compiler", build ? build : "build");
    setenv("REFCL_COMPILER", path, 0);
    if (rt_clGetPlatformIDs(1, &platform, NULL) ||
        rt_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return -1;
    context = rt_clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = rt_clCreateCommandQueueWithProperties(context, device, NULL, &err);
    return err;
}

static int close_starved(void **state)
{
    (void)state;
    return rt_clReleaseCommandQueue(queue) || rt_clReleaseContext(context);
}

#endif
