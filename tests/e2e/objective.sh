#!/bin/sh
# The best folding for an objective: what is predicted is what is built and simulated, and what does not fit is refused.
# test: seconds=900 cost=40
name=objective
. "$(dirname "$0")/lib.sh"
conv=$E2E_SOURCE/tests/models/conv

# Is the report of the folding that of the design? Optimal, its FIFOs those of the design, the rest what was counted before it was built.
is_right() {
    jq -e '.folding as $f | $f.optimal and $f.value == $f.bound and .fits and
        ([["luts", "flip_flops", "multipliers", "memory_blocks"][] as $r |
            ($f.resources[$r].used == .resources[$r].used) and
            ($f.resources[$r].fifos == ([.nodes[] | select(.component == "weir_fifo") | .[$r]] | add // 0))] | all)' "$1" >/dev/null
}
# best MODEL DEVICE OBJECTIVE OPTION...: the report is best.json.
best() {
    rm -rf design
    compiled="$1 --device $2 --objective $3"
    shift 3
    # shellcheck disable=SC2086 # options are words
    expect 0 "folding for" "$WEIR" compile $compiled "$@" -o design --json best.json
    is_right best.json || fail "$compiled $*: $(jq -c .folding best.json)"
}
for model in "$models/mlp_residual_qdq" "$conv/separable_qdq" $(! is_night || echo "$models/mlp_qdq" "$conv/inception_qdq" "$conv/autoencoder_qdq" "$conv/line_qdq"); do
    for objective in throughput area energy; do best "$model.onnx" ecp5-25k $objective; done
done
# Intervals with which a requantizer's memory goes by the Linear that follows and others with which it does not.
best "$E2E_SOURCE/tests/models/lenet/lenet_qdq.onnx" xc7a100t energy

# Of its bounds two say nothing: what is behind them begins before the element that they are about has come.
expect 0 "folding for latency" "$WEIR" compile "$conv/dense_blocks_qdq.onnx" --device ecp5-45k --objective latency -o blocks

# From end to end no folding for another objective is quicker, and none, whatever its interval, is below the bound, which is more than the interval.
is_bound() { jq -e --argjson bound "$2" ".folding.paced_latency >= \$bound" "$1" >/dev/null; }
for model in "$models/mlp_qdq" "$conv/separable_qdq" $(! is_night || echo "$conv/pooled_qdq" "$conv/inception_qdq"); do
    expect 0 "folding for latency" "$WEIR" compile "$model.onnx" --device ecp5-25k --objective latency -o quick --json quick.json
    jq -e '.folding | .value == .paced_latency and .bound <= .value and .optimal == (.bound == .value)' quick.json >/dev/null ||
        fail "$model: $(jq -c .folding quick.json)"
    case $model in
    */mlp_qdq) jq -e .folding.optimal quick.json >/dev/null || fail "$model is not proved: $(jq -c .folding quick.json)" ;;
    esac
    bound=$(jq .folding.bound quick.json) quickest=$(jq .folding.paced_latency quick.json)
    for objective in throughput area energy; do
        for target in 0 4000 400; do
            "$WEIR" compile "$model.onnx" --device ecp5-25k --objective $objective --target-interval $target -o other --json other.json >log 2>&1 ||
                continue
            is_bound other.json "$bound" || fail "$model: $objective is below the bound: $(jq -c .folding other.json)"
            [ "$(jq .folding.paced_latency other.json)" -ge "$quickest" ] || fail "$model: $objective is quicker: $(jq -c .folding other.json)"
        done
    done
done
# Planted: a bound that is too high.
is_bound other.json "$(($(jq .folding.paced_latency other.json) + 1))" && fail "a wrong bound goes unseen"

# Planted: a lookup table more.
jq '.folding.resources.luts.fifos += 1' best.json >planted.json
is_right planted.json && fail "a wrong count goes unseen"

# A shorter interval does not take fewer tables; at the tables and interval of the least area nothing is faster.
best "$models/mlp_qdq.onnx" ecp5-25k area --target-interval 400
luts=$(jq .folding.resources.luts.used best.json) interval=$(jq .folding.interval best.json)
[ "$interval" -le 400 ] || fail "$interval cycles, not 400"
best "$models/mlp_qdq.onnx" ecp5-25k throughput --budget "lut=$luts"
[ "$(jq .folding.interval best.json)" -le "$interval" ] || fail "slower at the tables of a smaller design"
expect 1 "no folding fits ecp5-25k in 400 cycles" "$WEIR" compile "$models/mlp_qdq.onnx" --device ecp5-25k --objective area \
    --target-interval 400 --budget "lut=$((luts - 1))" -o refused
[ ! -e refused ] || fail "a failed compile leaves a folder"
# What would fit: the shortest interval there, which is that of the objective throughput, and the smallest device.
best "$models/mlp_residual_qdq.onnx" ecp5-25k throughput
shortest=$(jq .folding.interval best.json)
expect 1 "the shortest interval that fits is $shortest cycles" "$WEIR" compile "$models/mlp_residual_qdq.onnx" --device ecp5-25k \
    --objective area --target-interval 128 -o refused
nearest=$(sed -n 's/.*the smallest known device that has room in 128 cycles a frame is //p' output)
expect 0 "" "$WEIR" compile "$models/mlp_residual_qdq.onnx" --device "$nearest" --objective area --target-interval 128 -o roomier

# Simulated: the interval that was promised, and the same results.
if is_night; then
    best "$models/mlp_residual_qdq.onnx" ecp5-25k throughput
    expect 0 "24 frames" "$WEIR" sim design --data "$test_data" --frames 24 --simulator verilator --profile always --debug-frames 1 --json report.json
    report_check report.json --simulator verilator --profile always --frames 24 || fail "the schedule of the best folding"
fi

# All but what is left to others, of whatever device.
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" --device ice40up5k --budget lut=-2280,bram=-2 -o all_but
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" --device ice40up5k --budget lut=3000,bram=28 -o some
cmp all_but/hardware.weir some/hardware.weir || fail "a budget that leaves something to others"
expect 1 "smallest known device that has room is" "$WEIR" compile "$models/mlp_qdq.onnx" --device ice40up5k --budget lut=-5000 -o refused
expect 1 "lut, ff, dsp and bram" "$WEIR" compile "$models/mlp_qdq.onnx" --device ice40up5k --budget lut=-5% -o refused

# Refusals.
expect 1 "no folding fits ice40up5k.*at least [0-9]+ LUTs of 500" "$WEIR" compile "$models/mlp_qdq.onnx" --device ice40up5k \
    --objective throughput --budget lut=500 -o refused
expect 1 "more than the 1 asked for" "$WEIR" compile "$conv/separable_qdq.onnx" --device ecp5-25k --objective area -t 1 -o refused
expect 1 "needs a device" "$WEIR" compile "$models/mlp_qdq.onnx" --objective area -o refused
expect 1 "lut, ff, dsp and bram" "$WEIR" compile "$models/mlp_qdq.onnx" --device ecp5-25k --objective area --budget luts=4 -o refused
expect 2 "objective" "$WEIR" compile "$models/mlp_qdq.onnx" --device ecp5-25k --objective speed -o refused
finish
