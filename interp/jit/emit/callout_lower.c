/* Which instructions of a kernel are calls of the interpreter's functions, lowered as the interpreter lowers
 * them. */
#include "interp/jit/emit/callout_lower.h"
#include "interp/ext/ext.h"
#include "interp/lower/entries.h"
#include "interp/lower/lower.h"
#include "memmodel/base/array.h"

/* ---- which ------------------------------------------------------------------------------- */

#define IN_JIT_CALL_KINDS(X)                                                                                 \
    X(cast_explicit, QUERY)                                                                                  \
    X(mem_semantics, QUERY)                                                                                  \
    X(quantize, UNORDERED)                                                                                   \
    X(idot, UNORDERED)                                                                                       \
    X(image_sample, UNORDERED)                                                                               \
    X(image_read, UNORDERED)                                                                                 \
    X(image_write, UNORDERED)                                                                                \
    X(image_query, UNORDERED)                                                                                \
    X(build_ndrange, UNORDERED)                                                                              \
    X(kernel_query, UNORDERED)                                                                               \
    X(pipe_from_storage, UNORDERED)                                                                          \
    X(read_clock, ORDERED)                                                                                   \
    X(pipe_packet, ORDERED)                                                                                  \
    X(pipe_reserved, ORDERED)                                                                                \
    X(pipe_reserve, ORDERED)                                                                                 \
    X(pipe_commit, ORDERED)                                                                                  \
    X(pipe_query, ORDERED)                                                                                   \
    X(enqueue, ORDERED)                                                                                      \
    X(enqueue_marker, ORDERED)                                                                               \
    X(device_event, ORDERED)                                                                                 \
    X(default_queue, ORDERED)                                                                                \
    X(array_length, ORDERED)                                                                                 \
    X(group, COLLECTIVE)                                                                                     \
    X(named_barrier_init, FIBERS)                                                                            \
    X(named_barrier, FIBERS)                                                                                 \
    X(non_uniform, FIBERS)                                                                                   \
    X(sub_group_legacy, FIBERS)

static enum in_jit_call_kind sort_of_family(in_lower_fn fn)
{
    static const struct {
        in_lower_fn fn;
        enum in_jit_call_kind sort;
    } table[] = {
#define IN_X(family, sort) {in_lower_##family, IN_JIT_##sort},
        IN_JIT_CALL_KINDS(IN_X)
#undef IN_X
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].fn == fn)
            return table[k].sort;
    return IN_JIT_INLINE;
}

static bool work_group_scope(const struct in_module *m, const struct in_inst *i)
{
    uint64_t scope;
    return i->operand_count > 0 && in_constant_u64(m, i->operands[0], &scope) && scope == SpvScopeWorkgroup;
}

static enum in_jit_call_kind sort_of_extended(const struct in_module *m, const struct in_inst *i)
{
    if (i->operand_count < 3 || strncmp(m->ids[i->operands[0]].string, "OpenCL.std", 10) != 0)
        return IN_JIT_INLINE;
    const struct in_ext_fn *fn = in_ext_find(i->operands[1]);
    if (fn && fn->shape == IN_EXT_PRINTF)
        return IN_JIT_ORDERED;
    const struct in_ty *ty = m->ids[i->operands[2]].ty;
    bool three = ty && in_count(ty) == 3;
    return fn && fn->shape == IN_EXT_SHUFFLE && three ? IN_JIT_UNORDERED : IN_JIT_INLINE;
}

/* Instructions that work-items of a whole work-group execute together without a call; calls where work-items
 * execute on fibers. */
static bool is_compiled_for_groups(in_lower_fn fn)
{
    return fn == in_lower_barrier || fn == in_lower_async_copy || fn == in_lower_wait_events;
}

static bool is_of_sub_groups(in_lower_fn fn)
{
    return fn == in_lower_barrier || fn == in_lower_group || fn == in_lower_non_uniform ||
           fn == in_lower_sub_group_legacy;
}

