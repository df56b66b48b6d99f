#!/bin/sh
# recipes.sh PART [BUILD]: CONTRIBUTING's "Where to start" is literally true. `paths`: what it names exists, and a
# device of one's own is a file that the command reads. `build`: each recipe
# is followed in a copy of the repository, by making a twin of something that exists; the copy builds, and the twins'
# tests pass. `twins`: every operator that files have gets a twin by rows alone, all in one copy, and the operator's cases hold for it;
# WEIR_TWINS="Softsign Conv" chooses some.
# test: name=recipes/paths -- paths
# test: name=recipes/build label=nightly seconds=3600 processors=2 -- build %build
# test: name=recipes/twins label=nightly seconds=3600 processors=2 -- twins %build
part=$1 build=${2-}
name="recipes-$part"
. "$(dirname "$0")/lib.sh"
page=$E2E_SOURCE/CONTRIBUTING.md

# recipe FILE WORDS: the item of "Where to start" that begins with the words, on one line.
recipe() {
    sed -n '/^## Where to start/,/^## Rules/p' "$1" |
        awk -v words="- **$2**" '/^- / { inside = index($0, words) == 1 } inside { line = line " " $0 } END { print line }'
}
# paths FILE WORDS: the files and folders that it names.
paths() { recipe "$1" "$2" | grep -oE '`[a-zA-Z_]+/[^`]*`' | tr -d '`'; }

# missing FILE: paths in it that are nowhere; words in capitals are the reader's.
missing() {
    sed -n '/^## Where to start/,/^## Rules/p' "$1" | grep -oE '`[a-zA-Z_]+/[^`]*`' | tr -d '`' | sed 's/[A-Z][A-Z_]*/*/g' | sort -u |
        while read -r path; do
            found=no
            # shellcheck disable=SC2086 # patterns
            for file in "$E2E_SOURCE"/$path; do [ -e "$file" ] && found=yes; done
            [ $found = yes ] || echo "$path"
        done
}

if [ "$part" = paths ]; then
    for kind in "An operator" "A component" "A pass" "A hardware pass" "A device" "A number format" "A subcommand"; do
        [ "$(paths "$page" "$kind" | wc -l)" -ge 1 ] || fail "no recipe for: $kind"
    done
    [ -z "$(missing "$page")" ] || fail "nowhere: $(missing "$page")"
    sed 's/`toolchain\/ir\/graph\/op_KIND.def`/`toolchain\/ir\/nonesuch.def`/' "$page" >planted.md
    [ "$(missing planted.md)" = toolchain/ir/nonesuch.def ] || fail "the planted path is not found"
    mkdir -p data/boards
    cp -r "$E2E_SOURCE/boards/devices" data/boards/
    for folder in rtl sim; do ln -s "$E2E_SOURCE/$folder" data/$folder; done
    sed 's/^name: .*/name: ice40up5k-twin/' "$E2E_SOURCE/boards/devices/ice40up5k.yaml" >data/boards/devices/ice40up5k-twin.yaml
    WEIR_DATA=$PWD/data
    export WEIR_DATA
    expect 0 "ice40up5k-twin" "$WEIR" devices
    expect 0 "estimate for ice40up5k-twin" "$WEIR" compile "$models/mlp_qdq.onnx" -o design --device ice40up5k-twin
    finish
    exit
fi

# --- the copy ---
need_tools cmake ninja iverilog
mkdir copy
(cd "$E2E_SOURCE" && tar -c --exclude './build*' --exclude ".${build#"$E2E_SOURCE"}" --exclude ./.git .) | tar -x -C copy
cd copy

# twin OPERATOR: its rows and its cases again; the files that are written are added to `touched`.
twin() {
    scripts/new operator "$1Twin" --like "$1" >written 2>&1 || { cat written >&2; fail "scripts/new operator $1Twin"; }
    sed -n 's/^  \([a-z][^ :]*\):.*/\1/p' written >>touched
    for case in tests/op/"$1"/*.txt; do
        sed "s/\(= [a-z_.]*\)$1(/\1$1Twin(/; s/(\([a-z_.]*\)$1)/(\1$1Twin)/" "$case" >"tests/op/$1Twin/${case##*/}"
    done
}
# configure: the copy, with the compiler's results of before where there are any.
configure() {
    launcher=
    command -v ccache >/dev/null && launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
    CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    export CCACHE_BASEDIR CCACHE_NOHASHDIR
    # shellcheck disable=SC2086 # an option or none
    cmake -S . -B build -G Ninja $launcher >configured 2>&1 || { tail -20 configured >&2; fail "the copy cannot be configured"; finish; }
}

