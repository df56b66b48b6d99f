#!/bin/sh
# matrix.sh MODEL QUANTIZATION FOLDING SIMULATOR FRAMES: every stream and every output, four back-pressure profiles.
# One multiplier a layer takes cycles: the bipolar network, whose layers are the largest, less often than the others.
# test: name=matrix/%name_folded_verilator models=^mlp_residual_qdq$ seconds=600 cost=8 -- %model %quantization folded verilator 397
# test: name=matrix/%name_folded_verilator models=bipolar label=nightly seconds=600 -- %model %quantization folded verilator 40
# test: name=matrix/%name_middle_verilator models=float_int8 seconds=600 cost=8 -- %model %quantization middle verilator 397
# test: name=matrix/%name_middle_icarus models=qoperator seconds=600 cost=8 -- %model %quantization middle icarus 16
# Where a branch of the residual network needs every place of its FIFO.
# test: name=matrix/mlp_residual_qdq_forty_verilator seconds=600 -- mlp_residual_qdq none forty verilator 397
# A fully parallel design takes Verilator half a minute and more; the default suite has one of 576 multipliers in e2e/folding.
# test: name=matrix/%name_parallel_verilator models=.* label=nightly seconds=3600 -- %model %quantization parallel verilator 397
# test: name=matrix/%name_middle_verilator models=.* except=float_int8 label=nightly seconds=600 -- %model %quantization middle verilator 397
# test: name=matrix/%name_folded_verilator models=.* except=bipolar|^mlp_residual_qdq$ label=nightly seconds=600 -- %model %quantization folded verilator 397
# Icarus: 20 images of each; all 397 of one, which take it minutes.
# test: name=matrix/%name_middle_icarus models=.* except=qoperator label=nightly seconds=3600 -- %model %quantization middle icarus 20
# test: name=matrix/%name_folded_icarus models=.* label=nightly seconds=3600 -- %model %quantization folded icarus 20
# test: name=matrix/%name_parallel_icarus models=.* label=nightly seconds=3600 -- %model %quantization parallel icarus 20
# test: name=matrix/%name_middle_icarus_all models=^mlp_qdq$ label=nightly seconds=7200 -- %model %quantization middle icarus 397
# test: name=matrix/%name_folded_verilator_all models=bipolar label=nightly seconds=7200 -- %model %quantization folded verilator 397
model=$1 quantization=$2 folding=$3 simulator=$4 frames=$5
name="matrix-$model-$quantization-$folding-$simulator-$frames"
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2046 # options are words
expect 0 "$frames frames" "$WEIR" check "$models/$model.onnx" --data "$test_data" --simulator "$simulator" --profile all \
    --frames "$frames" --json report.json $(quantize_options "$quantization") $(folding_options "$folding")
cat output
report_check report.json --simulator "$simulator" --profile all --frames "$frames" || fail "the report"
finish
