#!/bin/sh
# page.sh CONFORMANCE: the table in tests/README.md is what the node tests of libonnx-testdata give; another count is found.
set -u
page=$(dirname "$0")/../README.md
found=$(mktemp -d) || exit 1
trap 'rm -rf "$found"' EXIT
"$1" --markdown >"$found/now" || exit $?
shown() { sed -n '/^<!-- conformance -->$/,/^<!-- end -->$/p' "$1" | sed '1d;$d'; }
shown "$page" | cmp -s - "$found/now" || {
    echo "tests/README.md: error: its table of node tests is not what they give (scripts/pages)"
    exit 1
}
sed 's/^| passed | [0-9]/&1/' "$page" >"$found/planted"
shown "$found/planted" | cmp -s - "$found/now" && { echo "error: a wrong count goes unseen"; exit 1; }
exit 0
