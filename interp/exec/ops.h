/* The interpreter's own instruction set: one X-macro per family.  Each name has a label in the engine
 * (ops_*.inc), so a name without a handler does not compile. */
#ifndef INTERP_EXEC_OPS_H
#define INTERP_EXEC_OPS_H

/* clang-format off */

/* M(NAME, S, expression of x and y): S is U or S, the signedness in which x and y are seen.  Each makes the
 * eight operations NAME_8 .. NAME_64 and, element by element, NAME_V8 .. NAME_V64. */
#define IN_INT_BINARY(M)                                                                                     \
    M(ADD, U, x + y)                                                                                         \
    M(SUB, U, x - y)                                                                                         \
    M(MUL, U, (uint64_t)x *y)                                                                                \
    M(AND, U, x &y)                                                                                          \
    M(OR, U, x | y)                                                                                          \
    M(XOR, U, x ^ y)                                                                                         \
    M(SHL, U, x << (y & (8 * sizeof x - 1)))                                                                 \
    M(LSHR, U, x >> (y & (8 * sizeof x - 1)))                                                                \
    M(ASHR, S, x >> ((uint64_t)y & (8 * sizeof x - 1)))
/* Division: the same, after a check of the divisor. */
#define IN_INT_DIVIDE(M)                                                                                     \
    M(UDIV, U, x / y)                                                                                        \
    M(SDIV, S, y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y)                                                 \
    M(UMOD, U, x % y)                                                                                        \
    M(SREM, S, y == -1 ? 0 : x % y)                                                                          \
    M(SMOD, S, y == -1 ? 0 : (x % y != 0 && (x % y < 0) != (y < 0)) ? x % y + y : x % y)
#define IN_INT_UNARY(M)                                                                                      \
    M(NEG, U, 0 - (uint64_t)x)                                                                               \
    M(NOT, U, ~x)                                                                                            \
    M(BITREV, U, in_reverse_bits(x, 8 * sizeof x))                                                           \
    M(BITCNT, U, __builtin_popcountll(x))
/* Comparisons give bools. The first ten also exist fused with a branch, B_NAME_32 and B_NAME_64. */
#define IN_INT_COMPARE(M)                                                                                    \
    M(EQ, U, x == y)                                                                                         \
    M(NE, U, x != y)                                                                                         \
    M(UGT, U, x > y)                                                                                         \
    M(SGT, S, x > y)                                                                                         \
    M(UGE, U, x >= y)                                                                                        \
    M(SGE, S, x >= y)                                                                                        \
    M(ULT, U, x < y)                                                                                         \
    M(SLT, S, x < y)                                                                                         \
    M(ULE, U, x <= y)                                                                                        \
    M(SLE, S, x <= y)
/* Expressions use F, the suffix of libm functions for the type (f or nothing). */
#define IN_FLOAT_BINARY(M)                                                                                   \
    M(FADD, x + y)                                                                                           \
    M(FSUB, x - y)                                                                                           \
    M(FMUL, x *y)                                                                                            \
    M(FDIV, x / y)                                                                                           \
    M(FREM, fmod(x, y))                                                                                      \
    M(FMOD, in_fmod(x, y))
#define IN_FLOAT_UNARY(M) M(FNEG, -x)
#define IN_FLOAT_COMPARE(M)                                                                                  \
    M(FOEQ, x == y)                                                                                          \
    M(FUEQ, !(x < y || x > y))                                                                               \
    M(FONE, x<y || x> y)                                                                                     \
    M(FUNE, x != y)                                                                                          \
    M(FOLT, x < y)                                                                                           \
    M(FULT, !(x >= y))                                                                                       \
    M(FOGT, x > y)                                                                                           \
    M(FUGT, !(x <= y))                                                                                       \
    M(FOLE, x <= y)                                                                                          \
    M(FULE, !(x > y))                                                                                        \
    M(FOGE, x >= y)                                                                                          \
    M(FUGE, !(x < y))                                                                                        \
    M(FORD, x == x && y == y)                                                                                \
    M(FUNO, x != x || y != y)
#define IN_FLOAT_TEST(M)                                                                                     \
    M(ISNAN, x != x)                                                                                         \
    M(ISINF, isinf(x))                                                                                       \
    M(ISFINITE, isfinite(x))                                                                                 \
    M(ISNORMAL, in_normal(x, bits))                                                                          \
    M(SIGNBIT, signbit(x))

#define IN_N8_(X, n) X(n##_8) X(n##_16) X(n##_32) X(n##_64) X(n##_V8) X(n##_V16) X(n##_V32) X(n##_V64)
#define IN_N6_(X, n) X(n##_16) X(n##_32) X(n##_64) X(n##_V16) X(n##_V32) X(n##_V64)
/* Memory operations by size: 1, 2, 4, 8, 16 bytes, N bytes, pointer. */
#define IN_MEM_(X, n) X(n##_1) X(n##_2) X(n##_4) X(n##_8) X(n##_16) X(n##_N) X(n##_P)

