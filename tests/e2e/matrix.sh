#!/bin/sh
# matrix.sh MODEL QUANTIZATION FOLDING SIMULATOR FRAMES: every stream and every output, four back-pressure profiles.
model=$1 quantization=$2 folding=$3 simulator=$4 frames=$5
name="matrix-$model-$quantization-$folding-$simulator-$frames"
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2046 # options are words
expect 0 "$frames frames" "$WEIR" check "$models/$model.onnx" --data "$test_data" --simulator "$simulator" --profile all \
    --frames "$frames" --json report.json $(quantize_options "$quantization") $(folding_options "$folding")
cat output
report_check report.json --simulator "$simulator" --profile all --frames "$frames" || fail "the report"
finish
