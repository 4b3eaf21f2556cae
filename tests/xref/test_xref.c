/* spec-xref: sentences of invented specifications, citations, the matrix. */
#include "spec-xref/extract/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct xr_text parse(const char *bytes)
{
    struct xr_text text;
    struct mm_error err = {0};
    assert_int_equal(xr_text_parse("made-up", bytes, strlen(bytes), &text, &err), MM_OK);
    return text;
}

/* ---- sentences ---------------------------------------------------------------------------- */

static void hashes_ignore_markup(void **state)
{
    (void)state;
    assert_true(xr_hash("The *size* must be 4.") == xr_hash("the size, must   be 4"));
    assert_true(xr_hash("_flags_ must be set") == xr_hash("flags must be set"));
    assert_false(xr_hash("CL_A_B is set") == xr_hash("CL A B is set"));
    assert_false(xr_hash("must be 4") == xr_hash("must be 5"));
    assert_false(xr_hash("ab c") == xr_hash("a bc"));
    assert_true(xr_hash("") == 0xcbf29ce484222325u);
}

static void sentences_end(void **state)
{
    (void)state;
    assert_int_equal(xr_sentence_length("One. Two."), 4);
    assert_int_equal(xr_sentence_length("See e.g. this one. Two."), 18);
    assert_int_equal(xr_sentence_length("Version 2.2 is (quoted.) More"), 24);
    assert_int_equal(xr_sentence_length("No end"), 6);
    assert_int_equal(xr_sentence_length(""), 0);
}

static void markers(void **state)
{
    (void)state;
    assert_int_equal(xr_sentence_marker("The size must be 4."), XR_MUST);
    assert_int_equal(xr_sentence_marker("The mustard is hot."), XR_PLAIN);
    assert_int_equal(xr_sentence_marker("The result is undefined, and must not be used."), XR_UNDEFINED);
    assert_int_equal(xr_sentence_marker("This is implementation-defined."), XR_IMPLEMENTATION);
    assert_int_equal(xr_sentence_marker("CL_INVALID_VALUE if x is odd."), XR_ERROR);
    assert_int_equal(xr_sentence_marker("clFoo returns CL_SUCCESS."), XR_ERROR);
    assert_int_equal(xr_sentence_marker("CL_MEM_READ_ONLY names a flag."), XR_PLAIN);
    assert_int_equal(xr_sentence_marker("The minimum value is 4."), XR_LIMIT);
    char code[64], entries[64];
    xr_sentence_code("It returns CL_INVALID_VALUE if odd.", code, sizeof code);
    assert_string_equal(code, "CL_INVALID_VALUE");
    xr_sentence_code("Not CL_INVALID_VALUE but a flag", code, sizeof code);
    assert_string_equal(code, "");
    xr_sentence_entries("clFoo and clBar return CL_SUCCESS after clBaz.", entries, sizeof entries);
    assert_string_equal(entries, "clFoo clBar");
}

static const char html[] =
    "<!DOCTYPE html><html><head><style>.must { color: red } /* must */</style></head><body>\n"
    "<h3>5.1. Widgets</h3>\n"
    "<pre><code>cl_int clMakeWidget(cl_context context,\n cl_uint n)</code></pre>\n"
    "<p><em>n</em> must be even. It is a number.</p>\n"
    "<p><strong>clMakeWidget</strong> returns CL_SUCCESS if all is well.\nOtherwise it returns:</p>\n"
    "<ul><li><p>CL_INVALID_VALUE if <em>n</em> is odd<sup>3</sup>.</p></li>\n"
    "<li><p>CL_INVALID_CONTEXT if it is &lt; 4.</p></li></ul>\n"
    "<p>The following must hold:</p><ul><li>the widget is square</li></ul><p>Done.</p>\n"
    "<table><tr><td>CL_WIDGET_SIZE</td><td>The minimum value is 4.</td></tr></table>\n"
    "<h3>5.2. More</h3><p>Nothing here.</p></body></html>";

static const struct xr_sentence *with(const struct xr_text *t, const char *part)
{
    for (size_t i = 0; i < t->sentence_count; i++)
        if (strstr(t->sentences[i].text, part))
            return &t->sentences[i];
    fail_msg("no sentence with '%s'", part);
    return NULL;
}

