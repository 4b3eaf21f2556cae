/* The C++ bindings for OpenCL 3.0: functors, shared virtual memory containers, pipes, queues on the
 * device. */
#define CL_HPP_TARGET_OPENCL_VERSION  300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <iostream>
#include <numeric>
int main()
{
    cl::Platform p = cl::Platform::getDefault();
    std::cout << "1..4\n";
    cl::DeviceCommandQueue dq =
        cl::DeviceCommandQueue::makeDefault(cl::Context::getDefault(), cl::Device::getDefault());
    std::string k = R"CLC(
   global int gl=20;
   kernel void upd(){ gl+=2; }
   typedef struct{global int*bar;}Foo;
   kernel void vadd(global const Foo*aNum,global const int*a,global const int*b,global int*o,int val,write_only pipe int op,queue_t cq){
     o[get_global_id(0)]=a[get_global_id(0)]+b[get_global_id(0)]+val+*(aNum->bar);
     write_pipe(op,&val);
     queue_t q=get_default_queue(); ndrange_t nd=ndrange_1D(get_global_size(0)/2,get_global_size(0)/2);
     enqueue_kernel(q,CLK_ENQUEUE_FLAGS_WAIT_KERNEL,nd,^{o[get_global_size(0)*2+get_global_id(0)]=a[get_global_size(0)*2+get_global_id(0)]+b[get_global_size(0)*2+get_global_id(0)]+gl;});
   })CLC";
    cl::Program prog(k);
    try {
        prog.build("-cl-std=CL2.0");
    } catch (...) {
        for (auto &x : prog.getBuildInfo<CL_PROGRAM_BUILD_LOG>())
            std::cerr << x.second;
        return 1;
    }
    auto upd = cl::KernelFunctor<>(prog, "upd");
    upd(cl::EnqueueArgs(cl::NDRange(1)));
    struct Foo {
        cl_int *bar;
    };
    cl::SVMAllocator<int, cl::SVMTraitCoarse<>> al;
    auto an = cl::allocate_svm<cl_int, cl::SVMTraitCoarse<>>();
    auto foo = cl::allocate_pointer<Foo>(cl::SVMAllocator<Foo, cl::SVMTraitReadOnly<>>());
    cl::enqueueMapSVM(an.get(), CL_TRUE, CL_MAP_WRITE, sizeof(int));
    *an = 5;
    cl::enqueueUnmapSVM(an.get());
    cl::enqueueMapSVM(foo.get(), CL_TRUE, CL_MAP_WRITE, sizeof(Foo));
    foo->bar = an.get();
    cl::enqueueUnmapSVM(foo.get());
    const int n = 32;
    std::vector<int, cl::SVMAllocator<int, cl::SVMTraitCoarse<>>> A(n, 1, al);
    cl::coarse_svm_vector<int> B(n, 2, al);
    std::vector<int> out(n, 0xdead);
    cl::Buffer ob(out.begin(), out.end(), false);
    cl::Pipe pipe(sizeof(cl_int), n / 2);
    auto va = cl::KernelFunctor<decltype(foo) &, int *, cl::coarse_svm_vector<int> &, cl::Buffer, int,
                                cl::Pipe &, cl::DeviceCommandQueue>(prog, "vadd");
    va.setSVMPointers(an);
    cl::unmapSVM(A);
    cl_int err;
    cl::unmapSVM(B);
    cl_int *ap = A.data();
    va(cl::EnqueueArgs(cl::NDRange(n / 4), cl::NDRange(n / 4)), foo, ap, B, ob, 3, pipe, dq, err);
    cl::copy(ob, out.begin(), out.end());
    bool ok = true;
    for (int i = 0; i < n / 4; i++)
        ok &= out[i] == 1 + 2 + 3 + 5;
    std::cout << (ok ? "ok" : "not ok") << " 1 - kernel over shared virtual memory\n";
    bool children = true;
    for (int i = 0; i < n / 8; i++)
        children &= out[n / 4 + i] == 1 + 2 + 22;
    std::cout << (children ? "ok" : "not ok") << " 2 - kernel enqueued by the kernel\n";
    bool names = prog.getInfo<CL_PROGRAM_KERNEL_NAMES>() == "upd;vadd";
    std::cout << (names ? "ok" : "not ok") << " 3 - names of kernels\n";
    std::vector<cl::Device> parts;
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl::Device::getDefault().createSubDevices(equally, &parts);
    bool all = parts.size() == cl::Device::getDefault().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    std::cout << (all ? "ok" : "not ok") << " 4 - a sub-device for each compute unit\n";
    return !(ok && children && names && all);
}
