#!/bin/sh
# builds.sh BUILD: the command finds its data from build folders anywhere: outside the sources, with blanks in paths, moved.
# test: -- %build
build=$1
name=builds
. "$(dirname "$0")/lib.sh"
unset WEIR_DATA
outside=$(mktemp -d) # no sources above
cd "$outside"
export WEIR_CACHE="$outside/a cache" TMPDIR="$outside/temporary files"
mkdir "temporary files"
[ "$(cat "$build/weir-data")" = "$E2E_SOURCE" ] || fail "weir-data says $(cat "$build/weir-data")"

# Sources with a blank: what the command reads, and enough to be configured.
mkdir -p "the sources" elsewhere
(cd "$E2E_SOURCE" && tar -c --exclude=./build* --exclude=./.git --exclude=./tests .) | tar -x -C "the sources"
cmake -S "the sources" -B "elsewhere/my build" -DBUILD_TESTING=OFF -DCMAKE_C_COMPILER="${CC:-cc}" >log 2>&1 || { cat log >&2; fail "cmake -B"; }
# Building it is a matter of minutes, so the program is the one at hand.
mkdir -p "elsewhere/my build/toolchain/cli"
cp "$WEIR" "elsewhere/my build/toolchain/cli/weir"
works() { expect 0 "" "$1/toolchain/cli/weir" check "$models/mlp_qdq.onnx" -d "$test_data" -n 1 --simulator icarus; }
works "elsewhere/my build"
mv "elsewhere/my build" "elsewhere/moved"
works elsewhere/moved
mkdir deep && mv elsewhere/moved deep/moved && ln -s deep/moved link
works link
"$PWD/link/toolchain/cli/weir" opt "$models/mlp_qdq.onnx" -p 'onnx_runtime{dir=made frames=1}' >/dev/null || fail "onnx_runtime"
[ -e made/compare.py ] || fail "no compare.py"
# In the sources, all of it moved.
mkdir "the sources/build" && cp -r deep/moved/. "the sources/build/" && mv "the sources" "moved sources"
works "moved sources/build"
expect 4 "error: cannot find the data folder: the sources of this build are no longer in '$outside/the sources'" deep/moved/toolchain/cli/weir compile "$models/mlp_qdq.onnx" -o design
grep -q "configure the build folder again, or set WEIR_DATA" output || fail "no remedy"
# Verilator too where there are blanks; it takes a while.
! is_night || expect 0 "" "moved sources/build/toolchain/cli/weir" check "$models/mlp_qdq.onnx" -d "$test_data" -n 1 --simulator verilator -o "with blanks"
rm -rf "$outside"
finish
