#!/usr/bin/python3
"""Everything in the tables of OpenCL C is declared, and image formats have the values of the host's.
[CLC 6.12, 6.15]"""
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../lib'))
from opencl import cl, context, device, numpy, queue  # noqa: E402
from tap import check, done  # noqa: E402


def expand(text):
    """Names, with alternatives in braces: {a,b}."""
    for word in text.split():
        parts = [part.split(',') for part in re.split(r'[{}]', word)]
        yield from (''.join(choice) for choice in itertools.product(*parts))


SCANS = '{reduce,scan_inclusive,scan_exclusive}'
TABLES = {
    'work-item functions': '''get_work_dim get_global_{id,size,offset,linear_id} get_local_{id,size,linear_id}
        get_enqueued_local_size get_num_groups get_group_id''',
    'mathematics': '''{,a}{sin,cos,tan}{,h,pi} atan2{,pi} cbrt ceil copysign erf{,c} exp{,2,10} expm1 fabs fdim floor fma fmax
        fmin fmod fract frexp hypot ilogb ldexp lgamma{,_r} log{,2,10,1p,b} mad maxmag minmag modf nan nextafter pow{,n,r}
        remainder remquo rint rootn round rsqrt sincos sqrt tgamma trunc
        {half_,native_}{cos,divide,exp,exp2,exp10,log,log2,log10,powr,recip,rsqrt,sin,sqrt,tan}
        clamp degrees max min mix radians step smoothstep sign cross dot {,fast_}{distance,length,normalize}''',
    'integers': '''abs abs_diff {add,sub}_sat {,r}hadd clz ctz mad_hi mad_sat mul_hi rotate upsample popcount {mad,mul}24
        bit_reverse bitfield_insert bitfield_extract_{signed,unsigned} dot_acc_sat
        {dot,dot_acc_sat}_4x8packed_{uu_uint,ss_int,us_int,su_int}''',
    'relations': '''is{equal,notequal,greater,greaterequal,less,lessequal,lessgreater,finite,inf,nan,normal,ordered,unordered}
        signbit any all bitselect select''',
    'vectors': '''{vload,vstore}{2,3,4,8,16} {vload_half,vloada_half}{2,3,4,8,16} vload_half vstore_half{,_rte,_rtz,_rtp,_rtn}
        {vstore_half,vstorea_half}{2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn} shuffle shuffle2 printf prefetch''',
    'conversions': '''convert_{char,uchar,short,ushort,int,uint,long,ulong}{,2,3,4,8,16}{,_sat}{,_rte,_rtz,_rtp,_rtn}
        convert_{half,float,double}{,2,3,4,8,16}{,_rte,_rtz,_rtp,_rtn}''',
    'synchronization': '''{,work_group_}barrier sub_group_barrier {,read_,write_}mem_fence atomic_work_item_fence get_fence
        to_{global,local,private} async_work_group_{copy,strided_copy,copy_2D2D,copy_3D3D} wait_group_events''',
    'atomics': '''{atomic,atom}_{add,sub,xchg,inc,dec,cmpxchg,min,max,and,or,xor} atomic_init
        atomic_{load,store,exchange,compare_exchange_strong,compare_exchange_weak,flag_test_and_set,flag_clear}{,_explicit}
        atomic_fetch_{add,sub,or,xor,and,min,max}{,_explicit}''',
    'images': '''read_image{f,i,ui,h} write_image{f,i,ui,h}
        get_image_{width,height,depth,dim,array_size,channel_order,channel_data_type}''',
    'pipes': '''{read,write}_pipe {,work_group_,sub_group_}{reserve,commit}_{read,write}_pipe is_valid_reserve_id
        get_pipe_{num,max}_packets''',
    'device queues': '''enqueue_{kernel,marker} get_kernel_{work_group_size,preferred_work_group_size_multiple}
        get_kernel_{max_sub_group_size,sub_group_count}_for_ndrange {retain,release}_event create_user_event is_valid_event
        set_user_event_status capture_event_profiling_info get_default_queue ndrange_{1,2,3}D''',
    'work-groups': f'''work_group_{{all,any,broadcast}} work_group_{SCANS}_{{add,min,max,mul,and,or,xor}}
        work_group_{SCANS}_logical_{{and,or,xor}}''',
    'sub-groups': f'''get_sub_group_{{size,id,local_id}} get_max_sub_group_size get_{{,enqueued_}}num_sub_groups
        sub_group_{{all,any,broadcast}} sub_group_{SCANS}_{{add,min,max}} sub_group_elect
        sub_group_non_uniform_{{all,any,all_equal,broadcast}} sub_group_broadcast_first sub_group_{{,inverse_}}ballot
        sub_group_ballot_{{bit_extract,bit_count,inclusive_scan,exclusive_scan,find_lsb,find_msb}}
        get_sub_group_{{eq,ge,gt,le,lt}}_mask sub_group_shuffle{{,_xor,_up,_down}} sub_group_{{,clustered_}}rotate
        sub_group_non_uniform_{SCANS}_{{add,mul,min,max,and,or,xor,logical_and,logical_or,logical_xor}}
        sub_group_clustered_reduce_{{add,mul,min,max,and,or,xor,logical_and,logical_or,logical_xor}}''',
    'limits and constants': '''{CHAR,SCHAR,SHRT,INT,LONG}_{MIN,MAX} {UCHAR,USHRT,UINT,ULONG}_MAX CHAR_BIT
        {FLT,DBL,HALF}_{DIG,MANT_DIG,MAX_10_EXP,MAX_EXP,MIN_10_EXP,MIN_EXP,RADIX,MAX,MIN,EPSILON}
        M_{E,LOG2E,LOG10E,LN2,LN10,PI,PI_2,PI_4,1_PI,2_PI,2_SQRTPI,SQRT2,SQRT1_2}{,_F,_H}
        MAXFLOAT HUGE_VAL{,F} INFINITY NAN FP_ILOGB0 FP_ILOGBNAN ATOMIC_FLAG_INIT CL_VERSION_{1_0,1_1,1_2,2_0,3_0}
        memory_order_{relaxed,acquire,release,acq_rel,seq_cst}
        memory_scope_{work_item,sub_group,work_group,device,all_svm_devices,all_devices}''',
    'enumerations': '''CLK_{LOCAL,GLOBAL,IMAGE}_MEM_FENCE CLK_NULL_{QUEUE,EVENT,RESERVE_ID} CLK_PROFILING_COMMAND_EXEC_TIME
        CLK_ADDRESS_{NONE,CLAMP_TO_EDGE,CLAMP,REPEAT,MIRRORED_REPEAT} CLK_FILTER_{NEAREST,LINEAR} CLK_NORMALIZED_COORDS_{TRUE,FALSE}
        CLK_SUCCESS CLK_ENQUEUE_FAILURE CLK_INVALID_{QUEUE,NDRANGE,EVENT_WAIT_LIST,ARG_SIZE} CLK_DEVICE_QUEUE_FULL
        CLK_EVENT_ALLOCATION_FAILURE CLK_OUT_OF_RESOURCES CLK_ENQUEUE_FLAGS_{NO_WAIT,WAIT_KERNEL,WAIT_WORK_GROUP}''',
}
# In the order of their values. [CL 5.3.1]
ORDERS = 'R A RG RA RGB RGBA BGRA ARGB INTENSITY LUMINANCE Rx RGx RGBx DEPTH DEPTH_STENCIL sRGB sRGBx sRGBA sBGRA ABGR'
TYPES = '''SNORM_INT8 SNORM_INT16 UNORM_INT8 UNORM_INT16 UNORM_SHORT_565 UNORM_SHORT_555 UNORM_INT_101010 SIGNED_INT8 SIGNED_INT16
    SIGNED_INT32 UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 HALF_FLOAT FLOAT UNORM_INT24 UNORM_INT_101010_2 UNORM_INT10X6_EXT'''
