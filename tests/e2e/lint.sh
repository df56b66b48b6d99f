#!/bin/sh
# lint.sh MODEL QUANTIZATION: the emitted rtl/ as it stands under verilator -Wall, iverilog -Wall and Yosys' check, without a
# warning that lint_allow.txt does not give a reason for. What its components become in synthesis, each with these parameters
# once, is for synthesis.sh. Exit status 77 without the tools.
# test: name=lint/%name models=^mlp_qdq$|bipolar|float_int8 -- %model %quantization
# test: name=lint/%name models=.* except=^mlp_qdq$|bipolar|float_int8 label=nightly -- %model %quantization
model=$1 quantization=$2
name="lint-$model-$quantization"
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog yosys
# shellcheck disable=SC2046 # options are words
weir compile "$models/$model.onnx" -o design $(quantize_options "$quantization") >/dev/null || fail "compile"
cd design/rtl
files=$(ls ./*.v)
cd "$work"
# shellcheck disable=SC2086 # file names of ours, without blanks
lint() {
    quiet "$model" verilator -Wall --lint-only --top-module "$model" $files
    quiet "$model" iverilog -g2005 -Wall -s "$model" -o "$work/linted" $files
    quiet "$model" yosys -q -p "read_verilog $(echo $files); hierarchy -check -top $model; proc; check -assert"
}
lint
if [ "$failures" -gt 0 ] || [ "$model" != mlp_qdq ]; then # one model shows that faults are found
    finish
    exit 0
fi

# Planted: an undriven wire that is read, of the wrong width.
sed "s/^endmodule/wire [2:0] planted; wire [1:0] narrow = planted; wire open = narrow[0];\nendmodule/" \
    "design/rtl/$model.v" >planted.v
cp planted.v "design/rtl/$model.v"
lint 2>/dev/null
[ "$failures" -ge 2 ] || { echo "FAIL: planted faults are not found" >&2; exit 1; }
failures=0
finish
