#!/bin/sh
# help.sh BUILD: man pages and completion have each command and each option of the help, and nothing else.
# test: -- %build
build=$1
name=help
. "$(dirname "$0")/lib.sh"

options() { sed -n 's/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\) .*/\2/p' "$1" | sort; }
PATH=$(dirname "$WEIR"):$PATH
export PATH
bash_words() { # WORDS...: what bash offers for the last one
    bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weir; printf "%s\n" "${COMPREPLY[@]}"' \
        "$E2E_SOURCE/toolchain/cli/shell/weir.bash" "$@" | sort
}

expect 0 "" "$WEIR" --help
cp output usage
sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' usage | sort >commands
[ "$(wc -l <commands)" -ge 20 ] || fail "the usage lists $(wc -l <commands) commands"
expect 0 "" "$WEIR" --help=words
cut -f1 output | sort | cmp -s - commands || fail "--help=words lists other commands"
(bash_words weir "" | grep -vx help) | cmp -s - commands || fail "bash offers other commands: $(bash_words weir "")"
sed -n 's/^\.BR weir\\-\([a-z]*\) (1)$/\1/p' "$build/man/weir.1" | sort | cmp -s - commands || fail "weir.1 lists other commands"
while read -r command; do
    expect 0 "" "$WEIR" "$command" --help
    cp output text
    options text >options
    [ -s options ] || fail "$command: no options in the help"
    bash_words weir "$command" -- | cmp -s - options || fail "$command: bash offers other options"
    page=$build/man/weir-$command.1
    sed -n 's/\\-/-/g; s/^\(\\fB-[a-zA-Z]\\fR, \)\{0,1\}\\fB\(--[a-z-]*\)\\fR.*/\2/p' "$page" | sort | cmp -s - options ||
        fail "$command: its man page has other options"
    "$WEIR" "$command" --help=man | cmp -s - "$page" || fail "$command: its man page is not that of this program"
done <commands
[ "$(bash_words weir check --dev)" = --device ] || fail "bash completes 'check --dev' to '$(bash_words weir check --dev)'"
expect 2 "expected man or words" "$WEIR" check --help=html
expect 2 "expected man or words" "$WEIR" --help=html
expect 0 "^weir [0-9.]*( \([0-9a-f]+(-dirty)?\))?$" "$WEIR" --version

# A page that lacks an option is noticed: what the comparison above is worth.
grep -v 'simulator' "$build/man/weir-check.1" >planted.1
"$WEIR" check --help >text
options text >options
! sed -n 's/\\-/-/g; s/^\(\\fB-[a-zA-Z]\\fR, \)\{0,1\}\\fB\(--[a-z-]*\)\\fR.*/\2/p' planted.1 | sort | cmp -s - options ||
    fail "a page without an option looks whole"

# roff has no complaints; other shells, where they are installed.
if command -v groff >/dev/null; then
    for page in "$build"/man/*.1; do groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep . && fail "groff: $page"; done
else
    echo "skipped: groff is not installed"
fi
for shell in zsh fish; do
    command -v $shell >/dev/null || { echo "skipped: $shell is not installed"; continue; }
    file=$E2E_SOURCE/toolchain/cli/shell/_weir
    [ $shell = zsh ] || file=$E2E_SOURCE/toolchain/cli/shell/weir.fish
    $shell -n "$file" || fail "$shell cannot read $file"
done
if command -v fish >/dev/null; then
    fish -c "source '$E2E_SOURCE/toolchain/cli/shell/weir.fish'; complete -C 'weir check --'" | cut -f1 | sort | uniq >offered
    while read -r option; do grep -qx -- "$option" offered || fail "fish does not offer check $option"; done <options
fi
finish
