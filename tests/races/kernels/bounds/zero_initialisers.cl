// expect: clean
// run: -g 1 -l 1 -a buf:1
// Initializers whose constants follow a string of odd length in memory.
kernel void k(global int *o)
{
    char s[6] = "hello";
    int m[3][4] = {{1}, {2, 3}};
    long4 v[2] = {(long4)(0)};
    o[0] = s[1] + m[1][1] + (int)v[1].y;
}
