/* The kernel code around a test's statements: the mapping of work-items to threads of instances, memory
 * layout, alignment and stress; and the kernel that counts final states on the device.
 *
 * A launch consists of clusters of work-groups; in an iteration each cluster runs one instance per slot.  The
 * parameters that the runner varies are in run/knobs.def. */
#include "litmus/emit/emit.h"

#include <inttypes.h>

static const char helpers[] =
    "#define REFCL_PLACE(i, k) (((i) * ((k) & 1 ? refcl_k[REFCL_K_scatter] : 1u)) & refcl_k[REFCL_K_mask])\n"
    "#define REFCL_AT(i, k) (REFCL_PLACE(i, k) * refcl_k[REFCL_K_stride])\n"
    "#ifndef REFCL_PLAIN\n"
    "static void refcl_stress(volatile global uint *s, uint from, uint times, uint pattern, uint mask)\n"
    "{\n"
    "    for (uint i = 0; i < times; i++) {\n"
    "        uint at = (from + i * 32u) & mask;\n"
    "        if (pattern == 0u)\n"
    "            s[at] = i;\n"
    "        else if (pattern == 1u)\n"
    "            s[at] = i + (s[(at + 16u) & mask] & 1u);\n"
    "        else if (pattern == 2u)\n"
    "            s[(at + 16u) & mask] = s[at] + 1u;\n"
    "        else if (s[at] == 0x5efc1bad)\n"
    "            s[at] = i;\n"
    "    }\n"
    "}\n"
    "#endif\n";

static void emit_knobs(struct emitter *e)
{
    static const char *const names[] = {
#define KNOB(name, cpu, gpu, help) #name,
#include "litmus/run/knobs.def"
#undef KNOB
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(e->out, "#define REFCL_K_%s %zu\n", names[i], i);
}

static const char *out_type(const struct emitter *e)
{
    return e->kernel->wide ? "long" : "int";
}

/* Emits the parameters of locations; images as images if IMAGES, else as the buffers that they are made
 * from. */
static void emit_locations(struct emitter *e, bool images)
{
    for (uint32_t i = 0; i < e->program->object_count; i++)
        if (images && e->program->objects[i].region == MM_IMAGE)
            fprintf(e->out, ",\n    read_write image1d_buffer_t refcl_m%u", i);
        else if (e->program->objects[i].region != MM_LOCAL)
            fprintf(e->out, ",\n    global %s *refcl_m%u",
                    lt_emit_type(e->program->objects[i].element_size, true), i);
    fputs(")\n{\n", e->out);
}

static void emit_locals(struct emitter *e)
{
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region == MM_LOCAL)
            fprintf(e->out, "    local %s refcl_m%u[REFCL_SLOTS * %u];\n",
                    lt_emit_type(o->element_size, true), i, lt_elements(o));
    }
    if (e->kernel->generic)
        fputs("    local long refcl_near[1];\n", e->out);
}

/* Makes a pointer generic by a choice between two regions, which the compiler cannot evaluate [CLC 6.7.5]. */
static void emit_generic(struct emitter *e)
{
    if (e->kernel->generic)
        fputs("#undef REFCL_GENERIC\n"
              "#define REFCL_GENERIC(type, place, other) (refcl_n ? (type)(place) : (type)(other))\n",
              e->out);
}

static void emit_place(struct emitter *e)
{
    uint32_t members = e->kernel->member_count, groups = e->kernel->group_count;
    fprintf(
        e->out,
        "    uint refcl_w = (uint)get_group_id(0);\n"
        "#ifndef REFCL_PLAIN\n"
        "    uint refcl_every = refcl_k[REFCL_K_stress_every];\n"
        "    uint refcl_mix = (refcl_w + refcl_seed) * 2654435761u;\n"
        "    if (refcl_every && refcl_w %% refcl_every == refcl_every - 1u) {\n"
        "        refcl_stress(refcl_scratch, refcl_mix + (uint)get_local_id(0), "
        "refcl_k[REFCL_K_stress_times] * refcl_k[REFCL_K_rounds],\n"
        "                     refcl_k[REFCL_K_stress_pattern], refcl_k[REFCL_K_stress_lines] - 1u);\n"
        "        return;\n"
        "    }\n"
        "    if (refcl_every)\n"
        "        refcl_w -= refcl_w / refcl_every;\n"
        "#endif\n"
        "    uint refcl_l = ((uint)get_local_id(0) * refcl_k[REFCL_K_lanes]) %% (uint)get_local_size(0);\n"
        "    bool refcl_split = refcl_k[REFCL_K_split] != 0u;\n"
        "    uint refcl_slot = refcl_split ? refcl_l %% REFCL_SLOTS : refcl_l / %uu;\n"
        "    uint refcl_member = refcl_split ? refcl_l / REFCL_SLOTS : refcl_l %% %uu;\n"
        "    uint refcl_clusters = refcl_k[REFCL_K_clusters], refcl_rounds = refcl_k[REFCL_K_rounds];\n"
        "    uint refcl_n = refcl_k[REFCL_K_instances];\n"
        "#ifdef REFCL_PLAIN\n"
        "    uint refcl_r = 0u;\n"
        "    {\n"
        "#else\n"
        "    for (uint refcl_r = 0; refcl_r < refcl_rounds; refcl_r++) {\n"
        "#endif\n"
        "    uint refcl_role = (refcl_w + refcl_r * refcl_k[REFCL_K_rotate]) %% %uu;\n"
        "    uint refcl_c = (refcl_w / %uu + refcl_role * refcl_k[REFCL_K_shuffle] + refcl_r * refcl_seed) & "
        "(refcl_clusters - 1u);\n"
        "    uint refcl_i = (refcl_r * refcl_clusters + refcl_c) * REFCL_SLOTS + refcl_slot;\n"
        "    bool refcl_on = refcl_slot < REFCL_SLOTS && refcl_i < refcl_n;\n",
        members, members, groups, groups);
}