#define IN_OTHER_OPS(X)                                                                                      \
    X(HALT)                                                                                                  \
    X(JMP)                                                                                                   \
    X(BRC)                                                                                                   \
    X(SWITCH)                                                                                                \
    X(CALL)                                                                                                  \
    X(RET)                                                                                                   \
    X(UNREACHABLE) X(UNSUPPORTED) X(MOV_1) X(MOV_2) X(MOV_4) X(MOV_8) X(MOV_16) X(MOV_N) X(SEL_1) X(SEL_2)   \
        X(SEL_4) X(SEL_8) X(SEL_16) X(SEL_N) X(SEL_V) X(SX_32_64) X(ZX_32_64) X(TR_64_32) X(S32_F32)         \
            X(U32_F32) X(F32_F64) X(F64_F32) X(CVT) X(BNOT) X(BAND) X(BOR) X(BEQ) X(BNE) X(ANY) X(ALL)       \
                X(PTRX) X(PTRXI) X(PTRK) X(VARINIT) X(BYVAL) X(RESOLVE) X(PTREQ) X(PTRNE) X(PTRDIFF)  \
                    X(INSERT) X(INSERTP) X(EXTRACTP) X(EXTRACTD) X(INSERTD) X(SHUFFLE) X(DOT_16) X(DOT_32)   \
                        X(DOT_64) X(SCALE_16) X(SCALE_32) X(SCALE_64) X(MULEXT) X(ADDC) X(SUBB) X(BITFIELD)  \
                            X(IDOT) X(COPYMEM) X(ATOMIC) X(FENCE) X(WAIT) X(EXT) X(CALLC)

#define IN_BRANCH_(X, n) X(B_##n##_32) X(B_##n##_64)

/* Operations that in_thread() makes for the fast engine only.  STEP: the end of a loop with a counter.
 * PAIR_F_S: a 32-bit operation F and then S, whose first operand is the result of F; PAIR_F_S_B: the second
 * operand.  M(F, S); the order is that of IN_INT_BINARY and IN_FLOAT_BINARY. */
#define IN_STEP_(X, n) X(STEP_##n##_32) X(STEP_##n##_64)
#define IN_PAIRED_INT_(M, f)                                                                                 \
    M(f, ADD) M(f, SUB) M(f, MUL) M(f, AND) M(f, OR) M(f, XOR) M(f, SHL) M(f, LSHR) M(f, ASHR)
#define IN_INT_PAIRS(M)                                                                                      \
    IN_PAIRED_INT_(M, ADD)                                                                                   \
    IN_PAIRED_INT_(M, SUB)                                                                                   \
    IN_PAIRED_INT_(M, MUL)                                                                                   \
    IN_PAIRED_INT_(M, AND)                                                                                   \
    IN_PAIRED_INT_(M, OR)                                                                                    \
    IN_PAIRED_INT_(M, XOR)                                                                                   \
    IN_PAIRED_INT_(M, SHL)                                                                                   \
    IN_PAIRED_INT_(M, LSHR)                                                                                  \
    IN_PAIRED_INT_(M, ASHR)
#define IN_PAIRED_FLOAT_(M, f) M(f, FADD) M(f, FSUB) M(f, FMUL) M(f, FDIV)
#define IN_FLOAT_PAIRS(M)                                                                                    \
    IN_PAIRED_FLOAT_(M, FADD)                                                                                \
    IN_PAIRED_FLOAT_(M, FSUB)                                                                                \
    IN_PAIRED_FLOAT_(M, FMUL)                                                                                \
    IN_PAIRED_FLOAT_(M, FDIV)

/* IN_X(name) for each operation, where IN_OPS is used. */
#define IN_INT_NAMES_(n, s, e)    IN_N8_(IN_X, n)
#define IN_FLOAT_NAMES_(n, e)     IN_N6_(IN_X, n)
#define IN_BRANCH_NAMES_(n, s, e) IN_BRANCH_(IN_X, n)
#define IN_STEP_NAMES_(n, s, e)   IN_STEP_(IN_X, n)
#define IN_PAIR_NAME_(f, s)       IN_X(PAIR_##f##_##s)
#define IN_PAIR_B_NAME_(f, s)     IN_X(PAIR_##f##_##s##_B)
#define IN_OPS                                                                                               \
    IN_OTHER_OPS(IN_X)                                                                                       \
    IN_INT_BINARY(IN_INT_NAMES_)                                                                             \
    IN_INT_DIVIDE(IN_INT_NAMES_)                                                                             \
    IN_INT_UNARY(IN_INT_NAMES_)                                                                              \
    IN_INT_COMPARE(IN_INT_NAMES_)                                                                            \
    IN_INT_COMPARE(IN_BRANCH_NAMES_)                                                                         \
    IN_FLOAT_BINARY(IN_FLOAT_NAMES_)                                                                         \
    IN_FLOAT_UNARY(IN_FLOAT_NAMES_)                                                                          \
    IN_FLOAT_COMPARE(IN_FLOAT_NAMES_)                                                                        \
    IN_FLOAT_TEST(IN_FLOAT_NAMES_)                                                                           \
    IN_MEM_(IN_X, LOAD) IN_MEM_(IN_X, LOADX) IN_MEM_(IN_X, LOADXI)                                           \
    IN_MEM_(IN_X, STORE) IN_MEM_(IN_X, STOREX) IN_MEM_(IN_X, STOREXI)
#define IN_FUSED_OPS                                                                                         \
    IN_INT_COMPARE(IN_STEP_NAMES_)                                                                           \
    IN_INT_PAIRS(IN_PAIR_NAME_)                                                                              \
    IN_FLOAT_PAIRS(IN_PAIR_NAME_)                                                                            \
    IN_FLOAT_PAIRS(IN_PAIR_B_NAME_)                                                                          \
    IN_X(EXT_DIRECT) IN_X(SHUFFLE_32)

#define IN_X(n) IN_##n,
enum in_op { IN_OPS IN_OP_COUNT, IN_BEFORE_FUSED = IN_OP_COUNT - 1, IN_FUSED_OPS };
#undef IN_X

/* clang-format on */
#endif
