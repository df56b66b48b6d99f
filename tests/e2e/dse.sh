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
    [ "$evaluations" = - ] || [ "$(top evaluations)" = "$evaluations" ] || fail "$*: $(top evaluations) evaluations, expected $evaluations"
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
[ "$checked" -eq 47 ] || fail "$checked totals compared, expected 47"

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

expect 1 "error: stage 6 'multi_processing_spawn': expected it above the stage that gives 'spatial_mapping'" dse gemm_layer.yaml gemm_l1 gemm_l1 --stages multi_processing_gather,workload,spatial_mapping_conversion,multi_processing_spawn,loma,cost_model

# --- hardware that varies: ZigZag's numbers for each variant, and the best of all ---
below='workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma{lpf_limit=6},cost_model'
variants() { # DEFECTS...
    rm -rf variant
    dse gemm_layer.yaml gemm_l1_l3 gemm_l1_l3 --stages "hardware_optimizer,dump{file=\"variant/{accelerator}.json\"},$below" --json out.json "$@" >output 2>&1 ||
        fail "hardware_optimizer: $(cat output)"
}
first() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" "$2" | head -1; }
tail -n +2 "$files/hardware_optimizer.tsv" >rows
# Double buffering decides for the small memories, loads while the array computes for the others.
for defect in single_buffered:16 negative_onloading:24; do
    variants --defect "${defect%:*}"
    differing=0
    while IFS='	' read -r number energy latency; do
        file=variant/gemm_l1_l3_$number.json
        same "$energy" "$(first energy "$file")" && same "$latency" "$(first latency "$file")" || differing=$((differing + 1))
    done <rows
    [ "$differing" -eq "${defect#*:}" ] || fail "--defect ${defect%:*}: $differing variants differ, expected ${defect#*:}"
done
variants
compared=0
while IFS='	' read -r number energy latency; do
    file=variant/gemm_l1_l3_$number.json
    same "$energy" "$(first energy "$file")" || fail "variant $number: energy $(first energy "$file"), expected $energy"
    same "$latency" "$(first latency "$file")" || fail "variant $number: latency $(first latency "$file"), expected $latency"
    compared=$((compared + 1))
