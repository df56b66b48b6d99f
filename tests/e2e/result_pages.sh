#!/bin/sh
# How scripts/goals, scripts/networks and scripts/bench put results into their pages: what was measured replaces what was there, the rest stays.
name=result_pages
. "$(dirname "$0")/lib.sh"
page=$E2E_SOURCE/toolchain/synth/RESULTS.md

# written SCRIPT FUNCTION ARGUMENT...: the script's own function, with the page copied to ./page.md and what it measured in ./.
written() {
    script=$E2E_SOURCE/scripts/$1 function=$2
    shift 2
    { echo 'set -euo pipefail; page=$PWD/page.md work=$PWD out=$PWD root=$PWD' && sed -n "/^$function() {/,/^}/p" "$script" && echo "$function $*"; } >run.sh
    grep -q awk run.sh || fail "$script has no function $function"
    bash run.sh || fail "$function of $script ends with $?"
}

# What is there already, measured again with the same result: nothing changes.
cp "$page" page.md
# A cell as scripts/goals has it: cycles, MHz and inferences/s without commas.
sed -n 's/^| digits, int8 | largest | \([^|]*\) |.*/\1/p' "$page" | sed 's/\([0-9]\),\([0-9]\)/\1\2/g; s/\([0-9]\),\([0-9]\)/\1\2/g; s/, /|/g; s/^/digits, int8|largest|ecp5-45k|/' >cells
grep -Eq '[|][0-9]+[|][0-9.]+[|][0-9]+$' cells || fail "the page has no cell of the digits: $(cat cells)"
written goals write_page
cmp -s "$page" page.md || fail "a result that is the same changes the page: $(diff "$page" page.md)"
grep '^| LeNet-5 ' "$page" >rows
written networks write_page
cmp -s "$page" page.md || fail "a row that is the same changes the page: $(diff "$page" page.md)"

# Another result replaces its cell alone; a network that is not there gets a row.
printf '%s\n' 'digits, int8|largest|ecp5-45k|64|7.5|1234567' 'new, qdq|middle|ice40hx8k|1024|117.6|1148630' >cells
written goals write_page
grep -q '^| digits, int8 | largest | 64, 7.5, 1,234,567 | [0-9]' page.md || fail "the cell is not replaced: $(grep 'digits, int8' page.md)"
grep -qx '| new, qdq | middle | - | 1,024, 117.6, 1,148,630 | - |' page.md || fail "no row of another network"
[ "$(diff "$page" page.md | grep -c '^[<>]')" -eq 3 ] || fail "more changes: $(diff "$page" page.md)"
cp "$page" page.md
{ sed 's/ | [^|]*|$/ | 7 |/' rows && echo '| X | ecp5-25k | 1 |'; } >changed && mv changed rows
written networks write_page
grep -q '^| LeNet-5 .* | 7 |$' page.md && grep -qx '| X | ecp5-25k | 1 |' page.md || fail "rows are not replaced: $(diff "$page" page.md)"
[ "$(diff "$page" page.md | grep -c '^[<>]')" -eq 3 ] || fail "more changes: $(diff "$page" page.md)"

# Sections of the speeds: each is a part of scripts/bench, and one is replaced with the machine.
mkdir -p tests/bench && cp "$E2E_SOURCE/tests/bench/RESULTS.md" tests/bench/
parts=$(sed -n 's/^<!-- bench \([a-z_]*\) -->$/\1/p' tests/bench/RESULTS.md)
[ "$(echo "$parts" | wc -l)" -ge 8 ] || fail "few sections: $parts"
for part in $parts; do
    grep -q "^$part() {" "$E2E_SOURCE/scripts/bench" || fail "scripts/bench has no part '$part'"
done
printf 'Weir bench\nmachine: one\n' >machine.txt && echo "two cycles" >intervals.txt
written bench write_part intervals
sed -n '/^<!-- bench intervals -->$/,/^<!-- end -->$/p' tests/bench/RESULTS.md | sed '1d;$d' | tr '\n' ' ' >section
[ "$(cat section)" = '``` machine: one two cycles ``` ' ] || fail "the section: $(cat section)"
[ "$(grep -c '^<!-- bench ' tests/bench/RESULTS.md)" = "$(echo "$parts" | wc -l)" ] || fail "a section is gone"
finish
