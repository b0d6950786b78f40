"""Runs the rules of games either as interpreted Python or as compiled code.

Rules are plain Python functions, and a single game can run them directly. For batches and long
games they are compiled with numba, which is only imported in that case. A game proceeds identically
either way. Machine code is cached in ``.voxpolis/numba``, in a folder that is named by a hash of
all sources. A copy of a checkout can therefore use the cache.
"""

from __future__ import annotations

import hashlib
import math
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType, FunctionType
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np

from voxpolis import environment

if sys.platform != "win32":
    import fcntl

GRID = Path(__file__).resolve().parent.parent
# Folders that contain rules.
RULES = ("adasociety", "commons", "core")

Function = TypeVar("Function", bound=Callable[..., Any])


def _hash_of_sources() -> str:
    """Return a hash of the sources of all rules. Numba itself would only check the file in which a
    function is defined.
    """
    digest = hashlib.sha256()
    for folder in RULES:
        for path in sorted((GRID / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_HASH = _hash_of_sources()
_CACHE = Path(environment.STATE) / "numba" / _HASH


# --- Rules ---------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """How numba compiles a function.

    Attributes:
        options: arguments of ``numba.njit``.
        is_kept: whether the machine code is cached.
        compiles_s: how long compilation takes in CPU seconds, if the function is a kernel.
        make: a function that creates the compiled version; None if numba compiles the function.
    """

    options: dict[str, Any]
    is_kept: bool = True
    compiles_s: float = 0.0
    make: Callable[[], Any] | None = None


_RULES: dict[Any, _Rule] = {}


def kernel(compiles_s: float) -> Callable[[Function], Function]:
    """Register a kernel, which is a compiled function that Python calls. ``compiles_s`` says how
    long its compilation takes in CPU seconds.
    """

    def register(function: Function) -> Function:
        _RULES[function] = _Rule({"inline": "never"}, compiles_s=compiles_s)
        return function

    return register


def compiled(function: Function) -> Function:
    """Register a function that is compiled as a separate function."""
    return _register(function, {"inline": "never"})


def inlined(function: Function) -> Function:
    """Register a small function of the innermost loops. Its code is copied into its callers."""
    return _register(function, {"inline": "always"})


def joined(function: Function) -> Function:
    """Register a large function that has a single caller. LLVM copies its code into that caller.

    Otherwise every call would copy the four hundred numbers that make up the tables and the state.
    """
    return _register(function, {"inline": "never", "forceinline": True})


def inlined_from_source(source: str, name: str, names: dict[str, Any]) -> Any:
    """Create a function from generated source code, and register it like :func:`inlined`.

    ``names`` are the globals of the function. Its machine code is cached as part of the functions
    that contain it.
    """
    exec(source, names)
    _RULES[names[name]] = _Rule({"inline": "always"}, is_kept=False)
    return names[name]


def compiled_by(make: Callable[[], Any]) -> Callable[[Function], Function]:
    """Register a function in whose place compiled code calls the result of ``make``."""

    def register(function: Function) -> Function:
        _RULES[function] = _Rule({}, is_kept=False, make=make)
        return function

    return register


def _register(function: Function, options: dict[str, Any]) -> Function:
    _RULES[function] = _Rule(options)
    return function


# --- Interpretation ------------------------------------------------------------------------------

# CPU seconds that this process has spent interpreting each kernel.
_SPENT_S: Counter[Any] = Counter()
# CPU seconds needed to import numba and load machine code.
LOADING_S = 0.5


def interpret(rule: Function) -> Function:
    """Return an interpreted version of a kernel, in which numbers may overflow silently."""

    def interpreted(*args: Any) -> Any:
        began = time.thread_time()
        with np.errstate(all="ignore"):  # 64-bit words may overflow
            result = rule(*args)
        _SPENT_S[rule] += time.thread_time() - began  # type: ignore[assignment]
        return result

    return interpreted  # type: ignore[return-value]


def is_worthwhile(rule: Any) -> bool:
    """Return True if this process should use the machine code of a kernel from now on.

    Nobody knows how long a game will be played. A kernel is therefore interpreted until
    interpreting it has taken as long as loading or compiling its machine code would take. At most
    half of the time is then wasted.
    """
    spent_s = _SPENT_S[rule]
    return spent_s >= LOADING_S and (spent_s >= _RULES[rule].compiles_s or is_kept(rule))


# --- Compilation ---------------------------------------------------------------------------------

_TWINS: dict[Any, Any] = {}
_ONE_THREAD = threading.RLock()


def _twin(rule: Any) -> Any:
    """Return numba's version (dispatcher) of a function.

    The functions call each other by name. The compiled version of a function has the same code, but
    its globals refer to the compiled versions of the other functions.
    """
    if rule not in _TWINS:
        new = [one for one in _RULES if one not in _TWINS]
        names = {id(one.__globals__): dict(one.__globals__) for one in new}
        for one in new:
            _TWINS[one] = _make_twin(one, names[id(one.__globals__)])
        for own in names.values():
            own |= {
                name: _TWINS[value]
                for name, value in own.items()
                if isinstance(value, FunctionType) and value in _TWINS
            }
    return _TWINS[rule]


def _make_twin(rule: FunctionType, names: dict[str, Any]) -> Any:
    """Compile a function without numba's reference counting.

    The functions neither create nor keep arrays. With reference counting, a call with a state of
    twenty arrays would count each of them; in a measurement, such calls took 5 times as long.
    """
    import numba  # noqa: PLC0415  (only where rules are compiled)

    how = _RULES[rule]
    if how.make is not None:
        return how.make()
    function = FunctionType(rule.__code__, names, rule.__name__, rule.__defaults__)
    options = {"nogil": True, "_nrt": False, "error_model": "numpy", **how.options}
    # Python calls only kernels, because each entry point would have to unpack tables and state.
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": not how.compiles_s}
    compiles: Any = numba.njit
    twin = compiles(**options)(function)
    if how.is_kept:
        twin._cache = _cache_class()(function)
    return twin


@cache
def _cache_class() -> Any:
    """Return a version of numba's function cache that uses our folder and the hash of all
    sources.
    """
    from numba.core import caching  # noqa: PLC0415

    numbas: Any = caching

    class Locator(numbas._CacheLocator):  # type: ignore[misc]
        def __init__(self, function: FunctionType, file: str) -> None:
            self._function, self._py_file = function, file

        @classmethod
        def from_function(cls, function: FunctionType, file: str) -> Locator:
            return cls(function, file)

        def get_cache_path(self) -> str:
            return str(_CACHE)

        def get_source_stamp(self) -> str:
            return _HASH

        def get_disambiguator(self) -> str:
            return self._function.__module__

    class Kept(numbas.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Cache(numbas.FunctionCache):  # type: ignore[misc]
        _impl_class = Kept

        def load_overload(self, *args: Any) -> Any:
            with suppress(OSError):
                return super().load_overload(*args)

        def save_overload(self, *args: Any) -> None:
            with suppress(OSError):  # the disk is full or read-only
                super().save_overload(*args)

    return Cache


def is_kept(rule: Any, types: Any = None) -> bool:
    """Return True if numba would load a function's machine code from the cache in this process.

    ``types`` are the types of its arguments; None means any types.
    """
    if not any(_CACHE.glob(f"*.{rule.__name__}-{rule.__module__}.py*.nbi")):
        return False  # do not import numba
    import numba  # noqa: PLC0415

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    twin = _twin(rule)
    code = twin._cache._index_key(None, twin.targetctx.codegen())[1:]
    kept = twin._cache._cache_file._load_index()
    return any(key[1:] == code and types in (None, key[0]) for key in kept)


def machine_code(rule: Any, *args: Any) -> Any:
    """Load or compile the machine code of a kernel for arguments like ``args``, and return the
    code.

    If ``NUMBA_DISABLE_JIT`` is set, the kernel is interpreted instead.
    """
    import numba  # noqa: PLC0415

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return interpret(rule)
    with _ONE_THREAD:
        twin = _twin(rule)
        types = tuple(twin.typeof_pyval(value) for value in args)
        if types in twin.overloads:
            return twin
        if is_kept(rule, types):
            twin.compile(types)
            return twin
        with _interruptible(), _compile_lock() as lock:
            if is_kept(rule, types):
                twin.compile(types)
            else:
                with _notices(rule, lock):
                    twin.compile(types)
        return twin


# --- Waiting for compilation ---------------------------------------------------------------------

# Interval in seconds between progress messages.
SAYS_EVERY_S = 5.0
# Time limits in seconds for waiting until another process has compiled: in total, and without a
# sign of life.
MOST_WAITED_S, SILENT_S = 60.0, 10.0
# Interval in seconds between signs of life of a compiling process.
BEATS_EVERY_S = 1.0


@contextmanager
def _compile_lock() -> Iterator[Path | None]:
    """Let one process at a time compile. Other processes wait, and then load the cached result.

    The wait is limited, because a stopped process would never finish. The context manager yields
    the file that this process has locked, or None if the wait was too long or files cannot be
    locked.
    """
    lock = _CACHE / "compiling.lock"
    try:
        _CACHE.mkdir(parents=True, exist_ok=True)
        file = lock.open("a+")
    except OSError:  # the disk is read-only
        yield None
        return
    with file:
        yield lock if _is_locked(file) else None


def _is_locked(file: IO[str]) -> bool:
    """Lock a file until it is closed or the process ends. Return False if the file cannot be
    locked.
    """
    if sys.platform == "win32":
        return False
    began = alive = time.monotonic()
    said, sign = -math.inf, 0.0
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.truncate(0)
            print(os.getpid(), file=file, flush=True)
            return True
        now, last_sign = time.monotonic(), os.fstat(file.fileno()).st_mtime
        if last_sign != sign:
            alive, sign = now, last_sign
        if now - began > MOST_WAITED_S or now - alive > SILENT_S:
            return False
        if now - said > SAYS_EVERY_S:
            file.seek(0)
            _say(f"waiting for process {file.read().strip()} to compile the grid's rules")
            said = now
        time.sleep(0.1)


@contextmanager
def _notices(rule: Any, lock: Path | None) -> Iterator[None]:
    what, began = f"compiling the grid's rules ({rule.__name__})", time.monotonic()
    _say(f"{what} for this machine (only once): about {_RULES[rule].compiles_s:.0f} s")
    is_over = threading.Event()

    def watch() -> None:
        said = began
        while not is_over.wait(BEATS_EVERY_S):
            with suppress(OSError):
                if lock is not None:
                    os.utime(lock)
            now = time.monotonic()
            if now - said >= SAYS_EVERY_S - BEATS_EVERY_S / 2:
                said = now
                _say(f"{what}: {now - began:.0f} s so far")

    thread = threading.Thread(target=watch, name="compiling", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C end a compilation at once, with a KeyboardInterrupt.

    Event loops only handle signals when their code awaits, which never happens during compilation.
    In addition, LLVM swallows exceptions that are raised while it calls Python, and numba then
    fails later with another error.
    """
    numbers = [
        number
        for number in (signal.SIGINT, signal.SIGTERM)
        if threading.current_thread() is threading.main_thread()
        and callable(signal.getsignal(number))
    ]
    told: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        told.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    except Exception:
        if not told:
            raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if told:
        raise KeyboardInterrupt
