from random_graph import reduction


def graph(random):
    return reduction(random, "ReduceSum")
