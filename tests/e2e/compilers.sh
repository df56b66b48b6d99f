#!/bin/sh
# compilers.sh COMPILER ID: the command that another compiler makes, for all instructions of this processor and optimized
# harder, writes the same bytes. The other builds stay beside the tests' folders, so a second run is quick.
# test: label=nightly seconds=1800 processors=2 -- %compiler %compiler_id
compiler=$1 id=$2
name=compilers
. "$(dirname "$0")/lib.sh"
case $id in GNU) other=clang ;; *) other=gcc ;; esac
command -v $other >/dev/null || { echo "skipped: no $other"; exit 77; }

build() { # NAME COMPILER FLAGS
    cmake -S "$E2E_SOURCE" -B "$E2E_TOOLS/other-$1" -G Ninja -DBUILD_TESTING=OFF -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_C_FLAGS="$3" -DCMAKE_BUILD_TYPE=Release >log 2>&1 &&
        cmake --build "$E2E_TOOLS/other-$1" --target weir >log 2>&1 || { tail -20 log >&2; fail "building with $2 $3"; exit 1; }
}

compile() { # FOLDER COMMAND
    mkdir "$1"
    for model in "$models"/mlp_*.onnx; do
        quantization=none
        case $model in *float*) quantization=int8 ;; esac
        # shellcheck disable=SC2046 # options are words
        "$2" compile $(quantize_options $quantization) "$model" -o "$1/$(basename "$model" .onnx)" >/dev/null || fail "$2 compile $model"
    done
    "$2" compile $(quantize_options fixed) "$models/mlp_float.onnx" -o "$1/fixed" >/dev/null || fail "$2 compile fixed"
    "$2" eval "$models/mlp_float.onnx" --engine float --data "$test_data" --output "$1/float.npy" >/dev/null || fail "$2 eval"
}

compile here "$WEIR"
build $other $other ""
build native "$compiler" "-O3 -march=native"
for kind in $other native; do
    compile $kind "$E2E_TOOLS/other-$kind/toolchain/cli/weir"
    diff -r here $kind >differences || { head -5 differences >&2; fail "another output of the build '$kind'"; }
done
finish
