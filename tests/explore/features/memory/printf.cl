// Options: --global 2 --arg buf:2 --assert 'out[1] == 1'
// Expect: condition holds, race none, divergence none, termination always
kernel void say(global int *out)
{
    int i = get_global_id(0);
    out[i] = i;
    printf("%d: %v2d %f %s\n", i, (int2)(i, 1), 1.5f, "text");
}
