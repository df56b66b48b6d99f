from random_graph import broadcast


def graph(random):
    return broadcast(random, "Pow", data="random 0.5 2")
