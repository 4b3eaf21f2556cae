/* Translates an OpenCL test to a Vulkan test, as a compiler would.
 *
 * Global memory is storage class 0 and local memory class 1.  Plain accesses are non-private; release
 * operations make available and acquire operations make visible, for the storage class of the region that
 * they order in OpenCL. Scopes keep their names; all-devices scope is device scope, as all threads are on
 * one device. */
#include "litmus/vulkan/vulkan.h"
#include "memmodel/base/array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct translation {
    const struct ck_program *program;
    enum lt_mapping mapping;
    const char *reason;
    struct mm_arena *arena;
    uint32_t thread, labels; /* LABELS: made beside those of instructions */
    const char **rows[LT_MAX_THREADS];
    uint32_t counts[LT_MAX_THREADS], capacities[LT_MAX_THREADS];
    bool failed; /* out of memory */
};

static void reject_translation(struct translation *t, const char *reason)
{
    if (!t->reason)
        t->reason = reason;
}

static void print_row(struct translation *t, const char *format, ...) MM_PRINTF(2, 3);
static void print_row(struct translation *t, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t *count = &t->counts[t->thread], *capacity = &t->capacities[t->thread];
    bool fits = mm_arena_reserve(t->arena, &t->rows[t->thread], *count, capacity, *count + 1);
    const char *copy = fits ? mm_arena_strdup(t->arena, text) : NULL;
    if (length >= (int)sizeof text)
        reject_translation(t, "names that are too long");
    if (!copy)
        t->failed = true;
    else
        t->rows[t->thread][(*count)++] = copy;
}

static const struct ck_thread *current_thread(const struct translation *t)
{
    return &t->program->threads[t->thread];
}

/* ---- values ------------------------------------------------------------------------------------------ */

struct text {
    char at[96];
};

static struct text reg_name(const struct translation *t, uint32_t reg)
{
    struct text text;
    const char *name = current_thread(t)->reg_names[reg];
    if (name)
        snprintf(text.at, sizeof text.at, "%.90s", name);
    else
        snprintf(text.at, sizeof text.at, "tmp%u", reg);
    return text;
}

static struct text constant_text(uint64_t value)
{
    struct text text;
    snprintf(text.at, sizeof text.at, "%" PRId32, (int32_t)(uint32_t)value);
    return text;
}

static uint32_t new_temporary(struct translation *t, struct text *name)
{
    snprintf(name->at, sizeof name->at, "val%u", t->labels);
    return t->labels++;
}

static void branch_unless(struct translation *t, uint32_t expr, const char *label);

static const char *arithmetic_operator(enum ck_expr_op op)
{
    static const char *const names[] = {
        [CK_ADD] = "add", [CK_SUB] = "sub", [CK_MUL] = "mul", [CK_SDIV] = "div",
        [CK_AND] = "and", [CK_OR] = "or",   [CK_XOR] = "xor"};
    return (size_t)op < sizeof names / sizeof *names ? names[op] : NULL;
}

static bool is_condition(enum ck_expr_op op)
{
    return (op >= CK_EQ && op <= CK_SLE) || op == CK_LNOT;
}

/* An operand with the value of EXPR, after the rows that compute it. */
static struct text operand_of(struct translation *t, uint32_t expr)
{
    const struct ck_expr *e = &t->program->exprs[expr];
    struct text result;
    char label[32];
    if (e->size != 4)
        reject_translation(t, "values of other than four bytes");
    if (e->op == CK_CONST)
        return constant_text(e->imm);
    if (e->op == CK_REG)
        return reg_name(t, (uint32_t)e->imm);
    if ((e->op == CK_ZEXT || e->op == CK_SEXT || e->op == CK_TRUNC) && t->program->exprs[e->a].size == 4)
        return operand_of(t, e->a);
    if (arithmetic_operator(e->op)) {
        struct text a = operand_of(t, e->a), b = operand_of(t, e->b);
        new_temporary(t, &result);
        print_row(t, "%s %s, %s, %s", arithmetic_operator(e->op), result.at, a.at, b.at);
        return result;
    }
    if (is_condition(e->op)) {
        uint32_t number = new_temporary(t, &result);
        snprintf(label, sizeof label, "END%u", number);
        print_row(t, "mov %s, 0", result.at);
        branch_unless(t, expr, label);
        print_row(t, "mov %s, 1", result.at);
        print_row(t, "%s:", label);
        return result;
    }
    if (e->op == CK_NEG) {
        if (t->program->exprs[e->a].op == CK_CONST)
            return constant_text(0 - t->program->exprs[e->a].imm);
        struct text a = operand_of(t, e->a);
        new_temporary(t, &result);
        print_row(t, "sub %s, 0, %s", result.at, a.at);
        return result;
    }
    reject_translation(t, "arithmetic that Vulkan tests do not have");
    return constant_text(0);
}

