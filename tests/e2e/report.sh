#!/bin/sh
# A page of what the commands left: their reports hold what NumPy and a hand find too, the page what the reports hold; in a browser it draws
# without errors, opens nodes by click and key, and prints.
# test: seconds=300 cost=20
# test: name=report_in_a_browser seconds=300 label=nightly -- browser
where=${1:-text}
name=report_$where
. "$(dirname "$0")/lib.sh"
need_tools verilator iverilog jq
frames=40
[ "$where" = text ] || { need_tools chromium && frames=4; }

# --- two foldings of a network, and a sweep ---
expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o one --device ice40up5k
expect 0 "" "$WEIR" sim one --data "$test_data" --frames 4 --debug-frames 4 --simulator icarus
expect 0 "" "$WEIR" check "$models/mlp_float.onnx" --quantize int8 --calibration "$models/digits_calib.npz" --data "$test_data" --frames $frames \
    --debug-frames 3 --simulator verilator --target-interval 4096 -o two --json two.json --html two.html
expect 0 "" "$WEIR" dse --sweep front -w "$models/mlp_qdq.onnx" --device ice40up5k --device ecp5-25k --budget 100% --html sweep.html
expect 0 "" weir report front -o front.html
cmp sweep.html front.html || fail "weir dse --html and weir report differ"
expect 2 "html needs --sweep" weir dse -a a.yaml -w w.yaml -m m.yaml --html x.html
# A name of a stranger that would be a script's.
cp -r two hostile
sed -i 's/^fc1_requantize:/"<img src=x onerror=seen.push(1)><script>seen.push(2)<\/script>":/' hostile/hardware.weir
expect 0 "" "$WEIR" report one -o one.html
expect 0 "" "$WEIR" report two -o again.html
expect 0 "" "$WEIR" report hostile -o hostile.html
expect 0 "" "$WEIR" report one two -o both.html
expect 0 "" "$WEIR" report front -o front.html

if [ "$where" = text ]; then
    # --- what the commands leave ---
    cmp -s two.json two/check.json || fail "check leaves another report than --json"
    # By NumPy, from the model's own numbers: sums of the products of codes, and these quantized again.
    cat >numpy <<'END'
