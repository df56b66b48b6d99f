"""What the random.py of the operators' folders share: a graph in the text form, node by node."""


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def attribute(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(str(v) for v in value) + "]"
    return f"float {value}" if isinstance(value, float) else str(value)


class RandomGraph:
    def __init__(self, random):
        self.random = random
        self.values, self.nodes, self.outputs, self.lines = [], [], [], []

    def add(self, kind, dtype, shape, data):
        name = f"x{len(self.values)}"
        quant = "" if dtype.startswith("float") else f" integer {'u' if dtype[0] in 'ub' else 's'}{dtype.lstrip('uint') if dtype != 'bool' else 8}"
        self.values.append(f"{kind} %{name} : {dtype}[{','.join(str(s) for s in shape)}]{quant}")
        if not isinstance(data, str):
            data = " ".join(str(v) for v in data)
        if data:
            self.lines.append(f"{name} = {data}")
        return name

    def input(self, dtype, shape, data="random -2 2"):
        return self.add("input", dtype, shape, data)

    def constant(self, dtype, shape, data="random -2 2"):
        return self.add("constant", dtype, shape, data)

    def sizes(self, name, values):
        """A constant of sizes, axes or positions."""
        return self.constant("int64", [len(values)], values)

    def node(self, op, inputs, outputs=1, types="?", **attributes):
        name = f"n{len(self.outputs)}"
        names = [name] if outputs == 1 else [f"{name}_{i}" for i in range(outputs)]
        operands = ", ".join("_" if i is None else f"%{i}" for i in inputs)
        text = ", ".join(f"{k} = {attribute(v)}" for k, v in attributes.items())
        self.nodes.append(f"{name}: {', '.join('%' + n for n in names)} = {op}({operands}){' {' + text + '}' if text else ''}")
        types = [types] * outputs if isinstance(types, str) else types
        self.nodes += [f"    {',' if i else ':'} {types[i]}" for i in range(outputs)]
        self.outputs += names

    def shape(self, least=1, most=4, elements=48):
        while True:
            shape = [self.random.randint(1, 5) for _ in range(self.random.randint(least, most))]
            if product(shape) <= elements:
                return shape

    def result(self):
        graph = ['weir 1', 'graph "g" from "g"', *self.values, *self.nodes, *(f"output {o} = %{o}" for o in self.outputs)]
        return "\n".join(graph) + "\n", "".join(line + "\n" for line in self.lines)


def broadcast(random, op, dtype="float32", data="random -2 2", count=8):
    """Two operands of shapes that broadcast."""
    g = RandomGraph(random)
    for _ in range(count):
        shape = g.shape(0, 4)
        operands = []
        for cut in (0, random.randint(0, len(shape))):
            operands.append([1 if random.random() < 0.3 else s for s in shape[cut:]])
        random.shuffle(operands)
        g.node(op, [g.input(dtype, s, data) for s in operands])
    return g.result()


def unary(random, op, data="random -4 4", **choices):
    """Of random shapes, with attributes out of ranges of real numbers."""
    g = RandomGraph(random)
    for _ in range(4):
        attributes = {k: round(random.uniform(*v), 3) for k, v in choices.items() if random.random() < 0.7}
        g.node(op, [g.input("float32", g.shape(0, 4, 24), data)], **attributes)
    return g.result()


def along_axis(random, op):
    """Along any axis, from either end."""
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4)
        g.node(op, [g.input("float32", shape, "random -9 9")], axis=random.randrange(-len(shape), len(shape)))
    return g.result()


def extreme_index(random, op):
    """Few different values, so that many are equal."""
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4)
        axis, keep = random.randrange(len(shape)), random.randint(0, 1)
        kept = shape[:axis] + [1] * keep + shape[axis + 1 :]
        types = f"int64[{','.join(str(s) for s in kept)}] integer s64 range=[0,{shape[axis] - 1}]"
        x = g.input("float32", shape, [random.randint(-3, 3) for _ in range(48)])
        g.node(op, [x], types=types, axis=axis - random.choice([0, len(shape)]), keepdims=keep, select_last_index=random.randint(0, 1))
    return g.result()


def reduction(random, op):
    """Any axes from either end, with and without the dimensions."""
    g = RandomGraph(random)
    for _ in range(8):
        shape = g.shape(1, 4)
        axes = random.sample(range(len(shape)), random.randint(0, len(shape)))
        axes = [a - len(shape) if random.random() < 0.4 else a for a in axes]
        inputs = [g.input("float32", shape)] + ([g.sizes("axes", axes)] if axes else [])
        g.node(op, inputs, keepdims=random.randint(0, 1), noop_with_empty_axes=random.randint(0, 1))
    return g.result()


def window(random, rank, dilate=True):
    """Sizes and attributes of a window that lies in its image: (image, kernel, attributes)."""
    kernel = [random.randint(1, 3) for _ in range(rank)]
    dilations = [random.randint(1, 2) if dilate else 1 for _ in range(rank)]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    image = [random.randint(r, r + 3) for r in reach]
    attributes = {"kernel_shape": kernel}
    if random.random() < 0.7:
        attributes["strides"] = [random.randint(1, 3) for _ in range(rank)]
    if random.random() < 0.25:
        attributes["auto_pad"] = random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        dilations = [1] * rank
    elif random.random() < 0.6:
        attributes["pads"] = [random.randint(0, (k - 1) * d // 2) for k, d in zip(kernel * 2, dilations * 2)]
    if max(dilations) > 1:
        attributes["dilations"] = dilations
    return image, kernel, attributes


def pool(random, op, **choices):
    g = RandomGraph(random)
    for _ in range(8):
        image, _, attributes = window(random, random.choice([1, 2, 2, 3]))
        attributes |= {k: random.choice(v) for k, v in choices.items()}
        g.node(op, [g.input("float32", [random.randint(1, 2), random.randint(1, 2), *image])], **attributes)
    return g.result()


def convolution(random, count=8):
    """(image, weights, attributes) of convolutions with groups."""
    for _ in range(count):
        rank = random.choice([1, 2, 2, 3])
        image, kernel, attributes = window(random, rank)
        group, share, outputs = random.choice([1, 1, 2, 3]), random.randint(1, 2), random.randint(1, 2)
        if group > 1:
            attributes["group"] = group
        yield [random.randint(1, 2), group * share, *image], [group * outputs, share, *kernel], attributes


def matrices(random):
    """Shapes of two matrices, perhaps in batches that broadcast."""
    rows, inner, columns = (random.randint(1, 5) for _ in range(3))
    batch = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    a = [1 if random.random() < 0.3 else s for s in batch] + [rows, inner]
    b = batch[random.randint(0, len(batch)) :] + [inner, columns]
    return a, b