/* Goes to LABEL unless EXPR is true. */
static void branch_unless(struct translation *t, uint32_t expr, const char *label)
{
    const struct ck_expr *e = &t->program->exprs[expr];
    static const char *const opposite[] = {
        [CK_EQ] = "bne", [CK_NE] = "beq", [CK_SLT] = "bge", [CK_SLE] = "bgt"};
    bool negated = e->op == CK_LNOT;
    if (e->op == CK_ULT || e->op == CK_ULE) {
        reject_translation(t, "comparisons without signs");
        return;
    }
    if (is_condition(e->op) && !negated) {
        struct text a = operand_of(t, e->a), b = operand_of(t, e->b);
        print_row(t, "%s %s, %s, %s", opposite[e->op], a.at, b.at, label);
        return;
    }
    struct text a = operand_of(t, negated ? e->a : expr);
    print_row(t, "%s %s, 0, %s", negated ? "bne" : "beq", a.at, label);
}

/* ---- accesses ---------------------------------------------------------------------------------------- */

/* seq_cst is not in Vulkan; the compiler may use the strongest order that is. */
static uint8_t order_of(struct translation *t, const struct ck_instr *i, uint8_t order)
{
    if (order != MM_SEQ_CST)
        return order;
    if (t->mapping != LT_MAPPING_CLSPV)
        reject_translation(t, "seq_cst, which Vulkan does not have");
    return i->op == CK_LOAD ? MM_ACQUIRE : i->op == CK_STORE ? MM_RELEASE : MM_ACQ_REL;
}

static const char *scope_tag(struct translation *t, uint8_t scope)
{
    switch (scope) {
    case MM_SCOPE_SUB_GROUP:
        return ".sg";
    case MM_SCOPE_WORK_GROUP:
        return ".wg";
    case MM_SCOPE_DEVICE:
    case MM_SCOPE_ALL_SVM_DEVICES:
        return ".dv";
    default:
        reject_translation(t, "work-item scope");
        return "";
    }
}

static const char *order_tag(uint8_t order)
{
    return order == MM_ACQUIRE   ? ".acq"
           : order == MM_RELEASE ? ".rel"
           : order == MM_ACQ_REL ? ".acq_rel"
                                 : "";
}

/* Order and semantics of an operation that orders the storage classes CLASSES. */
static void semantics_tags(uint8_t order, unsigned classes, char text[64])
{
    *text = '\0';
    if (order != MM_ACQUIRE && order != MM_RELEASE && order != MM_ACQ_REL)
        return;
    snprintf(text, 64, "%s%s%s%s", classes & 1 ? ".semsc0" : "", classes & 2 ? ".semsc1" : "",
             order != MM_ACQUIRE ? ".semav" : "", order != MM_RELEASE ? ".semvis" : "");
}

static unsigned class_of(const struct translation *t, uint32_t object)
{
    return t->program->objects[object].region == MM_LOCAL ? 1 : 0;
}

/* "ld.atom.acq.dv.sc0.semsc0.semvis" and the location, "x" or "x+4". */
static void access_text(struct translation *t, const char *name, const struct ck_instr *i, const char *more,
                        char mnemonic[160], char place[128])
{
    uint32_t element = 0, object = lt_vk_accessed(t->program, i, &element);
    char semantics[64] = "";
    if (object == CK_NO_OBJECT) {
        reject_translation(t, "an address that is computed");
        return;
    }
    const struct ck_object *o = &t->program->objects[object];
    if (i->size != 4 || o->element_size != 4)
        reject_translation(t, "locations of other than four bytes");
    snprintf(place, 128, element ? "%.100s+%u" : "%.100s", o->name, 4 * element);
    unsigned class = class_of(t, object);
    if (!ck_instr_is_atomic(i)) {
        snprintf(mnemonic, 160, "%s.nonpriv.sc%u", name, class);
        return;
    }
    uint8_t order = order_of(t, i, i->order);
    semantics_tags(order, 1u << class, semantics);
    snprintf(mnemonic, 160, "%s.atom%s%s.sc%u%s%s", name, order_tag(order), scope_tag(t, i->scope), class,
             semantics, more);
}

