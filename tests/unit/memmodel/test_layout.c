/* Designators of positions in variables: the member, element or component that contains the bytes of an
 * access; damaged layouts. */
#include "memmodel/memmodel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* struct { int x; float2 y[3]; struct { uchar a; double b; } in; int *p; } [8] */
#define CELL "{0+4:x=int,8+24:y=[3*8]<2*4>float,32+16:in={0+1:a=uchar,8+8:b=double},48+8:p=}"
static const char cells[] = "[8*56]" CELL;

static void expect(const char *layout, uint64_t offset, uint64_t size, const char *text, uint32_t bytes,
                   uint32_t kind)
{
    struct mm_designator found = mm_layout_find(layout, offset, size);
    assert_string_equal(found.text, text);
    assert_int_equal(found.scalar.size, bytes);
    assert_int_equal(found.scalar.kind, kind);
}

static void innermost_place_that_has_all_bytes(void **state)
{
    (void)state;
    expect(cells, 0, 4, "[0].x", 4, MM_SCALAR_SIGNED);
    expect(cells, 3 * 56 + 8 + 16 + 4, 4, "[3].y[2].y", 4, MM_SCALAR_FLOAT);
    expect(cells, 3 * 56 + 8 + 16, 8, "[3].y[2]", 0, MM_SCALAR_UNKNOWN);
    expect(cells, 56 + 32, 1, "[1].in.a", 1, MM_SCALAR_UNSIGNED);
    expect(cells, 56 + 33, 1, "[1].in", 0, MM_SCALAR_UNKNOWN); /* padding */
    expect(cells, 56 + 40, 8, "[1].in.b", 8, MM_SCALAR_FLOAT);
    expect(cells, 56 + 48, 8, "[1].p", 0, MM_SCALAR_UNKNOWN);
    expect(cells, 2 * 56, 56, "[2]", 0, MM_SCALAR_UNKNOWN);
    expect(cells, 2 * 56 + 4, 8, "[2]", 0, MM_SCALAR_UNKNOWN); /* two members */
    expect("[4*68][17*4]int", 3 * 68 + 5 * 4, 4, "[3][5]", 4, MM_SCALAR_SIGNED);
    expect("<3*4>uint", 8, 4, ".z", 4, MM_SCALAR_UNSIGNED);
    expect("<8*2>half", 6, 2, ".s3", 2, MM_SCALAR_FLOAT);
    expect("[0*32]<16*2>ushort", 32 + 20, 2, "[1].sa", 2, MM_SCALAR_UNSIGNED);
    expect("<2*4>int", 0, 8, "", 0, MM_SCALAR_UNKNOWN);
    expect(NULL, 4, 4, "", 0, MM_SCALAR_UNKNOWN);
    assert_true(mm_layout_find(cells, 0, 4).composite);
    assert_true(mm_layout_find("[4*68][17*4]int", 0, 4).composite);
    assert_false(mm_layout_find("[0*56]" CELL, 56, 56).composite);
    assert_false(mm_layout_find("[9*4]int", 8, 4).composite);
}

static void damaged_layouts_give_the_known_part(void **state)
{
    (void)state;
    char cut[sizeof cells];
    for (size_t length = 0; length < sizeof cells - 1; length++) {
        memcpy(cut, cells, length);
        cut[length] = 0;
        struct mm_designator found = mm_layout_find(cut, 3 * 56 + 8 + 16 + 4, 4);
        assert_memory_equal(found.text, "[3].y[2].y", strlen(found.text));
    }
    expect("[2*0]int", 4, 4, "", 0, MM_SCALAR_UNKNOWN);
    expect("[x]int", 4, 4, "", 0, MM_SCALAR_UNKNOWN);
    expect("{0+4:x=int", 0, 4, ".x", 4, MM_SCALAR_SIGNED);
    char deep[4000];
    for (size_t i = 0; i + 6 < sizeof deep; i += 5)
        memcpy(deep + i, "[2*1]", 6);
    assert_true(strlen(mm_layout_find(deep, 0, 1).text) < sizeof(struct mm_designator));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(innermost_place_that_has_all_bytes),
                                       cmocka_unit_test(damaged_layouts_give_the_known_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
