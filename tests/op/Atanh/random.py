from random_graph import unary


def graph(random):
    return unary(random, "Atanh", data="random -0.99 0.99")
