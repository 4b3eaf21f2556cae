/* Lowering of a kernel and all its callees, and the layout of their frames in a work-item's block. */
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"
#include <string.h>

/* Collects the instructions of the current function. */
static enum mm_class collect_instructions(struct in_lower *l)
{
    l->inst_count = 0;
    for (uint32_t at = l->fn->word; at < l->fn->end;) {
        struct in_inst *added = mm_add(&l->insts, &l->inst_count);
        if (!added)
            return in_lower_no_memory(l);
        in_inst_at(l->m, at, added);
        at += added->count;
    }
    return MM_OK;
}

/* The kernel's function, or the callee if the kernel is only a wrapper that forwards its parameters. */
uint32_t in_kernel_function(const struct in_module *m, uint32_t index)
{
    const struct in_function *f = &m->functions[index];
    struct in_inst i;
    uint32_t at = f->word, called = index;
    for (; at < f->end; at += i.count) {
        in_inst_at(m, at, &i);
        switch (i.opcode) {
        case SpvOpFunction:
        case SpvOpFunctionParameter:
        case SpvOpLabel:
        case SpvOpLine:
        case SpvOpNoLine:
        case SpvOpReturn:
        case SpvOpFunctionEnd:
            continue;
        case SpvOpFunctionCall:
            break;
        default:
            return index;
        }
        if (called != index || i.operand_count != f->param_count + 1 ||
            m->ids[i.operands[0]].kind != IN_ID_FUNCTION)
            return index;
        for (uint32_t k = 0; k < f->param_count; k++)
            if (i.operands[k + 1] != f->params[k])
                return index;
        called = m->ids[i.operands[0]].index;
    }
    return m->functions[called].has_body && m->functions[called].param_count == f->param_count ? called
                                                                                               : index;
}

/* Depth-first search that appends callees before callers to ORDER; recursion is an error
 * [CLC 6.11; CL env 4 R8]. */
static enum mm_class visit_function(struct in_lower *l, uint32_t index, uint32_t *order, uint32_t *count,
                                    uint32_t depth)
{
    struct in_frame *frame = &l->frames[index];
    if (frame->visiting == 2)
        return MM_OK;
    if (frame->visiting == 1 || depth > 2000)
        return mm_fail_at(l->err, MM_INVALID, "CLC 6.11", l->m->name, 0, 0,
                          "recursive call of function %%%u (%s)", l->m->functions[index].id,
                          l->m->ids[l->m->functions[index].id].name);
    frame->visiting = 1;
    const struct in_function *f = &l->m->functions[index];
    struct in_inst i;
    for (uint32_t at = f->word; at < f->end; at += i.count) {
        in_inst_at(l->m, at, &i);
        if (i.opcode != SpvOpFunctionCall || l->m->ids[i.operands[0]].kind != IN_ID_FUNCTION)
            continue;
        enum mm_class result = visit_function(l, l->m->ids[i.operands[0]].index, order, count, depth + 1);
        if (result != MM_OK)
            return result;
    }
    frame->visiting = 2;
    order[(*count)++] = index;
    return MM_OK;
}

static void reset_uses(struct in_lower *l)
{
    for (uint32_t k = 0; k < l->inst_count; k++)
        if (l->insts[k].result != 0)
            memset(&l->use[l->insts[k].result], 0, sizeof *l->use);
}

/* Allocates the slots that callers access: parameters, return address, result. */
static void lay_out(struct in_lower *l)
{
    l->frame->return_slot = in_alloc(l, 8, 8);
    const struct in_ty *result = l->fn->ty->element;
    l->frame->result_slot = result && result->reg_size > 0 ? in_alloc(l, result->reg_size, result->align) : 0;
    for (uint32_t k = 0; k < l->fn->param_count; k++) {
        const struct in_ty *ty = in_ty_of(l, l->fn->params[k]);
        l->slot[l->fn->params[k]] = in_alloc(l, ty->reg_size, ty->align);
    }
}