done <rows
[ "$compared" -eq 40 ] || fail "$compared variants compared, expected 40"
for file in variant/*.json; do printf '%s %s\n' "$(first latency "$file")" "$(first energy "$file")"; done >costs
[ "$(wc -l <costs)" -eq 40 ] || fail "$(wc -l <costs) variants, expected 40"
least=$(sort -g -k1,1 -k2,2 costs | head -1)
[ "$(top latency) $(top energy)" = "$least" ] || fail "the best of the variants is $(top latency) $(top energy), expected $least"
expect 1 "error: stage 'hardware_optimizer': expected the accelerator gemm_l1_l3" dse gemm_layer.yaml gemm_l1 gemm_l1 --stages "hardware_optimizer,$below"
expect 1 "error: stage 'hardware_optimizer': expected one layer, a Gemm; found [0-9]+" dse resnet18.yaml gemm_l1_l3 default --stages "hardware_optimizer,$below"

# --- every published stage is there ---
for stage in Main AcceleratorParser WorkloadParser ONNXModelParser GeneralParameterIterator Workload PlotTemporalMappings MinimalEnergy \
    MinimalLatency MinimalEDP Sum Listify RemoveExtraInfo CacheBeforeYield SkipIfDumpExists MultiProcessingSpawn MultiProcessingGather \
    CompleteSave SimpleSave PickleSave Dump TemporalMappingGenerator Salsa TemporalOrderingConversion SpatialMappingConversion \
    SpatialMappingGenerator SearchInterLayerDataLocality ExploitInterLayerDataLocality Visualization HardwareOptimizer; do
    expect 1 "error: stage [0-9]* '[a-z_]*' (makes no results|needs)" dse gemm_layer.yaml gemm_l1 gemm_l1 --stages "${stage}Stage"
done

# --- threads, files, loading again ---
usual="workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma,cost_model"
small="mini_resnet_layers.yaml tpu_like tpu_like --lpf-limit 4"
# shellcheck disable=SC2086
for threads in 1 2 5; do
    expect 0 "^energy" dse $small --threads $threads --json "threads$threads.json"
    cmp -s threads1.json "threads$threads.json" || fail "$threads threads give other results"
done
# shellcheck disable=SC2086
{
    expect 0 "^energy" dse $small --stages "simple_save{dump_folder=kept},pickle_save{file=kept/all.json},sum,complete_save{dump_folder=kept},$usual" --json saved.json
    mv output first
    expect 0 "^energy" dse $small --stages "sum,workload,load_mapping{file=kept/all.json},cost_model"
    [ "$(sed 's/,[^,]*$//' first)" = "$(sed 's/,[^,]*$//' output)" ] || fail "a saved mapping costs something else"
    expect 0 "^energy" dse $small --stages "sum,workload,load_mapping{file=threads1.json},cost_model"
    [ "$(sed 's/,[^,]*$//' first)" = "$(sed 's/,[^,]*$//' output)" ] || fail "a mapping of --json costs something else"
    sed 's/"K",/"C",/' kept/all.json >wrong.json
    expect 1 "wrong.json: error: the saved mapping of layer '.*' does not fit it" dse $small --stages "sum,workload,load_mapping{file=wrong.json},cost_model"
    expect 1 "gemm.json: error: no mapping of layer 'conv7x7' is saved" sh -c "echo '[]' >gemm.json; '$WEIR' dse -a '$files/hardware/tpu_like.yaml' -w '$files/workload/mini_resnet_layers.yaml' -m '$files/mapping/tpu_like.yaml' --stages 'sum,workload,load_mapping{file=gemm.json},cost_model'"
    expect 0 "" dse $small --stages "dump{file=\"kept/{accelerator}.json\"},sum,workload,skip_if_dump_exists{dump_folder=kept/conv7x7_complete.json},complete_save{dump_folder=kept},minimal_edp,spatial_mapping_generator,loma,cost_model"
    grep -q '"energy_total"' kept/conv7x7_complete.json && grep -q '"word_accesses"' kept/conv7x7_complete.json || fail "what complete_save writes"
    expect 0 "^no result, 0 mappings" dse $small --stages "workload,skip_if_dump_exists{dump_folder=kept/all.json},$(echo $usual | cut -d, -f2-)"
    expect 0 "" dse $small --stages "plot_temporal_mappings{file=bars.svg},visualization{dump_folder=drawn},$usual"
    [ "$(grep -c '^conv7x7\|^Layer' drawn/loop_ordering.txt)" -eq 8 ] && grep -q '^ *parfor K in \[0, 32)   D1$' drawn/loop_ordering.txt || fail "the loop nests"
    for picture in bars.svg drawn/mem_hierarchy.svg; do
        ! command -v xmllint >/dev/null || xmllint --noout "$picture" || fail "$picture is not XML"
    done
    [ "$(grep -c '<rect' bars.svg)" -gt 60 ] && grep -q '>sram_2MB<' drawn/mem_hierarchy.svg || fail "the pictures"
    # Energy alone, the objectives of the published stages and the orders of parameters.
    expect 0 "^4 results, 4 mappings" dse gemm_layer.yaml gemm_l1 gemm_l1 --stages "general_parameter_iterator{iterations=\"lpf_limit=3|3;(count,mixed)=1,false|2,true\"},$usual"
    [ "$(grep -c '^lpf_limit=3 count=[12] mixed=[a-z]*, [^:]*: energy ' output)" -eq 4 ] || fail "a line for each combination"
    # Each alternative is what it is alone, and the best of them is named; a list has its parts, which add up to the sum.
    expect 0 "^2 results" dse $small --stages "general_parameter_iterator{iterations=\"lpf_limit=2|4\"},sum,$usual" --json alternatives.json
    mv output alternatives
    grep -q '"parameters": "lpf_limit=2"' alternatives.json || fail "results do not say of which parameters they are"
    for limit in 2 4; do
        dse mini_resnet_layers.yaml tpu_like tpu_like --lpf-limit $limit --stages "sum,$usual" >alone
        grep -qxF "lpf_limit=$limit: $(sed 's/, [0-9]* mappings.*//' alone)" alternatives || fail "lpf_limit=$limit is another alone: $(cat alone alternatives)"
    done
    expect 0 "^energy" dse $small --stages "minimal_energy,general_parameter_iterator{iterations=\"lpf_limit=2|4\"},sum,$usual" --json best.json
    least=$(sed -n 's/^lpf_limit=\([24]\): energy \([0-9.e+]*\) .*/\2 \1/p' alternatives | sort -g | head -1 | cut -d ' ' -f 2)
    grep -q "\"parameters\": \"lpf_limit=$least\"" best.json || fail "the best alternative is not named"
    dse $small --stages "sum,$usual" >alone
    expect 0 "^[0-9]+ results" dse $small --stages "listify,$usual"
    awk -v want="$(cut -d ' ' -f 2 alone)" '/: energy/ { sub(/.*: energy /, ""); sum += $1 } END { exit sum / want > 1.000001 || sum / want < 0.999999 }' output ||
        fail "the parts of a list are not those of the sum: $(cat alone output)"
    expect 1 "no stage below has an option 'lpf'" dse $small --stages "general_parameter_iterator{iterations=\"lpf=3\"},$usual"
    expect 0 "^energy" dse $small --stages "sum,workload,minimal_energy,spatial_mapping_generator,salsa{iterations=50},cost_model"
    cp output salsa
    expect 0 "^energy" dse $small --stages "sum,workload,minimal_energy,spatial_mapping_generator,salsa{iterations=50},cost_model"
    cmp -s output salsa || fail "SALSA gives something else the second time"
    expect 0 "^energy" dse $small --stages "sum,workload,minimal_energy,spatial_mapping_generator,salsa{iterations=50 seed=2},cost_model"
    cmp -s output salsa && fail "SALSA's seed changes nothing"
    expect 0 "results, " dse $small --load-stage "$E2E_TOOLS/limit_energy.so" --stages "cache_before_yield,remove_extra_info,listify,workload,minimal_latency,cache_before_yield,spatial_mapping_generator,minimal_latency{keep_others=true},loma,cost_model"
}

