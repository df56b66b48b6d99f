#!/bin/sh
# Pruned networks in hardware: without a part of their channels, and with masks of data, they simulate without a wrong
# value, and what remove_channels leaves computes in float what the masks left (within the rounding of sums).
# test: name=pruning seconds=600
name=pruning
. "$(dirname "$0")/lib.sh"

calibration=$models/digits_calib.npz
float=$models/mlp_float.onnx

# check PASSES: on Verilator, 20 frames.
check() {
    expect 0 '^  verilator +always +20 +0 of ' "$WEIR" check "$float" --passes "$1" -q int8 -c "$calibration" --data "$test_data" \
        --simulator verilator --frames 20 --debug-frames 2
}

channels='prune{weight="{sparsity: 0.3, method: l1-norm, granularity: channel, coupled: true, bias: true}"}'
check "$channels,remove_channels"
grep -Eq '^  fc1 +weir_mvu ' output || fail "no fc1"

expect 0 '' "$WEIR" opt "$float" -p "$channels" -o masked.weir
expect 0 '' "$WEIR" opt masked.weir -p remove_channels -o removed.weir
for graph in masked removed; do
    expect 0 '' "$WEIR" eval "$graph.weir" -e float --data "$test_data" -o "$graph.npy"
done
array_tool equal masked.npy removed.npy 1e-4 || fail "other results without masked channels"
array_tool plant removed.npy planted.npy 77
array_tool equal masked.npy planted.npy 1e-9 2>/dev/null && fail "a wrong element goes unseen"
# Of 64 channels 19 go: 0.3 * 64 = 19.2.
grep -q '^fc1: .*' removed.weir && grep -A 1 '^fc1: ' removed.weir | grep -q 'float32\[1,45\]' || fail "fc1 has not 45 channels"

check 'prune{activation="{sparsity: 0.5, method: l1-norm, scope: global}" dummy_in="'"$calibration"'"}'
check 'prune{activation="{sparsity: {fc2: 0.3}, method: random}"}'
expect 1 "error: node '[a-z0-9]*_stays' \(GreaterOrEqual\): hardware computes functions of one quantized tensor" "$WEIR" compile "$float" \
    --passes 'prune{activation="{sparsity: 0.5, method: l1-norm}"}' -q int8 -c "$calibration" -o refused
[ ! -e refused ] || fail "half a folder"
finish
