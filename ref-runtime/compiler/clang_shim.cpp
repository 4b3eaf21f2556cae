/* OpenCL C to SPIR-V in one process: clang to an LLVM module, the fix-ups, then the SPIR-V translator.
 * Optimization stays off because the translator writes invalid merges for optimized modules. */
#include "memmodel/base/privilege.h"
#include "ref-runtime/compiler/comparisons_shim.hpp"
#include "ref-runtime/compiler/dependencies_shim.hpp"
#include "ref-runtime/compiler/handles_shim.hpp"
#include "ref-runtime/compiler/helper.h"
#include "ref-runtime/compiler/initializers_shim.hpp"
#include "ref-runtime/compiler/layout_shim.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/BuryPointer.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <LLVMSPIRVLib/LLVMSPIRVLib.h>

#include <cstring>
#include <dlfcn.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace
{

/* Extensions and features that clang itself switches; all others are plain macros. */
const std::set<std::string> &clang_extensions()
{
    static const std::set<std::string> names = {
#define OPENCL_GENERIC_EXTENSION(name, ...) #name,
#include <clang/Basic/OpenCLExtensions.def>
    };
    return names;
}

/* Directory with clang's own headers. */
std::string resource_directory()
{
    if (const char *given = mm_getenv("REFCL_CLANG_RESOURCE_DIR"))
        return given;
    const std::string major = std::to_string(LLVM_VERSION_MAJOR);
    const std::string version = LLVM_VERSION_MAJOR >= 16 ? major : CLANG_VERSION_STRING;
    std::vector<std::string> candidates;
    Dl_info info;
    if (dladdr(reinterpret_cast<void *>(&clang::CompilerInvocation::CreateFromArgs), &info) &&
        info.dli_fname) {
        llvm::SmallString<256> real;
        if (!llvm::sys::fs::real_path(info.dli_fname, real))
            candidates.push_back((llvm::sys::path::parent_path(real) + "/clang/" + version).str());
    }
    candidates.push_back("/usr/lib/llvm-" + major + "/lib/clang/" + version);
    for (const std::string &c : candidates)
        if (llvm::sys::fs::exists(c + "/include/opencl-c-base.h"))
            return c;
    return candidates.back();
}

bool has_features(const std::string &standard)
{
    return standard == "CL3.0" || standard == "CLC++2021";
}

/* Clang itself reports what is no program [CLC 6.7.3 R1; CLC 6.7.6 R1; CLC 6.7.7 R1, R2; CLC 6.7.8 R1;
 * CLC 6.7.9 R1, R2; CLC 6.15.12.10 R2; CLC 6.15.14.2 R2] and has macros of versions and
 * options [CLC 6.12 R1-R3]; those of features and extensions follow what the device has
 * [CLC 6.2.1 R1-R4; CLC 6.12.1 R1; CLC 6.15.21 R2].
 * -cl-ext for extensions that clang supports, -D for the rest, so that exactly the device's macros are
 * defined. */
void add_extensions(const rt_job *job, std::vector<std::string> &args)
{
    const std::string standard = job->standard;
    std::string control = "-cl-ext=-all";
    std::istringstream extensions(std::string(job->extensions) + " " + job->features);
    for (std::string name; extensions >> name;) {
        const bool feature = name.compare(0, 9, "__opencl_") == 0;
        if (feature && !has_features(standard))
            continue;
        if (clang_extensions().count(name))
            control += ",+" + name;
        else if (name != "__opencl_c_int64")
            args.push_back("-D" + name + "=1");
    }
    control += ",+__cl_clang_function_pointers,-__cl_clang_function_pointers";
    args.push_back(control);
}

const std::string &resources()
{
    static const std::string folder = resource_directory();
    return folder;
}

/* Includes clang's header by its path: clang itself would look beside the source, in the current directory,
 * first. */
constexpr const char *base_header = "/refcl-base.h";
std::string base_header_text()
{
    return "#pragma GCC system_header\n#include \"" + resources() + "/include/opencl-c-base.h\"\n";
}

std::vector<std::string> arguments(const rt_job *job, bool extra)
{
    std::vector<std::string> args = {
        "-triple",
        "spir64-unknown-unknown",
        "-O0",
        "-disable-O0-optnone",
#if LLVM_VERSION_MAJOR < 17
        "-no-opaque-pointers",
#endif
        "-include",
        base_header,
        "-fdeclare-opencl-builtins",
        "-ffp-contract=off",
        "-fno-threadsafe-statics",
        "-debug-info-kind=line-tables-only",
        "-dwarf-version=4",
        "-fdebug-compilation-dir=",
        "-resource-dir",
        resources(),
        "-internal-isystem",
        resources() + "/include",
        "-cl-kernel-arg-info",
        "-U__SPIR__",
        "-DCLK_UNORM_INT_101010_2=0x10E0", /* the one image format that clang's header lacks */
        "-fmessage-length=0",
        "-main-file-name",
        job->file,
        std::string("-cl-std=") + job->standard,
    };
    if (std::string(job->standard).compare(0, 4, "CLC+") != 0)
        args.push_back("-fgnu89-inline");
    if (job->header_count)
        args.insert(args.end(), {"-I", RT_HEADER_ROOT});
    for (size_t i = 0; i < job->argument_count; i++)
        args.push_back(job->arguments[i]);
    add_extensions(job, args);
    if (!strstr(job->features, "__opencl_c_images"))
        args.push_back("-U__IMAGE_SUPPORT__");
    if (extra)
        args.insert(args.end(), {"-include", "/refcl-extra.h"});
    args.insert(args.end(), {"-x", "cl", job->file});
    return args;
}

/* The real files overlaid with the given headers: below a separate root, and beside the source, where
 * #include "name" looks first [CL 5.8.4]. */
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const rt_job *job, const char *extra,
                                                            Dependencies &dependencies)
{
    llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> overlay(
        new llvm::vfs::OverlayFileSystem(new RecordingFileSystem(dependencies)));
    llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory(new llvm::vfs::InMemoryFileSystem);
    llvm::SmallString<256> beside;
    if (auto cwd = overlay->getCurrentWorkingDirectory())
        beside = *cwd;
    llvm::sys::path::append(beside, llvm::sys::path::parent_path(job->file));
    for (size_t i = 0; i < job->header_count; i++) {
        const rt_compile_header &h = job->headers[i];
        llvm::SmallString<256> near = beside;
        llvm::sys::path::append(near, h.name);
        for (const std::string &path : {std::string(RT_HEADER_ROOT) + h.name, near.str().str()})
            memory->addFile(path, 0,
                            llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(h.text, h.size), path));
    }
    memory->addFile(base_header, 0, llvm::MemoryBuffer::getMemBufferCopy(base_header_text(), base_header));
    if (*extra)
        memory->addFile("/refcl-extra.h", 0, llvm::MemoryBuffer::getMemBufferCopy(extra, "/refcl-extra.h"));
    overlay->pushOverlay(memory);
    return overlay;
}

