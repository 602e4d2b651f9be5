"""The code on the wall says what it should: read back as ISO/IEC 18004 has it, by none of its own lines."""

from __future__ import annotations

import random

import pytest

from widgets.classroom.qr import matrix

MASKS = [  # table 10, in the standard's i (row) and j (column)
    "(i + j) % 2", "i % 2", "j % 3", "(i + j) % 3", "(i // 2 + j // 3) % 2", "(i * j) % 2 + (i * j) % 3",
    "((i * j) % 2 + (i * j) % 3) % 2", "((i + j) % 2 + (i * j) % 3) % 2",
]  # fmt: skip
SPLIT = {
    1: (10, [16]),
    2: (16, [28]),
    3: (26, [44]),
    4: (18, 2 * [32]),
    5: (24, 2 * [43]),
    6: (16, 4 * [27]),
}  # table 9, M
FORMATS = {  # table C.1, level M
    0b101010000010010: 0, 0b101000100100101: 1, 0b101111001111100: 2, 0b101101101001011: 3,
    0b100010111111001: 4, 0b100000011001110: 5, 0b100111110010111: 6, 0b100101010100000: 7,
}  # fmt: skip


def function(i: int, j: int, size: int) -> bool:
    """Whether a module is no data: finders with their formats, timing, the one alignment pattern."""
    corner = (i < 9 and j < 9) or (i < 9 and j >= size - 8) or (i >= size - 8 and j < 9)
    aligned = size > 21 and size - 9 <= i <= size - 5 and size - 9 <= j <= size - 5
    return corner or i == 6 or j == 6 or aligned


def read(grid: list[list[bool]]) -> bytes:
    """What a scanner reads, without correcting anything."""
    size = len(grid)
    version = (size - 17) // 4
    first = [grid[8][j] for j in (0, 1, 2, 3, 4, 5, 7, 8)] + [grid[i][8] for i in (7, 5, 4, 3, 2, 1, 0)]
    again = [grid[size - 1 - i][8] for i in range(7)] + [grid[8][size - 8 + j] for j in range(8)]
    assert first == again
    mask = compile(MASKS[FORMATS[int("".join("01"[bit] for bit in first), 2)]], "mask", "eval")
    bits = []
    columns = [j for j in range(size - 1, -1, -1) if j != 6]
    for k in range(0, len(columns), 2):
        rows = range(size) if k // 2 % 2 else range(size - 1, -1, -1)
        for i in rows:
            free = [j for j in columns[k : k + 2] if not function(i, j, size)]
            bits += [grid[i][j] ^ (eval(mask, {"i": i, "j": j}) == 0) for j in free]
    words = [int("".join("01"[bit] for bit in bits[at : at + 8]), 2) for at in range(0, len(bits) - 7, 8)]
    correction, sizes = SPLIT[version]
    blocks = [words[at :: len(sizes)] for at in range(len(sizes))]  # all of one size in these versions
    data = []
    for block, length in zip(blocks, sizes, strict=True):
        block = block[: length + correction]
        assert [syndrome(block, at) for at in range(correction)] == [0] * correction
        data += block[:length]
    stream = "".join(f"{word:08b}" for word in data)
    assert stream[:4] == "0100"  # bytes
    many = int(stream[4:12], 2)
    return bytes(int(stream[at : at + 8], 2) for at in range(12, 12 + 8 * many, 8))


def times(a: int, b: int) -> int:
    """Over GF(256) with x⁸ + x⁴ + x³ + x² + 1."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = (a << 1) ^ (0x11D if a & 0x80 else 0), b >> 1
    return product


def syndrome(words: list[int], at: int) -> int:
    """The polynomial at 2^at: 0 where no module is wrong."""
    root, value = 1, 0
    for _ in range(at):
        root = times(root, 2)
    for word in words:
        value = times(value, root) ^ word
    return value


@pytest.mark.parametrize("length", [1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106])
def test_what_the_code_says_is_read_back_in_every_size(length):
    text = bytes(random.Random(length).randrange(33, 127) for _ in range(length))
    assert read(matrix(text)) == text


def test_a_text_that_has_no_room_is_refused():
    with pytest.raises(ValueError, match="107 bytes"):
        matrix(107 * b"x")
