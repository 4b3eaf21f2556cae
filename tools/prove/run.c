/* Symbolic execution of one work-item over an acyclic part of the graph.  The context run goes from the
 * kernel's entry through an arbitrary iteration of each loop; a segment run goes from a cut point to the next
 * ones (docs/prove.md, "Runs"). */
#include "tools/prove/internal.h"

#include <string.h>

/* ---- states --------------------------------------------------------------------------------------- */

static struct pv_state copy_state(struct pv *pv, const struct pv_state *s)
{
    struct pv_state copy = *s;
    copy.cells = pv_alloc(pv, pv->cells.count + 1, sizeof *copy.cells);
    copy.stored = pv_alloc(pv, pv->objects.count + 1, sizeof *copy.stored);
    memcpy(copy.cells, s->cells, pv->cells.count * sizeof *copy.cells);
    memcpy(copy.stored, s->stored, pv->objects.count * sizeof *copy.stored);
    return copy;
}

static struct pv_state merged_state(struct pv *pv, const struct pv_merge *m)
{
    struct pv_state s = copy_state(pv, &m->states[0]);
    for (uint32_t k = 1; k < m->count; k++) {
        const struct pv_state *other = &m->states[k];
        for (uint32_t c = 0; c < pv->cells.count; c++)
            s.cells[c] = pv_merge_leaf(pv, m->conditions[k], other->cells[c], s.cells[c]);
        for (uint32_t o = 0; o < pv->objects.count; o++)
            s.stored[o] |= other->stored[o];
        for (int i = 0; i < 2; i++)
            if (s.interval[i] != other->interval[i])
                s.interval[i] = PV_NONE;
    }
    return s;
}

static Z3_ast any_of(struct pv *pv, const struct pv_merge *m)
{
    Z3_ast any = pv->no;
    for (uint32_t k = 0; k < m->count; k++)
        any = pv_or(pv, any, m->conditions[k]);
    return any;
}

/* ---- edges ---------------------------------------------------------------------------------------- */

/* Sets cell FIRST of NEXT to what ID is in the current block. */
static void assign_cell(struct pv_run *run, struct pv_state *next, uint32_t cell, uint32_t id)
{
    struct pv_value v = pv_get(run, id);
    struct pv_state now = run->state;
    run->state = *next;
    pv_set_cells(run, cell, &v);
    run->state = now;
}

/* Parameters of a call, the result of a return, phis. */
static void assign_on_edge(struct pv_run *run, uint32_t from, uint32_t to, struct pv_state *next)
{
    struct pv *pv = run->pv;
    const struct pv_block *b = &pv->graph.blocks[from], *target = &pv->graph.blocks[to];
    const struct pv_frame *frame = &pv->graph.frames[target->frame];
    if (b->end == PV_CALL)
        for (uint32_t p = 0; p < frame->function->param_count; p++)
            assign_cell(run, next, pv->cells.of_id[frame->base + frame->function->params[p]],
                        b->last->operands[1 + p]);
    if (b->end == PV_RETURN && b->last->opcode == SpvOpReturnValue) {
        const struct pv_frame *callee = &pv->graph.frames[b->frame];
        assign_cell(run, next, pv->cells.of_id[frame->base + callee->call->result], b->last->operands[0]);
    }
    for (const struct in_inst *i = target->first; b->frame == target->frame && i < target->last; i++) {
        if (i->opcode != SpvOpPhi && i->opcode != SpvOpLine && i->opcode != SpvOpNoLine)
            break;
        for (uint32_t k = 0; i->opcode == SpvOpPhi && k + 1 < i->operand_count; k += 2)
            if (i->operands[k + 1] == b->label)
                assign_cell(run, next, pv->cells.of_id[frame->base + i->result], i->operands[k]);
    }
}

static void add_to(struct pv *pv, struct pv_merge *m, Z3_ast condition, struct pv_state state)
{
    uint32_t count = m->count;
    m->conditions = ex_grow(pv->ex, m->conditions, count, sizeof *m->conditions);
    m->states = ex_grow(pv->ex, m->states, count, sizeof *m->states);
    m->conditions[count] = condition;
    m->states[count] = state;
    m->count++;
}

static bool is_context(const struct pv_run *run)
{
    return run->at_cut != NULL;
}

/* Adds the state at the end of the current block, under CONDITION, to the states at the beginning of block
 * TO. */
