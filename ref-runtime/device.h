/* Devices among themselves: lists and what platform and device queries share. */
#ifndef REF_RUNTIME_DEVICE_H
#define REF_RUNTIME_DEVICE_H

#include "ref-runtime/runtime.h"

/* Devices that answer to TYPE. */
cl_uint rt_devices_of_type(cl_device_type type, struct rt_device *found[RT_MAX_DEVICES]);
bool rt_device_type_valid(cl_device_type type);
/* version.c: REFCL_VERSION, and the highest version of OpenCL C. */
#define RT_3_0 CL_MAKE_VERSION(3, 0, 0)
#define RT_3_1 CL_MAKE_VERSION(3, 1, 0)
cl_version rt_c_version(void);
const char *rt_version_text(void);
const char *rt_c_version_text(void);
bool rt_version_has_query(cl_uint param);
/* spirv_queries.c [cl_khr_spirv_queries] */
cl_int rt_put_spirv_sets(const void *object, const struct rt_info_out *out);
cl_int rt_put_spirv_extensions(const void *object, const struct rt_info_out *out);
cl_int rt_put_spirv_capabilities(const void *object, const struct rt_info_out *out);
/* device.c */
/* Extensions of devices with IMAGES or without. */
cl_int rt_put_extensions(const struct rt_info_out *out, bool images);
cl_int rt_put_extensions_with_version(const struct rt_info_out *out, bool images);
/* Types of handles that semaphores can be made from, and exported as. */
cl_int rt_put_semaphore_handles(const void *object, const struct rt_info_out *out);
/* Answers of queries of cl_ext_device_fission. */
cl_int rt_put_partition_types_ext(const void *object, const struct rt_info_out *out);
cl_int rt_put_partition_style_ext(const void *object, const struct rt_info_out *out);
/* limits.c */
void rt_limits_read(struct rt_limits *limits, int index);
/* Work-items of a group, and of a sub-group where the kernel does not require another number. */
uint32_t rt_max_work_group(void);
uint32_t rt_sub_group_size(void);
/* The largest allocation that some device of CONTEXT has room for, the smallest alignment that some device
 * asks for, whether some device has images, and the kinds of SVM that some device has, or EVERY one. */
uint64_t rt_context_max_alloc(const struct rt_context *context, bool every);
uint32_t rt_context_alignment(const struct rt_context *context);
bool rt_context_images(const struct rt_context *context);
cl_device_svm_capabilities rt_context_svm(const struct rt_context *context, bool every);
/* device.c */
/* True if DEVICE is lost: more commands started than REFCL_LOST_AFTER allows. */
bool rt_device_lost(const struct rt_device *device);
/* Counts a command of QUEUE that starts; false: its device is lost. */
bool rt_device_take_command(const struct rt_queue *queue);
/* Nanoseconds of the clock that events are profiled with; never 0, monotonic. */
cl_ulong rt_now(void);

/* What this version of the runtime offers; the queries, macros and creation calls follow. */
enum {
    RT_WITH_IMAGES = 2, /* offered by devices that have images */
    RT_SINCE_3_0 = 4,   /* the extension depends on OpenCL 3.0 */
    RT_PIPE_PACKET_SIZE = 1024,
    RT_PIPE_RESERVATIONS = 1,
    RT_PIPE_ARGS = 16,
    RT_HAS_PIPES = 1,
    RT_HAS_DEVICE_ENQUEUE = 1,
    RT_DEVICE_QUEUE_PREFERRED = 256 * 1024,
    RT_DEVICE_QUEUE_MOST = 8 * 1024 * 1024,
    RT_DEVICE_QUEUES = 16,
    RT_DEVICE_EVENTS = 65536,
    RT_HAS_SUB_GROUPS = 1,
    RT_HAS_COLLECTIVES = 1,
};
#define RT_SVM_CAPABILITIES                                                                                  \
    (CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS)
#define RT_QUEUE_PROPERTIES (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)

#endif
