#!/bin/sh
# test: -- %compiler
# operator_rows.sh COMPILER: an operator that is in op.def only does not build: each table beside its users names it.
compiler=$1
name=operator_rows
. "$(dirname "$0")/lib.sh"
jansson=$(pkg-config --cflags jansson)

# Does the source compile with the operators of the folder's op.def?
compiles() {
    # shellcheck disable=SC2086 # flags
    "$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L $jansson -I"$1" -I"$E2E_SOURCE" -I"$E2E_SOURCE/toolchain" -fsyntax-only \
        "$E2E_SOURCE/$2" >output 2>&1
}
mkdir -p same/ir/graph planted/ir/graph
cp "$E2E_SOURCE/toolchain/ir/graph/op.def" same/ir/graph/op.def
{ cat same/ir/graph/op.def; echo 'WEIR_OP(PLANTED, "weir", "Planted", 1, 1, 1, TENSOR)'; } >planted/ir/graph/op.def
for row in toolchain/ir/trait/mase.c:row_of_mase_def_for_PLANTED toolchain/ir/trait/trait.c:row_of_trait_def_for_PLANTED passes/graph/fusion.c:row_of_fusion_def_for_PLANTED \
    passes/lower/lower_integer.c:row_of_lower_def_for_PLANTED; do
    compiles same "${row%%:*}" || { cat output >&2; fail "${row%%:*} does not compile"; }
    ! compiles planted "${row%%:*}" || fail "${row%%:*} compiles without a row for the planted operator"
    grep -q "${row##*:}" output || { cat output >&2; fail "no '${row##*:}' in what the compiler says of ${row%%:*}"; }
done
finish
