"""Trains a small convolutional network on handwritten digits with Keras 3, and writes what Weir takes: the model as ONNX,
typical inputs to quantize with, and a test set."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(1)
x, y = load_digits(return_X_y=True)
x = (x / 16).astype(numpy.float32).reshape(-1, 8, 8, 1)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=400, random_state=1)
model = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dense(10),
    ]
)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, metrics=["accuracy"])
model.fit(x_train, y_train, epochs=40, batch_size=64, verbose=0)
print(f"Keras: {100 * model.evaluate(x_test, y_test, verbose=0)[1]:.2f} % right")

model.export("digits.onnx", format="onnx", verbose=False)
numpy.save("calibration.npy", x_train[:400])
numpy.savez("test.npz", x=x_test, y=y_test)
