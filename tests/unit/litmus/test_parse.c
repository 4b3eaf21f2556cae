/* Parser, printer and lowering of litmus tests. */
#include "litmus/litmus.h"
#include "tests/lib/skip.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#define HEAD      "OPENCL t\n{ [x] = 0; [y] = 0; }\n"
#define ONE(body) HEAD "P0@wg 0, dev 0 (global atomic_int* x, global int* y) {\n" body "\n}\nexists (x = 1)\n"

static struct lt_test *parse_ok(const char *text)
{
    struct lt_test *test = NULL;
    struct mm_error err;
    char message[800] = "";
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) != MM_OK)
        mm_error_format(&err, message, sizeof message);
    if (!test)
        fail_msg("%s", message);
    return test;
}

static struct ck_program *lower_ok(const char *text)
{
    struct lt_test *test = parse_ok(text);
    struct ck_program *program = NULL;
    struct mm_error err;
    char message[800] = "";
    if (lt_lower(test, &program, &err) != MM_OK)
        mm_error_format(&err, message, sizeof message);
    lt_test_destroy(test);
    if (!program)
        fail_msg("%s", message);
    return program;
}

/* Parses and lowers TEXT; the error must be at LINE:COLUMN and contain PART. */
static void expect_error(const char *text, unsigned line, unsigned column, const char *part)
{
    struct lt_test *test = NULL;
    struct ck_program *program = NULL;
    struct mm_error err = {0};
    if (lt_parse(text, strlen(text), "t.litmus", &test, &err) == MM_OK) {
        assert_int_not_equal(lt_lower(test, &program, &err), MM_OK);
        assert_null(program);
    }
    lt_test_destroy(test);
    assert_int_equal(err.cls, MM_INVALID);
    if (!strstr(err.message, part))
        fail_msg("'%s' is not in '%s'", part, err.message);
    assert_int_equal(err.line, line);
    assert_int_equal(err.column, column);
    assert_string_equal(err.file, "t.litmus");
}

static void properties(void **state)
{
    (void)state;
    struct lt_test *t =
        parse_ok("OPENCL MP+rel-acq\n(* Message passing.\n   Expect: fails\n   States: 3,\n"
                 "   Clauses: A4, G9\n see http://x *)\n{ }\n"
                 "P0@wg 0, dev 0 (global atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)");
    assert_string_equal(lt_test_name(t), "MP+rel-acq");
    assert_int_equal(lt_test_dialect(t), LT_OPENCL);
    assert_string_equal(lt_test_property(t, "Expect"), "fails");
    assert_string_equal(lt_test_property(t, "States"), "3");
    assert_string_equal(lt_test_property(t, "Clauses"), "A4, G9");
    assert_null(lt_test_property(t, "Race"));
    lt_test_destroy(t);
}

static void defaults(void **state)
{
    (void)state;
    struct ck_program *p =
        lower_ok(ONE("atomic_store(x, 1); int r = atomic_load_explicit(x, memory_order_acquire); *y = r;"));
    const struct ck_instr *i = p->threads[0].instrs;
    assert_int_equal(i[0].op, CK_STORE);
    assert_int_equal(i[0].order, MM_SEQ_CST);
    assert_int_equal(i[0].scope, MM_SCOPE_DEVICE);
    assert_int_equal(i[0].attributes, MM_ATOMIC);
    assert_int_equal(i[1].op, CK_LOAD);
    assert_int_equal(i[1].order, MM_ACQUIRE);
    assert_int_equal(i[1].scope, MM_SCOPE_DEVICE);
    assert_int_equal(i[2].op, CK_ASSIGN);
    assert_int_equal(i[3].op, CK_STORE);
    assert_int_equal(i[3].order, MM_ORDER_NONE);
    assert_int_equal(i[3].scope, MM_SCOPE_NONE);
    assert_int_equal(i[3].attributes, 0);
    assert_int_equal(i[4].op, CK_END);
    assert_int_equal(p->object_count, 2);
    assert_string_equal(p->objects[0].name, "x");
    assert_false(p->objects[0].non_atomic);
    assert_true(p->objects[1].non_atomic);
    assert_int_equal(p->objects[1].region, MM_GLOBAL);
    assert_int_equal(p->objects[1].element_size, 4);
    assert_int_equal(p->observed_count, 1);
    assert_int_equal(p->quantifier, CK_EXISTS);
    ck_program_destroy(p);
}

