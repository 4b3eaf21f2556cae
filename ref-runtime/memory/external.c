/* Memory of other APIs and processes, by a file descriptor [cl_khr_external_memory 1.0.1,
 * cl_khr_external_memory_opaque_fd 1.0.0].
 *
 * All devices and the host use one mapping of the file, and all objects of the process that are made from the
 * file share it, unless the file has grown beyond it: one byte of memory belongs to one allocation in the
 * recording, whichever object it is accessed through. */
#include "ref-runtime/memory/external.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/device.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mm_mutex lock = MM_MUTEX;
static struct rt_external *externals; /* under the lock */

/* ---- properties ---- */

static cl_int parse_devices(const struct rt_context *context, const cl_mem_properties **at, uint32_t *devices)
{
    for (; **at != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; ++*at) {
        const struct rt_device *device = rt_device((cl_device_id)(uintptr_t) * *at);
        int index = device ? rt_context_device_index(context, device) : -1;
        if (index < 0)
            return CL_INVALID_DEVICE;
        *devices |= UINT32_C(1) << index;
    }
    ++*at;
    return *devices ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_int rt_mem_parse_properties(const struct rt_context *context, bool buffer,
                               const cl_mem_properties *properties, struct rt_mem_request *r)
{
    const cl_mem_properties *p = properties;
    bool address = false, listed = false;
    *r = (struct rt_mem_request){.properties = properties, .devices = UINT32_MAX};
    if (p && *p && rt_version() < RT_3_0) /* all are of extensions that depend on it */
        return CL_INVALID_PROPERTY;
    while (p && *p) {
        cl_mem_properties name = *p++;
        bool *seen = name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR       ? &r->external
                     : name == CL_MEM_DEVICE_HANDLE_LIST_KHR               ? &listed
                     : name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && buffer ? &address
                                                                           : NULL;
        if (!seen || *seen)
            return CL_INVALID_PROPERTY;
        *seen = true;
        if (seen == &listed) {
            r->devices = 0;
            cl_int error = parse_devices(context, &p, &r->devices);
            if (error)
                return error;
            continue;
        }
        cl_mem_properties value = *p++;
        if (seen == &address && value != CL_TRUE && value != CL_FALSE)
            return CL_INVALID_PROPERTY;
        if (seen == &address)
            r->has_address = value;
        else
            r->fd = (cl_mem_properties)(int)value == value ? (int)value : -1;
    }
    r->count = p ? (size_t)(p - properties) + 1 : 0;
    return listed && !r->external ? CL_INVALID_PROPERTY : CL_SUCCESS;
}

/* ---- mapping ---- */

static bool register_mapping(struct rt_external *e)
{
    snprintf(e->name, sizeof e->name, "external memory %lu", (unsigned long)e->inode);
    struct mm_allocation allocation = {.region = MM_GLOBAL,
                                       .origin = MM_ORIGIN_BUFFER,
                                       .device = -1,
                                       .address = (uint64_t)(uintptr_t)e->data,
                                       .size = e->size,
                                       .name = e->name};
    uint32_t id = rt_record_allocation(&allocation);
    e->object = (struct in_object){.address = allocation.address,
                                   .size = e->size,
                                   .id = id,
                                   .region = MM_GLOBAL,
                                   .origin = MM_ORIGIN_BUFFER,
                                   .name = e->name};
    return rt_index_insert(&e->object);
}

static struct rt_external *map_descriptor(int fd, const struct stat *file)
{
    size_t size = (size_t)file->st_size;
    struct rt_external *e = mm_alloc_zero(1, sizeof *e);
    void *data = e ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (data == MAP_FAILED) {
        mm_free(e);
        return NULL;
    }
    e->device = file->st_dev;
    e->inode = file->st_ino;
    e->data = data;
    e->size = size;
    if (!register_mapping(e)) {
        munmap(data, size);
        mm_free(e);
        return NULL;
    }
    rt_record_host_write(e->object.id, size, NULL);
    e->next = externals;
    externals = e;
    return e;
}

/* Whether FD is a file that can be mapped for writing. */
static bool is_mappable(int fd)
{
    struct stat file;
    int mode = fcntl(fd, F_GETFL), seals = fcntl(fd, F_GET_SEALS); /* -1: the file cannot have seals */
    return mode >= 0 && (mode & O_ACCMODE) == O_RDWR && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
           (seals < 0 || !(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)));
}

cl_int rt_external_check(const struct rt_mem_request *r, cl_mem_flags flags)
{
    const cl_mem_flags host = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (!r->external)
        return CL_SUCCESS;
    if (!is_mappable(r->fd))
        return CL_INVALID_PROPERTY;
    return flags & host ? CL_INVALID_VALUE : CL_SUCCESS;
}

/* The descriptor is the runtime's from then on; the mapping needs it no longer. */
cl_int rt_external_import(struct rt_mem *mem, const struct rt_mem_request *r)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    struct stat file;
    if (fstat(r->fd, &file) != 0 || (uint64_t)file.st_size < mem->size)
        return mem->image ? CL_INVALID_IMAGE_SIZE : CL_INVALID_BUFFER_SIZE;
    mm_mutex_lock(&lock);
    struct rt_external *e = externals;
    while (e && (e->device != file.st_dev || e->inode != file.st_ino || e->size < mem->size))
        e = e->next;
    e = e ? e : map_descriptor(r->fd, &file);
    if (e)
        e->users++;
    mm_mutex_unlock(&lock);
    if (!e)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    close(r->fd);
    mem->external = e;
    mem->external_devices = r->devices;
    mem->host_ptr = e->data;
    mem->shared = true;
    rt_record_unobserved("memory is shared with other processes: what they do is not recorded", &said);
    return CL_SUCCESS;
}

void rt_external_used(const struct rt_mem *mem)
{
    struct rt_external *e = mem->external;
    char text[1024];
    if (e->acquired > 0 || e->reported || !rt_api_checked())
        return;
    e->reported = true;
    snprintf(text, sizeof text, "a command uses %s, external memory that is not acquired", mem->name);
    rt_api_report("api-misuse", "CL 5.5.1.1 R102", text, sizeof text);
}

void rt_external_destroy(struct rt_external *e)
{
    mm_mutex_lock(&lock);
    bool last = --e->users == 0;
    struct rt_external **at = &externals;
    while (last && *at != e)
        at = &(*at)->next;
    if (last)
        *at = e->next;
    mm_mutex_unlock(&lock);
    if (!last)
        return;
    rt_index_remove(&e->object);
    rt_record_free(e->object.id, e->size);
    munmap(e->data, e->size);
    mm_free(e);
}
