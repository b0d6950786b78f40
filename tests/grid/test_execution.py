"""Execution of the grid's rules, interpreted or compiled."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT, run_module
from tests.grid_playing import GAMES
from voxpolis.grid.adasociety.step import step_many
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.commons.game import commons_names
from voxpolis.grid.core import jit, workers
from voxpolis.grid.core.packing import pack
from voxpolis.grid.registry import make_vec

ALL_GAMES = [*GAMES, *commons_names()]
STEPS, LENGTH = 60, 50


# --- Interpreted and compiled rules are equivalent -----------------------------------------------


def played(name: str, seed: int, execution: str, observations: str):
    """Return all results and states of a game, step by step, for mostly legal actions."""
    changes = {"ending": {"least": 5, "interval": 3, "chance": 0.2, "most": LENGTH}}
    if name in GAMES:
        changes = {"length": LENGTH}
    batch = make_vec(
        name, 2, execution=execution, observations=observations, action_masks=True, **changes
    )
    chance = np.random.default_rng(seed)
    seen, info = batch.reset(seed=seed)
    yield seen, info, batch.state
    for step in range(STEPS):
        mask = info["action_mask"]
        wishes = mask * chance.random(mask.shape) + chance.random(mask.shape) / 10
        if step == STEPS // 2 and isinstance(batch, VectorGame):
            batch.set_inventory(0, batch.names.resources[0], 1)
        seen, *rest, info = batch.step(wishes.argmax(2))
        yield seen, rest, info, batch.state


def differences(one, other, where=""):
    if isinstance(one, dict):
        one, other = sorted(one.items()), sorted(other.items())
    if isinstance(one, tuple | list):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from differences(a, b, f"{where}/{number}")
    elif isinstance(one, str):
        assert one == other
    elif (one.dtype, one.shape) != (other.dtype, other.shape) or one.tobytes() != other.tobytes():
        yield where


@pytest.mark.parametrize(
    ("name", "observations"),
    [*((name, "window") for name in ALL_GAMES), ("exploration", "map"), ("social-dynamic", "map")],
)
def test_interpreted_and_compiled_rules_give_the_same_results(name, observations):
    seed = ALL_GAMES.index(name)
    interpreted = played(name, seed, "interpreted", observations)
    compiled = played(name, seed, "compiled", observations)
    for step, (one, other) in enumerate(zip(interpreted, compiled, strict=True)):
        assert list(differences(one, other)) == [], step


def test_switching_to_machine_code_does_not_change_a_game(monkeypatch):
    asked = iter([False] * 7 + [True] * 100)
    monkeypatch.setattr(workers, "is_worthwhile", lambda _: next(asked))
    changing = played("contract-hard", 3, "auto", "window")
    for one, other in zip(changing, played("contract-hard", 3, "compiled", "window"), strict=True):
        assert list(differences(one, other)) == []
    assert next(asked, None)


def test_no_type_of_action_array_causes_recompilation():
    batch = make_vec("clean_up", 2)
    batch.reset(seed=0)
    kernel = jit._twin(sys.modules["voxpolis.grid.commons.step"].step_many)
    before = len(kernel.overloads)
    read_only = np.zeros(batch.rewards.shape, np.int32)
    read_only.flags.writeable = False
    unaligned = np.zeros(4 * batch.rewards.size + 1, np.uint8)[1:].view(np.int32)
    for actions in (read_only, unaligned.reshape(batch.rewards.shape)):
        batch.step(actions)
    assert len(kernel.overloads) == before


# --- Processes without cached machine code -------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout that has our sources, an empty state folder and no machine code."""
    for path in ROOT.iterdir():
        if not path.name.startswith((".", "runs")):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / ".voxpolis").mkdir()
    installed = ROOT / ".voxpolis" / "install.json"
    if installed.exists():
        shutil.copy(installed, tmp_path / ".voxpolis")
    return tmp_path


def python(folder: Path, program: str, *words: str, **variables: str) -> tuple[str, str]:
    """Run a program there; return the last line of its output, and its messages."""
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1], done.stderr


PLAY = """
import runpy, sys
module, *_ = sys.argv = sys.argv[1:]
try:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert not end.code, end.code
print("numba" in sys.modules)
"""


@pytest.mark.parametrize(
    "words",
    [
        ("scenarios.double_vein", "--world", "grid"),
        ("scenarios.commons", "--game", "clean_up"),
    ],
)
def test_playing_a_single_game_does_not_import_numba(checkout, words):
    last, said = python(checkout, PLAY, *words)
    assert (last, "compil" in said) == ("False", False)


def test_rules_are_interpreted_if_numba_may_not_compile():
    program = (
        "import grid, numba\n"
        "from grid.commons.step import step_many\n"
        "from grid.core import jit\n"
        "batch = grid.make_vec('clean_up', 2)\n"
        "batch.reset(seed=0)\n"
        "for action in (1, 7, 1):\n"
        "    batch.step(batch.rewards.astype('int32') * 0 + action)\n"
        "jit._SPENT_S[step_many] = jit.LOADING_S\n"
        "assert jit.is_worthwhile(step_many) != numba.config.DISABLE_JIT\n"
        "print(batch.state.plane.sum())\n"
    )
    compiled, _ = python(ROOT, program, NUMBA_DISABLE_JIT="")
    assert python(ROOT, program, NUMBA_DISABLE_JIT="1") == (compiled, "")