if [ "$part" = twins ]; then
    operators=${WEIR_TWINS:-$(sed -nE 's/^WEIR_OP\([A-Z0-9_]+, (ONNX|MICROSOFT|QONNX|ML), "(\w+)",.*/\2/p' toolchain/ir/graph/op_*.def)}
    for other in $operators; do twin "$other"; done
    configure
    ninja -C build run_op >built 2>&1 || { tail -40 built >&2; fail "the copy does not build"; }
    for other in $operators; do
        build/tests/op/run_op "tests/op/${other}Twin" >ran 2>&1 || { head -5 ran >&2; fail "${other}Twin is not what $other is"; }
    done
    # Planted: twins of no kind, which code that is about one operator does not know.
    sed -i '/^WEIR_OP([A-Z0-9_]*_TWIN,/,/)$/s/ KIND([A-Z0-9_]*)/ KIND(NONE)/' toolchain/ir/graph/op_*.def
    ninja -C build run_op >built 2>&1 || { tail -40 built >&2; fail "the copy does not build"; }
    unknown=0
    for other in $operators; do build/tests/op/run_op "tests/op/${other}Twin" >ran 2>&1 || unknown=$((unknown + 1)); done
    [ $unknown -gt 0 ] || fail "twins of no kind are not found"
    cd "$work"
    finish
    exit
fi

# An operator of each class: scripts/new copies the row of one and makes the kernel, in no other files; its cases hold for the copy.
# writes OPERATOR FILE...: a twin of it writes to these and to its folder of tests.
writes() {
    : >touched
    twin "$1"
    { printf '%s\n' "$@" | sed 1d; echo "tests/op/$1Twin"; } | sort >expected
    sort -u touched | diff expected - || fail "scripts/new operator $1Twin: expected the files on the left"
    sed 's/^/touched by a twin of '"$1"': /' expected
    operators="$operators $1"
}
operators=
ir=toolchain/ir/graph exec=toolchain/exec
writes Softsign $ir/op_elementwise.def $exec/kernel_elementwise.c
writes Transpose $ir/op_move.def
writes MaxPool $ir/op_window.def $exec/kernel_window.c
writes ReduceMax $ir/op_reduction.def $exec/kernel_reduce.c
writes Conv $ir/op_window.def $exec/kernel_window.c
writes MatMul $ir/op_product.def $exec/kernel_float.c
writes BatchNormalization $ir/op_normalization.def # its row names its kernel
# A component: relu's row, file, module and folder of tests again; in front, so that it is the one that is used.
sed 's/weir_relu_rules/weir_relu_twin_rules/' toolchain/dataflow/component/activation/relu.c >toolchain/dataflow/component/relu_twin.c
awk '/^WEIR_COMPONENT\(relu,/ { line = $0; gsub(/relu/, "relu_twin", line); print line } { print }' toolchain/dataflow/component.def >twin
mv twin toolchain/dataflow/component.def
sed 's/weir_relu/weir_relu_twin/g' rtl/activation/weir_relu.v >rtl/activation/weir_relu_twin.v
cp -r tests/component/relu tests/component/relu_twin
sed -i 's/component_test_relu/component_test_relu_twin/; s/"relu"/"relu_twin"/' tests/component/relu_twin/random.c
sed -i 's/weir_relu/weir_relu_twin/g' tests/component/relu_twin/mutants.txt tests/component/relu_twin/proof_relu.v
mv tests/component/relu_twin/proof_relu.v tests/component/relu_twin/proof_relu_twin.v
# A pass: infer_type's row, file and case again.
sed 's/weir_pass_infer_type/weir_pass_infer_type_twin/' passes/graph/infer_type.c >passes/graph/infer_type_twin.c
awk '{ print } /^WEIR_PASS\(GRAPH, infer_type,/ { inside = 1 } inside { text = text $0 "\n"; if (/\)$/) { sub(/infer_type, "infer_type"/, "infer_type_twin, \"infer_type_twin\"", text); printf "%s", text; inside = 0 } }' \
    passes/pass.def >twin && mv twin passes/pass.def
