/* Memory that objects share with other APIs and processes. */
#ifndef REF_RUNTIME_MEMORY_EXTERNAL_H
#define REF_RUNTIME_MEMORY_EXTERNAL_H

#include "ref-runtime/memory/memory.h"

#include <sys/types.h>

/* A mapped file. */
struct rt_external {
    struct rt_external *next;
    dev_t device; /* the file */
    ino_t inode;
    unsigned char *data;
    size_t size;       /* of the file when it was mapped */
    unsigned users;    /* memory objects */
    unsigned acquired; /* acquire commands that no release has followed: for the executor thread */
    bool reported;     /* a use without acquire, which is reported once */
    char name[32];
    struct in_object object;
};

/* Whether R names a file that can be mapped, and FLAGS suit it. */
cl_int rt_external_check(const struct rt_mem_request *r, cl_mem_flags flags);
/* The file that R names becomes MEM's storage. */
cl_int rt_external_import(struct rt_mem *mem, const struct rt_mem_request *r);
void rt_external_destroy(struct rt_external *external);
/* Reports, once, a command that uses the object without an acquire before it [CL 5.5.1.1 R102]. */
void rt_external_used(const struct rt_mem *mem);

#endif
