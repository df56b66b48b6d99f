#!/bin/sh
# globals.sh BUILD: the libraries hold no writable data but the thread's diagnostic sink and the lock around BLAS, so
# that contexts in threads share nothing. What objdump shows of sections that a program may write to, found in a planted object first.
build=$1
name=globals
. "$(dirname "$0")/lib.sh"
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }

# Objects in .data, .bss and their thread-local kind; .data.rel.ro is written by the linker only.
writable() {
    objdump -t "$@" | awk '/ \.t?(data|bss)[.\t]/ && !/ \.data\.rel\.ro/ && $NF !~ /^\./ || / \*COM\*\t/ { print $NF }' | sort -u
}

cat >planted.c <<'END'
static int counter, start = 3;
static const char *const names[] = {"a", "b"};
static _Thread_local int mine;
const char *planted(int i) { static long calls; calls += ++counter + start++ + mine++; return names[i + (calls & 1)]; }
END
"${CC:-cc}" -fPIC -c planted.c -o planted.o || fail "compiling the planted object"
planted=$(writable planted.o | sed 's/\..*//' | tr '\n' ' ')
[ "$planted" = "calls counter mine start " ] || fail "of the planted globals only these are found: $planted"

libraries=$(find "$build/toolchain" "$build/passes" "$build/sim" -name 'libweir_*.a' ! -name '*onnx_proto*')
[ "$(echo "$libraries" | wc -l)" -ge 8 ] || fail "libraries are missing"
# shellcheck disable=SC2086 # words
found=$(writable $libraries | grep -v -E '^(__asan|__odr_asan|__tsan)' || true)
[ "$(echo $found)" = "blas thread_sink" ] || fail "writable data in the libraries: $found"
finish
