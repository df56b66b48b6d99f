#!/bin/sh
# MASE's analyses on trained networks. The expected numbers come from NumPy (sparsity, statistics, from the model's
# weights and the images) and scikit-learn (metrics of ONNX Runtime's outputs).
name=analyses
. "$(dirname "$0")/lib.sh"

# has TEXT...: each stands in ./output.
has() {
    for text; do
        grep -qF -e "$text" output || { fail "no '$text' in:"; sed 's/^/    /' output >&2; }
    done
}

opt() { expect 0 '' weir opt "$models/$1.onnx" --info json -p "$2"; }

opt mlp_float "calculate_avg_bits_mg"
has '"data_avg_bit": 32.0' '"w_avg_bit": 32.0'
opt mlp_qdq "calculate_avg_bits_mg"
has '"data_avg_bit": 8.0' '"w_avg_bit": 8.0'

opt mlp_float "add_natural_sparsity_metadata{dummy_in=$test_data}"
has '"sparsity": 0.4904360831' '"sparsity": 0.2405935138'

opt mlp_float "profile_statistics{by=type, target_weight_nodes=linear, weight_statistics=\"{variance_precise: {}}\"}"
has '"mean": 0.0227076224' '"variance": 0.0404343244'
statistics="{range_quantile: {quantile: 0.99}, abs_mean: {}}"
opt mlp_float "profile_statistics{target_activation_nodes=relu, activation_statistics=\"$statistics\", num_samples=100,
    batch_size=16, input_generator=$test_data}"
has '"num_samples": 112' '"min": -1.06287' '"max": 3.00113' '"abs_mean": 1.0498'

opt mlp_float "add_pruning_metadata"
has '"weight_sparsity": null'
opt mlp_float "hook_inspection"
has '"hook": "instrument"'

for engine in float integer; do
    opt mlp_qdq "runtime_analysis{engine=$engine, data=$test_data}"
    has '"Average Accuracy": 0.972292191' '"Average Precision": 0.972854038' '"Average Recall": 0.972292191' \
        '"Average F1 Score": 0.972271290' '"Average Loss": 0.10364571'
    has '"frames": 397' '"Throughput (frames/s)"' '"no GPU is used"'
done
expect 0 '^\| Average Validation Accuracy +\| 0\.97229' \
    weir opt "$models/mlp_float.onnx" -p "runtime_analysis{engine=float, model=$models/mlp_qdq.onnx, data=$test_data,
    test=false}"

# Hardware: 6464 multiply-accumulates in intervals of 128 cycles on 52 multipliers; 8 frames per batch at 48 MHz, the last of
# which is done 7 intervals after the first, which takes 398 cycles.
expect 0 '' weir opt "$models/mlp_qdq.onnx" --folder hardware --info json -p "compile, runtime_analysis{data=$test_data,
    simulator=icarus, frames=6, debug-frames=2, batch_size=8, clock-frequency=48}"
has '"engine": "rtl"' '"Interval (cycles)": 128.0' '"Multiplier Utilisation": 0.971153846' '"Latency (cycles)": 1294.0' \
    '"Throughput (frames/s)": 375000.0' '"mismatches": 0'
expect 0 '' weir opt "$models/mlp_qdq.onnx" --folder hardware -p "compile, runtime_analysis{data=$test_data,
    simulator=icarus, frames=2, debug-frames=0}"
has '| Metric (Per Batch)' 'left out: Interval (cycles), needs a simulation of three frames or more'

# The area is what compile estimates for the same interval.
calibration=$models/digits_calib.npz
channels="{sparsity: 0.4, method: l1-norm, granularity: channel, coupled: true}"
expect 0 '' weir opt "$models/mlp_float.onnx" --info json -o removed.weir -p "prune{weight=\"$channels\"}, remove_channels,
    summarize_pruning{original_graph=$models/mlp_float.onnx, data=$test_data, device=ecp5-45k, calibration=$calibration,
    target-interval=256}"
cp output summary.json
for column in before:$models/mlp_float.onnx after:removed.weir; do
    expect 0 '' weir compile "${column#*:}" -q int8 -c "$calibration" --device ecp5-45k --target-interval 256 -o summarized -j estimate.json
    luts=$(grep -m 1 '"used"' estimate.json | tr -dc 0-9)
    sed -n "/\"${column%%:*}\"/,/}/p" summary.json | grep -q "\"luts\": $luts,*\$" || fail "${column%%:*}: not $luts LUTs: $(cat summary.json)"
    rm -r summarized
done

expect 0 '^\| Gemm +\| linear +\| 3 +\| 3 +\| 0 ' weir opt "$models/mlp_qdq.onnx" -p \
    "summarize_quantization{original_graph=$models/mlp_float.onnx, save_dir=summary}"
grep -q '^fc1,fc1,module_related_func,linear,Gemm,"Gemm(data_in_0=integer<8>' summary/quantize_table.csv ||
    fail "no fc1 in the table"
grep -qx 'Relu,relu,2,2,0' summary/quantize_histogram.csv || fail "no relu in the histogram"

# Fixed point with narrow weights, rounded to nearest and down: the shares are NumPy's, from the model's float weights.
for case in 8:half-even:97.73 8:floor:96.73 4:half-even:95.47 4:floor:87.15 3:half-even:93.20 3:floor:45.09; do
    IFS=: read -r width rounding share <<EOF
$case
EOF
    expect 0 "^accuracy $share % of 397" weir eval "$models/mlp_float.onnx" -q fixed -c "$models/digits_calib.npz" \
        -d "$test_data" -s quantize.weight_width=$width -s quantize.constant_rounding=$rounding -o fixed.npy
done

# A quantized model that is far from the float one: by the same computation in NumPy 0.1 dB on these frames.
expect 0 "warning: mlp_float: .*SQNR 0.1 dB, below 10 dB" weir check "$models/mlp_float.onnx" -q fixed \
    -c "$models/digits_calib.npz" -d "$test_data" -s quantize.weight_width=2 -s quantize.constant_rounding=floor \
    --simulator icarus -n 2 --debug-frames 0 -j low.json
has "LOW SQNR" && grep -q '"low_sqnr": true' low.json || fail "no word about the SQNR in the reports"
finish