FORMATS = {f'CLK_{name}': first + n for first, names in ((0x10B0, ORDERS), (0x10D0, TYPES)) for n, name in enumerate(names.split())}
FORMATS.update({f'CLK_{name}_EXT': 0x10E5 + n for n, name in enumerate(
    'UNORM_INT_2_101010 UNSIGNED_INT10X6 UNSIGNED_INT12X4 UNSIGNED_INT14X2 UNORM_INT12X4 UNORM_INT14X2'.split())})


def undeclared(names, options):
    """The NAMES that the compiler does not know.  It ends after twenty errors."""
    found = []
    for at in range(0, len(names), 15):
        statements = '\n'.join(f'(void)({name});' for name in names[at:at + 15])
        try:
            cl.Program(context, f'#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k() {{\n{statements}\n}}').build(options)
        except cl.RuntimeError as error:
            found += re.findall(r"undeclared identifier '(\w+)'", str(error))
            found += re.findall(r"implicit declaration of function '(\w+)'", str(error))
    return sorted(set(found))


def formats():
    """Kernels read the format with which the host created an image, for every format that the device reports.
    [CLC 6.15.15.4]"""
    kinds = {(f.channel_order, f.channel_data_type)
             for f in cl.get_supported_image_formats(context, cl.mem_flags.READ_ONLY, cl.mem_object_type.IMAGE2D)}
    names = sorted(FORMATS)
    program = cl.Program(context, 'constant int named[] = {' + ', '.join(names) + '''};
        kernel void k(read_only image2d_t i, global int *o) {
            o[0] = get_image_channel_order(i); o[1] = get_image_channel_data_type(i); }
        kernel void all_of(global int *o) { o[get_global_id(0)] = named[get_global_id(0)]; }''').build(['-cl-std=CL3.0'])
    values = numpy.zeros(len(names), 'i4')
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)
    cl.Kernel(program, 'all_of')(queue, values.shape, None, buffer)
    cl.enqueue_copy(queue, values, buffer)
    wrong = [name for name, value in zip(names, values) if FORMATS[name] != value]
    check('values of channel orders and types', not wrong, wrong)
    wrong = []
    for order, kind in sorted(kinds):
        image = cl.Image(context, cl.mem_flags.READ_ONLY, cl.ImageFormat(order, kind), shape=(1, 1))
        cl.Kernel(program, 'k')(queue, (1,), None, image, buffer)
        seen = numpy.zeros(2, 'i4')
        cl.enqueue_copy(queue, seen, buffer)
        if list(seen) != [order, kind] or not {order, kind} <= set(values.tolist()):
            wrong.append((hex(order), hex(kind)))
    check(f'{len(kinds)} formats have names in kernels', kinds and not wrong, wrong)


check('unknown names are found', undeclared(['sin', 'sine_of', 'CLK_TEAL'], ['-cl-std=CL3.0']) == ['CLK_TEAL', 'sine_of'])
for table, text in TABLES.items():
    missing = undeclared(list(expand(text)), ['-cl-std=CL3.0'])
    check(f'{table} are declared', not missing, missing)
for standard in 'CL1.2', 'CL2.0', 'CL3.0':
    missing = undeclared([name for name in FORMATS if standard != 'CL1.2' or not re.match('CLK_(s[RB]GB|sBGRA|ABGR)', name)],
                         ['-cl-std=' + standard])
    check(f'image formats are declared in {standard}', not missing, missing)
if device.image_support:
    formats()
sys.exit(done())
