"""What all games of the grid share: packed tables, and what the package needs to be imported."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from tests.conftest import ROOT
from voxpolis.grid.core.arrays import Float2, Int1, Int2, Word1
from voxpolis.grid.core.jit import compiled
from voxpolis.grid.core.packing import pack, unpacker


class Place(NamedTuple):
    row: int
    slope: float


class Tables(NamedTuple):
    count: int
    empty: Int2
    numbers: Int1
    place: Place
    chances: Float2
    words: Word1
    limit: int


TABLES = Tables(
    count=3,
    empty=np.zeros((0, 5), np.int64),
    numbers=np.array([4, 5, 6]),
    place=Place(7, 0.5),
    chances=np.array([[0.25, 0.75], [1.5, 2.5]]),
    words=np.array([2**64 - 1, 1], np.uint64),
    limit=-9,
)
unpack = unpacker(Tables)


@compiled
def read(packed, out, words):
    """Write all fields into ``out`` and ``words``."""
    t = unpack(packed)
    out[0], out[1], out[2] = t.count, t.limit, t.place.row
    out[3], out[4] = t.place.slope, t.empty.shape[1] - t.empty.shape[0]
    for k in range(len(t.numbers)):
        out[5 + k] = t.numbers[k]
    for k in range(4):
        out[8 + k] = t.chances[k // 2, k % 2]
    for k in range(len(t.words)):
        words[k] = t.words[k]


def test_packed_tables_hold_every_field():
    out, words = np.zeros(12), np.zeros(2, np.uint64)
    read(pack(TABLES), out, words)
    assert out.tolist() == [3, -9, 7, 0.5, 5, 4, 5, 6, 0.25, 0.75, 1.5, 2.5]
    assert words.tolist() == [2**64 - 1, 1]


@pytest.mark.parametrize(
    "numbers", [np.zeros(3), np.zeros((1, 3), np.int64), np.zeros(3, np.int32)]
)
def test_an_array_of_another_type_is_not_packed(numbers):
    with pytest.raises(TypeError, match=r"an array of .* with . axes is not"):
        pack(TABLES._replace(numbers=numbers))


#: What a user of the library needs not have.
SPARED = ("matplotlib", "networkx", "openai", "pandas", "psutil", "rich", "scipy", "typer")


def test_the_library_needs_few_packages():
    """A batch and a ParallelEnv of each family, with all else out of reach."""
    program = f"""
import sys
from voxpolis import grid
for name in {SPARED}:
    sys.modules[name] = None
for name in ("exploration", "clean_up"):
    grid.make_vec(name, 2).text()
    grid.make(name).close()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