mkdir tests/pass/infer_type_twin
sed 's/^pipeline: infer_type$/pipeline: infer_type_twin/' tests/pass/infer_type/fill.txt >tests/pass/infer_type_twin/fill.txt
sed 's/test_choose_folding/test_twin/' tests/pass/choose_folding/test_choose_folding.c >tests/pass/infer_type_twin/test_twin.c
# A hardware pass: remove_unused_stmts' row, file and case again.
sed 's/weir_pass_remove_unused_stmts/weir_pass_remove_twin/' passes/rtl/statements/remove_unused_stmts.c >passes/rtl/statements/remove_twin.c
awk '{ print } /^WEIR_PASS\(HARDWARE[A-Z_]*, remove_unused_stmts,/ { inside = 1 } inside { text = text $0 "\n"; if (/\)$/) { gsub(/remove_unused_stmts/, "remove_twin", text); printf "%s", text; inside = 0 } }' \
    passes/rtl/rtl.def >twin && mv twin passes/rtl/rtl.def
mkdir tests/rtl/remove_twin
for case in tests/rtl/remove_unused_stmts/*.txt; do
    sed '/^pipeline:/s/remove_unused_stmts/remove_twin/; s/"remove_unused_stmts"/"remove_twin"/' "$case" >tests/rtl/remove_twin/twin.txt
    break
done
# A number format: mxint's row and functions again.
awk '{ print } /^WEIR_NUMBER\(MXINT,/ { inside = 1 } inside { text = text $0 "\n"; if (/\)$/) { sub(/MXINT, "mxint"/, "MXINT_TWIN, \"mxint_twin\"", text); printf "%s", text; inside = 0 } }' \
    toolchain/ir/number/number.def >twin && mv twin toolchain/ir/number/number.def
{
    printf '#include <math.h>\n\n#include "ir/number/number_private.h"\n\n'
    awk '/^(weir_number_shared|number_limits|int64_t|double) weir_number_MXINT_(measure|limits|encode|decode)\(/ { inside = 1 } inside { print; if (/^}/) inside = 0 }' \
        toolchain/ir/number/number_block.c | sed 's/weir_number_MXINT_/weir_number_MXINT_TWIN_/g; s/E8M0/127/g'
    awk '/^static int clamp\(/' toolchain/ir/number/number_block.c >clamp
} >toolchain/ir/number/number_twin.c
sed -i '3r clamp' toolchain/ir/number/number_twin.c && rm clamp
# A subcommand: operators' row and file again, and a script.
sed 's/weir_command_operators/weir_command_operators_twin/' toolchain/cli/command/operators.c >toolchain/cli/operators_twin.c
awk '{ print } /^WEIR_COMMAND\(operators,/ { sub(/operators/, "operators_twin"); print }' toolchain/cli/command.def >twin
mv twin toolchain/cli/command.def
cat >tests/e2e/operators_twin.sh <<'END'
#!/bin/sh
# What the recipe's subcommand says.
name=operators_twin
. "$(dirname "$0")/lib.sh"
expect 0 "SoftsignTwin" "$WEIR" operators_twin SoftsignTwin
finish
END

configure
scripts/pages >pages 2>&1 || { tail -40 pages >&2; fail "the copy does not build"; finish; }
units="test_twin test_infer test_ir_batch test_ir_loop test_ir_mase test_ir_verify test_frontend_onnx test_passes_pages test_passes_fuse"
# shellcheck disable=SC2086 # a list
ninja -C build weir run_op cover_op run_pass run_rtl import_model component mutate mutant_models array_tool $units >built 2>&1 || { tail -40 built >&2; fail "the copy does not build"; finish; }
unset WEIR_DATA WEIR_CACHE
ctest --test-dir build -j2 --output-on-failure --no-tests=error \
    -R "^unit/($(echo "$units" | tr ' ' '|'))\$|^(err|pass)/|^op/([A-Za-z]*Twin|cover)\$|^rtl/remove_twin/|^component/relu_twin/(icarus|planted|mutants)\$|^e2e/(operators|operators_twin|operator_rows)\$" \
    >tested 2>&1 || { grep -E '\*\*\*|tests passed' tested >&2; tail -60 tested >&2; fail "tests of the copy fail"; }
for format in mxint mxint_twin; do
    echo "default: {config: {name: $format}}" >"$work/$format.yaml"
    build/toolchain/cli/weir eval "$models/mlp_float.onnx" --engine float --quantize "$work/$format.yaml" -d "$test_data" -o "$work/$format.npy" >/dev/null 2>&1 || fail "$format does not run"
done
cmp "$work/mxint.npy" "$work/mxint_twin.npy" || fail "the twin of a number format gives other values"
for test in unit/test_twin pass/infer_type_twin/fill $(printf 'op/%sTwin ' $operators) op/cover rtl/remove_twin/twin component/relu_twin/icarus component/relu_twin/mutants e2e/operators_twin; do
    grep -q "$test .*Passed" tested || fail "$test did not run"
done
cd "$work"
finish
