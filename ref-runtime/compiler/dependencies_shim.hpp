/* What a compilation depends on beside its request, each with what it was when it was read. */
#ifndef REF_RUNTIME_COMPILER_DEPENDENCIES_SHIM_HPP
#define REF_RUNTIME_COMPILER_DEPENDENCIES_SHIM_HPP

#include "memmodel/base/identity.h"
#include "ref-runtime/compiler/helper.h"
#include "ref-runtime/compiler/wire.h"

#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <climits>
#include <map>
#include <string>

class Dependencies
{
  public:
    void add_file(const std::string &path, const char *identity)
    {
        if (path.find('\0') == std::string::npos)
            known[char(RT_DEPENDS_ON_FILE) + path] = identity;
    }
    void add_binary(const void *address)
    {
        char path[PATH_MAX], identity[MM_IDENTITY];
        if (mm_identity_of_loaded(address, path, sizeof path, identity))
            known[char(RT_DEPENDS_ON_BINARY) + std::string(path)] = identity;
    }
    /* Nothing is written where the result depends on the time. */
    bool write(rt_text *to) const
    {
        bool good = true;
        for (const auto &entry : known)
            good = good && (on_time || (rt_text_add(to, entry.first.c_str(), entry.first.size() + 1) &&
                                        rt_text_add(to, entry.second.c_str(), entry.second.size() + 1)));
        return good;
    }
    bool on_time = false;

  private:
    std::map<std::string, std::string> known;
};

/* Records the identity of the bytes that the compiler reads from a file. */
class RecordingFile : public llvm::vfs::File
{
  public:
    RecordingFile(std::unique_ptr<llvm::vfs::File> real, std::string name, Dependencies &to)
        : file(std::move(real)), path(std::move(name)), dependencies(to)
    {
    }
    llvm::ErrorOr<llvm::vfs::Status> status() override
    {
        return file->status();
    }
    llvm::ErrorOr<std::string> getName() override
    {
        return file->getName();
    }
    std::error_code close() override
    {
        return file->close();
    }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t size,
                                                                 bool terminated, bool is_volatile) override
    {
        auto buffer = file->getBuffer(name, size, terminated, is_volatile);
        char identity[MM_IDENTITY];
        if (buffer) {
            mm_identity_of_content((*buffer)->getBufferStart(), (*buffer)->getBufferSize(), identity);
            dependencies.add_file(path, identity);
        }
        return buffer;
    }

  private:
    std::unique_ptr<llvm::vfs::File> file;
    std::string path;
    Dependencies &dependencies;
};

/* The real files.  Each path that the compiler asks for is a dependency, those of missing files too: a file
 * that is made there would be taken instead of the one found later.  Only regular files are opened. */
class RecordingFileSystem : public llvm::vfs::ProxyFileSystem
{
  public:
    explicit RecordingFileSystem(Dependencies &to)
        : llvm::vfs::ProxyFileSystem(llvm::vfs::getRealFileSystem()), dependencies(to)
    {
    }
    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
    {
        note(path);
        return llvm::vfs::ProxyFileSystem::status(path);
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override
    {
        const std::string name = note(path);
        auto known = llvm::vfs::ProxyFileSystem::status(path);
        if (known && known->getType() != llvm::sys::fs::file_type::regular_file && !known->isDirectory())
            return std::make_error_code(std::errc::operation_not_permitted);
        auto file = llvm::vfs::ProxyFileSystem::openFileForRead(path);
        if (!file)
            return file.getError();
        return std::unique_ptr<llvm::vfs::File>(new RecordingFile(std::move(*file), name, dependencies));
    }

  private:
    std::string note(const llvm::Twine &path)
    {
        llvm::SmallString<256> whole;
        char identity[MM_IDENTITY];
        path.toVector(whole);
        makeAbsolute(whole);
        mm_identity_of_file(whole.c_str(), identity);
        dependencies.add_file(whole.str().str(), identity);
        return whole.str().str();
    }
    Dependencies &dependencies;
};

/* Notices macros whose values change with the time, however they are spelled. */
class TimeWatch : public clang::PPCallbacks
{
  public:
    explicit TimeWatch(Dependencies &to) : dependencies(to) {}
    void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange,
                      const clang::MacroArgs *) override
    {
        const llvm::StringRef text = name.getIdentifierInfo()->getName();
        if (text == "__DATE__" || text == "__TIME__" || text == "__TIMESTAMP__")
            dependencies.on_time = true;
    }

  private:
    Dependencies &dependencies;
};

#endif
