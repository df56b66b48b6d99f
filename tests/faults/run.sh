#!/bin/sh
# run.sh CASE: a small model that failed once computes what others say it does, in software and in hardware (README.md).
case=$1 name=faults-${1##*/}
. "$E2E_SOURCE/tests/e2e/lib.sh"

# The text behind `KEY: ` in case.txt.
value_of() { sed -n "s/^$1: *//p" "$case/case.txt"; }

cp "$case"/* . # options name files beside the model
# shellcheck disable=SC2046 # words
set -- $(value_of options)
data=$(ls inputs.np[yz])
tolerance=$(value_of tolerance)
keys=$(value_of outputs | sed 's/[^ ]*/:&/g') # of an archive
expected=$(ls expected.np[yz])
value_of tie >ties
while read -r element theirs ours number; do
    array_tool tie "$expected" "$expected" "$element" "$theirs" "$ours" || fail "element $element of $expected is no tie at $number"
done <ties
weir eval model.onnx "$@" --data "$data" -o "out.${expected##*.}" || fail "eval"
for key in ${keys:-"_"}; do
    [ "$key" != _ ] || key=
    array_tool equal "out.${expected##*.}$key" "$expected$key" ${tolerance:+"$tolerance"} || fail "eval gives other values than $expected$key"
done
simulator=$(value_of simulator) debug="--debug-frames 0"
if is_night; then debug=
elif [ "$simulator" = both ]; then simulator=icarus
fi
# shellcheck disable=SC2086 # words
expect 0 "" weir check model.onnx "$@" --data "$data" --frames "$(value_of frames)" --simulator "$simulator" --profile half $debug -o design
if [ -n "$(value_of interval)" ]; then
    expect 0 " (0\\.[0-9]*|1\\.0[01][0-9]|1\\.020)x " weir check model.onnx "$@" --data "$data" --frames "$(value_of frames)" \
        --debug-frames 0 --simulator icarus
fi
if is_night; then
    (cd design/rtl && ls ./*.v) >files
    # shellcheck disable=SC2046 # file names of ours, without blanks
    {
        quiet "$case" verilator -Wall --lint-only --top-module model $(cat files)
        quiet "$case" iverilog -g2005 -Wall -s model -t null $(cat files)
    }
fi
finish
