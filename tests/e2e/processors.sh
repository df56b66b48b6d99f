#!/bin/sh
# processors.sh: the same input gives the same bytes as on other processors: without and with AVX, AVX2 and FMA, which both
# our own products and the C library choose by; QEMU plays the processors, glibc's tunables hide features of this one.
# test: label=nightly seconds=600
name=processors
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || { echo "skipped: processors of x86-64 only"; exit 77; }
command -v qemu-x86_64 >/dev/null || { echo "skipped: no qemu-x86_64 (package qemu-user)"; exit 77; }
if objdump -t "$WEIR" | grep -q __asan_init; then echo "skipped: QEMU does not run AddressSanitizer"; exit 77; fi

compile() { # FOLDER COMMAND...
    folder=$1
    shift
    mkdir "$folder"
    for quantization in int8 fixed; do
        # shellcheck disable=SC2046 # options are words
        "$@" compile $(quantize_options $quantization) "$models/mlp_float.onnx" -o "$folder/$quantization" >/dev/null ||
            fail "$*: compile"
    done
    "$@" eval "$models/mlp_float.onnx" --engine float --data "$test_data" --output "$folder/float.npy" >/dev/null || fail "$*: eval"
    "$@" eval "$models/mlp_qdq.onnx" --engine float --data "$test_data" --output "$folder/qdq.npy" >/dev/null || fail "$*: eval"
}

compile here "$WEIR"
tried=0
for processor in core2duo Nehalem SandyBridge Haswell EPYC max; do
    qemu-x86_64 -cpu $processor "$WEIR" --version >log 2>&1 || { echo "no $processor here"; continue; }
    tried=$((tried + 1))
    compile $processor qemu-x86_64 -cpu $processor "$WEIR" 2>log
    diff -r here $processor >differences || { head -5 differences >&2; fail "another output on a $processor"; }
done
[ $tried -gt 0 ] || { echo "skipped: QEMU does not run this command"; exit 77; }
[ $tried -ge 4 ] || fail "only $tried processors could be played"
hidden=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-AVX512F
compile hidden env GLIBC_TUNABLES=glibc.cpu.hwcaps=$hidden OPENBLAS_CORETYPE=Prescott MKL_ENABLE_INSTRUCTIONS=SSE4_2 "$WEIR"
diff -r here hidden >differences || { head -5 differences >&2; fail "another output without AVX2"; }

# Planted: one bit of one scale.
cp -r here planted
file=$(find planted/int8/rtl -name '*scale*.hex' | head -1)
sed '1s/.$/x/' "$file" >changed && mv changed "$file"
diff -r here planted >/dev/null && fail "a planted difference is not found"
finish
