"""Random networks in PyTorch, for exported.py and random_exported.py: each function takes a random.Random and returns a module, one input of
each kind it takes, 24 frames, and a name that says what is in it. `export` writes one as one of PyTorch's two exporters does."""

import contextlib
import io
import os
import random

import torch
from torch import nn
from torch.nn import functional as F

FRAMES = 24
ACTIVATIONS = (nn.ReLU, nn.GELU, lambda: nn.GELU("tanh"), nn.SiLU, nn.Tanh, nn.Sigmoid, nn.LeakyReLU, nn.ELU, nn.Hardswish, nn.Hardsigmoid,
               nn.Softplus, nn.Mish, nn.PReLU, nn.ReLU6, nn.SELU, nn.Softsign, nn.CELU)


def activation(r):
    return r.choice(ACTIVATIONS)()


class Made(nn.Module):
    """forward(parts, x): a function of modules and parameters."""

    def __init__(self, forward, *parts):
        super().__init__()
        self.made = forward
        self.parts = nn.ModuleList(p for p in parts if isinstance(p, nn.Module))
        self.numbers = nn.ParameterList(nn.Parameter(p) for p in parts if isinstance(p, torch.Tensor))

    def forward(self, x):
        return self.made([*self.parts, *self.numbers], x)


def swap():
    return Made(lambda m, x: x.transpose(1, 2))


# --- layers over time: x is [N, time, width] ---

def recurrent(r, width):
    kind, cells, both = r.choice((nn.LSTM, nn.GRU, nn.RNN)), r.choice((3, 4, 6, 8)), r.random() < 0.3
    first, more = r.random() < 0.7, {"nonlinearity": "relu"} if kind is nn.RNN and r.random() < 0.5 else {}
    layer = kind(width, cells, r.choice((1, 1, 2)), batch_first=first, bidirectional=both, **more)
    if first:
        return Made(lambda m, x: m[0](x)[0], layer), cells * (1 + both)
    return Made(lambda m, x: m[0](x.transpose(0, 1))[0].transpose(0, 1), layer), cells * (1 + both)


def last_state(r, width):
    kind, cells, both = r.choice((nn.LSTM, nn.GRU, nn.RNN)), r.choice((3, 4, 8)), r.random() < 0.4

    def forward(m, x):
        state = m[0](x)[1]
        state = state[0] if kind is nn.LSTM else state
        return torch.cat(list(state), -1) if both else state[-1]
    return Made(forward, kind(width, cells, batch_first=True, bidirectional=both)), cells * (1 + both)


def unrolled(r, width):
    cells, is_lstm = r.choice((3, 4, 6)), r.random() < 0.5

    def forward(m, x):
        h = c = torch.zeros(x.shape[0], cells)
        steps = []
        for t in range(x.shape[1]):
            if is_lstm:
                h, c = m[0](x[:, t], (h, c))
            else:
                h = m[0](x[:, t], h)
            steps.append(h)
        return torch.stack(steps, 1)
    return Made(forward, (nn.LSTMCell if is_lstm else nn.GRUCell)(width, cells)), cells


