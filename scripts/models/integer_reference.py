"""An independent NumPy execution of the quantized models, in integers, by the contract of fused kernels:

    y = saturate(round_half_even(float32(acc) * m) + zp_y),   m = float32(float32(sx * sw) / sy)

with `acc` the exact integer sum. It shares no code with ONNX Runtime or the qonnx executor. An addition of two quantized
tensors, and any change of scale, is exact on the dequantized values (float64 here), then quantized once. A model may
mix the QDQ, QOperator and QONNX forms; anything else stops with an error.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

F32 = np.float32


class Quantized:
    """Integers with what they stand for: (q - zero) * scale; scale is a scalar or one value a channel on `axis`."""

    def __init__(self, q, scale, zero, axis=None, low=None, high=None):
        self.q, self.scale, self.zero, self.axis = q.astype(np.int64), F32(scale), np.int64(zero), axis
        self.low, self.high = low, high

    def centred(self):
        zero = self.zero
        if np.ndim(zero) == 1 and self.q.ndim == 2:
            zero = zero.reshape((-1, 1) if self.axis == 0 else (1, -1))
        return self.q - zero

    def real(self, dtype):
        return self.centred().astype(dtype) * dtype(self.scale)


class Accumulator:
    """Exact integer sums that stand for acc * scale, scale a scalar or one value a column; `relu` clamps at zero."""

    def __init__(self, acc, scale, relu=False):
        self.acc, self.scale, self.relu = acc, scale, relu


class Reals:
    """Exact (float64) sum of dequantized tensors, waiting for its quantization."""

    def __init__(self, value):
        self.value = value


def _bounds(dtype):
    info = np.iinfo(dtype)
    return info.min, info.max


def _flat(x):
    return F32(x).reshape(-1)[0] if np.size(x) == 1 else F32(x).reshape(-1)


def _quantize(value, scale, zero, low, high):
    """Rule 1 for an accumulator; a division in float32 for float input, as QuantizeLinear and Quant define."""
    scale, zero = _flat(scale), int(np.reshape(zero, -1)[0])
    if isinstance(value, Accumulator):
        multiplier = F32(value.scale / scale)
        acc = np.maximum(value.acc, 0) if value.relu else value.acc
        assert np.abs(acc).max() < 2 ** 31
        steps = np.rint(acc.astype(F32) * multiplier)
    elif isinstance(value, Quantized):
        if value.scale == scale and value.zero == zero:
            steps = value.centred()
        else:
            steps = np.rint(value.real(np.float64) / np.float64(scale))
    elif isinstance(value, Reals):
        steps = np.rint(value.value / np.float64(scale))
    else:
        steps = np.rint(F32(value) / scale)
    q = np.clip(steps.astype(np.float64) + zero, low, high)
    return Quantized(q, scale, zero, None, low, high)


def _product(a, b, bias=None, transpose_b=False):
    """a times b as exact integer sums; b's scale may be one value an output column."""
    weights = b.centred()
    acc = a.centred() @ (weights.T if transpose_b else weights)
    scale = F32(a.scale * b.scale)
    if bias is not None:
        acc = acc + bias
    return Accumulator(acc, scale)


def _bias_integers(bias, scale):
    """A bias in units of the accumulator; its own scale must be that product."""
    if not np.array_equal(np.broadcast_to(bias.scale, np.shape(bias.q)), np.broadcast_to(scale, np.shape(bias.q))):
        worst = np.max(np.abs(np.float64(bias.scale) / np.float64(scale) - 1))
        if worst > 1e-6:
            raise ValueError(f"a bias scale differs from input scale times weight scale by a factor of 1 + {worst}")
    return bias.q


def _relu(v):
    if isinstance(v, Accumulator):
        return Accumulator(v.acc, v.scale, True)
    if isinstance(v, Reals):
        return Reals(np.maximum(v.value, 0))
    return Quantized(np.maximum(v.q, v.zero), v.scale, v.zero, v.axis, v.low, v.high)


def _real_output(v):
    if isinstance(v, Quantized):
        return v.real(F32)
    if isinstance(v, Accumulator):
        acc = np.maximum(v.acc, 0) if v.relu else v.acc
        return acc.astype(F32) * v.scale
    return F32(v)


