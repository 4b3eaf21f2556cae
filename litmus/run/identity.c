/* Identity of results files: one writer at a time, and each campaign is counted once.
 *
 * A results file names the plan ("campaign", the same for all shards of a campaign), the shard, and the run:
 * a random number, drawn when the file begins and kept when it is resumed.  A merged file lists its
 * inputs as "parts". */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- one writer -------------------------------------------------------------------------------------- */

/* PATH.lock is locked, and removed at the end.  Between its opening and locking another writer may have
 * removed it: then the lock is one of a file without a name, and is taken again. */
bool lt_writer_lock(struct lt_writer *w, const char *path)
{
    struct stat opened, named;
    w->fd = -1;
    if (lt_is_device(path))
        return true;
    int n = snprintf(w->path, sizeof w->path, "%s.lock", path);
    while (n > 0 && (size_t)n < sizeof w->path) {
        w->fd = open(w->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (w->fd < 0)
            break;
        if (flock(w->fd, LOCK_EX | LOCK_NB) != 0) {
            bool taken = errno == EWOULDBLOCK;
            if (taken)
                fprintf(stderr,
                        "refcl-litmus-run: %s is written by another process, which holds %s: wait for its "
                        "end, or name another file with --output\n",
                        path, w->path);
            close(w->fd);
            w->fd = -1;
            if (taken)
                return false;
            break;
        }
        if (fstat(w->fd, &opened) == 0 && stat(w->path, &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev)
            return true;
        close(w->fd);
    }
    fprintf(stderr, "cannot write %s: %s\n", path,
            strerror(n > 0 && (size_t)n < sizeof w->path ? errno : ENAMETOOLONG));
    return false;
}

void lt_writer_unlock(struct lt_writer *w)
{
    if (w->fd < 0)
        return;
    unlink(w->path);
    close(w->fd);
    w->fd = -1;
}

/* ---- identities -------------------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; text && *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

void lt_identity_new(struct lt_identity *id, const cJSON *plan, const struct lt_options *options)
{
    uint64_t random[2];
    char *text = cJSON_PrintUnformatted(plan);
    snprintf(id->campaign, sizeof id->campaign, "%016llx", (unsigned long long)hash_text(text));
    cJSON_free(text);
    snprintf(id->shard, sizeof id->shard, "%u/%u", options->tests.shard + 1, options->tests.shard_count);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort(); /* it does not fail for so few bytes */
    snprintf(id->run, sizeof id->run, "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    id->parts = NULL;
    time_t now = time(NULL);
    struct tm day;
    if (!gmtime_r(&now, &day) || !strftime(id->date, sizeof id->date, "%Y-%m-%d", &day))
        *id->date = '\0';
}

bool lt_identity_resume(struct lt_identity *id, const cJSON *results, const char *path)
{
    const char *shard = lt_json_text(results, "shard"), *run = lt_json_text(results, "run");
    if (*shard && strcmp(shard, id->shard) != 0) {
        fprintf(stderr, "%s: results of shard %s, but shard %s is to be resumed\n", path, shard, id->shard);
        return false;
    }
    if (strlen(run) < sizeof id->run && *run)
        strcpy(id->run, run);
    const char *date = lt_json_text(results, "date");
    if (strlen(date) == strlen(id->date))
        strcpy(id->date, date);
    const cJSON *parts = cJSON_GetObjectItem(results, "parts");
    id->parts = parts ? cJSON_Duplicate(parts, true) : NULL;
    return true;
}

static cJSON *part_json(const char *campaign, const char *shard, const char *run)
{
    cJSON *part = cJSON_CreateObject();
    cJSON_AddStringToObject(part, "campaign", campaign);
    cJSON_AddStringToObject(part, "shard", shard);
    cJSON_AddStringToObject(part, "run", run);
    return part;
}

void lt_identity_add(const struct lt_identity *id, cJSON *results)
{
    if (*id->date)
        cJSON_AddStringToObject(results, "date", id->date);
    if (id->parts) {
        cJSON *parts = cJSON_Duplicate(id->parts, true);
        cJSON_AddItemToArray(parts, part_json(id->campaign, id->shard, id->run));
        cJSON_AddItemToObject(results, "parts", parts);
        return;
    }
    cJSON_AddStringToObject(results, "campaign", id->campaign);
    cJSON_AddStringToObject(results, "shard", id->shard);
    cJSON_AddStringToObject(results, "run", id->run);
}

/* Results without identities are compared by content. */
cJSON *lt_parts(const cJSON *results)
{
    const cJSON *parts = cJSON_GetObjectItem(results, "parts");
    if (cJSON_IsArray(parts))
        return cJSON_Duplicate(parts, true);
    cJSON *own = cJSON_CreateArray();
    char run[40];
    if (*lt_json_text(results, "run")) {
        cJSON_AddItemToArray(own, part_json(lt_json_text(results, "campaign"), lt_json_text(results, "shard"),
                                            lt_json_text(results, "run")));
        return own;
    }
    char *text = cJSON_PrintUnformatted(results);
    snprintf(run, sizeof run, "content-%016llx", (unsigned long long)hash_text(text));
    cJSON_free(text);
    cJSON_AddItemToArray(own, part_json("", "", run));
    return own;
}

int lt_parts_shared(const cJSON *parts, const cJSON *others)
{
    const cJSON *part, *other;
    int shared = 0;
    cJSON_ArrayForEach(part, parts)
    {
        bool found = false;
        cJSON_ArrayForEach(other, others)
        {
            found = found || strcmp(lt_json_text(part, "run"), lt_json_text(other, "run")) == 0;
        }
        shared += found;
    }
    return shared;
}
