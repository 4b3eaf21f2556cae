/* See identity.h. */
#include "memmodel/base/identity.h"
#include "memmodel/base/hash.h"
#include "memmodel/memmodel.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEADERS = 64, MOST_NOTES = 1 << 16 };

void mm_identity_of_content(const void *data, size_t size, char text[MM_IDENTITY])
{
    snprintf(text, MM_IDENTITY, "file of %zu bytes, %016llx", size,
             (unsigned long long)mm_checksum(data, size));
}

static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, (char *)data + done, size - done, (off_t)(offset + done));
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static int open_regular(const char *path, struct stat *status)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, status) != 0 || !S_ISREG(status->st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void mm_identity_of_file(const char *path, char text[MM_IDENTITY])
{
    struct stat status;
    if (stat(path, &status) != 0) {
        snprintf(text, MM_IDENTITY, "absent");
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        snprintf(text, MM_IDENTITY, "folder");
        return;
    }
    snprintf(text, MM_IDENTITY, "not readable");
    int fd = open_regular(path, &status);
    size_t size = fd >= 0 ? (size_t)status.st_size : 0;
    void *data = fd >= 0 ? mm_alloc(size) : NULL;
    if (data && read_at(fd, data, size, 0))
        mm_identity_of_content(data, size, text);
    mm_free(data);
    if (fd >= 0)
        close(fd);
}

/* ---- build ids --------------------------------------------------------------------------------- */

/* The build id in SIZE bytes of notes, as text. */
static bool find_build_id(const unsigned char *notes, size_t size, size_t align, char text[MM_IDENTITY])
{
    const size_t unit = align == 8 ? 8 : 4;
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note, content = name + ((size_t)note.n_namesz + unit - 1) / unit * unit;
        if (content > size || note.n_descsz > size - content)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
            note.n_descsz > 0 && note.n_descsz < (MM_IDENTITY - 16) / 2) {
            size_t used = (size_t)snprintf(text, MM_IDENTITY, "build ");
            for (size_t i = 0; i < note.n_descsz; i++)
                used += (size_t)snprintf(text + used, MM_IDENTITY - used, "%02x", notes[content + i]);
            return true;
        }
        at = content + ((size_t)note.n_descsz + unit - 1) / unit * unit;
    }
    return false;
}

static bool build_id_in_file(int fd, char text[MM_IDENTITY])
{
    ElfW(Ehdr) head;
    ElfW(Phdr) headers[MOST_HEADERS];
    if (!read_at(fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head.e_phentsize != sizeof *headers || head.e_phnum > MOST_HEADERS ||
        !read_at(fd, headers, head.e_phnum * sizeof *headers, head.e_phoff))
        return false;
    bool found = false;
    for (size_t i = 0; i < head.e_phnum && !found; i++) {
        size_t size = headers[i].p_filesz;
        unsigned char *notes = headers[i].p_type == PT_NOTE && size <= MOST_NOTES ? mm_alloc(size) : NULL;
        found = notes && read_at(fd, notes, size, headers[i].p_offset) &&
                find_build_id(notes, size, headers[i].p_align, text);
        mm_free(notes);
    }
    return found;
}

void mm_identity_of_binary(const char *path, char text[MM_IDENTITY])
{
    struct stat status;
    int fd = open_regular(path, &status);
    if (fd < 0) {
        snprintf(text, MM_IDENTITY, "absent");
        return;
    }
    if (!build_id_in_file(fd, text))
        snprintf(text, MM_IDENTITY, "inode %llu, %lld bytes, %lld.%09ld, %lld.%09ld",
                 (unsigned long long)status.st_ino, (long long)status.st_size,
                 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec, (long long)status.st_ctim.tv_sec,
                 status.st_ctim.tv_nsec);
    close(fd);
}

struct loaded_query {
    uintptr_t address;
    char *path, *text;
    size_t path_size;
    bool has_id;
};

/* Callback of dl_iterate_phdr(): 1, which ends the iteration, if OBJECT contains the address. */
static int look_at_loaded(struct dl_phdr_info *object, size_t size, void *context)
{
    struct loaded_query *q = context;
    bool holds = false;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum && !holds; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        holds =
            header->p_type == PT_LOAD && q->address - object->dlpi_addr - header->p_vaddr < header->p_memsz;
    }
    if (!holds)
        return 0;
    if (*object->dlpi_name) {
        snprintf(q->path, q->path_size, "%s", object->dlpi_name);
    } else {
        ssize_t n = readlink("/proc/self/exe", q->path, q->path_size - 1);
        q->path[n > 0 ? n : 0] = 0;
    }
    for (size_t i = 0; i < object->dlpi_phnum && !q->has_id; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        uintptr_t notes = object->dlpi_addr + header->p_vaddr;
        q->has_id = header->p_type == PT_NOTE &&
                    find_build_id((const unsigned char *)notes, header->p_memsz, header->p_align, q->text);
    }
    return 1;
}

bool mm_identity_of_loaded(const void *address, char *path, size_t path_size, char text[MM_IDENTITY])
{
    struct loaded_query query = {(uintptr_t)address, path, text, path_size, false};
    if (dl_iterate_phdr(look_at_loaded, &query) != 1)
        return false;
    if (!query.has_id)
        mm_identity_of_binary(path, text);
    return true;
}