static void deliver_to_block(struct pv_run *run, uint32_t to, Z3_ast condition)
{
    struct pv *pv = run->pv;
    const struct pv_block *target = &pv->graph.blocks[to];
    bool back = pv_is_back(pv, run->block, to),
         barrier_loop = target->head_of != PV_NONE && pv->graph.loops[target->head_of].has_barrier;
    if (!is_context(run) && barrier_loop) {
        run->edges = ex_grow(pv->ex, run->edges, run->edge_count, sizeof *run->edges);
        run->edges[run->edge_count++] = (struct pv_edge){run->block, to, condition};
    }
    if (!is_context(run) && pv_is_cut(target)) {
        run->sinks[to] = run->sinks[to] ? pv_or(pv, run->sinks[to], condition) : condition;
        return;
    }
    if (!is_context(run) && back && !barrier_loop)
        return;
    struct pv_state next = copy_state(pv, &run->state);
    assign_on_edge(run, run->block, to, &next);
    add_to(pv, is_context(run) && back ? &run->back_merges[to] : &run->merges[to], condition, next);
}

static void leave_switch(struct pv_run *run, const struct pv_block *b, Z3_ast here)
{
    struct pv *pv = run->pv;
    Z3_ast selector = pv_get_scalar(run, b->last->operands[0]).bits, rest = pv->yes;
    for (uint32_t i = 1; i < b->successor_count; i++) {
        uint64_t literal = b->literals[2 * (i - 1)] | (uint64_t)b->literals[2 * (i - 1) + 1] << 32;
        Z3_ast is = pv_equal(pv, selector, pv_number(pv, literal, pv_width(pv, selector)));
        deliver_to_block(run, b->successors[i], pv_and(pv, here, is));
        rest = pv_and(pv, rest, pv_not(pv, is));
    }
    deliver_to_block(run, b->successors[0], pv_and(pv, here, rest));
}

/* Executes the branch at the end of the current block, which is reached under HERE. */
static void leave_block(struct pv_run *run, Z3_ast here)
{
    struct pv *pv = run->pv;
    const struct pv_block *b = &pv->graph.blocks[run->block];
    pv->ex->current = b->last;
    if (b->end == PV_EXIT) {
        run->sinks[pv->graph.exit] =
            run->sinks[pv->graph.exit] ? pv_or(pv, run->sinks[pv->graph.exit], here) : here;
    } else if (b->end == PV_BRANCH) {
        Z3_ast c = pv_get_scalar(run, b->last->operands[0]).bits;
        deliver_to_block(run, b->successors[0], pv_and(pv, here, c));
        deliver_to_block(run, b->successors[1], pv_and(pv, here, pv_not(pv, c)));
    } else if (b->end == PV_SWITCH) {
        leave_switch(run, b, here);
    } else if (b->successor_count) {
        deliver_to_block(run, b->successors[0], here);
    }
}

/* ---- loops and cuts ------------------------------------------------------------------------------- */

/* The state of an arbitrary iteration. */
static void havoc_loop(struct pv_run *run, uint32_t number)
{
    struct pv *pv = run->pv;
    struct pv_loop *loop = &pv->graph.loops[number];
    struct pv_loop_entry *e = &run->loops[number];
    *e = (struct pv_loop_entry){.reached = true,
                                .condition = run->condition[loop->head],
                                .back = pv->no,
                                .entry = copy_state(pv, &run->state),
                                .first_fresh = pv->fresh_count + 1};
    for (uint32_t c = 0; c < pv->cells.count; c++) {
        if (!loop->modified[c])
            continue;
        Z3_ast object = run->state.cells[c].object;
        run->state.cells[c] = pv_fresh_leaf(pv, pv->cells.list[c].type);
        if (object && !loop->moves_object[c])
            run->state.cells[c].object = object;
    }
    for (uint32_t o = 0; o < pv->objects.count; o++)
        run->state.stored[o] |= loop->stored[o];
    if (loop->has_barrier)
        run->state.interval[0] = run->state.interval[1] = PV_NONE;
    e->head = copy_state(pv, &run->state);
}

