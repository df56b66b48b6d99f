#!/bin/sh
# --quantize CONFIG.yaml: number formats by operator, name or expression in MASE's YAML. Every format runs in software;
# those whose codes are integers compile, and the hardware computes the same codes; the others are named with the nearest
# that has hardware. Mistakes in the file are errors with their line.
# test: seconds=300
name=quantize_config
. "$(dirname "$0")/lib.sh"
model=$models/mlp_float.onnx
calibration="--calibration $models/digits_calib.npz"

# accuracy CONFIG LEAST: of the float engine, in percent.
accuracy() {
    # shellcheck disable=SC2086 # two words
    weir eval "$model" --engine float --quantize "./$1.yaml" $calibration -d "$test_data" -o ignored.npy >output 2>&1 || fail "eval with $1"
    found=$(sed -n 's/.*accuracy \([0-9]*\)\..*/\1/p' output)
    [ "${found:-0}" -ge "$2" ] || fail "$1: accuracy $found %, expected at least $2 %"
}

# What people type first, and every other name alone.
while read -r format least; do
    echo "default: {config: {name: $format}}" >"$format.yaml"
    accuracy "$format" "$least"
done <<'END'
fixed 90
integer 96
affine 96
scale_integer 96
flexround 96
minifloat_ieee 93
minifloat_denorm 93
log 80
block_fp 95
block_minifloat 90
block_log 60
mxint 96
mxint_hardware 96
mxfp 95
nvfp4 93
ternary 70
binary_residual 5
binary 5
END

# written FORMAT CONFIG FORM WHAT: the file that is exported computes the same, and has WHAT.
written() {
    # shellcheck disable=SC2086 # two words
    expect 0 "" weir export "$model" --quantize "./$1.yaml" $calibration --form "$2" -o "$1.onnx"
    expect 0 "$3" weir show "$1.onnx" --table text
    # shellcheck disable=SC2086 # two words
    weir eval "$model" --engine float --quantize "./$1.yaml" $calibration -d "$test_data" -o "$1.npy" >/dev/null
    weir eval "$1.onnx" --engine float -d "$test_data" -o read.npy >/dev/null
    array_tool same "$1.npy" read.npy || fail "$1 as $2: the file computes something else"
}

# Files have minifloats of data and of weights, blocks of weights; what they cannot have is named.
written minifloat_ieee native "qonnx.custom_op.general.FloatQuant"
written minifloat_ieee qdq "float8e4m3fnuz\["
written minifloat_denorm qonnx "qonnx.custom_op.general.FloatQuant"
for format in mxfp:float8e4m3fn nvfp4:float4e2m1 mxint:int8 block_minifloat:float8e4m3fnuz; do
    echo "default: {config: {name: ${format%:*}, data_in_name: NA, bias_name: NA}}" >weights.yaml
    written weights native "constant %fc1.weight.*_codes : ${format#*:}\[.*"
done
array_tool plant weights.npy planted.npy 7
if array_tool same planted.npy read.npy 2>/dev/null; then fail "a wrong value is not seen"; fi
# shellcheck disable=SC2086 # two words
expect 1 "node 'fc1_in0_quant': 'mxfp .*' cannot be exported: its scales depend on the data" \
    weir export "$model" --quantize ./mxfp.yaml $calibration -o mxfp.onnx
[ ! -e mxfp.onnx ] || fail "what has no form leaves a file"
echo "default: {config: {name: affine, weight_width: 4}}" >packed.yaml
# shellcheck disable=SC2086 # two words
expect 0 "" weir export "$model" --quantize ./packed.yaml $calibration --form qdq --opset 21 -o packed.onnx
expect 0 "constant %fc1.weight.*_packed : int4\[" weir show packed.onnx --table text

# Few bits: what NumPy reaches with weights rounded by data, and more with them than without.
while read -r network width least; do
    echo "default: {config: {name: affine, weight_width: $width}}" >few.yaml
    case $network in digits) float=mlp ;; *) float=$network ;; esac
    folder=$E2E_SOURCE/tests/models/$network
    for rounding in data nearest; do
        weir eval "$folder/${float}_float.onnx" --engine float --quantize ./few.yaml -s quantize.weight_rounding=$rounding \
            --calibration "$folder/${network}_calib.npz" -d "$folder/${network}_test.npz" -o ignored.npy >output 2>&1 || fail "$network with $width bits"
        sed -n 's/.*accuracy \([0-9]*\)\..*/\1/p' output >$rounding
    done
    [ "$(cat data)" -ge "$least" ] || fail "$network with weights of $width bits: $(cat data) %, expected $least %"
    [ "$(cat data)" -ge "$(cat nearest)" ] || fail "$network with weights of $width bits: $(cat data) % by data, $(cat nearest) % without"
