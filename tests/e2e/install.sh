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

"$E2E_TOOLS/schema_check" "$work/prefix/share/weir/schema" simulation report.json || fail "the schemas"

for file in man/man1/weir.1 man/man1/weir-check.1 bash-completion/completions/weir zsh/site-functions/_weir fish/vendor_completions.d/weir.fish \
    vim/vimfiles/ftdetect/weir.vim vim/vimfiles/syntax/wrtl.vim weir/editors/vscode/package.json; do
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

# Programs that link the library, by pkg-config and by CMake, shared and static. The library exports what headers declare.
cat >nodes.c <<'END'
#include <stdio.h>

#include "frontend/import/onnx.h"

int main(int argc, char **argv) {
    weir_graph *graph = argc == 2 ? weir_onnx_import(argv[1], NULL) : NULL;
    if (graph != NULL) printf("%zu nodes\n", weir_graph_node_count(graph));
    weir_graph_free(graph);
    return graph == NULL;
}
END
libraries=$(dirname "$(find "$work/prefix" -name libweir.a)")
export PKG_CONFIG_PATH="$libraries/pkgconfig" LD_LIBRARY_PATH="$libraries"
nodes=$("$bin" show model.onnx | grep -c '^[a-zA-Z0-9_]*: %') || fail "weir show"
# shellcheck disable=SC2046 # words
"${CC:-cc}" nodes.c $(pkg-config --cflags --libs weir) -o nodes_shared || fail "linking with libweir.so"
expect 0 "^$nodes nodes$" ./nodes_shared model.onnx
# shellcheck disable=SC2046 # words
"${CC:-cc}" nodes.c $(pkg-config --cflags weir) "$libraries/libweir.a" $(pkg-config --libs jansson yaml-0.1 zlib libprotobuf-c) -ldl -lm \
    -o nodes_static || fail "linking with libweir.a"
LD_LIBRARY_PATH='' expect 0 "^$nodes nodes$" ./nodes_static model.onnx
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(nodes LANGUAGES C)
find_package(weir 0.1 CONFIG REQUIRED)
add_executable(nodes nodes.c)
target_link_libraries(nodes PRIVATE weir::weir)
END
for components in "" "COMPONENTS static"; do
    sed -i "s/^find_package.*/find_package(weir 0.1 CONFIG REQUIRED $components)/" CMakeLists.txt
    rm -rf made
    { cmake -S . -B made -DCMAKE_PREFIX_PATH="$work/prefix" && cmake --build made; } >log 2>&1 ||
        { tail -20 log >&2; fail "a project that finds weir $components"; }
    expect 0 "^$nodes nodes$" made/nodes model.onnx
done
sed -i 's/weir 0.1/weir 9.0/' CMakeLists.txt
cmake -S . -B other -DCMAKE_PREFIX_PATH="$work/prefix" >log 2>&1 && fail "version 9.0 is found"
readelf --dyn-syms --wide "$libraries/libweir.so" >symbols
grep -q ' weir_onnx_import@@WEIR_0.1$' symbols || fail "weir_onnx_import has no version"
readelf -d "$libraries/libweir.so" | grep -q 'SONAME.*libweir[.]so[.]0[.]1\]' || fail "the name of the shared library"
grep 'WEIR_0.1' symbols | grep -v ' weir_\| WEIR_0.1$' >others && { head others >&2; fail "libweir.so exports names that are not its own"; }

# And away again.
mkdir manifest
find "$work/prefix" ! -type d >manifest/install_manifest.txt
touch "$work/prefix/share/doc/mine"
cmake -DBUILD="$PWD/manifest" -P "$E2E_SOURCE/scripts/packaging/uninstall.cmake" >log 2>&1 || { cat log >&2; fail "uninstall"; }
[ "$(find "$work/prefix" ! -type d)" = "$work/prefix/share/doc/mine" ] || fail "uninstall leaves files"
[ -z "$(find "$work/prefix" -name 'weir*')" ] || fail "uninstall leaves folders"
cmake -DBUILD="$PWD/manifest" -P "$E2E_SOURCE/scripts/packaging/uninstall.cmake" >log 2>&1 && fail "uninstall a second time"
finish
