/* The table from SPIR-V opcodes to lowering functions. */
#include "interp/lower/entries.h"
#include "interp/lower/lower.h"

#define IN_PASTE_(a, b) a##b
#define IN_PASTE(a, b)  IN_PASTE_(a, b)

in_lower_fn in_lower_entry(uint32_t opcode)
{
    switch (opcode) {
#define IN_X(name, value)                                                                                    \
    case value:                                                                                              \
        return IN_PASTE(in_lower_, IN_ENTRY_##name);
        IN_SPIRV_OPCODES(IN_X)
#undef IN_X
    default:
        return NULL;
    }
}
