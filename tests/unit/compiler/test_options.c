/* Build options: words, quotes, and the calls that accept them [CL 5.8.6, 5.8.7]. */
#include "compiler_test.h"

#include "ref-runtime/compiler/client_options.h"

/* The arguments for the compiler, joined by '|'; "!" if the options are invalid. */
static const char *parsed(const char *text, enum rt_options_stage stage)
{
    static char joined[1024];
    struct rt_options options;
    struct mm_error err = {0};
    *joined = 0;
    if (rt_options_parse(text, stage, &options, &err)) {
        assert_string_equal(err.rule, "options");
        strcpy(joined, "!");
    }
    for (size_t i = 0; i < options.argument_count && *joined != '!'; i++) {
        if (i)
            strcat(joined, "|");
        strcat(joined, options.arguments[i]);
    }
    rt_options_free(&options);
    return joined;
}

static void test_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {NULL, ""},
        {"", ""},
        {"  \t ", ""},
        {"-D X", "-DX"},
        {"-DX", "-DX"},
        {"-D X=1 -D  Y", "-DX=1|-DY"},
        {"-D X=a=b", "-DX=a=b"},
        {"-D \"X=a b\"", "-DX=a b"},
        {"-D X=\"a b\"", "-DX=a b"},
        {"-D X=\\\"a\\\"", "-DX=\"a\""},
        {"-D F(x)=x", "-DF(x)=x"},
        {"-I dir -Iother", "-Idir|-Iother"},
        {"-I \"a dir\"", "-Ia dir"},
        {"-I\"\" -w", "-w"},
        {"-I \"\"", ""},
        {"-I\"\"dir", "-Idir"},
        {"-D X -U X -UY", "-DX|-UX|-UY"},
        {"-D 'X=a b' '-DY' -D'Z'", "-DX=a b|-DY|-DZ"},
        {"-D X='a b' -DY='c d'", "-DX=a b|-DY=c d"},
        {"-I 'a \\dir' -I'' -w", "-Ia \\dir|-w"},
        {"-D X='a' -DY='\\n' -DZ='12'", "-DX='a'|-DY='\\n'|-DZ='12'"},
        {"-D X=\"'a b'\" -DY=it's", "-DX='a b'|-DY=it's"},
        {"-w -Werror", "-w|-Werror"},
        {"-cl-mad-enable\n-cl-opt-disable", "-cl-mad-enable"},
        {"-D", "!"},
        {"-U", "!"},
        {"-U 1X", "!"},
        {"-U X=1", "!"},
        {"-D 'X", "!"},
        {"-D X=' '", "!"},
        {"-D 1X", "!"},
        {"-D =1", "!"},
        {"-D\"\" X", "!"},
        {"-D \"\"", "!"},
        {"-I", "!"},
        {"-D \"X", "!"},
        {"-cl-nothing", "!"},
        {"-cl-mad-enableX", "!"},
        {"--help", "!"},
        {"-o /tmp/x", "!"},
        {"-fplugin=x.so", "!"},
        {"word", "!"},
        {"-x", "!"},
        {"-x c++", "!"},
        {"-cl-std=", "!"},
        {"-cl-std=CL9.0", "!"},
        {"-cl-std=cl1.2", "!"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(parsed(cases[i][0], RT_OPTIONS_BUILD), cases[i][1]);
}

static void test_stages(void **state)
{
    (void)state;
    static const struct {
        const char *option;
        bool build, link;
    } cases[] = {
        {"-cl-single-precision-constant", true, false},
        {"-cl-denorms-are-zero", true, true},
        {"-cl-fp32-correctly-rounded-divide-sqrt", true, false},
        {"-cl-opt-disable", true, false},
        {"-cl-strict-aliasing", true, false},
        {"-cl-uniform-work-group-size", true, false},
        {"-cl-no-subgroup-ifp", true, true},
        {"-cl-mad-enable", true, false},
        {"-cl-no-signed-zeros", true, true},
        {"-cl-no-signed-zeroes", false, true},
        {"-cl-unsafe-math-optimizations", true, true},
        {"-cl-finite-math-only", true, true},
        {"-cl-fast-relaxed-math", true, true},
        {"-w", true, false},
        {"-Werror", true, false},
        {"-cl-kernel-arg-info", true, false},
        {"-g", true, false},
        {"-cl-std=CL1.1", true, false},
        {"-spir-std=1.2", true, false},
        {"-x spir", true, false},
        {"-D X", true, false},
        {"-U X", true, false},
        {"-I .", true, false},
        {"-create-library", false, true},
        {"-create-library -enable-link-options", false, true},
        {"-enable-link-options", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(*parsed(cases[i].option, RT_OPTIONS_BUILD) != '!', cases[i].build);
        assert_int_equal(*parsed(cases[i].option, RT_OPTIONS_COMPILE) != '!', cases[i].build);
        assert_int_equal(*parsed(cases[i].option, RT_OPTIONS_LINK) != '!', cases[i].link);
    }
}

static void test_standard(void **state)
{
    (void)state;
    struct rt_options options;
    static const char *const cases[][2] = {
        {"", "CL1.2"},
        {"-cl-std=CL1.0", "CL1.0"},
        {"-cl-std=CL3.0", "CL3.0"},
        {"-cl-std=CLC++1.0", "CLC++"},
        {"-cl-std=CLC++2021", "CLC++2021"},
        {"-cl-std=CL1.1 -cl-std=CL2.0", "CL2.0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(rt_options_parse(cases[i][0], RT_OPTIONS_BUILD, &options, NULL), MM_OK);
        assert_string_equal(options.standard, cases[i][1]);
        rt_options_free(&options);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    for (size_t fail = 1; fail < 6; fail++) {
        struct rt_options options;
        mm_alloc_fail_after(fail);
        enum mm_class cls = rt_options_parse("-D A -D B", RT_OPTIONS_BUILD, &options, NULL);
        mm_alloc_fail_after(0);
        assert_int_equal(cls, MM_LIMIT);
        rt_options_free(&options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_standard),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
