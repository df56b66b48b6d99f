#!/bin/sh
# hgdb.sh PART: the symbol table of a compiled network by node. `table`: its lines are those of the nodes in hardware.weir, its signals are in
# the bench, and the bench gives the same results. `debugger`: hgdb itself, from PyPI, in Icarus: it stops at the beats of nodes, and what it
# shows of a node is what the node computes in software; a wrong weight is seen, at its element.
# test: name=hgdb_table seconds=120 cost=6 -- table
# test: name=hgdb_debugger seconds=300 label=nightly -- debugger
part=$1
name=hgdb_$part
. "$(dirname "$0")/lib.sh"
python=${WEIR_PYTHON:-python3}
[ "$part" != debugger ] || "$python" -c '
import importlib.util as u
raise SystemExit(not all(map(u.find_spec, ("hgdb", "libhgdb", "websockets"))))' 2>/dev/null || {
    echo "skipped: $python has not all of hgdb, libhgdb, websockets (WEIR_PYTHON names another interpreter)"
    exit 77
}
need_tools iverilog jq

# with_symbols MODEL OPTION...: compiled to ./design.
with_symbols() {
    rm -rf design
    expect 0 "" "$WEIR" compile "$@" -o design --set emit_verilog_tb.symbols=true
}

# --- the table alone ---

# entries: of design, a line each: LINE NODE.
entries() {
    jq -r '.table[0].scope[0] | select(.filename == "hardware.weir") | .scope[].scope
        | [(map(select(.type == "assign")) | if length == 1 then .[0].line else "?" end), (.[].variable | select(.name == "node") | .value)] | @tsv' \
        design/tb_debug/hgdb.json
}
# misplaced TEXT: entries whose line in TEXT is not that of their node.
misplaced() {
    entries | while IFS="$(printf '\t')" read -r line node; do
        sed -n "${line}p" "$1" | awk -v node="$node" '{ sub(/^"/, ""); exit index($0, node) != 1 || substr($0, length(node) + 1) !~ /^"?: / }' ||
            echo "$line $node"
    done
}
# unknown TB: signals of the table that the bench TB has not.
unknown() {
    jq -r '.. | objects | select(.rtl == true) | .value' design/tb_debug/hgdb.json | sort -u >signals
    jq -r '.table[0].scope[0].scope[].condition' design/tb_debug/hgdb.json | sort -u >>signals
    { sed -n 's/^  wire .* \([a-z0-9_]*\);.*/\1/p' "$1"
        sed -n 's/.* u_\(tap_[0-9]*\) ($/u_\1.u_record.count/p; s/.* u_\(source_[0-9]*\) ($/u_\1.count/p' "$1"; } | sort >known
    sort -u signals | comm -23 - known
}

if [ "$part" = table ]; then
    for model in digits/mlp_residual_qdq conv/excited_qdq; do
        with_symbols "$E2E_SOURCE/tests/models/$model.onnx"
        [ "$(misplaced design/hardware.weir)" = "" ] || fail "$model: not at their lines: $(misplaced design/hardware.weir)"
        [ "$(unknown design/tb_debug/tb.v)" = "" ] || fail "$model: the bench has no $(unknown design/tb_debug/tb.v)"
        entries | cut -f2 | sort -u >nodes
        jq -r '.[].node' design/tb_debug/taps.json | sort -u | comm -13 nodes - >absent
        [ ! -s absent ] || fail "$model: no line for $(cat absent)"
        { echo; cat design/hardware.weir; } >planted.weir
        [ "$(misplaced planted.weir | wc -l)" -eq "$(entries | wc -l)" ] || fail "$model: wrong lines go unseen"
        sed 's/^  wire .* tap_0_taken;/  wire other;/' design/tb_debug/tb.v >planted.v
        [ "$(unknown planted.v)" = tap_0_taken ] || fail "$model: a signal that is not there goes unseen"
    done
    with_symbols "$models/mlp_qdq.onnx" --target-interval 32
    expect 0 " 0 of " "$WEIR" sim design --data "$test_data" --frames 2 --debug-frames 2 --simulator icarus
    expect 0 "" "$WEIR" compile "$models/mlp_qdq.onnx" -o plain
    [ ! -e plain/tb_debug/hgdb.json ] || fail "a table that nobody asked for"
fi

# --- in the debugger ---

