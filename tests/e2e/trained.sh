#!/bin/sh
# trained.sh quick|all: networks of others that may not be copied here, from the folder WEIR_TRAINED (skipped without it): DS-CNN and
# ResNet-8 of MLPerf Tiny, a binary network of FINN's. The integer engine gives the codes that boards, FINN and ONNX Runtime (every operator in integers) gave, and
# the hardware the integer engine's.
# test: name=trained seconds=600 cost=30 -- quick
# test: name=trained_all label=nightly seconds=14400 -- all
name=trained-$1
. "$(dirname "$0")/lib.sh"
folder=${WEIR_TRAINED-}
[ -d "$folder/mlperf_tiny_qdq" ] || { finished=yes; echo "skipped: WEIR_TRAINED is not a folder with mlperf_tiny_qdq"; exit 77; }
case $1 in
quick) rows=100 images=20 ;;
all) rows=1000 images=200 ;;
esac

# Keywords come as codes, expected outputs are codes of 1/256 from -128.
keywords=$folder/mlperf_tiny_qdq/kws_dscnn_int8_qdq.onnx
array_tool affine "$folder/data_kws01/kws01_inputs_int8_1000x490.npy" kws_all.npy -83 0.5847029
array_tool affine "$folder/data_kws01/kws_qdq_onnx_expected_int8.npy" kws_expected_all.npy 128 0.00390625
array_tool rows kws_all.npy kws.npy $rows
array_tool rows kws_expected_all.npy kws_expected.npy $rows
expect 0 "" "$WEIR" eval "$keywords" --data kws.npy -o kws_out.npy
array_tool same kws_out.npy kws_expected.npy || fail "DS-CNN"
array_tool plant kws_out.npy planted.npy 77
array_tool same planted.npy kws_expected.npy 2>/dev/null && fail "a wrong element goes unseen"

network=$folder/mlperf_tiny_qdq/ic_resnet8_int8_qdq.onnx
array_tool channels_first "$folder/cnv_w1a1_cifar10/cifar10_jpeg_200.npz:images_u8_nhwc" cifar_all.npy
array_tool affine "$folder/mlperf_tiny_qdq/ic_resnet8_expected_200_onnxruntime.npz:softmax_int8_int8allowed" cifar_expected_all.npy 128 0.00390625
array_tool rows cifar_all.npy cifar.npy $images
array_tool rows cifar_expected_all.npy cifar_expected.npy $images
expect 0 "" "$WEIR" eval "$network" --data cifar.npy -o cifar_out.npy
array_tool same cifar_out.npy cifar_expected.npy || fail "ResNet-8"

# Integer networks of RequantShift's domain: outputs, all of them codes, as published.
for network in requantshift_ad_autoencoder requantshift_kws_dscnn; do
    file=$folder/$network
    array_tool affine "$file/inputs.npz:input_0" $network.npy 0 1
    expect 0 "" "$WEIR" eval "$file/model.onnx" --input-quantizer u8:1 --data $network.npy -o ${network}_out.npy
    array_tool affine "$file/expected.npz:output_0" ${network}_expected.npy 0 1
    array_tool same ${network}_out.npy ${network}_expected.npy || fail "$network"
done
expect 0 "^  icarus +always +1 +0 of " "$WEIR" check "$folder/requantshift_ad_autoencoder/model.onnx" --input-quantizer u8:1 \
    --data requantshift_ad_autoencoder.npy --simulator icarus --frames 1 --debug-frames 1

# Transformers of that domain: attention, a CCT.
for network in deeploy_int_attention deeploy_icct; do
    file=$folder/$network
    array_tool affine "$file/inputs.npz:input" $network.npy 0 1
    expect 0 "" "$WEIR" eval "$file/network.onnx" --input-quantizer s8:1 --data $network.npy -o ${network}_out.npy
    array_tool affine "$file/outputs.npz:output" ${network}_expected.npy 0 1
    array_tool same ${network}_out.npy ${network}_expected.npy || fail "$network"
done
expect 0 "^  verilator +always +1 +0 of " "$WEIR" check "$folder/deeploy_int_attention/network.onnx" --input-quantizer s8:1 \
    --data deeploy_int_attention.npy --simulator verilator --frames 1 --debug-frames 0

# The same written out, as NEMO exports it: a frame a row, the last layer's numbers.
nemo=$folder/dory_frontnet
grep -v '^#' "$nemo/input.txt" | tr -d ' \n' | sed 's/,$/\n/' >frontnet.csv
expect 0 "" "$WEIR" eval "$nemo/Frontnet.onnx" --input-quantizer u8:1 --data frontnet.csv
[ "$(grep -v '^#' output | tr '\n' ' ')" = "$(grep -v '^#' "$nemo/out_layer8.txt" | tr -d ',' | tr '\n' ' ')" ] || fail "Frontnet"

# What FINN streamlined: MultiThreshold and whole numbers as weights; labels.
finn=$folder/finn_tfc_multithreshold
expect 0 "" "$WEIR" eval "$finn/tfc_w1a1_multithreshold.onnx" --data "$finn/input.npy" -o finn_out.npy
array_tool same finn_out.npy "$finn/expected_output.npy" || fail "FINN's TFC"
expect 0 "^  icarus +always +2 +0 of " "$WEIR" check "$finn/tfc_w1a1_multithreshold.onnx" --data "$finn/input.npy" --simulator icarus --frames 2

if [ "$1" = quick ]; then
    expect 0 "^  verilator +always +1 +0 of " "$WEIR" check "$keywords" --data kws.npy --simulator verilator --frames 1 --debug-frames 0
else
    expect 0 "^  verilator +always +$rows +0 of " "$WEIR" check "$keywords" --data kws.npy --simulator verilator
    expect 0 "^  verilator +always +$images +0 of " "$WEIR" check "$network" --data cifar.npy --simulator verilator
    expect 0 "^  icarus +always +1 +0 of " "$WEIR" check "$keywords" --data kws.npy --simulator icarus --frames 1 --debug-frames 1
fi
# Float transformers: the compiler compares every node of them with the model, near ties of a normalization included, and takes biases
# that repeat for each token.
for network in deeploy_cct_fp32 deeploy_cct2_fp32; do
    expect 0 "exact-norm" "$WEIR" compile "$folder/$network/network.onnx" -q int8 -c "$folder/$network/inputs.npz" -o "$network"
done
finish
