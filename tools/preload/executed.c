/* Reports programs that are executed and cannot be observed: static ones, those of other rights, and 32-bit
 * ones. */
#include "tools/preload/executed.h"
#include "memmodel/base/privilege.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_INTERPRETERS = 4, MOST_HEADERS = 64, MOST_DYNAMIC = 256 };

static struct sockaddr_un receiver;
static socklen_t receiver_size; /* 0: none */

__attribute__((constructor)) static void find_receiver(void)
{
    const char *name = mm_getenv("REFCL_EXECUTED_SOCKET");
    size_t length = name ? strlen(name) : 0;
    if (!length || length >= sizeof receiver.sun_path)
        return;
    receiver.sun_family = AF_UNIX;
    memcpy(receiver.sun_path + 1, name, length);
    receiver_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

/* How the program in FD gets more rights than its caller, so that the loader preloads nothing; NULL: it does
 * not. */
static const char *more_rights(int fd, const struct stat *status)
{
    struct statvfs system;
    char capabilities[64];
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || fstatvfs(fd, &system) != 0 ||
        (system.f_flag & ST_NOSUID))
        return NULL;
    if ((status->st_mode & S_ISUID) && status->st_uid != getuid())
        return "set-user-ID";
    if ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) && status->st_gid != getgid())
        return "set-group-ID";
    if (getuid() != 0 && fgetxattr(fd, "security.capability", capabilities, sizeof capabilities) > 0)
        return "with capabilities";
    return NULL;
}

/* A position-independent executable: the dynamic linker itself, which has no interpreter either, is none. */
static bool is_executable(int fd, const ElfW(Phdr) * dynamic)
{
    ElfW(Dyn) entry;
    for (size_t i = 0; i < dynamic->p_filesz / sizeof entry && i < MOST_DYNAMIC; i++) {
        off_t at = (off_t)(dynamic->p_offset + i * sizeof entry);
        if (pread(fd, &entry, sizeof entry, at) != sizeof entry || entry.d_tag == DT_NULL)
            return false;
        if (entry.d_tag == DT_FLAGS_1)
            return (entry.d_un.d_val & DF_1_PIE) != 0;
    }
    return false;
}

static bool is_static(int fd, const ElfW(Ehdr) * elf)
{
    bool executable = elf->e_type == ET_EXEC;
    for (size_t i = 0; i < elf->e_phnum && i < MOST_HEADERS; i++) {
        ElfW(Phdr) header;
        off_t at = (off_t)(elf->e_phoff + i * elf->e_phentsize);
        if (pread(fd, &header, sizeof header, at) != sizeof header || header.p_type == PT_INTERP)
            return false;
        executable |= header.p_type == PT_DYNAMIC && is_executable(fd, &header);
    }
    return executable;
}

/* Why the program in FD cannot be observed; NULL: no reason is known.  *IS_SCRIPT: it is one, and PATH
 * receives its interpreter. */
static const char *reason_of(int fd, char path[PATH_MAX], bool *is_script)
{
    struct stat status;
    char text[sizeof(ElfW(Ehdr)) + 256] = "";
    ElfW(Ehdr) elf;
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    *is_script = size > 2 && memcmp(text, "#!", 2) == 0;
    if (*is_script) {
        const char *name = text + 2 + strspn(text + 2, " \t");
        snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, " \t\r\n"), name);
        return NULL;
    }
    const char *rights = fstat(fd, &status) == 0 ? more_rights(fd, &status) : NULL;
    if (rights || size < (ssize_t)sizeof elf || memcmp(text, ELFMAG, SELFMAG) != 0)
        return rights;
    memcpy(&elf, text, sizeof elf);
    if (elf.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return sizeof(void *) == 8 ? "32-bit" : "64-bit";
    return elf.e_phentsize == sizeof(ElfW(Phdr)) && is_static(fd, &elf) ? "static" : NULL;
}

static void send_report(pid_t process, const char *why, const char *path)
{
    char message[PATH_MAX + 64];
    int length = snprintf(message, sizeof message, "%ld %s\n%s", (long)process, why, path);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    while (sendto(fd, message, (size_t)length, MSG_NOSIGNAL, (const struct sockaddr *)&receiver,
                  receiver_size) < 0 &&
           errno == EINTR)
        ;
    close(fd);
}

static void report_file(char path[PATH_MAX], pid_t process)
{
    bool is_script = true;
    for (int i = 0; i < MOST_INTERPRETERS && is_script; i++) {
        int fd = access(path, X_OK) == 0 ? open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
        const char *why = fd >= 0 ? reason_of(fd, path, &is_script) : NULL;
        is_script &= fd >= 0;
        if (why)
            send_report(process, why, path);
        if (fd >= 0)
            close(fd);
    }
}

static bool find_in_list(const char *file, char path[PATH_MAX])
{
    const char *list = mm_getenv("PATH");
    for (list = list ? list : "/bin:/usr/bin"; *list; list += *list == ':') {
        int length = (int)strcspn(list, ":");
        snprintf(path, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", file);
        if (access(path, X_OK) == 0)
            return true;
        list += length;
    }
    return false;
}

void executed_report(const char *file, bool search, pid_t process)
{
    char path[PATH_MAX];
    if (!receiver_size || !file)
        return;
    if (!search || strchr(file, '/'))
        snprintf(path, sizeof path, "%s", file);
    else if (!find_in_list(file, path))
        return;
    report_file(path, process);
}

/* Sets PATH to the name of the open FILE. */
static bool find_name(int file, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

void executed_report_descriptor(int file)
{
    char path[PATH_MAX];
    if (receiver_size && find_name(file, path))
        report_file(path, getpid());
}

void executed_report_at(int folder, const char *file, int flags)
{
    char path[PATH_MAX];
    if (!receiver_size || !file)
        return;
    if (!*file && flags & AT_EMPTY_PATH) {
        executed_report_descriptor(folder);
        return;
    }
    size_t length = *file != '/' && folder != AT_FDCWD && find_name(folder, path) ? strlen(path) : 0;
    snprintf(path + length, sizeof path - length, "%s%s", length && path[length - 1] != '/' ? "/" : "", file);
    report_file(path, getpid());
}
