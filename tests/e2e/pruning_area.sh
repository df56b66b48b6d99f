#!/bin/sh
# summarize_pruning's synthesized area is that which 'weir synth' finds of the compiled networks, and its estimates are those of 'weir compile'.
# test: name=pruning_area seconds=600 label=nightly
name=pruning_area
. "$(dirname "$0")/lib.sh"
need_tools yosys jq

float=$models/mlp_float.onnx calibration=$models/digits_calib.npz device=ice40hx8k interval=6000
prune='prune{weight="{sparsity: 0.5, method: l1-norm, granularity: channel, coupled: true, bias: true}"},remove_channels'
summary="summarize_pruning{original_graph=\"$float\" device=$device calibration=\"$calibration\" target-interval=$interval synthesize=true}"

expect 0 '^\| LUTs by Yosys +\|' "$WEIR" opt "$float" -p "$prune,$summary"
"$WEIR" opt "$float" -p "$prune,$summary" --info json >info.json 2>/dev/null || fail "no info"
jq '.[] | select(.pass == "summarize_pruning") | .info' info.json >summary.json

# uses SIDE PASSES: what `weir synth` says of the compiled network, in the summary's words.
uses() {
    expect 0 '' "$WEIR" compile "$float" --passes "$2" -q int8 -c "$calibration" --device $device --target-interval $interval -o "$1"
    expect 0 '' "$WEIR" synth "$1" -n 0 --json "$1.json"
    jq -r '.utilization | to_entries[] | "mapped_\(.key) \(.value.used)"' "$1.json" | sort >"$1.theirs"
    jq -r ".$1"' | to_entries[] | select(.key | startswith("mapped_")) | "\(.key) \(.value)"' summary.json | sort >"$1.ours"
    [ "$(wc -l <"$1.ours")" -eq 4 ] || fail "$1: $(cat "$1.ours")"
    cmp -s "$1.ours" "$1.theirs" || fail "$1: $(diff "$1.ours" "$1.theirs")"
}
uses before ""
uses after "$prune"
# A fault must be seen.
cmp -s before.ours after.theirs && fail "the pruned network takes as much as the other"

expect 1 "'synthesize' needs a 'device'" "$WEIR" opt "$float" -p "summarize_pruning{original_graph=\"$float\" synthesize=true}"
mkdir -p empty
expect 1 "apt-get install yosys" env PATH="$work/empty" "$WEIR" opt "$float" -p "$summary"
finish
