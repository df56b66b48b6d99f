"""Trains a classifier of handwritten digits with scikit-learn, and writes what Weir takes: the model as ONNX, typical
inputs to quantize with, and a test set."""

import numpy
from skl2onnx import to_onnx
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

x, y = load_digits(return_X_y=True)
x = x.astype(numpy.float32)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=400, random_state=1)
model = make_pipeline(StandardScaler(), MLPClassifier((32,), max_iter=400, random_state=1)).fit(x_train, y_train)
print(f"scikit-learn: {100 * model.score(x_test, y_test):.2f} % right")

onnx = to_onnx(model, x_train[:1], options={"zipmap": False})
with open("digits.onnx", "wb") as file:
    file.write(onnx.SerializeToString())
numpy.savez("calibration.npz", X=x_train[:400])
numpy.savez("test.npz", x=x_test, y=y_test)
