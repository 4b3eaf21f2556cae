/* OpExtInst: the OpenCL.std instruction set over the scalar functions of interp/ext. [OpenCL.std 100] */
#include "interp/ext/convert.h"
#include "interp/ext/ext.h"
#include "interp/ext/ext_printf.h"
#include "interp/lower/lower.h"
#include "interp/weak/weak.h"
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

static struct in_fat *fat_pointer(const struct in_item *item, int32_t slot)
{
    return (struct in_fat *)(void *)(item->frame + slot);
}

static bool is_weak(const struct in_run *run, const struct in_fat *p)
{
    return run->weak && p->object->region != MM_PRIVATE;
}

static void record_builtin_access(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                  struct in_range range, enum mm_kind kind, const void *value)
{
    if (!run->full || range.object->region == MM_PRIVATE)
        return;
    run->switch_budget--;
    if (!run->launch.recorder)
        return;
    in_record_access(run, item, pc, &range, kind, value, 0);
    if (run->weak)
        in_weak_recorded(run);
}

static void begin_write(struct in_run *run, struct in_item *item, const struct in_fat *p, uint64_t address,
                        uint64_t size)
{
    if (is_weak(run, p))
        in_weak_write_begin(run, item, p->object, address, size);
}

static void end_write(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_fat *p, uint64_t address, uint64_t size)
{
    if (is_weak(run, p))
        in_weak_write_end(run, item, p->object, address, size);
    record_builtin_access(run, item, pc, (struct in_range){p->object, address, size}, MM_WRITE,
                          (const void *)(uintptr_t)address);
}

/* Element K of an operand; a scalar is used for every element. */
static const uint8_t *operand_element(const struct in_item *item, const struct in_call *c, uint32_t operand,
                                      uint32_t k)
{
    if (operand >= c->operand_count)
        return NULL;
    const struct in_ty *ty = c->types[operand];
    const uint8_t *base = item->frame + c->operand[operand];
    return ty->kind == IN_TY_VECTOR ? base + k * ty->element->size : base;
}

static bool run_elementwise(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                            const struct in_call *c)
{
    in_ext_kernel kernel;
    memcpy(&kernel, &c->more, sizeof kernel);
    (void)run;
    (void)pc;
    uint32_t n = in_count(c->ty), size = (uint32_t)in_scalar(c->ty)->size;
    uint8_t *to = item->frame + c->result;
    for (uint32_t k = 0; k < n; k++)
        kernel(to + k * size, NULL, operand_element(item, c, 0, k), operand_element(item, c, 1, k),
               operand_element(item, c, 2, k));
    return true;
}

/* The same for scalars.  Unused operands have slot 0. */
static bool run_scalar(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    in_ext_kernel kernel;
    memcpy(&kernel, &c->more, sizeof kernel);
    (void)run;
    (void)pc;
    uint8_t *f = item->frame;
    kernel(f + c->result, NULL, f + c->operand[0], f + c->operand[1], f + c->operand[2]);
    return true;
}

void in_ext_direct_call(struct in_insn *insn)
{
    const struct in_call *c = insn->p;
    if (insn->op != IN_EXT || c->fn != run_scalar)
        return;
    *insn = (struct in_insn){
        .op = IN_EXT_DIRECT, .d = c->result, .a = c->operand[0], .b = c->operand[1], .c = c->operand[2]};
    memcpy(&insn->scalar, &c->more, sizeof insn->scalar);
}

