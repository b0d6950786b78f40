"""Observations as one row of numbers for each agent, for libraries that accept a single box."""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.grid.core.arrays import Int2, Row1, Row3
from voxpolis.grid.core.jit import kernel
from voxpolis.grid.core.packing import Packed

# log(1 + units) of each byte, so that a network can distinguish 1 from 2 as well as 100 from 101.
_LOGARITHMS = np.log1p(np.arange(256)).astype(np.float32)
# How numbers become floats: unchanged, as log(1 + units), or as a fraction of the longest episode.
PLAIN, LOGARITHM, FRACTION = range(3)
# Number of words of windows that are compared at once.
CHUNK = 32


class FlatRows:
    """The observation of a batch as one array (B, N, F) float32, with a row for each agent.

    A row contains all numbers that the agent observes, in the order of the observation's names.
    ``step`` is given as a fraction of the maximum length. Bytes and the inventory are given as
    log(1 + units). All other numbers are unchanged. Values that all agents of an environment share
    (``social``) are repeated in each row of that environment.
    """

    def __init__(
        self, observed: Mapping[str, Any], state: Packed, agents: int, longest: int
    ) -> None:
        """Allocate the rows for observations that are views of the packed state. Only arrays that
        are the same in all environments may lie outside the state.
        """
        start = state.ctypes.data
        parts, constants, column = [], [], 0
        for name, array, is_shared in _parts(observed):
            steps = (*array.strides[1 if is_shared else 2 :], array.itemsize)
            count = array[0].size if is_shared else array[0, 0].size
            kind = {"step": FRACTION, "inventory": LOGARITHM}.get(name, PLAIN)
            kind = LOGARITHM if array.dtype == np.uint8 else kind
            own = (0 if is_shared else array.strides[1], steps[-2] if count > 1 else steps[0])
            code = _CODES[array.dtype.type]
            if array.strides[0]:
                offset = array.ctypes.data - start
                parts.append((offset, code, array.strides[0], *own, count, kind, column))
            else:
                constants.append((column, array[0].ravel()))
            column += count
        window = observed["window"]
        size = window[0, 0].size
        shape = (len(window), agents, column + size)
        self.rows: npt.NDArray[np.float32] = np.zeros(shape, np.float32)
        for at, numbers in constants:
            self.rows[:, :, at : at + len(numbers)] = numbers
        self._parts = np.array(parts, np.int64)
        self._window = (window.ctypes.data - start) // state.itemsize
        self._seen = np.zeros(-(-window.size // (CHUNK * 8)) * CHUNK, np.int64)
        self._longest = longest

    def fill(self, run: Callable[..., None]) -> None:
        """Copy the current values of the observation into the rows. ``run`` runs a kernel."""
        arrays = (self._parts, self._window, self._seen, _LOGARITHMS, self.rows)
        run(fill_rows, *arrays, self._longest)


_CODES = {np.uint8: 1, np.int32: 4, np.int64: 8, np.float64: 0}


def _parts(observed: Mapping[str, Any]) -> Iterator[tuple[str, npt.NDArray[Any], bool]]:
    """Yield the name and the array of each part except the window, and whether agents share it."""
    for name, value in observed.items():
        if isinstance(value, Mapping):
            yield from ((name, array, True) for array in value.values())
        elif name != "window":
            yield name, value, name == "step"


@kernel(3)
def fill_rows(
    tables: Packed,
    state: Packed,
    scratch: Packed,
    low: int,
    high: int,
    parts: Int2,
    window: int,
    seen: Packed,
    logarithms: Row1,
    rows: Row3,
    longest: int,
) -> None:
    """Fill the rows (B, N, F) of the environments ``low`` to ``high`` - 1.

    A row of ``parts`` says where an array is in the state: its offset, its type, the distances in
    bytes to the next environment, agent (0: shared) and element, its length per agent, how its
    numbers become floats, and its column. The windows start at word ``window`` of the state.
    ``seen`` contains the windows of the last call; only words that have changed are written.
    """
    floats, smalls = state.view(np.float64), state.view(np.int32)
    octets = state.view(np.uint8)
    agents, first = rows.shape[1], parts[-1, 5] + parts[-1, 7]
    width = rows.shape[2] - first
    for b in range(low, high):
        for p in range(len(parts)):
            offset, code, by_env, by_agent, by_element, count, kind, column = parts[p]
            for i in range(agents if by_agent else 1):
                at = offset + b * by_env + i * by_agent
                row = rows[b, i, column : column + count]
                if code == 0:
                    for k in range(count):
                        row[k] = floats[(at + k * by_element) >> 3]
                elif code == 8:
                    for k in range(count):
                        row[k] = state[(at + k * by_element) >> 3]
                elif code == 4:
                    for k in range(count):
                        row[k] = smalls[(at + k * by_element) >> 2]
                else:
                    for k in range(count):
                        row[k] = octets[at + k * by_element]
                if kind == LOGARITHM:
                    for k in range(count):
                        is_small = row[k] < len(logarithms)
                        row[k] = logarithms[int(row[k])] if is_small else np.log1p(row[k])
                elif kind == FRACTION:
                    row[0] /= longest
            if not by_agent:
                shared = rows[b, 0, column : column + count]
                for i in range(1, agents):
                    row = rows[b, i, column : column + count]
                    for k in range(count):
                        row[k] = shared[k]
    size, margin = agents * width, rows.shape[2] - width
    first_word, last_word = low * size // 8, -(-high * size // 8)
    flat, windows = rows.reshape(rows.size), octets[8 * window : 8 * window + len(rows) * size]
    for start in range(first_word, last_word, CHUNK):
        new = state[window + start : window + min(start + CHUNK, last_word)]
        old = seen[start : start + len(new)]
        changed = 0
        for k in range(len(new)):
            changed |= new[k] ^ old[k]
        if not changed:
            continue
        row = 8 * start // width
        for k in range(len(new)):
            if new[k] == old[k]:
                continue
            old[k] = new[k]
            byte = 8 * (start + k)
            while byte >= (row + 1) * width:
                row += 1
            at = row * margin + byte + first
            if byte + 8 <= (row + 1) * width:
                source, target = windows[byte : byte + 8], flat[at : at + 8]
                for j in range(8):
                    target[j] = logarithms[source[j]]
                continue
            for j in range(min(8, len(windows) - byte)):  # the word contains the end of a window
                after = margin if byte + j >= (row + 1) * width else 0
                flat[at + j + after] = logarithms[windows[byte + j]]
