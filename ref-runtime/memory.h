/* Memory objects and SVM among themselves. */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include "ref-runtime/command.h"

/* SIZE zeroed bytes at a multiple of ALIGN, a power of two from 8 on; NULL: no memory. */
void *rt_aligned_alloc(size_t size, size_t align);
void rt_aligned_free(void *p);
/* Sets up the window of a sub-buffer, and frees the storage of a buffer. */
void rt_storage_destroy(struct rt_mem *root);
/* Where maps of MEM point; NULL: no memory. */
unsigned char *rt_storage_map_pointer(struct rt_mem *mem, size_t offset);
/* What a mapped region is: one per clEnqueueMapBuffer that was not unmapped. */
struct rt_mapping {
    struct rt_mapping *next;
    void *pointer;
    size_t offset, size; /* in the memory object */
    cl_map_flags flags;
};
void rt_mapping_free_all(struct rt_mem *mem);
/* A buffer that the host reads or writes through commands, checked: the error that OFFSET and SIZE deserve.
 */
cl_int rt_check_range(const struct rt_mem *mem, size_t offset, size_t size);
/* CL_MISALIGNED_SUB_BUFFER_OFFSET where it applies to DEVICE. */
cl_int rt_check_alignment(const struct rt_mem *mem, const struct rt_device *device);

#endif