done <<'END'
digits 4 97
digits 3 96
digits 2 91
jet 2 81
lenet 4 90
lenet 2 69
END

# MASE's own configurations, with its keys (spec: arithmetics, section 0).
cat >mase.yaml <<'END'
by: type
default:
  config:
    name: NA
linear:
  config:
    name: block_fp
    data_in_width: 7
    data_in_exponent_width: 8
    data_in_exponent_bias: 127
    data_in_block_size: [1, 16]
    data_in_skip_first_dim: true
    weight_width: 7
    weight_exponent_width: 8
    weight_exponent_bias: 127
    weight_block_size: [1, 16]
    bias_width: 7
    bias_exponent_width: 8
    bias_exponent_bias: 127
    bias_block_size: [16]
END
accuracy mase 95
grep -q "without quantizers of their own: relu (Relu, configured so)" output || fail "what stays as it is, is not said"
cat >mase_ternary.yaml <<'END'
by: type
linear:
  config: {name: ternary, weight_width: 2, weight_scaling_factor: true, weight_mean: NA, weight_median: NA, weight_max: NA}
END
accuracy mase_ternary 70

# Widths a node, a format an operand, results too: the hardware computes what the integer engine does.
cat >mixed.yaml <<'END'
by: name
default: {config: {name: integer, data_in_width: 6, weight_width: 4, bias_width: 12}}
fc2: {config: {name: ternary, scaling_factor: true, data_in_name: integer, data_in_width: 5, bias_name: fixed, bias_width: 12}}
fc3: {config: {name: fixed, floor: false, weight_width: 3, data_in_width: 7, data_out_width: 9}}
END
cat >signs.yaml <<'END'
by: regex_name
fc[12]: {config: {name: binary, data_in_name: fixed, data_in_width: 4, bias_name: NA}}
fc.: {config: {name: flexround, width: 5}}
END
echo "default: {config: {name: affine, weight_width: 4}}" >affine4.yaml
accuracy affine4 95
# Data of one and two bits, and what multiplies it: a threshold or a scale of data is that of the calibration.
cat >ternary_both.yaml <<'END'
default: {config: {name: ternary, scaling_factor: true, data_in_name: ternary, data_in_scaling_factor: true, bias_name: ternary}}
END
cat >levels.yaml <<'END'
by: name
fc1: {config: {name: binary_residual, levels: 3, data_in_width: 8, data_in_name: integer}}
fc2: {config: {name: integer, width: 6, data_in_name: binary, data_in_bipolar: 0}}
fc3: {config: {name: scale_integer, width: 5, data_in_name: ternary, data_in_threshold: 2}}
END
for config in fixed integer mixed signs flexround affine affine4 ternary_both levels binary_residual; do
    # shellcheck disable=SC2086 # two words
    expect 0 " 0 of " weir check "$model" --quantize "./$config.yaml" $calibration -d "$test_data" --frames 6 --simulator icarus
    grep -Eq "[1-9][0-9]* of [0-9]+ " output && fail "$config: the hardware differs"
done
# shellcheck disable=SC2086 # two words
expect 0 "weir_mvu .* 4-bit weights" weir compile "$model" --quantize ./mixed.yaml $calibration -o mixed
grep -q "fc2 .* 2-bit weights" output || fail "ternary weights have more than two bits"
# shellcheck disable=SC2086 # two words
expect 0 " 0 of " weir check "$model" --quantize ./levels.yaml $calibration -d "$test_data" --frames 6 --simulator verilator
grep -Eq "[1-9][0-9]* of [0-9]+ " output && fail "levels: the hardware differs in Verilator"
# shellcheck disable=SC2086 # two words
expect 1 "node 'fc1.weight_quant': 'mxfp exponent_width=4 frac_width=3 block_size=32' has no hardware here; the nearest format that has is 'integer width=8" \
    weir compile "$model" --quantize ./mxfp.yaml $calibration -o mxfp
[ ! -e mxfp ] || fail "what has no hardware leaves a folder"
# shellcheck disable=SC2086 # two words
expect 0 " 0 of " weir check "$model" --quantize ./mxfp.yaml --target hardware $calibration -d "$test_data" --frames 4 --simulator icarus