static void html_text(void **state)
{
    (void)state;
    struct xr_text t = parse(html);
    assert_string_equal(t.document, "CL");
    assert_int_equal(t.section_count, 2);
    assert_string_equal(t.sections[1].number, "5.2");
    assert_string_equal(t.sections[1].title, "More");
    const struct xr_sentence *s = with(&t, "even");
    assert_string_equal(s->text, "n must be even.");
    assert_string_equal(s->section, "5.1");
    assert_string_equal(s->entry, "clMakeWidget");
    assert_int_equal(s->marker, XR_MUST);
    assert_int_equal(s->line, 5);
    assert_int_equal(with(&t, "It is a number")->marker, XR_PLAIN);
    s = with(&t, "is odd");
    assert_string_equal(s->text, "CL_INVALID_VALUE if n is odd.");
    assert_string_equal(s->code, "CL_INVALID_VALUE");
    assert_string_equal(with(&t, "CL_INVALID_CONTEXT")->text, "CL_INVALID_CONTEXT if it is < 4.");
    assert_int_equal(with(&t, "square")->marker, XR_ITEM);
    assert_int_equal(with(&t, "Done")->marker, XR_PLAIN);
    s = with(&t, "minimum");
    assert_string_equal(s->subject, "CL_WIDGET_SIZE");
    assert_int_equal(s->marker, XR_LIMIT);
    assert_string_equal(with(&t, "Nothing")->section, "5.2");
    assert_string_equal(with(&t, "Nothing")->entry, "");
    xr_text_free(&t);
}

static void plain_text(void **state)
{
    (void)state;
    struct xr_text t = parse("5.1. Widgets\n\ncl_int clMakeWidget(cl_context context,\n cl_uint n)\n\n"
                             "n must be\neven. It is a number.\n\nCL_INVALID_VALUE if n is odd.\n\n"
                             "Appendix A: Sharing\n\nThis is undefined.\n");
    assert_string_equal(with(&t, "even")->text, "n must be even.");
    assert_string_equal(with(&t, "even")->entry, "clMakeWidget");
    assert_string_equal(with(&t, "odd")->code, "CL_INVALID_VALUE");
    assert_string_equal(with(&t, "undefined")->section, "A");
    xr_text_free(&t);
}

static void asciidoc_text(void **state)
{
    (void)state;
    struct xr_text t =
        parse("[[memory-model]]\n= Memory\n\n[[memory-model-order]]\n== Order\n\n"
              "An _order_ must: hold in\ncode:OpFoo, as <<other,said below>>.\n"
              "All of:\n\n* first thing\n** NOTE: a remark\n* second one\n\n----\nmust: not count\n----\n");
    assert_string_equal(t.document, "VKMM");
    assert_string_equal(t.sections[t.section_count - 1].number, "order");
    assert_true(with(&t, "OpFoo")->hash == xr_hash("An order must hold in OpFoo, as said below."));
    assert_int_equal(with(&t, "OpFoo")->marker, XR_MUST);
    assert_int_equal(with(&t, "first thing")->marker, XR_ITEM);
    assert_int_equal(with(&t, "second")->marker, XR_ITEM);
    for (size_t i = 0; i < t.sentence_count; i++)
        assert_null(strstr(t.sentences[i].text, "not count"));
    xr_text_free(&t);
    /* A page that shows the file line by line, with dates between. */
    t = parse("[[memory-model]]\n|\n|\n|\n= Memory\n|\n|\n|\n|\n|\n|\nOne half\n|\n2018-10-29 04:32:44 "
              "+00:00\n|\n|\n"
              "of it.\n|\n|\n|\n|\n|\n|\n[[x]]\n|\n|\n|\n== X\n|\n|\n|\n|\n|\n|\nTwo.\n");
    assert_string_equal(with(&t, "half")->text, "One half of it.");
    assert_string_equal(with(&t, "Two")->section, "x");
    xr_text_free(&t);
}

/* Chapters of OpenCL C follow chapter 5; the title of the environment specification is no chapter, appendices
 * have letters. */
