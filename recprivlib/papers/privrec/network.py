"""Many small networks at once, all of one shape: one for each phone of a cohort (eq. 1 of Wang et al. 2021).

    x₀ = [U; V]    x_l = φ(x_{l−1} W_l + b_l)    logit = x_L·w_o + b_o

U holds one vector for each field of the person, V the mean of the vectors of the item's features. Weights of M
phones lie in one (M, d) array, so a local step is a batched product. Two things keep it small: the half of the first
layer that sees the person is computed once a phone, and items with the same features are one input. (V is linear in
its vectors, so they meet the first layer before they meet the items.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recprivlib.protocols import Array


@dataclass(frozen=True)
class Activation:
    """φ in place, and its slope read off its value."""

    apply: Callable[[Array], Array]
    slope: Callable[[Array], Array]


def sigmoid(x: Array) -> Array:
    """1/(1+e^−x), in place and without overflow."""
    np.multiply(x, 0.5, out=x)
    np.tanh(x, out=x)
    x += 1
    x *= 0.5
    return x


ACTIVATIONS = {
    "relu": Activation(lambda x: np.maximum(x, 0, out=x), lambda y: y > 0),
    "sigmoid": Activation(sigmoid, lambda y: y * (1 - y)),
}


@dataclass(frozen=True)
class Shape:
    """The form of a network, the same on every phone."""

    fields: tuple[int, ...]  # how many values each field of a person can take
    features: int  # columns of the items' features
    embedding: int  # length of the vector of one value or feature
    hidden: tuple[int, ...]
    activation: str = "relu"

    @cached_property
    def blocks(self) -> tuple[tuple[int, ...], ...]:
        """The arrays in θ, in order: people's vectors, items' vectors, W₁ of either, b₁, W₂, b₂, …, w_o, b_o."""
        first, e = self.hidden[0], self.embedding
        later = [shape for a, b in zip(self.hidden, self.hidden[1:], strict=False) for shape in ((a, b), (1, b))]
        person = len(self.fields) * e
        return ((sum(self.fields), e), (self.features, e), (person, first), (e, first), (1, first), *later,
                (self.hidden[-1], 1), (1, 1))  # fmt: skip

    @cached_property
    def weights(self) -> int:
        """d, the number of weights."""
        return sum(math.prod(block) for block in self.blocks)

    @cached_property
    def offsets(self) -> Array:
        """Where the values of each field start among people's vectors."""
        return np.cumsum((0, *self.fields))[:-1].astype(np.int32)

    def parts(self, theta: Array) -> list[Array]:
        """Views of `theta` (M, d) as the arrays of `blocks`, each (M, …)."""
        out, start = [], 0
        for rows, columns in self.blocks:
            stop = start + rows * columns
            out.append(theta[:, start:stop].reshape(len(theta), rows, columns))
            start = stop
        return out

    def start(self, rng: np.random.Generator, zeros: float = 1.0) -> Array:
        """θ₀ (float32): vectors of unit variance, layers after He et al. 2015 (for φ = relu) or Glorot, biases zero.

        The last layer is weak and begins at the odds of one in 1 + `zeros`: else the first steps are long enough to
        push every unit of a narrow layer below zero, where nothing is learnt any more.
        """
        theta = np.zeros((1, self.weights))
        gain = 2.0 if self.activation == "relu" else 1.0
        people, items, by_person, by_item, _, *later = self.parts(theta)
        for block in (people, items):
            block[:] = rng.standard_normal(block.shape)
        inputs = (len(self.fields) + 1) * self.embedding
        for block, into in ((by_person, inputs), (by_item, inputs), *((w, w.shape[1]) for w in later[::2])):
            block[:] = rng.standard_normal(block.shape) * math.sqrt(gain / into)
        later[-2] *= 0.1
        later[-1] -= math.log(max(zeros, 0.1))
        return theta[0].astype(np.float32)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the networks of M phones look at."""

    people: Array  # int32 (M, fields): each person's values
    kinds: Array | None  # float (C, features), the distinct items; None: every item is its own feature


def logits(shape: Shape, theta: Array, inputs: Inputs) -> Array:
    """(M, C): the score of every kind of item on every phone."""
    return _forward(shape, shape.parts(theta), inputs)[1]


def gradient(shape: Shape, theta: Array, inputs: Inputs, likes: Array, total: Array) -> Array:
    """∇ of the cross-entropy Σ_c total·ln(1+e^z) − likes·z of every phone (eq. 2 with its sign): (M, d).

    `likes` and `total` (M, C) are the weights of ones, and of ones and zeros together.
    """
    parts = shape.parts(theta)
    layers, scores = _forward(shape, parts, inputs)
    out = np.empty_like(theta)
    into = shape.parts(out)
    slope, one = ACTIVATIONS[shape.activation].slope, np.ones((1, scores.shape[1]), theta.dtype)
    back = (total * sigmoid(scores) - likes)[:, :, None]
    for depth in range(len(layers) - 1, -1, -1):
        block = 5 + 2 * depth
        np.matmul(layers[depth].transpose(0, 2, 1), back, out=into[block])
        np.matmul(one, back, out=into[block + 1])
        back = back @ parts[block].transpose(0, 2, 1)
        back *= slope(layers[depth])
    _first_layer(shape, parts, into, inputs, back, one @ back)
    return out


def _forward(shape: Shape, parts: list[Array], inputs: Inputs) -> tuple[list[Array], Array]:
    people, items, by_person, by_item, bias, *later = parts
    activate = ACTIVATIONS[shape.activation].apply
    x = items @ by_item
    if inputs.kinds is not None:
        x = inputs.kinds @ x
    x += _persons(shape, people, inputs) @ by_person + bias
    layers = [activate(x)]
    for weight, shift in zip(later[:-2:2], later[1:-2:2], strict=True):
        x = layers[-1] @ weight
        x += shift
        layers.append(activate(x))
    return layers, (layers[-1] @ later[-2] + later[-1])[:, :, 0]


def _persons(shape: Shape, vectors: Array, inputs: Inputs) -> Array:
    """U: (M, 1, fields · embedding)."""
    phones = np.arange(len(inputs.people))[:, None]
    return vectors[phones, inputs.people + shape.offsets].reshape(len(phones), 1, -1)


def _first_layer(
    shape: Shape, parts: list[Array], into: list[Array], inputs: Inputs, back: Array, summed: Array
) -> None:
    people, items, by_person, by_item, *_ = parts
    seen = back if inputs.kinds is None else inputs.kinds.T @ back
    np.matmul(seen, by_item.transpose(0, 2, 1), out=into[1])
    np.matmul(items.transpose(0, 2, 1), seen, out=into[3])
    into[4][:] = summed
    np.matmul(_persons(shape, people, inputs).transpose(0, 2, 1), summed, out=into[2])
    into[0][:] = 0
    phones = np.arange(len(inputs.people))[:, None]
    felt = (summed @ by_person.transpose(0, 2, 1)).reshape(len(phones), len(shape.fields), shape.embedding)
    into[0][phones, inputs.people + shape.offsets] = felt
