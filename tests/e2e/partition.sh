#!/bin/sh
# partition.sh: what the host computes is named where people and drivers look: while compiling, in `weir show`, in the report,
# in host.json; head.weir and tail.weir compute it; a folder is simulated with nothing else at hand.
name=partition
. "$(dirname "$0")/lib.sh"
affine=$E2E_SOURCE/tests/models/affine

expect 0 "on the host, before the hardware: batchnormalization_1 .BatchNormalization." \
    "$WEIR" compile "$affine/head_and_tail.onnx" -o out
grep -q "on the host, after the hardware: relu_[0-9]* (Relu)" output || fail "the tail is not named"
expect 0 "on the host, after the hardware: mul_[0-9]* .Mul." "$WEIR" show out/hardware.weir --table hardware
expect 0 "host=head" "$WEIR" show out/hardware.weir --table text
grep -q "host=tail" output || fail "the text does not name the tail"
for line in '"graph": "head.weir"' '"graph": "tail.weir"' '"operator": "BatchNormalization"' '"stream": "s"' \
    '"stream": "m"' '"operator": "weir.Encode"' '"width": 6' '"error_count": "s_error_count"' '"error": "m_error"'; do
    grep -q -e "$line" out/host.json || fail "host.json has no $line"
done

# The head is a graph like any other: 16 codes a frame, 48 frames.
expect 0 "" "$WEIR" eval out/head.weir --engine float --data "$affine/head_and_tail.npz:x" -o codes.npy
array_tool csv codes.npy codes.csv
[ "$(wc -l <codes.csv)" -eq 48 ] || fail "the head gives $(wc -l <codes.csv) frames"
expect 0 "decode" "$WEIR" show out/tail.weir

# The folder alone, without the graphs of the model.
mkdir moved && mv out moved/out && rm -f moved/out/model.* moved/out/integer.* moved/out/head.* moved/out/tail.*
expect 0 "" "$WEIR" sim moved/out --data "$affine/head_and_tail.npz:x" --simulator icarus --frames 6 -j report.json -o y.npy
array_tool equal "$affine/head_and_tail.npz:expected" y.npy || fail "the folder alone gives something else"
grep -q '"head"' report.json || fail "the report does not name the head"

# A model without anything for the host names nothing.
expect 0 "" "$WEIR" compile "$affine/bipolar_falling.onnx" -o plain
grep -q "on the host" output && fail "the host has no work there"

# A model that is all the host's is no hardware.
"$WEIR" import "$affine/softmax_tail.onnx" -o host.weir
sed -n '/^weir\|^graph\|^input\|^constant/p' host.weir >only.weir
printf 'relu: %%y = Relu(%%x)\n    : float32[48,16]\nq: %%q = QuantizeLinear(%%y, %%c1, %%c2)\n    : uint8[48,16] integer u8 round=half-even scale=0.03125 zero=120 range=[0,255]\noutput q = %%q\n' >>only.weir
cp host.npz only.npz
expect 1 "no part of the model becomes hardware" "$WEIR" compile only.weir -o refused

# What the head made, and inputs, pass by the hardware to the tail; an output may be the host's alone.
"$WEIR" import "$affine/head_and_tail.onnx" -o residual.weir
last=$(sed -n 's/^output .* = %//p' residual.weir)
{
    printf 'mixed: %%mixed = Concat(%%%s, %%div_3) {axis = 1}\n    : float32[48,21]\n' "$last"
    printf 'soft: %%soft = Softmax(%%x) {axis = 1}\n    : float32[48,16]\noutput mixed = %%mixed\noutput soft = %%soft\n'
} >>residual.weir
expect 0 "after: .*mixed" "$WEIR" check residual.weir --data "$affine/head_and_tail.npz:x" --simulator icarus --frames 4 -o by
for line in '"carried"' '"name": "div_3"' '"name": "soft"'; do
    grep -q -e "$line" by/host.json || fail "host.json has no $line"
done
expect 0 "" "$WEIR" sim by --data "$affine/head_and_tail.npz:x" --simulator icarus --frames 4 -o by.npz
"$WEIR" eval residual.weir --engine float --data "$affine/head_and_tail.npz:x" -o float.npz
for output in mixed soft; do
    array_tool equal "float.npz:$output" "by.npz:$output" || fail "$output: the host computes something else after the hardware"
done

# In the middle it is refused, with the node's name and the way out.
"$WEIR" import "$affine/gemm_bn_relu.onnx" -o middle.weir
sed 's/= Relu(/= LogSoftmax(/' middle.weir >softmax.weir && cp middle.npz softmax.npz
cmp -s middle.weir softmax.weir && fail "no Relu to replace"
expect 1 "LogSoftmax.: is between quantized operators, but only the host computes it" "$WEIR" compile softmax.weir -o refused
grep -q "^note: between layers it has no hardware" output || fail "no way out"
[ ! -e refused ] || fail "a refused model left a folder"
finish
