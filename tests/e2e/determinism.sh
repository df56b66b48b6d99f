#!/bin/sh
# determinism.sh MODEL QUANTIZATION: the same input gives byte-identical folders, wherever, in whatever locale; no
# file names a place of this machine; text IR goes round byte for byte and compiles to the same design.
# test: name=determinism/%name models=.* -- %model %quantization
model=$1 quantization=$2
name="determinism-$model-$quantization"
. "$(dirname "$0")/lib.sh"
options=$(quantize_options "$quantization")
mkdir -p a/deep/er b
cp "$models/$model.onnx" b

# shellcheck disable=SC2086 # options are words
compile() { weir compile $options "$@" >/dev/null || fail "compile $*"; }
(cd a/deep/er && compile "$models/$model.onnx" -o ../../one)
# A locale with a decimal comma; one model is enough for it.
locale=C
if [ "$model" = mlp_qdq ] && command -v localedef >/dev/null &&
    localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then locale=de_DE.UTF-8; fi
(cd b && LOCPATH=$work LC_ALL=$locale LANG=$locale TZ=Asia/Tokyo compile "$model.onnx" -o "$work/two")
diff -r a/one two >differences || { head differences >&2; fail "$model: a second compile differs (locale $locale)"; }
compile "$models/$model.onnx" -o two
diff -r a/one two >differences || { head differences >&2; fail "$model: compiling into the same folder differs"; }

# Nothing of this machine in any file. The probe itself is tried on a planted line first.
user=$(id -un)
absolute() { grep -rnaE "$E2E_SOURCE|$E2E_WORK|/home/|/tmp/|/usr/|/root/|(^|[\"' (])/[a-z]+/|/$user/" "$@"; }
mkdir planted
echo "initial \$readmemh(\"$work/x.hex\", m);" >planted/x.v
absolute planted >/dev/null || fail "the probe for absolute paths finds nothing"
if absolute two >found; then head found >&2; fail "$model: an emitted file has an absolute path"; fi

# Text IR.
weir import "$models/$model.onnx" -o "$model.weir" || fail "import"
weir show --table text "$models/$model.onnx" >shown_onnx
weir show --table text "$model.weir" >shown_weir
cmp shown_onnx shown_weir || fail "$model: show differs between ONNX and text"
mkdir again
weir import "$model.weir" -o "again/$model.weir" || fail "import of text"
cmp "$model.weir" "again/$model.weir" || fail "$model: text does not go round"
cmp "$model.npz" "again/$model.npz" || fail "$model: constants do not go round"
compile "$model.weir" -o three
for file in two/rtl/* two/tb/* two/tb_debug/*; do
    name=${file#two/}
    sed 's,//.*,,' "$file" >left
    sed 's,//.*,,' "three/$name" >right
    cmp -s left right || fail "$model: $name differs when compiled from text"
done
[ "$(ls two/rtl)" = "$(ls three/rtl)" ] || fail "$model: other files when compiled from text"
finish
