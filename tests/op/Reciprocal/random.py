from random_graph import unary


def graph(random):
    return unary(random, "Reciprocal", "random 0.1 9")