# What reports say of each: bits of data and of weights on average, and the format of fc1's weights. Of levels.yaml
# fc1 has 4096 weights of 3 bits and 64 inputs of 8, fc2 2048 of 6 and 64 of 1, fc3 320 of 5 and 32 of 2.
while read -r config data weights format; do
    expect 0 "" weir opt "$model" --info json -p "quantize{config=./$config.yaml,calibration=$models/digits_calib.npz},calculate_avg_bits_mg,summarize_quantization{original_graph=model,save_dir=summary}"
    bits=$(tr -d ' \n' <output | sed -n 's/.*"data_avg_bit":\([0-9.]*\),"w_avg_bit":\([0-9.]*\).*/\1 \2/p')
    echo "$data $weights $bits" | awk '{ exit !($1 - $3 < 1e-6 && $3 - $1 < 1e-6 && $2 - $4 < 1e-6 && $4 - $2 < 1e-6) }' ||
        fail "$config: expected $data bits of data and $weights of weights on average, found $bits"
    grep -q "fc1.*weight=$format" summary/quantize_table.csv || fail "$config: the summary does not say weight=$format"
done <<'END'
binary_residual 2 2 integer<2>
binary 32 1 binary<1,0,1>
ternary_both 2 2 integer<2>
integer 8 8 integer<8,
flexround 8 8 integer<8>
levels 4 4.0495050 integer<3>
END

# No range is asked for: no calibration is needed.
echo "default: {config: {name: mxint, block_size: -1}}" >alone.yaml
expect 0 "accuracy" weir eval "$model" --engine float --quantize ./alone.yaml -d "$test_data" -o ignored.npy
expect 1 "needs calibration data" weir eval "$model" --engine float --quantize ./integer.yaml -d "$test_data" -o ignored.npy

# Mistakes.
mistake() { # PATTERN TEXT
    printf '%b' "$2" >bad.yaml
    # shellcheck disable=SC2086 # two words
    expect 1 "$1" weir compile "$model" --quantize ./bad.yaml $calibration -o bad
    [ ! -e bad ] || fail "a refused configuration leaves a folder: $2"
}
mistake "bad.yaml:1: error: expected a number format, found 'mxfp8'" "default: {config: {name: mxfp8}}\n"
grep -q "did you mean 'mxfp'" output || fail "no suggestion for a format"
mistake "bad.yaml:3: error: 'weight_widht' is not a setting of 'integer'" "default:\n  config: {name: integer,\n    weight_widht: 4}\n"
grep -q "did you mean 'width'" output || fail "no suggestion for a setting"
mistake "bad.yaml:1: error: 'weight_width' of 'integer' is 0, expected 1 to 32" "default: {config: {name: integer, weight_width: 0}}\n"
mistake "bad.yaml:1: error: expected a whole number from .* found .many." "default: {config: {name: integer, weight_width: many}}\n"
mistake "'block_size' of 'mxfp' is 0" "default: {config: {name: mxfp, block_size: 0}}\n"
mistake "exponent_width must be less than width" "default: {config: {name: minifloat_ieee, width: 4, exponent_width: 4}}\n"
mistake "exponent_width and frac_width must be an element of OCP" "default: {config: {name: mxfp, exponent_width: 4, frac_width: 2}}\n"
mistake "expected 'by: type', 'by: name' or 'by: regex_name'" "by: kind\ndefault: {config: {name: integer}}\n"
mistake "MASE has no operator 'linaer'" "linaer: {config: {name: integer}}\n"
grep -q "did you mean 'linear'" output || fail "no suggestion for an operator"
mistake "the model has no node 'fc4'" "by: name\nfc4: {config: {name: integer}}\n"
mistake "'fc\[' is not a regular expression" "by: regex_name\nfc[: {config: {name: integer}}\n"
mistake "quantizes nothing" "by: type\n"
mistake "quantizes no node" "by: type\nsilu: {config: {name: integer}}\n"
mistake "the configuration has no 'name'" "default: {config: {width: 4}}\n"
mistake "expected 'default: .config: .name: FORMAT..'" "default: integer\n"
mistake "expected a mapping" "- integer\n"
mistake "bad.yaml:2: error: did not find" "default: {config: {name: integer\n"
expect 1 "none.yaml" weir compile "$model" --quantize ./none.yaml -o bad
# shellcheck disable=SC2086 # two words
expect 1 "the model already has quantizers" weir compile "$models/mlp_qdq.onnx" --quantize ./integer.yaml $calibration -o bad
expect 2 "target needs --quantize with a configuration" weir compile "$model" --target hardware -o bad
# shellcheck disable=SC2086 # two words
expect 1 "'weight_width' requires scheme=fixed, found a configuration" weir compile "$model" --quantize ./integer.yaml $calibration -s quantize.weight_width=4 -o bad
finish
