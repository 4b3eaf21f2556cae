// Options: --global 1 --arg buf:1
// Error: address_constant.cl:7:15: 'pointer' is initialized with an address, which is not explored: assign the pointer in the kernel, or select between the variables by a condition [explore.constant]
constant int a = 1;
constant int *constant pointer = &a;
kernel void choose(global int *out)
{
    out[0] = *pointer;
}
