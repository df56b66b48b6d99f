from random_graph import broadcast


def graph(random):
    return broadcast(random, "And", "bool", "random 0 1")
