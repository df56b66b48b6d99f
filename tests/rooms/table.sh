#!/bin/sh
# table.sh SOURCE BUILD: the tables "depends on" of the READMEs, as scripts/check rooms reads them, are what the build links: BUILD has LIBRARY.links, what each
# library links and which rooms beside it it is above. A library that a table misses or adds is found, in either direction.
set -u
source=$1 build=$2
work=$build/work_table
rm -rf "$work"
mkdir -p "$work/copy"
cd "$work" || exit 1
failed=0
fail() {
    echo "$*" >&2
    failed=1
}

# built FOLDER: `room/ room/ ...`, what each library may include, directly or not, as the lists in the folder say.
built() {
    for file in "$1"/*.links; do
        library=${file##*/}
        grep '^weir' "$file" | sed "s/^/${library%.links} /"
        echo "${library%.links} -"
    done | awk '
        function room_of(library) {
            if (library == "weir") return "cli/"
            sub(/^weir_/, "", library)
            sub(/^rtlir_/, "rtlir/", library)
            sub(/^dse_/, "dse/", library)
            return library "/"
        }
        $2 == "-" { room[++count] = room_of($1); next }
        $2 == "weir_options" || $2 == "weir_onnx_proto" { next }
        { needs[room_of($1)] = needs[room_of($1)] " " room_of($2) }
        function add(of, depth,   list, number, i) {
            if (depth > 40) return
            number = split(needs[of], list, " ")
            for (i = 1; i <= number; i++) if (!(list[i] in seen)) { seen[list[i]] = 1; add(list[i], depth + 1) }
        }
        END {
            for (r = 1; r <= count; r++) {
                delete seen
                add(room[r], 0)
                for (s in seen) if (s != room[r]) print room[r], s
            }
        }' | sort
}
# told CHECK: the same of the tables.
told() { "$1" --rooms | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort; }

told "$source/scripts/check" >table
built "$build" >lists
[ "$(wc -l <lists)" -ge 80 ] || fail "few pairs in the lists of the build: $(wc -l <lists)"
# A room of all (cli) has those that others are made of too.
grep -v '^cli/ [a-z]*/.' table | diff - lists >differences ||
    fail "a table 'depends on' of toolchain/README.md, or of a README below, differs from what the build links; '<': only the table says so, '>': only the build:
$(grep '^[<>]' differences)"

# --- planted: a table that misses one and one that adds one; lists of the build likewise ---
(cd "$source" && find toolchain scripts/check -name README.md -o -name check | tar -c -T -) | tar -x -C copy
git -C copy init -q
planted() { # WHAT FILE SED-COMMAND
    cp "copy/$2" saved
    sed "$3" saved >"copy/$2"
    cmp -s saved "copy/$2" && fail "nothing planted: $3"
    told copy/scripts/check | grep -v '^cli/ [a-z]*/.' | diff - lists >differences && fail "a table that $1 is not found: $3"
    cp saved "copy/$2"
}
planted "misses a library" toolchain/README.md '/^| \[`quant/s/| ir |$/| support |/'
planted "adds a library" toolchain/README.md '/^| \[`quant/s/| ir |$/| ir, rtlir |/'
planted "misses a library" toolchain/README.md '/^| \[`cosim/s/, sim |$/ |/'
planted "misses a room" toolchain/rtlir/README.md '/^| `text/s/, reader |$/ |/'
planted "adds a room" toolchain/rtlir/README.md '/^| `reader/s/| core |$/| core, text |/'
mkdir lists_of_build
cp "$build"/*.links lists_of_build
echo weir_dataflow >>lists_of_build/weir_exec.links
built lists_of_build | cmp -s - lists && fail "a library that the build links and the tables do not have is not found"
exit "$failed"
