/* Compiled kernels on disk.  An entry's key is all that compiling depends on: this library, the processor,
 * the module with its specialization constants, the kernel, and how it is compiled. */
#include "interp/jit/run/object_cache.h"
#include "interp/cache.h"
#include "interp/fault.h"
#include "memmodel/base/identity.h"
#include "memmodel/base/privilege.h"
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 8 };
struct key {
    struct in_cache_part parts[PARTS];
    char library[2 * MM_IDENTITY + 8];
    char *cpu, *features;
    uint8_t *constants;
    uint8_t edge;
};

static const char identity;

/* Which builds of this library and of LLVM. */
static bool identify_builds(char *text, size_t size)
{
    char path[4096], own[MM_IDENTITY], llvm[MM_IDENTITY];
    if (!mm_identity_of_loaded(&identity, path, sizeof path, own) ||
        !mm_identity_of_loaded((const void *)(uintptr_t)&LLVMContextCreate, path, sizeof path, llvm))
        return false;
    snprintf(text, size, "jit %s %s", own, llvm);
    return true;
}

/* The values of specialization constants as they are in MODULE. */
static uint8_t *constant_values(const struct in_module *m, size_t *size)
{
    uint8_t *values = mm_alloc(8 * (size_t)m->spec_count + 8);
    *size = 0;
    for (uint32_t id = 0; id < m->bound && values; id++) {
        const struct in_id *entry = &m->ids[id];
        if (entry->kind != IN_ID_CONSTANT || entry->spec_id == IN_UNDECORATED || entry->ty->size > 8 ||
            *size + 8 > 8 * (size_t)m->spec_count)
            continue;
        memset(values + *size, 0, 8);
        memcpy(values + *size, entry->bytes, entry->ty->size);
        *size += 8;
    }
    return values;
}

static void drop_key(struct key *key)
{
    LLVMDisposeMessage(key->cpu);
    LLVMDisposeMessage(key->features);
    mm_free(key->constants);
}

/* False: the code is not cached, because a fault is injected, REFCL_JIT_DUMP is to print its compilation, or
 * the version of the compiler is unknown. */
static bool make_key(struct key *key, const struct in_jit_kernel *k, const struct in_module *m,
                     const struct in_kernel *kernel, LLVMTargetMachineRef machine)
{
    size_t size;
    if (in_fault_now != IN_NO_FAULT || mm_getenv("REFCL_JIT_DUMP") ||
        !identify_builds(key->library, sizeof key->library))
        return false;
    key->cpu = LLVMGetTargetMachineCPU(machine);
    key->features = LLVMGetTargetMachineFeatureString(machine);
    key->constants = constant_values(m, &size);
    key->edge = k->edge;
    const struct in_cache_part parts[PARTS] = {{key->library, strlen(key->library)},
                                               {key->cpu, strlen(key->cpu)},
                                               {key->features, strlen(key->features)},
                                               {m->words, m->word_count * sizeof *m->words},
                                               {key->constants, size},
                                               {kernel->info.name, strlen(kernel->info.name)},
                                               {&k->options, sizeof k->options},
                                               {&key->edge, 1}};
    memcpy(key->parts, parts, sizeof parts);
    if (key->constants)
        return true;
    drop_key(key);
    return false;
}

LLVMMemoryBufferRef in_object_cache_get(struct in_jit_kernel *k, const struct in_module *module,
                                        const struct in_kernel *kernel, LLVMTargetMachineRef machine)
{
    struct key key;
    void *data;
    size_t size;
    LLVMMemoryBufferRef object = NULL;
    if (!make_key(&key, k, module, kernel, machine))
        return NULL;
    if (in_cache_get(key.parts, PARTS, &data, &size)) {
        if (size > sizeof k->shape) {
            memcpy(&k->shape, data, sizeof k->shape);
            object = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)data + sizeof k->shape,
                                                               size - sizeof k->shape, "kept");
        }
        mm_free(data);
    }
    drop_key(&key);
    return object;
}

void in_object_cache_put(const struct in_jit_kernel *k, const struct in_module *module,
                         const struct in_kernel *kernel, LLVMTargetMachineRef machine,
                         LLVMMemoryBufferRef object)
{
    struct key key;
    size_t size = LLVMGetBufferSize(object);
    if (!make_key(&key, k, module, kernel, machine))
        return;
    uint8_t *data = mm_alloc(sizeof k->shape + size);
    if (data) {
        memcpy(data, &k->shape, sizeof k->shape);
        memcpy(data + sizeof k->shape, LLVMGetBufferStart(object), size);
        in_cache_put(key.parts, PARTS, data, sizeof k->shape + size);
    }
    mm_free(data);
    drop_key(&key);
}