fc1 {"low":-210225,"width":6659,"counts":[1,0,0,1,0,0,0,2,0,0,1,1,3,1,2,3,4,0,1,3,2,0,3,2,1,3,4,7,5,8,7,8,7,5,4,11,9,7,11,13,10,9,11,8,12,9,4,10,4,4,5,4,8,4,0,1,3,1,2,2,1,3,0,1]}
fc1_requantize {"low":0,"width":4,"counts":[67,6,6,2,2,8,3,4,7,4,7,10,3,4,4,7,11,2,8,5,10,4,9,4,5,5,4,3,6,3,1,3,3,2,3,4,3,3,2,2,3,1,0,0,0,0,0,0,1,0,1,1]}
END
    jq -r '.runs[0].nodes[:2][] | "\(.node) \(.histogram | tojson)"' one/simulation.json | diff numpy - || fail "histograms are not NumPy's"
    # 64 sums of 64 products, a product a cycle: the last leaves 63 * 64 cycles after the first. The first layer takes, the last gives what
    # the latency counts.
    jq -e '.runs[0] as $run | $run.nodes as $n | ($n[0].frame.last_out - $n[0].frame.first_out == 63 * 64) and
        ($n[-1].frame.last_out - $n[0].frame.first_in + 1 == $run.latency) and
        all($n[]; .frame.first_in <= .frame.first_out and .frame.first_out <= .frame.last_out)' two/check.json >log || fail "schedule of a frame"
    jq -e '(.confusion.counts | flatten | add) == 40 and
        ([range(.confusion.classes | length) as $c | .confusion.counts[$c][$c]] | add) == (.metrics.integer.accuracy * 40 | round)' two/check.json >log ||
        fail "the confusion matrix is not of the accuracy"
    # The model's last node is its output: its noise over up to 32 frames.
    expect 0 "" "$WEIR" check "$models/mlp_float.onnx" --quantize int8 --calibration "$models/digits_calib.npz" --data "$test_data" --frames 20 \
        --debug-frames 0 --simulator verilator --target-interval 4096 --json few.json
    jq -e '(.noise[-1].sqnr_db - .float_integer.sqnr_db | fabs) < 1e-3 and (.noise | map(.node)) == ["fc1", "relu", "fc2", "relu_1", "fc3"]' few.json >log ||
        fail "the noise of the output is not that of the last layer"
    [ "$(tail -n +2 front/front.csv | cut -d, -f1)" = "$(jq -r '.[].folding' front/front.json)" ] || fail "front.json is not front.csv"

    # --- what the page says ---
    sed 's/>two</>mlp_float</; s/Weir: two/Weir: mlp_float/; s/hardware of two"/hardware of mlp_float"/' again.html | cmp -s - two.html || fail "report of the folder and --html differ"
    [ "$(grep -o 'class="node [a-z]*"' one.html | wc -l)" -eq "$(grep -c '^[^ ]*: %.* = ' one/hardware.weir)" ] || fail "nodes of the graph"
    [ "$(grep -c 'class="panel"' one.html)" -eq "$(grep -c '^[^ ]*: %.* = ' one/hardware.weir)" ] || fail "panels of the nodes"
    for section in network schedule resources roofline accuracy simulations; do grep -q "<section id=\"r0-$section\">" one.html || fail "no $section"; done
    luts=$("$WEIR" compile "$models/mlp_qdq.onnx" -o three --device ice40up5k | awk '$1 == "LUTs" { print $2 }' | rev | sed 's/.../&,/; s/,$//' | rev)
    grep -q "<tr><th scope=\"row\">LUTs</th><td class=\"n\">5,280</td><td class=\"n\">$luts</td>" one.html || fail "the estimate of LUTs, $luts"
    grep -q 'id="comparison"' both.html || fail "two folders are not compared"
    [ "$(grep -o 'class="mark series[0-9]' front.html | wc -l)" -ge "$(jq length front/front.json)" ] || fail "marks of the front"
    for page in one two both front; do
        grep -Eq 'https?:|url\([^#]| src=' $page.html && fail "$page.html names another file"
    done
    grep -Eq '<img|<script>seen' hostile.html && fail "a node's name is markup"
    grep -q '&lt;img src=x' hostile.html || fail "a node's name is not shown"

    # --- a new compilation forgets; what cannot be read is said ---
    expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o one --device ice40up5k
    [ ! -e one/simulation.json ] || fail "a report of another compilation stays"
    expect 0 "" "$WEIR" report one -o one.html
    grep -q 'id="r0-accuracy"' one.html && fail "accuracy of nothing"
    mkdir empty
    expect 1 "empty: error: has nothing to report on" "$WEIR" report empty
    expect 1 "error" "$WEIR" report one missing
    expect 1 "missing/x.html" "$WEIR" report one -o missing/x.html
    printf '{\n"runs":' >two/check.json
    expect 1 "two/check.json:2: error" "$WEIR" report two
    expect 2 "" "$WEIR" report
    mkdir bin
    PATH=$work/bin expect 0 "" "$WEIR" report hostile -o rows.html
    [ "$(grep -o 'class="node [a-z]*"' rows.html | wc -l)" -eq "$(grep -o 'class="node [a-z]*"' hostile.html | wc -l)" ] || fail "the graph without Graphviz"
    finish
    exit 0
fi

# --- the browser ---
# try PAGE.html: what is wrong with it, a line each. `seen` gets what scripts of the page do wrong.
try() {
    {
        printf '%s\n' '<!DOCTYPE html><script>const seen = []; addEventListener("error", e => seen.push("error: " + e.message));' \
            'addEventListener("securitypolicyviolation", e => seen.push("policy: " + e.blockedURI));</script>'
        sed '1d; s,^</body></html>$,,' "$1"
        cat <<'END'
<pre id="found"></pre><script>
const say = text => seen.push(text), half = 0.5;
for (const text of document.querySelectorAll("svg text")) {
    const box = text.getBBox(), of = text.closest("a.node"), area = of ? of.querySelector(".box").getBBox() : null;
    if (area && (box.x < area.x - half || box.x + box.width > area.x + area.width + half)) say("'" + text.textContent + "' is not in its box");
    const svg = text.ownerSVGElement, seenBox = text.getBoundingClientRect(), picture = svg.getBoundingClientRect();
    if (picture.width > 0 && !of && (seenBox.left < picture.left - 1 || seenBox.right > picture.right + 1)) say("'" + text.textContent + "' is not in its picture");
}
const nodes = [...document.querySelectorAll(".graph a.node")];
if (document.querySelector(".graph") && nodes.length === 0) say("no nodes");
for (const node of nodes.slice(0, 3)) {
    const panel = document.getElementById(node.getAttribute("href").slice(1));
    if (getComputedStyle(panel).display !== "none") say("a panel is open before its click");
    node.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
    if (getComputedStyle(panel).display === "none") say("a click opens no panel");
    if (!panel.textContent.includes(node.querySelector("title").textContent)) say("the panel is of another node");
}
if (nodes.length > 1) {
    const key = name => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
    const graph = nodes[0].ownerSVGElement, view = () => graph.getAttribute("viewBox"), before = view();
    nodes[0].focus();
    key("ArrowDown");
    if (document.activeElement !== nodes[1]) say("the arrow key does not go on");
    key("+");
    if (view() === before) say("+ does not zoom");
    key("0");
    if (view().split(" ").map(Number).join() !== before.split(" ").map(Number).join()) say("0 does not fit");
    document.querySelector("[data-zoom=in]").click();
    if (view() === before) say("the button does not zoom");
}
document.getElementById("found").textContent = "tried " + nodes.length + "\n" + seen.join("\n") + "\nend of it";
</script></body></html>
END
    } >tried.html
    chromium --headless --no-sandbox --disable-gpu --host-resolver-rules="MAP * ~NOTFOUND" --window-size=1300,900 --virtual-time-budget=10000 --dump-dom \
        "file://$PWD/tried.html" >tried.dom 2>tried.log || cat tried.log
    grep -q '^<pre id="found">tried' tried.dom || echo "the browser has not run the page: $(head -3 tried.log)"
    sed -n '/^<pre id="found">tried/,/^end of it/p' tried.dom | sed '1d; $d; /^$/d'
}

for page in one two both front hostile; do
    try $page.html >found
    [ ! -s found ] || fail "$page.html: $(head -10 found)"
done
chromium --headless --no-sandbox --disable-gpu --host-resolver-rules="MAP * ~NOTFOUND" --print-to-pdf=one.pdf "file://$PWD/one.html" >log 2>&1
head -c 5 one.pdf | grep -q '%PDF-' || fail "the page does not print: $(tail -3 log)"
[ "$(wc -c <one.pdf)" -gt 20000 ] || fail "the print is empty"

# --- planted: a name past its box, an error of a script, a panel that stays closed, a name that runs as a script ---
sed '0,/class="name"[^>]*>/s/\(class="name"[^>]*>\)/\1a_name_that_goes_on_for_forty_letters_and/' one.html >planted.html
try planted.html | grep -q "is not in its box" || fail "a name past its box goes unseen"
sed 's/^"use strict";$/"use strict"; missing();/' one.html >planted.html
try planted.html | grep -q "error: .*missing" || fail "an error of a script goes unseen"
sed 's/\.panel:target { display: block }//' one.html >planted.html
try planted.html | grep -q "opens no panel" || fail "a panel that stays closed goes unseen"
sed 's/&lt;script&gt;seen.push(2)&lt;\/script&gt;/<script>seen.push(2)<\/script>/' hostile.html >planted.html
try planted.html | grep -q '^2$' || fail "a name that runs goes unseen"
finish
