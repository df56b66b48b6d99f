#!/bin/sh
# remote.sh: boards/host/graph, a network on a board as a function of the model's tensors, against simulated boards: the outputs are those of the software, with what the
# host computes before and behind the hardware and what it carries past it; another bitstream, a folder that is none and a damaged one are told.
# test: name=remote seconds=600 cost=10
name=remote
. "$(dirname "$0")/lib.sh"
need_tools verilator jq
model=$models/mlp_qdq.onnx

weir board build "$model" --board icebreaker --sources --clock 12 -o digits >/dev/null || fail "build"
expect 0 "" "$E2E_TOOLS/remote_tool" digits "$test_data" digits.npz
weir eval "$model" -d "$test_data" -o digits.npy 2>/dev/null
array_tool equal digits.npy digits.npz:logits || fail "other outputs than the software's"
# A wrong expectation is seen.
weir eval "$models/mlp_float.onnx" --engine float -d "$test_data" -o float.npy 2>/dev/null
if array_tool equal float.npy digits.npz:logits >/dev/null 2>&1; then fail "the comparison sees nothing"; fi

jq '.build = "0x00000001"' digits/board.json >other && cp digits/board.json good && cp other digits/board.json
expect 1 "STRANGER: another bitstream: build [0-9a-f]*, model [0-9a-f]*, expected 00000001" "$E2E_TOOLS/remote_tool" digits "$test_data" none.npz
cp good digits/board.json
expect 1 "FORMAT: .*board.json" "$E2E_TOOLS/remote_tool" digits/rtl "$test_data" none.npz
jq '.tail.inputs[0].elements = 11' digits/design/host.json >other && cp other digits/design/host.json
expect 1 "FORMAT: .*'tail' differs from 'tail.weir'" "$E2E_TOOLS/remote_tool" digits "$test_data" none.npz

# What the head made, and inputs, pass by the hardware to the tail; an output is the host's alone.
if is_night; then
    affine=$E2E_SOURCE/tests/models/affine
    weir import "$affine/head_and_tail.onnx" -o residual.weir
    last=$(sed -n 's/^output .* = %//p' residual.weir)
    {
        printf 'mixed: %%mixed = Concat(%%%s, %%div_3) {axis = 1}\n    : float32[48,21]\n' "$last"
        printf 'soft: %%soft = Softmax(%%x) {axis = 1}\n    : float32[48,16]\noutput mixed = %%mixed\noutput soft = %%soft\n'
    } >>residual.weir
    expect 0 "" "$WEIR" board build residual.weir --board icebreaker --sources --clock 12 -o residual
    expect 0 "" "$E2E_TOOLS/remote_tool" residual "$affine/head_and_tail.npz:x" came.npz
    weir eval residual.weir --engine float -d "$affine/head_and_tail.npz:x" -o software.npz 2>/dev/null
    for output in mixed soft; do array_tool equal "software.npz:$output" "came.npz:$output" || fail "$output differs"; done
fi
finish
