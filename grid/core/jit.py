"""How kernels are compiled, and where the machine code is kept."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

import numba

import environment

if sys.platform != "win32":
    import fcntl

GRID = Path(__file__).resolve().parent.parent
#: Where there are compiled functions.
KERNELS = ("adasociety", "commons", "core")

Function = TypeVar("Function", bound=Callable[..., Any])


def _sources() -> str:
    """Changes with any source of a kernel: numba itself looks at the function's own file only."""
    digest = hashlib.sha256()
    for folder in KERNELS:
        for path in sorted((GRID / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_CACHE = Path(environment.STATE) / "numba" / _sources()


def compiled(function: Function) -> Function:
    """Compile a function of a kernel; machine code is kept in ``.voxpolis/numba``.

    Without numba's counting of references: nothing in a kernel makes or keeps an array, and a call
    with a state of twenty arrays would count each of them (measured: 5 times slower).
    """
    return _compile(function, "never", cache=True)


def inlined(function: Function) -> Function:
    """The same, for small functions that are called in the innermost loops."""
    return _compile(function, "always", cache=True)


def joined(function: Function) -> Function:
    """The same, for a large function with one caller: it becomes a part of that one's machine code.

    Or else every call would copy the four hundred numbers that tables and state consist of.
    """
    return _compile(function, "never", cache=True, forceinline=True)


def inlined_from_source(source: str, name: str, names: dict[str, Any]) -> Any:
    """The same, for a function whose source text was generated: ``names`` are its globals.

    Its machine code is kept with the functions that it is inlined into.
    """
    exec(source, names)
    return _compile(names[name], "always", cache=False)


def _compile(
    function: Function, inline: str, *, cache: bool, forceinline: bool = False
) -> Function:
    config: Any = numba.config
    options: dict[str, Any] = {"nogil": True, "_nrt": False, "error_model": "numpy"}
    options |= {"inline": inline, "forceinline": forceinline}
    before, config.CACHE_DIR = config.CACHE_DIR, str(_CACHE)
    try:
        result: Function = numba.njit(cache=cache, **options)(function)
    except RuntimeError:  # nowhere to keep it: a read-only disk
        result = numba.njit(**options)(function)
    finally:
        config.CACHE_DIR = before
    return result


def get_ready() -> None:
    """Import what numba imports when it loads the first kernel, which takes half a second."""
    compile_one: Any = numba.njit(_nothing)
    compile_one()


def _nothing() -> None:
    """What is compiled so that numba is ready."""


def is_kept(function: Any) -> bool:
    """Whether machine code of a function is kept, made by this interpreter of these sources."""
    source = Path(function.py_func.__code__.co_filename)
    name = f"{source.stem}.{function.py_func.__name__}-*.py{sys.version_info[0]}"
    return any(_CACHE.glob(f"{source.parent.name}_*/{name}{sys.version_info[1]}.nbi"))


@cache
def tell_of_compiling() -> None:
    """Tell people, once, why nothing happens for a while."""
    print("compiling the grid's rules for this machine, once: about 20 s", file=sys.stderr)


@contextmanager
def first_call(function: Any) -> Iterator[None]:
    """Around a kernel's first call in this process, which compiles it or loads its machine code.

    Of several processes one compiles it, and the others wait, and load what that one kept. Where
    files cannot be locked, each compiles its own.
    """
    if not is_kept(function):
        tell_of_compiling()
    with ExitStack() as held:
        with suppress(OSError):  # a read-only disk
            _CACHE.mkdir(parents=True, exist_ok=True)
            name = f"{function.__module__}.{function.__name__}.lock"
            _wait_for(held.enter_context((_CACHE / name).open("w")))
        yield


def _wait_for(file: IO[str]) -> None:
    """Lock a file until it is closed; the lock ends with the process, however that ends."""
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX)
