/* The accesses of a host program that `refcl host-cc` instruments [CL 3.3.6 A23], to memory that commands may
 * access: SVM, memory under CL_MEM_USE_HOST_PTR, mapped memory, and plain memory that commands read or
 * write. */
#include "memmodel/trace/host.h"
#include "memmodel/base/array.h"
#include "ref-runtime/record/host_access.h"
#include "tools/layer/layer.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static atomic_bool attached;

bool ly_host_is_attached(void)
{
    return attached;
}

/* ---- memory that may be shared -------------------------------------------------------------------- */

enum { PAGE_BITS = 1 << 16, PAGE_SHIFT = 12 };
static uint64_t low = UINT64_MAX, high;
static _Atomic uint64_t
    shared_pages[PAGE_BITS / 64]; /* a Bloom filter: a bit for all pages of the same hash */

static unsigned bit_of(uintptr_t page)
{
    return (unsigned)(page * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static bool may_be_shared(const void *address, uint32_t size)
{
    for (uintptr_t page = (uintptr_t)address >> PAGE_SHIFT;
         page <= ((uintptr_t)address + size - 1) >> PAGE_SHIFT; page++)
        if (atomic_load_explicit(&shared_pages[bit_of(page) / 64], memory_order_relaxed) >>
                bit_of(page) % 64 &
            1)
            return true;
    return false;
}

void ly_host_share(const void *address, size_t size)
{
    uintptr_t at = (uintptr_t)address;
    if (!size || !attached)
        return;
    low = at < low ? at : low;
    high = at + size > high ? at + size : high;
    uintptr_t first = at >> PAGE_SHIFT, last = (at + size - 1) >> PAGE_SHIFT;
    if (last - first >= PAGE_BITS)
        last = first + PAGE_BITS * 16; /* enough to set all */
    for (uintptr_t page = first; page <= last; page++)
        atomic_fetch_or_explicit(&shared_pages[bit_of(page) / 64], UINT64_C(1) << bit_of(page) % 64,
                                 memory_order_relaxed);
}

/* ---- memory objects that the host accesses ------------------------------------------------------------- */

/* BOX of an allocation, which the host accesses at POINTER with its own pitches, which are not 0. */
struct window {
    const void *owner;
    const char *pointer;
    uint32_t allocation;
    struct ly_box box; /* its offset is that in the allocation */
    uint64_t host_row, host_slice;
};
static struct window *windows;
static size_t window_count;

void ly_host_show(const void *owner, const struct ly_mem *mem, const struct ly_map *map)
{
    struct window window = {.owner = owner,
                            .pointer = map->pointer,
                            .allocation = mem->allocation,
                            .box = map->box,
                            .host_row = map->host_row ? map->host_row : map->box.rows[0]};
    const uint64_t *rows = window.box.rows;
    window.box.offset += mem->offset;
    window.host_slice = map->host_slice ? map->host_slice : window.host_row * rows[1];
    if (attached && mm_append(&windows, &window_count, &window))
        ly_host_share(map->pointer,
                      (rows[2] - 1) * window.host_slice + (rows[1] - 1) * window.host_row + rows[0]);
}

void ly_host_hide(const void *owner)
{
    for (size_t i = window_count; i-- > 0;)
        if (windows[i].owner == owner)
            windows[i] = windows[--window_count];
}

/* ---- records --------------------------------------------------------------------------------------- */

static mm_event_id record_host_access(const struct refcl_host_access *a, uint32_t allocation, uint64_t offset,
                                      uint64_t size)
{
    static const uint8_t kinds[] = {MM_READ, MM_WRITE, MM_RMW, MM_FENCE};
    struct mm_event event = {.kind = kinds[a->kind],
                             .agent = ly_this_thread(),
                             .allocation = allocation,
                             .offset = offset,
                             .size = (uint32_t)size,
                             .attributes = a->atomic ? MM_ATOMIC : MM_NO_VALUE,
                             .source = ly_source("host", a->place)};
    if (a->kind == REFCL_HOST_FENCE) {
        event.fence_flags = MM_FENCE_GLOBAL;
        event.attributes = 0;
    }
    if (a->atomic)
        mm_host_set_order(&event, a->order);
    return a->kind == REFCL_HOST_READ ? mm_recorder_read(ly_recorder(), &event)
                                      : mm_recorder_event(ly_recorder(), &event, NULL, 0);
}

static void record_part(void *context, const struct mm_host_part *part)
{
    record_host_access(context, part->allocation, part->offset, part->size);
}

/* Records the part of row ROW that is in the SIZE bytes from BEGIN on, relative to the window's pointer. */
static void record_row(const struct refcl_host_access *a, const struct window *w, uint64_t row,
                       uint64_t begin, uint64_t size)
{
    uint64_t y = row % w->box.rows[1], z = row / w->box.rows[1], at = z * w->host_slice + y * w->host_row;
    uint64_t first = begin > at ? begin - at : 0, end = begin + size > at ? begin + size - at : 0;
    end = end < w->box.rows[0] ? end : w->box.rows[0];
    if (first < end)
        record_host_access(a, w->allocation,
                           w->box.offset + z * w->box.slice_pitch + y * w->box.row_pitch + first,
                           end - first);
}

static void record_window(const struct refcl_host_access *a, const struct window *w)
{
    uintptr_t at = (uintptr_t)a->address, pointer = (uintptr_t)w->pointer;
    uint64_t cut = pointer > at ? pointer - at : 0; /* the access begins before the window */
    if (cut >= a->size)
        return;
    uint64_t begin = at + cut - pointer, size = a->size - cut;
    uint64_t slice = begin / w->host_slice, rows = w->box.rows[1] * w->box.rows[2];
    for (uint64_t row = slice * w->box.rows[1]; row < rows; row++) {
        if (row / w->box.rows[1] * w->host_slice + row % w->box.rows[1] * w->host_row >= begin + size)
            break;
        record_row(a, w, row, begin, size);
    }
}

/* The access lies within one row of the window. */
static bool window_contains(const struct window *w, const struct refcl_host_access *a)
{
    uint64_t begin = (uintptr_t)a->address - (uintptr_t)w->pointer, in_slice = begin % w->host_slice;
    return (uintptr_t)a->address >= (uintptr_t)w->pointer && begin / w->host_slice < w->box.rows[2] &&
           in_slice / w->host_row < w->box.rows[1] && in_slice % w->host_row + a->size <= w->box.rows[0];
}

/* Whether the access was recorded by an earlier window, which has the same bytes at the same addresses:
 * several maps of a part, or a map of memory under CL_MEM_USE_HOST_PTR. */
static bool is_shown_before(size_t i, const struct refcl_host_access *a)
{
    const struct window *w = &windows[i];
    for (size_t k = 0; k < i; k++)
        if (windows[k].allocation == w->allocation &&
            (uintptr_t)windows[k].pointer - windows[k].box.offset == (uintptr_t)w->pointer - w->box.offset &&
            window_contains(&windows[k], a))
            return true;
    return false;
}

/* The trace has no values of kernels' atomics: an acquire may synchronize with any recorded command. */
static bool access_acquires(const struct refcl_host_access *a)
{
    return a->atomic && a->kind != REFCL_HOST_WRITE && a->order != __ATOMIC_RELAXED &&
           a->order != __ATOMIC_RELEASE;
}

static uint32_t plain_user = UINT32_MAX; /* the thread whose commands use plain memory */

static bool may_use_plain_memory(void)
{
    return !attached || ly_in_callback || plain_user == UINT32_MAX || plain_user == ly_this_thread().index;
}

static void leave_plain_memory_out(void)
{
    ly_not_checked("what commands do to host memory that several threads may use");
}

bool ly_use_plain_memory(void)
{
    bool may = may_use_plain_memory();
    if (!may)
        leave_plain_memory_out();
    else if (!ly_in_callback)
        plain_user = ly_this_thread().index;
    return may;
}

static void leave_part_out(void *context, const struct mm_host_part *part)
{
    (void)context;
    (void)part;
    leave_plain_memory_out();
}

/* Outside of SVM, atomics of the host do not synchronize with those of kernels [CL 3.3.6 A23]; recorded as
 * accesses, they would race with each other. */
static void leave_atomic_out(const struct refcl_host_access *a)
{
    for (size_t i = 0; i < window_count; i++)
        if (window_contains(&windows[i], a))
            ly_not_checked("atomics of the host outside of SVM on memory that commands use");
}

static void record_plain(const struct refcl_host_access *a)
{
    if (a->atomic) {
        leave_atomic_out(a);
        return;
    }
    for (size_t i = 0; i < window_count; i++)
        if (!is_shown_before(i, a))
            record_window(a, &windows[i]);
    mm_host_ranges_visit(ly_host_ranges(), a->address, a->size,
                         may_use_plain_memory() ? record_part : leave_part_out, (void *)(uintptr_t)a);
}

static void record_access(const struct refcl_host_access *a)
{
    if (a->kind != REFCL_HOST_FENCE && !may_be_shared(a->address, a->size))
        return;
    pthread_mutex_lock(&ly_lock);
    bool fence = a->kind == REFCL_HOST_FENCE;
    const struct ly_svm *svm = fence ? NULL : ly_svm_find(a->address);
    if (fence)
        record_host_access(a, 0, 0, 0);
    else if (svm)
        record_host_access(a, svm->allocation, (uintptr_t)a->address - svm->begin, a->size);
    else
        record_plain(a);
    if ((fence || svm) && access_acquires(a))
        ly_follow_commands();
    pthread_mutex_unlock(&ly_lock);
}

static uint64_t record_point(const uint64_t *after, size_t count)
{
    struct mm_edge edges[REFCL_HOST_POINTS];
    for (size_t i = 0; i < count; i++)
        edges[i] = (struct mm_edge){.from = after[i], .kind = MM_EDGE_HOST};
    pthread_mutex_lock(&ly_lock);
    struct mm_event event = {.kind = MM_API_CALL, .agent = ly_this_thread()};
    uint64_t point = mm_recorder_event(ly_recorder(), &event, edges, count);
    pthread_mutex_unlock(&ly_lock);
    return point;
}

static bool is_svm(const void *address)
{
    if (!may_be_shared(address, 1))
        return false;
    pthread_mutex_lock(&ly_lock);
    bool found = ly_svm_find(address) != NULL;
    pthread_mutex_unlock(&ly_lock);
    return found;
}

/* ---- the program ----------------------------------------------------------------------------------- */

static pthread_mutex_t atomics_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_atomics(void)
{
    pthread_mutex_lock(&atomics_lock);
}

static void unlock_atomics(void)
{
    pthread_mutex_unlock(&atomics_lock);
}

/* ---- signal handlers ------------------------------------------------------------------------------- */

static refcl_host_attach_function *attach_function;
static atomic_bool handlers_use, handlers_synchronize;

/* Acquires no lock: the interrupted thread may hold it. */
static void in_handler(const void *address, uint32_t size)
{
    if (!address) {
        atomic_store(&handlers_synchronize, true);
        atomic_store(&attached, false);
        attach_function(NULL);
    } else if (may_be_shared(address, size)) {
        atomic_store(&handlers_use, true);
    }
}

bool ly_host_note_handlers(void)
{
    static bool noted;
    if (atomic_load_explicit(&handlers_use, memory_order_relaxed))
        ly_not_checked("what signal handlers do to memory that commands use");
    if (noted || !atomic_load_explicit(&handlers_synchronize, memory_order_relaxed))
        return false;
    ly_not_checked("accesses of the host after a signal handler synchronizes");
    return noted = true;
}

static refcl_host_attach_function *find_attach(void)
{
    refcl_host_attach_function *function;
    void *symbol = dlsym(RTLD_DEFAULT, "refcl_host_attach");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

void ly_host_attach(void)
{
    static const struct refcl_host_runtime runtime = {.version = REFCL_HOST_VERSION,
                                                      .on_driver = true,
                                                      .low = &low,
                                                      .high = &high,
                                                      .is_svm = is_svm,
                                                      .lock = lock_atomics,
                                                      .unlock = unlock_atomics,
                                                      .access = record_access,
                                                      .point = record_point,
                                                      .in_handler = in_handler};
    attach_function = find_attach();
    if (!attach_function)
        return;
    attached = true;
    const struct mm_record record = {.type = MM_RECORD_TEXT, .text = {LY_HOST, "instrumented"}};
    mm_recorder_record(ly_recorder(), &record);
    attach_function(&runtime);
}

void ly_host_detach(void)
{
    if (attached)
        attach_function(NULL);
}
