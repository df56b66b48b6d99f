#!/bin/sh
# test: seconds=300 cost=10
# `weir dse` against ZigZag's results for whole workloads, and what it says about files that are wrong.
name=dse
. "$(dirname "$0")/lib.sh"
files=$E2E_SOURCE/tests/dse

# KEY: its value at the top of out.json.
top() { sed -n "s/^  \"$1\": \\([-0-9.e+]*\\),*$/\\1/p" out.json | head -1; }

# EXPECTED FOUND: equal within a relative 1e-12?
same() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(b != "" && (d < 0 ? -d : d) <= 1e-12 * a) }'; }

# WORKLOAD ACCELERATOR MAPPING OPTION...
dse() {
    workload=$1 accelerator=$2 mapping=$3
    shift 3
    "$WEIR" dse -a "$files/hardware/$accelerator.yaml" -w "$files/workload/$workload" -m "$files/mapping/$mapping.yaml" "$@"
}

# --- every total of ZigZag ---
checked=0
check() { # ENERGY LATENCY EVALUATIONS ARGUMENTS OF dse...
    energy=$1 latency=$2 evaluations=$3
    shift 3
    dse "$@" --json out.json >output 2>&1 || { cat output >&2; fail "weir dse $*"; return; }
    same "$energy" "$(top energy)" || fail "$*: energy $(top energy), expected $energy"
    same "$latency" "$(top latency)" || fail "$*: latency $(top latency), expected $latency"
    [ "$(top evaluations)" = "$evaluations" ] || fail "$*: $(top evaluations) evaluations, expected $evaluations"
    checked=$((checked + 1))
}
tail -n +2 "$files/expected.tsv" >rows
while IFS='	' read -r _ workload accelerator mapping objective limit spatial locality mixed energy latency evaluations _; do
    options="--compatible --objective $objective --lpf-limit $limit --spatial-mappings $spatial"
    [ "$locality" = 0 ] || options="$options --data-locality"
    [ "$mixed" = 0 ] || options="$options --mixed-spatial"
    # shellcheck disable=SC2086
    check "$energy" "$latency" "$evaluations" "$workload" "$accelerator" "$mapping" $options
done <rows
[ "$checked" -eq 39 ] || fail "$checked totals compared, expected 39"

# --- planted: a total that is wrong in the 12th digit ---
found=$( (failures=0; check 511349.76000100007 8191 1 gemm_layer.yaml gemm_l1 gemm_l1 --compatible --lpf-limit 3 2>/dev/null; echo "$failures") )
[ "$found" = 1 ] || fail "a wrong total is not found"

# --- pipelines ---
stages='workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma{lpf_limit=6},cost_model'
expect 0 "^energy 19860090.8[0-9]* pJ, latency 8194 cycles, 6 mappings" dse gemm_layer.yaml gemm_l1_l3 gemm_l1_l3 --stages "$stages" --compatible
cat >stages.yaml <<'END'
- MainStage
- AcceleratorParserStage
- WorkloadParserStage
- SumStage
- WorkloadStage
- MinimalLatencyStage
- SpatialMappingGeneratorStage
- MinimalLatencyStage
- TemporalMappingGeneratorStage: {loma_lpf_limit: 6}
- CostModelStage
END
expect 0 "^energy 19860090.8[0-9]* pJ, latency 8194 cycles, 6 mappings" dse gemm_layer.yaml gemm_l1_l3 gemm_l1_l3 --stages stages.yaml --compatible
expect 1 "error: stage 4 'cost_model' needs 'spatial_mapping', which no stage above it gives" dse gemm_layer.yaml gemm_l1 gemm_l1 --stages workload,cost_model

# --- wrong files ---
damage() { # FILE SED LINE-AND-TEXT
    sed "$2" "$files/$1" >damaged.yaml
    cmp -s "$files/$1" damaged.yaml && fail "'$2' changes nothing"
    a=$files/hardware/tpu_like.yaml w=$files/workload/resnet18.yaml m=$files/mapping/tpu_like.yaml
    case $1 in
    hardware/*) a=damaged.yaml ;;
    workload/*) w=damaged.yaml ;;
    mapping/*) m=damaged.yaml ;;
    esac
    expect 1 "damaged.yaml:$3" "$WEIR" dse -a "$a" -w "$w" -m "$m"
}
damage hardware/tpu_like.yaml 's/size: 1024/size: big/' "5: error: expected a whole number from 1 to 9007199254740992, found 'big'"
damage hardware/tpu_like.yaml 's/r_cost: 0.095/rcost: 0.095/' "6: error: rf_128B: unknown key 'rcost'"
damage hardware/tpu_like.yaml 's/I2, fh/O, fh/' "23: error: expected an operand of the memory and a direction"
damage hardware/tpu_like.yaml 's/I2, tl/I2, fh/' "17: error: a read port cannot serve 'I2, fh'"
damage hardware/tpu_like.yaml 's/sizes: .*/sizes: [32]/' "[0-9]*: error: expected 1 to 8 dimensions with a size each"
damage workload/resnet18.yaml '0,/Conv$/s/Conv$/Convolution/' "3: error: expected a type of operator, found 'Convolution'"
damage workload/resnet18.yaml '0,/\[b\]\[k\]\[oy\]/s//[b][k][oz]/' "4: error: equation: 'OZ' is neither a loop nor the name of a relation"
damage workload/resnet18.yaml '0,/ix=2\*ox+1\*fx/s//ix=2*ox/' "5: error: expected a relation of two loops"
damage mapping/tpu_like.yaml 's/K, 32/K 32/' "4: error: expected a loop and its factor"
damage mapping/tpu_like.yaml 's/name: default/name: other/' "1: error: expected a mapping with the name default"
expect 2 "error: --mapping M.yaml is missing" "$WEIR" dse -a a.yaml -w w.yaml

# --- what does not fit ---
sed 's/size: 16$/size: 8/' "$files/hardware/tpu_like.yaml" >small.yaml
expect 1 "memory 'rf_2B' of 'tpu_like' has 8 bits, operand 'O' needs 16: 8 too many" "$WEIR" dse -a small.yaml -w "$files/workload/resnet18.yaml" -m "$files/mapping/tpu_like.yaml"
grep -q "error: layer '.*' has no mapping that fits 'tpu_like'" output || fail "a layer without a mapping"

finish
