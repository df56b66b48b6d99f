#!/bin/sh
# bitstreams.sh: every board that free tools make bitstreams for gets one of the digits' MLP, as boards/README.md says; each is read back by the family's own decoder and
# must be for the board's part, as long as the manifest says, and not damaged.
# test: name=bitstreams seconds=14400 processors=2 cost=900 label=nightly
name=bitstreams
. "$(dirname "$0")/lib.sh"
need_tools yosys jq
boards=$E2E_SOURCE/boards

# beside PROGRAM OTHER: OTHER, on PATH or where the environment of PROGRAM is.
beside() {
    command -v "$2" || command -v "yowasp-$2" && return
    for program in "$1" "yowasp-$1"; do
        found=$(command -v "$program") || continue
        environment=$(dirname "$(sed -n '1s/^#!//p' "$found")")
        for tool in "$environment/$2" "$environment/yowasp-$2"; do [ ! -x "$tool" ] || { echo "$tool"; return; }; done
    done
    return 1
}

# hex FILE: on one line.
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

# JTAG ids: Lattice FPGA-TN-02039, ECP5 and ECP5-5G sysCONFIG; Gowin UG290, of which the second is that of all GW2A-18.
ecp5_id() {
    case $1 in
    LFE5U-12F*) echo 21111043 ;;
    LFE5U-25F*) echo 41111043 ;;
    LFE5U-45F*) echo 41112043 ;;
    LFE5U-85F*) echo 41113043 ;;
    esac
}

gowin_id() {
    case $1 in
    GW1NR-*9*) echo 00010001000000000100100000011011 ;; # 0x1100481b
    GW2AR-*18*) echo 00000000000000000000100000011011 ;; # 0x0000081b
    esac
}

# checked FOLDER: is its bitstream one of its board's?
checked() {
    built=$1
    board=$(jq -r .board "$built/board.json")
    file=$built/$(jq -r .bitstream "$built/board.json")
    part=$(sed -n 's/^part: //p' "$boards/$board/board.yaml")
    jq -e '.bitstream_bytes > 50000 and .fmax_mhz * 1e6 >= .clock_hz and .interval > 0 and
        ([.resources[] | .used <= .available and .board <= .used and .board >= 0] | all) and .resources.luts.board > 500' "$built/board.json" >/dev/null || return 1
    [ "$(wc -c <"$file")" = "$(jq .bitstream_bytes "$built/board.json")" ] || return 1
    case $part in
    iCE40*)
        iceunpack "$file" unpacked.asc >log 2>&1 && ! grep -q "ERROR" log && icepack unpacked.asc again.bin && cmp -s "$file" again.bin || return 1
        grep -q "^.device $(case $part in *UP5K*) echo 5k ;; *HX8K*) echo 8k ;; esac)\$" unpacked.asc || return 1
        ;;
    LFE5U*)
        # VERIFY_ID, three bytes of zero, the id; the decoder checks all CRCs on its way.
        [ "$(hex "$file" | grep -oE 'e2000000[0-9a-f]{8}' | head -1)" = "e2000000$(ecp5_id "$part")" ] || return 1
        "$ecpunpack" "$file" unpacked.config >log 2>&1 && grep -q "^.device ${part%%-[0-9]*BG*}" unpacked.config || return 1
        grep -c "^\.tile\|^\.bram_init" unpacked.config >tiles && [ "$(cat tiles)" -gt 1000 ] || return 1
        ;;
    GW*)
        # A line of 64 bits: command 06, three bytes of zero, the id. The decoder checks the CRC of each frame.
        grep -qx "00000110000000000000000000000000$(gowin_id "$part")" "$file" || return 1
        "$gowin_unpack" -d "$(sed -n 's/^pack: \[-d, \(.*\)\]$/\1/p' "$boards/$board/board.yaml")" -o unpacked.v "$file" >log 2>&1 || return 1
        [ "$(grep -c "^LUT[1-4] " unpacked.v)" -gt 1000 ] || return 1
        ;;
    CCGM1A1)
        "$gmunpack" "$file" unpacked.txt >log 2>&1 && ! grep -qi "error\|mismatch" log && [ "$(grep -c . unpacked.txt)" -gt 1000 ] || return 1
        ;;
    *) return 1 ;;
    esac
}

ecpunpack=$(beside ecppack ecpunpack || true)
gowin_unpack=$(beside gowin_pack gowin_unpack || true)
gmunpack=$(beside gmpack gmunpack || true)
"$E2E_SOURCE/scripts/boards" --weir "$WEIR" --only digits --keep "$work/kept" --check >table 2>&1 || fail "scripts/boards: $(tail -5 table)"
cat table
count=0
for folder in kept/*; do
    [ -e "$folder/board.json" ] || continue
    checked "$folder" || fail "$folder: no bitstream of its board"
    count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no tools"; exit 77; }

# Planted: a page with another clock.
row=$(grep -m1 '^| `' table)
only="^$(echo "$row" | sed 's/^| `\([^`]*\)`.*/\1/') digits"
for digit in "" 9; do
    { echo '<!-- bitstreams -->'; echo "$row" | sed "s/ (\([0-9.]*\)) MHz/ ($digit\1) MHz/"; echo '<!-- end -->'; } >page$digit.md
done
"$E2E_SOURCE/scripts/boards" --weir "$WEIR" --only "$only" --page page.md --check >log 2>&1 || fail "the page as it was made: $(cat log)"
! "$E2E_SOURCE/scripts/boards" --weir "$WEIR" --only "$only" --page page9.md --check >log 2>&1 || fail "a page with another clock is not noticed"
grep -q "is off by more than" log || fail "another clock: $(cat log)"

# Planted: a byte that changed, a byte too many, another board of the family.
planted() { # FOLDER WHAT
    ! checked "$1" || fail "$2 is not noticed"
    rm -rf "$1"
}
for folder in kept/*; do
    [ -e "$folder/board.json" ] || continue
    cp -r "$folder" changed
    file=changed/$(jq -r .bitstream changed/board.json)
    middle=$(($(wc -c <"$file") / 2))
    case $file in
    *.fs) awk 'NR == 200 { c = length($0) / 2; $0 = substr($0, 1, c - 1) (substr($0, c, 1) == "0" ? "1" : "0") substr($0, c + 1) } { print }' "$folder/${file#changed/}" >"$file" ;;
    *) { head -c "$middle" "$folder/${file#changed/}"; printf '\245\132\245'; tail -c +$((middle + 4)) "$folder/${file#changed/}"; } >"$file" ;;
    esac
    planted changed "$folder: a changed byte"
    cp -r "$folder" longer
    echo >>"longer/${file#changed/}"
    planted longer "$folder: a byte too many"
done
if [ -e kept/ulx3s-12f-digits-MLP/board.json ] && [ -e kept/ulx3s-25f-digits-MLP/board.json ]; then
    cp -r kept/ulx3s-12f-digits-MLP other
    cp kept/ulx3s-25f-digits-MLP/ulx3s-25f.bit other/ulx3s-12f.bit
    jq '.bitstream_bytes = $bytes' --argjson bytes "$(wc -c <other/ulx3s-12f.bit)" other/board.json >json && mv json other/board.json
    planted other "the bitstream of a 25F on a 12F"
fi
finish
