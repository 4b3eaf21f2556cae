/* Pipes [CL 5.4]. */
#include "ref-runtime/device.h"
#include "ref-runtime/memory/memory.h"

static bool flags_valid(cl_mem_flags flags)
{
    return flags == 0 || flags == CL_MEM_READ_WRITE || flags == CL_MEM_HOST_NO_ACCESS ||
           flags == (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
}

static bool make_pipe(struct rt_mem *mem, cl_uint packet_size, cl_uint max_packets)
{
    struct in_pipe *pipe = mm_alloc_zero(1, sizeof *pipe);
    mem->pipe = pipe;
    if (pipe) {
        pipe->packet_size = packet_size;
        pipe->max_packets = max_packets;
    }
    return pipe != NULL;
}

cl_mem CL_API_CALL rt_clCreatePipe(cl_context handle, cl_mem_flags flags, cl_uint packet_size,
                                   cl_uint max_packets, const cl_pipe_properties *properties,
                                   cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    if (!RT_HAS_PIPES)
        return rt_null(errcode_ret, CL_INVALID_OPERATION);
    if (!flags_valid(flags) || properties)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    if (packet_size == 0 || packet_size > RT_PIPE_PACKET_SIZE || max_packets == 0)
        return rt_null(errcode_ret, CL_INVALID_PIPE_SIZE);
    size_t size = (size_t)packet_size * max_packets;
    if (size > rt_context_max_alloc(context, false))
        return rt_null(errcode_ret, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    struct rt_mem *mem =
        rt_mem_create(context, CL_MEM_OBJECT_PIPE, flags | CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, size);
    if (!mem)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    mem->given_flags = flags;
    if (!make_pipe(mem, packet_size, max_packets)) {
        rt_object_release(mem);
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    }
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_mem)mem;
}

void rt_pipe_destroy(struct rt_mem *mem)
{
    in_pipe_clear(mem->pipe);
    mm_free(mem->pipe);
}

RT_ANSWER(get_packet_size, uint, struct rt_mem, mem, mem->pipe->packet_size)
RT_ANSWER(get_max_packets, uint, struct rt_mem, mem, mem->pipe->max_packets)

static cl_int get_properties(const void *object, const struct rt_info_out *out)
{
    (void)object;
    return rt_info_put(out, "", 0);
}

static const struct rt_info_row pipe_rows[] = {
    RT_INFO_GET(CL_PIPE_PACKET_SIZE, get_packet_size),
    RT_INFO_GET(CL_PIPE_MAX_PACKETS, get_max_packets),
    RT_INFO_GET(CL_PIPE_PROPERTIES, get_properties),
};

RT_INFO_CALL(PipeInfo, cl_mem, cl_pipe_info, rt_mem(handle) && rt_mem(handle)->pipe ? rt_mem(handle) : NULL,
             CL_INVALID_MEM_OBJECT, pipe_rows)
