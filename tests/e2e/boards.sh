#!/bin/sh
# Boards from the command: listed, shown, found by path, refused when damaged; one damaged file hides no other, and a board is added by a folder alone.
# test: seconds=120
name=boards
. "$(dirname "$0")/lib.sh"
boards=$E2E_SOURCE/boards

expect 0 "icebreaker  *ice40up5k  *ice40  *12 MHz" "$WEIR" boards
for file in "$boards"/*/board.yaml; do
    board=$(basename "$(dirname "$file")")
    grep -q "^ *$board " output || fail "'$board' is not listed"
done
expect 0 '"hz": 12000000' "$WEIR" boards --json
for file in "$boards"/*/board.yaml; do
    [ "$(jq --arg name "$(basename "$(dirname "$file")")" '[.[] | select(.name == $name)] | length' output)" = 1 ] || fail "'$file' is not in the JSON"
done
# All of one: each quirk with what to do, the programmer's commands, the sources.
expect 0 "^  flash  *iceprog FILE$" "$WEIR" boards icebreaker
grep -q "^  quirk  *flash_only: the programmer reaches only the flash" output || fail "a quirk is not explained"
grep -q "program the flash" output || fail "no remedy of a quirk"
grep -q "^  source " output || fail "no sources"
expect 0 '"pad": true' "$WEIR" boards icebreaker --json
expect 2 "did you mean 'icebreaker'?" "$WEIR" boards icebraker
expect 2 "'weir boards' lists the known ones" "$WEIR" boards zzzzzz

# Clocks: of the board's PLL, the input itself, and what is refused with the nearest.
expect 0 "^48 MHz = input . 4 / 1, VCO 768 MHz: weir_pll_ice40_pad DIVR=4'd0, DIVF=7'd63, DIVQ=3'd4, FILTER_RANGE=3'd1" "$WEIR" boards icebreaker --clock 48
expect 0 "^next lower: 47.25 MHz" "$WEIR" boards icebreaker --clock 48
expect 0 "^25 MHz, without a PLL" "$WEIR" boards ulx3s-25f --clock 25
expect 1 "a clock of 300 MHz cannot be made by ice40up5k; the nearest is 270 MHz" "$WEIR" boards icebreaker --clock 300
expect 0 '"DIVF": "7.d63"' "$WEIR" boards icebreaker --clock 48 --json
expect 2 "BOARD is missing" "$WEIR" boards --clock 48

# A board of one's own, with a device of one's own: a folder, nothing else.
mkdir -p own
sed 's/^name:.*/name: own/; s|^device:.*|device: ./mine.yaml|' "$boards/icebreaker/board.yaml" >own/board.yaml
sed 's/^name:.*/name: mine/' "$boards/devices/ice40up5k.yaml" >own/mine.yaml
expect 0 "^own: " "$WEIR" boards ./own
expect 0 "^  device  *mine " "$WEIR" boards own/board.yaml
sed 's/^clock: .*/clock: {pon: 35, hz: 12000000}/' own/board.yaml >damaged.yaml
expect 1 "damaged.yaml:[0-9]*: error: clock: unknown key 'pon'" "$WEIR" boards damaged.yaml
expect 1 "did you mean 'pin'?" "$WEIR" boards damaged.yaml
sed 's/^device: .*/device: ice40up5/' own/board.yaml >damaged.yaml
expect 1 "damaged.yaml:[0-9]*: error: unknown device 'ice40up5'" "$WEIR" boards damaged.yaml
expect 1 "absent" "$WEIR" boards ./absent

mkdir -p data/boards
cp -r "$boards/devices" "$boards/icebreaker" "$boards/ice40hx8k-evn" data/boards/
for folder in rtl sim; do ln -sf "$E2E_SOURCE/$folder" data/$folder; done
mkdir data/boards/added
sed 's/^name: .*/name: added/' own/board.yaml >data/boards/added/board.yaml
cp own/mine.yaml data/boards/added/
WEIR_DATA=$PWD/data expect 0 "^ *added " "$WEIR" boards
cp -r own data/boards/other
WEIR_DATA=$PWD/data expect 1 "other/board.yaml:[0-9]*: error: name: expected 'other', like its folder, found 'own'" "$WEIR" boards other
rm -r data/boards/other
sed -i 's/^uart: /uort: /' data/boards/icebreaker/board.yaml
WEIR_DATA=$PWD/data expect 1 "icebreaker/board.yaml:[0-9]*: error: board: unknown key 'uort'" "$WEIR" boards
grep -q "^ *ice40hx8k-evn " output && grep -q "^ *added " output || fail "one damaged board hides others: $(cat output)"
finish
