#!/bin/sh
# sweep_points.sh: 'weir dse --sweep --on' searches each device and budget in a task of a scheduler: the front, the report and the exit status are those of a run
# without it, also where nothing fits; planted: a task that does not run, an interrupted sweep, a result that was changed, a model that cannot be read.
# test: name=sweep_points seconds=600 cost=10
name=sweep_points
. "$(dirname "$0")/lib.sh"
need_tools jq
# A scheduler: tasks one after the other, the last first.
echo 'submit: for task in $(seq {last} -1 {first}); do sh {script} $task; done' >own.yaml
# sweep DIR OPTION...
sweep() {
    out=$1
    shift
    weir dse --sweep "$out" --json "$out.json" -w "$models/mlp_qdq.onnx" --device ice40up5k --device ecp5-25k "$@"
}
# same STATUS OPTION...: here and elsewhere, which end alike
same() {
    want=$1
    shift
    rm -rf here* there*
    expect "$want" "" sweep here "$@"
    grep -v "no folding fits" output >here.txt || true
    expect "$want" "" sweep there "$@" --on ./own.yaml
    grep -v "no folding fits" output | diff here.txt - || fail "another report: $*"
    diff -r here there || fail "other files: $*"
    diff here.json there.json || fail "another report in JSON: $*"
}
same 0 --budget 100% --budget lut=4000,dsp=14 --rate 100000
[ "$(wc -l <there.points/results.jsonl)" -eq 4 ] || fail "not four points"
# Kept: no task is submitted; planted: the front is made of the results.
echo 'submit: "false"' >none.yaml
expect 0 "inferences/s" sweep there --budget 100% --budget lut=4000,dsp=14 --rate 100000 --on ./none.yaml
diff -r here there || fail "other files of what is kept"
for file in there.points/result/*; do jq '(.results[] | select(.hardware).hardware.luts) = 7' "$file" >changed && cp changed "$file"; done
expect 0 " 7 LUTs" sweep there --budget 100% --budget lut=4000,dsp=14 --on ./none.yaml
# Options of the hardware, and a budget in which nothing fits.
same 0 --budget lut=4000 --budget lut=50 --clock 20 --target-interval 2048
grep -q "note: device=ice40up5k budget=lut=50: no folding fits" output || fail "what does not fit is not told"
jq -r '.[].budget' there/front.json | grep -q "lut=50" && fail "a budget in which nothing fits"

# --- a task that does not run: its point is lost, and goes to the next round ---
rm -rf there*
echo 'submit: "[ -e tried ] && first={first} || { : >tried; first={last}; }; for task in $(seq $first {last}); do sh {script} $task; done"' >lazy.yaml
expect 0 "inferences/s" sweep there --budget lut=4000 --budget lut=50 --clock 20 --target-interval 2048 --on ./lazy.yaml
[ -e tried ] && diff -r here there || fail "other files after points were lost"
rm -rf there*
echo 'submit: "true"' >lazy.yaml
expect 4 "budget=lut=4000,device=ice40up5k,model=.* is lost: no task brought its result" sweep there --budget lut=4000 --on ./lazy.yaml
[ ! -e there ] && [ ! -e there.json ] || fail "a front of half of the points"
# --- interrupted: what is done is kept ---
rm -rf there*
echo 'submit: sh {script} {first}; exec sleep 657' >lazy.yaml
"$WEIR" dse --sweep there -w "$models/mlp_qdq.onnx" --device ice40up5k --device ecp5-25k --budget lut=4000 --budget lut=50 --clock 20 --target-interval 2048 \
    --json there.json --on ./lazy.yaml >output 2>&1 &
pid=$! tries=0
until [ -n "$(ls there.points/result 2>/dev/null)" ] || [ $tries = 600 ]; do sleep 0.1 && tries=$((tries + 1)); done
sleep 1
kill -TERM $pid
status=0 && wait $pid || status=$?
[ $status -eq 143 ] && grep -q "interrupted: 1 of 4 points are done; the same command continues" output || fail "interrupted: status $status: $(cat output)"
expect 0 "inferences/s" sweep there --budget lut=4000 --budget lut=50 --clock 20 --target-interval 2048 --on ./own.yaml
diff -r here there || fail "other files after an interrupt"
[ "$(jq -r .key there.points/results*.jsonl | sort | uniq -d | wc -l)" -eq 0 ] || fail "a finished point is repeated"

# --- a float model with calibration in an array of a file ---
rm -rf here* there*
expect 0 "" weir dse --sweep here -w "$models/mlp_float.onnx" --device ice40hx8k --budget 100% --quantize int8 --calibration "$models/digits_calib.npz:x"
expect 0 "" weir dse --sweep there -w "$models/mlp_float.onnx" --device ice40hx8k --budget 100% --quantize int8 --calibration "$models/digits_calib.npz:x" --on ./own.yaml
diff -r here there || fail "other files of a float model"

# --- mistakes ---
head -c 3000 "$models/mlp_qdq.onnx" >cut.onnx
expect 1 "is failed: cut.onnx" weir dse --sweep cut -w cut.onnx --device ecp5-25k --budget 50% --on ./own.yaml
expect 1 "model: there is no file 'none.onnx'" weir dse --sweep cut -w none.onnx --device ecp5-25k --on ./own.yaml
expect 2 "--on needs --sweep" weir dse -a a.yaml -w w.yaml -m m.yaml --on slurm
expect 2 "--scheduler and --each need --on" weir dse --sweep cut -w cut.onnx --each 1
echo '{"results": [{"energy": 1, "hardware": {}}]}' >foldings.json
expect 1 "foldings.json: error: expected foldings" weir dse -w cut.onnx --stages 'folding_load{file=foldings.json}'
expect 1 "expected results of 'weir dse --json'" sh -c "echo {} >empty.json; '$WEIR' dse -w cut.onnx --stages 'folding_load{file=empty.json}'"
# What a run wrote, taken by stages of one's own.
expect 0 "inferences/s" weir dse -w cut.onnx --stages 'pareto{of="time,luts"},folding_load{file=there.points/foldings.json}'
finish
