#!/bin/sh
# A model with two inputs from data to hardware on both simulators: an archive with their names, a file for each, and what
# is said when one is missing. The sum of both is x + x, which the float engine gives too. An input that nothing reads needs no data; nodes of
# the text form may have any name.
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
expect 0 "0 of 1280" "$WEIR" check sum.weir -q int8 -c left=x.npy -c right=x.npy $data --debug-frames 0 -o design -j report.json --target-interval 16
grep -q "ideal interval 16 cycles" output || fail "components without a pacemaker take the interval that is asked for"
report_check report.json --simulator both --profile always --frames 20 --no-debug || fail "report"
for port in s_left_data s_right_data m_data; do
    grep -q "$port" design/rtl/sum.v || fail "no port $port"
done
expect 0 "0 of 1280" "$WEIR" sim design -d left=x.npy,right=x.npy --simulator verilator --profile all -o out.npz
expect 0 "" "$WEIR" eval sum.weir -q int8 -c left=x.npy,right=x.npy $data -o integer.npz
array_tool same out.npz integer.npz || fail "hardware and integer engine differ"
array_tool equal integer.npz float.npy 0.05 || fail "integer and float engine differ"
expect 1 "no data for input 'right'" "$WEIR" sim design -d left=x.npy --simulator verilator

sed -e 's/^add:/"a<b>\&c":/' -e '/^input %right/s/.*/&\ninput %spare : float32[1,3]/' sum.weir >spare.weir
cp sum.npz spare.npz
expect 0 "note: input 'spare' needs no data: nothing reads it" "$WEIR" eval spare.weir -e float $data -o spare.npy
array_tool same spare.npy float.npy || fail "an input that nothing reads changes the result"
expect 0 "1 +0 of 64" "$WEIR" check spare.weir -q int8 -c left=x.npy,right=x.npy $data --frames 1 --debug-frames 1 --simulator icarus --target-interval 16
expect 1 "no data for input 'right'" "$WEIR" eval spare.weir -e float -dleft=x.npy
sed 's/%right)/%left)/' sum.weir >alone.weir
cp sum.npz alone.npz
expect 0 "input 'right' needs no data" "$WEIR" eval alone.weir -e float -d x.npy -o alone.npy
array_tool same alone.npy float.npy || fail "the only input that is read"
finish
