#!/bin/sh
# test: label=nightly seconds=3600 processors=2 -- %build
# test: name=row_facts/known
# row_facts.sh [BUILD]: a fact of an operator's row in op.def, or of its class, that is another one makes a test fail. In a copy of the repository a fact
# of an operator at a time gets another word, what changes is built, and the tests about operators run. WEIR_RANDOM chooses other cells,
# WEIR_MUTANTS how many, WEIR_CELLS="RELU element|..." which. Cells that no test needs to know are in tests/op/row_facts.txt, with reasons.
# Without BUILD only the rows and that list are read.
build=${1-}
name=row_facts${build:+_built}
. "$(dirname "$0")/lib.sh"
seed=${WEIR_RANDOM:-1} mutants=${WEIR_MUTANTS:-15}
graph=toolchain/ir/graph
if [ -n "$build" ]; then
    need_tools cmake ninja
    mkdir copy
    (cd "$E2E_SOURCE" && tar -c --exclude './build*' --exclude ".${build#"$E2E_SOURCE"}" --exclude ./.git .) | tar -x -C copy
else
    mkdir -p copy/$graph copy/tests/op
    cp "$E2E_SOURCE"/$graph/*.def copy/$graph
    cp "$E2E_SOURCE/tests/op/row_facts.txt" copy/tests/op
fi
cd copy

# expanded: each row of op.def with the facts of its class written out, `FILE|ENUM|head of the row|facts`.
expanded() {
    sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' $graph/op.def | awk '
        /^#define WEIR_ROW_/ { name = $2; sub(/\(id\)$/, "", name); sub(/^#define [A-Z_]+\(id\) /, ""); class[name] = $0 }
        END { for (c in class) print c "|" class[c] }' >classes
    awk '
        function closes(line) { gsub(/"[^"]*"/, "", line); depth += gsub(/\(/, "", line) - gsub(/\)/, "", line); return depth <= 0 }
        FILENAME == "classes" { split($0, part, "|"); class[part[1]] = part[2]; next }
        /^WEIR_OP\(/ { text = ""; depth = 0; inside = 1 }
        inside {
            line = $0; sub(/^ +/, " ", line); gsub(/\/\*[^*]*\*\//, "", line)
            text = text line
            if (!closes($0)) next
            inside = 0
            match(text, /^WEIR_OP\([A-Z0-9_]+, [A-Z]+, "[^"]*", /); head = substr(text, 1, RLENGTH); rest = substr(text, RLENGTH + 1)
            word = rest; sub(/,.*/, "", word); sub(/^[^,]*, */, "", rest); sub(/\) *$/, "", rest)
            enum = head; sub(/^WEIR_OP\(/, "", enum); sub(/,.*/, "", enum)
            facts = "WEIR_ROW_" word "(id)"
            while (match(facts, /WEIR_ROW_[A-Z_]+\(id\)/))
                facts = substr(facts, 1, RSTART - 1) class[substr(facts, RSTART, RLENGTH - 4)] substr(facts, RSTART + RLENGTH)
            gsub(/\(id\)/, "(" enum ")", facts)
            print FILENAME "|" enum "|" head "|" facts " " rest
        }' classes $graph/op_*.def
}
# cells: `KEY|FILE|OPERATOR|FACT|NOW` for each fact of each operator with another word of it; in the order of the keys, which follow from the seed, they are
# a sample. What several frames are for is time: op/traits proves the rows that claim it, and no test needs the others.
cells() {
    awk -v seed="$seed" -F'|' '
        function random(most) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * most) }
        BEGIN {
            state = seed * 7919 + 17; for (i = 0; i < 9; i++) random(1)
            count = split("TASK ELEMENT KIND MOVE ORDER SIZES ROUNDING MEANING PLACE BATCH type name", fact, " ")
        }
        {
            rows++; file[rows] = $1; operator[rows] = $2
            for (c = 1; c <= count; c++) {
                pattern = fact[c] == "type" || fact[c] == "name" ? "MASE" : fact[c]
                match($4, "(^| )" pattern "\\([^()]*\\)"); word = substr($4, RSTART, RLENGTH)
                sub(/^ *[A-Z]+\(/, "", word); sub(/\)$/, "", word)
                if (fact[c] == "type") sub(/,.*/, "", word)
                if (fact[c] == "name") sub(/^.*, /, "", word)
                cell[rows, c] = word
                if (!((c, word) in known)) { known[c, word] = 1; words[c, ++most[c]] = word }
            }
        }
        END {
            for (r = 1; r <= rows; r++) for (c = 1; c <= count; c++) {
                key = random(1000000000)
                start = random(most[c])
                if (most[c] < 2 || (fact[c] == "KIND" && cell[r, c] == "NONE")) continue
                for (i = 0; words[c, 1 + (start + i) % most[c]] == cell[r, c]; i++) continue
                now = fact[c] == "KIND" ? "NONE" : words[c, 1 + (start + i) % most[c]]
                printf "%09d|%s|%s|%s|%s\n", key, file[r], operator[r], tolower(fact[c]), now
            }
        }' rows
}
expanded >rows
[ "$(wc -l <rows)" -eq "$(cat $graph/op_*.def | grep -c '^WEIR_OP(')" ] || fail "rows that are not read"
cells | sort >all
if [ -n "${WEIR_CELLS-}" ]; then
    echo "$WEIR_CELLS" | tr '|' '\n' >wanted
    while read -r operator fact; do grep "|$operator|$fact|" all || fail "no cell '$operator $fact'"; done <wanted >sample