# --- how far a run is, on a terminal ---
if command -v script >/dev/null; then
    for threads in 1 2; do
        script -qec "'$WEIR' dse -a '$files/hardware/tpu_like.yaml' -w '$files/workload/resnet18.onnx' -m '$files/mapping/tpu_like.yaml' \
            --lpf-limit 8 --spatial-mappings 1 --threads $threads" /dev/null >line 2>&1 || fail "a run on a terminal"
        tr '\r' '\n' <line | sed -n 's/.*layer .*: \([0-9]*\) orders a second; percent: \([0-9]*\) of 100, about [0-9]* s left$/\1 \2/p' >far
        [ -s far ] || fail "$threads threads: no rate and time: $(head -c 300 line)"
        sort -n -k 2 far | cut -d ' ' -f 2 >sorted
        cut -d ' ' -f 2 far | cmp -s - sorted || [ "$threads" -gt 1 ] || fail "a run goes back: $(cat far)"
        awk '$1 < 1 || $2 < 0 || $2 > 100 { exit 1 }' far || fail "$threads threads: $(cat far)"
    done
fi

# --- the least energy, and how far others are from it ---
least() { dse resnet18.onnx tpu_like tpu_like --stages "sum,workload,minimal_energy,spatial_mapping_generator,minimal_energy,$1,cost_model"; }
expect 0 "^energy 1859878498.99[0-9]* pJ.* 21 mappings" least exact
grep -q warning output && fail "a bound that the cost model does not meet"
expect 0 "^energy 1860446855.08[0-9]* pJ" least "loma{lpf_limit=6}"
expect 0 "^energy 18598784[0-9.]* pJ" least salsa

