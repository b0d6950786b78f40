"""Order of test files, and fixtures: a real embedded server for each module that asks for one."""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.commands import Launcher
from voxpolis.bridge import Bridge, MinecraftWorld
from voxpolis.bridge.protocol import Movement
from voxpolis.server import Rcon, ServerState, read_state
from voxpolis.server.state import read_password

ROOT = Path(__file__).resolve().parent.parent
BOTS = ["Anna", "Bert", "Cleo"]
UP = ["up", "--kind", "embedded", "--port", "0", "--rcon-port", "0"]
UP += ["--terrain", "superflat", "--strict"]


LAUNCHER = Launcher()


def run_module(
    *arguments: str, timeout: float = 200, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m …`` as a user types it; empty variables in ``environment`` are unset."""
    variables = {**os.environ, **environment}
    given = {name: value for name, value in variables.items() if value}
    return LAUNCHER.run(list(arguments), given, timeout)


def result_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return the ``--json`` output of a successful command."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# No deadline for examples, because their duration depends on the load of the machine.
settings.register_profile("voxpolis", deadline=None)
settings.load_profile("voxpolis")

# Write bytecode; otherwise each worker and command would recompile our hundreds of modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell makes background processes ignore Ctrl-C, and their children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Maximum length of a text in a test's name. Some texts have 50 million characters, and test names
# are sent between processes and put into the environment.
ID_LENGTH = 150


def pytest_make_parametrize_id(val: object) -> str | None:
    """Shorten a long text in a test's name to its beginning and its length."""
    if not isinstance(val, str | bytes) or len(val) <= ID_LENGTH:
        return None
    begins = val[:ID_LENGTH]
    text = begins if isinstance(begins, str) else begins.decode("latin-1")
    return f"{text.encode('unicode_escape').decode()}… of {len(val)}"


# Names in a test module which show that it starts processes.
STARTS = {"NotebookClient", "negotiated_run", "play_all", "run_module", "subprocess"}
# Slow modules that start no processes, from longest to shortest.
LONG = ("scenarios.test_items", "scenarios.test_citizen_kinds", "scenarios.test_taxation",
        "bots.test_styles", "scenarios.test_sentiment", "scenarios.test_reference",
        "grid.test_api", "scenarios.test_adasociety")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Alternate files with a Minecraft server and others that start processes; then the rest.

    Files are distributed to workers in this order, the rest from longest to shortest. Servers of
    different workers thus rarely compete for the cores, and all workers finish at about the same
    time.
    """
    names = [f"tests.{name}" for name in LONG]
    files: dict[ModuleType, list[pytest.Item]] = {}
    for item in items:
        assert isinstance(item, pytest.Function)
        files.setdefault(item.module, []).append(item)
    servers, processes, long, rest = [], [], {}, []
    for module, tests in files.items():
        asked = {name for test in tests for name in test.fixturenames}
        if asked & {"server", "own_server"}:
            servers.append(tests)
        elif STARTS & vars(module).keys() or "browser" in asked:
            processes.append(tests)
        elif module.__name__ in names:
            long[names.index(module.__name__)] = tests
        else:
            rest.append(tests)
    turns = itertools.zip_longest(servers, processes, fillvalue=[])
    rest = [*(long[place] for place in sorted(long)), *rest]
    items[:] = itertools.chain(*itertools.chain(*turns), *rest)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each of several test processes compile its share of all test modules for the others.

    In a new checkout, compilation takes as long as the rest of collection.
    """
    given = getattr(session.config, "workerinput", None)
    if given is None or session.config.args != session.config.getini("testpaths"):
        return
    number, count = int(given["workerid"].removeprefix("gw")), int(given["workercount"])
    for path in sorted((ROOT / "tests").rglob("test_*.py"))[number::count]:
        # Failing modules are imported again, and reported, during collection.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Share one launcher among all test processes, because it imports for five seconds."""
    node.workerinput["launcher"] = LAUNCHER.path


def pytest_configure(config: pytest.Config) -> None:
    """In a worker, use the shared launcher."""
    gc.disable()  # until collection is over, because collection creates no garbage
    if "launcher" in (given := getattr(config, "workerinput", {})):
        LAUNCHER.path = given["launcher"]


def pytest_collection_finish() -> None:
    """Exclude the half a million objects of tests and modules from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Collect garbage once; otherwise pytest does it five times, at one second each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def no_key() -> Iterator[None]:
    """Remove API keys, so that tests never reach a developer's model."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
            patch.delenv(name, raising=False)
        yield


@contextlib.contextmanager
def running_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerState]:
    """An embedded server on free ports, with the ``SERVER_OPTIONS`` of the requesting module."""
    folder = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXPOLIS_SERVER", str(folder))
        options = [*UP, "--owner", str(os.getpid()), *getattr(request.module, "SERVER_OPTIONS", ())]
        started = run_module("server", *options)
        assert started.returncode == 0, started.stderr
        state = read_state()
        assert state is not None
        yield state
        run_module("server", "down")


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerState]:
    """A running embedded server for a module's tests, found through VOXPOLIS_SERVER."""
    with running_server(request, tmp_path_factory) as state:
        yield state


def up(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Start a server that stores its world in a folder."""
    return run_module("server", *UP, "--world", str(folder), *options)


@pytest.fixture
def world_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder for the world of a server that the test starts itself."""
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    yield tmp_path / "world"
    run_module("server", "down")


@pytest.fixture
def own_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerState]:
    """A running embedded server for a single test, which may stop it."""
    with running_server(request, tmp_path_factory) as state:
        yield state


@contextlib.asynccontextmanager
async def entered(
    server: ServerState, *names: str, movement: Movement = "careful", **options: Any
) -> AsyncIterator[MinecraftWorld]:
    """Return bots with these names on a server; ``options`` are the bridge's."""
    rcon = Rcon(server.host, server.rcon_port, read_password())
    async with rcon, Bridge(server.clock(), **options) as bridge:
        world = MinecraftWorld(rcon, bridge, server.host, server.port)
        await world.enter(names, movement=movement)
        yield world


async def ask(*lines: str) -> list[str]:
    """Return the responses to commands sent to the server in VOXPOLIS_SERVER."""
    state = read_state()
    assert state is not None
    async with Rcon(state.host, state.rcon_port, read_password()) as rcon:
        return [await rcon.command(line) for line in lines]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(server):
    """Three bots on an empty platform."""
    async with entered(server, *BOTS) as world:
        await world.reset(["fill -10 150 -10 10 150 10 bedrock", "fill -10 151 -10 10 154 10 air"])
        for x, name in enumerate(BOTS):
            await world.edit(f"tp {name} {x}.5 151 0.5")
        yield world


@pytest.fixture
def anna(world):
    """The first of the three bots."""
    return world.bodies["Anna"]


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory):
    """Folder for the unpacked browser, shared by all modules."""
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="module")
def browser(unpacked):
    """A real headless browser."""
    from tests.browser import open_browser  # noqa: PLC0415  most tests need none

    with open_browser(unpacked) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Return a function that opens pages; afterwards check their console errors and requests."""
    from tests.browser import open_page  # noqa: PLC0415

    pages = []

    def open_one(path, hash="", **looks):
        page, complaints = open_page(browser, path.as_uri() + hash, **looks)
        pages.append((page, complaints))
        return page

    yield open_one
    for page, complaints in pages:
        page.close()
        assert complaints == []