/* The number of instructions of the thread that mention register REG. */
static uint32_t count_mentions(const struct translation *t, uint32_t reg)
{
    const struct ck_thread *thread = current_thread(t);
    uint32_t count = 0;
    uint64_t *read = mm_arena_alloc(t->arena, (thread->reg_count / 64 + 1) * sizeof *read);
    for (uint32_t n = 0; read && n < thread->instr_count; n++) {
        const struct ck_instr *i = &thread->instrs[n];
        bool uses_value = i->op == CK_ASSIGN || i->op == CK_BRANCH || ck_instr_writes(i);
        memset(read, 0, (thread->reg_count / 64 + 1) * sizeof *read);
        if (uses_value)
            ck_expr_registers(t->program, i->value, read);
        if (i->op == CK_CAS)
            ck_expr_registers(t->program, i->expected, read);
        count += (read[reg / 64] >> reg % 64 & 1) ||
                 ((ck_instr_reads(i) || i->op == CK_ASSIGN) && i->reg == reg) ||
                 (i->op == CK_CAS && i->reg2 == reg);
    }
    return count;
}

static bool is_target(const struct ck_thread *thread, uint32_t at)
{
    for (uint32_t i = 0; i < thread->instr_count; i++)
        if (ck_instr_is_jump(&thread->instrs[i]) && thread->instrs[i].target == at)
            return true;
    return false;
}

/* The register that access AT loads.  A temporary that is assigned to a register, and nothing else, is left
 * out: *SKIP, that assignment. */
static struct text loaded_reg(const struct translation *t, uint32_t at, bool *skip)
{
    const struct ck_thread *thread = current_thread(t);
    const struct ck_instr *access = &thread->instrs[at], *next = access + 1;
    bool plain = at + 1 < thread->instr_count && next->op == CK_ASSIGN &&
                 t->program->exprs[next->value].op == CK_REG &&
                 t->program->exprs[next->value].imm == access->reg;
    *skip = plain && !thread->reg_names[access->reg] && count_mentions(t, access->reg) == 2 &&
            !is_target(thread, at + 1);
    return reg_name(t, *skip ? next->reg : access->reg);
}

static void translate_rmw(struct translation *t, const struct ck_instr *i, const struct text *reg)
{
    static const char *const names[] = {
        [CK_RMW_XCHG] = ".exch", [CK_RMW_ADD] = ".add",   [CK_RMW_SUB] = ".sub",   [CK_RMW_AND] = ".and",
        [CK_RMW_OR] = ".or",     [CK_RMW_XOR] = ".xor",   [CK_RMW_SMIN] = ".smin", [CK_RMW_SMAX] = ".smax",
        [CK_RMW_UMIN] = ".umin", [CK_RMW_UMAX] = ".umax", [CK_RMW_APPLY] = NULL};
    char mnemonic[160] = "", place[128] = "";
    if (i->op == CK_CAS || !names[i->rmw]) {
        reject_translation(t, "a function that Vulkan tests do not have");
        return;
    }
    access_text(t, "rmw", i, names[i->rmw], mnemonic, place);
    struct text value = operand_of(t, i->value);
    print_row(t, "%s %s, %s, %s", mnemonic, reg->at, place, value.at);
}

static void translate_cas(struct translation *t, const struct ck_instr *i, const struct text *reg)
{
    char mnemonic[160] = "", place[128] = "";
    uint8_t weaker = order_of(t, i, i->order) == MM_ACQ_REL   ? MM_ACQUIRE
                     : order_of(t, i, i->order) == MM_RELEASE ? MM_RELAXED
                                                              : order_of(t, i, i->order);
    if (i->order_fail != MM_SEQ_CST && i->order_fail != weaker)
        reject_translation(t, "a failing compare-exchange with a separate order");
    access_text(t, "rmw", i, ".cas", mnemonic, place);
    struct text expected = operand_of(t, i->expected), value = operand_of(t, i->value);
    print_row(t, "%s %s, %s, %s, %s", mnemonic, reg->at, place, expected.at, value.at);
    if (i->reg2 == CK_NO_REG || count_mentions(t, i->reg2) == 1)
        return;
    uint32_t label = t->labels++;
    struct text same = reg_name(t, i->reg2);
    print_row(t, "mov %s, 0", same.at);
    print_row(t, "bne %s, %s, END%u", reg->at, expected.at, label);
    print_row(t, "mov %s, 1", same.at);
    print_row(t, "END%u:", label);
}