/* A by-value aggregate is a pointer to a private copy. */
static void lower_byval(struct in_lower *l)
{
    const struct in_kernel_info *info = &l->kernel->info;
    l->code->frame.arguments = mm_arena_alloc(l->code->arena, (info->argument_count + 1) * sizeof(int32_t));
    if (!l->code->frame.arguments) {
        in_lower_no_memory(l);
        return;
    }
    for (uint32_t k = 0; k < l->fn->param_count; k++) {
        uint32_t id = l->fn->params[k];
        const struct in_ty *ty = in_ty_of(l, id);
        l->code->frame.arguments[k] = l->slot[id];
        if (info->arguments[k].kind != IN_ARG_VALUE || ty->kind != IN_TY_POINTER || !ty->element)
            continue;
        int32_t storage = in_make_private(l, l->slot[id], ty->element, ty->element->align, id);
        in_emit(l, IN_BYVAL, 0, storage, 0, (int32_t)k);
        l->code->frame.arguments[k] = 0;
    }
}

/* Module-scope private variables, created when a work-item begins. */
static void lower_privates(struct in_lower *l)
{
    for (uint32_t k = 0; k < l->m->global_count; k++) {
        const struct in_global *g = &l->m->globals[k];
        if (g->storage != SpvStorageClassPrivate && g->storage != SpvStorageClassOutput)
            continue;
        l->slot[g->id] = in_alloc(l, sizeof(struct in_fat), 8);
        int32_t storage = in_make_private(l, l->slot[g->id], g->ty, g->align, g->id);
        if (g->initializer != 0)
            in_put_initializer(l, storage, g->ty, g->initializer);
    }
}

static bool is_counted(uint32_t op)
{
    return op != SpvOpLabel && op != SpvOpLine && op != SpvOpNoLine && op != SpvOpFunction &&
           op != SpvOpFunctionParameter && op != SpvOpFunctionEnd && op != SpvOpNop && op != SpvOpLoopMerge &&
           op != SpvOpSelectionMerge;
}

static enum mm_class lower_function(struct in_lower *l, uint32_t index)
{
    l->fn = &l->m->functions[index];
    l->frame = &l->frames[index];
    const char *name = l->m->ids[l->fn->id].name;
    l->place = (struct in_source){l->m->name, name, "", 0, 0};
    l->place_used = false;
    l->first_private = l->code->private_count;
    l->weight = 0;
    collect_instructions(l);
    if (l->result != MM_OK)
        return l->result;
    reset_uses(l);
    l->label_at[l->fn->id] = l->code->count;
    if (index == l->kernel->function) {
        lower_byval(l);
        lower_privates(l);
    }
    in_analyze(l);
    for (l->position = 0; l->position < l->inst_count && l->result == MM_OK; l->position++) {
        const struct in_inst *i = &l->insts[l->position];
        l->inst = i;
        in_lower_fn lower = in_lower_entry(i->opcode);
        if (!lower)
            return in_bad(l->m, i->word, l->err, "SPIRV 3.49", "unknown opcode %u", i->opcode);
        l->place.opcode = in_opcode_name(i->opcode);
        l->place_used = false;
        l->weight += is_counted(i->opcode);
        enum mm_class result = lower(l, i);
        if (result != MM_OK)
            l->result = result;
    }
    l->frame->end = l->top;
    return l->result;
}

static void apply_fixups(struct in_lower *l)
{
    for (uint32_t k = 0; k < l->fixup_count; k++) {
        const struct in_fixup *x = &l->fixups[k];
        int32_t target = (int32_t)l->label_at[x->label] - (int32_t)x->insn;
        l->code->loops |= target <= 0 && l->m->ids[x->label].kind != IN_ID_FUNCTION;
        if (x->is_d)
            l->code->insns[x->insn].d = target;
        else
            l->code->insns[x->insn].c = target;
    }
}

/* Places the frames of callees after the end of the deepest caller's frame. */
static void place_callees(struct in_lower *l)
{
    for (uint32_t k = 0; k < l->inst_count; k++) {
        const struct in_inst *i = &l->insts[k];
        if (i->opcode != SpvOpFunctionCall || l->m->ids[i->operands[0]].kind != IN_ID_FUNCTION)
            continue;
        struct in_frame *callee = &l->frames[l->m->ids[i->operands[0]].index];
        if (callee->base < l->frame->end)
            callee->base = l->frame->end;
    }
}

/* ORDER has callees first.  What callers write (parameters, return addresses) lies in a separate area below
 * all frames; frames are then laid out callers first. */