static void opencl_documents(void **state)
{
    (void)state;
    struct xr_text t =
        parse("= The OpenCL^(TM)^ C Specification\n:sectnumoffset: 5\n\n{CL_X} must: not count.\n\n"
              ":leveloffset: 1\n\n= Language\n\n== Types\n\nIt must be so.\n\n:numbered!:\n\n= Changes\n\n"
              "It must be new.\n");
    assert_string_equal(t.document, "CLC");
    assert_string_equal(with(&t, "be so")->section, "6.1");
    assert_string_equal(with(&t, "be new")->section, "A");
    assert_int_equal(t.sentence_count, 2);
    xr_text_free(&t);
    t = parse(
        "= The OpenCL^(TM)^ SPIR-V Environment Specification\n\n== Common\n\n=== Types\n\n{CL_X} must be so.\n");
    assert_string_equal(t.document, "CL env");
    assert_string_equal(with(&t, "be so")->section, "1.1");
    xr_text_free(&t);
}

static void bad_text(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",           "no heading",  "<html>",        "<html><h1", "<html>&",
        "<html>&amp", "<html><pre>", "[[a\n== b\n[[", "1.",        "<html><ul><ul></ul></ul></ul></ul>must"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xr_text t;
        struct mm_error err = {0};
        assert_int_equal(xr_text_parse("bad", cases[i], strlen(cases[i]), &t, &err), MM_INVALID);
        assert_string_equal(err.rule, "xref.text");
    }
}

/* Every prefix of a valid file is valid: no crash, and no error except "no heading". */
static void cut_text(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof html; n++) {
        struct xr_text t;
        struct mm_error err = {0};
        enum mm_class c = xr_text_parse("cut", html, n, &t, &err);
        assert_true(c == MM_OK || c == MM_INVALID);
        if (c == MM_OK)
            xr_text_free(&t);
    }
}

/* ---- citations ---------------------------------------------------------------------------- */

static struct xr_database db;

static int load(void **state)
{
    (void)state;
    struct mm_error err = {0};
    enum mm_class c = xr_database_load("spec-xref/clauses", &db, &err);
    if (c != MM_OK)
        print_message("# %s: %s\n", err.file, err.message);
    return c == MM_OK ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    xr_database_free(&db);
    return 0;
}

static enum mm_class append(void *context, const char *document, const char *section, const char *label)
{
    char *out = context;
    size_t n = strlen(out);
    snprintf(out + n, 512 - n, "%s%s %s%s%s", n ? "|" : "", document, section, *label ? " " : "", label);
    return MM_OK;
}

static void expect(const char *text, const char *want)
{
    char got[512] = "";
    assert_int_equal(xr_cite_parse(&db, text, append, got), MM_OK);
    assert_string_equal(got, want);
}

static void spellings(void **state)
{
    (void)state;
    expect("CL env 4 R3, R4; CLC 6.15.8 R1", "CL env 4 R3|CL env 4 R4|CLC 6.15.8 R1");
    expect("CL 3.3.6 G9", "CL 3.3.6 G9");
    expect("CL 3.3.6 G8-G10", "CL 3.3.6 G8|CL 3.3.6 G9|CL 3.3.6 G10");
    expect("CL 3.3.5 O13, O14", "CL 3.3.5 O13|CL 3.3.5 O14");
    expect("CL 3.3.6 F1 to F3", "CL 3.3.6 F1|CL 3.3.6 F2|CL 3.3.6 F3");
    expect("CL 5.12, 3.3.6 H6, H7", "CL 5.12|CL 3.3.6 H6|CL 3.3.6 H7");
    expect("CL 5.9.2, 5.9.3", "CL 5.9.2|CL 5.9.3");
    expect("CL 5.11-5.13", "CL 5.11|CL 5.12|CL 5.13");
    expect("CL 3.3.4-3.3.6; Vulkan memory model", "CL 3.3.4|CL 3.3.5|CL 3.3.6");
    expect("CL 5.10, CLC 6.15.14", "CL 5.10|CLC 6.15.14");
    expect("SPIRV 3.49.20 OpControlBarrier, 3.49.21", "SPIRV 3.49.20|SPIRV OpControlBarrier|SPIRV 3.49.21");
    expect("SPIRV 3.49.13 - 3.49.15", "SPIRV 3.49.13|SPIRV 3.49.14|SPIRV 3.49.15");
    expect("CL 4.2, table of device queries", "CL 4.2");
    expect("CL 5.11 clSetEventCallback", "CL 5.11");
    expect("CL env 2.9", "CL env 2.9");
    expect("CLC 6.15.12.7: device scope", "CLC 6.15.12.7");
    expect("CL 3.3.6 G7: read-modify-writes alone, as in C++20", "CL 3.3.6 G7");
    expect("CL 3.3.6 G8: synchronizes; H1-H3: commands", "CL 3.3.6 G8|CL 3.3.6 H1|CL 3.3.6 H2|CL 3.3.6 H3");
    expect("CL 3.3.6 A7, CL 3.3.4 C8: and with the program", "CL 3.3.6 A7|CL 3.3.4 C8");
    expect("CL O10, G17", "CL 3.3.5 O10|CL 3.3.6 G17");
    expect("VKMM synchronizes-with 2, 3: cases", "VKMM synchronizes-with 2|VKMM synchronizes-with 3");
    expect("CL 3.0: differs; CL 3.3.6 A7", "CL 3.3.6 A7");
    expect("CLC 1.2 6.12.9, 6.12.11", "CLC 6.12.9|CLC 6.12.11");
    expect("nothing at all", "");
    expect("CL", "");
}

