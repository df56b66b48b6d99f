#!/usr/bin/env bash
# Faults planted in the digits' netlist, as Yosys wrote it: the proof of the mapping must notice each, or prove that it changes nothing.
#
#   faults.sh DEVICE FOLDER SEED COUNT    BUILD is where 'faults' is, WEIR the command, SOURCE the repository
#
# Exit status: 0 all noticed or explained, and at least nine of ten noticed; 77 a tool is missing.
set -euo pipefail

device=$1 folder=$2 seed=$3 count=$4
for tool in yosys yosys-abc iverilog; do
  command -v "$tool" >/dev/null || { echo "skipped: '$tool' is not installed"; exit 77; }
done
export WEIR_DATA=$SOURCE
rm -rf "$folder"
mkdir -p "$folder"
"$WEIR" compile "$SOURCE/tests/models/digits/mlp_qdq.onnx" -o "$folder/design" --device "$device" --target-interval 1024 >/dev/null
"$BUILD/faults" "$device" "$folder/design" mlp_qdq "$seed" "$count" | tee "$folder/faults.txt"
read -r planted _ noticed _ < <(tail -1 "$folder/faults.txt")
[ $((noticed * 10)) -ge $((planted * 9)) ] || { echo "faults.sh: error: only $noticed of $planted are noticed" >&2; exit 1; }
