/* The helper process: crashes, endless loops, restarts, many threads, and no effects visible to the
 * application. */
#include "compiler_test.h"
#include "skip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "ref-runtime/compiler/client_options.h"

static const char kernel[] = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }\n";

static void expect_failure(const char *fault, const char *says)
{
    setenv("REFCL_COMPILER_FAULT", fault, 1);
    struct outcome o = compile_text(kernel, NULL);
    unsetenv("REFCL_COMPILER_FAULT");
    assert_int_equal(o.cls, MM_INVALID);
    assert_string_equal(o.err.rule, "compiler");
    assert_non_null(o.log);
    assert_non_null(strstr(o.log, says));
    outcome_free(&o);
}

static void test_crashes(void **state)
{
    (void)state;
    expect_failure("abort", "Assertion `fault injected by a test' failed.");
    expect_failure("segv", "crashed");
    expect_failure("exit", "nothing");
    assert_true(compiles(kernel, NULL));
}

static void test_endless_compile(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip_for("no ThreadSanitizer here: it delivers no signal in a loop without calls");
#endif
    setenv("REFCL_COMPILE_TIMEOUT", "1", 1);
    expect_failure("hang", "ran out of time");
    unsetenv("REFCL_COMPILE_TIMEOUT");
    assert_true(compiles(kernel, NULL));
}

/* A job of the real helper cannot create files or open sockets. */
static void test_confined(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip_for(SKIP_UNCONFINED);
#endif
    expect_failure("escape", "the job is confined");
    assert_true(compiles(kernel, NULL));
    /* An expression so deep that clang continues in another thread. */
    enum { DEPTH = 4000 };
    char *text = malloc(2 * DEPTH + 100);
    strcpy(text, "kernel void k(global int *a) { a[0] = 1");
    for (size_t used = strlen(text), i = 0; i < DEPTH; i++, used += 2)
        strcpy(text + used, "+1");
    strcat(text, "; }");
    assert_true(compiles(text, NULL));
    free(text);
}

/* The server itself is killed: the next job starts another. */
static void test_restart(void **state)
{
    (void)state;
    expect_failure("server", "error:");
    assert_true(compiles(kernel, NULL));
}

/* Deep nesting ends in a diagnostic or in the end of the child, not of this process. */
static void test_hostile_source(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    char *text = malloc(DEPTH + 100);
    strcpy(text, "kernel void k(global int *a) { a[0] = ");
    size_t used = strlen(text);
    memset(text + used, '(', DEPTH);
    text[used + DEPTH] = 0;
    struct outcome o = compile_text(text, NULL);
    assert_int_equal(o.cls, MM_INVALID);
    outcome_free(&o);
    free(text);

    const char junk[] = "kernel void k(global int *a) { \0\xff\xfe a[0] = '\x80'; }";
    struct rt_compile_request request = {
        .source = junk, .source_size = sizeof junk - 1, .file = "junk.cl", .extensions = "", .features = ""};
    o = compile_request(&request);
    assert_true(o.cls == MM_OK || o.cls == MM_INVALID);
    assert_non_null(o.log);
    outcome_free(&o);

    assert_false(compiles("#include \"/dev/zero\"\n", NULL) && false);
    assert_false(compiles("#pragma clang __debug crash\n", NULL));
    assert_false(compiles("#pragma clang __debug llvm_fatal_error\n", NULL));
    assert_true(compiles(kernel, NULL));
}

enum { THREADS = 4, ROUNDS = 10 };

static void *compile_many(void *argument)
{
    size_t failures = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char text[200];
        int size = 1 + (int)(intptr_t)argument * ROUNDS + i;
        snprintf(text, sizeof text,
                 "kernel void k%d(global int *a) { local int l[%d]; l[0] = %d; a[0] = l[0]; }\n", size, size,
                 size);
        struct outcome o = compile_text(text, NULL);
        char name[20];
        snprintf(name, sizeof name, "k%d", size);
        const uint32_t *entry = NULL;
        if (o.cls != MM_OK || count_opcode(&o.binary, SpvOpEntryPoint, &entry) != 1 ||
            strcmp((const char *)(entry + 3), name))
            failures++;
        outcome_free(&o);
    }
    return (void *)failures;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_many, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        assert_null(failures);
    }
}

/* The application never sees a child process of refcl, and its forked children can compile. */
static void test_application_processes(void **state)
{
    (void)state;
    assert_true(compiles(kernel, NULL));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    pid_t pid = fork();
    if (pid == 0)
        _exit(compiles(kernel, NULL) ? 0 : 1);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(compiles(kernel, NULL));
}

/* An application without standard descriptors, in its own process. */
static void test_closed_descriptors(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        close(0);
        close(1);
        close(2);
        _exit(compiles(kernel, NULL) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The helper ends when the process that uses it has ended. */
static void test_helper_ends(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        assert_true(compiles(kernel, NULL));
        _exit(0);
    }
    close(ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 0); /* neither the child nor its helper holds the other end */
    close(ends[0]);
    waitpid(pid, NULL, 0);
}

static void test_no_helper(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        setenv("REFCL_COMPILER", "/nonexistent/refcl-compiler", 1);
        struct outcome o = compile_text(kernel, NULL);
        bool right = o.cls == MM_LIMIT && !strcmp(o.err.rule, "compiler");
        setenv("REFCL_COMPILER", "/bin/true", 1);
        o = compile_text(kernel, NULL);
        _exit(right && o.cls == MM_LIMIT ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (size_t fail = 1; fail < 12; fail++) {
        mm_alloc_fail_after(fail);
        struct outcome o = compile_text(kernel, "-D X");
        mm_alloc_fail_after(0);
        assert_true(o.cls == MM_OK || o.cls == MM_LIMIT || (o.cls == MM_INVALID && o.log));
        outcome_free(&o);
    }
    assert_true(compiles(kernel, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_endless_compile),
        cmocka_unit_test(test_confined),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_hostile_source),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_application_processes),
        cmocka_unit_test(test_closed_descriptors),
        cmocka_unit_test(test_helper_ends),
        cmocka_unit_test(test_no_helper),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, find_helper, NULL);
}