std::string sizes(const char *name, unsigned x, unsigned y, unsigned z)
{
    return std::string(name) + "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) +
           ")";
}

/* An attribute as CL_KERNEL_ATTRIBUTES returns it; "" for those that say nothing of a kernel [CL 5.9.4]. */
std::string attribute_text(const clang::Attr *attribute, const clang::PrintingPolicy &policy)
{
    if (const auto *a = llvm::dyn_cast<clang::ReqdWorkGroupSizeAttr>(attribute))
        return sizes("reqd_work_group_size", a->getXDim(), a->getYDim(), a->getZDim());
    if (const auto *a = llvm::dyn_cast<clang::WorkGroupSizeHintAttr>(attribute))
        return sizes("work_group_size_hint", a->getXDim(), a->getYDim(), a->getZDim());
    if (const auto *a = llvm::dyn_cast<clang::VecTypeHintAttr>(attribute))
        return "vec_type_hint(" + a->getTypeHint().getAsString(policy) + ")";
    if (const auto *a = llvm::dyn_cast<clang::OpenCLIntelReqdSubGroupSizeAttr>(attribute))
        return "intel_reqd_sub_group_size(" + std::to_string(a->getSubGroupSize()) + ")";
    return "";
}

/* Notes what the source says of its kernels, "kernel_attributes.NAME.TEXT", and what SPIR-V does not say of
 * variables and pointers, "variable_type.NAME.TEXT" and "variable_layout.NAME.TEXT", where NAME begins with
 * the function's unless the variable has program scope, and "argument_layout.KERNEL.NAME.TEXT". */
class SourceNotes : public clang::ASTConsumer
{
  public:
    SourceNotes(std::vector<std::string> &to, const clang::LangOptions &language)
        : notes(to), policy(language)
    {
    }
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override
    {
        for (const clang::Decl *declaration : group) {
            if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
                note_variable("", *variable);
            const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            if (!function || !function->hasAttr<clang::OpenCLKernelAttr>() ||
                !function->doesThisDeclarationHaveABody())
                continue;
            note_attributes(*function);
            const std::string prefix = function->getName().str() + ".";
            for (const clang::ParmVarDecl *parameter : function->parameters())
                note_variable(prefix, *parameter);
            note_variables(prefix, function->getBody());
        }
        return true;
    }