void lt_emit_registers(struct emitter *e)
{
    const struct ck_program *p = e->program;
    uint32_t index = 0;
    for (const struct lt_thread *t = e->test->threads; t; t = t->next, index++) {
        const struct ck_thread *thread = &p->threads[index];
        for (uint32_t r = 0; !t->host && t->kernel == e->number && r < thread->reg_count; r++) {
            const char *name = thread->reg_names[r];
            bool declared = !name;
            uint32_t before = 0;
            for (const struct lt_thread *u = e->test->threads; name && u != t; u = u->next, before++) {
                uint32_t other =
                    u->host || u->kernel != e->number ? CK_NO_REG : ck_program_find_reg(p, before, name);
                if (other == CK_NO_REG)
                    continue;
                declared = true;
                if (p->threads[before].reg_sizes[other] != thread->reg_sizes[r] ||
                    p->threads[before].reg_signed[other] != thread->reg_signed[r])
                    lt_emit_cannot(e, "registers of one name with two types");
            }
            if (!declared)
                fprintf(e->out, "    %s %s = 0;\n", lt_emit_type(thread->reg_sizes[r], thread->reg_signed[r]),
                        name);
        }
    }
}

static void emit_local_init(struct emitter *e)
{
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        if (o->region != MM_LOCAL)
            continue;
        for (uint32_t n = 0; n < lt_elements(o); n++)
            fprintf(e->out,
                    "    if (refcl_slot < REFCL_SLOTS && refcl_member == 0u)\n"
                    "        refcl_m%u[refcl_slot * %uu + %uu] = (%s)%" PRId64 "l;\n",
                    i, lt_elements(o), n, lt_emit_type(o->element_size, true), (int64_t)o->initial[n]);
    }
    if (lt_uses_region(e->program, MM_LOCAL))
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
}

/* Work-groups of an instance wait for each other with a bounded number of polls: concurrent execution of
 * work-groups is not guaranteed. */
static void emit_align(struct emitter *e)
{
    fputs("#ifndef REFCL_PLAIN\n"
          "    if (refcl_k[REFCL_K_before])\n"
          "        refcl_stress(refcl_scratch, refcl_mix + refcl_r, refcl_k[REFCL_K_before], "
          "refcl_k[REFCL_K_stress_pattern],\n"
          "                     refcl_k[REFCL_K_stress_lines] - 1u);\n",
          e->out);
    fputs("    if (refcl_k[REFCL_K_align]) {\n", e->out);
    if (e->kernel->group_count > 1)
        fprintf(
            e->out,
            "        if (get_local_id(0) == 0) {\n"
            "            volatile global uint *refcl_gate = refcl_sync + refcl_r * refcl_clusters + "
            "refcl_c;\n"
            "            atomic_inc(refcl_gate);\n"
            "            for (uint refcl_t = refcl_k[REFCL_K_align]; refcl_t && atomic_add(refcl_gate, 0u) < "
            "%uu; refcl_t--)\n"
            "                ;\n"
            "        }\n",
            e->kernel->group_count);
    fputs("        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n#endif\n", e->out);
}

void lt_emit_prologue(struct emitter *e)
{
    lt_emit_legacy(e);
    emit_knobs(e);
    fputs(helpers, e->out);
    emit_generic(e);
    fprintf(e->out,
            "kernel void refcl_litmus(global %s *refcl_out, volatile global uint *refcl_scratch,\n"
            "    volatile global uint *refcl_sync, constant uint *refcl_k, uint refcl_seed",
            out_type(e));
    emit_locations(e, true);
    lt_emit_legacy_temporaries(e);
    emit_locals(e);
    emit_place(e);
    if (lt_uses_region(e->program, MM_IMAGE))
        fputs("    uint refcl_texel = 0u;\n", e->out);
    lt_emit_registers(e);
    emit_local_init(e);
    emit_align(e);
}

