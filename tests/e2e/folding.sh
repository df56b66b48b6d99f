#!/bin/sh
# SIMD and PE that do not divide their layer, through co-simulation; mistakes in the folding file.
# test: seconds=1200 cost=60
name=folding
. "$(dirname "$0")/lib.sh"

# awkward MODEL NAME TEXT [PROFILE FRAMES]: in Icarus four frames under all profiles, or FRAMES under PROFILE; at night all.
awkward() {
    profile=${4:-all} frames=${5:-4}
    ! is_night || profile=all frames=4
    printf '%b' "$3" >"$2.yaml"
    expect 0 "397 frames" "$WEIR" check "$models/$1.onnx" --data "$test_data" --folding "$2.yaml" --simulator verilator \
        --profile all --json report.json
    report_check report.json --simulator verilator --profile all --frames 397 --padded || fail "$1 $2 verilator"
    # Verilator builds one bench for all of these.
    jq -e '[.runs[1:][].cached] | all' report.json >/dev/null || fail "$1 $2: more than one build"
    expect 0 "$frames frames" "$WEIR" check "$models/$1.onnx" --data "$test_data" --folding "$2.yaml" --simulator icarus \
        --profile "$profile" --frames "$frames" --debug-frames 1 --json report.json
    # So few frames do not fill the pipeline: values only.
    report_check report.json --simulator icarus --profile "$profile" --frames "$frames" --no-interval || fail "$1 $2 icarus"
}
awkward mlp_qdq odd 'nodes:\n  fc1: {simd: 7, pe: 3}\n  fc2: {simd: 5, pe: 7}\n  fc3: {simd: 3, pe: 4}\n  fc1_requantize: {products: block}\n' half 3
# 576 multipliers: seconds a run in Icarus.
! is_night || awkward mlp_qdq wide 'nodes:\n  fc1: {simd: 5, pe: 32}\n  fc2: {simd: 64, pe: 5}\n  fc3: {simd: 32, pe: 3}\n' eighth 1
! is_night || awkward mlp_residual_qdq skip 'nodes:\n  fc1: {simd: 7, pe: 9}\n  fc2: {simd: 11, pe: 6}\n  fc3: {simd: 10, pe: 3, storage: logic}\n'

# wrong LINE TEXT_EXPECTED YAML: exit status 1, one message with its place, and no folder.
wrong() {
    printf '%b' "$3" >wrong.yaml
    rm -rf design
    expect 1 "^wrong.yaml:$1: error: .*$2" "$WEIR" compile "$models/mlp_qdq.onnx" --folding wrong.yaml -o design
    [ ! -e design ] || fail "a failed compile leaves a folder: $3"
    find . -maxdepth 1 -name '*tmp*' -o -maxdepth 1 -name 'design?*' | grep . >&2 && fail "a failed compile leaves files: $3"
    return 0
}
wrong 3 "no node 'fc11'" 'nodes:\n  fc2: {simd: 8}\n  fc11: {simd: 8}\n'
grep -q "did you mean 'fc1'" output || fail "no suggestion for an unknown node"
wrong 2 "65" 'nodes:\n  fc1: {simd: 65}\n'
wrong 2 "0" 'nodes:\n  fc1: {simd: 0}\n'
wrong 3 "eight" 'nodes:\n  fc1:\n    simd: eight\n'
wrong 3 "-4" 'nodes:\n  fc1:\n    pe: -4\n'
wrong 2 "11" 'nodes:\n  fc3: {pe: 11}\n'
wrong 2 "sim" 'nodes:\n  fc1: {sim: 8}\n'
wrong 2 "auto, block or logic" 'nodes:\n  fc1: {storage: tape}\n'
wrong 2 "auto, block or logic" 'nodes:\n  fc1_requantize: {products: tape}\n'
wrong 2 "unknown setting 'products'" 'nodes:\n  fc1: {products: block}\n'
wrong 1 "nodes" 'node:\n  fc1: {simd: 8}\n'
wrong 1 "mapping" '- fc1\n'
wrong 2 "" 'nodes:\n  fc1: 8\n'
wrong 3 "" 'nodes:\n  fc1: {simd: 8}\n  fc1: {simd: 4}\n'
wrong '[0-9]+' "" 'nodes: {fc1: {simd: 8\n'
expect 1 "absent.yaml.*error" "$WEIR" compile "$models/mlp_qdq.onnx" --folding absent.yaml -o design
[ ! -e design ] || fail "a failed compile leaves a folder: no folding file"

# The good folder of an earlier run stays as it was.
weir compile "$models/mlp_qdq.onnx" -o design >/dev/null || fail "compile"
cp -r design before
printf 'nodes:\n  fc1: {simd: 65}\n' >wrong.yaml
expect 1 "" "$WEIR" compile "$models/mlp_qdq.onnx" --folding wrong.yaml -o design
diff -r before design >/dev/null || fail "a failed compile changes the folder of an earlier one"
finish
