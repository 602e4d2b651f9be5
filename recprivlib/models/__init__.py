"""Model values and the numerics that several systems share. Nothing here knows a system.

similarity.py   Gram matrix, Jaccard, cosine
neighbours.py   ranked neighbour lists that a slider can re-slice
items.py        score = history × item-to-item weights (item-kNN, EASE, every local recommender)
factors.py      score = user factors · item factors, and one exact half-step of implicit ALS
constants.py    scores that know no taste: chance, one number an item
rows.py         from whole rows of scores to the pairs, candidates or catalogue that were asked for
"""
