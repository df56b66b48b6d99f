"""Trains a network of 4-bit weights and activations on handwritten digits with Brevitas, and writes what Weir takes: the
model as QONNX, and a test set."""

import numpy
import torch
from brevitas.export import export_qonnx
from brevitas.nn import QuantIdentity, QuantLinear, QuantReLU
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(1)
x, y = load_digits(return_X_y=True)
x = (x / 16).astype(numpy.float32)
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=400, random_state=1)
model = torch.nn.Sequential(
    QuantIdentity(bit_width=4),
    QuantLinear(64, 32, bias=True, weight_bit_width=4),
    QuantReLU(bit_width=4),
    QuantLinear(32, 32, bias=True, weight_bit_width=4),
    QuantReLU(bit_width=4),
    QuantLinear(32, 10, bias=True, weight_bit_width=4),
)
optimizer = torch.optim.Adam(model.parameters(), 2e-3)
inputs, labels = torch.from_numpy(x_train), torch.from_numpy(y_train)
for _ in range(30):
    for batch in torch.randperm(len(inputs)).split(64):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs[batch]), labels[batch]).backward()
        optimizer.step()
model.eval()
right = (model(torch.from_numpy(x_test)).argmax(1).numpy() == y_test).mean()
print(f"PyTorch: {100 * right:.2f} % right")

export_qonnx(model, torch.from_numpy(x_test[:1]), "digits.onnx", dynamo=False)
numpy.savez("test.npz", x=x_test, y=y_test)
