"""Train the float networks in PyTorch and export them with PyTorch's own (TorchScript) exporter."""

import torch
from torch import nn

from common import SEED_TRAIN

OPSET = 13


class Mlp(nn.Module):
    """64-64-32-10 with ReLU."""

    def __init__(self, bias=True):
        super().__init__()
        self.fc1 = nn.Linear(64, 64, bias=bias)
        self.fc2 = nn.Linear(64, 32, bias=bias)
        self.fc3 = nn.Linear(32, 10, bias=bias)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class ResidualMlp(nn.Module):
    """fc1 and ReLU, then fc2 added to its own input, ReLU, and the classifier."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 10)

    def forward(self, x):
        h = torch.relu(self.fc1(x))
        return self.fc3(torch.relu(h + self.fc2(h)))


def setup():
    """One thread and a fixed seed: the same machine and versions give the same weights."""
    torch.manual_seed(SEED_TRAIN)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def fit(model, digits, epochs=60, rate=2e-3):
    """Adam with a cosine schedule on cross entropy; returns the model in evaluation mode.

    There is no L2 term: it drives the weights of dead channels, and so their scales, down to 1e-25."""
    x, y = torch.from_numpy(digits.train_x), torch.from_numpy(digits.train_y)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    order = torch.Generator().manual_seed(SEED_TRAIN)
    model.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(x), generator=order).split(32):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
        schedule.step()
    return model.eval()


def export_float(model, path):
    torch.onnx.export(model, torch.zeros(1, 64), path, opset_version=OPSET, dynamo=False,
                      input_names=["input"], output_names=["logits"],
                      dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})
