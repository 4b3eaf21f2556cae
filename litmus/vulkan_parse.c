/* Parser of VULKAN litmus tests. */
#include "litmus/ast.h"

void lt_parse_vulkan(struct lt_lexer *lexer)
{
    lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "VULKAN tests are not supported");
}
