#!/bin/sh
# Foldings over devices and budgets: a front, whose files compile to what the table says, and stages that compose.
# test: seconds=600 label=nightly
name=sweep
. "$(dirname "$0")/lib.sh"
need_tools jq
conv=$E2E_SOURCE/tests/models/conv

# The row of a table: is it what its file compiles to? wrong ROW MODEL OPTION... says what is not so.
wrong() {
    row=$1
    shift
    echo "$row" | {
        IFS=, read -r file device _ interval rate _ _ luts flip_flops multipliers blocks _
        rm -rf design
        "$WEIR" compile "$@" --device "$device" --folding "front/$file" -o design --json design.json >log 2>&1 || { echo "$file: $(cat log)"; return; }
        jq -r --argjson interval "$interval" --argjson luts "$luts" --argjson flip_flops "$flip_flops" --argjson multipliers "$multipliers" \
            --argjson blocks "$blocks" --argjson rate "$rate" '.resources as $r |
            {luts: $luts, flip_flops: $flip_flops, multipliers: $multipliers, memory_blocks: $blocks} | to_entries[] |
            select(.value != $r[.key].used) | "\(.key): \(.value) instead of \($r[.key].used)"' design.json
        jq -r --argjson rate "$rate" 'if .inferences_per_second == null then empty else
            .inferences_per_second / $rate | select(. < 0.999 or . > 1.001) | "inferences a second: \(.) of the table" end' design.json
    }
}

# The front of a table: does no row beat another? beaten TABLE says which does.
beaten() {
    awk -F, 'NR > 1 { n++; name[n] = $1; v[n, 1] = -$5; v[n, 2] = $8; v[n, 3] = $10; v[n, 4] = $11; device[n] = $2 }
        END { for (a = 1; a <= n; a++) for (b = 1; b <= n; b++) {
            if (a == b || device[a] != device[b]) continue
            worse = 0
            for (k = 1; k <= 4; k++) worse += v[a, k] > v[b, k]
            if (!worse) print name[a] " beats " name[b] } }' "$1"
}

# sweep MODEL OPTION...; $quantize: options of the model
quantize=
sweep() {
    model=$1
    shift
    rm -rf front
    # shellcheck disable=SC2086 # options are words
    expect 0 "inferences/s" "$WEIR" dse --sweep front -w "$model" "$@" $quantize
    beaten front/front.csv >found
    [ ! -s found ] || fail "$model: $(cat found)"
    rows=$(tail -n +2 front/front.csv | wc -l)
    [ "$rows" -eq "$(find front -name '*.yaml' | wc -l)" ] || fail "$model: files and rows differ"
    [ "$rows" -eq "$(grep -c 'inferences/s' output)" ] || fail "$model: lines and rows differ"
    [ "$(cut -d, -f13 front/front.csv | grep -c yes)" -eq 1 ] || fail "$model: one is chosen"
    tail -n +2 front/front.csv >rows
    while read -r row; do
        # shellcheck disable=SC2086
        wrong "$row" "$model" $quantize >found
        [ ! -s found ] || fail "$row: $(cat found)"
    done <rows
}

sweep "$models/mlp_qdq.onnx" --device ice40up5k --device ecp5-25k --budget 100% --budget lut=20000,dsp=14
[ "$(cut -d, -f2 rows | sort -u | wc -l)" -eq 2 ] || fail "not both devices"
grep -q '"lut=20000,dsp=14"' rows || fail "a budget that is not there"
[ "$(grep -c '<circle' front/front.svg)" -eq $((rows + 3)) ] || fail "points of the picture: one a row, a ring, two in the legend"

# Planted: a row of another folding, a row that another beats.
row=$(head -1 rows)
[ -n "$(wrong "$(echo "$row" | awk -F, -v OFS=, '{ $8++; print }')" "$models/mlp_qdq.onnx")" ] || fail "a lookup table more goes unseen"
{ cat front/front.csv; tail -1 front/front.csv | awk -F, -v OFS=, '{ $1 = "worse"; $8++; print }'; } >planted.csv
beaten planted.csv | grep -q "beats worse" || fail "a folding that another beats goes unseen"

# A window that is divided, branches, a float model, a rate.
sweep "$conv/separable_qdq.onnx" --device ecp5-25k --budget 100%
sweep "$conv/inception_qdq.onnx" --device ice40hx8k --device xc7a35t --budget 100%
quantize=$(quantize_options int8)
sweep "$models/mlp_float.onnx" --device ecp5-25k --rate 100000
quantize=
awk -F, '$13 == "yes" { exit !($5 >= 100000) }' front/front.csv || fail "the chosen one is too slow"
awk -F, '$5 >= 100000 && $13 == "no" { print $8 }' front/front.csv | sort -n | head -1 >others
[ "$(awk -F, '$13 == "yes" { print $8 }' front/front.csv)" -le "$(cat others)" ] || fail "the chosen one is not the smallest"

