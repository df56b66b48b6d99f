"""Writes the models, the data and expected.txt beside it: networks of scikit-learn as skl2onnx exports them, and what
scikit-learn's own metrics say of what its estimators predict. Needs scikit-learn (1.9.1 was used) and skl2onnx (1.20.0)."""
import warnings

import numpy as np
import onnx
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.metrics import accuracy_score, r2_score, root_mean_squared_error
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from skl2onnx import to_onnx

warnings.filterwarnings("ignore")
ROWS = 130
lines = []


def put(name, estimator, x, y, **options):
    x = x.astype(np.float32)
    estimator.fit(x, y)
    onnx.save(to_onnx(estimator, x[:1], **options), name + ".onnx")
    step = len(x) // ROWS + 1
    x, y = x[::step], y[::step]
    found = estimator.predict(x)
    np.savez_compressed(name + ".npz", X=x, y=y)
    if y.dtype.kind == "f":
        lines.append(f"{name} R2 {r2_score(y, found):.4f}, RMSE {root_mean_squared_error(y, found):.4g} of {len(x)} frames")
    else:
        lines.append(f"{name} accuracy {100 * accuracy_score(y, found):.2f} % of {len(x)} frames")


wine, cancer, iris, diabetes = load_wine(), load_breast_cancer(), load_iris(), load_diabetes()
plain = {"options": {"zipmap": False}}
network = lambda: MLPClassifier(hidden_layer_sizes=(6,), max_iter=600, random_state=1)
put("three_classes", make_pipeline(StandardScaler(), network()), wine.data, wine.target)
put("other_numbers", make_pipeline(StandardScaler(), network()), iris.data, iris.target * 10 + 5, **plain)
put("two_classes", make_pipeline(StandardScaler(), network()), cancer.data[:, :8], cancer.target)
put("two_numbers", make_pipeline(StandardScaler(), network()), cancer.data[:, :8], cancer.target + 1, **plain)
put("linear", make_pipeline(StandardScaler(), Perceptron()), iris.data, iris.target)
put("names", make_pipeline(StandardScaler(), network()), iris.data, iris.target_names[iris.target])
put("numerals", make_pipeline(StandardScaler(), network()), wine.data, (wine.target * 4 + 3).astype(str), **plain)
names, numerals = dict(np.load("names.npz")), dict(np.load("numerals.npz"))
np.savez_compressed("names_bytes.npz", X=names["X"], y=names["y"].astype("S"))
np.savez_compressed("names_big_endian.npz", X=names["X"], y=names["y"].astype(">U12"))
np.savez_compressed("numerals_int.npz", X=numerals["X"], y=numerals["y"].astype(int))
names["y"][[0, 3]] = "setossa", "Setosa"  # two that are classified right
np.savez_compressed("names_misspelt.npz", X=names["X"], y=names["y"])
regressor = lambda: MLPRegressor(hidden_layer_sizes=(8,), max_iter=2000, learning_rate_init=0.05, random_state=1)
put("regression", make_pipeline(MinMaxScaler(), regressor()), diabetes.data, diabetes.target)
both = np.stack([diabetes.target, 3 * diabetes.target**0.5], 1)
put("two_outputs", make_pipeline(MinMaxScaler(), regressor()), diabetes.data, both)
open("expected.txt", "w").write("\n".join(lines) + "\n")
