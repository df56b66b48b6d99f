#!/bin/sh
# shape.sh PROTOC ONNX_PROTO_FOLDER: models that leave sizes of their inputs open, as exporters with dynamic axes do, get them with --shape: from
# such a model to simulated hardware, and what is said where the shape is missing or another one.
# test: -- %protoc %onnx_proto
protoc=$1 proto=$2
name=shape
. "$(dirname "$0")/lib.sh"
open='type { tensor_type { elem_type: 1 shape { dim { dim_value: -1 } dim { dim_value: 2 } dim { dim_param: "height" } dim { } } } }'
cat >image.textproto <<END
ir_version: 8
opset_import { version: 13 }
graph {
  name: "image"
  input { name: "a=b" $open }
  output { name: "y" $open }
  initializer { name: "w" data_type: 1 dims: [2, 2, 1, 1] float_data: [1, -1, 0.5, 2] }
  node { op_type: "Conv" name: "conv" input: "a=b" input: "w" output: "c" }
  node { op_type: "Relu" name: "relu" input: "c" output: "y" }
}
END
sed -e "s/  node { op_type: \"Relu\".*/  input { name: \"z\" $open }\n  node { op_type: \"Add\" name: \"add\" input: \"c\" input: \"z\" output: \"y\" }/" image.textproto >two.textproto
encode() { "$protoc" --encode=onnx.ModelProto -I "$proto" "$proto/onnx.proto" <"$1.textproto" >"$1.onnx" || fail "protoc $1"; }
encode image
encode two
# y0 = relu(x0 - x1), y1 = relu(x0 / 2 + 2 x1) of x0 = 0 to 5 and x1 = 6 to 11.
printf '0,1,2,3,4,5,6,7,8,9,10,11\n' >x.csv

expect 1 "dimension 2 is the symbol 'height'" "$WEIR" import image.onnx -o image.weir
grep -q '^note: --shape gives' output || fail "no remedy"
for shape in 1,2,2,3 a=b=1,2,2,3; do
    expect 0 "" "$WEIR" eval image.onnx --shape $shape -d x.csv -e float
    expect 0 "input %.a=b. : float32.1,2,2,3." "$WEIR" show image.onnx --shape $shape
done
"$WEIR" eval image.onnx --shape 1,2,2,3 -d x.csv -e float >values
tr -s ', ' '\n' <values | paste -sd' ' >flat
[ "$(cat flat)" = "0 0 0 0 0 0 12 14.5 17 19.5 22 24.5" ] || { cat flat >&2; fail "another result"; }
expect 0 "0 of 12 " "$WEIR" check image.onnx --shape 1,2,2,3 -q int8 -c x.csv -d x.csv --simulator icarus --profile always
expect 1 "does not have the shape .1,3,2,3." "$WEIR" show image.onnx --shape 1,3,2,3
expect 1 "does not have the shape .1,2,2." "$WEIR" show image.onnx --shape 1,2,2
expect 1 "no such input" "$WEIR" show image.onnx --shape y=1,2,2,3
for shape in '' 1, 1,0,2,3 1,x a=b= 1,1,1,1,1,1,1,1,1; do
    expect 1 "expected .INPUT=.SIZE" "$WEIR" show image.onnx --shape "$shape"
done
expect 1 "has 2 inputs: expected INPUT=SIZES" "$WEIR" show two.onnx --shape 1,2,2,3
expect 1 "graph input 'z': dimension 2" "$WEIR" show two.onnx --shape a=b=1,2,2,3
expect 0 "input %z : float32.1,2,2,3." "$WEIR" show two.onnx --shape a=b=1,2,2,3 --shape z=1,2,2,3
expect 0 "" "$WEIR" import image.onnx --shape 1,2,2,3 -o image.weir
expect 1 "its inputs have shapes" "$WEIR" show image.weir --shape 1,2,2,3
finish
