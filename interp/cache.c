/* The cache on disk.  An entry is a file: head, key, data.  Its name is a hash of the key, and the key itself
 * is compared; a sum over everything finds torn and changed files, which are removed.  Writers write a file
 * of their own and rename it, so that a reader sees a whole entry or none. */
#include "cache.h"
#include "memmodel/memmodel.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x3130616372666572) /* changes with the format */
enum { MOST_ENTRY = 64 << 20, PATH = 4096 };

struct head {
    uint64_t magic, sum, key_size, data_size;
};
static struct {
    pthread_once_t once;
    char folder[PATH - 64];
    uint64_t most;
    bool on;
} cache = {.once = PTHREAD_ONCE_INIT};

/* ---- where ------------------------------------------------------------------------------- */

static void off(const char *why)
{
    const char *list = getenv("REFCL_DEBUG");
    if (list != NULL && strstr(list, "cache") != NULL)
        fprintf(stderr, "refcl: no cache in '%s': %s\n", cache.folder, why);
    cache.on = false;
}

static bool choose_folder(void)
{
    const char *given = getenv("REFCL_CACHE_DIR"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n;
    if (given != NULL)
        n = snprintf(cache.folder, sizeof cache.folder, "%s", strcmp(given, "off") == 0 ? "" : given);
    else if (base != NULL && base[0] == '/')
        n = snprintf(cache.folder, sizeof cache.folder, "%s/refcl", base);
    else
        n = home != NULL && home[0] == '/'
                ? snprintf(cache.folder, sizeof cache.folder, "%s/.cache/refcl", home)
                : 0;
    return n > 0 && (size_t)n < sizeof cache.folder;
}

static void make_folders(void)
{
    for (char *slash = strchr(cache.folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(cache.folder, 0700);
        *slash = '/';
    }
    mkdir(cache.folder, 0700);
}

/* What others can write is not trusted: entries are code. */
static void set_up(void)
{
    struct stat info;
    const char *size = getenv("REFCL_CACHE_SIZE");
    cache.most = (size != NULL ? strtoull(size, NULL, 10) : 256) << 20;
    if (!choose_folder())
        return;
    make_folders();
    cache.on = true;
    if (stat(cache.folder, &info) != 0 || !S_ISDIR(info.st_mode))
        off("it cannot be made");
    else if (info.st_uid != geteuid() || (info.st_mode & 022) != 0)
        off("others may write there");
    else if (getuid() != geteuid() || cache.most == 0)
        off("not for this process");
}

/* ---- names and sums ---------------------------------------------------------------------- */

static uint64_t mix(uint64_t sum, const void *data, size_t size)
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

/* The parts with their sizes, as one piece. */
static uint8_t *join(const struct in_cache_part *key, size_t parts, uint64_t extra)
{
    uint8_t *all = mm_alloc(key_size(key, parts) + extra), *at = all;
    for (size_t k = 0; k < parts && all != NULL; k++) {
        uint64_t size = key[k].size;
        memcpy(at, &size, sizeof size);
        if (size > 0)
            memcpy(at + sizeof size, key[k].data, size);
        at += sizeof size + size;
    }
    return all;
}

static void name(char *path, const uint8_t *key, uint64_t size)
{
    uint64_t a = mix(1, key, size), b = mix(a ^ UINT64_C(0x5bd1e995), key, size);
    snprintf(path, PATH, "%s/%016llx%016llx", cache.folder, (unsigned long long)a, (unsigned long long)b);
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

/* Key and data of the entry, which is whole; NULL: it is not. */
static uint8_t *load(int file, struct head *head)
{
    struct stat info;
    if (!read_all(file, head, sizeof *head) || head->magic != MAGIC || head->key_size > MOST_ENTRY ||
        head->data_size > MOST_ENTRY || fstat(file, &info) != 0 ||
        (uint64_t)info.st_size != sizeof *head + head->key_size + head->data_size)
        return NULL;
    uint64_t size = head->key_size + head->data_size;
    uint8_t *all = mm_alloc(size + 1);
    if (all != NULL && read_all(file, all, size) && mix(head->key_size, all, size) == head->sum)
        return all;
    mm_free(all);
    return NULL;
}

bool in_cache_get(const struct in_cache_part *key, size_t parts, void **data, size_t *size)
{
    char path[PATH];
    struct head head;
    pthread_once(&cache.once, set_up);
    uint8_t *wanted = cache.on ? join(key, parts, 0) : NULL, *all = NULL;
    uint64_t length = key_size(key, parts);
    if (wanted == NULL)
        return false;
    name(path, wanted, length);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0) {
        all = load(file, &head);
        if (all == NULL)
            unlink(path);
        else
            futimens(file, NULL);
        close(file);
    }
    bool same = all != NULL && head.key_size == length && memcmp(all, wanted, length) == 0;
    mm_free(wanted);
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
    char name[40];
};

static int by_age(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used, *y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes the oldest entries until three quarters of the room are taken. */
static void trim(struct entry *entries, size_t count, uint64_t total, int folder)
{
    qsort(entries, count, sizeof *entries, by_age);
    for (size_t k = 0; k < count && total > cache.most / 4 * 3; k++)
        if (unlinkat(folder, entries[k].name, 0) == 0)
            total -= entries[k].size;
}

static void keep_small(void)
{
    DIR *folder = opendir(cache.folder);
    struct entry *entries = NULL;
    size_t count = 0, room = 0;
    uint64_t total = 0;
    if (folder == NULL)
        return;
    for (struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        struct stat info;
        if (strlen(e->d_name) >= sizeof entries->name || e->d_name[0] == '.' ||
            fstatat(dirfd(folder), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
            continue;
        if (count == room) {
            struct entry *more = mm_realloc(entries, (room = room * 2 + 64) * sizeof *entries);
            if (more == NULL)
                break;
            entries = more;
        }
        entries[count] = (struct entry){.used = info.st_mtim, .size = (uint64_t)info.st_size};
        memcpy(entries[count++].name, e->d_name, strlen(e->d_name) + 1);
        total += (uint64_t)info.st_size;
    }
    if (total > cache.most && entries != NULL)
        trim(entries, count, total, dirfd(folder));
    mm_free(entries);
    closedir(folder);
}

static bool write_all(int file, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const char *)from + done, size - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

void in_cache_put(const struct in_cache_part *key, size_t parts, const void *data, size_t size)
{
    static atomic_uint counter;
    char path[PATH], own[PATH];
    pthread_once(&cache.once, set_up);
    uint64_t length = key_size(key, parts);
    if (!cache.on || size > MOST_ENTRY || length > MOST_ENTRY || length + size > cache.most / 4)
        return;
    uint8_t *all = join(key, parts, size);
    if (all == NULL)
        return;
    if (size > 0)
        memcpy(all + length, data, size);
    struct head head = {MAGIC, mix(length, all, length + size), length, size};
    name(path, all, length);
    snprintf(own, sizeof own, "%s/new.%ld.%u", cache.folder, (long)getpid(), atomic_fetch_add(&counter, 1));
    int file = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) {
        bool whole = write_all(file, &head, sizeof head) && write_all(file, all, length + size);
        whole = close(file) == 0 && whole;
        if (!whole || rename(own, path) != 0)
            unlink(own);
        keep_small();
    } else {
        off("an entry cannot be written");
    }
    mm_free(all);
}
