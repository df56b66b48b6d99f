from random_graph import extreme_index


def graph(random):
    return extreme_index(random, "ArgMin")
