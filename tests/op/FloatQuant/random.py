from random_graph import RandomGraph

MODES = ["ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"]


def near_powers(random):
    """Numbers at, next to and between powers of two: where steps change, and ties."""
    number = 2.0 ** random.randint(-12, 12) * random.choice([1, 1 - 2**-24, 1 - 3 * 2**-24, 1 + 2**-23, 1.5, 1.0625, random.uniform(1, 2)])
    return f"{random.choice([-1, 1]) * number:.9g}"


def graph(random):
    g = RandomGraph(random)
    for _ in range(24):
        exponent, mantissa = random.randint(1, 8), random.choice([0, 1, 2, 3, 4, 7, 10])
        bias = random.choice([2 ** (exponent - 1) - 1, random.randint(-8, 20)])
        x = g.input("float32", [2, 5], [near_powers(random) for _ in range(10)])
        number = lambda value: g.constant("float32", [], [value])
        scale = random.choice([number(1), number(0.5), g.constant("float32", [2, 1], [0.1, 3])])
        beyond = random.choice([{}, {}, {"saturation": 0, "has_inf": 1}, {"saturation": 0, "has_nan": 1}])
        g.node("qonnx.custom_op.general.FloatQuant",
               [x, scale, number(exponent), number(mantissa), number(bias), number(random.choice([448, 6, 57344, 1e30]))],
               rounding_mode=random.choice(MODES), signed=random.randint(0, 1), has_subnormal=random.randint(0, 1), **beyond)
    return g.result()
