/* Skips of cmocka tests with their reason, which tests/lib/totals.py looks up in tests/skips.txt. */
#ifndef TESTS_LIB_SKIP_H
#define TESTS_LIB_SKIP_H

#define skip_for(reason)                                                                                     \
    do {                                                                                                     \
        print_message("# skipped: %s\n", reason);                                                            \
        skip();                                                                                              \
    } while (0)

/* Why a compile job may not be confined (ref-runtime/compiler/helper_sandbox.c). */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_UNCONFINED "no sanitizer here: their runtimes need more system calls"
#else
#define SKIP_UNCONFINED "no libseccomp"
#endif

#endif
