#!/bin/sh
# install.sh BUILD: installs into a folder and uses it from another one, without WEIR_DATA and without a cache.
# test: seconds=600 -- %build
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
expect 0 "^icebreaker: " "$bin" boards icebreaker
for folder in rtl sim/bench sim/harness boards; do
    diff -r -x README.md -x CMakeLists.txt -x host "$E2E_SOURCE/$folder" "$work/prefix/share/weir/$folder" >differences 2>&1 ||
        { head -5 differences >&2; fail "share/weir/$folder is not installed whole"; }
done
expect 0 "16 frames" "$bin" check model.onnx --data "$test_data" --frames 16 --profile all --json report.json
report_check report.json --simulator both --profile all --frames 16 || fail "the report"

for file in man/man1/weir.1 man/man1/weir-check.1 bash-completion/completions/weir zsh/site-functions/_weir fish/vendor_completions.d/weir.fish; do
    [ -s "$work/prefix/share/$file" ] || fail "share/$file is not installed"
done

# Headers: those that programs start from are there, and none includes one that is not.
include=$work/prefix/include/weir
for header in frontend/import/onnx.h frontend/export/onnx_export.h pass/core/plugin.h passes/passes.h exec/exec.h rtlir/core/rtl.h wire/wire.h wire/port.h; do
    [ -e "$include/$header" ] || fail "$header is not installed"
done
(cd "$include" && find . -name '*.h') >headers
[ "$(wc -l <headers)" -ge 60 ] || fail "$(wc -l <headers) headers are installed"
while read -r header; do printf '#include "%s"\n' "${header#./}"; done <headers >all.c
"${CC:-cc}" -std=c11 -D_GNU_SOURCE -fsyntax-only "-I$include" all.c >log 2>&1 ||
    { head -20 log >&2; fail "the installed headers do not compile"; }
grep -raq "$E2E_SOURCE\|$build" "$work/prefix/share" && fail "installed data names the source or build folder"
finish
