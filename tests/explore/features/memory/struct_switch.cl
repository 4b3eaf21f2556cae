// Options: --global 4 --arg buf:4 --assert 'out[0] == 10 and out[1] == 21 and out[2] == 7 and out[3] == 7'
// Expect: condition holds, race none, divergence none, termination always
struct pair { int x; int y; };
int pick(struct pair *p, int which)
{
    switch (which) {
    case 0:
        return p->x;
    case 1:
        return p->x + p->y;
    default:
        return 7;
    }
}
kernel void choose(global int *out)
{
    struct pair p = {10, 11};
    out[get_global_id(0)] = pick(&p, (int)get_global_id(0));
}
