from random_graph import unary


def graph(random):
    return unary(random, "Cosh")