static struct xr_citations collect(const char *path, const char *bytes)
{
    struct xr_citations c = {0};
    struct mm_error err = {0};
    assert_int_equal(xr_collect_file(path, bytes, strlen(bytes), &db, &c, &err), MM_OK);
    return c;
}

static void collects_code(void **state)
{
    (void)state;
    struct xr_citations c =
        collect("checker/x.c", "/* Races [CL 3.3.6 G17]. */\n/* F7 */\n// (O10) is no comment\n"
                               "err = \"CL 3.3.6 G4\";\ns = \"CL %d\";\n/* see (A11) */\n");
    assert_int_equal(c.citation_count, 4);
    assert_string_equal(c.citations[0].clause->id, "CL 3.3.6 G17");
    assert_int_equal(c.citations[0].role, XR_IMPLEMENTS);
    assert_string_equal(c.citations[1].clause->id, "CL 3.3.6 F7");
    assert_int_equal(c.citations[1].line, 2);
    assert_int_equal(c.citations[2].role, XR_REPORTS);
    assert_int_equal(c.citations[2].line, 4);
    assert_string_equal(c.citations[3].clause->id, "CL 3.3.6 A11");
    xr_citations_free(&c);
    /* Citations in a program's or script's header assert nothing; a kernel is one test, whose header says of
     * what. */
    c = collect("tests/unit/checker/test_x.c", "/* Races [CL 3.3.6 H1-H3]. */\nint x;\n/* G4, G17: races */");
    assert_int_equal(c.citation_count, 5);
    assert_int_equal(c.citations[2].role, XR_MENTIONS);
    assert_int_equal(c.citations[3].role, XR_CHECKS);
    assert_int_equal(c.citations[4].role, XR_CHECKS);
    xr_citations_free(&c);
    c = collect("tests/x/test_x.py",
                "#!/usr/bin/python3\n\"\"\"[CL 3.3.6 H1]\"\"\"\ncheck(1)  # [CL 3.3.6 H2]\n");
    assert_int_equal(c.citation_count, 2);
    assert_int_equal(c.citations[0].role, XR_MENTIONS);
    assert_int_equal(c.citations[1].role, XR_CHECKS);
    xr_citations_free(&c);
    c = collect("tests/races/x.cl", "// expect: data-race\n// Races [CL 3.3.6 G17].\nkernel void k() {}\n");
    assert_int_equal(c.citation_count, 1);
    assert_int_equal(c.citations[0].role, XR_CHECKS);
    xr_citations_free(&c);
    c = collect("litmus/suite/x.litmus", "OPENCL x\n(* Text.\n   Clauses: CL 3.3.6 W2,\n   W7 *)\n");
    assert_int_equal(c.citation_count, 2);
    assert_int_equal(c.citations[0].line, 3);
    assert_int_equal(c.citations[1].role, XR_CHECKS);
    assert_string_equal(c.citations[1].clause->id, "CL 3.3.6 W7");
    xr_citations_free(&c);
    c = collect("litmus/suite/x.litmus",
                "OPENCL x\n(* Text.\n   Verdicts: generated, by search and Z3\n   Clauses: CL 3.3.6 W2 *)\n");
    assert_int_equal(c.citation_count, 1);
    assert_int_equal(c.citations[0].role, XR_GENERATED);
    xr_citations_free(&c);
}

