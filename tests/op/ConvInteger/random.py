from random_graph import RandomGraph, convolution


def graph(random):
    g = RandomGraph(random)
    for image, weights, attributes in convolution(random):
        inputs = [g.input("uint8", image, "random 0 255"), g.constant("uint8", weights, "random 0 255")]
        if random.random() < 0.6:
            inputs.append(g.constant("uint8", [], [random.randint(0, 255)]))
        g.node("ConvInteger", inputs, **attributes)
    return g.result()
