#!/bin/sh
# weir sim: the outputs are weir eval's, on both simulators, from every kind of data file; --frames; exit status.
# test: seconds=600 cost=60
name=sim
. "$(dirname "$0")/lib.sh"
model=$models/mlp_qdq.onnx
weir compile "$model" -o design >/dev/null || fail "compile"
weir eval "$model" --data "$test_data" -o eval.npy || fail "eval"

expect 0 "397 frames" "$WEIR" sim design --data "$test_data" --simulator verilator -o out.npy -j report.json
array_tool same out.npy eval.npy || fail "verilator: outputs"
report_check report.json --simulator verilator --profile always --frames 397 --no-debug || fail "verilator: report"
cp out.npy whole.npy

expect 0 "24 frames" "$WEIR" sim design --data "$test_data" --simulator icarus --frames 24 -o out.npy -j report.json
array_tool rows eval.npy eval24.npy 24
array_tool same out.npy eval24.npy || fail "icarus: outputs"
report_check report.json --simulator icarus --profile always --frames 24 --no-debug || fail "icarus: report"

few=6
! is_night || few=24
array_tool rows eval.npy few.npy $few
expect 0 "$few frames" "$WEIR" sim design --data "$test_data" --frames $few --profile all --debug-frames 4 --seed 7 -o out.npy -j report.json
array_tool same out.npy few.npy || fail "both: outputs"
report_check report.json --simulator both --profile all --frames $few || fail "both: report"

# The same frames in other files.
array_tool rows "$test_data:x" data.npy 397
array_tool csv data.npy data.csv
gzip -nk data.csv
for data in data.npy "$test_data:x" data.csv data.csv.gz; do
    rm -f out.npy
    expect 0 "397 frames" "$WEIR" sim design --data "$data" --simulator verilator -o out.npy
    cmp -s out.npy whole.npy || fail "outputs from '$data' differ"
    weir eval "$model" --data "$data" -o out.npy
    cmp -s out.npy eval.npy || fail "weir eval of '$data' differs"
done
array_tool npz data.npy first.npz other
expect 0 "397 frames" "$WEIR" sim design --data first.npz --simulator verilator -o out.npy
cmp -s out.npy whole.npy || fail "outputs from the first array of an archive differ"

# One frame; more frames than there are.
expect 0 "1 frames" "$WEIR" sim design --data data.npy --simulator verilator --frames 1 -o out.npy
array_tool rows eval.npy eval1.npy 1
array_tool same out.npy eval1.npy || fail "one frame"
expect 0 "397 frames" "$WEIR" sim design --data data.npy --simulator verilator --frames 100000 -o out.npy
cmp -s out.npy whole.npy || fail "more frames than there are"

# Wrong hardware: one weight of the emitted memory is flipped, which only co-simulation can see.
cp -r design wrong
awk 'NR == 1 { c = substr($0, length($0)); $0 = substr($0, 1, length($0) - 1) (c == "0" ? "1" : "0") } { print }' \
    design/rtl/fc3_weights.hex >wrong/rtl/fc3_weights.hex
cmp -s design/rtl/fc3_weights.hex wrong/rtl/fc3_weights.hex && fail "no weight is changed"
simulators=icarus
! is_night || simulators="icarus verilator" # whose runtime for waveforms takes 20 s to compile
for simulator in $simulators; do
    expect 3 "first divergence at node 'fc3" "$WEIR" sim wrong --data data.npy --frames 24 --simulator $simulator -j report.json
    if report_check report.json --simulator $simulator --profile always --frames 24 --no-debug 2>/dev/null; then
        fail "$simulator: the report of wrong hardware passes"
    fi
done
# With --stop the first of eight runs that are wrong and the one that names the node, and no waveform.
rm -rf wrong/waves
expect 3 "first divergence at node 'fc3" "$WEIR" sim wrong --data data.npy --frames 24 --profile all --stop -j report.json
[ "$(jq -c '[[.runs[] | [.simulator, .debug]], .waveform]' report.json)" = '[[["verilator",false],["verilator",true]],null]' ] ||
    fail "--stop: $(jq -c '.runs[] | [.simulator, .debug]' report.json)"
[ ! -e wrong/waves ] || fail "--stop leaves a waveform"
[ -z "$(find design -newer report.json -name 'run_*')" ] || fail "files of a run are left in the folder"
find design wrong -name 'run_*' | grep . && fail "files of a run are left in the folder"
finish
