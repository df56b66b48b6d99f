#!/bin/sh
# test: -- %compiler
# operator_rows.sh COMPILER: an operator that lacks a fact, or has one twice, does not build: the compiler names the operator and the fact.
compiler=$1
name=operator_rows
. "$(dirname "$0")/lib.sh"
mkdir -p copy/ir
cp -r "$E2E_SOURCE/toolchain/ir/graph" copy/ir/
all= # errors, not the first 20 of them
if "$compiler" --version | grep -q clang; then all=-ferror-limit=0; fi
# compiles ROWS: op.c with these rows, too?
compiles() {
    { cat "$E2E_SOURCE/toolchain/ir/graph/op_own.def"; echo "$1"; } >copy/ir/graph/op_own.def
    # shellcheck disable=SC2086 # an option or none
    "$compiler" $all -std=c11 -D_POSIX_C_SOURCE=200809L -Icopy -I"$E2E_SOURCE/toolchain" -fsyntax-only copy/ir/graph/op.c >output 2>&1
}
facts='INPUTS(1, 1) OUTPUTS(1) LEVEL(STREAM) MOVE(keep) ORDER(OTHER) FRAMES(ONE) MEANING(SAME) BATCH(only_data) INFER(identity) LOOPS(copy) KERNEL(copy) FUSION(OPAQUE) MASE(IMPLICIT_FUNC, "planted") TORCH(FUNCTION, "weir", "data")'
function='ELEMENT(ANY) MASE(BUILTIN_FUNC, "planted")'
compiles "WEIR_OP(WHOLE, WEIR, \"Whole\", OWN, $facts)
WEIR_OP(ELEMENTWISE, ONNX, \"Elementwise\", FUNCTION, $function SINCE(1))" || { cat output >&2; fail "rows with every fact do not compile"; }
# One row an error, each with the name that the compiler must say.
planted=
: >expected
plant() { # ROW'S NAME, WHAT IS EXPECTED, REST OF THE ROW
    planted="$planted
WEIR_OP($1, $3)"
    echo "operator $1: expected $2" >>expected
}
for fact in INPUTS OUTPUTS LEVEL MOVE ORDER FRAMES MEANING BATCH INFER LOOPS KERNEL FUSION MASE TORCH; do
    plant "WITHOUT_$fact" "one $fact" "WEIR, \"P\", OWN, $(echo "$facts" | sed "s/$fact([^()]*)//")"
    plant "TWO_$fact" "one $fact" "WEIR, \"P\", OWN, $facts $fact(1)"
done
for fact in TASK ELEMENT KIND SIZES ROUNDING PLACE LOWER; do # of the class
    plant "WITHOUT_$fact" "one $fact" 'WEIR, "P", TENSOR, NO_FILES()'
    plant "TWO_$fact" "one $fact" "WEIR, \"P\", OWN, $facts $fact(none)"
done
plant TWO_RULES "one LOWER" "WEIR, \"P\", OWN, $facts LOWER_BEFORE(none)"
plant NOWHERE "SINCE or NO_FILES" "ONNX, \"P\", FUNCTION, $function"
plant BOTH "SINCE or NO_FILES" "ONNX, \"P\", FUNCTION, $function SINCE(1) NO_FILES()"
! compiles "$(echo "$planted" | sed 's/LEVEL(1)/LEVEL(STREAM)/; s/INPUTS(1)/INPUTS(1, 1)/; s/MASE(1)/MASE(IMPLICIT_FUNC, "p")/; s/TORCH(1)/TORCH(FUNCTION, "p", "data")/')" || fail "the planted rows compile"
grep -oE 'operator [A-Z_]+: expected [A-Za-z_ ]*[A-Z]' output | sort -u >said
sort -u expected | comm -23 - said >unsaid
[ ! -s unsaid ] || { head -5 output >&2; fail "not said: $(cat unsaid)"; }
[ "$(wc -l <expected)" -ge 44 ] || fail "few faults: $(wc -l <expected)"
# A fact that is none.
! compiles "WEIR_OP(PLANTED, ONNX, \"Planted\", FUNCTION, $function SINCE(1) TSAK(NONE))" || fail "a fact that is none compiles"
finish
