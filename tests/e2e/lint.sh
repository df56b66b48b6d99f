#!/bin/sh
# lint.sh MODEL QUANTIZATION FOLDING: the emitted rtl/ alone under verilator -Wall, iverilog -Wall and Yosys, without a warning
# that lint_allow.txt does not give a reason for. Exit status 77 without the tools.
model=$1 quantization=$2 folding=$3
name="lint-$model-$quantization-$folding"
. "$(dirname "$0")/lib.sh"
for tool in verilator iverilog yosys; do command -v $tool >/dev/null || { echo "no $tool"; exit 77; }; done
# shellcheck disable=SC2046 # options are words
weir compile "$models/$model.onnx" -o design $(quantize_options "$quantization") $(folding_options "$folding") >/dev/null ||
    fail "compile"
grep -v '^#' "$E2E_SOURCE/tests/e2e/lint_allow.txt" | cut -f1 >"$work/allowed" || true

# Runs a tool in design/rtl; every line of its output must be allowed.
quiet() {
    name=$1
    shift
    (cd design/rtl && "$@") >raw 2>&1 || { head -20 raw >&2; fail "$model: $name fails"; }
    grep -v '^[[:space:]]*$' raw | grep -Evf allowed >rest || true
    [ -s rest ] || return 0
    head -20 rest >&2
    fail "$model: $name warns"
}
# grep -f of an empty file matches nothing only with at least one pattern in it.
echo '^impossible$^' >>allowed
cd design/rtl
quiet_files=$(ls ./*.v)
cd "$work"
# shellcheck disable=SC2086 # file names of ours, without blanks
lint() {
    quiet verilator verilator -Wall --lint-only --top-module "$model" $quiet_files
    quiet iverilog iverilog -g2005 -Wall -s "$model" -o "$work/linted" $quiet_files
    quiet yosys yosys -q -p "read_verilog $(echo $quiet_files); hierarchy -check -top $model; $1"
}
# Synthesis of a fully parallel design takes minutes; its check after proc finds the same kinds of mistake.
if [ "$folding" = parallel ]; then lint "proc; check -assert"; else lint "synth -top $model; check -assert"; fi
[ "$failures" -eq 0 ] || finish

# Planted: an undriven wire that is read, of the wrong width.
sed "s/^endmodule/wire [2:0] planted; wire [1:0] narrow = planted; wire open = narrow[0];\nendmodule/" \
    "design/rtl/$model.v" >planted.v
cp planted.v "design/rtl/$model.v"
lint "proc; check -assert" 2>/dev/null
[ "$failures" -ge 2 ] || { echo "FAIL: planted faults are not found" >&2; exit 1; }
failures=0
finish
