// Options: --global 2 --arg buf:1
// Expect: race found
kernel void say(global int *out)
{
    if (get_global_id(0) == 0)
        out[0] = 1;
    else
        printf("%d\n", out[0]);
}
