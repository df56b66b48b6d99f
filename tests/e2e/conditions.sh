#!/bin/sh
# What a library module states for its parameters is evaluated for each instance before anything is written, those inside modules too: a condition
# that nothing can meet, planted into the file of each module of a network, ends compile with its name and that of the node or stream.
# test: seconds=120
name=conditions
. "$E2E_SOURCE/tests/e2e/lib.sh"
mkdir data
for part in rtl boards sim; do cp -r "$E2E_SOURCE/$part" data/; done
lenet=$E2E_SOURCE/tests/models/lenet/lenet_qdq.onnx
export WEIR_DATA=$PWD/data
weir compile "$lenet" -o right >/dev/null || fail "does not compile"
modules=$(cd right/rtl && ls weir_*.v | sed 's/\.v$//')
[ "$(echo "$modules" | wc -l)" -ge 12 ] || fail "few modules: $modules"
noticed=0
for module in $modules; do
    file=$(ls data/rtl/*/"$module.v")
    grep -q '^ *generate' "$file" || continue # a wrapper around modules with conditions
    cp "$file" saved.v
    awk '{ print } /^ *generate/ && !planted { print "    if (1 > 0) begin : g_check_planted\n      " module "_must_not_be u_error ();\n    end"; planted = 1 }' \
        module="$module" saved.v >"$file"
    if weir compile "$lenet" -o wrong >/dev/null 2>output; then # no instance of it, Icarus says so too
        iverilog -g2005 -t null -s lenet_qdq wrong/rtl/*.v 2>output || fail "$module: not noticed: $(cat output)"
        rm -rf wrong
    else
        grep -q "^lenet_qdq.onnx:[0-9:]* error: \(node '.*' (.*)\|stream '.*'\): instance 'u_.*' of module '$module': '${module}_must_not_be'" output || fail "$module: $(cat output)"
        [ ! -e wrong ] || fail "$module: something was written"
        noticed=$((noticed + 1))
    fi
    cp saved.v "$file"
done
[ "$noticed" -ge 18 ] || fail "only $noticed modules are noticed"
finish
