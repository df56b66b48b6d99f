from random_graph import RandomGraph

MODES = ["ROUND", "CEIL", "FLOOR", "UP", "DOWN", "HALF_UP", "HALF_DOWN"]


def graph(random):
    """Both forms; codes of the input's scale, with a zero point."""
    g = RandomGraph(random)
    for _ in range(14):
        rows, columns = random.randint(1, 3), random.randint(1, 4)
        scale, zero = random.choice([0.5, 1, 0.1, 3]), random.choice([0, 0, 4, -8])
        bits, fewer = random.randint(4, 10), random.randint(0, 4)
        number = lambda value: g.constant("float32", [], [value])
        x = g.input("float32", [rows, columns], [round(random.randint(-64, 64) * scale, 3) for _ in range(rows * columns)])
        inputs = [x, number(scale), number(zero), number(bits)]
        attributes = {"rounding_mode": random.choice(MODES)}
        if random.random() < 0.5:
            inputs.append(number(round(scale * 2**fewer, 3)))
            attributes |= {"signed": random.randint(0, 1), "narrow": random.randint(0, 1)}
        g.node("qonnx.custom_op.general.Trunc", [*inputs, number(bits - fewer)], **attributes)
    return g.result()
