#!/usr/bin/env python3
"""Makes keras.onnx as tf2onnx writes it (README.md). Needs tensorflow and tf2onnx:  make_keras.py FOLDER"""
import os
import sys

import numpy as np
import tensorflow as tf
import tf2onnx

tf.keras.utils.set_random_seed(3)
layers = tf.keras.layers
network = tf.keras.Sequential([
    tf.keras.Input((4, 3)), layers.Dropout(0.2), layers.Flatten(), layers.Dense(12, activation="relu"),
    layers.Reshape((4, 3)), layers.Dropout(0.2), layers.Flatten(), layers.Dense(5),
])
spec = [tf.TensorSpec([None, 4, 3], tf.float32, name="x")]
function = tf.function(lambda x: network(x, training=False), input_signature=spec)
tf2onnx.convert.from_function(function, input_signature=spec, opset=15,
                              output_path=os.path.join(sys.argv[1], "keras.onnx"))
x = np.random.default_rng(5).normal(size=(64, 4, 3)).astype(np.float32)
np.savez_compressed(os.path.join(sys.argv[1], "keras.npz"), x=x, expected=network(x, training=False).numpy())
