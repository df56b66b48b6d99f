#!/bin/sh
# Each checker must find a planted fault: a doctored report, one changed element, a wrong accuracy.
name=planted
. "$(dirname "$0")/lib.sh"

good() {
    cat <<END
{"schema": 3, "frames": 16, "values": 10,
 "metrics": {"float": null, "integer": {"accuracy": 0.75, "precision": 0.8, "recall": 0.75, "f1": 0.7, "loss": 0.25}},
 "float_integer": {"equal": false, "sqnr_db": 30.0, "max_absolute": 0.5, "top1_agreement": 1.0},
 "contract_mismatches": 0, "ideal_interval": 128, "folded_interval": 128, "runs": [
  {"simulator": "verilator", "profile": "always", "debug": true, "frames": 16, "status": "done", "compared": 160,
   "mismatches": 0, "interval": 128.0, "first_divergence": null, "protocol": null, "nodes": [
    {"node": "fc1", "component": "weir_mvu", "ideal_interval": 128, "folded_interval": 128, "interval": 129.0, "busy": 2048}]},
  {"simulator": "verilator", "profile": "always", "debug": false, "frames": 16, "status": "done", "compared": 160,
   "mismatches": 0, "interval": 128.0, "first_divergence": null, "protocol": null}]}
END
}
check_good() { report_check report.json --simulator verilator --profile always --frames 16; }
good >report.json
check_good || fail "the good report is refused"
doctor() {
    good | sed "$1" >report.json
    good | cmp -s - report.json && fail "nothing is planted by $1"
    if check_good 2>output; then fail "not found: $1"; fi
}
doctor 's/"mismatches": 0/"mismatches": 1/'
doctor 's/"compared": 160/"compared": 150/'
doctor 's/"done"/"deadlock"/'
doctor 's/"debug": false, "frames": 16/"debug": false, "frames": 15/'
doctor 's/"first_divergence": null/"first_divergence": {}/'
doctor 's/"protocol": null/"protocol": "valid dropped"/'
doctor 's/"interval": 128.0/"interval": 131.0/'
doctor 's/"interval": 128.0/"interval": null/'
doctor 's/"interval": 129.0/"interval": 131.0/'
doctor 's/"busy": 2048/"busy": 2000/'
doctor 's/"ideal_interval": 128, "folded_interval": 128, "interval"/"folded_interval": 128, "interval"/'
doctor 's/"ideal_interval": 128, "folded_interval": 128, "interval"/"ideal_interval": 129, "folded_interval": 128, "interval"/'
doctor 's/"busy": 2048/"busy": 2096/'
doctor 's/"debug": true/"debug": false/'
doctor 's/"verilator"/"icarus"/'
doctor 's/"contract_mismatches": 0/"contract_mismatches": 1/'
doctor 's/"schema": 3/"schema": 1/'
doctor 's/"accuracy": 0.75/"accuracy": 0.5/'
doctor 's/, "f1": 0.7//'
doctor 's/"loss": 0.25/"loss": null/'
doctor 's/"sqnr_db": 30.0/"sqnr_db": null/'
doctor 's/"equal": false/"equal": true/'
doctor 's/"equal": false, //'
doctor 's/"values": 10/"values": 0/'
doctor 's/^.*$//'

expected=$models/mlp_qdq.expected.npz
for index in 0 1985 3969; do
    array_tool plant "$expected:test" changed.npy "$index"
    if array_tool equal changed.npy "$expected:test" 2>output; then fail "changed element $index is not found"; fi
    grep -q "element $index is " output || fail "the changed element $index is not named"
done
array_tool equal "$expected:random" "$expected:random" || fail "an array differs from itself"
if array_tool equal "$expected:test" "$expected:random" 2>output; then fail "a shorter array passes"; fi
array_tool rows "$expected:random" short.npy 397
array_tool equal "$expected:random" short.npy || fail "the first rows differ"
if array_tool same "$expected:random" short.npy 2>output; then fail "fewer rows pass"; fi
array_tool accuracy "$expected:test" "$test_data:y" 97.23 || fail "accuracy"
if array_tool accuracy "$expected:test" "$test_data:y" 97.22 2>output; then fail "a wrong accuracy passes"; fi
finish
