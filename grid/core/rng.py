"""Random numbers, each computed from the key of its episode and from what it is used for.

The final mixing function of SplitMix64 (Steele, Lea, Flood 2014) is applied to a key and a counter.
Numbers are not drawn one after another. Results therefore only depend on the seed, and not on the
size of the batch, the threads or the order of computation.
"""

from __future__ import annotations

import numpy as np

from voxpolis.grid.core.jit import inlined

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_S11, _TO_UNIT = np.uint64(11), 1.0 / (1 << 53)

# Number of streams (purposes). Numbers from different streams are independent.
STREAMS = 8


@inlined
def mix(word: np.uint64) -> np.uint64:
    """Scramble the bits of a 64-bit word."""
    word = (word ^ (word >> _S30)) * _A
    word = (word ^ (word >> _S27)) * _B
    return word ^ (word >> _S31)


@inlined
def episode_key(seed: int, episode: int) -> np.uint64:
    """Return the key for an episode of an environment."""
    return mix(mix(np.uint64(seed) + _GOLDEN) + np.uint64(episode) * _GOLDEN)


@inlined
def draw(key: np.uint64, step: int, stream: int, index: int) -> np.uint64:
    """Return a random 64-bit integer for a step and a purpose (``stream``) of random numbers."""
    counter = (np.uint64(step * STREAMS + stream) << _S32) + np.uint64(index)
    return mix(key + (counter + np.uint64(1)) * _GOLDEN)


@inlined
def below(word: np.uint64, bound: int) -> int:
    """Convert a random 64-bit integer to a number from 0 to ``bound`` - 1 (at most 2**32 - 1)."""
    return np.int64(((word >> _S32) * np.uint64(bound)) >> _S32)  # type: ignore[return-value]


@inlined
def happens(word: np.uint64, probability: float) -> bool:
    """Return True with the given probability, decided by a random 64-bit integer (``word``)."""
    return bool(np.float64(word >> _S11) * _TO_UNIT < probability)
