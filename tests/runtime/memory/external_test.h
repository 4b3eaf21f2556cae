/* Shared by tests of external memory and semaphores: a kernel that doubles words, in memory that is a
 * file. */
#ifndef TESTS_RUNTIME_MEMORY_EXTERNAL_TEST_H
#define TESTS_RUNTIME_MEMORY_EXTERNAL_TEST_H

#include "tests/runtime/commands/command_test.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { WORDS = 1024 };
extern char **environ;
static const char *const source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n";
static cl_program program;
static cl_kernel twice;

__attribute__((unused)) static int open_all(void **state)
{
    if (open_extensions(state))
        return -1;
    program = build_source(source, NULL);
    twice = clCreateKernel(program, "twice", &err);
    return err;
}

__attribute__((unused)) static int close_all(void **state)
{
    return clReleaseKernel(twice) || clReleaseProgram(program) || close_device(state);
}

__attribute__((unused)) static int words_file(void)
{
    int fd = memfd_create("words", 0);
    assert_true(fd >= 0);
    cl_int words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = i;
    assert_int_equal(pwrite(fd, words, sizeof words, 0), sizeof words);
    return fd;
}

__attribute__((unused)) static void assert_words(int fd, int factor)
{
    cl_int words[WORDS];
    assert_int_equal(pread(fd, words, sizeof words, 0), sizeof words);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(words[i], i * factor);
}

/* An import takes ownership of its descriptor, whose number the next file that any thread opens may get. */
__attribute__((unused)) static cl_mem import(cl_context c, int fd, cl_mem_flags flags)
{
    int own = dup(fd);
    struct stat memory, after;
    assert_int_equal(fstat(own, &memory), 0);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)own,
                                            0};
    cl_mem m = clCreateBufferWithProperties(c, properties, flags, WORDS * sizeof(cl_int), NULL, &err);
    OK(err);
    assert_true(fstat(own, &after) != 0 || after.st_dev != memory.st_dev || after.st_ino != memory.st_ino);
    return m;
}

__attribute__((unused)) static void acquire(cl_command_queue q, cl_mem m)
{
    OK(p_clEnqueueAcquireExternalMemObjectsKHR(q, 1, &m, 0, NULL, NULL));
}

__attribute__((unused)) static void release(cl_command_queue q, cl_mem m)
{
    OK(p_clEnqueueReleaseExternalMemObjectsKHR(q, 1, &m, 0, NULL, NULL));
}

__attribute__((unused)) static void double_words(cl_command_queue q, cl_kernel kernel, cl_mem m)
{
    const size_t count = WORDS;
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
}

#endif
