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
    awk 'match($0, /<title>[^<]*/) && /class="node / { name = substr($0, RSTART + 7, RLENGTH - 7) }
        match($0, /class="share"[^>]*>[^%]*/) { share = substr($0, RSTART, RLENGTH); sub(/.*>/, "", share); print name, share }' "$1" | sort | diff - expected
    [ "$(grep -c 'class="node ' "$1")" -eq "$(grep -c '^[^ ]*: %.* = ' "a<b>&c/hardware.weir")" ] || echo "boxes"
    [ "$(grep -c 'class="node host"' "$1")" -eq "$(grep -c 'host=' "a<b>&c/hardware.weir")" ] || echo "nodes of the host"
    # An edge ends at the top of a box, between its sides.
    sed -n 's/.*class="box" x="\([0-9.]*\)" y="\([0-9.]*\)".*/box \1 \2/p; s/.*class="edge" d="[^"]*[ L]\([0-9.]*\),\([0-9.]*\)".*/edge \1 \2/p' "$1" |
        awk '$1 == "box" { x[++count] = $2; y[count] = $3 } $1 == "edge" { to[++edges] = $2 " " $3 }
            END {
                for (e = 1; e <= edges; e++) {
                    split(to[e], at)
                    for (b = 1; b <= count; b++) if (at[1] >= x[b] && at[1] <= x[b] + 216 && at[2] >= y[b] - 2 && at[2] <= y[b] + 2) break
                    if (b > count) print "edge to nothing: " to[e]
                }
                if (edges == 0) print "no edges"
            }'
    # Letters of equal width, 0.602 of their height, beside the share.
    sed -n 's/.*class="name"[^>]*>\([^<]*\)<.*/\1/p' "$1" | sed 's/…/./; s/&[a-z]*;/./g' | awk 'length($0) * 13 * 0.602 > 208 { print "past its box: " $0 }'
}

draw "$E2E_SOURCE/tests/models/conv/line_qdq.onnx" "$E2E_SOURCE/tests/models/conv/line_qdq.npz:x"
grep -q 'class="node wiring"' network.svg || fail "no node without a component"
wrong network.svg >found
[ ! -s found ] || fail "line_qdq: $(cat found)"

draw "$models/mlp_residual_qdq.onnx" "$test_data"
wrong network.svg >found
[ ! -s found ] || fail "mlp_residual_qdq: $(cat found)"
sed '0,/class="share"/s/\(class="share"[^>]*>\)[0-9]/\19/' network.svg >planted.svg
wrong planted.svg | grep -q . || fail "a share that is not the report's goes unseen"
sed '0,/class="edge"/s/\(class="edge" d="[^"]*[ L]\)[0-9.]*,/\10,/' network.svg >planted.svg
wrong planted.svg | grep -q "edge to nothing" || fail "an edge to nothing goes unseen"
sed 's/\(class="name"[^>]*>\)/\1a_name_that_goes_on_for_forty_letters_/' network.svg >planted.svg
wrong planted.svg | grep -q "past its box" || fail "a name past its box goes unseen"

"$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --debug-frames 3 --draw again.svg >report
sed 's/aria-label="[^"]*"//' network.svg >one
sed 's/aria-label="[^"]*"//' again.svg | cmp -s - one || fail "sim draws something else"
# Without debug frames there is no activity, which is said; a picture alone brings some.
expect 0 "'bare.svg' shows no activity.*--debug-frames N" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --debug-frames 0 --draw bare.svg
expect 0 "debug frames are simulated for the activity in 'some.svg'" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 3 --draw some.svg
sed 's/aria-label="[^"]*"//' some.svg | cmp -s - one || fail "sim draws something else on its own"
grep -q 'aria-label="hardware of a&lt;b&gt;&amp;c"' again.svg || fail "the folder's name is not escaped"
grep -q 'class="share"' bare.svg && fail "shares without a debug run"
expect 1 "missing/x.svg" "$WEIR" sim "a<b>&c" --data "$test_data" --simulator icarus --frames 1 --draw missing/x.svg
grep -q "mismatches" output && fail "a path that cannot be written is found only after the simulation"
finish
