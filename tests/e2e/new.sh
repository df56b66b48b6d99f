#!/bin/sh
# test: label=nightly -- %compiler
# new.sh COMPILER: `scripts/new operator` in a copy of the tables: the frame of an element-wise operator compiles and is what was asked for, of one whose rules
# are functions too; what it cannot write it refuses, and writes nothing. recipes/build links one and runs its cases.
compiler=$1
name=new
. "$(dirname "$0")/lib.sh"
mkdir copy
(cd "$E2E_SOURCE" && tar -c scripts toolchain passes tests/op) | tar -x -C copy
cp -r copy before
new=$work/copy/scripts/new
unchanged() { diff -r before copy >differences || fail "$1: files are changed: $(head -3 differences)"; }

# --- what is refused ---
expect 1 "operator 'Softsign' \(SOFTSIGN\) exists: toolchain/ir/graph/op.def:[0-9]+" "$new" operator Softsign --like Tanh
expect 1 "operator 'SoftSIGN' \(SOFT_SIGN\)|no operator 'Tahn' in toolchain/ir/graph/op.def" "$new" operator SoftSIGN --like Tahn
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
# A table in which the model has no row: nothing is written of the others.
sed -i '/^WEIR_FUSION(TANH,/d' copy/passes/graph/fusion.def before/passes/graph/fusion.def
expect 1 "'Tanh' has no row of its own in fusion.def" "$new" operator ScaledTanh --like Tanh
unchanged "refused"
cp "$E2E_SOURCE/passes/graph/fusion.def" copy/passes/graph/fusion.def
cp "$E2E_SOURCE/passes/graph/fusion.def" before/passes/graph/fusion.def

# --- what is written, from another folder ---
mkdir elsewhere
cd elsewhere
expect 0 "toolchain/exec/kernel_elementwise.c:[0-9]+: UNARY_STEPS\(SCALED_SIGN," "$new" operator ScaledSign --like Softsign
expect 0 "toolchain/exec/kernel_shape.c:[0-9]+: void weir_kernel_BLOCKS_TO_SPACE\(" "$new" operator BlocksToSpace --like DepthToSpace
# Rules of other domains.
expect 0 'onnx_table.c:[0-9]+: RULE_SCALES\(MICROSOFT, "QLinearTwin", QLINEAR_TWIN,' "$new" operator QLinearTwin --like QLinearSigmoid
# A column that has the word of the model keeps it.
expect 0 "toolchain/ir/trait/trait.def:[0-9]+: WEIR_TRAIT\(SCALED_SOFTMAX, SOFTMAX," "$new" operator ScaledSoftmax --like Softmax
cd ..
# Lines are added, none is changed.
for file in $(cd before && find toolchain passes -type f); do diff "before/$file" "copy/$file" || true; done >differences
! grep -q '^<' differences || fail "lines are changed: $(grep '^<' differences | head -3)"
[ "$(grep -c 'SCALED_SIGN' differences)" -eq 10 ] || fail "expected 10 rows of Softsign's: $(grep SCALED_SIGN differences)"
grep -q '^> WEIR_OP(SCALED_SIGN, "", "ScaledSign", 1, 1, 1, TENSOR)$' differences || fail "no row in op.def"
# The frame of a kernel of its own calls the other's.
grep -A3 'weir_kernel_BLOCKS_TO_SPACE' copy/toolchain/exec/kernel_shape.c | grep -q '^    weir_kernel_DEPTH_TO_SPACE(graph, node, inputs, outputs);$' || fail "the kernel calls nothing"
jansson=$(pkg-config --cflags jansson)
# compiles FILE: with the copy's tables. Which rows it needs: operator_rows.
compiles() {
    # shellcheck disable=SC2086 # flags
    "$compiler" -std=c11 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L $jansson -Icopy -Icopy/toolchain -fsyntax-only "copy/$1" >output 2>&1
}
for file in toolchain/ir/trait/mase.c toolchain/ir/trait/trait.c passes/graph/fusion.c passes/lower/lower_integer.c toolchain/ir/shape/infer_elementwise.c \
    toolchain/ir/shape/infer_window.c toolchain/ir/shape/loop_elementwise.c toolchain/ir/shape/loop_window.c toolchain/exec/kernel_elementwise.c \
    toolchain/exec/kernel_shape.c toolchain/frontend/import/onnx_table.c toolchain/ir/graph/verify_node.c; do
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
# Planted: a row less is found by the build.
sed -i '/^WEIR_TRAIT(SCALED_SIGN,/d' copy/toolchain/ir/trait/trait.def
! compiles toolchain/ir/trait/trait.c || fail "a missing row is not found"
finish
