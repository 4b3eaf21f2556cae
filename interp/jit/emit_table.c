/* The table from SPIR-V opcodes to emitters, by the interpreter's families (exec/entries.h). */
#include "emit.h"
#include "interp/exec/entries.h"
#include "opcodes.h"

#define IN_PASTE_(a, b) a##b
#define IN_PASTE(a, b)  IN_PASTE_(a, b)

in_emit_fn in_emit_entry(uint32_t opcode)
{
    switch (opcode) {
#define IN_X(name, value)                                                                                    \
    case value:                                                                                              \
        return IN_PASTE(in_emit_, IN_ENTRY_##name);
        IN_SPIRV_OPCODES(IN_X)
#undef IN_X
    default:
        return in_emit_unsupported;
    }
}
