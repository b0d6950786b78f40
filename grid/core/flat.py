"""What agents observe as rows of numbers, for libraries that take one box only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

#: log(1 + units) of each byte: a network sees 1 of 2 as well as 100 of 101.
_LOGARITHMS = np.log1p(np.arange(256)).astype(np.float32)


class FlatRows:
    """An observation of a batch as one array (B, N, F) float32: a row for each agent.

    In a row stand, in the order of the observation's names, all numbers that the agent observes:
    ``step`` as the part of the longest episode that has passed, bytes and the inventory as the
    logarithm of 1 + units, all others as they are. What all agents of an environment observe alike
    (``social``) stands in each of its rows.
    """

    def __init__(self, observed: Mapping[str, Any], agents: int, longest: int) -> None:
        """Make the rows; :meth:`fill` writes into them what the observation's arrays hold then."""
        self._observed = observed
        self._longest = longest
        batch = len(observed["step"])
        parts = [part.reshape(batch, *part.shape[1:2], -1) for part in self._parts()]
        widths = [part.shape[2] for part in parts]
        self.rows: npt.NDArray[np.float32] = np.zeros((batch, agents, sum(widths)), np.float32)
        self.fill()

    def fill(self) -> None:
        """Write what the observation's arrays hold now."""
        at = 0
        for part in self._parts():
            flat = part.reshape(*part.shape[:2], -1)
            self.rows[:, :, at : at + flat.shape[2]] = flat
            at += flat.shape[2]

    def _parts(self) -> Iterator[npt.NDArray[Any]]:
        """Arrays (B, N or 1, …), in the order of the observation's names."""
        for name, value in self._observed.items():
            if name == "step":
                yield (value / self._longest)[:, None, None]
            elif isinstance(value, Mapping):
                yield from (array[:, None].reshape(len(array), 1, -1) for array in value.values())
            elif value.dtype == np.uint8:
                yield _LOGARITHMS[value]
            else:
                yield np.log1p(value) if name == "inventory" else value