def heads_of(r, width):
    return r.choice([n for n in (1, 2, 3, 4) if width % n == 0 and width // n >= 2] or [1])


def attention(r, width):
    heads, causal, mask = heads_of(r, width), r.random() < 0.4, r.choice((None, None, float("-inf"), -1e9))

    def split(x):
        return x.view(x.shape[0], x.shape[1], heads, width // heads).transpose(1, 2)

    def fused(m, x):
        q, k, v = m[0](x).chunk(3, -1)
        y = F.scaled_dot_product_attention(split(q), split(k), split(v), is_causal=causal)
        return x + m[1](y.transpose(1, 2).reshape(x.shape))

    def written_out(m, x):
        q, k, v = (split(part) for part in m[0](x).chunk(3, -1))
        scores = torch.matmul(q, k.transpose(-1, -2)) / (width // heads)**0.5
        if mask is not None:
            scores = scores.masked_fill(torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), 1), mask)
        return torch.matmul(scores.softmax(-1), v).permute(0, 2, 1, 3).reshape(x.shape) + m[1](x)
    return Made(r.choice((fused, written_out)), nn.Linear(width, 3 * width, bias=r.random() < 0.7), nn.Linear(width, width))


def root_mean_square(width):
    return Made(lambda m, x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * m[0], 1 + 0.2 * torch.randn(width))


def feed_forward(r, width):
    norm = r.choice((nn.LayerNorm(width), root_mean_square(width), nn.Identity()))
    return Made(lambda m, x: x + m[3](m[2](m[1](m[0](x)))), norm, nn.Linear(width, 2 * width), activation(r), nn.Linear(2 * width, width))


def causal(r, width):
    kernel, dilation, residual = r.choice((2, 3)), r.choice((1, 2)), r.random() < 0.5

    def forward(m, x):
        y = m[1](m[0](F.pad(x.transpose(1, 2), ((kernel - 1) * dilation, 0)))).transpose(1, 2)
        return x + y if residual else y
    return Made(forward, nn.Conv1d(width, width, kernel, dilation=dilation), activation(r))


def layer_over_time(r, width, steps):
    """A layer, its width behind it, its name."""
    linear = nn.Linear
    kind = r.choice("recurrent recurrent unrolled attention attention whole block feed gated-linear swish norm rms conv gate mixer batch group function".split())
    made = {
        "recurrent": lambda: recurrent(r, width), "unrolled": lambda: unrolled(r, width), "attention": lambda: attention(r, width),
        "whole": lambda: Made(lambda m, x: m[0](x, x, x, need_weights=False)[0], nn.MultiheadAttention(width, heads_of(r, width), batch_first=True)),
        "block": lambda: nn.TransformerEncoderLayer(width, heads_of(r, width), 2 * width, dropout=0.0, activation=r.choice(("relu", "gelu")),
                                                    batch_first=True, norm_first=r.random() < 0.5),
        "feed": lambda: feed_forward(r, width), "gated-linear": lambda: Made(lambda m, x: F.glu(m[0](x), -1), linear(width, 2 * width)),
        "swish": lambda: Made(lambda m, x: x + m[2](F.silu(m[0](x)) * m[1](x)), linear(width, 8), linear(width, 8), linear(8, width)),
        "norm": lambda: nn.LayerNorm(width), "rms": lambda: root_mean_square(width), "conv": lambda: causal(r, width),
        "gate": lambda: Made(lambda m, x: (torch.tanh(m[0](x.transpose(1, 2))) * torch.sigmoid(m[1](x.transpose(1, 2)))).transpose(1, 2) + x,
                             nn.Conv1d(width, width, 3, padding=1), nn.Conv1d(width, width, 3, padding=1)),
        "mixer": lambda: Made(lambda m, x: x + m[2](F.gelu(m[1](m[0](x).transpose(1, 2)))).transpose(1, 2), nn.LayerNorm(width),
                              linear(steps, 2 * steps), linear(2 * steps, steps)),
        "batch": lambda: nn.Sequential(swap(), nn.BatchNorm1d(width), swap()),
        "group": lambda: nn.Sequential(swap(), nn.GroupNorm(1 + (width % 2 == 0), width), swap()),
        "function": lambda: nn.Sequential(linear(width, width), activation(r)),
    }[kind]()
    return (*made, kind) if isinstance(made, tuple) else (made, width, kind)


def end_over_time(r, width, steps, classes):
    kind = r.choice("last mean largest flat pooled all state".split() + ["first", "first"] * classes)
    if kind == "state":
        return (*last_state(r, width), kind)
    forms = {"last": lambda m, x: x[:, -1], "first": lambda m, x: x[:, 0], "mean": lambda m, x: x.mean(1), "largest": lambda m, x: x.amax(1),
             "flat": lambda m, x: x.flatten(1), "all": lambda m, x: x}
    if kind == "pooled":
        return Made(lambda m, x: (m[0](x).softmax(1) * x).sum(1), nn.Linear(width, 1)), width, kind
    return Made(forms[kind]), width * steps if kind == "flat" else width, kind


def over_time(r):
    steps, width, features = r.choice((4, 6, 8, 10)), r.choice((4, 6, 8, 12, 16)), r.choice((3, 4, 8))
    layers, names, words, classes = [], [], r.random() < 0.15, False
    x = torch.randint(0, 12, (FRAMES, steps)) if words else torch.randn(FRAMES, steps, features)
    if words:
        layers.append(nn.Embedding(12, width))
    elif r.random() < 0.7:
        layers.append(nn.Linear(features, width))
    else:
        width = features
    if r.random() < 0.25:
        layers.append(Made(lambda m, x: x + m[0][:, :x.shape[1]], torch.randn(1, steps, width) * 0.3))
    if r.random() < 0.12:
        layers.append(Made(lambda m, x: torch.cat([m[0].expand(x.shape[0], -1, -1), x], 1), torch.randn(1, 1, width) * 0.3))
        steps, classes = steps + 1, True
    for _ in range(r.choice((1, 1, 2, 3))):
        layer, width, name = layer_over_time(r, width, steps)
        layers.append(layer)
        names.append(name)
    layer, width, name = end_over_time(r, width, steps, classes)
    layers.append(layer)
    if r.random() < 0.8:
        layers.append(nn.Linear(width, 3))
    return nn.Sequential(*layers), x, "-".join([*names, name])


# --- whole networks over time, as papers have them ---

def paper_over_time(r):
    t, d, f = r.choice((4, 6, 8)), r.choice((4, 8)), r.choice((3, 4, 6))
    cell, flips, deviates = r.choice((nn.GRU, nn.LSTM, nn.RNN)), r.random() < 0.5, r.random() < 0.4
    linear, conv, half = nn.Linear, nn.Conv1d, d // 2
    angle = torch.arange(t).float()[:, None] * torch.tensor([[10000.0**(-2 * (i % half) / d) for i in range(d)]])

    def encoder_decoder(m, x):
        _, h = m[0](x)
        return m[2](m[1](x.flip(1) if flips else x, h)[0])

    def wavenet(m, x):
        y, skip = m[0](x.transpose(1, 2)), 0
        for k in range(3):
            z = F.pad(y, (2**k, 0))
            z = m[3 + 3 * k](torch.tanh(m[1 + 3 * k](z)) * torch.sigmoid(m[2 + 3 * k](z)))
            skip, y = skip + z, y + z
        return m[10](F.relu(skip)).transpose(1, 2)

    def conformer(m, x):
        y = m[0](x)
        y = y + 0.5 * m[3](F.silu(m[2](m[1](y))))
        q = m[4](y)
        y = y + (q @ q.transpose(1, 2) * d**-0.5).softmax(-1) @ q
        z = F.silu(m[8](m[7](F.glu(m[6](m[5](y)).transpose(1, 2), 1))))
        return m[11](m[10](y + m[9](z.transpose(1, 2))).mean(1))

    def linear_attention(m, x):
        q, k, v = F.elu(m[0](x)) + 1, F.elu(m[1](x)) + 1, m[2](x)
        total = q @ k.sum(1, keepdim=True).transpose(1, 2) + 1e-6
        return m[3]((q @ (k.transpose(1, 2) @ v)) / total)

    def spatial_gate(m, x):
        u, v = F.gelu(m[0](x)).chunk(2, -1)
        return m[3](u * m[2](m[1](v).transpose(1, 2)).transpose(1, 2)) + x

    def turned(m, x):
        def turn(y):
            return y * m[4] + torch.cat([-y[..., half:], y[..., :half]], -1) * m[5]
        return m[3]((turn(m[0](x)) @ turn(m[1](x)).transpose(1, 2) / d**0.5).softmax(-1) @ m[2](x))

    def distances(m, x):
        q, k, v = m[0](x).chunk(3, -1)
        return m[1]((q @ k.transpose(1, 2) / d**0.5 + m[2]).softmax(-1) @ v)

    def additive(m, x):
        y, h = m[0](x)
        return m[3](torch.cat([(m[2](torch.tanh(m[1](y))).softmax(1) * y).sum(1), h[-1]], -1))

    def minimal_cell(m, x):
        h = torch.zeros(x.shape[0], d)
        for step in range(x.shape[1]):
            z = torch.cat([x[:, step], h], -1)
            h = (1 - torch.sigmoid(m[0](z))) * h + torch.sigmoid(m[0](z)) * torch.tanh(m[1](z))
        return m[2](h)

    def statistics(m, x):
        return m[0](torch.cat([x.mean(1), x.amax(1), x.amin(1), x.std(1) if deviates else x.pow(2).mean(1)], -1))

    def densely(m, x):
        a = F.relu(m[0](x))
        return m[2](torch.cat([x, a, F.relu(m[1](torch.cat([x, a], -1)))], -1))

    def bilinear(m, x):
        y = m[0](x)
        return m[1](torch.einsum("bti,btj->bij", y, y).flatten(1) / t)
    rows = {
        "encoder-decoder": lambda: Made(encoder_decoder, cell(f, d, batch_first=True), cell(f, d, batch_first=True), linear(d, 3)),
        "crnn": lambda: Made(lambda m, x: m[2](m[1](F.relu(m[0](x.unsqueeze(1))).permute(0, 2, 1, 3).flatten(2))[0][:, -1]),
                             nn.Conv2d(1, 2, 3, padding=1), cell(2 * f, d, batch_first=True), linear(d, 3)),
        "wavenet": lambda: Made(wavenet, conv(f, d, 1), *[part for k in range(3) for part in (conv(d, d, 2, dilation=2**k), conv(d, d, 2, dilation=2**k),
                                                                                             conv(d, d, 1))], conv(d, 3, 1)),
        "conformer": lambda: Made(conformer, linear(f, d), nn.LayerNorm(d), linear(d, 2 * d), linear(2 * d, d), linear(d, d), nn.LayerNorm(d), linear(d, 2 * d),
                                  conv(d, d, 3, padding=1, groups=d), nn.BatchNorm1d(d), linear(d, d), nn.LayerNorm(d), linear(d, 3)),
        "film": lambda: Made(lambda m, x: m[3](F.relu(m[2](x) * (1 + m[0](x.mean(1, keepdim=True))) + m[1](x.mean(1, keepdim=True)))), linear(f, d),
                             linear(f, d), linear(f, d), linear(d, 3)),
        "linear-attention": lambda: Made(linear_attention, linear(f, d), linear(f, d), linear(f, d), linear(d, 3)),
        "spatial-gate": lambda: Made(spatial_gate, linear(f, 2 * d), nn.LayerNorm(d), linear(t, t), linear(d, f)),
        "highway": lambda: Made(lambda m, x: m[2](torch.sigmoid(m[0](x)) * F.relu(m[1](x)) + (1 - torch.sigmoid(m[0](x))) * x), linear(f, f), linear(f, f),
                                linear(f, 3)),
        "maxout": lambda: Made(lambda m, x: m[1](m[0](x).unflatten(-1, (d, 2)).amax(-1)), linear(f, 2 * d), linear(d, 3)),
        "turned": lambda: Made(turned, linear(f, d), linear(f, d), linear(f, d), linear(d, 3), angle.cos(), angle.sin()),
        "distances": lambda: Made(distances, linear(f, 3 * d), linear(d, 3), -0.5 * (torch.arange(t)[:, None] - torch.arange(t)[None]).abs().float()),
        "latents": lambda: Made(lambda m, x: m[2](((m[3](m[4].expand(x.shape[0], -1, -1)) @ m[0](x).transpose(1, 2)) / d**0.5).softmax(-1) @ m[1](x)),
                                linear(f, d), linear(f, d), linear(d, 3), linear(d, d), torch.randn(1, 3, d)),
        "learned-state": lambda: Made(lambda m, x: m[1](m[0](x, m[2].expand(-1, x.shape[0], -1).contiguous())[0]),
                                      r.choice((nn.GRU, nn.RNN))(f, d, batch_first=True), linear(d, 3), torch.randn(1, 1, d) * 0.5),
        "additive": lambda: Made(additive, nn.GRU(f, d, batch_first=True), linear(d, d), linear(d, 1), linear(2 * d, 3)),
        "fourier": lambda: Made(lambda m, x: m[0](torch.einsum("ts,bsd->btd", m[1], x) @ m[2] + x), linear(f, 3), torch.randn(t, t) * 0.4,
                                torch.randn(f, f) * 0.4),
        "sums": lambda: Made(lambda m, x: m[0](torch.cumsum(x, 1) / 8), linear(f, 3)),
        "differences": lambda: Made(lambda m, x: m[0](x[:, 1:] - x[:, :-1]), linear(f, 3)),
        "windows": lambda: Made(lambda m, x: m[1](F.relu(m[0](x.unfold(1, 3, 1).flatten(2)))), linear(3 * f, d), linear(d, 3)),
        "minimal-cell": lambda: Made(minimal_cell, linear(f + d, d), linear(f + d, d), linear(d, 3)),
        "statistics": lambda: Made(statistics, linear(4 * f, 3)), "densely": lambda: Made(densely, linear(f, d), linear(f + d, d), linear(f + 2 * d, 3)),
        "bilinear": lambda: Made(bilinear, linear(f, 4), linear(16, 3)),
    }
    name = r.choice(sorted(rows))
    return rows[name](), torch.randn(FRAMES, t, f), name


# --- images ---

def block_of_images(r, d, size):
    conv = nn.Conv2d
    squeeze = max(2, d // 4)
    rows = {
        "squeeze": lambda: Made(lambda m, x: x * torch.sigmoid(m[1](F.relu(m[0](F.adaptive_avg_pool2d(x, 1))))), conv(d, squeeze, 1), conv(squeeze, d, 1)),
        "convnext": lambda: Made(lambda m, x: x + (m[3](F.gelu(m[2](m[1](m[0](x).permute(0, 2, 3, 1))))) * m[4]).permute(0, 3, 1, 2),
                                 conv(d, d, 7, padding=3, groups=d), nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d), torch.full((d,), 0.3)),
        "shuffle": lambda: Made(lambda m, x: m[0](x).unflatten(1, (2, d // 2)).transpose(1, 2).flatten(1, 2), conv(d, d, 1, groups=2)),
        "residual": lambda: Made(lambda m, x: m[2](m[1](m[0](x)) + x), conv(d, d, 3, padding=1), nn.BatchNorm2d(d), activation(r)),
        "depthwise": lambda: nn.Sequential(conv(d, d, 3, padding=1, groups=d), nn.BatchNorm2d(d), activation(r)),
        "group": lambda: nn.GroupNorm(r.choice((1, 2)), d), "instance": lambda: nn.InstanceNorm2d(d, affine=r.random() < 0.5),
        "batch": lambda: nn.BatchNorm2d(d), "largest": lambda: nn.MaxPool2d(2, ceil_mode=r.random() < 0.5),
        "average": lambda: nn.AvgPool2d(2, ceil_mode=r.random() < 0.3), "up": lambda: nn.Upsample(scale_factor=2, mode=r.choice(("nearest", "bilinear"))),
        "transposed": lambda: nn.ConvTranspose2d(d, d, r.choice((2, 3)), stride=2),
        "pixels": lambda: nn.Sequential(conv(d, 4 * d, 1), nn.PixelShuffle(2)), "function": lambda: nn.Sequential(conv(d, d, 1), activation(r)),
    }
    name = r.choice(sorted(rows))
    return rows[name](), name


def of_images(r):
    channels, size, d = r.choice((1, 2, 3)), r.choice((6, 8, 12)), r.choice((4, 6, 8))
    layers, names = [nn.Conv2d(channels, d, 3, padding=1, stride=r.choice((1, 1, 2))), activation(r)], []
    for _ in range(r.choice((1, 2, 3))):
        layer, name = block_of_images(r, d, size)
        layers.append(layer)
        names.append(name)
    end = r.choice(("mean", "flat", "all", "patches", "largest"))
    if end in ("mean", "largest"):
        layers += [nn.AdaptiveAvgPool2d(1) if end == "mean" else nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(d, 3)]
    elif end == "flat":
        layers.append(nn.Flatten())
    elif end == "patches":
        layers += [Made(lambda m, x: m[0](x).flatten(2).transpose(1, 2), nn.Conv2d(d, 8, 2, 2)),
                   Made(lambda m, x: m[0](x, x, x, need_weights=False)[0].mean(1), nn.MultiheadAttention(8, 2, batch_first=True)), nn.Linear(8, 3)]
    return nn.Sequential(*layers), torch.randn(FRAMES, channels, size, size), "-".join([*names, end])


def paper_of_images(r):
    c, s, d = r.choice((1, 3)), r.choice((8, 12)), r.choice((4, 8))
    conv, linear, function = nn.Conv2d, nn.Linear, activation(r)
    transposes, way, border = r.random() < 0.4, r.choice(("nearest", "bilinear")), r.choice(("reflect", "replicate", "circular"))

    def unet(m, x):
        a = F.relu(m[0](x))
        b = F.relu(m[1](F.max_pool2d(a, 2)))
        return m[3](torch.cat([a, m[2](b) if transposes else F.interpolate(b, scale_factor=2, mode=way)], 1))

    def attended(m, x):
        y = F.relu(m[0](x))
        y = y * torch.sigmoid(m[2](F.relu(m[1](y.mean((2, 3))))) + m[2](F.relu(m[1](y.amax((2, 3))))))[:, :, None, None]
        return m[4]((y * torch.sigmoid(m[3](torch.cat([y.mean(1, keepdim=True), y.amax(1, keepdim=True)], 1)))).mean((2, 3)))

    def channels_attended(m, x):
        y = m[0](x)
        return m[2]((y * torch.sigmoid(m[1](y.mean((2, 3)).unsqueeze(1))).transpose(1, 2).unsqueeze(-1)).mean((2, 3)))

    def focus(m, x):
        return m[1](m[2](m[0](torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1))).flatten(1))

    def densely(m, x):
        a = F.relu(m[0](x))
        b = F.relu(m[1](a))
        return m[3](torch.cat([a, b, F.relu(m[2](torch.cat([a, b], 1)))], 1))

    def split_up(m, x):
        a, b = F.relu(m[0](x)).chunk(2, 1)
        b = F.relu(m[1](b))
        return m[3](torch.cat([a, b, F.relu(m[2](b + a))], 1))

    def by_coordinates(m, x):
        y = m[0](x)
        return m[3](y * torch.sigmoid(m[1](y.mean(3, keepdim=True))) * torch.sigmoid(m[2](y.mean(2, keepdim=True))))

    def windowed(m, x):
        y = m[0](x)
        n, k, h, w = y.shape
        rows = y.view(n, k, h // 4, 4, w // 4, 4).permute(0, 2, 4, 3, 5, 1).reshape(-1, 16, k)
        q, k_, v = m[1](rows).chunk(3, -1)
        return m[2](((q @ k_.transpose(1, 2) / k**0.5).softmax(-1) @ v).reshape(n, -1, k).mean(1))

    def weighted(m, x):
        w = F.relu(m[3])
        return m[2](F.silu((w[0] * m[0](x) + w[1] * F.interpolate(m[1](F.max_pool2d(x, 2)), scale_factor=2)) / (w.sum() + 1e-4)))
    rows = {
        "unet": lambda: Made(unet, conv(c, d, 3, padding=1), conv(d, d, 3, padding=1), nn.ConvTranspose2d(d, d, 2, 2), conv(2 * d, 2, 1)),
        "attended": lambda: Made(attended, conv(c, d, 3), linear(d, 2), linear(2, d), conv(2, 1, 3, padding=1), linear(d, 3)),
        "channels-attended": lambda: Made(channels_attended, conv(c, d, 3), nn.Conv1d(1, 1, 3, padding=1), linear(d, 3)),
        "pyramid": lambda: Made(lambda m, x: m[1](torch.cat([m[0](x)] + [F.max_pool2d(m[0](x), k, 1, k // 2) for k in (3, 5)], 1)),
                                conv(c, d, 3, padding=1), conv(3 * d, 4, 1)),
        "focus": lambda: Made(focus, conv(4 * c, d, 3), linear(d * (s // 2 - 2)**2, 3), function),
        "densely": lambda: Made(densely, conv(c, d, 3, padding=1), conv(d, 4, 3, padding=1), conv(d + 4, 4, 3, padding=1), conv(d + 8, 3, 1)),
        "split-up": lambda: Made(split_up, conv(c, d, 1), conv(d // 2, d // 2, 3, padding=1), conv(d // 2, d // 2, 3, padding=1), conv(3 * d // 2, 3, 1)),
        "coordinates": lambda: Made(by_coordinates, conv(c, d, 3, padding=1), conv(d, d, 1), conv(d, d, 1), conv(d, 3, 1)),
        "windowed": lambda: Made(windowed, conv(c, d, 3, padding=1), linear(d, 3 * d), linear(d, 3)),
        "rolled": lambda: Made(lambda m, x: m[1](F.relu(m[0](torch.roll(x, (1, 2), (2, 3))))), conv(c, d, 3), conv(d, 3, 1)),
        "unit-length": lambda: Made(lambda m, x: m[1](F.normalize(m[0](x), dim=1)), conv(c, d, 3), conv(d, 3, 1)),
        "weighted": lambda: Made(weighted, conv(c, d, 3, padding=1), conv(c, d, 3, padding=1), conv(d, 3, 1), torch.tensor([0.7, 0.4])),
        "autoencoder": lambda: nn.Sequential(conv(c, d, 3, 2, 1), nn.ReLU(), conv(d, 2 * d, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(2 * d, d, 3, 2, 1, 1),
                                             nn.ReLU(), nn.ConvTranspose2d(d, c, 3, 2, 1, 1), nn.Sigmoid()),
        "branches": lambda: Made(lambda m, x: F.relu(m[0](x) + m[1](x) + m[3](m[2](x))), conv(c, d, 3, padding=1), conv(c, d, 1), nn.BatchNorm2d(c),
                                 conv(c, d, 1)),
        "four-functions": lambda: Made(lambda m, x: torch.cat([f(y) for f, y in zip((F.relu, torch.tanh, torch.sigmoid, F.silu), m[0](x).chunk(4, 1))], 1),
                                       conv(c, 8, 3)),
        "pixels": lambda: Made(lambda m, x: m[0](F.pixel_unshuffle(x, 2)), conv(4 * c, d, 3)),
        "responses": lambda: Made(lambda m, x: m[1](F.local_response_norm(F.relu(m[0](x)), 3)), conv(c, d, 3), conv(d, 3, 1)),
        "border": lambda: Made(lambda m, x: m[0](F.pad(x, (1, 1, 1, 1), mode=border)), conv(c, d, 3)),
        "expectation": lambda: Made(lambda m, x: m[1](m[0](x).flatten(2).softmax(-1)), conv(c, d, 1), linear(s * s, 2)),
        "condition": lambda: Made(lambda m, x: m[1](torch.where(x[:, :1] > 0, m[0](x), -m[0](x))), conv(c, d, 3, padding=1), conv(d, 3, 1)),
        "clipped": lambda: Made(lambda m, x: m[1](m[0](x).clamp(-1, 1) * 3), conv(c, d, 3), conv(d, 3, 1)),
        "whole": lambda: Made(lambda m, x: m[1](torch.cat([m[0](x), m[0](x).mean((2, 3), keepdim=True).expand_as(m[0](x))], 1)), conv(c, d, 3, padding=1),
                              conv(2 * d, 3, 1)),
        "resized": lambda: Made(lambda m, x: m[1](F.interpolate(m[0](x), size=(5, 7), mode=way)), conv(c, d, 3), conv(d, 3, 1)),
    }
    name = r.choice(sorted(rows))
    return rows[name](), torch.randn(FRAMES, c, s, s), name


KINDS = (over_time, paper_over_time, of_images, paper_of_images)


def trained(module):
    """As if it had seen data: the statistics of batches."""
    module.eval()
    for part in module.modules():
        if isinstance(part, (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d)):
            part.running_mean.normal_(0, 0.3)
            part.running_var.uniform_(0.5, 1.5)
    return module


@contextlib.contextmanager
def silence():
    """Of Python and of what the exporter itself prints."""
    kept, nothing = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for number in (1, 2):
                os.dup2(nothing, number)
            yield
    finally:
        for number, before in zip((1, 2), kept):
            os.dup2(before, number)
            os.close(before)
        os.close(nothing)


def settings(r):
    """Of one of the exporters; half of the time those that it has by itself."""
    usual = r.random() < 0.5
    if r.random() < 0.5:
        options = {"dynamo": True, "verbose": False, "external_data": False}
        if usual:
            return options
        if r.random() < 0.5:
            options["dynamic_shapes"] = ({0: torch.export.Dim("frames")},)
        return options | {"optimize": r.random() < 0.3, "opset_version": r.choice((18, 19, 20, 21, 22, 23))}
    options = {"dynamo": False, "opset_version": r.choice((13, 14, 17))}
    if usual:
        return options
    if r.random() < 0.5:
        options |= {"input_names": ["x"], "dynamic_axes": {"x": {0: "frames"}}}
    return options | {"opset_version": r.choice((9, 11, 12, 13, 15, 16, 18, 20)), "do_constant_folding": r.random() < 0.5,
                      "keep_initializers_as_inputs": r.random() < 0.3}


def export(seed, path):
    """Writes the network of this number. Its frames, its results, its name with the exporter's, and the random numbers that go on; None: it
    cannot be made, or the exporter does not take it."""
    r = random.Random(seed)
    torch.manual_seed(seed)
    module, x, name = KINDS[seed % len(KINDS)](r)
    try:
        with torch.no_grad():
            want = trained(module)(x).numpy()
    except RuntimeError:  # an image became too small
        return None
    options = settings(r)
    try:
        with silence():
            torch.onnx.export(module, (x[:1],), path, **options)
    except Exception:  # pylint: disable=broad-except # of a dozen kinds
        return None
    said = " ".join(f"{key}={value}" for key, value in options.items() if key not in ("dynamo", "verbose", "external_data", "input_names"))
    return x.numpy(), want, f"{name} by {'dynamo' if options['dynamo'] else 'script'} {said}", r
