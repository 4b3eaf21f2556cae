/* The on-disk cache.  An entry is a file: head, key, data.  The file name is a hash of the key, and the key
 * itself is compared; a checksum over the entry detects truncated and modified files, which are removed.  A
 * writer writes a temporary file and renames it, so that a reader sees a complete entry or none.
 *
 * Entries are code that this process executes: the folder is held open, and all files are opened relative to
 * it (cache_folder.h).  Only files whose names match the cache's formats are ever removed: the folder may
 * hold others. */
#include "cache.h"
#include "cache_folder.h"
#include "memmodel/base/array.h"
#include "memmodel/base/draft.h"
#include "memmodel/base/own_fd.h"
#include "memmodel/base/privilege.h"
#include "memmodel/memmodel.h"
#include "memmodel/trace/mutex.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC  UINT64_C(0x3130616372666572) /* changes with the format */
#define DRAFT  "new."                       /* before the name of a file that is being written */
#define TOTAL  ".total"
#define DIGITS "0123456789abcdef"
enum {
    MOST_ENTRY = 64 << 20,
    PATH = 4096,
    ENTRY_DIGITS = 32, /* the name of an entry */
    NAME = 40,
    DRAFT_SECONDS = 3600 /* after which a temporary file counts as abandoned */
};

struct head {
    uint64_t magic, sum, key_size, data_size;
};
static struct {
    struct mm_mutex lock;
    bool known; /* the folder has been chosen */
    char path[PATH - 64];
    uint64_t most;
    struct mm_own_fd folder;
    atomic_bool written_in_vain;
} cache = {.lock = MM_MUTEX, .folder = {.fd = -1}};

/* ---- choice of the folder ---------------------------------------------------------------- */

static void explain_miss(const char *why)
{
    const char *list = mm_getenv("REFCL_DEBUG");
    if (list && strstr(list, "cache") != NULL)
        fprintf(stderr, "refcl: no cache in '%s': %s\n", cache.path, why);
}

static void choose_folder(void)
{
    const char *given = mm_getenv("REFCL_CACHE_DIR"), *base = mm_getenv("XDG_CACHE_HOME"),
               *home = mm_getenv("HOME"), *size = mm_getenv("REFCL_CACHE_SIZE");
    int n = 0;
    if (given)
        n = snprintf(cache.path, sizeof cache.path, "%s", strcmp(given, "off") == 0 ? "" : given);
    else if (base && base[0] == '/')
        n = snprintf(cache.path, sizeof cache.path, "%s/refcl", base);
    else if (home && home[0] == '/')
        n = snprintf(cache.path, sizeof cache.path, "%s/.cache/refcl", home);
    cache.most = (size ? strtoull(size, NULL, 10) : 256) << 20;
    if (n <= 0 || (size_t)n >= sizeof cache.path || mm_is_privileged() || getuid() != geteuid())
        cache.most = 0;
}

static void open_folder(void)
{
    const char *why;
    int fd = in_cache_folder_open(cache.path, &why);
    if (fd < 0 || !mm_own_fd_open(&cache.folder, fd))
        explain_miss(fd < 0 ? why : "no file descriptor is available");
}

/* A descriptor of the folder, which the caller closes; -1: no cache.  The application may have closed the
 * cache's own descriptor and reused its number: the folder is then reopened. */
static int folder_of_cache(void)
{
    mm_mutex_lock(&cache.lock);
    bool first = !cache.known;
    if (first)
        choose_folder();
    cache.known = true;
    if (cache.most > 0 && (first || (cache.folder.fd >= 0 && !mm_own_fd_valid(&cache.folder)))) {
        cache.folder = MM_NO_FD;
        open_folder();
    }
    int folder = cache.folder.fd < 0 ? -1 : mm_fd_copy_high(cache.folder.fd);
    mm_mutex_unlock(&cache.lock);
    return folder;
}

/* ---- names and sums ---------------------------------------------------------------------- */

static uint64_t cache_hash(uint64_t sum, const void *data, size_t size)
{
    const uint8_t *at = data;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; size > 0; size--)
        sum = (sum ^ *at++) * UINT64_C(0x100000001b3);
    return sum ^ sum >> 32;
}