/* Returns whether the next instruction is part of it. */
static bool translate_access(struct translation *t, uint32_t at)
{
    const struct ck_instr *i = &current_thread(t)->instrs[at];
    char mnemonic[160] = "", place[128] = "";
    bool skip = false;
    struct text reg = {"unused"};
    if (i->op == CK_STORE) {
        access_text(t, "st", i, "", mnemonic, place);
        struct text value = operand_of(t, i->value);
        print_row(t, "%s %s, %s", mnemonic, place, value.at);
        return false;
    }
    if (i->reg != CK_NO_REG)
        reg = loaded_reg(t, at, &skip);
    if (i->op == CK_LOAD) {
        access_text(t, "ld", i, "", mnemonic, place);
        print_row(t, "%s %s, %s", mnemonic, reg.at, place);
    } else if (i->op == CK_CAS) {
        translate_cas(t, i, &reg);
    } else {
        translate_rmw(t, i, &reg);
    }
    return skip;
}

/* ---- fences and barriers ----------------------------------------------------------------------------- */

static unsigned classes_of(const struct ck_instr *i)
{
    return (i->fence_flags & MM_FENCE_GLOBAL ? 1u : 0) | (i->fence_flags & MM_FENCE_LOCAL ? 2u : 0);
}

static void translate_fence(struct translation *t, const struct ck_instr *i)
{
    char semantics[64];
    uint8_t order = order_of(t, i, i->order);
    if (i->fence_flags & MM_FENCE_IMAGE)
        reject_translation(t, "images");
    if (order == MM_RELAXED || !classes_of(i) || i->scope == MM_SCOPE_WORK_ITEM)
        return; /* orders nothing between threads */
    semantics_tags(order, classes_of(i), semantics);
    print_row(t, "membar%s%s%s", order_tag(order), scope_tag(t, i->scope), semantics);
}

/* Threads of a work-group (sub-group) meet at the barrier with the number of its place.  A barrier of Vulkan
 * tests has one scope, for execution and for memory: where they are different, barriers of memory before and
 * after it order. */
static void translate_barrier(struct translation *t, const struct ck_instr *i)
{
    const struct ck_thread *thread = current_thread(t);
    char semantics[64];
    uint32_t group = thread->work_group + 1;
    if (i->sub_group)
        group = 100 * group + thread->sub_group + 1;
    if (i->fence_flags & MM_FENCE_IMAGE)
        reject_translation(t, "images");
    uint32_t instance = 1000 * group + i->site;
    bool orders = classes_of(i) && i->scope != MM_SCOPE_WORK_ITEM;
    bool apart = (i->scope == MM_SCOPE_SUB_GROUP) != i->sub_group;
    semantics_tags(MM_ACQ_REL, classes_of(i), semantics);
    if (orders && !apart) {
        print_row(t, "cbar.acq_rel%s%s %u", scope_tag(t, i->scope), semantics, instance);
        return;
    }
    if (orders)
        print_row(t, "membar.acq_rel%s%s", scope_tag(t, i->scope), semantics);
    print_row(t, "cbar%s %u", i->sub_group ? ".sg" : ".wg", instance);
    if (orders)
        print_row(t, "membar.acq_rel%s%s", scope_tag(t, i->scope), semantics);
}

/* ---- threads ----------------------------------------------------------------------------------------- */

/* Returns whether the next instruction is part of it. */
static bool translate_instr(struct translation *t, uint32_t at)
{
    const struct ck_instr *i = &current_thread(t)->instrs[at];
    char label[32];
    struct text value;
    switch (i->op) {
    case CK_LOAD:
    case CK_STORE:
    case CK_RMW:
    case CK_CAS:
        return translate_access(t, at);
    case CK_ASSIGN:
        value = operand_of(t, i->value);
        print_row(t, "mov %s, %s", reg_name(t, i->reg).at, value.at);
        return false;
    case CK_FENCE:
        translate_fence(t, i);
        return false;
    case CK_BARRIER:
        translate_barrier(t, i);
        return false;
    case CK_JUMP:
        print_row(t, "goto L%u", i->target);
        return false;
    case CK_BRANCH:
        snprintf(label, sizeof label, "L%u", i->target);
        branch_unless(t, i->value, label);
        return false;
    case CK_END:
        return false;
    default:
        reject_translation(t, "host threads or commands");
        return false;
    }
}

static void translate_thread(struct translation *t)
{
    const struct ck_thread *thread = current_thread(t);
    if (thread->host)
        reject_translation(t, "host threads or commands");
    if (thread->device != t->program->threads[0].device || thread->kernel != t->program->threads[0].kernel)
        reject_translation(t, "two devices or several kernels");
    for (uint32_t r = 0; r < thread->reg_count; r++)
        if (thread->reg_names[r] && thread->reg_sizes[r] != 4)
            reject_translation(t, "registers of other than four bytes");
    for (uint32_t i = 0; i < thread->instr_count && !t->reason && !t->failed; i++) {
        if (is_target(thread, i))
            print_row(t, "L%u:", i);
        if (translate_instr(t, i))
            i++;
    }
}

