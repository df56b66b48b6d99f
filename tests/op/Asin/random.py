from random_graph import unary


def graph(random):
    return unary(random, "Asin", data="random -1 1")
