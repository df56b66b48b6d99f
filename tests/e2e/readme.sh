#!/bin/sh
# What README.md says is so: the table of operators is the command's, the quick start and the second demo print what is shown, the refusal and the
# Verilog read as shown, counts and the version are right, links lead somewhere. Each check finds a planted fault.
name=readme
. "$(dirname "$0")/lib.sh"
weir operators --markdown >operators
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
number() { echo zero one two three four five six seven eight nine ten eleven twelve | cut -d' ' -f$(($1 + 1)); }
count=$(number "$(find "$models" -name '*.onnx' | wc -l)")
version=$("$WEIR" --version | sed 's/.* //')

# block FILE FIRST: the fenced block that begins with the line.
block() { awk -v first="$2" '/^```/ { inside = 0 } fenced && index($0, first) == 1 { inside = 1 } { fenced = /^```(verilog)?$/ } inside' "$1"; }

# wrong FILE: a line for everything in it that is not so.
wrong() {
    sed -n '/^<!-- weir operators -->$/,/^<!-- end -->$/p' "$1" | sed '1d;$d' | cmp -s - operators || echo "table of operators: run scripts/pages"
    block "$1" "mlp_qdq: " >shown
    [ "$(grep -c '^  icarus ' shown)" -eq 2 ] || echo "quick start: two rows of Icarus"
    awk '/^  verilator /{ v[$2] = $3 $4 $5 $6 $7 $8 $9 } /^  icarus / && v[$2] != $3 $4 $5 $6 $7 $8 $9 { bad = 1 } END { exit !bad }' shown &&
        echo "quick start: the simulators differ"
    { slow shown | grep -v '^  \.\.\.$'; echo; block "$1" "  node  "; } | cmp -s - quick || echo "quick start: the output differs"
    block "$1" "lenet_qdq: " >cnn
    grep -Fxc -f network cnn | grep -qx 2 || echo "second demo: accuracy or hardware differs: $(cat network)"
    awk -v interval="$interval" '/^  (verilator|icarus) /{ if ($4 != 0 || $8 != interval) bad = 1; rows++ } END { exit bad || rows != 4 }' cnn || echo "second demo: rows of simulators"
    block "$1" "mlp_float.onnx:1: " | cmp -s - refusal || echo "refusal: the message differs"
    block "$1" "  // fc1: Linear" >verilog
    absent verilog design/rtl/mlp_qdq.v | sed 's/^/Verilog: mlp_qdq.v has another part /'
    [ "$(grep -c . verilog)" -ge 10 ] || echo "Verilog: none is shown"
    grep -q "simulates $images handwritten" "$1" || echo "count of images"
    grep -q "for all $count models" "$1" || echo "count of models"
    grep -q "^Version $version is not released" "$1" || echo "version"
    grep -oE '\]\([^)#]+' "$1" | sed 's/..//' | while read -r link; do
        [ -e "$E2E_SOURCE/$link" ] || echo "link to $link"
    done
}
wrong "$E2E_SOURCE/README.md" >found
[ ! -s found ] || fail "README.md: $(cat found)"

# planted WHAT SED-COMMAND
planted() {
    sed "$2" "$E2E_SOURCE/README.md" >planted.md
    cmp -s planted.md "$E2E_SOURCE/README.md" && fail "nothing planted: $2"
    wrong planted.md >found
    grep -q "$1" found || fail "not found: $2"
}
planted "table" 's/^| Gemm, /| /'
planted "output differs" 's/ideal interval 128 cycles/ideal interval 64 cycles/'
planted "output differs" 's/^  fc3_requantize \(.*\)[0-9]\.[0-9] %/  fc3_requantize \18.0 %/'
planted "simulators differ" '/^  icarus *always/s/128\.0/129.0/'
planted "two rows" '/^  icarus *debug/d'
planted "second demo: accuracy" 's/^  hardware      58 mult/  hardware      57 mult/'
planted "second demo: accuracy" 's/hardware 91\.20 %/hardware 91.21 %/'
planted "second demo: rows" '/^  icarus  *always  *20 /d'
planted "message" 's/its input is real and has no quantizer/its input is real/'
planted "Verilog: mlp_qdq.v" 's/^    \.WIDTH     (256),$/    .WIDTH     (255),/'
planted "Verilog: mlp_qdq.v" 's/^    \.s_last (s_frame_last),$/    .s_last (last),/'
planted "Verilog: none" 's/^  \/\/ fc1: Linear/  \/\/ fc9: Linear/'
planted "images" 's/simulates [0-9]* handwritten/simulates 12 handwritten/'
planted "models" 's/for all eight models/for all nine models/'
planted "version" 's/^Version [0-9.]* is/Version 9.9.9 is/'
planted "link" 's/(passes\/README.md)/(passes\/NONE.md)/'
finish