/* The last operand is a pointer that receives a second result. */
static bool run_second(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    in_ext_kernel kernel;
    memcpy(&kernel, &c->more, sizeof kernel);
    uint32_t n = in_count(c->ty), size = (uint32_t)in_scalar(c->ty)->size, values = c->operand_count - 1;
    const struct in_ty *pointee = c->types[values]->element;
    struct in_fat *p = fat_pointer(item, c->operand[values]);
    uint8_t *to = item->frame + c->result;
    uint8_t *m =
        in_touch(run, item, pc, p,
                 (struct in_reference){p->address, pointee->access, (uint32_t)pointee->align - 1, true});
    if (!m)
        return !run->outcome.stopped;
    uint32_t each = (uint32_t)in_scalar(pointee)->size;
    begin_write(run, item, p, p->address, pointee->access);
    for (uint32_t k = 0; k < n; k++)
        kernel(to + k * size, m + k * each, operand_element(item, c, 0, k),
               values > 1 ? operand_element(item, c, 1, k) : NULL,
               values > 2 ? operand_element(item, c, 2, k) : NULL);
    end_write(run, item, pc, p, p->address, pointee->access);
    return true;
}

static bool run_geometric(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                          const struct in_call *c)
{
    in_ext_geometric function;
    memcpy(&function, &c->more, sizeof function);
    (void)run;
    (void)pc;
    function(item->frame + c->result, item->frame + c->operand[0],
             c->operand_count > 1 ? item->frame + c->operand[1] : NULL, in_count(c->types[0]));
    return true;
}

static bool run_shuffle(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_call *c)
{
    uint8_t result[128];
    (void)run;
    (void)pc;
    uint32_t last = c->operand_count - 1, size = (uint32_t)in_scalar(c->types[0])->size;
    const struct in_ext_mask mask = {item->frame + c->operand[last], in_count(c->ty),
                                     (uint32_t)in_scalar(c->types[last])->size};
    in_ext_shuffle(result, item->frame + c->operand[0], last > 1 ? item->frame + c->operand[1] : NULL,
                   in_count(c->types[0]), size, &mask);
    memcpy(item->frame + c->result, result, size * in_count(c->ty));
    return true;
}

static uint64_t offset_of(const struct in_item *item, const struct in_call *c, uint32_t operand)
{
    uint64_t v = 0;
    memcpy(&v, item->frame + c->operand[operand], c->types[operand]->size);
    return v;
}

/* The size of one element in memory, the alignment mask, and the address of the vector. */
static uint64_t vector_place(const struct in_ext_fn *fn, const struct in_ty *ty, uint64_t offset,
                             uint64_t *each, uint32_t *mask)
{
    uint32_t n = in_count(ty);
    *each = fn->flags & IN_EXT_HALF ? 2 : in_scalar(ty)->size;
    uint32_t stride = in_ext_vector_stride(fn, n);
    *mask = (uint32_t)(*each * (fn->flags & IN_EXT_ALIGNED ? stride : 1)) - 1;
    return offset * stride * *each;
}

static bool run_vload(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                      const struct in_call *c)
{
    const struct in_ext_fn *fn = c->info;
    uint64_t each;
    uint32_t mask, n = in_count(c->ty), size = (uint32_t)in_scalar(c->ty)->size;
    struct in_fat *p = fat_pointer(item, c->operand[1]);
    uint64_t at = p->address + vector_place(fn, c->ty, offset_of(item, c, 0), &each, &mask);
    uint8_t *to = item->frame + c->result;
    const uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){at, each * n, mask, false});
    if (!m) {
        memset(to, 0, size * n);
        return !run->outcome.stopped;
    }
    if (is_weak(run, p))
        m = in_weak_read(run, item, p->object, at, each * n);
    in_convert_fn convert = in_convert_find(IN_F16, size == 8 ? IN_F64 : IN_F32, IN_RTE, false);
    for (uint32_t k = 0; k < n && (fn->flags & IN_EXT_HALF); k++)
        if (size == 2)
            memcpy(to + 2 * k, m + 2 * k, 2);
        else
            convert(m + 2 * k, to + size * k);
    if (!(fn->flags & IN_EXT_HALF))
        memcpy(to, m, each * n);
    record_builtin_access(run, item, pc, (struct in_range){p->object, at, each * n}, MM_READ, m);
    return true;
}