/* *expected is read, and written with the value found when the exchange fails [CLC 6.15.12.7.4]. */
static void compare_exchange(void **state)
{
    (void)state;
    struct ck_program *p = lower_ok(ONE("int r = atomic_compare_exchange_strong_explicit(x, y, 2, "
                                        "memory_order_acquire, memory_order_relaxed);"));
    const struct ck_instr *i = p->threads[0].instrs;
    assert_int_equal(i[0].op, CK_LOAD);
    assert_int_equal(i[0].attributes, 0);
    assert_int_equal(i[1].op, CK_CAS);
    assert_int_equal(i[1].order, MM_ACQUIRE);
    assert_int_equal(i[1].order_fail, MM_RELAXED);
    assert_int_equal(i[1].scope, MM_SCOPE_DEVICE);
    assert_int_equal(i[2].op, CK_BRANCH);
    assert_int_equal(i[2].target, 4);
    assert_int_equal(i[3].op, CK_STORE);
    assert_int_equal(i[3].attributes, 0);
    assert_int_equal(i[4].op, CK_ASSIGN);
    ck_program_destroy(p);
}

static void control_flow(void **state)
{
    (void)state;
    struct ck_program *p = lower_ok(ONE("if (atomic_load(x) == 1 && *y) { *y = 1; } else *y = 2;"));
    const struct ck_instr *i = p->threads[0].instrs;
    /* load x; t = ...; branch t -> skip; load y; t = ...; branch t -> else; store; jump; store; end */
    static const enum ck_op ops[] = {CK_LOAD,   CK_ASSIGN, CK_BRANCH, CK_LOAD,  CK_ASSIGN,
                                     CK_BRANCH, CK_STORE,  CK_JUMP,   CK_STORE, CK_END};
    assert_int_equal(p->threads[0].instr_count, sizeof ops / sizeof *ops);
    for (unsigned n = 0; n < sizeof ops / sizeof *ops; n++)
        assert_int_equal(i[n].op, ops[n]);
    assert_int_equal(i[2].target, 5);
    assert_int_equal(i[5].target, 8);
    assert_int_equal(i[7].target, 9);
    ck_program_destroy(p);

    p = lower_ok(
        ONE("for (int i = 0; i < 3; i++) { if (*y == 2) continue; if (*y) break; } return; *y = 1;"));
    i = p->threads[0].instrs;
    unsigned jumps = 0;
    for (unsigned n = 0; n < p->threads[0].instr_count; n++)
        jumps += i[n].op == CK_JUMP;
    assert_int_equal(jumps, 4); /* continue, break, back, return */
    ck_program_destroy(p);
}

static void barriers(void **state)
{
    (void)state;
    struct ck_program *p = lower_ok(
        HEAD
        "P0@sg 0, wg 1, dev 0 (global int* x) { B1: barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); "
        "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device); }\n"
        "P1@sg 1, wg 1, dev 0 (global int* x) { barrier(CLK_LOCAL_MEM_FENCE); B1: barrier(0); "
        "sub_group_barrier(CLK_GLOBAL_MEM_FENCE); }\nforall (x = 0)");
    const struct ck_instr *a = p->threads[0].instrs, *b = p->threads[1].instrs;
    assert_int_equal(a[0].op, CK_BARRIER);
    assert_int_equal(a[0].fence_flags, MM_FENCE_GLOBAL | MM_FENCE_LOCAL);
    assert_int_equal(a[0].scope, MM_SCOPE_WORK_GROUP);
    assert_int_equal(a[1].scope, MM_SCOPE_DEVICE);
    assert_int_equal(a[0].site, b[1].site);
    assert_int_equal(a[1].site, b[0].site);
    assert_int_not_equal(a[0].site, a[1].site);
    assert_int_equal(b[2].scope, MM_SCOPE_SUB_GROUP);
    assert_true(b[2].sub_group);
    assert_int_equal(p->threads[1].sub_group, 1);
    assert_int_equal(p->quantifier, CK_FORALL);
    ck_program_destroy(p);
}

static void local_memory(void **state)
{
    (void)state;
    struct ck_program *p =
        lower_ok(HEAD "P0@wg 0, dev 0 (local atomic_int* x, local int* y) {}\n"
                      "P1@wg 1, dev 0 (local atomic_int* z, local int* y) {}\nexists (z = 0)");
    assert_int_equal(p->objects[0].region, MM_LOCAL);
    assert_int_equal(p->objects[0].work_group, 0);
    assert_int_equal(p->objects[1].work_group, -1);
    assert_int_equal(p->objects[2].work_group, 1);
    ck_program_destroy(p);
}

