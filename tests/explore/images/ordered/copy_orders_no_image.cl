// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg source=buf:2 --arg out=buf:2
// Expect: race found, flags data_race
// A wait for an asynchronous copy does not order image accesses.
kernel void copy(read_write image1d_t image, global int *source, global int *out)
{
    local int part[2];
    int x = get_local_id(0);
    event_t done = async_work_group_copy(part, source, 2, 0);
    write_imagei(image, x, (int4)(x + 1));
    wait_group_events(1, &done);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] = read_imagei(image, 1 - x).x + part[x];
}