static bool run_vstore(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                       const struct in_call *c)
{
    const struct in_ext_fn *fn = c->info;
    const struct in_ty *ty = c->types[0];
    uint64_t each;
    uint32_t mask, n = in_count(ty), size = (uint32_t)in_scalar(ty)->size;
    struct in_fat *p = fat_pointer(item, c->operand[2]);
    uint64_t at = p->address + vector_place(fn, ty, offset_of(item, c, 1), &each, &mask);
    const uint8_t *from = item->frame + c->operand[0];
    uint8_t *m = in_touch(run, item, pc, p, (struct in_reference){at, each * n, mask, true});
    if (!m)
        return !run->outcome.stopped;
    begin_write(run, item, p, at, each * n);
    enum in_rounding rounding = fn->flags & IN_EXT_ROUNDED ? (enum in_rounding)c->literal : IN_RTE;
    in_convert_fn convert = in_convert_find(size == 8   ? IN_F64
                                            : size == 4 ? IN_F32
                                                        : IN_F16,
                                            IN_F16, rounding, false);
    for (uint32_t k = 0; k < n && (fn->flags & IN_EXT_HALF) && convert; k++)
        convert(from + size * k, m + 2 * k);
    if (!(fn->flags & IN_EXT_HALF))
        memcpy(m, from, each * n);
    end_write(run, item, pc, p, at, each * n);
    return true;
}

/* ---- printf ------------------------------------------------------------------------------ */

struct strings {
    struct in_run *run;
    struct in_item *item;
};

static const char *read_string(void *context, uint64_t address, size_t *length)
{
    struct strings *s = context;
    const struct in_object *o = address >= 4096 ? in_find(s->run, s->item, address) : NULL;
    if (!o || o->write_only)
        return NULL;
    const char *text = (const char *)(uintptr_t)address;
    *length = strnlen(text, o->size - (address - o->address));
    return *length < o->size - (address - o->address) ? text : NULL;
}

static uint32_t print_formatted(struct in_run *run, const struct in_printf *call, const char **problem)
{
    const struct in_environment *e = &run->instance->environment_copy;
    size_t size = in_printf_format(call, NULL, 0, problem);
    char *text = mm_alloc(size + 1);
    if (!text)
        return UINT32_MAX;
    in_printf_format(call, text, size, problem);
    if (e->print && size > 0)
        e->print(e->context, text, size);
    mm_free(text);
    return *problem ? UINT32_MAX : 0;
}

bool in_printf_call(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                    const struct in_call *c)
{
    struct in_printf_value few[16], *values = few;
    struct strings strings = {run, item};
    const char *problem = NULL;
    struct in_printf call = {.count = c->operand_count - 1, .string = read_string, .context = &strings};
    if (call.count > sizeof few / sizeof *few && !(values = mm_alloc(call.count * sizeof *values)))
        call.count = 0;
    call.values = values;
    for (uint32_t k = 1; k <= call.count; k++) {
        const struct in_ty *ty = c->types[k], *s = in_scalar(ty);
        values[k - 1] = (struct in_printf_value){.data = item->frame + c->operand[k],
                                                 .element_size = (uint32_t)s->size,
                                                 .count = in_count(ty),
                                                 .is_float = s->kind == IN_TY_FLOAT};
    }
    call.format = read_string(&strings, fat_pointer(item, c->operand[0])->address, &call.length);
    uint32_t result = UINT32_MAX;
    if (!call.format)
        problem = "the format is not a string";
    else if (values)
        result = print_formatted(run, &call, &problem);
    if (values != few)
        mm_free(values);
    if (problem && run->launch.checks)
        in_raise(run, item, pc, "printf-format", "CLC 6.15.14", "printf: %s", problem);
    memcpy(item->frame + c->result, &result, sizeof result);
    return !run->outcome.stopped;
}

static bool run_nothing(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                        const struct in_call *c)
{
    (void)run;
    (void)item;
    (void)pc;
    (void)c;
    return true;
}

/* ---- lowering ---------------------------------------------------------------------------- */

/* The C function for a call and, in MORE, the kernel for its types; false if the instruction does not exist
 * for them. */
