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

# same_design ONE OTHER: two compiled folders, but for what `weir sim` has left there for `weir report`.
same_design() {
    diff -r -x simulation.json -x weir.manifest "$1" "$2" || return 1
    grep -v ' simulation.json$' "$1/weir.manifest" >one.manifest
    grep -v ' simulation.json$' "$2/weir.manifest" | diff one.manifest -
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

# --- a machine of folders, for what looks at USB devices, serial ports and the programs of boards ---

# fake_machine: an empty ./sys, ./dev and ./bin, which weir then sees in place of /sys, /dev and what is on PATH.
fake_machine() {
    rm -rf sys dev bin
    mkdir -p sys/bus/usb/devices sys/bus/usb-serial/drivers sys/class/tty dev/bus/usb/001 bin
    export WEIR_SYS="$work/sys" WEIR_DEV="$work/dev"
}

# fake_usb PLACE ID SERIAL PRODUCT: a USB device; "" is a serial number or a name that it does not say. Its node is dev/bus/usb/001/00N of place 1-N.
fake_usb() {
    device=sys/devices/usb1/$1
    mkdir -p "$device"
    echo "${2%:*}" >"$device/idVendor"
    echo "${2#*:}" >"$device/idProduct"
    echo 1 >"$device/busnum"
    echo "${1#*-}" >"$device/devnum"
    [ -z "$3" ] || echo "$3" >"$device/serial"
    [ -z "$4" ] || echo "$4" >"$device/product"
    ln -sfn "../../../devices/usb1/$1" "sys/bus/usb/devices/$1"
    : >"dev/bus/usb/001/00${1#*-}"
}

# fake_tty NAME PLACE INTERFACE DRIVER [TIMER]: a serial port of such a device; with a latency timer it is an FTDI chip's.
fake_tty() {
    interface=sys/devices/usb1/$2/$2:1.$3
    device=$interface/$1
    mkdir -p "$device/tty/$1" "sys/bus/usb-serial/drivers/$4"
    echo "0$3" >"$interface/bInterfaceNumber"
    ln -sfn "$work/sys/bus/usb-serial/drivers/$4" "$device/driver"
    ln -sfn "../../../$1" "$device/tty/$1/device"
    ln -sfn "../../devices/usb1/$2/$2:1.$3/$1/tty/$1" "sys/class/tty/$1"
    [ -z "${5:-}" ] || echo "$5" >"$device/latency_timer"
    : >"dev/$1"
}

# fake_program NAME: a program on the machine's PATH, which is ./bin alone; its shell text is stdin, and has the usual tools.
fake_program() {
    { printf '#!/bin/sh\nPATH=/usr/bin:/bin\n' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}
