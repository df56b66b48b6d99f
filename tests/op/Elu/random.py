from random_graph import unary


def graph(random):
    return unary(random, "Elu", alpha=(0.5, 2.0))
