#!/bin/sh
# A model with two inputs from data to hardware on both simulators: an archive with their names, a file for each, and what
# is said when one is missing. The sum of both is x + x, which the float engine gives too.
name=inputs
. "$(dirname "$0")/lib.sh"
cat >sum.weir <<'EOF'
weir 1
graph "sum" from "sum.onnx"
input %left : float32[1,64]
input %right : float32[1,64]
add: %s = Add(%left, %right)
    : float32[1,64]
output s = %s
EOF
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >sum.npz # no constants
array_tool rows "$test_data:x" x.npy 20
array_tool npz x.npy left.npz left
data="--data left=x.npy --data right=left.npz:left"

expect 0 "" "$WEIR" eval sum.weir -e float $data -o float.npy
expect 1 "no data for input 'right'" "$WEIR" eval sum.weir -e float -dleft=x.npy
expect 1 "no data for input 'left'" "$WEIR" eval sum.weir -e float -d x.npy
expect 1 "no data for input 'right'" "$WEIR" compile sum.weir -o design -q int8 -c left=x.npy
expect 0 "0 of 1280" "$WEIR" check sum.weir -q int8 -c left=x.npy -c right=x.npy $data --debug-frames 0 -o design -j report.json
report_check report.json --simulator both --profile always --frames 20 --no-debug || fail "report"
for port in s_left_data s_right_data m_data; do
    grep -q "$port" design/rtl/sum.v || fail "no port $port"
done
expect 0 "0 of 1280" "$WEIR" sim design -d left=x.npy,right=x.npy --simulator verilator --profile all -o out.npz
expect 0 "" "$WEIR" eval sum.weir -q int8 -c left=x.npy,right=x.npy $data -o integer.npz
array_tool same out.npz integer.npz || fail "hardware and integer engine differ"
array_tool equal integer.npz float.npy 0.05 || fail "integer and float engine differ"
expect 1 "no data for input 'right'" "$WEIR" sim design -d left=x.npy --simulator verilator
finish