static enum mm_class lower_all(struct in_lower *l, const uint32_t *order, uint32_t count)
{
    l->top = IN_FRAME_FIRST;
    l->place = (struct in_source){l->m->name, l->kernel->info.name, "", 0, 0};
    in_emit(l, IN_HALT, 0, 0, 0, 0);
    for (uint32_t k = 0; k < count; k++) {
        l->fn = &l->m->functions[order[k]];
        l->frame = &l->frames[order[k]];
        lay_out(l);
    }
    int32_t base = l->top;
    for (uint32_t k = 0; k < count; k++)
        l->frames[order[k]].base = base;
    for (uint32_t k = count; k-- > 0 && l->result == MM_OK;) {
        l->top = l->frames[order[k]].base;
        if (lower_function(l, order[k]) != MM_OK)
            return l->result;
        place_callees(l);
        if ((uint32_t)l->frame->end > l->code->frame.size)
            l->code->frame.size = (uint32_t)l->frame->end;
    }
    if (l->result != MM_OK)
        return l->result;
    apply_fixups(l);
    return in_index_subscripts(l);
}

static enum mm_class prepare_lowering(struct in_lower *l)
{
    uint32_t n = l->m->bound + 1;
    l->slot = mm_alloc(n * sizeof *l->slot);
    l->label_at = mm_alloc_zero(n, sizeof *l->label_at);
    l->use = mm_alloc_zero(n, sizeof *l->use);
    l->frames = mm_alloc_zero(l->m->function_count + 1, sizeof *l->frames);
    if (!l->slot || !l->label_at || !l->use || !l->frames)
        return in_lower_no_memory(l);
    for (uint32_t k = 0; k < n; k++)
        l->slot[k] = IN_NO_SLOT;
    return MM_OK;
}

static enum mm_class lower_kernel(struct in_module *m, struct in_kernel *kernel, struct mm_error *err)
{
    struct in_lower l = {.m = m, .kernel = kernel, .err = err};
    kernel->code = l.code = mm_alloc_zero(1, sizeof *l.code);
    uint32_t *order = mm_alloc((m->function_count + 1) * sizeof *order), count = 0;
    if (!l.code || !order || !(l.code->arena = mm_arena_create()))
        in_lower_no_memory(&l);
    else
        prepare_lowering(&l);
    if (l.result == MM_OK) {
        kernel->function = in_kernel_function(m, kernel->function);
        l.result = visit_function(&l, kernel->function, order, &count, 0);
    }
    if (l.result == MM_OK)
        lower_all(&l, order, count);
    if (l.result == MM_OK)
        l.code->frame.return_slot = l.frames[kernel->function].return_slot;
    if (l.result == MM_OK)
        l.code->entry = l.label_at[m->functions[kernel->function].id];
    if (l.result == MM_OK &&
        (!in_thread(l.code, IN_FAST) || !in_thread(l.code, IN_RECORDING) || !in_thread(l.code, IN_CHECKING)))
        in_lower_no_memory(&l);
    mm_free(order);
    mm_free(l.slot);
    mm_free(l.label_at);
    mm_free(l.use);
    mm_free(l.frames);
    mm_free(l.insts);
    mm_free(l.fixups);
    return l.result;
}

/* Memory sizes for clGetKernelWorkGroupInfo [CL 5.9.4] */
static void count_memory(const struct in_module *m, struct in_kernel *kernel)
{
    const struct in_code *code = kernel->code;
    kernel->info.local_bytes = 0;
    for (uint32_t i = 0; i < code->locals.count; i++)
        kernel->info.local_bytes += m->globals[code->locals.list[i]].ty->size;
    kernel->info.private_bytes = 0;
    for (uint32_t i = 0; i < code->private_count; i++)
        kernel->info.private_bytes += code->privates[i].size;
}

enum mm_class in_lower_kernels(struct in_module *module, struct mm_error *err)
{
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        enum mm_class result = lower_kernel(module, &module->kernels[k], err);
        if (result != MM_OK)
            return result;
        count_memory(module, &module->kernels[k]);
    }
    return MM_OK;
}

void in_code_destroy(struct in_code *code)
{
    if (!code)
        return;
    mm_arena_destroy(code->arena);
    mm_free(code->insns);
    mm_free(code->threaded[0]);
    mm_free(code->threaded[1]);
    mm_free(code->threaded[2]);
    mm_free(code->threaded[3]);
    mm_free(code->constants.undefined);
    mm_free(code->sources.of_insn);
    mm_free(code->subscripts.list);
    mm_free(code->subscripts.first_of);
    mm_free(code->sources.list);
    mm_free(code->sources.return_slots);
    mm_free(code->constants.bytes);
    mm_free(code->constants.relocs);
    mm_free(code->built_ins);
    mm_free(code->privates);
    mm_free(code->locals.list);
    mm_free(code);
}
