#!/bin/sh
# globals.sh BUILD: the libraries hold no writable data but the thread's diagnostic sink, and what objects of the user register before
# any graph is made (ir/graph/op.c, ir/graph/operator.c), so that contexts in threads share nothing; and they call no function of the C library whose last bits depend on the library or the
# processor. What objdump shows of sections that a program may write to and of what is called, found in a planted object first.
# test: -- %build
build=$1
name=globals
. "$(dirname "$0")/lib.sh"
command -v objdump >/dev/null || { echo "skipped: no objdump"; exit 77; }
if objdump -t "$WEIR" | grep -q __asan_init; then echo "skipped: sanitizers add data of their own"; exit 77; fi

# Objects in .data, .bss and their thread-local kind; .data.rel.ro is written by the linker only.
writable() {
    objdump -t "$@" | awk '/ \.t?(data|bss)[.\t]/ && !/ \.data\.rel\.ro/ && $NF !~ /^\./ || / \*COM\*\t/ { print $NF }' | sort -u
}

cat >planted.c <<'END'
static int counter, start = 3;
static const char *const names[] = {"a", "b"};
static _Thread_local int mine;
extern double exp(double), floor(double);
extern float tanhf(float);
double inexact(double x) { return exp(x) + floor(x) + (double)tanhf((float)x); }
const char *planted(int i) { static long calls; calls += ++counter + start++ + mine++; return names[i + (calls & 1)]; }
END
"${CC:-cc}" -fPIC -c planted.c -o planted.o || fail "compiling the planted object"
planted=$(writable planted.o | sed 's/\..*//' | tr '\n' ' ')
[ "$planted" = "calls counter mine start " ] || fail "of the planted globals only these are found: $planted"

# Functions of libm that are not exact: the exact ones (floor, sqrt, ldexp, fma, which C rounds once, and their like) are not named here.
called() {
    objdump -t "$@" | awk '/\*UND\*/ { print $NF }' | sort -u |
        grep -xE '(a?(sin|cos|tan)h?|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|cbrt|hypot|erfc?|[lt]gamma|j[01n]|y[01n])[fl]?'
}
planted=$(called planted.o | tr '\n' ' ')
[ "$planted" = "exp tanhf " ] || fail "of the planted calls only these are found: $planted"

libraries=$(find "$build/toolchain" "$build/passes" "$build/sim" "$build/boards" -name 'libweir_*.a' ! -name '*onnx_proto*')
[ "$(echo "$libraries" | wc -l)" -ge 8 ] || fail "libraries are missing"
# shellcheck disable=SC2086 # words
found=$(writable $libraries | grep -v -E '^(__asan|__odr_asan|__tsan)' || true)
[ "$(echo $found)" = "added registered thread_sink" ] || fail "writable data in the libraries: $found"
# shellcheck disable=SC2086 # words
found=$(called $libraries || true)
[ -z "$found" ] || fail "the libraries call functions that are not the same everywhere (see exec/elementary.h): $found"
finish
