#!/bin/sh
# Folders that Weir writes: it replaces and removes what it wrote and nothing else, all at once or not at all.
name=folders
. "$(dirname "$0")/lib.sh"
model=$models/mlp_qdq.onnx
refused="which weir did not write"

# unchanged COPY FOLDER: nothing in the folder differs from its copy, nothing was added.
unchanged() { diff -r "$1" "$2" >differences 2>&1 || { cat differences >&2; fail "$3"; }; }
# project FOLDER: the user's own things, under names that Weir likes too.
project() {
    mkdir -p "$1/rtl" "$1/tb" "$1/onnx_runtime" "$1/tensorrt"
    cp "$model" "$1/m.onnx"
    for file in rtl/mine.v rtl/weir_mvu.v rtl/m.v tb/tb.v model.weir graphs.yaml onnx_runtime/model.onnx tensorrt/model.onnx m.wrtl \
        m.meta.yaml data.npz 001_lower_integer.txt quantize_table.csv; do echo "mine: $file" >"$1/$file"; done
}

# --- a folder of the user's own ---
project own
cp -r own before
for command in "compile m.onnx -o ." "compile m.onnx -o ../own/" "check m.onnx -d $test_data -n 2 --simulator icarus -o ."; do
    # shellcheck disable=SC2086 # words
    expect 1 "holds '001_lower_integer.txt', $refused" env -C own "$WEIR" $command
    unchanged before own "$command"
done
expect 1 "note: use a new or empty folder, or move the file away" "$WEIR" compile "$model" -o own
# What passes write under names of their own choice, into the same folder.
pass() {
    file=$1
    shift
    expect 1 "holds '$file', $refused" env -C own "$WEIR" "$@"
    unchanged before own "$*"
}
pass m.onnx opt m.onnx -p onnx_annotate
pass m.onnx opt m.onnx -p export_onnx
pass model.onnx opt m.onnx -p onnx_runtime{frames=2}
pass model.onnx opt "$models/mlp_float.onnx" -p "tensorrt{calibration=\"$models/digits_calib.npz\"}"
pass graphs.yaml opt m.onnx -p save_graph
pass m.meta.yaml opt m.onnx -p save_node_meta_param
pass quantize_table.csv opt m.onnx -p "lower_integer,summarize_quantization{original_graph=m.onnx}"
pass rtl/m.v opt m.onnx -p compile
cp own/m.onnx m.onnx && expect 0 "" "$WEIR" opt m.onnx -p compile,save_design --folder made
pass m.wrtl rtl ../made/m.wrtl -p save_design
pass m.v rtl ../made/m.wrtl -p generate_verilog{folder=rtl}
pass 001_lower_integer.txt opt m.onnx -p lower_integer --dump .
expect 1 "data.npz: error: exists without 'own/data.weir'" "$WEIR" import m.onnx -o own/data.weir
expect 1 "data.npz: error: exists without 'own/data.weir'" "$WEIR" opt m.onnx -p lower_integer -o own/data.weir
unchanged before own "import beside an archive"
# Others' files do not stand in the way of a pass as long as the names are free, and what Weir wrote it replaces.
for again in 1 2; do
    expect 0 "" "$WEIR" opt "$model" -p "save_graph{save_dir=shared},onnx_runtime{dir=shared frames=$again}"
    [ -e shared/notes ] || echo notes >shared/notes
done
[ "$(cat shared/notes)" = notes ] && [ -e shared/compare.py ] && [ -e shared/graphs.yaml ] || fail "a shared folder"
grep -q notes shared/weir.manifest && fail "the manifest lists a file of the user"
cp "$model" same.onnx
expect 0 "" "$WEIR" opt same.onnx -p onnx_annotate{save_path=same.onnx} # the user's choice of name