# The fastest is what compile finds, the smallest as well.
sweep "$models/mlp_residual_qdq.onnx" --device ecp5-25k --budget 100%
for objective in throughput area; do
    "$WEIR" compile "$models/mlp_residual_qdq.onnx" --device ecp5-25k --objective $objective -o best --json best.json >log
    interval=$(jq .folding.interval best.json) luts=$(jq .folding.resources.luts.used best.json)
    cut -d, -f4,8 front/front.csv | grep -q "^$interval,$luts\$" || fail "the best folding for $objective is not on the front"
done

# --- stages ---
stages='target{device=ecp5-25k},folding_generator{points=3},pipeline,components,resource_model'
expect 0 "" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages "$stages" --json all.json # the whole has its doors, too
jq -e '[.results[].latency] == ([.results[].latency] | sort) and ([.results[] |
    (.latency == ([.results[].latency] | max)) and (.hardware.luts - ([.results[].hardware.luts] | add) | . > 0 and . < 100) and
    (.energy > ([.results[].energy] | add))] | all)' all.json >/dev/null || fail "maxima and sums: $(jq -c . all.json)"
cat >stages.yaml <<'END'
- ParetoStage: {of: "time,luts"}
- TargetStage: {device: ecp5-25k, clock: 50}
- FoldingGeneratorStage: {budget: 50%}
- PipelineStage
- ComponentsStage
- ResourceModelStage
END
expect 0 "cycles" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages stages.yaml
expect 0 " 256 cycles" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages "minimal_latency,$stages"
[ "$(grep -c inferences output)" -eq 1 ] || fail "the least latency is one"
expect 1 "stage 1 'folding_generator' needs 'hardware', which no stage above it gives" "$WEIR" dse -w "$models/mlp_qdq.onnx" \
    --stages folding_generator,components,resource_model
expect 1 "stage 3 'resource_model' needs 'component'" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages "${stages%%,*},folding_generator,resource_model"
expect 1 "'pipeline' makes no results of its own" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages "${stages%%,*},pipeline"
expect 1 "of: expected energy, .* found 'speed'" "$WEIR" dse -w "$models/mlp_qdq.onnx" --stages "pareto{of=speed},$stages"
expect 1 "budget 'luts=4': expected" "$WEIR" dse --sweep front -w "$models/mlp_qdq.onnx" --device ecp5-25k --budget luts=4
expect 1 "budget '50': expected" "$WEIR" dse --sweep front -w "$models/mlp_qdq.onnx" --device ecp5-25k --budget 50
expect 2 "ecp5-26k" "$WEIR" dse --sweep front -w "$models/mlp_qdq.onnx" --device ecp5-26k
expect 2 "error: --workload W is missing" "$WEIR" dse --sweep front
# Options that would do nothing.
expect 2 "error: --compatible cannot be combined with --sweep" "$WEIR" dse --sweep front -w w.onnx --compatible
expect 2 "error: --lpf-limit cannot be combined with --sweep" "$WEIR" dse --sweep front -w w.onnx --lpf-limit 5
expect 2 "error: --rate needs --sweep" "$WEIR" dse -a a.yaml -w w.yaml -m m.yaml --rate 4
expect 2 "error: --sweep cannot be combined with --stages" "$WEIR" dse -w w.onnx --sweep front --stages sum

# Layers that all work at once: the slowest, on as many arrays.
files=$E2E_SOURCE/tests/dse
layers() { "$WEIR" dse -a "$files/hardware/tpu_like.yaml" -w "$files/workload/mini_resnet_layers.yaml" -m "$files/mapping/tpu_like.yaml" --lpf-limit 4 --stages "$1,workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma,cost_model" --json "$1.json"; }
expect 0 "^energy" layers pipeline
expect 0 "^energy" layers sum
[ "$(jq '.results[0] | [.energy, ([.results[].latency] | max)] | tostring' sum.json)" = "$(jq '[.energy, .latency] | tostring' pipeline.json)" ] ||
    fail "a pipeline is as slow as its slowest layer"

# A folding file's interval counts where no target is given, and is checked.
printf 'interval: 2048\n' >slow.yaml
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" --folding slow.yaml -o slow --device ecp5-25k --json slow.json
"$WEIR" compile "$models/mlp_qdq.onnx" --target-interval 2048 -o target --device ecp5-25k --json target.json >log
cmp -s slow.json target.json || fail "an interval in the file is not a target"
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" --folding slow.yaml --target-interval 512 -o fast --device ecp5-25k --json fast.json
cmp -s slow.json fast.json && fail "the option does not count before the file"
printf 'interval: 0\n' >slow.yaml
expect 1 "^slow.yaml:1: error: expected a whole number from 1" "$WEIR" compile "$models/mlp_qdq.onnx" --folding slow.yaml -o slow
finish
