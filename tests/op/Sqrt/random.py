from random_graph import unary


def graph(random):
    return unary(random, "Sqrt", "random 0.1 9")
