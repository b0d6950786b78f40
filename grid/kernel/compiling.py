"""How the kernel is compiled, and where the result is kept."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

import environment

GRID = Path(__file__).resolve().parent.parent


def _sources() -> str:
    """Changes with any source of the grid: numba itself looks at the function's own file only."""
    digest = hashlib.sha256()
    for path in sorted(GRID.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_CACHE = Path(environment.STATE) / "numba" / _sources()


def compiled(function: Callable[..., Any], inline: str = "never") -> Any:
    """Compile a function of the kernel; machine code is kept in ``.voxpolis/numba``.

    Without numba's counting of references: nothing in the kernel makes or keeps an array, and a
    call with a state of twenty arrays would count each of them (measured: 5 times slower).
    """
    config: Any = numba.config
    njit: Any = numba.njit
    before, config.CACHE_DIR = config.CACHE_DIR, str(_CACHE)
    try:
        return njit(cache=True, nogil=True, _nrt=False, error_model="numpy", inline=inline)(
            function
        )
    except RuntimeError:  # nowhere to keep it: a read-only disk
        return njit(nogil=True, _nrt=False, error_model="numpy", inline=inline)(function)
    finally:
        config.CACHE_DIR = before


def inlined(function: Callable[..., Any]) -> Any:
    """The same, for small functions that are called in the innermost loops."""
    return compiled(function, inline="always")


def is_kept(function: Any) -> bool:
    """Whether machine code of a function is kept, made by this interpreter of these sources."""
    name = f"*.{function.py_func.__name__}-*.py{sys.version_info[0]}{sys.version_info[1]}.nbi"
    return any(_CACHE.rglob(name))
