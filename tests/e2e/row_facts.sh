#!/bin/sh
# test: label=nightly seconds=3600 processors=2 -- %build
# row_facts.sh BUILD: a fact in an operator's row (trait.def, mase.def) that is another one makes a test fail. In a copy of the repository a cell
# of a table at a time gets another word of its column, what changes is built, and the tests about operators run. WEIR_RANDOM chooses other cells,
# WEIR_MUTANTS how many, WEIR_CELLS="RELU element|..." which. Cells that no test needs to know are in tests/op/row_facts.txt, with reasons.
build=$1
name=row_facts
. "$(dirname "$0")/lib.sh"
seed=${WEIR_RANDOM:-1} mutants=${WEIR_MUTANTS:-30}
need_tools cmake ninja
mkdir copy
(cd "$E2E_SOURCE" && tar -c --exclude './build*' --exclude ".${build#"$E2E_SOURCE"}" --exclude ./.git .) | tar -x -C copy
cd copy
traits=toolchain/ir/trait/trait.def mase=toolchain/ir/trait/mase.def

# cells FILE MACRO COLUMNS: `KEY|FILE|LINE|COLUMN|OPERATOR|FACT|NOW` for each cell of the named columns (- : none) with another word of its column; in the order of
# the keys, which follow from the seed, they are a sample.
cells() {
    awk -v file="$1" -v macro="$2" -v columns="$3" -v seed="$seed" '
        function random(most) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * most) }
        BEGIN { state = seed * 7919 + 17; for (i = 0; i < 9; i++) random(1); count = split(columns, fact, " ") }
        index($0, macro "(") == 1 {
            text = substr($0, length(macro) + 2); sub(/\)$/, "", text)
            split(text, word, /, */); rows++; line[rows] = FNR; operator[rows] = word[1]
            for (c = 1; c <= count; c++) {
                cell[rows, c] = word[c + 1]
                if (!((c, word[c + 1]) in known)) { known[c, word[c + 1]] = 1; words[c, ++most[c]] = word[c + 1] }
            }
        }
        END {
            for (r = 1; r <= rows; r++) for (c = 1; c <= count; c++) {
                key = random(1000000000)
                start = random(most[c])
                if (fact[c] == "-" || most[c] < 2) continue
                if (fact[c] == "kind" && cell[r, c] == "NONE") continue
                for (i = 0; words[c, 1 + (start + i) % most[c]] == cell[r, c]; i++) continue
                now = fact[c] == "kind" ? "NONE" : words[c, 1 + (start + i) % most[c]]
                printf "%09d|%s|%d|%d|%s|%s|%s\n", key, file, line[r], c, operator[r], fact[c], now
            }
        }' "$1"
}
{
    # What several frames are for is time: op/traits proves the rows that claim it, and no test needs the others.
    cells $traits WEIR_TRAIT "task element kind move order sizes rounding - meaning place rows"
    cells $mase WEIR_MASE_OP "type name"
} | sort >all
if [ -n "${WEIR_CELLS-}" ]; then
    echo "$WEIR_CELLS" | tr '|' '\n' >wanted
    while read -r operator fact; do grep "|$operator|$fact|" all || fail "no cell '$operator $fact'"; done <wanted >sample
else
    head -n "$mutants" all >sample
fi
sed '/^#/d; /^$/d' tests/op/row_facts.txt >known
while read -r operator fact reason; do
    [ -n "$reason" ] || fail "row_facts.txt: $operator $fact has no reason"
    grep -q "|$operator|$fact|" all || fail "row_facts.txt: no cell '$operator $fact'"
done <known

# change FILE LINE COLUMN NOW: that word of the row in that line.
change() {
    awk -v line="$2" -v column="$3" -v now="$4" '
        FNR == line {
            open = index($0, "("); text = substr($0, open + 1); sub(/\)$/, "", text)
            count = split(text, word, /, */); word[column + 1] = now
            printf "%s(%s", substr($0, 1, open - 1), word[1]
            for (i = 2; i <= count; i++) printf ", %s", word[i]
            print ")"
            next
        }
        { print }' "$E2E_SOURCE/$1" >"$1"
}
# survives OPERATOR: the changed copy builds, and all tests pass.
units=$(cd tests/unit && ls test_frontend_*.c test_infer.c test_ir_*.c test_passes_[afhlmq]*.c | sed 's/\.c$//' | tr '\n' ' ')
survives() {
    : >tested
    # shellcheck disable=SC2086 # a list
    ninja -C build weir run_op traits_op quantized_op cover_op run_pass import_model $units >built 2>&1 </dev/null || return 1
    folder=$(sed -nE "s/^WEIR_OP\\($1, \"(weir)?[^\"]*\", \"([^\"]*)\".*/\\1.\\2/p" toolchain/ir/graph/op.def)
    ctest --test-dir build -j2 --stop-on-failure --no-tests=error \
        -R "^(op/(${folder#.}|traits|quantized)|(pass|err)/.*|unit/($(echo "$units" | sed 's/ $//; s/ /|/g'))|e2e/operators)\$" >tested 2>&1 </dev/null
}

launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR CCACHE_NOHASHDIR
# shellcheck disable=SC2086 # an option or none
cmake -S . -B build -G Ninja $launcher >configured 2>&1 || { tail -20 configured >&2; fail "the copy cannot be configured"; finish; }
# Planted: a row that says the same in other words changes nothing.
sed -i 's/^WEIR_TRAIT(RELU, /WEIR_TRAIT(RELU,  /' $traits
survives RELU || { tail -20 built tested >&2; fail "a row that is as before does not pass"; finish; }
while IFS='|' read -r key file line column operator fact now; do
    change "$file" "$line" "$column" "$now"
    if survives "$operator"; then
        echo "survives: $operator $fact $now"
        grep -q "^$operator $fact " tests/op/row_facts.txt || fail "$operator: no test knows its $fact ($now instead; cell $key)"
    else
        echo "found: $operator $fact $now: $(sed -n 's/.*error: \(.*\)/\1/p' built | head -1)$(sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (.*/\1/p' tested | tr '\n' ' ')"
    fi
    cp "$E2E_SOURCE/$file" "$file"
done <sample
cd "$work"
finish