/* A barrier of every expression form; values follow C (chars widen, pointers step by their type). */
static void accepted(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "int r0 = *y + 1 * 2 - (3 / 1) % 2; r0 = r0 << 2 >> 1; r0 = ~r0 ^ 1 | 2 & 3;",
        "int r0 = (*y < 1) || !(*y >= 2) && 1; uint r1 = 3u; long r2 = (long)r1; r2 += r0;",
        "int r0 = r9; atomic_store_explicit(x + r0 - r0, 1, memory_order_relaxed);",
        "while (true) { if (atomic_load(x)) break; } do { *y = 1; } while (0);",
        "atomic_fetch_add(x, 1); int r = atomic_exchange_explicit(x, 2, memory_order_acq_rel, "
        "memory_scope_all_svm_devices);",
        "int e = 0; while (!atomic_compare_exchange_weak(x, &e, 1)) { e = 0; }",
        "int r = atomic_load(x) == 1 ? *y : -1; int s = r ? 1 : 2;",
        "y[0] = 1; int r = x[0]; int *p = &y[0]; *p = 2; *(y) = 3; y = 4; r++; --r;",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE|CLK_IMAGE_MEM_FENCE, "
        "memory_order_seq_cst, memory_scope_sub_group); mem_fence(CLK_LOCAL_MEM_FENCE);",
        "/* c */ // d\n (*y == 1); (* e *) if (*y) ; else if (*x) { } else { ; }",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[1000];
        snprintf(text, sizeof text, ONE("%s"), bodies[i]);
        ck_program_destroy(lower_ok(text));
    }
    ck_program_destroy(lower_ok(
        "OPENCL a { int x[3] = {1, -2}; 1:r0 = 7; uchar [z] = 300; }\n"
        "P0@wg 0, dev 0 (global int* x) { x[2] = x[1]; }\n"
        "P1@wg 1, dev 0 (global uchar* z) { int r1 = *z + r0; }\n"
        "locations [x[1]; 1:r0;]\nfilter x[0] = 1 ~exists (x[2] = -2 /\\ ~(P1:r1 < 4 \\/ *z != 44))"));
    ck_program_destroy(lower_ok("OPENCL herd\n{ [x]=0; }\nP0 (global atomic_int* x) { atomic_store(x,1); }\n"
                                "P1 (global atomic_int* x) { int r0 = atomic_load(x); }\n"
                                "scopeTree (device (work_group P0) (work_group P1))\nexists (1:r0=1)"));
}

static void values(void **state)
{
    (void)state;
    struct ck_program *p = lower_ok(
        "OPENCL a { int x[3] = {1, -2}; uchar [z] = 300; }\n"
        "P0@wg 0, dev 0 (global int* x, global uchar* z) { x[2] = 1; }\nexists (x[2] = -2 /\\ z = 1)");
    assert_int_equal(p->objects[0].size, 12);
    assert_int_equal(p->objects[0].initial[0], 1);
    assert_int_equal(p->objects[0].initial[1], 0xfffffffe);
    assert_int_equal(p->objects[0].initial[2], 0);
    assert_int_equal(p->objects[1].size, 1);
    assert_int_equal(p->objects[1].initial[0], 44);
    assert_int_equal(p->observed[0].offset, 8);
    ck_program_destroy(p);
}