static void collects_axioms(void **state)
{
    (void)state;
    struct xr_citations c =
        collect("memmodel/models/x.cat", "(* CL 3.3.6 G11: no cycle *)\nirreflexive ghb as one\n\n"
                                         "acyclic po as two\n(* nothing *)\nempty x as three\n"
                                         "(* CL 3.3.6 A7 *)\nlet S = po\nacyclic S as four\n");
    assert_int_equal(c.axiom_count, 4);
    assert_string_equal(c.axioms[0].name, "one");
    assert_int_equal(c.axioms[0].citation_count, 1);
    assert_int_equal(c.axioms[1].citation_count, 0);
    assert_int_equal(c.axioms[2].citation_count, 0);
    assert_int_equal(c.axioms[3].citation_count, 1);
    assert_true(c.axioms[0].required);
    xr_citations_free(&c);
}

static void collects_error_tests(void **state)
{
    (void)state;
    struct xr_citations c =
        collect("tests/runtime/test_x.c",
                "EXPECT(CL_INVALID_VALUE, clFlush((cl_command_queue)clFoo(1)));\n"
                "err = clFinish(q);\nassert_int_equal(err, CL_INVALID_CONTEXT);\n"
                "/* clFlush(CL_INVALID_EVENT); */ puts(\"CL_INVALID_KERNEL; clFlush(\");\n"
                "OK(clFlush(q));\nm = clCreateBuffer(c, 0, 4, NULL, &err);\nOK(err);\nOKAY(clFinish(q));\n");
    assert_int_equal(c.error_test_count, 4);
    assert_string_equal(c.error_tests[0].entry, "clFlush");
    assert_string_equal(c.error_tests[0].code, "CL_INVALID_VALUE");
    assert_string_equal(c.error_tests[1].entry, "clFinish");
    assert_int_equal(c.error_tests[1].line, 3);
    assert_string_equal(c.error_tests[2].entry, "clFlush");
    assert_string_equal(c.error_tests[2].code, "CL_SUCCESS");
    assert_string_equal(c.error_tests[3].entry, "clCreateBuffer");
    assert_int_equal(c.error_tests[3].line, 7);
    xr_citations_free(&c);
}

static size_t gaps(const struct xr_matrix *m, enum xr_gap_kind kind, const char *subject)
{
    size_t n = 0;
    for (size_t i = 0; i < m->gap_count; i++)
        n += m->gaps[i].kind == kind && (!subject || strcmp(m->gaps[i].subject, subject) == 0);
    return n;
}

static void matrix_of(const char *path, const char *bytes, struct xr_citations *c, struct xr_matrix *m)
{
    struct mm_error err = {0};
    *c = collect(path, bytes);
    assert_int_equal(xr_matrix_build(&db, c, ".", m, &err), MM_OK);
}

static void finds_gaps(void **state)
{
    (void)state;
    struct xr_citations c;
    struct xr_matrix m;
    matrix_of("checker/x.c", "/* [CL 3.3.6 G99] [CL 5.77] [SPIRV OpNop] */ \"CL nonsense\"", &c, &m);
    assert_int_equal(gaps(&m, XR_GAP_UNKNOWN, "CL 3.3.6 G99"), 1);
    assert_int_equal(gaps(&m, XR_GAP_UNKNOWN, "CL 5.77"), 1);
    assert_int_equal(gaps(&m, XR_GAP_UNKNOWN, NULL), 3);
    assert_int_equal(gaps(&m, XR_GAP_NO_CHECK, "CL 3.3.6 G17"), 1);
    assert_int_equal(gaps(&m, XR_GAP_NO_RULE, "CL 3.3.6 G17"), 1);
    assert_int_equal(gaps(&m, XR_GAP_NO_CHECK, "CLC 6.15.20.5 R1"), 1);
    assert_int_equal(gaps(&m, XR_GAP_NO_RULE, "CL env 4 R3"), 1);
    assert_int_equal(gaps(&m, XR_GAP_ERROR, "CL 5.2.1 E1"), 1);
    xr_matrix_free(&m);
    xr_citations_free(&c);
    matrix_of("tests/clients/x.c", "int x; /* [CL 3.3.6 G17] [CL 5.2.1 E1] */", &c, &m);
    assert_int_equal(gaps(&m, XR_GAP_NOT_RUN, "CL 3.3.6 G17"), 1);
    assert_int_equal(gaps(&m, XR_GAP_ONE_CHECK, "CL 3.3.6 G17"), 1);
    assert_int_equal(gaps(&m, XR_GAP_ERROR, "CL 5.2.1 E1"), 1); /* a citation that asserts nothing */
    xr_matrix_free(&m);
    xr_citations_free(&c);
    matrix_of("memmodel/models/x.cat", "(* CL 3.3.6 G11 *)\nempty x as one\n\nempty y as two\n", &c, &m);
    assert_int_equal(gaps(&m, XR_GAP_AXIOM, "two"), 1);
    assert_int_equal(gaps(&m, XR_GAP_AXIOM, NULL), 1);
    xr_matrix_free(&m);
    xr_citations_free(&c);
}