/* Results of group functions but scans are the same in all work-items. */
static void group_result(struct pv_run *run, const struct pv_block *b)
{
    struct pv *pv = run->pv;
    const struct in_inst *inst = b->cut_inst;
    struct pv_value v = pv_fresh_value(pv, ex_type(pv->ex, inst->type));
    uint32_t cell = pv->cells.of_id[pv->graph.frames[b->frame].base + inst->result];
    uint64_t operation = SpvGroupOperationReduce;
    bool varies = inst->opcode != SpvOpGroupAll && inst->opcode != SpvOpGroupAny &&
                  inst->opcode != SpvOpGroupBroadcast && inst->operands[1] != operation;
    pv_set_cells(run, cell, &v);
    for (uint32_t i = 0; !varies && run->thread && i < v.count; i++)
        pv_fact(pv, pv_implies(pv, pv->synchronous,
                               pv_equal(pv, v.leaves[i].bits,
                                        pv->context[0]->at_cut[run->block].cells[cell + i].bits)));
}

static void pass_cut(struct pv_run *run, uint32_t block)
{
    struct pv *pv = run->pv;
    const struct pv_block *b = &pv->graph.blocks[block];
    bool orders[2] = {b->orders_local, b->orders_global};
    for (int i = 0; i < 2 && b->cut == PV_BARRIER; i++) {
        if (!orders[i])
            continue;
        run->state.interval[i] = block;
        for (uint32_t o = 0; o < pv->objects.count; o++)
            if (pv->objects.list[o].region == (i ? PV_GLOBAL : PV_LOCAL))
                run->state.stored[o] = false;
    }
    if (b->cut == PV_GROUP_OP)
        group_result(run, b);
    run->at_cut[block] = copy_state(pv, &run->state);
}

/* A pointer that a loop moves into another object has an unknown object in it. */
static void close_loop(struct pv_run *run, uint32_t number)
{
    struct pv *pv = run->pv;
    struct pv_loop *loop = &pv->graph.loops[number];
    struct pv_loop_entry *e = &run->loops[number];
    struct pv_merge *m = &run->back_merges[loop->head];
    if (!e->reached || !m->count)
        return;
    e->back = any_of(pv, m);
    e->end = merged_state(pv, m);
    for (uint32_t c = 0; c < pv->cells.count; c++)
        if (loop->modified[c] && e->head.cells[c].object &&
            e->end.cells[c].object != e->head.cells[c].object && !loop->moves_object[c])
            pv->candidates.changed = loop->moves_object[c] = true;
}

/* ---- runs ----------------------------------------------------------------------------------------- */

static struct pv_run *new_run(struct pv *pv, int thread, uint32_t source)
{
    struct pv_run *run = pv_alloc(pv, 1, sizeof *run);
    *run = (struct pv_run){.pv = pv, .thread = thread, .source = source};
    run->condition = pv_alloc(pv, pv->graph.block_count, sizeof *run->condition);
    run->merges = pv_alloc(pv, pv->graph.block_count, sizeof *run->merges);
    run->back_merges = pv_alloc(pv, pv->graph.block_count, sizeof *run->back_merges);
    run->values = pv_alloc(pv, pv->ex->module.bound, sizeof *run->values);
    run->valid = pv_alloc(pv, pv->ex->module.bound, sizeof *run->valid);
    run->loops = pv_alloc(pv, pv->graph.loop_count + 1, sizeof *run->loops);
    run->sinks = pv_alloc(pv, pv->graph.block_count + 1, sizeof *run->sinks);
    return run;
}

static void execute_block(struct pv_run *run, uint32_t block)
{
    const struct pv_block *b = &run->pv->graph.blocks[block];
    for (const struct in_inst *i = b->first; i <= b->last; i++)
        if (i != b->last || b->end != PV_JUMP || in_is_terminator(i->opcode))
            pv_execute(run, i);
    leave_block(run, run->condition[block]);
}

static void enter_block(struct pv_run *run, uint32_t block)
{
    struct pv *pv = run->pv;
    uint32_t loop = pv->graph.blocks[block].head_of;
    run->block = block;
    if (loop != PV_NONE && (is_context(run) || !pv->graph.loops[loop].has_barrier))
        havoc_loop(run, loop);
    if (is_context(run) && pv_is_cut(&pv->graph.blocks[block]))
        pass_cut(run, block);
    execute_block(run, block);
}

static void run_blocks(struct pv_run *run, const uint32_t *order, uint32_t count, uint32_t first)
{
    for (uint32_t i = first; i < count; i++) {
        struct pv_merge *m = &run->merges[order[i]];
        if (!m->count)
            continue;
        run->block = order[i];
        run->condition[order[i]] = any_of(run->pv, m);
        run->state = merged_state(run->pv, m);
        enter_block(run, order[i]);
    }
}