# --- going on ---
# shellcheck disable=SC2086
{
    expect 0 "^energy" dse $small --resume begun --json begun.json
    cmp -s threads1.json begun.json || fail "--resume changes the results"
    [ "$(ls begun | wc -l)" -eq 8 ] || fail "a mapping for each of eight layers"
    rm "begun/$(ls begun | head -1)"
    expect 0 "^energy" dse $small --resume begun --json again.json
    cmp -s threads1.json again.json || fail "what goes on ends elsewhere"
    for file in begun/*; do sed -i 's/"evaluations": *[0-9]*/"evaluations": 1/' "$file"; done
    expect 0 " 8 mappings evaluated" dse $small --resume begun
    expect 0 "" dse $small --resume begun --objective energy
    [ "$(ls begun | wc -l)" -eq 16 ] || fail "another objective takes the first one's mappings"
}

# --- a stage of one's own ---
expect 0 '^limit_energy +drop results' "$WEIR" dse --list --load-stage "$E2E_TOOLS/limit_energy.so"
# Objects that are not of this program's headers.
sed 's/weir [0-9.]* [0-9a-f]\{12\}/weir 9.9.9 0123456789ab/' "$E2E_TOOLS/limit_energy.so" >older.so
expect 1 "older.so: error: was compiled for 'weir 9.9.9 0123456789ab', expected 'weir [0-9.]+ [0-9a-f]+'" "$WEIR" dse --list --load-stage older.so
expect 1 "absent.so: error: no such file" "$WEIR" dse --list --load-stage absent.so
expect 0 "^energy 511349.76[0-9]* pJ" dse gemm_layer.yaml gemm_l1 gemm_l1 --lpf-limit 3 --load-stage "$E2E_TOOLS/limit_energy.so" --stages "workload,minimal_latency,limit_energy{most=511350},spatial_mapping_generator,loma,cost_model"
expect 1 "layer 'Layer0' has no mapping" dse gemm_layer.yaml gemm_l1 gemm_l1 --lpf-limit 3 --load-stage "$E2E_TOOLS/limit_energy.so" --stages "workload,minimal_latency,limit_energy{most=511349},spatial_mapping_generator,loma,cost_model"
expect 1 "has no symbol 'weir_dse_stages', expected that of WEIR_DSE_STAGES" dse gemm_layer.yaml gemm_l1 gemm_l1 --load-stage "$(ldconfig -p 2>/dev/null | sed -n 's/.*libz\.so\.1 .*=> //p' | head -1)"

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
# A convolution that cannot be read is no operator that counts as nothing.
# Layers are called as in the file, where a mapping is chosen by that name.
{
    cat "$files/mapping/tpu_like.yaml"
    printf -- '- name: /fc/Gemm\n  spatial_mapping: {D1: ["K, 2"], D2: ["C, 2"]}\n  memory_operand_links: {O: O, W: I2, I: I1}\n'
} >named.yaml
expect 0 "mappings evaluated" "$WEIR" dse -a "$files/hardware/tpu_like.yaml" -w "$files/workload/resnet18.onnx" -m named.yaml --lpf-limit 3 --json named.json
jq -r '.. | objects | select(.layer) | .layer' named.json | tr '\n' ' ' | grep -q '^/conv1/Conv /layer1/layer1.0/conv1/Conv .* /fc/Gemm $' ||
    fail "names of layers: $(jq -c '[.. | .layer? // empty]' named.json)"
jq -e '[.. | objects | select(.layer == "/fc/Gemm")][0].spatial_mapping.D1 == [["K", 2]]' named.json >/dev/null ||
    fail "a mapping by a layer's name: $(jq -c '[.. | objects | select(.layer == "/fc/Gemm")]' named.json)"

