from random_graph import RandomGraph


def graph(random):
    """1 to 3 spatial dimensions with groups, dilations, paddings of both ways, sizes of the result."""
    g = RandomGraph(random)
    for _ in range(10):
        rank = random.choice([1, 2, 2, 3])
        group, share, outputs = random.choice([1, 1, 2]), random.randint(1, 2), random.randint(1, 2)
        image = [random.randint(1, 4) for _ in range(rank)]
        kernel = [random.randint(1, 3) for _ in range(rank)]
        strides = [random.randint(1, 3) for _ in range(rank)]
        dilations = [random.randint(1, 2) for _ in range(rank)]
        attributes = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "group": group}
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        sizes = [s * (i - 1) + e for s, i, e in zip(strides, image, spans)]
        way = random.randint(0, 3)
        if way == 1:
            attributes["pads"] = [random.randint(0, (size - 1) // 2) for size in sizes * 2]
        elif way == 2:
            attributes["output_shape"] = [random.randint(max(1, size - 2), size) for size in sizes]
            attributes["auto_pad"] = random.choice(["SAME_UPPER", "SAME_LOWER"])
        elif way == 3:
            attributes["output_padding"] = [random.randint(0, max(s, d) - 1) for s, d in zip(strides, dilations)]
        inputs = [g.input("float32", [random.randint(1, 2), group * share, *image]),
                  g.constant("float32", [group * share, outputs, *kernel])]
        if random.random() < 0.5:
            inputs.append(g.constant("float32", [group * outputs]))
        g.node("ConvTranspose", inputs, **attributes)
    return g.result()
