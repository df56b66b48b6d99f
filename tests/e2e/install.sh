#!/bin/sh
# install.sh BUILD: installs into a folder and uses it from another one, without WEIR_DATA and without a cache.
build=$1
name=install
. "$(dirname "$0")/lib.sh"
cmake --install "$build" --prefix "$work/prefix" >log 2>&1 || { cat log >&2; fail "cmake --install"; }
bin=$work/prefix/bin/weir
mkdir elsewhere
cp "$models/mlp_qdq.onnx" elsewhere/model.onnx
cd elsewhere
unset WEIR_DATA
expect 0 "^weir " "$bin" --version
for folder in rtl sim/bench sim/harness; do
    diff -r -x README.md -x CMakeLists.txt "$E2E_SOURCE/$folder" "$work/prefix/share/weir/$folder" >differences 2>&1 ||
        { head -5 differences >&2; fail "share/weir/$folder is not installed whole"; }
done
expect 0 "16 frames" "$bin" check model.onnx --data "$test_data" --frames 16 --profile all --json report.json
report_check report.json --simulator both --profile all --frames 16 || fail "the report"
grep -raq "$E2E_SOURCE\|$build" "$work/prefix/share" && fail "installed data names the source or build folder"
finish