else
    head -n "$mutants" all >sample
fi
# unfit FILE: lines of the list that name no cell, or give no reason.
unfit() {
    sed '/^#/d; /^$/d' "$1" | while read -r operator fact reason; do
        [ -n "$reason" ] || echo "row_facts.txt: $operator $fact has no reason"
        grep -q "|$operator|$fact|" all || echo "row_facts.txt: no cell '$operator $fact'"
    done
}
[ -z "$(unfit tests/op/row_facts.txt)" ] || fail "$(unfit tests/op/row_facts.txt)"
printf 'RELU nonesuch for a reason\nRELU element\n' >planted
[ "$(unfit planted | wc -l)" -eq 2 ] || fail "a planted line that names no cell, and one without a reason, are not found"
[ -n "$build" ] || { cd "$work"; finish; exit; }

# change FILE OPERATOR FACT NOW: the operator's row with all of its facts, no class, and that word.
change() {
    awk -v operator="$2" -v fact="$3" -v now="$4" -v row="$(grep "^$1|$2|" rows)" '
        BEGIN {
            split(row, part, "|"); facts = part[4]
            name = fact == "type" || fact == "name" ? "MASE" : toupper(fact)
            match(facts, "(^| )" name "\\([^()]*\\)"); word = substr(facts, RSTART, RLENGTH)
            sub(/^ *[A-Z]+\(/, "", word); sub(/\)$/, "", word)
            if (fact == "type") { sub(/^[^,]*/, "", word); now = now word }
            if (fact == "name") { sub(/, [^,]*$/, "", word); now = word ", " now }
            facts = substr(facts, 1, RSTART - 1) " " name "(" now ")" substr(facts, RSTART + RLENGTH)
        }
        index($0, "WEIR_OP(" operator ",") == 1 { print part[3] "ALONE, " facts ")"; inside = 1; depth = 0 }
        inside { line = $0; gsub(/"[^"]*"/, "", line); depth += gsub(/\(/, "", line) - gsub(/\)/, "", line); if (depth <= 0) inside = 0; next }
        { print }' "$E2E_SOURCE/$1" >"$1"
}
# survives OPERATOR: the changed copy builds, and all tests pass.
units=$(cd tests/unit && ls test_frontend_*.c test_infer.c test_ir_*.c test_passes_[afhlmq]*.c | sed 's/\.c$//' | tr '\n' ' ')
survives() {
    : >tested
    # shellcheck disable=SC2086 # a list
    ninja -C build weir run_op traits_op quantized_op cover_op run_pass import_model $units >built 2>&1 </dev/null || return 1
    folder=$(sed -nE "s/^WEIR_OP\\($1, WEIR, \"([^\"]*)\".*/weir.\\1/p; s/^WEIR_OP\\($1, [A-Z]+, \"([^\"]*)\".*/\\1/p" $graph/op_*.def | head -1)
    ctest --test-dir build -j2 --stop-on-failure --no-tests=error \
        -R "^(op/($folder|traits|quantized)|(pass|err)/.*|unit/($(echo "$units" | sed 's/ $//; s/ /|/g'))|e2e/operators)\$" >tested 2>&1 </dev/null
}

launcher=
command -v ccache >/dev/null && launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR CCACHE_NOHASHDIR
# shellcheck disable=SC2086 # an option or none
cmake -S . -B build -G Ninja $launcher >configured 2>&1 || { tail -20 configured >&2; fail "the copy cannot be configured"; finish; }
# Planted: a row that says the same without its class changes nothing.
sed -i 's/^#define WEIR_OP(/#define WEIR_ROW_ALONE(id)\n&/' $graph/op.def
change $graph/op_elementwise.def RELU kind RELU
survives RELU || { tail -n 20 built tested >&2; fail "a row that is as before does not pass"; finish; }
cp "$E2E_SOURCE/$graph/op_elementwise.def" $graph/
while IFS='|' read -r key file operator fact now; do
    change "$file" "$operator" "$fact" "$now"
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