def test_a_copied_checkout_loads_the_copied_machine_code(checkout):
    for name, observations in (("exploration", "map"), ("clean_up", "window")):
        make_vec(name, 1, observations=observations).reset(seed=0)
    (checkout / "grid").unlink()
    shutil.copytree(ROOT / "grid", checkout / "grid", copy_function=shutil.copyfile)
    shutil.copytree(jit._CACHE, checkout / ".voxpolis" / "numba" / jit._CACHE.name)
    program = (
        "from grid import warmup\n"
        "from grid.core import jit\n"
        "warmup.main()\n"
        "print(jit.GRID, sum(sum(twin.stats.cache_misses.values()) for rule, twin in\n"
        "    jit._TWINS.items() if hasattr(twin, 'stats')))\n"
    )
    last, said = python(checkout, program)
    assert (last, said) == (f"{checkout / 'grid'} 0", "")


def test_a_kernel_is_compiled_if_the_cache_is_not_writable(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setattr(jit, "_CACHE", tmp_path / "file" / "none")

    @jit.kernel(1)
    def add(one, other):
        return one + other

    assert jit.machine_code(add, 1, 2)(3, 4) == 7
    assert capsys.readouterr().err.count("compiling") == 1
    assert not jit.is_kept(add)


# --- Waiting for compilation ---------------------------------------------------------------------


@contextlib.contextmanager
def holder(lock: Path, *, beats: bool):
    """Start a process that locks a file, and gives signs of life or is stopped."""
    program = (
        "import os, sys, time; from pathlib import Path; from grid.core import jit\n"
        "lock = Path(sys.argv[1]); file = lock.open('a+'); assert jit._is_locked(file)\n"
        "print('locked', flush=True)\n"
        "while True: os.utime(lock); time.sleep(0.05)\n"
    )
    words = [sys.executable, "-c", program, str(lock)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "locked\n"
            if not beats:
                process.send_signal(signal.SIGSTOP)
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("beats", [True, False])
def test_waiting_for_another_compiling_process_is_limited(tmp_path, monkeypatch, capsys, beats):
    """It does not wait for a stopped process, and only for a limited time for a working one."""
    monkeypatch.setattr(jit, "_CACHE", tmp_path)
    monkeypatch.setattr(jit, "MOST_WAITED_S", 1.2 if beats else 60)
    monkeypatch.setattr(jit, "SILENT_S", 60 if beats else 0.5)
    monkeypatch.setattr(jit, "SAYS_EVERY_S", 0.4)
    with holder(tmp_path / "compiling.lock", beats=beats) as process:
        began = time.monotonic()
        with jit._compile_lock() as lock:
            assert lock is None
        assert time.monotonic() - began < 20
        lines = capsys.readouterr().err.splitlines()
        assert set(lines) == {f"waiting for process {process.pid} to compile the grid's rules"}
        assert len(lines) > beats
    with jit._compile_lock() as lock:
        assert lock == tmp_path / "compiling.lock"
        assert lock.read_text() == f"{os.getpid()}\n"


def test_compiling_prints_progress_messages(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(jit, "SAYS_EVERY_S", 0.1)
    monkeypatch.setattr(jit, "BEATS_EVERY_S", 0.05)
    (lock := tmp_path / "lock").touch()
    os.utime(lock, (1, 1))
    said = ""
    with jit._notices(step_many, lock):
        while said.count("so far") < 2:
            said += capsys.readouterr().err
    assert said.startswith("compiling the grid's rules")
    assert lock.stat().st_mtime > 1


INTERRUPTED = """
import sys
from voxpolis.grid.core import workers
from voxpolis.experiments import __main__
import runpy
workers.is_worthwhile = lambda kernel: True
sys.argv = ["scenarios.double_vein", "--world", "grid"]
runpy.run_module("scenarios.double_vein", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_during_compilation_raises_keyboard_interrupt(checkout):
    words = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(
        words, cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            lines = []
            for line in process.stderr:
                lines.append(line)
                if "so far" in line and "compiling" in line:
                    process.send_signal(signal.SIGINT)
                    sent = time.monotonic()
        finally:
            process.kill()
    assert process.returncode == 130, lines
    assert "interrupted" in lines[-1]
    assert "failed" not in "".join(lines)
    assert time.monotonic() - sent < 15


def test_warmup_compiles_all_kernels():
    done = run_module("grid.warmup")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    kernels = [
        rule
        for rule, how in jit._RULES.items()
        if how.compiles_s and rule.__module__.startswith("voxpolis.grid.")
    ]
    assert len(kernels) == 4
    assert all(jit.is_kept(kernel) for kernel in kernels)


def test_an_array_of_the_wrong_type_is_refused():
    tables = make_vec("exploration", 1).tables
    for wrong in (tables.capacity.astype(np.int32), tables.capacity[0]):
        with pytest.raises(TypeError, match=r"an array of .* with . axes does not match"):
            pack(tables._replace(capacity=wrong))


# Packages that users of the library do not need.
SPARED = ("matplotlib", "networkx", "openai", "pandas", "psutil", "rich", "scipy", "typer")


def test_the_library_needs_few_packages():
    """Use a batch and a ParallelEnv of each family, without all other packages."""
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
