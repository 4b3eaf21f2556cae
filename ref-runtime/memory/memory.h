/* Memory objects and SVM among themselves. */
#ifndef REF_RUNTIME_MEMORY_MEMORY_H
#define REF_RUNTIME_MEMORY_MEMORY_H

#include "ref-runtime/sched/command.h"

/* A memory object of SIZE bytes without storage; READ_WRITE is the default of FLAGS.  NULL: no memory. */
struct rt_mem *rt_mem_create(struct rt_context *context, cl_mem_object_type type, cl_mem_flags flags,
                             size_t size);
/* The properties of an object that is to be created. */
struct rt_mem_request {
    const cl_mem_properties *properties;
    size_t count; /* of elements, the terminating zero included; 0: no list */
    bool has_address;
    bool external; /* its memory is the file that FD names */
    int fd;
    uint32_t devices; /* of the context that the external memory is for: a bit for each */
};
/* Those of a BUFFER, or of an image. */
cl_int rt_mem_parse_properties(const struct rt_context *context, bool buffer,
                               const cl_mem_properties *properties, struct rt_mem_request *request);
bool rt_mem_set_properties(struct rt_mem *mem, const struct rt_mem_request *request);
/* The properties and the storage of an object that shows no part of another one. */
cl_int rt_mem_fill_in(struct rt_mem *mem, const struct rt_mem_request *request, void *host_ptr);
bool rt_mem_flags_valid(cl_mem_flags flags);
/* False if nothing can write an object with FLAGS and it gets no initial contents.  Parts of other objects
 * need none. */
bool rt_mem_has_contents(cl_mem_flags flags);
/* Makes MEM a view of SIZE bytes of PARENT from OFFSET on. */
void rt_mem_attach(struct rt_mem *mem, struct rt_mem *parent, size_t offset);
/* Flags of an object that shows part of one with flags PARENT: access may be narrowed, not widened; how the
 * host pointer was used is inherited. */
bool rt_mem_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags);
/* address.c: MEM gets addresses, which stay (false: no memory), and has none any longer; the query for
 * them. */
bool rt_address_give(struct rt_mem *mem);
void rt_address_take(struct rt_mem *mem);
cl_int rt_address_put(const void *object, const struct rt_info_out *out);
/* storage.c */
/* Frees the storage of a buffer. */
void rt_storage_destroy(struct rt_mem *root);
/* Where maps of MEM point; NULL: no memory. */
unsigned char *rt_storage_map_pointer(struct rt_mem *mem, size_t offset);
/* A part of a memory object: bytes of a buffer, in the first dimension, or texels of a level of an image. */
struct rt_region {
    size_t origin[3], size[3];
    size_t level;
};
/* What a mapped region is: one per map call that was not unmapped. */
struct rt_mapping {
    struct rt_mapping *next;
    struct rt_mem *mem;
    void *pointer;
    struct rt_region region;
    size_t begin, end; /* of buffers and one-dimensional images: bytes of the root */
    cl_map_flags flags;
};
/* enqueue/map.c */
void rt_mapping_free_all(struct rt_mem *mem);
/* pipe.c */
/* The ring of a pipe and what the interpreter keeps with it. */
void rt_pipe_destroy(struct rt_mem *mem);
/* enqueue/buffer.c */
/* A buffer that the host reads or writes through commands, checked: the error that OFFSET and SIZE
 * deserve. */
cl_int rt_check_range(const struct rt_mem *mem, size_t offset, size_t size);
/* CL_INVALID_OPERATION if no command may write MEM. */
cl_int rt_check_mutable(const struct rt_mem *mem);
/* CL_MISALIGNED_SUB_BUFFER_OFFSET where it applies to DEVICE. */
cl_int rt_check_alignment(const struct rt_mem *mem, const struct rt_device *device);

#endif
