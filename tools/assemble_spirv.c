/* SPIR-V text to a module. */
#include "tools/assemble_spirv.h"

#include <spirv-tools/libspirv.h>
#include <string.h>

static enum mm_class take_words(const struct spv_binary_t *binary, void **words, size_t *size,
                                struct mm_error *err)
{
    *size = binary->wordCount * sizeof(uint32_t);
    *words = mm_alloc(*size);
    if (!*words)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    memcpy(*words, binary->code, *size);
    return MM_OK;
}

static enum mm_class assemble_text(spv_target_env environment, const char *file, const char *source,
                                   void **words, size_t *size, struct mm_error *err)
{
    spv_context context = spvContextCreate(environment);
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    bool vulkan = environment == SPV_ENV_VULKAN_1_1;
    const char *rule = "SPIRV 2.2";
    *words = NULL;
    bool good = spvTextToBinary(context, source, strlen(source), &binary, &diagnostic) == SPV_SUCCESS;
    if (good && vulkan) {
        spv_const_binary_t module = {binary->code, binary->wordCount};
        spvDiagnosticDestroy(diagnostic);
        diagnostic = NULL;
        rule = "SPIRV 2.16";
        good = spvValidate(context, &module, &diagnostic) == SPV_SUCCESS;
    }
    unsigned line = diagnostic ? (unsigned)diagnostic->position.line + 1 : 0;
    unsigned column = diagnostic ? (unsigned)diagnostic->position.column + 1 : 0;
    const char *text = diagnostic ? diagnostic->error : "no SPIR-V text";
    enum mm_class cls = good     ? take_words(binary, words, size, err)
                        : vulkan ? mm_fail_at(err, MM_BUG, rule, file, 0, 0,
                                              "the module for Vulkan is not valid: line %u: %s", line, text)
                                 : mm_fail_at(err, MM_INVALID, rule, file, line, column, "%s", text);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return cls;
}

enum mm_class tool_assemble_vulkan(const char *file, const char *source, void **words, size_t *size,
                                   struct mm_error *err)
{
    return assemble_text(SPV_ENV_VULKAN_1_1, file, source, words, size, err);
}

enum mm_class tool_assemble(const char *file, const char *source, void **words, size_t *size,
                            struct mm_error *err)
{
    return assemble_text(SPV_ENV_UNIVERSAL_1_3, file, source, words, size, err);
}