static void errors(void **state)
{
    (void)state;
    expect_error("", 1, 1, "expected OPENCL, VULKAN or C");
    expect_error("OPENCL\n{}", 1, 7, "name of the test");
    expect_error("OPENCL t\n", 2, 1, "expected '{', found the end");
    expect_error("OPENCL t\n{ x = ; }", 2, 7, "expected a number, found ';'");
    expect_error(HEAD "P0@wg 0 dev 0 () {}", 3, 9, "expected '(', found 'dev'");
    expect_error(HEAD "P0@wg 0, dev 0 (global foo* x) {}", 3, 24, "an integer or atomic type, found 'foo'");
    expect_error(ONE("int r0 = 1; int r1 = (r0 = 2);"), 4, 23, "left of an assignment within");
    expect_error(ONE("while (*y) { int r0 = *y + (*y = 1); }"), 4, 26, "cannot stand in a loop");
    expect_error(ONE("int r = ;"), 4, 9, "expected an expression, found ';'");
    expect_error(ONE("atomic_lod(x);"), 4, 1, "unknown function 'atomic_lod'");
    expect_error(ONE("atomic_load_explicit(x);"), 4, 23, "expected ','");
    expect_error(ONE("atomic_load_explicit(x, acquire);"), 4, 25, "a memory order");
    expect_error(ONE("atomic_load_explicit(x, memory_order_release);"), 4, 1, "memory_order_release");
    expect_error(ONE("atomic_store_explicit(x, 1, memory_order_acquire);"), 4, 1, "memory_order_acquire");
    expect_error(ONE("int r = 1; atomic_store(r, 1);"), 4, 25, "expected a pointer");
    expect_error(ONE("break;"), 4, 1, "outside of a loop");
    expect_error(ONE("int r = x * 2;"), 4, 11, "operator '*' does not apply to a pointer");
    expect_error(ONE("sub_group_barrier(0);"), 4, 1, "without a sub-group");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nexists (0:r7 = 1)", 4, 9, "register 'r7'");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nexists (q = 1)", 4, 9, "location 'q'");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nexists (x[1] = 1)", 4, 9, "element");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nexist (x = 1)", 4, 1, "exists, ~exists, forall");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nexists (x = 1) )", 4, 16, "the end of the test");
    expect_error(HEAD "P0@wg 0, dev 0 () {}\nP0@wg 0, dev 0 () {}\nexists (x = 1)", 4, 1, "twice");
    expect_error(HEAD "P0@wg 0, dev 0 () { $ }", 3, 21, "unexpected character '$'");
    expect_error(HEAD "P0@wg 0, dev 0 () { /* ", 3, 21, "comment without an end");
    expect_error(HEAD "P0@wg 0 () {} P1 () {} exists (x = 1)", 3, 24, "scope tree");
}

/* COUNT copies of UNIT between HEAD and TAIL. */
static char *repeat(const char *head, const char *unit, unsigned count, const char *tail)
{
    size_t length = strlen(head) + strlen(unit) * count + strlen(tail) + 1;
    char *text = malloc(length);
    assert_non_null(text);
    char *at = stpcpy(text, head);
    while (count--)
        at = stpcpy(at, unit);
    strcpy(at, tail);
    return text;
}

static void deep_nesting(void **state)
{
    (void)state;
    static const char *const units[] = {"(",        "!",  "{",           "if (1) ", "1 + ",
                                        "1 ? 1 : ", "x[", "while (1) {", "*",       "- "};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *text = repeat(HEAD "P0@wg 0, dev 0 (global int* x) { int r; r = ", units[i], 50000,
                            "1; } exists (x = 1)");
        struct lt_test *test = NULL;
        struct mm_error err;
        assert_int_equal(lt_parse(text, strlen(text), "t", &test, &err), MM_INVALID);
        free(text);
    }
    static const char *const props[] = {"(", "~", "x = 1 /\\ ", "x = 1 => "};
    for (size_t i = 0; i < sizeof props / sizeof *props; i++) {
        char *text = repeat(HEAD "P0@wg 0, dev 0 () {} exists ", props[i], 50000, "x = 1");
        struct lt_test *test = NULL;
        struct mm_error err;
        assert_int_equal(lt_parse(text, strlen(text), "t", &test, &err), MM_INVALID);
        free(text);
    }
}

/* ---- files ------------------------------------------------------------------------------------------ */

static char *print_text(const struct lt_test *test)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    lt_print(test, out);
    fclose(out);
    return text;
}

/* Everything that the engines use, as text (without positions). */
static char *program_text(const struct ck_program *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        const struct ck_thread *thread = &p->threads[t];
        fprintf(out, "%s %u %u %u %u\n", thread->name, thread->device, thread->work_group, thread->sub_group,
                thread->queue_family);
        for (uint32_t n = 0; n < thread->instr_count; n++) {
            const struct ck_instr *i = &thread->instrs[n];
            fprintf(out, " %d %u %u %u %u %u %u %u %d %x %x %u %u %u %u %u %u %u %u\n", i->op, i->size,
                    i->order, i->order_fail, i->scope, i->fence_flags, i->attributes, i->rmw, i->weak,
                    i->semantics, i->storage_class, i->reg, i->reg2, i->address, i->value, i->expected,
                    i->target, i->site, i->reference);
        }
    }
    for (uint32_t e = 0; e < p->expr_count; e++)
        fprintf(out, "%d %u %u %u %u %llu\n", p->exprs[e].op, p->exprs[e].size, p->exprs[e].a, p->exprs[e].b,
                p->exprs[e].c, (unsigned long long)p->exprs[e].imm);
    for (uint32_t o = 0; o < p->object_count; o++)
        fprintf(out, "%s %d %d %u %llu\n", p->objects[o].name, p->objects[o].region, p->objects[o].non_atomic,
                p->objects[o].alias_of, (unsigned long long)p->objects[o].initial[0]);
    for (uint32_t n = 0; n < p->prop_count; n++)
        fprintf(out, "%d %d %u %u %u %u %llu\n", p->props[n].op, p->props[n].compare, p->props[n].a,
                p->props[n].b, p->props[n].left.reg, p->props[n].left.object,
                (unsigned long long)p->props[n].right.value);
    fprintf(out, "%d %u %u %u\n", p->quantifier, p->condition, p->filter, p->edge_count);
    fclose(out);
    return text;
}