static bool choose_function(struct in_call *c, const struct in_ext_fn *fn)
{
    const struct in_ty *by = strcmp(fn->name, "nan") == 0 || c->operand_count == 0 ? c->ty : c->types[0];
    const struct in_ty *s = in_scalar(by);
    bool number = s->kind == IN_TY_INT || s->kind == IN_TY_FLOAT;
    switch (fn->shape) {
    case IN_EXT_ELEMENTWISE: {
        const in_ext_kernel *table = by->kind == IN_TY_VECTOR ? fn->kernel : fn->scalar_kernel;
        if (!number || !table || !table[in_ext_type_of(s->kind == IN_TY_FLOAT, s->width)])
            return false;
        memcpy(&c->more, &table[in_ext_type_of(s->kind == IN_TY_FLOAT, s->width)], sizeof c->more);
        c->fn = fn->pointee != IN_EXT_NONE    ? run_second
                : c->ty->kind == IN_TY_VECTOR ? run_elementwise
                                              : run_scalar;
        return fn->pointee == IN_EXT_NONE || c->types[c->operand_count - 1]->element;
    }
    case IN_EXT_GEOMETRIC:
        if (s->kind != IN_TY_FLOAT || !fn->geometric[in_ext_type_of(s->kind == IN_TY_FLOAT, s->width)])
            return false;
        memcpy(&c->more, &fn->geometric[in_ext_type_of(s->kind == IN_TY_FLOAT, s->width)], sizeof c->more);
        c->fn = run_geometric;
        return true;
    case IN_EXT_SHUFFLE:
        c->fn = run_shuffle;
        return true;
    case IN_EXT_VLOAD:
        c->fn = run_vload;
        return c->operand_count == 2;
    case IN_EXT_VSTORE:
        c->fn = run_vstore;
        return c->operand_count == 3;
    case IN_EXT_PRINTF:
        c->fn = in_printf_call;
        return true;
    case IN_EXT_PREFETCH:
        c->fn = run_nothing;
        return true;
    }
    return false;
}

enum mm_class in_lower_ext_inst(struct in_lower *l, const struct in_inst *i)
{
    const char *set = l->m->ids[i->operands[0]].string;
    uint32_t number = i->operands[1];
    bool shader = strcmp(set, "GLSL.std.450") == 0;
    if (strncmp(set, "OpenCL.std", 10) != 0 && !shader) {
        /* Debug and non-semantic sets say nothing about execution. */
        bool harmless = strncmp(set, "OpenCL.DebugInfo", 16) == 0 || strncmp(set, "NonSemantic.", 12) == 0 ||
                        strncmp(set, "SPIRV.debug", 11) == 0 || strncmp(set, "DebugInfo", 9) == 0;
        return harmless ? MM_OK
                        : in_bad(l->m, i->word, l->err, "SPIRV 3.49.5", "extended instruction set %s", set);
    }
    const struct in_ext_fn *fn = shader ? in_ext_find_shader(number) : in_ext_find(number);
    struct in_call *c = in_make_call(l, i);
    if (!fn)
        return in_bad(l->m, i->word, l->err, shader ? "GLSL.std.450" : "OpenCL.std",
                      "no instruction %u of %s", number, set);
    if (!c)
        return l->result;
    l->place.opcode = fn->name;
    for (uint32_t k = 2; k < i->operand_count; k++) {
        if (!l->m->is_id[i->word + (uint32_t)(i->operands - i->w) + k]) {
            c->literal = i->operands[k];
            continue;
        }
        c->types[c->operand_count] = in_ty_of(l, i->operands[k]);
        c->operand[c->operand_count++] = in_slot(l, i->operands[k]);
    }
    c->info = fn;
    if (!choose_function(c, fn))
        return in_bad(l->m, i->word, l->err, "OpenCL.std", "%s does not exist for these types", fn->name);
    c->result = in_dest(l, i);
    in_emit(l, IN_EXT, 0, 0, 0, 0)->p = c;
    return l->result;
}