/* The work-item's state at the kernel's entry. */
static struct pv_state initial_state(struct pv *pv)
{
    struct pv_state s = {.cells = pv_alloc(pv, pv->cells.count + 1, sizeof *s.cells),
                         .stored = pv_alloc(pv, pv->objects.count + 1, sizeof *s.stored),
                         .interval = {PV_NONE, pv->graph.exit}};
    const struct in_function *f = pv->graph.frames[0].function;
    for (uint32_t c = 0; c < pv->cells.count; c++)
        s.cells[c] = pv_fresh_leaf(pv, pv->cells.list[c].type);
    for (uint32_t p = 0; p < f->param_count; p++) {
        uint32_t cell = pv->cells.of_id[f->params[p]];
        uint32_t count = pv_shape(pv, ex_type_of(pv->ex, f->params[p]))->count;
        for (uint32_t i = 0;
             pv->parameter_leaves[p] && i < count && ex_type_of(pv->ex, f->params[p])->kind != IN_TY_POINTER;
             i++)
            s.cells[cell + i] = pv->parameter_leaves[p][i];
    }
    for (uint32_t o = 1; o < pv->objects.count; o++) {
        if (!pv->objects.list[o].is_argument)
            continue;
        uint32_t p = 0;
        while (f->params[p] != pv->objects.list[o].id)
            p++;
        s.cells[pv->cells.of_id[f->params[p]]] = (struct pv_leaf){pv_number(pv, 0, 64), pv_number(pv, o, 16)};
        for (uint32_t i = 0; i < pv->objects.list[o].cell_count; i++)
            s.cells[pv->objects.list[o].first_cell + i] = pv->parameter_leaves[p][i];
    }
    return s;
}

struct pv_run *pv_run_context(struct pv *pv, int thread)
{
    struct pv_run *run = new_run(pv, thread, PV_NONE);
    uint32_t count = 0;
    run->at_cut = pv_alloc(pv, pv->graph.block_count, sizeof *run->at_cut);
    while (count < pv->graph.block_count && pv->graph.blocks[pv->graph.order[count]].position == count)
        count++;
    run->state = initial_state(pv);
    run->condition[pv->graph.order[0]] = pv->yes;
    add_to(pv, &run->merges[pv->graph.order[0]], pv->yes, run->state);
    run_blocks(run, pv->graph.order, count, 0);
    for (uint32_t l = 0; l < pv->graph.loop_count; l++)
        close_loop(run, l);
    return run;
}

/* Depth-first search from BLOCK: fills ORDER, from the end, with the blocks in reverse postorder. */
static void visit_block(const struct pv_run *run, uint32_t block, bool *seen, uint32_t *order, uint32_t *at)
{
    const struct pv *pv = run->pv;
    const struct pv_block *b = &pv->graph.blocks[block];
    seen[block] = true;
    for (uint32_t i = b->successor_count; i-- > 0;) {
        uint32_t to = b->successors[i];
        bool closed = pv_is_back(pv, block, to) && !pv->graph.loops[pv->graph.blocks[to].head_of].has_barrier;
        if (!seen[to] && !closed && !pv_is_cut(&pv->graph.blocks[to]))
            visit_block(run, to, seen, order, at);
    }
    order[--*at] = block;
}

struct pv_run *pv_run_segment(struct pv *pv, int thread, uint32_t source)
{
    const struct pv_run *context = pv->context[thread];
    uint32_t first = source == PV_NONE ? pv->graph.order[0] : source, at = pv->graph.block_count;
    if (!context->condition[first])
        return NULL;
    struct pv_run *run = new_run(pv, thread, source);
    bool *seen = pv_alloc(pv, pv->graph.block_count, sizeof *seen);
    uint32_t *order = pv_alloc(pv, pv->graph.block_count, sizeof *order);
    visit_block(run, first, seen, order, &at);
    run->block = first;
    run->condition[first] = context->condition[first];
    run->state = source == PV_NONE ? initial_state(pv) : copy_state(pv, &context->at_cut[source]);
    if (source == PV_NONE && pv->graph.blocks[first].head_of != PV_NONE)
        pv_stop(pv, pv->graph.blocks[first].first,
                "a loop at the kernel's entry is not supported by --prove");
    execute_block(run, first);
    run_blocks(run, order, pv->graph.block_count, at + 1);
    return run;
}