/* ---- results ------------------------------------------------------------------------------------- */

static void emit_store(struct emitter *e, uint32_t group, uint32_t member, uint32_t column, const char *value)
{
    fprintf(e->out,
            "    if (refcl_on && refcl_role == %uu && refcl_member == %uu)\n"
            "        refcl_out[%uu * refcl_n + refcl_i] = %s;\n",
            group, member, column, value);
}

static void find_member(const struct emitter *e, uint32_t thread, uint32_t *group, uint32_t *member)
{
    uint32_t index;
    for (*group = 0; *group < e->kernel->group_count; ++*group)
        for (*member = 0; lt_emit_member(e->test, e->number, *group, *member, &index); ++*member)
            if (index == thread)
                return;
    *group = *member = 0;
}

static void emit_results(struct emitter *e)
{
    uint32_t column = 0;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        uint32_t group, member;
        char value[160];
        if (!lt_observed_stored(e->program, i))
            continue;
        if (term->kind == CK_TERM_REG) {
            find_member(e, term->thread, &group, &member);
            snprintf(value, sizeof value, "%.100s", e->program->threads[term->thread].reg_names[term->reg]);
            emit_store(e, group, member, column, value);
        } else {
            const struct ck_object *o = &e->program->objects[term->object];
            snprintf(value, sizeof value, "refcl_m%u[refcl_slot * %uu + %uu]", term->object, lt_elements(o),
                     term->offset / o->element_size);
            emit_store(e, (uint32_t)o->work_group, 0, column, value);
        }
        column++;
    }
    e->kernel->columns = column;
}

/* Records the sub-groups of an instance's work-items, so that instances in the wrong sub-groups are
 * discarded. */
static void emit_sub_groups(struct emitter *e)
{
    for (uint32_t t = 0; t < e->program->thread_count; t++) {
        uint32_t group, member;
        find_member(e, t, &group, &member);
        emit_store(e, group, member, e->kernel->columns + t, "(int)get_sub_group_id()");
    }
}

void lt_emit_epilogue(struct emitter *e)
{
    if (lt_uses_region(e->program, MM_LOCAL))
        fputs("    barrier(CLK_LOCAL_MEM_FENCE);\n", e->out);
    emit_results(e);
    if (e->kernel->sub_groups)
        emit_sub_groups(e);
    fputs("    }\n}\n", e->out);
}

/* ---- counting ----------------------------------------------------------------------------------- */

void lt_kernel_range(struct lt_kernel *k, const struct ck_program *p)
{
    int64_t low = -1, high = (int64_t)p->thread_count, sum = 0;
    for (uint32_t i = 0; i < p->expr_count; i++) {
        int64_t v = p->exprs[i].op == CK_CONST ? (int64_t)p->exprs[i].imm : 0;
        if (v > high && v < 64)
            high = v;
        if (v < low && v > -64)
            low = v;
        sum += v > 0 && v < 64 ? v : 0;
    }
    /* The results of additions and of bitwise or are at most the sum of the operands. */
    if (sum > high && sum < 15)
        high = sum;
    k->low = (int32_t)low;
    while ((INT64_C(1) << k->bits) < high - low + 1)
        k->bits++;
    if (k->bits * p->observed_count > 18)
        k->bits = 0; /* count all values one by one */
    k->bins = k->bits ? 1u << k->bits * p->observed_count : 1;
}

static void emit_values(struct emitter *e)
{
    uint32_t column = 0;
    for (uint32_t i = 0; i < e->program->observed_count; i++) {
        const struct ck_term *term = &e->program->observed[i];
        if (lt_observed_stored(e->program, i)) {
            fprintf(e->out, "        long v%u = (long)refcl_out[%uu * refcl_n + i];\n", i, column++);
            continue;
        }
        const struct ck_object *o = &e->program->objects[term->object];
        fprintf(e->out, "        long v%u = (long)(%s)refcl_m%u[REFCL_AT(i, %u) * %uu + %uu];\n", i,
                lt_emit_type(o->element_size, o->is_signed), term->object, term->object, lt_elements(o),
                term->offset / o->element_size);
    }
}

static void emit_sub_group_check(struct emitter *e)
{
    fputs("        bool good = true;\n", e->out);
    for (uint32_t a = 0; e->kernel->sub_groups && a < e->program->thread_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            const struct ck_thread *s = &e->program->threads[a], *t = &e->program->threads[b];
            if (s->device != t->device || s->work_group != t->work_group)
                continue;
            fprintf(e->out, "        good &= refcl_out[%uu * refcl_n + i] %s refcl_out[%uu * refcl_n + i];\n",
                    e->kernel->columns + a,
                    s->sub_group == t->sub_group ? "==" : "!=", e->kernel->columns + b);
        }
}

