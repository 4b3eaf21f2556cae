/* Threaded code: lowered code with handler addresses instead of operation numbers, one copy per engine. */
#include "exec.h"
#include <string.h>

const struct in_insn *in_thread(struct in_code *code, enum in_engine engine)
{
    if (code->threaded[engine])
        return code->threaded[engine];
    const void *const *labels;
    if (engine == IN_WEAK)
        in_engine_weak(NULL, NULL, &labels);
    else if (engine == IN_CHECKING)
        in_engine_check(NULL, NULL, &labels);
    else if (engine == IN_RECORDING)
        in_engine_full(NULL, NULL, &labels);
    else
        in_engine_fast(NULL, NULL, &labels);
    struct in_insn *insns = mm_alloc(code->count * sizeof *insns);
    if (!insns)
        return NULL;
    memcpy(insns, code->insns, code->count * sizeof *insns);
    for (uint32_t k = 0; k < code->count; k++)
        insns[k].handler = labels[code->insns[k].op];
    code->threaded[engine] = insns;
    return insns;
}
