#!/bin/sh
# What README.md says is so, and what toolchain/cosim/README.md shows of reports: the quick start and the second demo print what is shown, the refusal
# reads as shown, counts and the version are right. Each check finds a planted fault.
name=readme
. "$(dirname "$0")/lib.sh"
# Icarus' rows and speeds are another machine's matter; what Icarus computes is for the matrix.
weir check "$models/mlp_qdq.onnx" --data "$test_data" --simulator verilator -o design >checked 2>&1 || fail "the quick start fails"
slow() { grep -v '^  icarus ' "$1" | sed -E '/^  verilator /s/ +[0-9]+ +[0-9]+$//'; }
slow checked >quick
(cd "$models" && "$WEIR" compile mlp_float.onnx -o "$work/refused" >"$work/refusal" 2>&1) && fail "a float model compiles without a quantizer"
# The second demo: what needs no simulation of 1,000 frames, for which there is e2e/lenet_all.
lenet=$E2E_SOURCE/tests/models/lenet
weir compile "$lenet/lenet_qdq.onnx" -o lenet >compiled
sed -n 's/^  \([0-9]* multipliers, [0-9]* bits of parameters\), \([0-9]*\) cycles a frame$/  hardware      \1, ideal interval \2 cycles/p' compiled >network
interval=$(sed -n 's/^  hardware.* \([0-9]*\) cycles$/\1.0/p' network)
accuracy=$(weir eval "$lenet/lenet_qdq.onnx" --data "$lenet/lenet_test.npz" -o lenet.npy 2>&1 | sed -n 's/^accuracy \([0-9.]* %\) of 1000 .*/\1/p')
echo "  accuracy      float $accuracy, integer $accuracy, hardware $accuracy (largest of 10)" >>network
images=$(sed -n 's/^mlp_qdq: \([0-9]*\) frames.*/\1/p' checked)
version=$("$WEIR" --version | sed 's/^weir \([0-9.]*\).*/\1/')

# block FILE FIRST: the fenced block that begins with the line.
block() { awk -v first="$2" '/^```/ { inside = 0 } fenced && index($0, first) == 1 { inside = 1 } { fenced = /^```$/ } inside' "$1"; }

# wrong FILE: a line for everything in it that is not so; FILE is both pages.
wrong() {
    block "$1" "mlp_qdq: " >shown
    [ "$(grep -c '^  icarus ' shown)" -eq 2 ] || echo "quick start: two rows of Icarus"
    awk '/^  verilator /{ v[$2] = $3 $4 $5 $6 $7 $8 $9 } /^  icarus / && v[$2] != $3 $4 $5 $6 $7 $8 $9 { bad = 1 } END { exit !bad }' shown &&
        echo "quick start: the simulators differ"
    { slow shown | grep -v '^  \.\.\.$'; echo; block "$1" "  node  "; } | cmp -s - quick || echo "quick start: the output differs"
    block "$1" "lenet_qdq: " >cnn
    grep -Fxc -f network cnn | grep -qx 2 || echo "second demo: accuracy or hardware differs: $(cat network)"
    awk -v interval="$interval" '/^  (verilator|icarus) /{ if ($4 != 0 || $8 != interval) bad = 1; rows++ } END { exit bad || rows != 4 }' cnn || echo "second demo: rows of simulators"
    block "$1" "mlp_float.onnx:1: " | cmp -s - refusal || echo "refusal: the message differs"
    grep -q "simulates $images handwritten" "$1" || echo "count of images"
    grep -q "^Version $version is not released" "$1" || echo "version"
}
cat "$E2E_SOURCE/README.md" "$E2E_SOURCE/toolchain/cosim/README.md" >pages.md
wrong pages.md >found
[ ! -s found ] || fail "README.md or toolchain/cosim/README.md: $(cat found)"

# planted WHAT SED-COMMAND
planted() {
    sed "$2" pages.md >planted.md
    cmp -s planted.md pages.md && fail "nothing planted: $2"
    wrong planted.md >found
    grep -q "$1" found || fail "not found: $2"
}
planted "output differs" 's/ideal interval 128 cycles/ideal interval 64 cycles/'
planted "output differs" 's/^  fc3_requantize \(.*\)[0-9]\.[0-9] %/  fc3_requantize \18.0 %/'
planted "simulators differ" '/^  icarus *always/s/128\.0/129.0/'
planted "two rows" '/^  icarus *debug/d'
planted "second demo: accuracy" 's/^  hardware      58 mult/  hardware      57 mult/'
planted "second demo: accuracy" 's/hardware 91\.20 %/hardware 91.21 %/'
planted "second demo: rows" '/^  icarus  *always  *20 /d'
planted "message" 's/its input is real and has no quantizer/its input is real/'
planted "images" 's/simulates [0-9]* handwritten/simulates 12 handwritten/'
planted "version" 's/^Version [0-9.]* is/Version 9.9.9 is/'
finish