  private:
    void note_attributes(const clang::FunctionDecl &function)
    {
        std::string text;
        for (const clang::Attr *attribute : function.attrs()) {
            const std::string one = attribute_text(attribute, policy);
            text += (text.empty() || one.empty() ? "" : " ") + one;
        }
        notes.push_back("kernel_attributes." + function.getName().str() + "." + text);
    }
    void note_variables(const std::string &prefix, const clang::Stmt *statement)
    {
        if (const auto *declarations = llvm::dyn_cast_or_null<clang::DeclStmt>(statement))
            for (const clang::Decl *declaration : declarations->decls())
                if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration))
                    note_variable(prefix, *variable);
        if (statement)
            for (const clang::Stmt *child : statement->children())
                note_variables(prefix, child);
    }
    /* Private variables are no objects of which anything is reported. */
    void note_variable(const std::string &prefix, const clang::VarDecl &variable)
    {
        const bool parameter = llvm::isa<clang::ParmVarDecl>(variable) && variable.getType()->isPointerType();
        const bool local = variable.getType().getAddressSpace() == clang::LangAS::opencl_local;
        if (!variable.hasGlobalStorage() && !local && !parameter)
            return;
        const std::string scalar = rt_scalar_name(variable.getType(), variable.getASTContext());
        if (!scalar.empty())
            notes.push_back("variable_type." + prefix + variable.getName().str() + "." + scalar);
        const std::string layout = rt_layout(variable.getType(), variable.getASTContext());
        if (!layout.empty())
            notes.push_back((parameter ? "argument_layout." : "variable_layout.") + prefix +
                            variable.getName().str() + "." + layout);
    }

    std::vector<std::string> &notes;
    clang::PrintingPolicy policy;
};

/* The type of constants such as 1ULL, and of decimal ones above LONG_MAX, has 128 bits in clang, which SPIR-V
 * does not have: it becomes that of 1UL, as on other devices. */
void use_long_for_long_long(clang::CompilerInstance &compiler)
{
    compiler.getTarget().LongLongWidth = compiler.getTarget().LongLongAlign = 64;
    clang::ASTContext &types = compiler.getASTContext();
    types.LongLongTy = types.LongTy;
    types.UnsignedLongLongTy = types.UnsignedLongTy;
}

class NotingAction : public clang::EmitLLVMOnlyAction
{
  public:
    NotingAction(llvm::LLVMContext *context, std::vector<std::string> &to, Dependencies &files)
        : clang::EmitLLVMOnlyAction(context), notes(to), dependencies(files)
    {
    }

  protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                          llvm::StringRef file) override
    {
        std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
        use_long_for_long_long(compiler);
        compiler.getPreprocessor().addPPCallbacks(std::make_unique<TimeWatch>(dependencies));
        consumers.push_back(std::make_unique<SourceNotes>(notes, compiler.getLangOpts()));
        consumers.push_back(clang::EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
        return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
    }

  private:
    std::vector<std::string> &notes;
    Dependencies &dependencies;
};

std::unique_ptr<llvm::Module> run_clang(const rt_job *job, const char *extra, llvm::LLVMContext &context,
                                        std::string &log, std::vector<std::string> &notes,
                                        Dependencies &dependencies)
{
    std::vector<std::string> strings = arguments(job, *extra != 0);
    std::vector<const char *> args;
    for (const std::string &s : strings)
        args.push_back(s.c_str());

    llvm::raw_string_ostream stream(log);
    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
    auto *printer = new clang::TextDiagnosticPrinter(stream, options.get());
    llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
    llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> early(
        new clang::DiagnosticsEngine(ids, options, printer, true));

    clang::CompilerInstance compiler;
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, args, *early))
        return nullptr;
    invocation->getDiagnosticOpts().ShowCarets = true;
    invocation->getPreprocessorOpts().addRemappedFile(
        job->file,
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(job->source, job->source_size), job->file)
            .release());
    invocation->getFrontendOpts().DisableFree = true;
#if LLVM_VERSION_MAJOR >= 17
    /* clang's comparisons of handles are invalid there, and rt_fix_handles() replaces them. */
    invocation->getCodeGenOpts().VerifyModule = false;
#endif
    compiler.setInvocation(invocation);
    compiler.createDiagnostics(new clang::TextDiagnosticPrinter(stream, &invocation->getDiagnosticOpts()),
                               true);
    compiler.setFileManager(
        new clang::FileManager(compiler.getFileSystemOpts(), file_system(job, extra, dependencies)));
    compiler.createSourceManager(compiler.getFileManager());
    compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());

    NotingAction action(&context, notes, dependencies);
    const bool ok = compiler.ExecuteAction(action);
    stream.flush();
    return ok ? action.takeModule() : nullptr;
}

