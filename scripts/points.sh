# shellcheck shell=bash disable=SC2154
# Points of a script of this folder through `weir regress`: as many at a time as there are processors, here or on other machines, and only those
# whose command or inputs have changed. Sourced by scripts/goals, scripts/networks and scripts/wheels. Needs $root, $weir and jq.

# run_points NAME FOLDER COMMAND OPTION... <ROWS: runs "COMMAND --point ROW FILE", which writes JSON into FILE, for each row; options are those of
# 'weir regress'. Results stay in FOLDER until the program, rtl/, the devices or a file that a row names changes. A point that fails ends nothing.
run_points() {
  local name=$1 folder=$2 command=$3
  shift 3
  mkdir -p "$folder"
  cat >"$folder/rows.txt"
  tr ' ' '\n' <"$folder/rows.txt" | sort -u | while read -r word; do [ ! -f "$word" ] || echo "$word"; done >"$folder/files.txt"
  jq -Rn --arg name "$name" --arg command "$command --point {row} {result}" --arg root "$root" --arg weir "$(realpath "$weir")" '
    {name: $name, matrix: {row: [inputs]}, limits: {seconds: 36000}, retries: 1,
     steps: [{run: $command, inputs: ([$weir, "\($root)/rtl/*/*.v", "\($root)/boards/devices/*.yaml", "\($root)/boards/cells/*.v"] +
       ($files | rtrimstr("\n") | if . == "" then [] else split("\n") end))}]}' --rawfile files "$folder/files.txt" "$folder/rows.txt" >"$folder/$name.yaml"
  rm -f "$folder/points.json"
  "$weir" regress "$folder/$name.yaml" -o "$folder/$name.regress" --again failed --json "$folder/points.json" "$@" >"$folder/regress.txt" || true
  [ -e "$folder/points.json" ] || exit 4
}

# point_result FOLDER ROW: the file that the point wrote; empty if it failed.
point_result() {
  jq -r --arg row "$2" --arg kept "$1/$(basename "$1"/*.regress)/result/" \
    '.points[] | select(.point.row == $row and .state == "right") | $kept + .key' "$1/points.json"
}

# point_error FOLDER ROW: the first cause of a point that failed.
point_error() { jq -r --arg row "$2" '.points[] | select(.point.row == $row) | .message // .state' "$1/points.json"; }
