#!/bin/sh
# test: seconds=300 cost=20
# Foldings of deep networks for a latency: the search ends after as many steps as are its own to count, says what no folding is below, and
# finds no more than the fewest cycles a frame give. Networks of a few layers prove what they find.
name=deep
. "$(dirname "$0")/lib.sh"
most=2000000000
sed 's/^name:.*/name: large/; s/count: 63400/count: 4000000/; s/^flip_flops:.*/flip_flops: 8000000/; s/^  count: 240/  count: 12000/; s/count: 270/count: 12000/' \
    "$E2E_SOURCE/boards/devices/xc7a100t.yaml" >large.yaml

# LAYERS DEVICE: the best latency, that of the fewest cycles a frame, and whether the steps of the first are counted.
search() {
    "$E2E_TOOLS/../bench/make_network" "$1" 1 deep.weir || fail "$1"
    expect 0 "none takes fewer than" "$WEIR" compile deep.weir -o design --device "$2" --objective latency --json latency.json
    expect 0 "folding for throughput" "$WEIR" compile deep.weir -o design --device "$2" --objective throughput --json throughput.json
    jq -e --argjson most "$3" '.folding | .steps > 0 and .steps <= $most and .bound <= .value' latency.json >/dev/null ||
        fail "$1: $(jq -c '.folding | {steps, bound, value}' latency.json)"
    [ "$(jq .folding.value latency.json)" -le "$(jq '.folding.paced_latency // .folding.latency' throughput.json)" ] || fail "$1: throughput has the least latency"
}

search "16,x8(F16)" xc7a35t $most
if is_night; then
    search "8,x1000(F8)" large.yaml $most
    search "2x6x6,x40(r(c2k3,C2k3))" large.yaml $most
fi
search "6,F6,f4" ecp5-25k 100000000
jq -e .folding.optimal latency.json >/dev/null || fail "two layers are not proved"
# Planted: as many steps would be too many.
jq -e '.folding.steps <= 1000' latency.json >/dev/null && fail "steps are not counted"
finish
