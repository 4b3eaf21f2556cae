/* Skips of cmocka tests with their reason, which tests/lib/totals.py looks up in tests/skips.txt. */
#ifndef TESTS_LIB_SKIP_H
#define TESTS_LIB_SKIP_H

#define skip_for(reason)                                                                                     \
    do {                                                                                                     \
        print_message("# skipped: %s\n", reason);                                                            \
        skip();                                                                                              \
    } while (0)

#endif
