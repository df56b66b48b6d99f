#!/bin/sh
# include_paths.sh COMPILER SOURCE BUILD: the compiler itself refuses an include upwards. Each library's include path finds
# the public headers of the libraries that toolchain/README.md says it may use, and no other ones; so a planted include
# upwards does not compile, the same one downwards does.
set -u
compiler=$1 source=$2 build=$3
work=$build/work
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
failed=0
fail() {
    echo "$*" >&2
    failed=1
}
library_of() { if [ "$1" = cli ]; then echo weir; else echo "weir_$1" | tr / _; fi; }

"$source/scripts/check" --rooms >order || exit 1
(cd "$source" && find toolchain passes sim boards/host -name '*.h' | sed -E 's/^(toolchain|boards\/host)\///' | sort) >headers
while read -r header; do
    printf '#if __has_include("%s")\nfound %s\n#endif\n' "$header" "$header"
done <headers >all.c

# The room of a header: `support`, `rtlir/core`.
room_of() {
    if grep -q "^${1%/*}/ " order; then echo "${1%/*}"; else echo "${1%%/*}"; fi
}
# What the room $1 should find, its own folder left out: public headers of the rooms $2, private ones of those beside it.
expected() {
    while read -r header; do
        other=$(room_of "$header")
        [ "$other" != "$1" ] || continue
        case $header in
        *private.h) [ "${1%%/*}" != "$1" ] && [ "${1%%/*}" = "${other%%/*}" ] || continue ;;
        cli/*) continue ;;
        frontend/export/onnx_export.h | frontend/import/onnx_evaluate.h) ;;
        frontend/*/onnx_*) continue ;;
        esac
        case " $2 " in
        *" $other/ "* | *" ${other%%/*}/ "*) echo "$header" ;;
        esac
    done <headers
}
while read -r room below; do
    room=${room%/}
    ! grep -q "^$room/[^ ]" order || continue # it is made of rooms
    expected "$room" "$below" >expected
    "$compiler" -std=c11 -E -P "@$build/$(library_of "$room").includes" all.c >text || fail "$room: the preprocessor failed"
    sed -n 's/^found //p' text | tr -d ' "' | grep -v "^$room/" >found
    diff expected found >differences || fail "$room: expected (<) and found (>) headers differ:
$(head -5 differences)"
    [ "$room" = support ] || [ "$room" = wire ] || [ -s found ] || fail "$room finds nothing"
done <order

compiles() { # LIBRARY HEADER
    printf '#include "%s"\n' "$2" >one.c
    "$compiler" -std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only "@$build/$1.includes" one.c >log 2>&1
}
compiles weir_ir support/text/text.h || fail "an include downwards does not compile: $(cat log)"
compiles weir_support ir/graph/graph.h && fail "support can include ir/graph/graph.h"
compiles weir_wire support/text/text.h && fail "boards/host/wire can include support/text/text.h"
compiles weir_pass passes/passes.h && fail "pass can include passes/passes.h"
compiles weir_exec rtlir/core/rtl.h && fail "exec can include rtlir/core/rtl.h"
compiles weir_rtlir_core rtlir/text/text.h && fail "rtlir/core can include rtlir/text/text.h"
compiles weir_dse_folding dse/stages/stage.h && fail "dse/folding can include dse/stages/stage.h"
compiles weir_passes rtlir/core/private.h && fail "passes can include a private header of rtlir"
exit "$failed"
