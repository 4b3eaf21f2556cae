/* Kernel objects among themselves. */
#ifndef REF_RUNTIME_PROGRAM_KERNEL_H
#define REF_RUNTIME_PROGRAM_KERNEL_H

#include "ref-runtime/program/program.h"

enum {
    RT_SUB_GROUP_SIZE = 32,  /* where the kernel does not require another */
    RT_SUGGESTED_GROUP = 64, /* work-items of a group whose size the application leaves open */
};

/* An argument as the application set it.  Objects are not held [CL 5.9.2]: the launch
 * compares their numbers to detect a handle that no longer names the same object. */
struct rt_set_argument {
    bool set;
    void *value;         /* IN_ARG_VALUE: bytes */
    const void *object;  /* memory object, sampler, queue; NULL: a null pointer */
    uint32_t number;     /* of the object */
    const void *svm;     /* set by clSetKernelArgSVMPointer */
    bool device_pointer; /* SVM was set by clSetKernelArgDevicePointerEXT */
    uint64_t local_size; /* IN_ARG_LOCAL */
};
struct rt_kernel_state {
    struct mm_mutex lock;
    struct in_module *module; /* held: keeps INFO alive */
    size_t index;             /* in MODULE */
    const struct in_kernel_info *info;
    struct rt_set_argument *arguments;
    void **svm_pointers; /* CL_KERNEL_EXEC_INFO_SVM_PTRS */
    size_t svm_pointer_count;
    cl_ulong *device_pointers; /* CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT */
    size_t device_pointer_count;
    bool fine_grain_system; /* CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM */
    unsigned captured;      /* launches, of those that are recorded */
};

#endif
