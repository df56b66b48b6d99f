#!/bin/sh
# 'weir compile --check': what Yosys maps decides, and where the best folding does not fit by it, the next best is taken. Cells are planted into what
# Yosys wrote, so that candidates do not fit that were estimated to.
# test: name=fit label=nightly seconds=600 cost=20
name=fit
. "$(dirname "$0")/lib.sh"
need_tools yosys jq
model=$E2E_SOURCE/tests/models/affine/ternary_falling.onnx
real=$(command -v yosys)
WEIR_CACHE=$work/cache
export WEIR_CACHE

mkdir -p own/bin own/share
ln -s "$(dirname "$(readlink -f "$real")")/../share/yosys" own/share/yosys
# The first COUNT netlists get 9,000 lookup tables more; `mapped` has a line for each netlist.
shim() {
    cat >own/bin/yosys <<END
#!/bin/sh
'$real' "\$@" || exit
case "\$*" in *synth_ice40*) ;; *) exit 0 ;; esac
[ -e mapped.json ] || exit 0
echo >>'$work/mapped'
[ "\$(wc -l <'$work/mapped')" -le $1 ] || exit 0
jq '(.modules[] | select(.attributes.top) | .cells) += ([range(9000) | {key: "planted\(.)", value: {type: "SB_LUT4", attributes: {},
    parameters: {}, port_directions: {}, connections: {}}}] | from_entries)' mapped.json >more.json && mv more.json mapped.json
END
    chmod +x own/bin/yosys
    rm -rf mapped "$WEIR_CACHE"
}
compile() { env PATH="$work/own/bin:/usr/bin:/bin" "$WEIR" compile "$model" --device ice40hx8k --budget lut=1200 --json "$1.json" -o "$1" --check; }
luts() { jq .resources.luts.used "$1.json"; }

if is_night; then
    shim 0
    expect 0 "candidate 1 fits by Yosys: [0-9]+ LUTs of 7680" compile best
    [ "$(wc -l <mapped)" = 1 ] || fail "one candidate was mapped: $(wc -l <mapped)"
fi

shim 1
expect 0 "candidate 2 fits by Yosys: [0-9]+ LUTs of 7680" compile next
estimated=$(sed -n 's/^note: candidate 1 does not fit by Yosys: [0-9]* LUTs of 7680 (\([0-9]*\) estimated).*/\1/p' output)
[ -n "$estimated" ] || fail "the first one's numbers are missing"
[ "$(wc -l <mapped)" = 2 ] || fail "two candidates were mapped: $(wc -l <mapped)"
[ "$(luts next)" -lt "$estimated" ] || fail "the next best is as large as the best: $(luts next)"
# What lies there is the second one.
"$WEIR" compile "$model" --device ice40hx8k --budget "lut=$(luts next)" -o same >log || fail "its own size is no budget"
cmp same/hardware.weir next/hardware.weir || fail "the folder has another folding than the candidate that fits"

# None does: each is smaller than the one before, until the search finds none or eight have been tried; nothing is written.
if is_night; then
    shim 100
    expect 1 "error: (none of [2-8] candidates fits ice40hx8k by Yosys|no folding fits)" compile none
    [ "$(wc -l <mapped)" -ge 2 ] || fail "only $(wc -l <mapped) candidates were tried"
    [ ! -e none ] && [ ! -e none.json ] || fail "something was written"
fi
finish