# --- a folder of Weir's own ---
expect 0 "" "$WEIR" compile "$model" -o design
cp -r design first
expect 0 "" "$WEIR" compile "$model" -o design/// --top other
[ -e design/rtl/other.v ] && [ ! -e design/rtl/mlp_qdq.v ] || fail "an old top module stays"
expect 0 "" "$WEIR" compile "$model" -o ./design
unchanged first design "compiling again"
[ "$(find design -name '.weir*')" = "" ] || fail "left in the folder: $(find design -name '.weir*')"
awk 'NR == 1 { print; next } $1 == "end" { exit } { print $3 }' design/weir.manifest | sed 1d | sort >listed
(cd design && find . -type f ! -name weir.manifest | sed 's,^\./,,' | sort) >found
cmp listed found || fail "the manifest does not list what is there"
echo "// edited" >>design/rtl/mlp_qdq.v
expect 0 "design/rtl/mlp_qdq.v: warning: was changed since weir wrote it; replacing it" "$WEIR" compile "$model" -o design
unchanged first design "a changed file"
echo "// edited" >>design/rtl/mlp_qdq.v
expect 0 "design/rtl/mlp_qdq.v: warning: was changed since weir wrote it; removing it" "$WEIR" compile "$model" -o design --top other
"$WEIR" compile "$model" -o design >/dev/null
for foreign in notes rtl/mine.v tb/deep/er; do
    mkdir -p "$(dirname design/$foreign)"
    echo mine >design/$foreign
    expect 1 "design: error: holds '$foreign', $refused" "$WEIR" compile "$model" -o design --top other
    [ "$(cat design/$foreign)" = mine ] && [ ! -e design/rtl/other.v ] || fail "$foreign beside Weir's files"
    rm design/$foreign
done
rmdir design/tb/deep
ln -s ../../own/rtl/mine.v design/rtl/link.v
expect 1 "holds 'rtl/link.v', $refused" "$WEIR" compile "$model" -o design
rm design/rtl/link.v
mkdir -p design/waves && echo kept >design/waves/icarus.fst
expect 0 "" "$WEIR" compile "$model" -o design
[ "$(cat design/waves/icarus.fst)" = kept ] || fail "waveforms go"
rm -r design/waves
rm -r design/rtl
expect 0 "" "$WEIR" compile "$model" -o design
unchanged first design "a folder that lost files"
# A manifest that names what lies outside.
sed 's, rtl/mlp_qdq.v$, ../own/m.onnx,' first/weir.manifest >design/weir.manifest
expect 1 "design/weir.manifest:[0-9]*: error: expected a line of a manifest" "$WEIR" compile "$model" -o design
head -5 first/weir.manifest >design/weir.manifest
expect 1 "design/weir.manifest:[0-9]*: error: expected a line of a manifest" "$WEIR" compile "$model" -o design
unchanged before own "a manifest that names others' files"
rm -r design

# --- places ---
mkdir target && ln -s target link && ln -s nowhere dangling
expect 0 "" "$WEIR" compile "$model" -o link
[ -L link ] && unchanged first target "through a link"
expect 1 "error: " "$WEIR" compile "$model" -o dangling
[ ! -e nowhere ] || fail "a dangling link"
expect 0 "" "$WEIR" compile "$model" -o "new/folders/with blanks/"
unchanged first "new/folders/with blanks" "missing parents"
mkdir empty
expect 0 "" env -C empty "$WEIR" compile "$model" -o .
unchanged first empty "an empty folder as ."
expect 1 "error: " "$WEIR" compile "$models/mlp_float.onnx" -o not/to/be/made
[ ! -e not ] || fail "a failed run leaves $(find not)"
echo keep >file
expect 1 "error: " "$WEIR" compile "$model" -o file
expect 1 "error: " "$WEIR" compile "$model" -o file/design
expect 1 "error: " "$WEIR" compile "$model" -o ""
[ "$(cat file)" = keep ] || fail "a file in the way"
# A link to a file is written through.
echo old >real.onnx && chmod 640 real.onnx && ln -s real.onnx link.onnx
expect 0 "" "$WEIR" export "$model" -o link.onnx
[ -L link.onnx ] && [ "$(stat -c %a real.onnx)" = 640 ] && "$WEIR" show real.onnx >/dev/null || fail "a link to a file"

# --- cut off ---
# Put in place to the end by whoever comes next: the old files and the new ones are never mixed.
"$WEIR" compile "$models/mlp_qlinearmatmul.onnx" -o second >/dev/null
for reader in "sim cut -d $test_data -n 1 --simulator icarus" "compile $models/mlp_qlinearmatmul.onnx -o cut"; do
    cp -r first cut
    cp -r second cut/.weir-ready
    mv cut/.weir-ready/tb/tb.v cut/tb/tb.v # was on its way
    # shellcheck disable=SC2086 # words
    expect 0 "" "$WEIR" $reader
    same_design second cut >differences 2>&1 || { cat differences >&2; fail "cut off, then $reader"; }
    rm -r cut
done
cp -r second cut && mkdir cut/.weir-ready # everything was in place
expect 0 "" "$WEIR" compile "$models/mlp_qlinearmatmul.onnx" -o cut
unchanged second cut "cut off at the end"
finish
