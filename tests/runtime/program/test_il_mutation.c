/* Damaged SPIR-V through clCreateProgramWithIL and clBuildProgram: an error with a reason, or a valid build;
 * never a crash or a hang.  Each program is tried in a child process with a limit of processor time, so that
 * a failure names its seed. */
#include "tests/runtime/runtime_test.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MUTANTS = 500, BATCH = 25, SECONDS = 120, HEADER = 5 };

static const char *const sources[] = {
    "kernel void k(global int *a, local int *l, int n) { int i = get_global_id(0); l[i & 7] = a[i]; "
    "barrier(CLK_LOCAL_MEM_FENCE); for (int j = 0; j < n; j++) a[i] += l[j & 7] * j; }",
    "typedef struct { int x; float4 v; } S; float f(S s) { return s.v.x + s.x; }\n"
    "kernel void k(global S *s, global float *o) { switch (s[0].x) { case 1: o[0] = f(s[1]); break; "
    "case 2: o[1] = sqrt(s[1].v.y); break; default: o[2] = 1; } }",
    "constant int table[4] = {1, 2, 3, 4}; kernel void k(volatile global int *a, global float8 *b) { "
    "atomic_add(a, table[a[1] & 3]); b[0] = b[1].s76543210 * 2.0f; b[0].lo = convert_float4(b[1].hi); }",
};

static uint32_t *modules[3];
static size_t counts[3];

/* xorshift64*: the same mutants everywhere. */
static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

/* The SPIR-V in a refcl binary: from the magic number to the end. */
static uint32_t *spirv_of(const char *text, size_t *count)
{
    cl_program program = build_source(text, "-cl-std=CL1.2");
    size_t size = 0;
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const uint32_t magic = 0x07230203;
    size_t at = 0;
    while (at + 4 <= size && memcmp(binary + at, &magic, 4))
        at++;
    assert_true(at + 20 <= size);
    uint32_t *words = malloc(size - at);
    memcpy(words, binary + at, size - at);
    *count = (size - at) / 4;
    free(binary);
    OK(clReleaseProgram(program));
    return words;
}

/* Start of an instruction; WORDS may be damaged already. */
static size_t random_instruction(const uint32_t *words, size_t count, uint64_t *state)
{
    size_t target = HEADER + next(state) % (count - HEADER), at = HEADER;
    while (words[at] >> 16 && at + (words[at] >> 16) <= target)
        at += words[at] >> 16;
    return at;
}

static size_t length_at(const uint32_t *words, size_t count, size_t at)
{
    size_t length = words[at] >> 16;
    return length && at + length <= count ? length : 1;
}

/* Damages WORDS in one of several ways; returns the new length in bytes. */
static size_t mutate(uint32_t *words, size_t count, uint64_t *state)
{
    size_t at = random_instruction(words, count, state), length = length_at(words, count, at);
    switch (next(state) % 8) {
    case 0: /* a bit anywhere */
        words[next(state) % count] ^= 1u << next(state) % 32;
        break;
    case 1: /* cut short */
        return (HEADER + next(state) % (count - HEADER)) * 4;
    case 2: /* another id or literal */
        words[at + (length > 1 ? 1 + next(state) % (length - 1) : 0)] =
            (uint32_t)(next(state) % (words[3] + 4));
        break;
    case 3: /* another opcode */
        words[at] = (words[at] & 0xffff0000) | (uint32_t)(next(state) % 400);
        break;
    case 4: /* an instruction less */
        memmove(words + at, words + at + length, (count - at - length) * 4);
        return (count - length) * 4;
    case 5: /* another length */
        words[at] = (words[at] & 0xffff) | (uint32_t)(next(state) % 9) << 16;
        break;
    case 6: { /* two instructions of one length change places */
        size_t other = random_instruction(words, count, state);
        if (length_at(words, count, other) != length)
            break;
        for (size_t i = 0; i < length; i++) {
            uint32_t word = words[at + i];
            words[at + i] = words[other + i];
            words[other + i] = word;
        }
        break;
    }
    default: /* a huge or tiny bound, or a large literal */
        if (next(state) & 1)
            words[3] = (uint32_t)next(state) >> next(state) % 32;
        else
            words[at + length - 1] = (uint32_t)next(state);
        break;
    }
    return count * 4;
}

/* 0: fine. */
static int try_mutant(uint64_t seed)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    size_t which = seed % 3, count = counts[which];
    uint32_t *words = malloc(count * 4);
    memcpy(words, modules[which], count * 4);
    size_t size = count * 4;
    for (uint64_t i = 0; i <= seed % 3 && size == count * 4; i++)
        size = mutate(words, count, &state);
    int bad = 0;
    cl_program program = clCreateProgramWithIL(context, words, size, &err);
    if (program) {
        static char log[100000];
        cl_int code = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        bad = code == CL_SUCCESS                                                  ? 0
              : code == CL_BUILD_PROGRAM_FAILURE || code == CL_OUT_OF_HOST_MEMORY ? !*log
                                                                                  : 1;
        clReleaseProgram(program);
    } else {
        bad = err != CL_INVALID_VALUE;
    }
    free(words);
    return bad;
}

static void test_mutants(void **state)
{
    (void)state;
    const struct itimerval limit = {.it_value.tv_sec = SECONDS}; /* of processor time: others may run too */
    uint64_t base = getenv("TEST_SEED") ? strtoull(getenv("TEST_SEED"), NULL, 0) : 1;
    for (int batch = 0; batch < MUTANTS / BATCH; batch++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t pid = fork();
        if (pid == 0) {
            close(ends[0]);
            for (int i = 0; i < BATCH; i++) {
                uint64_t seed = base + (uint64_t)(batch * BATCH + i);
                if (write(ends[1], &seed, sizeof seed) != sizeof seed)
                    _exit(2);
                setitimer(ITIMER_PROF, &limit, NULL);
                if (try_mutant(seed))
                    _exit(1);
            }
            _exit(0);
        }
        close(ends[1]);
        uint64_t seed = 0, last = 0;
        while (read(ends[0], &seed, sizeof seed) == sizeof seed)
            last = seed;
        close(ends[0]);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFEXITED(status) || WEXITSTATUS(status))
            fail_msg("seed %llu: %s %d", (unsigned long long)last, WIFSIGNALED(status) ? "signal" : "exit",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void test_originals(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cl_program program = clCreateProgramWithIL(context, modules[i], counts[i] * 4, &err);
        OK(err);
        OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
        size_t size = 0;
        OK(clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
        assert_int_equal(size, counts[i] * 4);
        cl_kernel kernel = clCreateKernel(program, "k", &err);
        OK(err);
        OK(clReleaseKernel(kernel));
        assert_int_equal(clSetProgramSpecializationConstant(program, 5, 4, &(cl_int){0}), CL_INVALID_SPEC_ID);
        OK(clReleaseProgram(program));
    }
}

static int open_modules(void **state)
{
    if (open_device(state))
        return -1;
    for (size_t i = 0; i < 3; i++)
        modules[i] = spirv_of(sources[i], &counts[i]);
    return 0;
}

static int close_modules(void **state)
{
    for (size_t i = 0; i < 3; i++)
        free(modules[i]);
    return close_device(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_originals),
        cmocka_unit_test(test_mutants),
    };
    return cmocka_run_group_tests(tests, open_modules, close_modules);
}
