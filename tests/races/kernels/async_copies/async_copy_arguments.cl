// expect: different-arguments
// at: 8
// run: -g 4 -l 4 -a buf:8:iota -a local:32
// The last work-item asks for another number of elements. [CLC 6.15.11 R1]
kernel void k(global int *data, local int *scratch)
{
    int i = get_local_id(0);
    event_t e = async_work_group_copy(scratch, data, i == 3 ? 1 : 4, 0);
    wait_group_events(1, &e);
    data[i] = scratch[i] + 1;
}