model() { # SED-SCRIPT MESSAGE
    sed "$1" "$files/workload/resnet18_bits.onnx" >damaged.onnx
    cmp -s damaged.onnx "$files/workload/resnet18_bits.onnx" && fail "nothing is damaged by '$1'"
    expect 1 "damaged.onnx:1: error: node '$2" "$WEIR" dse -a "$files/hardware/tpu_like.yaml" -w damaged.onnx -m "$files/mapping/tpu_like.yaml"
}
model 's/act_size\x18\x06/act_size\x18\x00/' "/conv1/Conv': act_size is 0, expected 1 to 1024 bits"
model 's/act_size\x18/act_sizf\x18/' ".*: unknown attribute 'act_sizf'"
model 's/act_size\x18\x06\xa0\x01\x02/act_size\x18\x06\xa0\x01\x01/' ".*: attribute 'act_size' must be a whole number"

# --- ZigZag's errors, mended unless they are asked for ---
eyeriss="mini_resnet_layers.yaml eyeriss_like default --lpf-limit 4"
# shellcheck disable=SC2086
{
    expect 0 "" dse $eyeriss --json out.json
    grep -q 'loading": -' out.json && fail "loading takes less than no time"
    expect 0 "" dse $eyeriss --json out.json --defect negative_onloading
    grep -q '"data_offloading": -' out.json || fail "--defect negative_onloading changes nothing"
}
# By ZigZag 3.9.1.
sed 's/^    served_dimensions: .*/&\n    force_double_buffering: True/' "$files/hardware/eyeriss_like.yaml" >double.yaml
double() { "$WEIR" dse -a double.yaml -w "$files/workload/mini_resnet_layers.yaml" -m "$files/mapping/default.yaml" --lpf-limit 4 "$@"; }
expect 0 "^energy 3475833078 pJ, latency 7546813 cycles, " double
expect 0 "^energy 3320719035 pJ, latency 7105731 cycles, " double --defect single_buffered
expect 1 "error: unknown defect 'x', expected negative_onloading" dse gemm_layer.yaml gemm_l1 gemm_l1 --defect x
# Three links of the weights have one shared port each: 64 bits of reg_W, 128 x 128 x 8 bits of l1 and l2, at 64 bits a cycle.
cat >fixed.yaml <<'END'
- name: default
  spatial_mapping: {D1: ["D1, 8"], D2: ["D2, 8"]}
END
ports() { "$WEIR" dse -a "$files/own/shared_ports.yaml" -w "$files/workload/gemm_layer.yaml" -m fixed.yaml --lpf-limit 3 --json out.json "$@"; }
onloading() { sed -n 's/^ *"data_onloading": \([-0-9.]*\),/\1/p' out.json | tail -1; }
expect 0 "" ports
[ "$(onloading)" = 2184.0 ] || fail "on-loading over three links: $(onloading)"
expect 0 "" ports --defect half_shared_replaced
[ "$(onloading)" = 2048.0 ] || fail "on-loading over the last link: $(onloading)"
# Of three spatial mappings one needs 64 sums of 32 bits in 1,024.
cat >hints.yaml <<'END'
- name: default
  spatial_mapping_hint: {D1: [D0, D1], D2: [D1, D2]}
END
sed 's/size: 65536/size: 1024/' "$files/own/shared_ports.yaml" >tight.yaml
sed "s/O_final: 8/O_final: 32/" "$files/workload/gemm_layer.yaml" >wide.yaml
tight() { "$WEIR" dse -a tight.yaml -w wide.yaml -m hints.yaml --lpf-limit 3 "$@"; }
expect 0 "^energy" tight
grep -q "warning: layer 'Layer0': no order of its loops fits a spatial mapping" output &&
    grep -q "memory 'l1' of 'shared_ports' has 1024 bits" output || fail "what does not fit is not told"
expect 1 "error: layer 'Layer0': no order of its loops fits a spatial mapping" tight --defect fatal_misfit

# --- what does not fit ---
sed 's/size: 16$/size: 8/' "$files/hardware/tpu_like.yaml" >small.yaml
expect 1 "memory 'rf_2B' of 'tpu_like' has 8 bits, operand 'O' needs 16: 8 too many" "$WEIR" dse -a small.yaml -w "$files/workload/resnet18.yaml" -m "$files/mapping/tpu_like.yaml"
grep -q "error: layer '.*' has no mapping that fits 'tpu_like'" output || fail "a layer without a mapping"

finish
