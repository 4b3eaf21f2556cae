/* Nodes in two allocations of coarse-grained SVM: those of the first point to those of the second, in reverse
 * order. */
#ifndef TESTS_RACES_INSTRUMENTED_HOST_SVM_NODES_H
#define TESTS_RACES_INSTRUMENTED_HOST_SVM_NODES_H

#include "../../host/host.h"
#include <stdbool.h>

struct node {
    struct node *next;
    cl_long value;
};
static struct node *nodes, *others;
static cl_mem out;

static const char *const source =
    "struct node { global struct node *next; long value; };\n"
    "kernel void sum(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); out[i] = list[i].value + list[i].next->value; }\n"
    "kernel void add(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); list[i].next->value += 1; }\n"
    "kernel void add_all(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); list[i].next->value += 1; out[i] = 0; }\n"
    "kernel void sum_beside(global struct node *list, global struct node *changed) {\n"
    "  int i = (int)get_global_id(0); changed[i].value = list[i].next->value; }\n"
    "kernel void sum_past(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); out[i] = (list[i].next + (i == 0))->value; }\n"
    "kernel void sum_null(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); out[i] = list[i].next->value + 1; }\n"
    "kernel void sum_freed(global struct node *list, global long *out) {\n"
    "  int i = (int)get_global_id(0); out[i] = list[i].next->value + 2; }\n";

static inline void map_nodes(cl_command_queue q)
{
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, nodes, N * sizeof *nodes, 0, NULL, NULL));
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, others, N * sizeof *others, 0, NULL, NULL));
}

static inline void unmap_nodes(cl_command_queue q)
{
    OK(clEnqueueSVMUnmap(q, nodes, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(q, others, 0, NULL, NULL));
    OK(clFinish(q));
}

static inline void make_nodes(cl_command_queue q)
{
    static cl_long zeros[N];
    cl_int code;
    nodes = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *nodes, 0);
    others = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *others, 0);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros, &code);
    OK(code);
    map_nodes(q);
    for (int k = 0; k < N; k++) {
        nodes[k] = (struct node){&others[N - 1 - k], k};
        others[k] = (struct node){NULL, 1000 + k};
    }
    unmap_nodes(q);
}

/* Enqueues NAME with LIST and the buffer, or with LIST and MORE. */
static inline void enqueue(cl_command_queue q, const char *name, struct node *list, struct node *more)
{
    cl_int code;
    const size_t items = N;
    cl_kernel k = clCreateKernel(program, name, &code);
    OK(code);
    OK(clSetKernelArgSVMPointer(k, 0, list));
    OK(more ? clSetKernelArgSVMPointer(k, 1, more) : clSetKernelArg(k, 1, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
}

static inline void run(cl_command_queue q, const char *name, struct node *list)
{
    enqueue(q, name, list, NULL);
    OK(clFinish(q));
}

static inline long sum_of(cl_command_queue q)
{
    cl_long values[N], sum = 0;
    OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int k = 0; k < N; k++)
        sum += values[k];
    return sum;
}

#endif
