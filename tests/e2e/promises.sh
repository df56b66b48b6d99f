#!/bin/sh
# What compile promises of a network's time is what the simulator counts: cycles to the end of the first frame within 3 %, and between frames.
# test: seconds=300 cost=20
name=promises
. "$(dirname "$0")/lib.sh"

# keeps PROMISED MEASURED: of latencies.
keeps() { jq -en --argjson promised "$1" --argjson measured "$2" '$promised - $measured | fabs <= 0.03 * $measured' >/dev/null; }
rows="line ecp5-25k throughput,separable ecp5-25k throughput,averaged ecp5-25k area"
! is_night || rows="$rows,pooled ice40hx8k throughput,mobile xc7a35t throughput,autoencoder ecp5-25k throughput"
echo "$rows" | tr , '\n' >rows
while read -r row; do
    # shellcheck disable=SC2086 # words
    set -- $row
    model=$E2E_SOURCE/tests/models/conv/$1_qdq
    rm -rf design
    expect 0 "folding for" "$WEIR" compile "$model.onnx" --device "$2" --objective "$3" --target-interval 4000 -o design --json promised.json
    expect 0 "0 of" "$WEIR" sim design --data "$model.npz:x" --simulator icarus --frames 3 --json measured.json
    promised=$(jq .folding.latency promised.json) measured=$(jq '.runs[0].latency' measured.json)
    keeps "$promised" "$measured" || fail "$row: the first frame takes $measured cycles, promised are $promised"
    jq -e --slurpfile promised promised.json '.runs[0].interval <= 1.02 * $promised[0].folding.interval' measured.json >/dev/null ||
        fail "$row: a frame takes $(jq '.runs[0].interval' measured.json) cycles, promised are $(jq .folding.interval promised.json)"
    if keeps $((promised + promised / 25)) "$measured"; then fail "planted: $row: $promised cycles and a 25th more are within 3 % of $measured"; fi
    if keeps $((promised - promised / 15)) "$measured"; then fail "planted: $row: $promised cycles less a 15th are within 3 % of $measured"; fi
done <rows
finish
