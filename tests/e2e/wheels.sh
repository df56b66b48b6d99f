#!/bin/sh
# wheels.sh: the trained networks inside of packages of PyPI compile, all of those that scripts/wheels.txt lists. Skipped without a network.
# test: label=nightly seconds=3600
name=wheels
. "$(dirname "$0")/lib.sh"
status=0
"$E2E_SOURCE/scripts/wheels" --weir "$WEIR" --check >table 2>errors || status=$?
cat table errors
[ "$status" -ne 77 ] || { finished=yes; exit 77; }
[ "$status" -eq 0 ] || fail "a network is refused"
# A refusal is seen.
"$E2E_SOURCE/scripts/wheels" --weir /bin/false --only pnet --check >/dev/null 2>&1 && fail "a command that fails goes unseen"
finish