static unsigned round_trips;

/* HEAD, COUNT times PART, and TAIL. */
static char *repeat_text(const char *head, const char *part, size_t count, const char *tail)
{
    size_t size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    fputs(head, out);
    for (size_t i = 0; i < count; i++)
        fputs(part, out);
    fputs(tail, out);
    fclose(out);
    return text;
}

/* Unterminated or unnested comments take time linear in the text. */
static void many_comments(void **state)
{
    (void)state;
    clock_t start = clock();
    char *text = repeat_text("OPENCL t\n", "(*", 1 << 18, "\n{ x = 0; }");
    expect_error(text, 2, 1, "expected '{', found '('");
    free(text);
    text = repeat_text("OPENCL t\n", "(* (* *)\n", 50000, "{ x = 0; } P0@wg 0, dev 0 () {} exists (x = 0)");
    lt_test_destroy(parse_ok(text));
    free(text);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
}

static void round_trip(const char *path)
{
    struct lt_test *first = NULL, *second = NULL;
    struct ck_program *a = NULL, *b = NULL;
    struct mm_error err;
    char message[800];
    if (lt_parse_file(path, &first, &err) != MM_OK || lt_lower(first, &a, &err) != MM_OK) {
        mm_error_format(&err, message, sizeof message);
        fail_msg("%s: %s", path, message);
    }
    char *text = print_text(first);
    if (lt_parse(text, strlen(text), path, &second, &err) != MM_OK || lt_lower(second, &b, &err) != MM_OK) {
        mm_error_format(&err, message, sizeof message);
        fail_msg("%s, printed: %s\n%s", path, message, text);
    }
    char *again = print_text(second), *pa = program_text(a), *pb = program_text(b);
    assert_string_equal(text, again);
    assert_string_equal(pa, pb);
    free(text);
    free(again);
    free(pa);
    free(pb);
    ck_program_destroy(a);
    ck_program_destroy(b);
    lt_test_destroy(first);
    lt_test_destroy(second);
    round_trips++;
}

static void walk(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return;
    if (!S_ISDIR(st.st_mode)) {
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, ".litmus") == 0)
            round_trip(path);
        return;
    }
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.')
            walk(inner);
    }
    closedir(dir);
}

static void walk_corpus(const char *part)
{
    char path[4096];
    const char *corpus = getenv("REFCL_CORPUS");
    snprintf(path, sizeof path, "%s/litmus/%s", corpus ? corpus : "../shared/corpus", part);
    round_trips = 0;
    walk(path);
    if (!round_trips)
        skip_for("no corpus");
}

static void corpus_opencl(void **state)
{
    (void)state;
    walk_corpus("OPENCL");
}

static void corpus_vulkan(void **state)
{
    (void)state;
    walk_corpus("VULKAN");
}

static void suite(void **state)
{
    (void)state;
    round_trips = 0;
    walk("litmus/suite");
    assert_true(round_trips > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties),   cmocka_unit_test(defaults),      cmocka_unit_test(compare_exchange),
        cmocka_unit_test(control_flow), cmocka_unit_test(barriers),      cmocka_unit_test(local_memory),
        cmocka_unit_test(accepted),     cmocka_unit_test(values),        cmocka_unit_test(errors),
        cmocka_unit_test(deep_nesting), cmocka_unit_test(corpus_opencl), cmocka_unit_test(corpus_vulkan),
        cmocka_unit_test(suite),        cmocka_unit_test(many_comments),
    };
    return cmocka_run_group_tests_name("litmus parse", tests, NULL, NULL);
}