enum in_jit_call_kind in_jit_call_kind(const struct in_module *m, const struct in_inst *i)
{
    in_lower_fn fn = in_lower_entry(i->opcode);
    enum in_jit_call_kind sort = sort_of_family(fn);
    if (fn == in_lower_ext_inst)
        return sort_of_extended(m, i);
    if (is_compiled_for_groups(fn))
        return work_group_scope(m, i) ? IN_JIT_INLINE : IN_JIT_FIBERS;
    return sort == IN_JIT_COLLECTIVE && !work_group_scope(m, i) ? IN_JIT_FIBERS : sort;
}

const struct in_jit_call *in_jit_call_at(const struct in_jit_calls *c, uint32_t word)
{
    uint32_t i;
    mm_partition(i, c->count, c->calls[i].word < word);
    return i < c->count && c->calls[i].word == word ? &c->calls[i] : NULL;
}

/* ---- lowering ---------------------------------------------------------------------------- */

static bool place_value(struct in_jit_calls *c, struct in_lower *l, uint32_t id)
{
    const struct in_id *entry = &l->m->ids[id];
    if (id >= l->m->bound || !entry->ty || entry->kind == IN_ID_FUNCTION || l->slot[id] != IN_NO_SLOT)
        return true;
    l->slot[id] = in_alloc(l, entry->ty->reg_size, entry->ty->align);
    struct in_jit_slot slot = {id, l->slot[id]};
    return mm_append(&c->slots, &c->slot_count, &slot);
}

static enum mm_class lower_call(struct in_jit_calls *c, struct in_lower *l, const struct in_inst *i)
{
    struct in_jit_call *call = mm_add(&c->calls, &c->count);
    if (!call)
        return in_lower_no_memory(l);
    *call = (struct in_jit_call){.word = i->word, .first = c->slot_count};
    l->top = IN_FRAME_FIRST;
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k] && !place_value(c, l, i->operands[k]))
            return in_lower_no_memory(l);
    if (i->result != 0 && !place_value(c, l, i->result))
        return in_lower_no_memory(l);
    l->inst = i;
    l->place.opcode = in_opcode_name(i->opcode);
    l->place_used = false;
    enum mm_class result = in_lower_entry(i->opcode)(l, i);
    call->count = c->slot_count - call->first;
    call->frame_bytes = ((uint32_t)l->top + 127) / 128 * 128;
    c->frame_bytes = call->frame_bytes > c->frame_bytes ? call->frame_bytes : c->frame_bytes;
    for (uint32_t k = call->first; k < c->slot_count; k++)
        l->slot[c->slots[k].id] = IN_NO_SLOT;
    if (result == MM_OK && l->code->count != c->count)
        return mm_fail(l->err, MM_LIMIT, "jit", "%s", in_opcode_name(i->opcode));
    return result;
}

/* Where a kernel has calls that not all of the group make together, barriers and asynchronous copies are
 * among them. */
static bool is_wanted(const struct in_jit_calls *c, enum in_jit_call_kind sort, const struct in_inst *i)
{
    return sort > IN_JIT_QUERY || (c->fibers && is_compiled_for_groups(in_lower_entry(i->opcode)));
}

static enum mm_class lower_function(struct in_jit_calls *c, struct in_lower *l, const struct in_function *f)
{
    struct in_inst i;
    enum mm_class result = MM_OK;
    l->place = (struct in_source){l->m->name, l->m->ids[f->id].name, "", 0, 0};
    for (uint32_t at = f->word; at < f->end && result == MM_OK; at += i.count) {
        in_inst_at(l->m, at, &i);
        if (i.opcode == SpvOpLine)
            result = in_lower_line(l, &i);
        else if (i.opcode == SpvOpNoLine)
            result = in_lower_no_line(l, &i);
        else if (is_wanted(c, in_jit_call_kind(l->m, &i), &i))
            result = lower_call(c, l, &i);
    }
    return result == MM_OK ? l->result : result;
}

