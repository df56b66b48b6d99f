#!/bin/sh
# The picture of a simulated network: every component of the report with its busy share and each other node once, edges between
# boxes that are there, XML's characters escaped, the same from sim. A picture with another share is found.
name=draw
. "$(dirname "$0")/lib.sh"

# draw MODEL DATA: the picture network.svg of the folder "a<b>&c", and what is to be in it in ./expected.
draw() {
    "$WEIR" check "$1" --data "$2" --simulator icarus --frames 3 --draw network.svg -o "a<b>&c" >report || fail "$1"
    awk '/^  node +component/ { on = 1; next } on && NF == 0 { exit } on { for (i = 1; i <= NF; i++) if ($i == "%") break; print $1, $(i - 1) }' report |
        sort >expected
    [ "$(grep -c . expected)" -ge 10 ] || fail "too few components: $(cat expected)"
}

# wrong FILE: what in it is not so.
wrong() {
    sed -n 's/.*class="name"[^>]*>\([^<]*\)<.*/\1/p; s/.*class="share"[^>]*>\([^ ]*\) %<.*/\1/p; s/^<g class="\(host\|wiring\)">$/other/p' "$1" |
        awk '$1 == "other" { getline; next } { name = $0; getline; print name, $0 }' | sort | diff - expected
    [ "$(grep -c '<g ' "$1")" -eq "$(grep -c '^[^ ]*: %.* = ' "a<b>&c/hardware.weir")" ] || echo "boxes"
    [ "$(grep -c '^<g class="host">$' "$1")" -eq "$(grep -c 'host=' "a<b>&c/hardware.weir")" ] || echo "nodes of the host"
    [ "$(grep -c '<g ' "$1")" -eq "$(grep -c '</g>' "$1")" ] || echo "groups"
    # An edge ends at the top of a box, in its middle.
    sed -n 's/.*class="box" x="\([0-9]*\)" y="\([0-9]*\)".*/\1 \2/p' "$1" | awk '{ print $1 + 115 "," $2 }' | sort -u >tops
    # A line that letters of 0.68 of their height would take past its box, or to the share, is drawn as long as there is room.
    sed -n 's/^<text class="name"[^>]*textLength="\([0-9]*\)"[^>]*>\([^<]*\)<.*/\1 \2/p; s/^<text class="name" x="[0-9]*" y="[0-9]*">\([^<]*\)<.*/0 \1/p' "$1" |
        awk '$1 > 218 || ($1 == 0 && length($2) * 11 * 0.68 > 218) { print "past its box: " $2 }'
    sed -n 's/.*class="edge".* L\([0-9,]*\)".*/\1/p' "$1" | sort -u | comm -23 - tops | sed 's/^/edge to nothing: /'
}

draw "$E2E_SOURCE/tests/models/conv/line_qdq.onnx" "$E2E_SOURCE/tests/models/conv/line_qdq.npz:x"
grep -q 'class="wiring"' network.svg || fail "no node without a component"
wrong network.svg >found
[ ! -s found ] || fail "line_qdq: $(cat found)"

draw "$models/mlp_residual_qdq.onnx" "$test_data"
wrong network.svg >found
[ ! -s found ] || fail "mlp_residual_qdq: $(cat found)"
sed '0,/class="share"/s/\(class="share"[^>]*>\)[0-9]/\19/' network.svg >planted.svg
wrong planted.svg | grep -q . || fail "a share that is not the report's goes unseen"

# Planted: a long name as wide as its letters.
grep -q 'class="name".*textLength' network.svg || fail "no long name"
sed 's/ textLength="[^"]*"//' network.svg >planted.svg
sed -i 's/\(class="name"[^>]*>\)/\1a_name_that_goes_on_for_forty_letters_/' planted.svg
wrong planted.svg | grep -q "past its box" || fail "a name past its box goes unseen"

"$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --debug-frames 3 --draw again.svg >report
grep -v 'class="title"' network.svg >one
grep -v 'class="title"' again.svg | cmp -s - one || fail "sim draws something else"
# Without debug frames there is no activity, which is said; a picture alone brings some.
expect 0 "'bare.svg' shows no activity.*--debug-frames N" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --debug-frames 0 --draw bare.svg
expect 0 "debug frames are simulated for the activity in 'some.svg'" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --draw some.svg
grep -v 'class="title"' some.svg | cmp -s - one || fail "sim draws something else on its own"
grep -q 'class="title"[^>]*>a&lt;b&gt;&amp;c: ' again.svg || fail "the folder's name is not escaped"
grep -q 'class="share"' bare.svg && fail "shares without a debug run"
expect 1 "missing/x.svg" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 1 --draw missing/x.svg
grep -q "mismatches" output && fail "a path that cannot be written is found only after the simulation"
finish
