#!/bin/sh
# What a library module states for its parameters is evaluated for each instance before anything is written: a condition that nothing can meet,
# planted into the file of each module of a network's top, ends compile with its name.
# test: seconds=120
name=conditions
. "$E2E_SOURCE/tests/e2e/lib.sh"
mkdir data
for part in rtl boards sim; do cp -r "$E2E_SOURCE/$part" data/; done
lenet=$E2E_SOURCE/tests/models/lenet/lenet_qdq.onnx
export WEIR_DATA=$PWD/data
weir compile "$lenet" -o right >/dev/null || fail "does not compile"
modules=$(sed -n 's/^ *\(weir_[a-z_]*\) #($/\1/p; s/^ *\(weir_[a-z_]*\) u_.*/\1/p' right/rtl/lenet_qdq.v | sort -u)
[ "$(echo "$modules" | wc -l)" -ge 6 ] || fail "few modules: $modules"
for module in $modules; do
    file=$(ls data/rtl/*/"$module.v")
    grep -q '^ *generate' "$file" || continue # a wrapper around modules with conditions
    cp "$file" saved.v
    awk '{ print } /^ *generate/ && !planted { print "    if (1 > 0) begin : g_check_planted\n      " module "_must_not_be u_error ();\n    end"; planted = 1 }' \
        module="$module" saved.v >"$file"
    expect 1 "instance 'u_.*' of module '$module': '${module}_must_not_be'" weir compile "$lenet" -o wrong
    [ ! -e wrong ] || fail "$module: something was written"
    rm -rf wrong
    cp saved.v "$file"
done
finish
