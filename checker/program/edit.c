/* Changes of programs (struct ck_edit), applied to copies. */
#include "checker/checker.h"

#include "memmodel/base/arena.h"

#include <string.h>

bool ck_edit_is_site(const struct ck_program *p, const struct ck_edit *edit, uint32_t thread, uint32_t index)
{
    const struct ck_thread *t = &p->threads[thread], *own = &p->threads[edit->thread];
    const struct ck_instr *i = &t->instrs[index], *of = &own->instrs[edit->instr];

    if (thread == edit->thread && index == edit->instr)
        return true;
    if (!p->kernel || index >= t->instr_count || edit->instr >= own->instr_count)
        return false;
    return i->op == of->op && i->line == of->line && i->column == of->column && i->line > 0 && !i->hidden;
}

static void insert_instr(struct ck_thread *t, const struct ck_edit *edit)
{
    struct ck_instr *i = &t->instrs[edit->instr];

    memmove(i + 1, i, (t->instr_count - edit->instr) * sizeof *i);
    t->instr_count++;
    *i = (struct ck_instr){.op = edit->barrier ? CK_BARRIER : CK_FENCE,
                           .order = edit->order,
                           .scope = edit->scope,
                           .fence_flags = edit->fence_flags,
                           .site = edit->barrier ? UINT32_MAX : 0,
                           .reg = CK_NO_REG,
                           .reg2 = CK_NO_REG,
                           .address = CK_NO_EXPR,
                           .value = CK_NO_EXPR,
                           .expected = CK_NO_EXPR};
    for (uint32_t k = 0; k < t->instr_count; k++) {
        bool jumps = ck_instr_is_jump(&t->instrs[k]);

        t->instrs[k].target += jumps && t->instrs[k].target > edit->instr;
    }
}

bool ck_instr_falls_short(const struct ck_program *p, const struct ck_instr *i, uint32_t o, unsigned scope)
{
    return ck_instr_is_access(i) && ck_program_base(p, i->address) == o &&
           (ck_instr_is_plain(i) || (i->order != MM_ORDER_NONE && i->scope < scope));
}

/* Makes all accesses of object O atomic, with at least the scope of the edit. */
static void make_atomic(struct ck_program *p, uint32_t o, const struct ck_edit *edit)
{
    p->objects[o].non_atomic = false;
    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t k = 0; k < p->threads[t].instr_count; k++) {
            struct ck_instr *i = &p->threads[t].instrs[k];

            if (!ck_instr_falls_short(p, i, o, edit->scope))
                continue;
            if (ck_instr_is_plain(i))
                i->order = edit->order;
            i->scope = edit->scope;
            i->attributes |= MM_ATOMIC;
        }
    }
}

/* Replaces a fence or barrier by a jump to the next instruction, so that indices of instructions stay
 * valid. */
static void remove_instr(struct ck_instr *i, uint32_t index)
{
    *i = (struct ck_instr){.op = CK_JUMP,
                           .target = index + 1,
                           .reg = CK_NO_REG,
                           .reg2 = CK_NO_REG,
                           .address = CK_NO_EXPR,
                           .value = CK_NO_EXPR,
                           .expected = CK_NO_EXPR,
                           .line = i->line,
                           .column = i->column};
}

static void change_instr(struct ck_instr *i, uint32_t index, const struct ck_edit *edit)
{
    if (edit->remove && !edit->fence_flags) {
        remove_instr(i, index);
        return;
    }
    if (edit->order)
        i->order = edit->order;
    if (edit->scope)
        i->scope = edit->scope;
    i->fence_flags =
        edit->remove ? i->fence_flags & (uint8_t)~edit->fence_flags : i->fence_flags | edit->fence_flags;
}

/* Applies EDIT at all its sites in BEFORE, the program without any edit. */
static void change_sites(struct ck_program *p, const struct ck_program *before, const struct ck_edit *edit)
{
    if (edit->atomic) {
        make_atomic(p, ck_program_base(p, before->threads[edit->thread].instrs[edit->instr].address), edit);
        return;
    }
    for (uint32_t t = 0; t < before->thread_count; t++)
        for (uint32_t i = 0; i < before->threads[t].instr_count; i++)
            if (ck_edit_is_site(before, edit, t, i))
                change_instr(&p->threads[t].instrs[i], i, edit);
}

/* All edits name instructions of the program as it was: changes come first, then insertions from the end of
 * each thread on, the last edit first, so that it stays behind those before it. */
static void apply_edits(struct ck_program *p, const struct ck_program *before, const struct ck_edit *edits,
                        uint32_t count)
{
    for (uint32_t e = 0; e < count; e++)
        if (!edits[e].insert)
            change_sites(p, before, &edits[e]);
    for (uint32_t t = 0; t < before->thread_count; t++) {
        for (uint32_t i = before->threads[t].instr_count + 1; i-- > 0;) {
            for (uint32_t e = count; e-- > 0;) {
                struct ck_edit edit = edits[e];

                edit.instr = i;
                if (edit.insert && ck_edit_is_site(before, &edits[e], t, i))
                    insert_instr(&p->threads[t], &edit);
            }
        }
    }
}

bool ck_program_edit(struct mm_arena *arena, const struct ck_program *program, const struct ck_edit *edits,
                     uint32_t count, struct ck_program *out)
{
    uint32_t n = program->thread_count;

    *out = *program;
    out->threads = mm_arena_alloc(arena, (n + 1) * sizeof *out->threads);
    out->objects = mm_arena_alloc(arena, (out->object_count + 1) * sizeof *out->objects);
    if (!out->threads || !out->objects)
        return false;
    memcpy(out->objects, program->objects, out->object_count * sizeof *out->objects);
    for (uint32_t t = 0; t < n; t++) {
        const struct ck_thread *of = &program->threads[t];
        size_t most = (size_t)(of->instr_count + 1) * (count + 1); /* an insertion at each place */

        out->threads[t] = *of;
        out->threads[t].instrs = mm_arena_alloc(arena, most * sizeof *of->instrs);
        if (!out->threads[t].instrs)
            return false;
        memcpy(out->threads[t].instrs, of->instrs, of->instr_count * sizeof *of->instrs);
    }
    apply_edits(out, program, edits, count);
    return true;
}
