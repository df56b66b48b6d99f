from random_graph import broadcast


def graph(random):
    return broadcast(random, "Xor", "bool", "random 0 1")