/* ---- the test ---------------------------------------------------------------------------------------- */

static void print_locations(const struct ck_program *p, FILE *out)
{
    fputs("\n{\n", out);
    for (uint32_t i = 0; i < p->object_count; i++) {
        const struct ck_object *o = &p->objects[i];
        uint32_t count = lt_elements(o);
        if (count == 1) {
            fprintf(out, "%s = %s;\n", o->name, constant_text(o->initial[0]).at);
            continue;
        }
        fprintf(out, "%s[%u] = {", o->name, count);
        for (uint32_t n = 0; n < count; n++)
            fprintf(out, "%s%s", n ? ", " : "", constant_text(o->initial[n]).at);
        fputs("};\n", out);
    }
    fputs("}\n", out);
}

/* Threads that the test does not place in sub-groups are in one each. */
static uint32_t sub_group_of(const struct lt_test *test, const struct ck_program *p, uint32_t thread)
{
    uint32_t index = 0, before = 0;
    for (const struct lt_thread *t = test->threads; t; t = t->next, index++)
        if (index == thread && t->has_sub_group)
            return p->threads[thread].sub_group;
    for (uint32_t t = 0; t < thread; t++)
        before += p->threads[t].work_group == p->threads[thread].work_group;
    return before;
}

static void print_columns(const struct translation *t, const struct lt_test *test, FILE *out)
{
    const struct ck_program *p = t->program;
    uint32_t rows = 0;
    for (uint32_t n = 0; n < p->thread_count; n++) {
        uint32_t group = p->threads[n].work_group;
        fprintf(out, "%s%s@sg %u, wg %u, qf %u", n ? " | " : " ", p->threads[n].name,
                sub_group_of(test, p, n), group, t->mapping == LT_MAPPING_FAMILIES ? group % 2 : 0);
        rows = t->counts[n] > rows ? t->counts[n] : rows;
    }
    fputs(" ;\n", out);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t n = 0; n < p->thread_count; n++)
            fprintf(out, "%s%s", n ? " | " : " ", r < t->counts[n] ? t->rows[n][r] : "");
        fputs(" ;\n", out);
    }
}

static void translate_program(struct translation *t, const struct lt_test *test)
{
    const struct ck_program *p = t->program;
    if (p->thread_count > LT_MAX_THREADS)
        reject_translation(t, "more than 64 threads");
    for (uint32_t o = 0; o < p->object_count; o++)
        if (p->objects[o].region == MM_IMAGE)
            reject_translation(t, "images");
    if (p->edge_count)
        reject_translation(t, "unsequenced accesses or commands");
    for (uint32_t o = 0; o < p->object_count; o++)
        if (p->objects[o].element_size != 4)
            reject_translation(t, "locations of other than four bytes");
    if (test->calls)
        reject_translation(t, "host threads or commands");
    for (; t->thread < p->thread_count && !t->reason; t->thread++)
        translate_thread(t);
}

static const char *const mappings[] = {
    [LT_MAPPING_PLAIN] = "plain", [LT_MAPPING_CLSPV] = "clspv", [LT_MAPPING_FAMILIES] = "families"};

const char *lt_mapping_name(enum lt_mapping mapping)
{
    return mappings[mapping];
}

bool lt_find_mapping(const char *name, enum lt_mapping *mapping)
{
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++)
        if (strcmp(mappings[i], name) == 0) {
            *mapping = (enum lt_mapping)i;
            return true;
        }
    return false;
}

enum mm_class lt_translate(const struct lt_test *test, enum lt_mapping mapping, FILE *out,
                           const char **reason, struct mm_error *err)
{
    struct ck_program *program = NULL;
    enum mm_class cls = lt_lower(test, &program, err);
    *reason = NULL;
    if (cls != MM_OK)
        return cls;
    struct translation *t = calloc(1, sizeof *t);
    if (!t) {
        ck_program_destroy(program);
        return mm_out_of_memory(err);
    }
    *t = (struct translation){.program = program, .mapping = mapping, .arena = program->arena};
    translate_program(t, test);
    if (t->failed)
        cls = mm_out_of_memory(err);
    *reason = t->reason;
    if (cls == MM_OK && !t->reason) {
        fprintf(out, "VULKAN %s\n\n\"OpenCL test %s\"\n", test->name, test->name);
        print_locations(program, out);
        print_columns(t, test, out);
        lt_print_final(test, out);
    }
    free(t);
    ck_program_destroy(program);
    return cls;
}
