// expect: clean
// run: -g 16 -l 4 -a buf:16:iota -a buf:1 -a buf:1
// The work-item that counts first writes.
kernel void k(global const int *w, global int *found, global int *who)
{
    int i = get_global_id(0);
    if ((w[i] * 7 & 15) == 14) {
        if (atomic_inc(found) == 0)
            *who = i;
    }
}