/* Resets memory for the next launch; results too, so that a missing store is detected. */
static void emit_reset(struct emitter *e)
{
    for (uint32_t i = 0; i < e->program->object_count; i++) {
        const struct ck_object *o = &e->program->objects[i];
        for (uint32_t n = 0; o->region != MM_LOCAL && n < lt_elements(o); n++)
            fprintf(e->out, "        refcl_m%u[REFCL_AT(i, %u) * %uu + %uu] = (%s)%" PRId64 "l;\n", i, i,
                    lt_elements(o), n, lt_emit_type(o->element_size, true), (int64_t)o->initial[n]);
    }
    for (uint32_t c = 0; c < e->kernel->columns; c++)
        fprintf(e->out, "        refcl_out[%uu * refcl_n + i] = 0x5efc1ba;\n", c);
}

static void emit_count(struct emitter *e)
{
    uint32_t bits = e->kernel->bits, n = e->program->observed_count;
    fputs(
        "        if (!good) {\n            atomic_inc(&refcl_counts[1]);\n            continue;\n        }\n",
        e->out);
    if (bits) {
        fputs("        uint key = 0u;\n        bool fits = true;\n", e->out);
        for (uint32_t i = 0; i < n; i++)
            fprintf(e->out,
                    "        fits &= (ulong)(v%u - (%dl)) < %uul;\n"
                    "        key |= (uint)(v%u - (%dl)) << %u;\n",
                    i, e->kernel->low, 1u << bits, i, e->kernel->low, i * bits);
        fputs("        if (fits) {\n"
              "            if (key != last && run) {\n"
              "                atomic_add(&bins[last], run);\n"
              "                run = 0u;\n"
              "            }\n"
              "            last = key;\n"
              "            run++;\n"
              "            continue;\n"
              "        }\n",
              e->out);
    }
    fputs("        uint at = atomic_inc(&refcl_counts[0]);\n        if (at < REFCL_OTHERS) {\n", e->out);
    for (uint32_t i = 0; i < n; i++)
        fprintf(e->out, "            refcl_others[at * %uu + %uu] = v%u;\n", n, i, i);
    fputs("        }\n", e->out);
}

void lt_emit_collect(struct emitter *e)
{
    lt_kernel_range(e->kernel, e->program);
    bool local = e->kernel->bins <= 1024;
    fprintf(
        e->out,
        "#ifndef REFCL_HOST_COUNTS\n"
        "kernel void refcl_collect(global %s *refcl_out, volatile global uint *refcl_sync, constant uint "
        "*refcl_k,\n"
        "    volatile global uint *refcl_bins, volatile global uint *refcl_counts, global long *refcl_others",
        out_type(e));
    emit_locations(e, false);
    if (local)
        fprintf(e->out,
                "#ifdef REFCL_PLAIN\n"
                "    volatile global uint *bins = refcl_bins;\n"
                "#else\n"
                "    local volatile uint bins[%u];\n"
                "    for (uint b = (uint)get_local_id(0); b < %uu; b += (uint)get_local_size(0))\n"
                "        bins[b] = 0u;\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                "#endif\n",
                e->kernel->bins, e->kernel->bins);
    else
        fputs("    volatile global uint *bins = refcl_bins;\n", e->out);
    fputs("    uint refcl_n = refcl_k[REFCL_K_instances], last = 0u, run = 0u;\n"
          "    for (uint i = (uint)get_global_id(0); i < refcl_n; i += (uint)get_global_size(0)) {\n",
          e->out);
    emit_values(e);
    emit_sub_group_check(e);
    emit_reset(e);
    emit_count(e);
    fputs("    }\n    if (run)\n        atomic_add(&bins[last], run);\n"
          "    for (uint i = (uint)get_global_id(0); i < refcl_k[REFCL_K_clusters] * "
          "refcl_k[REFCL_K_rounds]; i += "
          "(uint)get_global_size(0))\n"
          "        refcl_sync[i] = 0u;\n",
          e->out);
    if (local)
        fprintf(e->out,
                "#ifndef REFCL_PLAIN\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                "    for (uint b = (uint)get_local_id(0); b < %uu; b += (uint)get_local_size(0))\n"
                "        if (bins[b])\n"
                "            atomic_add(&refcl_bins[b], bins[b]);\n"
                "#endif\n",
                e->kernel->bins);
    fputs("}\n#endif\n", e->out);
    e->kernel->columns += e->kernel->sub_groups ? e->program->thread_count : 0;
}
