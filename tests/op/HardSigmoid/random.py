from random_graph import unary


def graph(random):
    return unary(random, "HardSigmoid", alpha=(0.1, 0.5), beta=(0.1, 0.9))
