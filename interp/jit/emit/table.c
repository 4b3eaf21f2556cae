/* The table from SPIR-V opcodes to emitters, by the interpreter's families (lower/entries.h).  A family
 * without an emitter is left to the interpreter. */
#include "interp/jit/emit/emit.h"
#include "interp/lower/entries.h"
#include "interp/lower/lower.h"

#define IN_X(n) void __attribute__((weak)) in_emit_##n(struct in_emit *e, const struct in_inst *i);
IN_LOWER_FAMILIES(IN_X)
#undef IN_X

#define IN_PASTE_(a, b) a##b
#define IN_PASTE(a, b)  IN_PASTE_(a, b)

in_emit_fn in_emit_entry(uint32_t opcode)
{
    in_emit_fn fn = NULL;
    switch (opcode) {
#define IN_X(name, value)                                                                                    \
    case value:                                                                                              \
        fn = IN_PASTE(in_emit_, IN_ENTRY_##name);                                                            \
        break;
        IN_SPIRV_OPCODES(IN_X)
#undef IN_X
    default:
        break;
    }
    return fn ? fn : in_emit_unsupported;
}