def run(path, x):
    """Execute the model at `path` on `x`; returns its only output as float32."""
    model = onnx.load(path)
    env = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    env[model.graph.input[0].name] = x
    for node in model.graph.node:
        attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        args = [env[n] if n else None for n in node.input]
        env[node.output[0]] = _OPS[node.op_type](args, attrs)
    return _real_output(env[model.graph.output[0].name])


def _op_quantize_linear(a, attrs):
    return _quantize(a[0], a[1], a[2], *_bounds(a[2].dtype))


def _op_dequantize_linear(a, attrs):
    if isinstance(a[0], Quantized):
        assert a[0].scale == _flat(a[1]) and a[0].zero == int(np.reshape(a[2], -1)[0])
        return a[0]
    axis = attrs.get("axis", 1) if np.ndim(a[1]) else None
    return Quantized(a[0], _flat(a[1]), np.reshape(a[2], -1) if np.ndim(a[2]) else a[2], axis)


def _op_gemm(a, attrs):
    assert attrs.get("alpha", 1.0) == 1.0 and attrs.get("beta", 1.0) == 1.0 and not attrs.get("transA", 0)
    out = _product(a[0], a[1], None, bool(attrs.get("transB", 0)))
    if len(a) > 2:
        out.acc = out.acc + _bias_integers(a[2], out.scale)
    return out


def _op_qgemm(a, attrs):
    assert attrs.get("alpha", 1.0) == 1.0 and not attrs.get("transA", 0)
    transpose = bool(attrs.get("transB", 0))
    weights = Quantized(a[3], _flat(a[4]), np.reshape(a[5], -1) if np.ndim(a[5]) else a[5], 0 if transpose else 1)
    out = _product(_as_quantized(a[0], a[1], a[2]), weights, a[6].astype(np.int64), transpose)
    return _quantize(out, a[7], a[8], *_bounds(a[8].dtype))


def _op_qlinear_matmul(a, attrs):
    weights = Quantized(a[3], _flat(a[4]), np.reshape(a[5], -1) if np.ndim(a[5]) else a[5], 1)
    out = _product(_as_quantized(a[0], a[1], a[2]), weights)
    return _quantize(out, a[6], a[7], *_bounds(a[7].dtype))


def _as_quantized(v, scale, zero):
    if isinstance(v, Quantized):
        assert v.scale == _flat(scale) and v.zero == int(np.reshape(zero, -1)[0])
        return v
    return Quantized(v, _flat(scale), int(np.reshape(zero, -1)[0]))


def _op_add(a, attrs):
    return Reals(a[0].real(np.float64) + a[1].real(np.float64))


def _op_quant(a, attrs):
    """QONNX Quant with rounding half to even: an activation, or a constant scaled a row."""
    assert attrs["rounding_mode"] == b"ROUND" and not np.any(a[2])
    bits, signed, narrow = int(np.reshape(a[3], -1)[0]), attrs["signed"], attrs["narrow"]
    low = -(2 ** (bits - 1)) + narrow if signed else 0
    high = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1 - narrow
    if np.size(a[1]) == 1:
        return _quantize(a[0], a[1], 0, low, high)
    q = np.clip(np.rint(F32(a[0]) / a[1]), low, high)
    return Quantized(q, _flat(a[1]), 0, 0)


def _op_bipolar_quant(a, attrs):
    """plus or minus the scale; zero counts as positive."""
    value = a[0].acc if isinstance(a[0], Accumulator) else a[0]
    return Quantized(np.where(value >= 0, 1, -1), _flat(a[1]), 0)


_OPS = {
    "QuantizeLinear": _op_quantize_linear, "DequantizeLinear": _op_dequantize_linear, "Gemm": _op_gemm,
    "MatMul": lambda a, attrs: _product(a[0], a[1]), "Relu": lambda a, attrs: _relu(a[0]), "Add": _op_add,
    "QGemm": _op_qgemm, "QLinearMatMul": _op_qlinear_matmul, "Quant": _op_quant, "BipolarQuant": _op_bipolar_quant,
}
