#!/bin/sh
# Random small networks (make_layers), folded for several targets and budgets: frames follow each other in the interval that is ideal for the
# slowest component, but for 2 %, and every value is right. WEIR_INTERVALS=N tries N more.
# test: seconds=900 cost=60
name=intervals
. "$(dirname "$0")/lib.sh"

# network SEED [far]: into network.weir and frames.npy; its folding into $options.
network() {
    "$E2E_TOOLS/make_layers" "$1" network.weir frames.npy ${2:+"$2"} || fail "make_layers $1"
    case $(($1 % 6)) in
    0) options="" ;;
    1) options="--target-interval 1" ;;
    2) options="--target-interval 12" ;;
    3) options="--target-interval 30" ;;
    4) options="--max-macs 8" ;;
    5) options="--max-macs 200" ;;
    esac
}

# keeps COMMAND ...: the run is right and as fast as it can be.
keeps() {
    "$@" --data frames.npy --frames 4 --debug-frames 0 --simulator icarus --json report.json >output 2>&1 || return 1
    report_check report.json --simulator icarus --profile always --frames 4 --no-debug 2>>output
}

tried=0 refused=0 planted=0 noticed=0
last=4
! is_night || last=36
last=$((last + ${WEIR_INTERVALS:-0}))
for seed in 229 306 $(seq 1 "$last"); do # the first two: bursts from a pool before a fork
    network "$seed"
    # shellcheck disable=SC2086 # options
    if keeps "$WEIR" check network.weir $options -o design; then tried=$((tried + 1))
    elif grep -q "no small common multiple" output; then refused=$((refused + 1))
    else fail "seed $seed $options: $(cat output)"
    fi
    # The same without spare rows, or with a step of its own for each window that ends after a line, is noticed.
    if [ "$planted" -lt 4 ] && grep -qE '\.(SPARE|JOINED) *\([1-9]' design/rtl/network.v; then
        planted=$((planted + 1))
        sed -E 's/\.(SPARE|JOINED)( *)\([0-9]+\)/.\1\2(0)/' design/rtl/network.v >slow.v
        cp slow.v design/rtl/network.v
        keeps "$WEIR" sim design || noticed=$((noticed + 1))
    fi
done
# Where elements of a window, or all of it, see padding only, none is refused.
for seed in $(seq 1 "$((last / 3))"); do
    network "$seed" far
    # shellcheck disable=SC2086 # options
    keeps "$WEIR" check network.weir $options -o design || grep -q "no small common multiple" output ||
        fail "seed $seed far $options: $(cat output)"
done
[ "$tried" -gt $((refused * 8)) ] || fail "$refused of $last networks are refused"
[ "$noticed" -gt 1 ] || fail "$noticed of $planted slow designs are noticed"
finish