/* The kind of evidence that the test TEXT is for the clause ID. */
static enum xr_evidence shown(const char *file, const char *id, const char *text)
{
    struct xr_citations c;
    struct xr_matrix m;
    matrix_of(file, text, &c, &m);
    enum xr_evidence evidence = m.links[xr_database_clause(&db, id) - db.clauses].evidence;
    xr_matrix_free(&m);
    xr_citations_free(&c);
    return evidence;
}

#define IN_TEST(id, text) shown("tests/runtime/test_x.c", id, text)
#define IN_ROWS(id, text) shown("tests/runtime/x.def", id, text)

static void evidence(void **state)
{
    (void)state;
    /* Of several conditions with one code, the one that the assertion names. */
    static const char region[] = "EXPECT(CL_INVALID_VALUE, clCreateSubBuffer(b, 0, 0, 0, &err));";
    char named[200];
    snprintf(named, sizeof named, "/* [CL 5.2.1 E15] */\n%s", region);
    assert_int_equal(IN_TEST("CL 5.2.1 E15", region), XR_UNTESTED);
    assert_int_equal(IN_TEST("CL 5.2.1 E15", named), XR_TRIGGERED);
    assert_int_equal(IN_TEST("CL 5.2.1 E9", named), XR_UNTESTED);
    assert_int_equal(IN_TEST("CL 5.2.1 E15", "/* [CL 5.2.1 E15] */ static void f(void) { clFlush(q); }"),
                     XR_UNTESTED);
    assert_int_equal(
        IN_TEST("CL 5.2.1 E15", "/* [CL 5.2.1 E15] */ EXPECT(CL_INVALID_CONTEXT, clCreateSubBuffer(b));"),
        XR_UNTESTED);
    assert_int_equal(
        IN_TEST("CL 5.8.5 E22", "/* [CL 5.8.5 E22] */\nassert_int_equal(links, CL_INVALID_OPERATION);"),
        XR_TRIGGERED);
    /* The only condition with its code, of each of its calls. */
    assert_int_equal(IN_TEST("CL 5.2.2 E1", "EXPECT(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(0));"),
                     XR_UNTESTED);
    assert_int_equal(IN_TEST("CL 5.2.2 E1", "EXPECT(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(0));"
                                            "EXPECT(CL_INVALID_COMMAND_QUEUE, clEnqueueWriteBuffer(0));"),
                     XR_TRIGGERED);
    /* A resource error occurs by injection; without it, only a test that names the condition counts. */
    assert_int_equal(IN_TEST("CL 5.15 E5", "EXPECT(CL_OUT_OF_RESOURCES, clFinish(q));"), XR_UNTESTED);
    assert_int_equal(IN_TEST("CL 5.15 E5", "/* [CL 5.15 E5] */ EXPECT(CL_OUT_OF_RESOURCES, clFinish(q));"),
                     XR_TRIGGERED);
    assert_int_equal(IN_TEST("CL 5.15 E5", "LOST_CALL(\"CL 5.15 E5\", CL_OUT_OF_RESOURCES, clFinish(q));"),
                     XR_INJECTED);
    assert_int_equal(IN_TEST("CL 5.15 E6", "STARVE(CL_OUT_OF_HOST_MEMORY, clFinish(q), 0);"), XR_INJECTED);
    assert_int_equal(IN_TEST("CL 5.15 E6", "UNFED(\"CL 5.15 E6\", rt_clFinish(q));"), XR_NEEDLESS);
    assert_string_equal(xr_evidence_name(XR_NEEDLESS), "not producible");
    /* Table rows are statements, and expect the codes of their clauses if they name none. */
    static const char rows[] =
        "/* rows */\nANSWERED(\"CL 5.15 E5\", CL_OUT_OF_RESOURCES, clFinish(q))\n"
        "CALL(\"CL 5.2.1 E15\", CL_INVALID_VALUE, clCreateSubBuffer(b, 0, 0x7777, &r, &err))\n"
        "CALL(\"CL 5.3.4 E8\", \"CL 5.3.4 E9\", clEnqueueFillImage(queue))\n";
    assert_int_equal(IN_ROWS("CL 5.15 E5", rows), XR_ANSWERED);
    assert_int_equal(IN_ROWS("CL 5.2.1 E15", rows), XR_TRIGGERED);
    assert_int_equal(IN_ROWS("CL 5.3.4 E8", rows), XR_TRIGGERED);
    assert_int_equal(IN_ROWS("CL 5.3.4 E9", rows), XR_TRIGGERED);
}

