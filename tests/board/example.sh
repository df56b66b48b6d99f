#!/bin/sh
# example.sh BUILD COMPILER RUN_FAKE_PTY SOURCE: the first host in boards/host/README.md, compiled against what is installed and nothing else, talks to a fake board.
set -eu
build=$1 compiler=$2 board=$3 source=$4
work=$(mktemp -d)
trap 'exec 3>&-; rm -rf "$work"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}
cmake --install "$build" --component wire --prefix "$work/prefix" >"$work/log" || fail "$(cat "$work/log")"
[ "$(find "$work/prefix" -type f | grep -cv '/include/weir/wire/.*\.h$')" = 2 ] || fail "installed: $(find "$work/prefix" -type f)"
awk '/^```c$/ { on = 1; next } on && /^```$/ { exit } on' "$source/boards/host/README.md" >"$work/example.c"
lines=$(sed -n '/^int main/,/^}/p' "$work/example.c" | wc -l)
if [ "$lines" -lt 10 ] || [ "$lines" -gt 30 ]; then fail "the example has $lines lines"; fi
PKG_CONFIG_PATH=$(find "$work/prefix" -name pkgconfig)
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086 # words
"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror ${CFLAGS-} $(pkg-config --cflags weir-wire) "$work/example.c" $(pkg-config --libs weir-wire) -o "$work/example"
[ "$(pkg-config --print-requires --print-requires-private weir-wire)" = "" ] || fail "weir-wire needs other packages"

# The board lives until the pipe is closed.
mkfifo "$work/end"
"$board" 64 10 <"$work/end" >"$work/path" &
exec 3>"$work/end"
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ ! -s "$work/path" ] || break
    sleep 0.2
done
"$work/example" "$(cat "$work/path")" >"$work/results" || fail "the example fails"
# Lines of ten numbers; frames 256 apart are alike, others are not.
[ "$(wc -l <"$work/results")" = 1000 ] || fail "$(wc -l <"$work/results") results"
[ "$(sort -u "$work/results" | wc -l)" = 256 ] || fail "$(sort -u "$work/results" | wc -l) different results"
[ "$(sed -n 3p "$work/results")" = "$(sed -n 259p "$work/results")" ] || fail "equal frames differ"
# Without a board.
if "$work/example" /dev/null 2>"$work/log"; then fail "no board is no error"; fi
grep -q '^NOT_A_PORT: /dev/null' "$work/log" || fail "$(cat "$work/log")"