if [ "$part" = debugger ]; then
    with_symbols "$models/mlp_qdq.onnx" --target-interval 32
    mkdir debugger
    ln -s "$("$python" -c 'import importlib.util as u; print(u.find_spec("libhgdb").origin)')" debugger/libhgdb.vpi
    cat >debugger/vvp <<END_OF_SHELL
#!/bin/sh
case "\$*" in *_debug.txt) exec $(command -v vvp) -M$work/debugger -mlibhgdb "\$@" +DEBUG_PORT=\$PORT ;; esac
exec $(command -v vvp) "\$@"
END_OF_SHELL
    chmod +x debugger/vvp
    # client.py PORT TABLE NODE=LINE...: all beats of the nodes, a line each: NODE BEAT ELEMENT...
    cat >client.py <<'END_OF_PYTHON'
import asyncio
import sys

import hgdb
from websockets.exceptions import ConnectionClosed


async def main(port, table, nodes):
    client = hgdb.HGDBClient("ws://localhost:" + port, table)
    await client.connect()
    for node in nodes:
        await client.set_breakpoint("hardware.weir", int(node.partition("=")[2]))
    try:
        while True:
            await client.continue_()
            hit = await client.recv_bp()
            if hit is None:
                return
            for instance in hit["payload"]["instances"]:
                seen = instance["local"]
                lanes = sum(key.startswith("element[") for key in seen)
                print(seen["node"], seen["beat"], *(seen["element[%d]" % lane] for lane in range(lanes)))
    except ConnectionClosed:
        return


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
END_OF_PYTHON

    # watch STATUS NODE...: simulates 2 frames with breakpoints at the nodes; what stops there is in ./beats.
    watch() {
        want=$1
        shift
        PORT=$("$python" -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
        export PORT
        lines=
        for node; do lines="$lines $node=$(grep -n "^$node:" design/hardware.weir | cut -d: -f1)"; done
        PATH=$work/debugger:$PATH "$WEIR" sim design --data "$test_data" --frames 2 --debug-frames 2 --simulator icarus >log 2>&1 &
        simulation=$!
        # shellcheck disable=SC2086 # words
        timeout 120 "$python" client.py "$PORT" "$work/design/tb_debug/hgdb.json" $lines >beats 2>client.log || {
            fail "the client: $(tail -3 client.log)"
            kill $simulation
        }
        status=0
        wait $simulation || status=$?
        [ $status -eq "$want" ] || fail "exit status $status of the simulation, expected $want: $(cat log)"
    }
    # shown NODE: its elements in ./beats, a frame a line. Beats that are out of order are among them.
    shown() {
        awk -v node="$1" '$1 == node { for (i = 3; i <= NF; i++) word[++count] = $i; if ($2 != beat++) word[++count] = "beat " $2 }
            END { for (i = 1; i <= count; i++) printf "%s%s", word[i], i == count / 2 || i == count ? "\n" : " " }' beats
    }
    # computed NODE: the same of 2 frames, in software.
    computed() {
        sed "s/^output logits = .*/output $1 = %$1/" soft.weir >"$1.weir"
        cp soft.npz "$1.npz"
        "$WEIR" eval --engine float "$1.weir" --data "$test_data" 2>eval.log | head -2
    }
    cp design/hardware.weir soft.weir
    cp design/hardware.npz soft.npz

    nodes="input_QuantizeLinear fc1 fc1_requantize_lanes fc2 fc3 fc3_requantize"
    # shellcheck disable=SC2086 # words
    watch 0 $nodes
    for node in $nodes; do
        shown "$node" >found
        computed "$node" >wanted
        [ "$(wc -w <wanted)" -ge 20 ] || fail "software computes nothing for $node: $(cat eval.log)"
        diff wanted found || fail "the debugger shows another $node"
    done
    # One weight of fc3 is wrong: element 4 of the first frame is another, in the debugger too.
    awk 'NR == 1 { $0 = (substr($0, 1, 1) == "0" ? "1" : "0") substr($0, 2) } { print }' design/rtl/fc3_weights.hex >weights
    mv weights design/rtl/fc3_weights.hex
    watch 3 fc2 fc3
    shown fc2 >found
    computed fc2 | diff - found || fail "a weight of fc3 changes fc2"
    shown fc3 | tr ' ' '\n' | head -10 >found
    computed fc3 | tr ' ' '\n' | head -10 | diff - found >differences && fail "a wrong weight goes unseen"
    [ "$(sed -n '/^[0-9]/p' differences)" = 5c5 ] || fail "other elements than 4 differ: $(cat differences)"
fi
finish