/* ---- the database itself ------------------------------------------------------------------ */

static void database(void **state)
{
    (void)state;
    static const char *const sections[] = {"3.3.4", "3.3.5", "3.3.6"};
    size_t memory_model = 0, checkable = 0;
    for (size_t i = 0; i < db.clause_count; i++) {
        const struct xr_clause *c = &db.clauses[i];
        assert_non_null(xr_database_section(&db, c->document, c->section));
        assert_ptr_equal(xr_database_clause(&db, c->id), c);
        const char *number = strpbrk(strrchr(c->id, ' '), "0123456789");
        assert_true(c->source_count > 0 || strcmp(c->document, "CL") != 0 ||
                    atoi(number) > 100); /* 101 and up: not in the text of 2.2 */
        assert_true((*c->code && strcmp(c->code, "CL_SUCCESS") != 0) == (strcmp(c->kind, "error") == 0));
        assert_true(!*c->code || c->entry_count > 0);
        for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
            if (strcmp(c->document, "CL") == 0 && strcmp(c->section, sections[k]) == 0) {
                memory_model++;
                checkable += xr_clause_checkable(c);
            }
    }
    assert_int_equal(memory_model, 132); /* R101, O101 and H101 are of 3.1 */
    assert_int_equal(checkable, 79);
    assert_int_equal(db.ambiguity_count, 44);
}

static void diff_of_two(void **state)
{
    (void)state;
    struct xr_text a =
        parse("1. One\n\nThe size must be 4 bytes. It must be square.\n\nThis must go.\n\n2. Two\n\nX.\n");
    struct xr_text b =
        parse("1. One\n\nThe size must be 8 bytes. It must be new here, quite.\n\n2. Two\n\nX.\n\n"
              "It must be square.\n");
    struct xr_diff d;
    struct mm_error err = {0};
    size_t counts[4] = {0};
    assert_int_equal(xr_diff_run(&db, &a, &b, &d, &err), MM_OK);
    for (size_t i = 0; i < d.change_count; i++)
        counts[d.changes[i].kind]++;
    assert_int_equal(counts[XR_CHANGED], 1);
    assert_int_equal(counts[XR_MOVED], 1);
    assert_int_equal(counts[XR_REMOVED], 1);
    assert_int_equal(counts[XR_ADDED], 1);
    xr_diff_free(&d);
    xr_text_free(&a);
    xr_text_free(&b);
}

/* Every allocation fails once: no crash, no leak, and a clear error. */
static void out_of_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n < 200; n++) {
        struct xr_text t;
        struct mm_error err = {0};
        mm_alloc_fail_after(n);
        enum mm_class c = xr_text_parse("made-up", html, sizeof html - 1, &t, &err);
        mm_alloc_fail_after(0);
        assert_true(c == MM_OK || c == MM_LIMIT);
        if (c == MM_OK) {
            xr_text_free(&t);
            return;
        }
    }
    fail_msg("never enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_ignore_markup),
        cmocka_unit_test(sentences_end),
        cmocka_unit_test(markers),
        cmocka_unit_test(html_text),
        cmocka_unit_test(plain_text),
        cmocka_unit_test(asciidoc_text),
        cmocka_unit_test(opencl_documents),
        cmocka_unit_test(bad_text),
        cmocka_unit_test(cut_text),
        cmocka_unit_test(spellings),
        cmocka_unit_test(collects_code),
        cmocka_unit_test(collects_axioms),
        cmocka_unit_test(collects_error_tests),
        cmocka_unit_test(evidence),
        cmocka_unit_test(finds_gaps),
        cmocka_unit_test(database),
        cmocka_unit_test(diff_of_two),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
