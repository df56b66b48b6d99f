#!/bin/sh
# Running out of memory: under every limit of the address space (ulimit -v) a command either gives what it gives without one or says
# what it wanted, which limit it met and how to raise it; it never leaves half a result.
name=memory_limit
. "$(dirname "$0")/lib.sh"
if objdump -t "$WEIR" 2>/dev/null | grep -q __asan_init; then echo "skipped: sanitizers take all addresses"; exit 77; fi
(ulimit -v 100000) 2>/dev/null || { echo "skipped: no ulimit -v"; exit 77; }
model=$models/mlp_qdq.onnx
weir compile "$model" -o whole >whole.txt 2>&1 || fail "compile"

refused=0 done=0
for limit in $(seq 5000 250 13000); do
    (ulimit -v "$limit" && exec "$WEIR" --version) >/dev/null 2>&1 || continue # too little to load the program
    status=0
    (ulimit -v "$limit" && exec "$WEIR" compile "$model" -o part) >output 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        done=$((done + 1))
        sed 's/part/whole/g' output | diff whole.txt - >&2 || fail "other output under $limit KiB"
        diff -r whole part >/dev/null || fail "other files under $limit KiB"
        rm -rf part
        continue
    fi
    refused=$((refused + 1))
    [ "$status" -eq 1 ] || fail "exit status $status under $limit KiB: $(cat output)"
    grep -q '^weir: error: out of memory ([0-9]* bytes wanted)$' output || fail "no reason under $limit KiB: $(cat output)"
    grep -q "^weir: note: .* $limit KiB of address space; .*'ulimit -v " output || fail "no limit under $limit KiB: $(cat output)"
    gone part || fail "left behind under $limit KiB: part"
done
[ "$refused" -ge 4 ] && [ "$done" -ge 4 ] || fail "of the limits $refused were too small and $done large enough"

# The limit of data alone.
status=0
(ulimit -d 600 && exec "$WEIR" compile "$model" -o part) >output 2>&1 || status=$?
[ "$status" -eq 1 ] && gone part || fail "exit status $status under 600 KiB of data"
grep -q "600 KiB of data; raise the limit with 'ulimit -d " output || fail "no limit of data: $(cat output)"
finish
