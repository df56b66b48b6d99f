#!/bin/sh
# synthesis.sh PART PARTS: every component with every set of parameters that the digits models give it, once, through Yosys'
# synthesis without a warning. Several tests share the list: this one does each PARTS-th. Exit status 77 without Yosys.
# test: name=synthesis/0 label=nightly seconds=1200 -- 0 8
# test: name=synthesis/1 label=nightly seconds=1200 -- 1 8
# test: name=synthesis/2 label=nightly seconds=1200 -- 2 8
# test: name=synthesis/3 label=nightly seconds=1200 -- 3 8
# test: name=synthesis/4 label=nightly seconds=1200 -- 4 8
# test: name=synthesis/5 label=nightly seconds=1200 -- 5 8
# test: name=synthesis/6 label=nightly seconds=1200 -- 6 8
# test: name=synthesis/7 label=nightly seconds=1200 -- 7 8
part=$1 parts=$2
name="synthesis-$part"
. "$(dirname "$0")/lib.sh"
need_tools yosys
mkdir -p design/rtl
for file in "$models"/*.onnx; do
    model=$(basename "$file" .onnx)
    quantizations=none
    [ "$model" != mlp_float ] || quantizations="int8 fixed"
    for quantization in $quantizations; do
        # shellcheck disable=SC2046 # options are words
        weir compile "$file" -o "$model-$quantization" $(quantize_options "$quantization") >/dev/null || fail "compile $model"
        sed "s/\.INIT *(\"/&$model-$quantization-/" "$model-$quantization/rtl/$model.v" >>tops.v
        for memory in "$model-$quantization"/rtl/*.hex; do
            cp "$memory" "design/rtl/$model-$quantization-$(basename "$memory")"
        done
    done
done
cp "$E2E_SOURCE"/rtl/*/*.v design/rtl/

# Instances of the tops as "MODULE PARAMETERS", each set of parameters once. A memory's file is no parameter: contents do not
# change what is built, and the first file of a size will do.
awk '/^  weir_[a-z_0-9]+ u_/ { if (!seen[$1]++) print $1; next }
     /^  weir_[a-z_0-9]+ #\($/ { module = key = $1; text = ""; next }
     module != "" && /^  \) u_/ { if (!seen[key]++) print module " #(" text ")"; module = ""; next }
     module != "" { gsub(/^ +/, ""); text = text $0; if ($0 !~ /^\.INIT/) key = key $0 }' tops.v | sort >configurations
count=$(wc -l <configurations)
[ "$count" -ge 60 ] || fail "$count configurations, expected at least 60"
[ "$(cut -d' ' -f1 configurations | sort -u | wc -l)" -ge 11 ] || fail "fewer than 11 components: $(cut -d' ' -f1 configurations | sort -u)"

# wrap FILE: a module that holds the instances on standard input, which Yosys shall not remove.
wrap() { awk 'BEGIN { print "module configurations;" } { print "  (* keep *) " $0 " u_" NR " ();" } END { print "endmodule" }' >"$1"; }
synthesize() {
    quiet "part $part" env TMPDIR=. yosys -q -p "read_verilog weir_*.v configurations.v; hierarchy -check -top configurations; synth -top configurations; check -assert"
}
awk -v part="$part" -v parts="$parts" 'NR % parts == part' configurations | wrap design/rtl/configurations.v
synthesize
echo "$(wc -l <design/rtl/configurations.v) lines, $count configurations in all parts"
[ "$failures" -eq 0 ] || finish

# Planted: two drivers in one component.
echo 'weir_register_slice #(.WIDTH(3))' | wrap design/rtl/configurations.v
sed -i 's/^endmodule/assign m_valid = s_valid;\nendmodule/' design/rtl/weir_register_slice.v
synthesize 2>/dev/null
[ "$failures" -ge 1 ] || { echo "FAIL: the planted fault is not found" >&2; exit 1; }
failures=0
finish