/* The translator verifies the module after each pass, which takes a fifth of a compilation, and ignores what
 * it finds. */
void skip_verification()
{
    llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("spirv-verify-regularize-passes");
    if (option && option->getNumOccurrences() == 0)
        option->addOccurrence(0, option->ArgStr, "false");
}

SPIRV::TranslatorOpts translator_options()
{
    SPIRV::TranslatorOpts options(SPIRV::VersionNumber::SPIRV_1_3);
    SPIRV::TranslatorOpts::ExtensionsStatusMap map;
#define EXT(name) map[SPIRV::ExtensionID::name] = true;
#include <LLVMSPIRVLib/LLVMSPIRVExtensions.inc>
#undef EXT
    map[SPIRV::ExtensionID::SPV_INTEL_fp_fast_math_mode] = false;
    map[SPIRV::ExtensionID::SPV_INTEL_memory_access_aliasing] = false; /* spirv-val rejects it */
    SPIRV::TranslatorOpts result(SPIRV::VersionNumber::SPIRV_1_3, map);
    result.setFPContractMode(SPIRV::FPContractMode::Off);
    result.setPreserveOCLKernelArgTypeMetadataThroughString(true);
    return result;
}

/* CALL, of a function of a dimension, is VALUE where that is past the last one. */
void guard_dimension(llvm::CallInst *call, uint64_t value)
{
    llvm::Value *index = call->getArgOperand(0);
    llvm::Constant *far = llvm::ConstantInt::get(call->getType(), value);
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
        if (constant->getZExtValue() > 2) {
            call->replaceAllUsesWith(far);
            call->eraseFromParent();
        }
        return;
    }
    llvm::Constant *zero = llvm::ConstantInt::get(index->getType(), 0);
    llvm::IRBuilder<> builder(call);
    llvm::Value *near = builder.CreateICmpULT(index, llvm::ConstantInt::get(index->getType(), 3));
    call->setArgOperand(0, builder.CreateSelect(near, index, zero));
    builder.SetInsertPoint(call->getNextNode());
    llvm::Value *choice = builder.CreateSelect(near, call, far);
    call->replaceUsesWithIf(choice, [choice](llvm::Use &use) { return use.getUser() != choice; });
}

/* Work-item functions give a default for dimensions that there are none of; the translator would look for a
 * component that the vector does not have. [CLC 6.15.1] */
void fold_far_dimensions(llvm::Module &module)
{
    static const struct {
        const char *name;
        uint64_t value;
    } functions[] = {
        {"_Z13get_global_idj", 0},  {"_Z15get_global_sizej", 1},         {"_Z12get_local_idj", 0},
        {"_Z14get_local_sizej", 1}, {"_Z23get_enqueued_local_sizej", 1}, {"_Z12get_group_idj", 0},
        {"_Z14get_num_groupsj", 1}, {"_Z17get_global_offsetj", 0}};
    for (const auto &f : functions) {
        llvm::Function *function = module.getFunction(f.name);
        std::vector<llvm::CallInst *> calls;
        if (!function)
            continue;
        for (llvm::User *user : function->users())
            if (auto *call = llvm::dyn_cast<llvm::CallInst>(user); call && call->arg_size() == 1)
                calls.push_back(call);
        for (llvm::CallInst *call : calls)
            guard_dimension(call, f.value);
    }
}

/* Rounding modes have no effect between integers, and newer translators do not know such conversions with
 * one. [CLC 6.4.3.3] */
void drop_integer_rounding(llvm::Module &module)
{
    static const std::regex rounded("_Z[0-9]+(convert_u?(?:char|short|int|long)[0-9]*(?:_sat)?)_rt[ezpn]"
                                    "((?:Dv[0-9]+_)?[chstijlm])");
    for (llvm::Function &function : llvm::make_early_inc_range(module)) {
        const std::string name = function.getName().str();
        std::smatch parts;
        if (!function.isDeclaration() || !std::regex_match(name, parts, rounded))
            continue;
        const std::string plain = "_Z" + std::to_string(parts[1].length()) + parts[1].str() + parts[2].str();
        if (llvm::Function *other = module.getFunction(plain)) {
            function.replaceAllUsesWith(other);
            function.eraseFromParent();
        } else {
            function.setName(plain);
        }
    }
}

#if LLVM_VERSION_MAJOR >= 17

/* The translator leaves built-in functions as calls in modules with a version of C++ for OpenCL. The version
 * of OpenCL C that it is compatible with remains. */
