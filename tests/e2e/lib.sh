# Sourced by every script here, which sets $name: makes an empty folder $work and goes there.
# From CTest: WEIR (the command), E2E_TOOLS (folder of array_tool and report_check), E2E_SOURCE (this repository),
# E2E_WORK (where the folders go), WEIR_CACHE.
set -eu
export LC_ALL=C
models=$E2E_SOURCE/tests/models/digits
test_data=$models/digits_test.npz
work=$E2E_WORK/$name
rm -rf "$work"
mkdir -p "$work"
cd "$work"
failures=0 finished=
# A command that fails ends a script (set -e), which shall not go unseen.
trap 'status=$?; case $status$finished in 0 | 77 | *yes) ;; *) echo "ended early, with status $status" >&2 ;; esac' EXIT

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# At the end of each script.
finish() {
    finished=yes
    [ "$failures" -eq 0 ] || { echo "$failures failures in $work" >&2; exit 1; }
    cd / && rm -rf "$work"
}

# Do tests run that take long?
is_night() { [ "${WEIR_NIGHTLY:-0}" = 1 ]; }
weir() { "$WEIR" "$@"; }
array_tool() { "$E2E_TOOLS/array_tool" "$@"; }
report_check() { "$E2E_TOOLS/report_check" "$@"; }

# expect STATUS TEXT COMMAND ...: the exit status, and a pattern (of grep -E) that its output has. The output stays in
# ./output.
expect() {
    want=$1 pattern=$2
    shift 2
    status=0
    "$@" >output 2>&1 || status=$?
    if [ "$status" -ne "$want" ]; then
        fail "exit status $status, expected $want: $*"
        sed 's/^/    /' output >&2
    elif [ -n "$pattern" ] && ! grep -Eq -e "$pattern" output; then
        fail "no '$pattern' in the output of: $*"
        sed 's/^/    /' output >&2
    fi
}

# gone PATTERN: soon there is no such file.
gone() {
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        # shellcheck disable=SC2086 # a pattern
        ls -d $1 >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

# Options that turn a float model into an integer one, of a quantization's name.
quantize_options() {
    case $1 in
    none) ;;
    *) echo "--quantize $1 --calibration $models/digits_calib.npz" ;;
    esac
}

folding_options() {
    case $1 in
    folded) echo "--max-macs 1" ;;
    middle) ;;
    forty) echo "--target-interval 40" ;;
    parallel) echo "--target-interval 1" ;;
    esac
}

# install_weir BUILD: under $work/prefix, for plugins that are compiled against it.
install_weir() {
    cmake --install "$1" --prefix "$work/prefix" >log 2>&1 || { cat log >&2; fail "cmake --install"; }
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name weir-plugin.pc)")
    export PKG_CONFIG_PATH
}

# compile_plugin SOURCE.c OBJECT.so
compile_plugin() {
    # shellcheck disable=SC2046 # words
    "${CC:-cc}" -shared -fPIC $(pkg-config --cflags weir-plugin) "$1" -o "$2" || fail "compiling $1"
}

# need_tools TOOL...: ends the test as skipped when one is not there.
need_tools() {
    for tool; do command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }; done
}

# absent SHOWN FILE: the first line of each part of SHOWN, which lines "..." separate, that does not stand in FILE as it is. How many
# parts there are is in ./parts.
absent() {
    rm -f part[0-9]*
    awk 'BEGIN { RS = "\n *[.][.][.]\n\n?" } { printf "%s", $0 > ("part" NR) } END { print NR > "parts" }' "$1"
    for part in part[0-9]*; do
        [ -e "$part" ] || continue
        awk -v part="$part" 'BEGIN { RS = "\001"; getline text < part; sub(/\n$/, "", text) } { exit index($0, text) == 0 }' "$2" ||
            head -1 "$part"
    done
}

# quiet WHAT TOOL ...: runs the tool in design/rtl; every line of its output must be one of lint_allow.txt.
quiet() {
    what=$1 tool=$2
    shift
    (cd design/rtl && "$@") >raw 2>&1 || { head -20 raw >&2; fail "$what: $tool fails"; }
    # grep -f of an empty file matches nothing only with at least one pattern in it.
    { grep -v '^#' "$E2E_SOURCE/tests/e2e/lint_allow.txt" | cut -f1; echo '^impossible$^'; } >allowed
    grep -v '^[[:space:]]*$' raw | grep -Evf allowed >rest || true
    [ -s rest ] || return 0
    head -20 rest >&2
    fail "$what: $tool warns"
}
