#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define STEP(x) ((x) + 1)
typedef struct { int a; float4 v; char c[3]; } item;
__constant int table[4] = {1, 2, 3, 4};
int twice(int x) { return x < 2 ? x : twice_not(x); }
