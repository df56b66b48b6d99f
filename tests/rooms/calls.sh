#!/bin/sh
# calls.sh COMPILER LIST...: inside a room, files do not use each other in circles. A LIST has the object files of a library,
# a line each; what the code of one takes from another is in their relocations. Tables of functions are data and do not
# count: whoever calls through one knows nobody in it. A planted circle is found.
set -u
compiler=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The arrows among the object files of a list, `from to`.
arrows() {
    tr '\n' '\0' <"$1" | LC_ALL=C xargs -0 readelf -srW | awk '
        /^File: / { name = $0; sub(/.*\.dir\/(\.\/)?/, "", name); sub(/\.c\.o$/, "", name) }
        /^Relocation section/ { is_code = $3 ~ /\.rela?\.text/ }
        /^Symbol table/ { is_code = 0 }
        is_code && $3 ~ /^R_/ && NF >= 5 { takes[name, $5] }
        $1 ~ /^[0-9]+:$/ && $5 != "LOCAL" && $7 != "UND" { home[$8] = name }
        END {
            for (pair in takes) {
                split(pair, part, SUBSEP)
                sub(/@.*/, "", part[2])
                if ((part[2] in home) && home[part[2]] != part[1]) arrow[part[1] " " home[part[2]]]
            }
            for (pair in arrow) print pair
        }'
}
circles() { sort "$1" | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: .*:$/circle:/' | tr '\n' ' '; }

for list; do
    arrows "$list" >"$work/arrows"
    found=$(circles "$work/arrows")
    echo "$(basename "$list" .objects): $(wc -l <"$work/arrows") arrows"
    [ -z "$found" ] || {
        echo "$(basename "$list" .objects): $found" >&2
        failed=1
    }
    total=$((${total:-0} + $(wc -l <"$work/arrows")))
done
[ "${total:-0}" -ge 500 ] || {
    echo "only ${total:-0} arrows were seen" >&2
    failed=1
}

# a calls b, b calls c, c calls a; d has a table with a, which a calls through.
mkdir "$work/one.dir"
for pair in 'a b' 'b c' 'c a'; do
    caller=${pair% *} called=${pair#* }
    printf 'int %s(void);\nint %s(void);\nint %s(void) { return %s() + 1; }\n' "$called" "$caller" "$caller" "$called" >"$work/$caller.c"
done
printf 'int a(void);\nextern int (*const table[])(void);\nint (*const table[])(void) = {a};\n' >"$work/d.c"
printf 'extern int (*const table[])(void);\nint a(void);\nint a(void) { return table[0]() + 1; }\n' >"$work/e.c"
for file in a b c d e; do
    "$compiler" -c "$work/$file.c" -o "$work/one.dir/$file.c.o" || exit 1
done
for file in a b c; do echo "$work/one.dir/$file.c.o"; done >"$work/circle"
for file in d e; do echo "$work/one.dir/$file.c.o"; done >"$work/table"
arrows "$work/circle" >"$work/arrows"
case $(circles "$work/arrows") in
*circle:*a*) ;;
*)
    echo "a planted circle is not found" >&2
    failed=1
    ;;
esac
arrows "$work/table" >"$work/arrows"
[ "$(cat "$work/arrows")" = "e d" ] || {
    echo "a table of functions is taken for calls: $(cat "$work/arrows")" >&2
    failed=1
}
exit "$failed"
