/* Linking SPIR-V modules with spvtools::Linker, and validating the result [SPIRV 2.8, CL 5.8.5]. */
#include "ref-runtime/compiler/helper.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/linker.hpp>

#include <cstring>
#include <string>
#include <vector>

enum mm_class rt_spirv_link(const struct rt_binary *modules, size_t count, bool library, struct rt_text *log,
                            struct rt_binary *binary)
{
    spvtools::Context context(SPV_ENV_UNIVERSAL_1_5);
    auto consumer = [log](spv_message_level_t level, const char *, const spv_position_t &,
                          const char *message) {
        rt_text_add_string(log, level <= SPV_MSG_ERROR ? "error: " : "warning: ");
        rt_text_add_string(log, message);
        rt_text_add_string(log, "\n");
    };
    context.SetMessageConsumer(consumer);

    std::vector<std::vector<uint32_t>> binaries(count);
    for (size_t i = 0; i < count; i++) {
        binaries[i].resize(modules[i].size / 4);
        memcpy(binaries[i].data(), modules[i].data, binaries[i].size() * 4);
    }
    spvtools::LinkerOptions options;
    options.SetCreateLibrary(library);
    options.SetAllowPartialLinkage(library);
    std::vector<uint32_t> linked;
    if (spvtools::Link(context, binaries, &linked, options) != SPV_SUCCESS || linked.empty())
        return MM_INVALID;

    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_5);
    tools.SetMessageConsumer(consumer);
    if (!tools.Validate(linked))
        return MM_INVALID;
    binary->size = linked.size() * 4;
    binary->data = mm_alloc(binary->size);
    if (!binary->data)
        return MM_LIMIT;
    memcpy(binary->data, linked.data(), binary->size);
    return MM_OK;
}