static uint64_t key_size(const struct in_cache_part *key, size_t parts)
{
    uint64_t size = 0;
    for (size_t k = 0; k < parts; k++)
        size += sizeof(uint64_t) + key[k].size;
    return size;
}

/* Serializes the parts with their sizes. */
static uint8_t *serialize_key(const struct in_cache_part *key, size_t parts, uint64_t extra)
{
    uint8_t *all = mm_alloc(key_size(key, parts) + extra), *at = all;
    for (size_t k = 0; k < parts && all; k++) {
        uint64_t size = key[k].size;
        memcpy(at, &size, sizeof size);
        if (size > 0)
            memcpy(at + sizeof size, key[k].data, size);
        at += sizeof size + size;
    }
    return all;
}

static void entry_name(char name[NAME], const uint8_t *key, uint64_t size)
{
    uint64_t a = cache_hash(1, key, size), b = cache_hash(a ^ UINT64_C(0x5bd1e995), key, size);
    snprintf(name, NAME, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

static bool is_entry_name(const char *name)
{
    return strlen(name) == ENTRY_DIGITS && strspn(name, DIGITS) == ENTRY_DIGITS;
}

static bool is_draft_name(const char *name)
{
    const size_t prefix = sizeof DRAFT - 1;
    return strlen(name) == prefix + MM_DRAFT_DIGITS && strncmp(name, DRAFT, prefix) == 0 &&
           strspn(name + prefix, DIGITS) == MM_DRAFT_DIGITS;
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_all(int file, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, (char *)to + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Key and data of a valid entry; NULL: the entry is corrupt. */
static uint8_t *read_entry(int file, const struct stat *status, struct head *head)
{
    if (!read_all(file, head, sizeof *head) || head->magic != MAGIC || head->key_size > MOST_ENTRY ||
        head->data_size > MOST_ENTRY ||
        (uint64_t)status->st_size != sizeof *head + head->key_size + head->data_size)
        return NULL;
    uint64_t size = head->key_size + head->data_size;
    uint8_t *all = mm_alloc(size + 1);
    if (all && read_all(file, all, size) && cache_hash(head->key_size, all, size) == head->sum)
        return all;
    mm_free(all);
    return NULL;
}

bool in_cache_get(const struct in_cache_part *key, size_t parts, void **data, size_t *size)
{
    char name[NAME];
    struct head head;
    struct stat status;
    int folder = folder_of_cache();
    uint8_t *wanted = folder >= 0 ? serialize_key(key, parts, 0) : NULL, *all = NULL;
    uint64_t length = key_size(key, parts);
    if (wanted) {
        entry_name(name, wanted, length);
        int file = in_cache_entry_open(folder, name, &status);
        if (file >= 0) {
            all = read_entry(file, &status, &head);
            if (!all)
                unlinkat(folder, name, 0);
            else
                futimens(file, NULL);
            close(file);
        }
    }
    bool same = all && head.key_size == length && memcmp(all, wanted, length) == 0;
    mm_free(wanted);
    if (folder >= 0)
        close(folder);
    if (!same) {
        mm_free(all);
        return false;
    }
    memmove(all, all + length, head.data_size);
    *data = all;
    *size = head.data_size;
    return true;
}

/* ---- writing ----------------------------------------------------------------------------- */

struct entry {
    struct timespec used;
    uint64_t size;
    char name[NAME];
};

static int by_age(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* The size in bytes to which eviction reduces the cache: three quarters of the limit CACHE.MOST, so that
 * at least a quarter of the limit is written between two scans of the folder. */
static uint64_t kept_size(void)
{
    return cache.most / 4 * 3;
}

/* Evicts the least recently used entries until TOTAL is at most the size that is kept; returns the new
 * total. */
static uint64_t evict_entries(struct entry *entries, size_t count, uint64_t total, int folder)
{
    qsort(entries, count, sizeof *entries, by_age);
    for (size_t k = 0; k < count && total > kept_size(); k++)
        if (unlinkat(folder, entries[k].name, 0) == 0)
            total -= entries[k].size;
    return total;
}

/* Whether NAME is a file written by the cache. */
static bool is_ours(int folder, const char *name, struct stat *status)
{
    return (is_entry_name(name) || is_draft_name(name)) &&
           fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status->st_mode) &&
           status->st_uid == geteuid();
}

/* Scans the folder, evicts entries and removes abandoned temporary files; the size of the entries that are
 * left. */
static uint64_t enforce_size_limit(int folder)
{
    int listing = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = listing < 0 ? NULL : fdopendir(listing);
    struct entry *entries = NULL;
    size_t count = 0;
    uint64_t total = 0;
    if (!files) {
        if (listing >= 0)
            close(listing);
        return 0;
    }
    time_t now = time(NULL);
    for (struct dirent *e = readdir(files); e; e = readdir(files)) {
        struct stat info;
        if (!is_ours(folder, e->d_name, &info))
            continue;
        if (is_draft_name(e->d_name)) { /* left by a killed writer, or in use */
            if (now - info.st_mtim.tv_sec > DRAFT_SECONDS)
                unlinkat(folder, e->d_name, 0);
            continue;
        }
        struct entry *added = mm_add(&entries, &count);
        if (!added)
            break;
        *added = (struct entry){.used = info.st_mtim, .size = (uint64_t)info.st_size};
        memcpy(added->name, e->d_name, strlen(e->d_name) + 1);
        total += (uint64_t)info.st_size;
    }
    if (entries)
        total = evict_entries(entries, count, total, folder);
    mm_free(entries);
    closedir(files);
    return total;
}

/* ---- the size of all entries ------------------------------------------------------------- */

/* The file TOTAL holds the size of the entries when the folder was scanned last, plus the bytes written
 * since then: an upper bound, unless writers were killed.  A store costs a few system calls, however many
 * entries there are; the scan is due when the bound exceeds the limit, after a quarter of the limit has
 * been written.  Without the file, or with one that cannot be right, the scan is due at once. */
static int total_open(int folder)
{
    struct stat status;
    int file = openat(folder, TOTAL, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    bool fits =
        file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
    if (fits && flock(file, LOCK_EX | LOCK_NB) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* Adds SIZE to the file's sum.  While another process holds the lock, it is added with this process's next
 * entry: no process waits for one that is suspended. */
static void account_size(int folder, uint64_t size)
{
    static _Atomic uint64_t pending;
    uint64_t total = 0, added = size;
    int file = total_open(folder);
    if (file < 0) {
        atomic_fetch_add(&pending, size);
        return;
    }
    added += atomic_exchange(&pending, 0);
    bool known = pread(file, &total, sizeof total, 0) == sizeof total && total <= cache.most;
    bool over = !known || added > cache.most - total;
    total = over ? enforce_size_limit(folder) : total + added;
    if (pwrite(file, &total, sizeof total, 0) != sizeof total)
        explain_miss("its size cannot be written");
    close(file);
}

void in_cache_put(const struct in_cache_part *key, size_t parts, const void *data, size_t size)
{
    char name[NAME], draft[NAME];
    uint64_t length = key_size(key, parts);
    int folder = folder_of_cache();
    bool fits = size <= MOST_ENTRY && length <= MOST_ENTRY && length + size <= cache.most / 4;
    uint8_t *all = folder >= 0 && fits && !cache.written_in_vain ? serialize_key(key, parts, size) : NULL;
    if (all) {
        if (size > 0)
            memcpy(all + length, data, size);
        struct head head = {MAGIC, cache_hash(length, all, length + size), length, size};
        entry_name(name, all, length);
        int file = mm_draft_open(folder, DRAFT, 0600, draft, sizeof draft);
        if (file >= 0) {
            bool whole = mm_write_all(file, &head, sizeof head) && mm_write_all(file, all, length + size);
            whole = close(file) == 0 && whole;
            if (!whole || renameat(folder, draft, folder, name) != 0)
                unlinkat(folder, draft, 0);
            else
                account_size(folder, sizeof head + length + size);
        } else if (!atomic_exchange(&cache.written_in_vain, true)) {
            explain_miss("an entry cannot be written");
        }
        mm_free(all);
    }
    if (folder >= 0)
        close(folder);
}
