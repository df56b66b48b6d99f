#!/bin/sh
# color.sh: colour on terminals only, and never where it is not wanted, in files, JSON, or what other programs say.
name=color
. "$(dirname "$0")/lib.sh"
need_tools script
escape=$(printf '\033')
colored() { grep -q "$escape" "$1"; }
# on_terminal COMMAND: with a terminal as stdout and stderr; what it shows is in ./shown.
on_terminal() { TERM=${TERM_SHOWN-xterm} script -qec "$1" /dev/null >shown 2>&1 </dev/null || true; }
model=$models/mlp_qdq.onnx
unset NO_COLOR WEIR_COLOR

on_terminal "$WEIR eval missing.onnx -d x"
colored shown || fail "no colour on a terminal"
tr -d '\r' <shown | sed "s/$escape\[[0-9;]*m//g" >plain
"$WEIR" eval missing.onnx -d x >piped 2>&1 || true
cmp -s plain piped || { diff plain piped >&2; fail "the terminal shows other words"; }
colored piped && fail "colour in a pipe"
NO_COLOR=1 on_terminal "$WEIR eval missing.onnx -d x"
colored shown && fail "colour with NO_COLOR"
NO_COLOR='' on_terminal "$WEIR eval missing.onnx -d x"
colored shown || fail "an empty NO_COLOR takes the colour away"
TERM_SHOWN=dumb on_terminal "$WEIR eval missing.onnx -d x"
colored shown && fail "colour on a dumb terminal"
on_terminal "$WEIR eval --color never missing.onnx -d x"
colored shown && fail "colour with --color never"
NO_COLOR=1 "$WEIR" eval --color=always missing.onnx -d x >piped 2>&1 || true
colored piped || fail "no colour with --color=always"
expect 2 "auto, always or never, found 'red'" weir eval --color red missing.onnx -d x
expect 2 "auto, always or never, found ''" weir eval --color

# Tables: the headers; columns stay where they are. A wrong run is red, a right one green.
weir boards >piped
weir boards --color always | sed "s/$escape\[[0-9;]*m//g" | cmp -s - piped || fail "other columns in colour"
weir boards --color always | head -1 | grep -q "$escape" || fail "headers have no colour"
weir boards --color always --json | grep -q "$escape" && fail "colour in JSON"

# Files of a run that shows colour have none.
cat >suite.yaml <<END
name: suite
matrix:
  seed: [1, 2]
steps:
  - run: "echo {seed}"
END
on_terminal "$WEIR check --color always $model -d $test_data -n 8 --simulator icarus -o design --json check.json --html check.html"
grep -q "$escape\[32m *0 of" shown || fail "a right run is not green"
on_terminal "$WEIR regress --color always suite.yaml -o suite --json suite.json"
grep -q "$escape\[32m *right" shown || fail "a right point is not green"
on_terminal "$WEIR show --color always design/hardware.weir"
files=$(grep -rIl "$escape" design suite check.json check.html suite.json || true)
[ -z "$files" ] || fail "colour in files: $files"
finish
