#!/bin/sh
# MASE's own example configurations, with its keys and values, run as they are: quantize by each of its arithmetics, TensorRT, ONNX Runtime, prune,
# statistics. What is wrong in one is still an error.
# test: name=mase_configs seconds=300
name=mase_configs
. "$(dirname "$0")/lib.sh"
lenet=$E2E_SOURCE/tests/models/lenet

# config NAME SETTING...: each setting of data, weights and biases.
config() {
    format=$1
    shift
    {
        printf 'by: type\nreport: true\ndefault:\n  config:\n    name: %s\n' "$format"
        for operand in data_in weight bias; do
            for setting in "$@"; do echo "    ${operand}_$setting"; done
        done
    } >"$format.yaml"
}
config integer "width: 8" "frac_width: 3"
config fixed "width: 8" "frac_width: 3"
printf '    data_out_width: 8\n    data_out_frac_width: 3\n    floor: true\n' >>fixed.yaml
config minifloat_ieee "width: 8" "exponent_width: 4" "exponent_bias: 7"
config minifloat_denorm "width: 8" "exponent_width: 4" "exponent_bias: 7"
config log "width: 8" "exponent_bias: 128"
config block_fp "width: 7" "exponent_width: 8" "exponent_bias: 127" "block_size: [1, 16]"
sed -i 's/bias_block_size: .*/bias_block_size: [16]/' block_fp.yaml
echo "    data_in_skip_first_dim: true" >>block_fp.yaml
config block_minifloat "width: 8" "exponent_width: 4" "exponent_bias_width: 4" "block_size: [16]"
config block_log "width: 8" "exponent_bias_width: 4" "block_size: [16]"
config binary "width: 1" "frac_width: 0" "stochastic: 0" "bipolar: 1"
sed -i 's/data_in_width: 1/data_in_width: 32/' binary.yaml
echo "    binary_training: 1" >>binary.yaml
config binary_residual "width: 1" "stochastic: 0" "bipolar: 1"
printf '    data_in_levels: 2\n    data_in_residual_sign: 1\n    binary_training: 1\n' >>binary_residual.yaml
config ternary "width: 2" "scaling_factor: false" "mean: NA" "median: NA" "max: NA"
sed 's/data_in_scaling_factor: false/data_in_scaling_factor: true/' ternary.yaml >ternary_scaled.yaml
cat >>ternary_scaled.yaml <<'END'
relu:
  config:
    name: ternary
    data_in_scaling_factor: true
    data_in_width: 2
    data_in_frac_width: 0
    data_in_mean: NA
    data_in_median: -0.009714938700199127
    data_in_max: 6.568027019500732
END
config flexround "width: 8" "frac_width: 4"
for format in integer fixed minifloat_ieee minifloat_denorm log block_fp block_minifloat block_log binary binary_residual ternary ternary_scaled \
    flexround; do
    expect 0 "accuracy" weir eval "$models/mlp_float.onnx" --engine float --quantize "./$format.yaml" --calibration "$models/digits_calib.npz" \
        -d "$test_data" -o ignored.npy
    expect 0 "accuracy" weir eval "$lenet/lenet_float.onnx" --engine float --quantize "./$format.yaml" --calibration "$lenet/lenet_calib.npz" \
        -d "$lenet/lenet_test.npz" -o ignored.npy
    expect 0 "" weir opt "$models/mlp_float.onnx" -p "quantize_transform_pass{config=\"./$format.yaml\" calibration=\"$models/digits_calib.npz\"},summarize_quantization_analysis_pass{original_graph=model,save_dir=summary}"
done
# Binary layers with data of 32 bits keep it.
expect 0 "" weir opt "$models/mlp_float.onnx" -p "quantize{config=./binary.yaml calibration=\"$models/digits_calib.npz\"}" -o binary.weir
grep -q 'weight_quant: .* = qonnx.custom_op.general.BipolarQuant' binary.weir || fail "weights are not binary"
grep -q 'in0_quant' binary.weir && fail "data of 32 bits is quantized"

cat >tensorrt.yaml <<'END'
by: type
num_calibration_batches: 10
post_calibration_analysis: true
default:
  config:
    quantize: true
    calibrators: [percentile, mse, entropy]
    percentiles: [99.0, 99.9, 99.99]
    precision: int8
  input: {calibrator: histogram, quantize_axis: false}
  weight: {calibrator: histogram, quantize_axis: false}
fine_tune: {fine_tune: true}
runtime_analysis: {num_batches: 500, num_GPU_warmup_batches: 5, test: true}
END
expect 0 '^\| percentile 99.9 ' weir opt "$models/mlp_float.onnx" -p "tensorrt_fake_quantize_transform_pass{config=./tensorrt.yaml},tensorrt_calibrate_transform_pass{config=./tensorrt.yaml calibration=\"$models/digits_calib.npz\"}"

cat >onnxruntime.yaml <<'END'
default:
  config:
    quantize: true
    num_calibration_batches: 200
    quantize_types: [static, dynamic, auto]
    precision: uint8
runtime_analysis:
  original_graph_analysis: true
  optimized_graph_analysis: true
  quantized_graph_analysis: true
  num_batches: 100
  num_GPU_warmup_batches: 5
  test: true
END
expect 0 '^\| fc1 ' weir opt "$models/mlp_float.onnx" -p "onnx_runtime_interface_pass{dir=ort config=./onnxruntime.yaml calibration=\"$models/digits_calib.npz\"}"
for mode in static dynamic auto; do [ -e "ort/${mode}_quantized/model.onnx" ] || fail "no file of mode $mode"; done

for method in random l1-norm; do
    for scope in local global; do
        cat >prune.yaml <<END
weight: {scope: $scope, granularity: elementwise, method: $method, sparsity: 0.2}
activation: {scope: $scope, granularity: elementwise, method: $method, sparsity: 0.1}
END
        expect 0 "" weir opt "$models/mlp_float.onnx" -p "prune_transform_pass{config=./prune.yaml},add_pruning_metadata_analysis_pass{dummy_in=\"$models/digits_calib.npz\"},prune_detach_hook_transform_pass"
    done
done

cat >statistics.yaml <<'END'
by: type
target_weight_nodes: [linear]
target_activation_nodes: [relu, linear]
num_samples: 32
weight_statistics:
  range_min_max: {dims: all, abs: false}
  range_quantile: {dims: all, abs: false, quantile: 0.5}
activation_statistics:
  range_min_max: {dims: all, abs: false}
  range_quantile: {dims: all, abs: false, quantile: 0.5}
END
expect 0 "range_quantile" weir opt "$models/mlp_float.onnx" -p "add_software_metadata_analysis_pass,profile_statistics_analysis_pass{config=./statistics.yaml input_generator=\"$models/digits_calib.npz\"},report_node_meta_param_analysis_pass{which=software}"

# A fault must be seen.
refused() { # PATTERN FROM TO
    sed "s/$2/$3/" binary.yaml >bad.yaml
    expect 1 "$1" weir eval "$models/mlp_float.onnx" --engine float --quantize ./bad.yaml --calibration "$models/digits_calib.npz" -d "$test_data"
}
refused "'data_in_width' of 'binary' is 31, expected 1 to 1" "data_in_width: 32" "data_in_width: 31"
refused "expected 'repot: \{config: \{name: FORMAT\}\}'" "report: true" "repot: true"
refused "bad.yaml:2: error: " "report: true" "report: maybe"
refused "'weight_bipola' is not a setting of 'binary'" "weight_bipolar" "weight_bipola"
finish
