#!/bin/bash
# FFmpeg's OpenCL filters that compute exactly the same as its filters on the host: images, copies, kernels.
if ! ffmpeg -hide_banner -filters 2>/dev/null | grep -q transpose_opencl; then
    echo "1..0 # SKIP not installed: ffmpeg"
    exit 0
fi
frames=(-f lavfi -i "testsrc=size=160x120:rate=5:duration=1")
device=(-init_hw_device opencl=d:0.0 -filter_hw_device d)
sum() { ffmpeg -hide_banner -v error "$@" -f md5 - 2>&1 | tail -1; }
filters="transpose=1 pad=200:200:10:10 erosion dilation"
echo "1..$(echo $filters | wc -w)"
n=0
for f in $filters; do
    n=$((n + 1))
    name=${f%%=*} options=${f#"${f%%=*}"}
    host=$(sum "${frames[@]}" -vf "format=yuv420p,$f")
    actual=$(sum "${device[@]}" "${frames[@]}" -vf "format=yuv420p,hwupload,${name}_opencl$options,hwdownload,format=yuv420p")
    [ "$host" = "$actual" ] && echo "ok $n - $name" || printf 'not ok %s - %s\n# %s, on the host %s\n' $n "$name" "$actual" "$host"
done
