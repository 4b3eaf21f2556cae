/* Order of types and constants, and vectors of one component, in words as the translator writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ref-runtime/compiler/helper_order.c"

#define INST(op, length) ((uint32_t)(length) << 16 | SpvOp##op)
#define HEAD             SpvMagicNumber, 0x10200, 0, 200, 0
#define COUNT(words)     (sizeof(words) / sizeof *(words))

static void expect(const uint32_t *words, size_t count, const uint32_t *wanted, size_t wanted_count)
{
    uint32_t data[200];
    assert_true(count <= COUNT(data));
    memcpy(data, words, count * sizeof *words);
    struct rt_binary binary = {.data = data, .size = count * sizeof *words};
    assert_int_equal(rt_helper_order(&binary), MM_OK);
    assert_int_equal(binary.size, wanted_count * sizeof *wanted);
    for (size_t i = 0; i < wanted_count; i++)
        if (data[i] != wanted[i])
            fail_msg("word %zu is %#x, expected %#x", i, data[i], wanted[i]);
}
#define EXPECT(words, wanted) expect(words, COUNT(words), wanted, COUNT(wanted))

static void test_in_order(void **state)
{
    (void)state;
    static const uint32_t words[] = {HEAD,
                                     INST(TypeInt, 4),
                                     1,
                                     32,
                                     0,
                                     INST(TypeVector, 4),
                                     2,
                                     1,
                                     2,
                                     INST(Constant, 4),
                                     1,
                                     3,
                                     9,
                                     INST(ConstantComposite, 5),
                                     2,
                                     4,
                                     3,
                                     3,
                                     INST(TypeVoid, 2),
                                     5,
                                     INST(TypeFunction, 3),
                                     6,
                                     5,
                                     INST(Function, 5),
                                     5,
                                     7,
                                     0,
                                     6,
                                     INST(FunctionEnd, 1)};
    EXPECT(words, words);
}

static void test_late(void **state)
{
    (void)state;
    static const uint32_t words[] = {HEAD,
                                     INST(TypeInt, 4),
                                     1,
                                     32,
                                     0,
                                     INST(TypeVector, 4),
                                     2,
                                     1,
                                     2,
                                     INST(ConstantComposite, 5),
                                     2,
                                     4,
                                     8,
                                     3,
                                     INST(Constant, 4),
                                     1,
                                     3,
                                     9,
                                     INST(SpecConstantOp, 5),
                                     1,
                                     8,
                                     SpvOpNot,
                                     3,
                                     INST(Function, 5),
                                     5,
                                     7,
                                     0,
                                     6,
                                     INST(FunctionEnd, 1)};
    static const uint32_t wanted[] = {HEAD,
                                      INST(TypeInt, 4),
                                      1,
                                      32,
                                      0,
                                      INST(TypeVector, 4),
                                      2,
                                      1,
                                      2,
                                      INST(Constant, 4),
                                      1,
                                      3,
                                      9,
                                      INST(SpecConstantOp, 5),
                                      1,
                                      8,
                                      SpvOpNot,
                                      3,
                                      INST(ConstantComposite, 5),
                                      2,
                                      4,
                                      8,
                                      3,
                                      INST(Function, 5),
                                      5,
                                      7,
                                      0,
                                      6,
                                      INST(FunctionEnd, 1)};
    EXPECT(words, wanted);
}

/* A vector of one component becomes a structure; bitcasts use only its scalar, even if ids and values look
 * like opcodes. */
static void test_single(void **state)
{
    (void)state;
    enum { SCALAR = SpvOpBitcast };
    static const uint32_t words[] = {HEAD,
                                     INST(TypeInt, 4),
                                     1,
                                     32,
                                     0,
                                     INST(TypeFloat, 3),
                                     2,
                                     32,
                                     INST(TypeVector, 4),
                                     3,
                                     1,
                                     1,
                                     INST(Constant, 4),
                                     1,
                                     SCALAR,
                                     7,
                                     INST(ConstantComposite, 4),
                                     3,
                                     4,
                                     SCALAR,
                                     INST(TypeStruct, 4),
                                     5,
                                     1,
                                     3,
                                     INST(ConstantComposite, 5),
                                     5,
                                     6,
                                     SCALAR,
                                     4,
                                     INST(SpecConstantOp, 5),
                                     2,
                                     8,
                                     SpvOpBitcast,
                                     4,
                                     INST(SpecConstantOp, 5),
                                     3,
                                     9,
                                     SpvOpNot,
                                     4,
                                     INST(SpecConstantOp, 5),
                                     2,
                                     10,
                                     SpvOpBitcast,
                                     SCALAR,
                                     INST(Constant, 4),
                                     1,
                                     11,
                                     SpvOpBitcast,
                                     INST(Function, 5),
                                     5,
                                     7,
                                     0,
                                     6,
                                     INST(Bitcast, 4),
                                     2,
                                     12,
                                     4,
                                     INST(Bitcast, 4),
                                     1,
                                     13,
                                     4,
                                     INST(Bitcast, 4),
                                     2,
                                     14,
                                     11,
                                     INST(FunctionEnd, 1)};
    static const uint32_t wanted[] = {HEAD,
                                      INST(TypeInt, 4),
                                      1,
                                      32,
                                      0,
                                      INST(TypeFloat, 3),
                                      2,
                                      32,
                                      INST(TypeStruct, 3),
                                      3,
                                      1,
                                      INST(Constant, 4),
                                      1,
                                      SCALAR,
                                      7,
                                      INST(ConstantComposite, 4),
                                      3,
                                      4,
                                      SCALAR,
                                      INST(TypeStruct, 4),
                                      5,
                                      1,
                                      3,
                                      INST(ConstantComposite, 5),
                                      5,
                                      6,
                                      SCALAR,
                                      4,
                                      INST(SpecConstantOp, 5),
                                      2,
                                      8,
                                      SpvOpBitcast,
                                      SCALAR,
                                      INST(SpecConstantOp, 5),
                                      3,
                                      9,
                                      SpvOpNot,
                                      4,
                                      INST(SpecConstantOp, 5),
                                      2,
                                      10,
                                      SpvOpBitcast,
                                      SCALAR,
                                      INST(Constant, 4),
                                      1,
                                      11,
                                      SpvOpBitcast,
                                      INST(Function, 5),
                                      5,
                                      7,
                                      0,
                                      6,
                                      INST(Bitcast, 4),
                                      2,
                                      12,
                                      SCALAR,
                                      INST(CopyObject, 4),
                                      1,
                                      13,
                                      SCALAR,
                                      INST(Bitcast, 4),
                                      2,
                                      14,
                                      11,
                                      INST(FunctionEnd, 1)};
    EXPECT(words, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_order), cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_single)};
    return cmocka_run_group_tests_name("order of types and constants", tests, NULL, NULL);
}
