#!/bin/sh
# test: label=nightly -- %compiler
# new.sh COMPILER: `scripts/new operator` in a copy of the tables: the frame of an element-wise operator is a row and a kernel, that of a move a row; they
# compile; what it cannot write it refuses, and writes nothing. recipes/build links one and runs its cases.
compiler=$1
name=new
. "$(dirname "$0")/lib.sh"
mkdir copy
(cd "$E2E_SOURCE" && tar -c scripts toolchain passes tests/op) | tar -x -C copy
cp -r copy before
new=$work/copy/scripts/new
unchanged() { diff -r before copy >differences || fail "$1: files are changed: $(head -3 differences)"; }

# --- what is refused ---
expect 1 "operator 'Softsign' \(SOFTSIGN\) exists: toolchain/ir/graph/op_elementwise.def:[0-9]+" "$new" operator Softsign --like Tanh
expect 1 "operator 'SoftSIGN' \(SOFT_SIGN\)|no operator 'Tahn' in toolchain/ir/graph/op_" "$new" operator SoftSIGN --like Tahn
expect 1 "'scaled-tanh' is no name of an operator" "$new" operator scaled-tanh --like Tanh
expect 1 "operator 'Linear' is this IR's own" "$new" operator Twin --like Linear
expect 1 "operator 'Mask' is this IR's own" "$new" operator Twin --like Mask
expect 2 "expected --like OTHER" "$new" operator ScaledTanh
expect 2 "expected 'operator', found 'pass'" "$new" pass twin --like Tanh
expect 2 "unknown option '--as'" "$new" operator ScaledTanh --as Tanh
expect 0 "usage: scripts/new operator NAME --like OTHER" "$new" --help
mkdir copy/tests/op/ScaledTanh before/tests/op/ScaledTanh
expect 1 "tests/op/ScaledTanh exists" "$new" operator ScaledTanh --like Tanh
rmdir copy/tests/op/ScaledTanh before/tests/op/ScaledTanh
# A model without a kernel: nothing is written.
sed -i '/^UNARY(TANH,/d' copy/toolchain/exec/kernel_elementwise.c before/toolchain/exec/kernel_elementwise.c
expect 1 "'Tanh' has no kernel in toolchain/exec/kernel_" "$new" operator ScaledTanh --like Tanh
unchanged "refused"
for folder in copy before; do cp "$E2E_SOURCE/toolchain/exec/kernel_elementwise.c" $folder/toolchain/exec/; done

# --- what is written, from another folder ---
mkdir elsewhere
cd elsewhere
expect 0 "toolchain/exec/kernel_elementwise.c:[0-9]+: UNARY_STEPS\(SCALED_SIGN," "$new" operator ScaledSign --like Softsign
expect 0 'toolchain/ir/graph/op_move.def:[0-9]+: WEIR_OP\(BLOCKS_TO_SPACE, ONNX, "BlocksToSpace", MOVE,' "$new" operator BlocksToSpace --like DepthToSpace
expect 0 "toolchain/exec/kernel_window.c:[0-9]+: void weir_kernel_LARGEST_POOL\(" "$new" operator LargestPool --like MaxPool
# Rules of other domains.
expect 0 'op_quantized.def:[0-9]+: WEIR_OP\(QLINEAR_TWIN, MICROSOFT, "QLinearTwin", CODE_OPERATOR,' "$new" operator QLinearTwin --like QLinearSigmoid
# A class and facts that have the word of the model keep it.
expect 0 'op_normalization.def:[0-9]+: WEIR_OP\(SCALED_SOFTMAX, ONNX, "ScaledSoftmax", SOFTMAX,' "$new" operator ScaledSoftmax --like Softmax
cd ..
# Lines are added, none is changed.
for file in $(cd before && find toolchain passes -type f); do diff "before/$file" "copy/$file" || true; done >differences
! grep -q '^<' differences || fail "lines are changed: $(grep '^<' differences | head -3)"
[ "$(grep -c 'SCALED_SIGN' differences)" -eq 2 ] || fail "expected a row and a kernel of Softsign's: $(grep SCALED_SIGN differences)"
[ "$(grep -c 'BLOCKS_TO_SPACE' differences)" -eq 1 ] || fail "expected a row of DepthToSpace's: $(grep BLOCKS_TO_SPACE differences)"
grep -q '^> WEIR_OP(SCALED_SIGN, ONNX, "ScaledSign", ACTIVATION,$' differences || fail "no row in op_elementwise.def"
grep -A4 '^> WEIR_OP(SCALED_SOFTMAX,' differences | grep -q 'KIND(SOFTMAX)' || fail "the copy is of another kind"
# The frame of a kernel of its own calls the other's.
grep -A3 'weir_kernel_LARGEST_POOL' copy/toolchain/exec/kernel_window.c | grep -q '^    weir_kernel_MAX_POOL(graph, node, inputs, outputs);$' || fail "the kernel calls nothing"
jansson=$(pkg-config --cflags jansson)
# compiles FILE: with the copy's tables. Which rows it needs: operator_rows.
compiles() {
    # shellcheck disable=SC2086 # flags
    "$compiler" -std=c11 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L $jansson -Icopy -Icopy/toolchain -fsyntax-only "copy/$1" >output 2>&1
}
for file in toolchain/ir/graph/op.c toolchain/ir/trait/mase.c toolchain/ir/trait/trait.c toolchain/ir/trait/batch.c passes/graph/fusion.c passes/lower/lower_integer.c \
    toolchain/ir/shape/infer.c toolchain/ir/shape/loop.c toolchain/ir/shape/index_map_node.c toolchain/exec/kernel.c toolchain/exec/kernel_elementwise.c \
    toolchain/exec/kernel_window.c toolchain/frontend/import/onnx_table.c toolchain/ir/graph/verify_node.c; do
    compiles $file || fail "$file does not compile: $(head -3 output)"
done
# The cases are the other's without values, which only outsiders may give.
for operator in ScaledSign BlocksToSpace; do
    ls copy/tests/op/$operator/values.txt copy/tests/op/$operator/refused.txt copy/tests/op/$operator/hardware.txt >/dev/null || fail "cases of $operator"
    ! grep -lE '^(--- values|reference:)' copy/tests/op/$operator/* || fail "values of the other operator"
    ! grep -E 'Softsign|DepthToSpace' copy/tests/op/$operator/* || fail "names of the other operator"
done
grep -q '^n1: %n1 = ScaledSign(%x)$' copy/tests/op/ScaledSign/values.txt || fail "the graph has not the operator"
expect 1 "operator 'ScaledSign' \(SCALED_SIGN\) exists" "$new" operator ScaledSign --like Softsign
# Planted: a fact less is found by the build.
sed -i '/^WEIR_OP(SCALED_SIGN,/,/)$/s/ELEMENT(MONOTONE) //' copy/toolchain/ir/graph/op_elementwise.def
! compiles toolchain/ir/graph/op.c || fail "a missing fact is not found"
grep -q "operator SCALED_SIGN: expected one ELEMENT" output || fail "it is not named"
finish
