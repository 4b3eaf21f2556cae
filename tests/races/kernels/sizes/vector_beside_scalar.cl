// expect: data-race
// at: 10 write, 12 write, same group
// reason: no synchronization orders the two accesses
// run: -k k --global 2 --local 2 --arg buf:32

/* A vector of four and a scalar in its middle. */
kernel void k(global int *p)
{
    if (get_local_id(0) == 0)
        vstore4((int4)(1), 0, p);
    else
        p[2] = 9;
}
