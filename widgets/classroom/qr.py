"""A QR code of up to 106 bytes, drawn here: nobody else is asked. ISO/IEC 18004, byte mode, level M, versions 1 to 6.

>>> len(matrix(b"http://192.0.2.7:8000/class#BCDFGH"))  # version 3: 17 + 4·3
29
"""

from __future__ import annotations

from itertools import product

Grid = list[list[bool]]
# version -> (codewords of error correction in a block, codewords of data in each block)
BLOCKS = {1: (10, (16,)), 2: (16, (28,)), 3: (26, (44,)), 4: (18, (32, 32)), 5: (24, (43, 43)), 6: (16, (27,) * 4)}
LEVEL_M = 0b00
MASKS = (
    lambda r, c: (r + c) % 2, lambda r, c: r % 2, lambda r, c: c % 3, lambda r, c: (r + c) % 3,
    lambda r, c: (r // 2 + c // 3) % 2, lambda r, c: r * c % 2 + r * c % 3,
    lambda r, c: (r * c % 2 + r * c % 3) % 2, lambda r, c: ((r + c) % 2 + r * c % 3) % 2,
)  # fmt: skip


def matrix(text: bytes) -> Grid:
    """Rows of modules, true where dark, without the quiet zone (four modules of light all round)."""
    version = next((v for v, (_, data) in BLOCKS.items() if len(text) + 2 <= sum(data)), None)
    if version is None:
        raise ValueError(f"{len(text)} bytes are too many for this code")
    base, taken = _frame(version)
    _write(base, taken, _codewords(text, version))
    return min((_masked(base, taken, number) for number in range(8)), key=_penalty)


# ------------------------------------------------------------------------------------------------ what is said

_EXP = [1]
for _ in range(254):
    _EXP.append(_EXP[-1] << 1 ^ (0x11D if _EXP[-1] & 0x80 else 0))
_LOG = {value: at for at, value in enumerate(_EXP)}


def _times(a: int, b: int) -> int:
    return _EXP[(_LOG[a] + _LOG[b]) % 255] if a and b else 0


def _correction(data: list[int], many: int) -> list[int]:
    """The remainder of data·x^many by Π(x − 2^i)."""
    generator = [1]
    for i in range(many):
        generator = [a ^ _times(b, _EXP[i]) for a, b in zip([*generator, 0], [0, *generator], strict=True)]
    rest = [*data, *[0] * many]
    for at in range(len(data)):
        lead = rest[at]
        for i, factor in enumerate(generator):
            rest[at + i] ^= _times(factor, lead)
    return rest[-many:]


def _codewords(text: bytes, version: int) -> list[int]:
    many, sizes = BLOCKS[version]
    room = sum(sizes)
    bits = f"0100{len(text):08b}" + "".join(f"{byte:08b}" for byte in text)
    bits += "0" * min(4, 8 * room - len(bits))
    bits += "0" * (-len(bits) % 8)
    words = [int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)]
    words += [(0xEC, 0x11)[i % 2] for i in range(room - len(words))]
    blocks, at = [], 0
    for size in sizes:
        blocks.append(words[at : at + size])
        at += size
    corrections = [_correction(block, many) for block in blocks]
    mixed = [block[i] for i in range(max(sizes)) for block in blocks if i < len(block)]
    return mixed + [each[i] for i in range(many) for each in corrections]


# ---------------------------------------------------------------------------------------------- where it stands


def _frame(version: int) -> tuple[Grid, Grid]:
    """What every code of this size has, and which modules are taken by it."""
    size = 17 + 4 * version
    grid, taken = ([[False] * size for _ in range(size)] for _ in range(2))

    def put(r: int, c: int, dark: bool) -> None:
        if 0 <= r < size and 0 <= c < size:
            grid[r][c], taken[r][c] = dark, True

    for r0, c0 in ((0, 0), (0, size - 7), (size - 7, 0)):
        for r, c in product(range(-1, 8), range(-1, 8)):
            ring = max(abs(r - 3), abs(c - 3))
            put(r0 + r, c0 + c, ring in (0, 1, 3))
    for i in range(8, size - 8):
        put(6, i, i % 2 == 0)
        put(i, 6, i % 2 == 0)
    if version > 1:
        for r, c in product(range(-2, 3), range(-2, 3)):
            put(size - 7 + r, size - 7 + c, max(abs(r), abs(c)) != 1)
    for i in range(9):  # the format, written last
        put(8, i, grid[8][i])
        put(i, 8, grid[i][8])
    for i in range(8):
        put(8, size - 1 - i, False)
        put(size - 1 - i, 8, False)
    put(size - 8, 8, True)
    return grid, taken


def _write(grid: Grid, taken: Grid, words: list[int]) -> None:
    size = len(grid)
    bits = iter("".join(f"{word:08b}" for word in words))
    up = True
    for right in [*range(size - 1, 6, -2), 5, 3, 1]:
        for r in range(size - 1, -1, -1) if up else range(size):
            for c in (right, right - 1):
                if not taken[r][c]:
                    grid[r][c] = next(bits, "0") == "1"
        up = not up


def _masked(base: Grid, taken: Grid, number: int) -> Grid:
    size, rule = len(base), MASKS[number]
    grid = [[base[r][c] ^ (not taken[r][c] and rule(r, c) == 0) for c in range(size)] for r in range(size)]
    rest = told = LEVEL_M << 3 | number
    for _ in range(10):
        rest = rest << 1 ^ (0x537 if rest & 0x200 else 0)
    told = (told << 10 | rest) ^ 0x5412
    for i in range(15):  # from the lowest bit; twice, in case a corner is covered
        bit = bool(told >> i & 1)
        grid[i if i < 6 else i + 1 if i < 8 else size - 15 + i][8] = bit
        grid[8][size - 1 - i if i < 8 else 7 if i == 8 else 14 - i] = bit
    grid[size - 8][8] = True
    return grid


def _penalty(grid: Grid) -> int:
    """How hard it is to read, as the standard counts."""
    size, total = len(grid), 0
    columns = [list(column) for column in zip(*grid, strict=True)]
    for line in (*grid, *columns):
        run = 0
        for at, dark in enumerate(line):
            run = run + 1 if at and dark == line[at - 1] else 1
            total += 3 if run == 5 else 1 if run > 5 else 0
        text = "".join("01"[dark] for dark in line)
        total += 40 * sum(text.startswith(("10111010000", "00001011101"), at) for at in range(size - 10))
    for r, c in product(range(size - 1), range(size - 1)):
        total += 3 * (grid[r][c] == grid[r][c + 1] == grid[r + 1][c] == grid[r + 1][c + 1])
    share = 100 * sum(map(sum, grid)) / size**2
    return total + 10 * int(abs(share - 50) / 5)
