import struct

from random_graph import RandomGraph


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def graph(random):
    """Lines of several lengths along any axis; steps of the result down to those that pass the largest code."""
    g = RandomGraph(random)
    for k in range(10):
        signed = k % 2
        dtype, low, high = ("int8", -128, 127) if signed else ("uint8", 0, 255)
        shape = g.shape(1, 4)
        scales = [round(random.uniform(0.005, 0.3), 4), random.choice([0.00390625, 0.0039, 0.0062, 0.0119])]
        zeros = [random.randint(low, high), low if random.random() < 0.5 else random.randint(low, low + 30)]
        inputs = [g.input(dtype, shape, f"random {low} {high}")]
        for scale, zero in zip(scales, zeros):
            inputs += [g.constant("float32", [], [scale]), g.constant(dtype, [], [zero])]
        sizes = ",".join(str(size) for size in shape)
        types = f"{dtype}[{sizes}] integer {'us'[signed]}8 round=half-even scale={float32(scales[1])} zero={zeros[1]} range=[{low},{high}]"
        g.node("com.microsoft.QLinearSoftmax", inputs, types=types, axis=random.randrange(-len(shape), len(shape)), opset=13)
    return g.result()