static enum mm_class lower_all(struct in_jit_calls *c, struct in_module *m, struct in_kernel *kernel,
                               struct mm_error *err)
{
    struct in_lower l = {.m = m, .code = &c->code, .kernel = kernel, .err = err};
    enum mm_class result = MM_OK;
    c->code.arena = mm_arena_create();
    l.slot = mm_alloc((m->bound + 1) * sizeof *l.slot);
    if (!c->code.arena || !l.slot)
        result = in_lower_no_memory(&l);
    for (uint32_t k = 0; k <= m->bound && result == MM_OK; k++)
        l.slot[k] = IN_NO_SLOT;
    for (uint32_t k = 0; k < m->function_count && result == MM_OK; k++)
        if (c->reached[k])
            result = lower_function(c, &l, &m->functions[k]);
    mm_free(l.slot);
    return result;
}

/* ---- all of a kernel --------------------------------------------------------------------- */

/* BEGINS: no branch and no call precedes I.  Then all of the work-group reach I, without waiting for one
 * another before: a function or barrier of sub-groups needs no fibers. */
static void note_call(struct in_jit_calls *c, const struct in_module *m, const struct in_inst *i, bool begins)
{
    enum in_jit_call_kind sort = in_jit_call_kind(m, i);
    bool gathers = sort == IN_JIT_COLLECTIVE || sort == IN_JIT_FIBERS;
    c->any |= sort != IN_JIT_INLINE;
    c->quiet &= sort <= IN_JIT_UNORDERED || gathers;
    c->gathers |= gathers;
    c->fibers |= sort == IN_JIT_FIBERS && (!begins || !is_of_sub_groups(in_lower_entry(i->opcode)));
}

/* Function INDEX and all that it calls; that calls do not recur the interpreter's lowering has seen.  The
 * number of instructions once every call is inlined; SIZES: of the functions reached before. */
static uint64_t reached_size(struct in_jit_calls *c, const struct in_module *m, uint32_t index,
                             bool is_kernel, uint64_t *sizes)
{
    const struct in_function *f = &m->functions[index];
    struct in_inst i;
    uint64_t size = 0;
    bool begins = is_kernel, labels = false;
    if (c->reached[index] || !f->has_body)
        return sizes[index];
    c->reached[index] = true;
    for (uint32_t at = f->word; at < f->end; at += i.count) {
        in_inst_at(m, at, &i);
        size++;
        begins &= i.opcode != SpvOpFunctionCall && (!labels || i.opcode != SpvOpLabel);
        labels |= i.opcode == SpvOpLabel;
        note_call(c, m, &i, begins);
        if (i.opcode == SpvOpFunctionCall && m->ids[i.operands[0]].kind == IN_ID_FUNCTION)
            size += reached_size(c, m, m->ids[i.operands[0]].index, false, sizes);
    }
    sizes[index] = size < UINT32_MAX ? size : UINT32_MAX;
    return sizes[index];
}

enum mm_class in_jit_calls_create(struct in_jit_calls *c, struct in_module *m, struct in_kernel *kernel,
                                  struct mm_error *err)
{
    *c = (struct in_jit_calls){.quiet = true};
    c->reached = mm_alloc_zero(m->function_count + 1, sizeof *c->reached);
    uint64_t *sizes = mm_alloc_zero(m->function_count + 1, sizeof *sizes);
    if (c->reached && sizes)
        c->instructions = reached_size(c, m, kernel->function, true, sizes);
    mm_free(sizes);
    if (!c->reached || !sizes)
        return mm_out_of_memory(err);
    return c->any ? lower_all(c, m, kernel, err) : MM_OK;
}

void in_jit_calls_destroy(struct in_jit_calls *c)
{
    mm_arena_destroy(c->code.arena);
    mm_free(c->code.insns);
    mm_free(c->code.sources.of_insn);
    mm_free(c->code.sources.list);
    mm_free(c->code.sources.return_slots);
    mm_free(c->reached);
    mm_free(c->calls);
    mm_free(c->slots);
}
