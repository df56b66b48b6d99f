#!/bin/sh
# Every kind of picture: texts inside it and none over another, by estimate, and in a browser where one is installed.
# test: seconds=300 cost=5
# test: name=pictures_in_a_browser seconds=300 label=nightly -- browser
where=${1:-estimate}
name=pictures_$where
. "$(dirname "$0")/lib.sh"
files=$E2E_SOURCE/tests/dse

browser=
for command in chromium chromium-browser google-chrome chrome; do
    [ -n "$browser" ] || ! command -v $command >/dev/null || browser=$command
done
[ "$where" = estimate ] || [ -n "$browser" ] || { echo "skipped: no chromium"; exit 77; }

# seen FILE: what a browser finds, a line each; a page each, for styles count in all of a page.
seen() {
    {
        echo '<!DOCTYPE html><html><body>'
        cat "$1"
        cat <<'END'
<pre id="found"></pre><script>
const svg = document.querySelector("svg"), area = svg.getBoundingClientRect(), half = 0.5, found = [];
const texts = [...svg.querySelectorAll("text")].map(t => ({text: t.textContent, box: t.getBoundingClientRect()}));
if (texts.length === 0) found.push("no text");
texts.forEach((a, i) => {
    if (a.box.left < area.left - half || a.box.right > area.right + half || a.box.top < area.top - half || a.box.bottom > area.bottom + half)
        found.push("'" + a.text + "' is not inside");
    texts.slice(0, i).forEach(b => {
        // Letters are lower than their boxes: lines of text may touch.
        const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        if (across > 4 && down > 4) found.push("'" + a.text + "' lies over '" + b.text + "'");
    });
});
document.getElementById("found").textContent = "seen\n" + found.join("\n") + "\nend of it";
</script></body></html>
END
    } >seen.html
    "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=10000 --dump-dom "file://$PWD/seen.html" >seen.dom 2>seen.log ||
        cat seen.log
    grep -q '^<pre id="found">seen' seen.dom || echo "the browser has not run the page: $(head -3 seen.log)"
    sed -n '/^<pre id="found">seen/,/^end of it/p' seen.dom | sed '1d; $d; /^$/d'
}

look() {
    for file; do
        if [ "$where" = browser ]; then seen "$file"; else "$E2E_TOOLS/svg_check" "$file"; fi | sed "s,^,$file: ,"
    done
}

# --- all kinds ---
pictures="$(
    for accelerator in tpu_like ascend_like eyeriss_like; do
        mapping=$accelerator
        [ -e "$files/mapping/$mapping.yaml" ] || mapping=default
        "$WEIR" dse -a "$files/hardware/$accelerator.yaml" -w "$files/workload/mini_resnet_layers.yaml" -m "$files/mapping/$mapping.yaml" \
            --lpf-limit 3 --stages "visualization{dump_folder=$accelerator},plot_temporal_mappings{file=$accelerator/bars.svg},workload,minimal_latency,spatial_mapping_generator,minimal_latency,loma,cost_model" >log ||
            echo missing
        echo $accelerator/bars.svg $accelerator/loop_ordering.svg $accelerator/mem_hierarchy.svg
    done
)"
expect 0 "" "$WEIR" dse --sweep front -w "$models/mlp_qdq.onnx" --budget 100%
expect 0 "" "$WEIR" dse --sweep small -w "$models/mlp_qdq.onnx" --device ice40up5k --budget lut=100
expect 0 "" "$WEIR" compile "$E2E_SOURCE/tests/models/conv/inception_qdq.onnx" -o design --roofline inception.svg
expect 0 "" "$WEIR" compile "$models/mlp_residual_qdq.onnx" -o design --roofline mlp.svg --max-macs 1
pictures="$pictures front/front.svg small/front.svg inception.svg mlp.svg"
# Styles are for a browser to read.
if [ "$where" = browser ] && command -v iverilog >/dev/null; then
    expect 0 "" "$WEIR" check "$models/mlp_residual_qdq.onnx" --data "$test_data" --simulator icarus --frames 2 --draw network.svg
    pictures="$pictures network.svg"
fi
# shellcheck disable=SC2086 # names are words
look $pictures >found
[ ! -s found ] || fail "$(head -20 found)"

# --- planted: a text outside, one over another ---
sed '0,/<text/s/ x="[0-9.]*"/ x="-3.00"/' mlp.svg >outside.svg
look outside.svg | grep -q "is not inside" || fail "a text that begins outside goes unseen"
grep -m1 '<text' mlp.svg | sed 's/>[^<]*</>planted</' >twice
sed "/<\/svg>/{
r twice
N
}" mlp.svg | sed 's/^<\/svg>$//' >over.svg
echo '</svg>' >>over.svg
look over.svg | grep -q "lies over" || fail "a text over another goes unseen"

# --- what they show ---
[ "$(grep -c '>for ' tpu_like/loop_ordering.svg)" -eq "$(grep -c '^ *for ' tpu_like/loop_ordering.txt)" ] || fail "loops of the picture"
[ "$(grep -c '>parfor ' tpu_like/loop_ordering.svg)" -eq "$(grep -c '^ *parfor ' tpu_like/loop_ordering.txt)" ] || fail "parallel loops of the picture"
grep -q 'no folding fits' small/front.svg || fail "a front of nothing does not say so"
interval=$(sed -n 's/.*accumulates at \([0-9]*\) cycles.*/\1/p' mlp.svg)
# fc1 has 64 x 64 products, one multiplier, all the cycles of the frame.
[ "$interval" -eq 4096 ] || fail "$interval cycles with one multiplier"
grep -q '>fc1: 1 of 1 a cycle, SIMD x PE<' mlp.svg || fail "the roof of fc1: $(grep '>fc1' mlp.svg)"
finish