void drop_cxx_version(llvm::Module &module)
{
    if (llvm::NamedMDNode *version = module.getNamedMetadata("opencl.cxx.version"))
        version->eraseFromParent();
}

/* Pointers into variables count elements of the variable's type: where they count bytes the translator takes
 * the number of bytes for one of elements. */
void index_by_type(llvm::Module &module)
{
    const llvm::DataLayout &layout = module.getDataLayout();
    for (llvm::GlobalVariable &variable : module.globals()) {
        llvm::SmallVector<llvm::ConstantExpr *, 8> pointers;
        for (llvm::User *user : variable.users()) {
            auto *pointer = llvm::dyn_cast<llvm::ConstantExpr>(user);
            auto *gep = llvm::dyn_cast<llvm::GEPOperator>(user);
            if (pointer && gep && gep->getSourceElementType()->isIntegerTy(8))
                pointers.push_back(pointer);
        }
        for (llvm::ConstantExpr *pointer : pointers) {
            llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
            llvm::Type *type = variable.getValueType();
            if (!llvm::cast<llvm::GEPOperator>(pointer)->accumulateConstantOffset(layout, offset))
                continue;
            llvm::SmallVector<llvm::Constant *, 4> indices;
            for (const llvm::APInt &index : layout.getGEPIndicesForOffset(type, offset))
                indices.push_back(llvm::ConstantInt::get(module.getContext(), index));
            if (offset.isZero())
                pointer->replaceAllUsesWith(llvm::ConstantExpr::getInBoundsGetElementPtr(
                    variable.getValueType(), &variable, indices));
        }
    }
}

#endif

} // namespace

enum mm_class rt_clang_compile(const struct rt_job *job, const char *extra_header, struct rt_text *log,
                               struct rt_text *notes, struct rt_text *dependencies, struct rt_binary *binary)
{
    Dependencies files;
    std::string diagnostics;
    std::vector<std::string> noted;
    /* The end of the job's process frees this and clang's data at once. */
    auto *context = new llvm::LLVMContext;
    llvm::BuryPointer(context);
    llvm::Module *module = run_clang(job, extra_header, *context, diagnostics, noted, files).release();
    llvm::BuryPointer(module);
    for (const std::string &note : noted)
        if (!rt_text_add(notes, note.c_str(), note.size() + 1))
            return MM_LIMIT;
    rt_text_add(log, diagnostics.data(), diagnostics.size());
    if (!module)
        return MM_INVALID;
    files.add_binary(reinterpret_cast<const void *>(&rt_clang_compile));
    files.add_binary(reinterpret_cast<const void *>(&clang::CompilerInvocation::CreateFromArgs));
    files.add_binary(reinterpret_cast<const void *>(&llvm::ConstantFoldConstant));
    bool (*translate)(llvm::Module *, const SPIRV::TranslatorOpts &, std::ostream &, std::string &) =
        &llvm::writeSpirv;
    files.add_binary(reinterpret_cast<const void *>(translate));
    if (!files.write(dependencies))
        return MM_LIMIT;

    if (!job->library)
        rt_helper_drop_uncalled(reinterpret_cast<LLVMOpaqueModule *>(module));
    rt_promote_handles(*module);
    const std::string cyclic = rt_fix_initializers(*module);
    if (!cyclic.empty()) {
        const std::string error = "error: this program cannot be expressed in SPIR-V: the initializer of '" +
                                  cyclic +
                                  "', in constant memory, refers to itself, directly or through others\n";
        rt_text_add_string(log, error.c_str());
        return MM_INVALID;
    }
    rt_expand_comparisons(*module);
    rt_fix_handles(*module);
    fold_far_dimensions(*module);
    drop_integer_rounding(*module);
#if LLVM_VERSION_MAJOR >= 17
    drop_cxx_version(*module);
    index_by_type(*module);
#endif
    rt_helper_fix_module(reinterpret_cast<LLVMOpaqueModule *>(module));
    skip_verification();
    std::ostringstream words;
    std::string message;
    if (!llvm::writeSpirv(module, translator_options(), words, message)) {
        rt_text_add_string(log, "error: this program cannot be expressed in SPIR-V: ");
        rt_text_add(log, message.data(), message.size());
        rt_text_add_string(log, "\n");
        return MM_INVALID;
    }
    const std::string &bytes = words.str();
    binary->data = mm_alloc(bytes.size() ? bytes.size() : 1);
    if (!binary->data)
        return MM_LIMIT;
    memcpy(binary->data, bytes.data(), bytes.size());
    binary->size = bytes.size();
    return MM_OK;
}
