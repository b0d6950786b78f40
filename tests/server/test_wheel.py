"""The wheel, installed elsewhere, works from any folder without the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

from tests.conftest import ROOT, result_of

pytestmark = pytest.mark.timeout(600)  # the grid is compiled anew in an empty state folder

# Kinds of data files in packages.
DATA = {".css", ".html", ".ipynb", ".js", ".json", ".md", ".mjs", ".npz", ".ts", ".txt"}
DATA |= {".yaml", ".yml"}


@dataclass(frozen=True)
class Install:
    """Wheel in a separate environment, and a user's folder elsewhere."""

    wheel: Path
    bin: Path
    home: Path
    work: Path

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one of the environment's commands, like a user without the checkout."""
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.bin / arguments[0]), *arguments[1:]],
            cwd=self.work,
            env={**kept, "XDG_STATE_HOME": str(self.home / "state"), **variables},
            capture_output=True,
            text=True,
            timeout=580,
            check=False,
        )


@pytest.fixture(scope="module")
def install(tmp_path_factory):
    """Build the wheel from git's files and install it, without downloads."""
    folder = tmp_path_factory.mktemp("wheel")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).split("\0"):
        copy = folder / "source" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            copy.symlink_to((ROOT / name).readlink())
        elif (ROOT / name).is_file():
            copy.write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    offline = ["--quiet", "--no-deps", "--no-index"]
    build = [*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*build, str(folder / "source")], check=True)
    (wheel,) = folder.glob("voxpolis-*.whl")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", str(python), "install", *offline, str(wheel)], check=True)
    # The dependencies are already installed here. Their folder is added as a path, so its .pth
    # files (among them that of an editable voxpolis) are not read.
    (own,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (own / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "work").mkdir()
    return Install(wheel, python.parent, folder, folder / "work")


def test_the_wheel_contains_all_package_files_and_no_tests(install):
    names = set(zipfile.ZipFile(install.wheel).namelist())
    source = install.home / "source"
    kept = {source / "tests", source / "voxpolis"}
    rooms = {path.parent for path in source.glob("*/__init__.py")} - kept
    assert len(rooms) >= 10
    for room in rooms:
        files = [path for path in room.rglob("*") if path.suffix in DATA | {".py"}]
        paths = {path.relative_to(source) for path in files}
        wanted = {f"voxpolis/{path.as_posix()}" for path in paths if "test" not in path.parts}
        assert wanted - names == set()
    assert not [name for name in names if "/tests/" in name or "/test/" in name]
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if "-" not in top} == {"voxpolis"}


def test_a_scenario_can_be_played_from_any_folder(install):
    result = result_of(install.run("voxpolis", "double_vein", "--world", "grid", "--json"))
    assert result["runs"][0]["welfare"] > 0
    assert (install.work / result["run_dir"] / "result.json").exists()
    assert sorted(path.name for path in install.work.iterdir()) == ["runs"]
    assert {path.name for path in (install.home / "state").glob("*")} <= {"voxpolis"}


GAME = '''"""A game of a package's own."""

from voxpolis.scenarios.double_vein import DoubleVein


class Theirs(DoubleVein):
    name = "theirs"
'''
AGENT = '''from voxpolis.bots.agents.code_writer import CodeWriter


class Mine(CodeWriter):
    """Writes as all do."""
'''


def test_the_wheel_works_with_a_users_packages_and_files(install):
    """It works even if the user's folders have the same names as our packages."""
    (own,) = (install.home / "venv" / "lib").glob("python*/site-packages")
    (own / "their_package.py").write_text(GAME)
    (own / "their_agents.py").write_text(AGENT)
    about = own / "their_package-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[voxpolis.scenarios]\ntheirs = their_package:Theirs\n"
        "[voxpolis.agents]\nmine = their_agents:Mine\n"
    )
    for room in ("experiments", "analysis", "server", "grid"):
        (install.work / room).mkdir()
        (install.work / room / "__init__.py").write_text("raise SystemExit('not ours')\n")
    game = install.work / "my_game.py"
    game.write_text(GAME.replace("theirs", "my_game"))
    on_grid = ["--world", "grid", "--json", "--contract", "2"]
    theirs = install.run("voxpolis", "theirs", *on_grid, "--agent", "mine")
    mine = install.run("voxpolis", "run", "my_game.py", *on_grid)
    for done, name in ((theirs, "theirs"), (mine, "my_game")):
        result = result_of(done)
        assert (result["scenario"], result["runs"][0]["welfare"]) == (name, 78)
    assert "theirs" in install.run("voxpolis", "experiments", "matrix").stdout


def test_the_wheel_lists_scenarios_and_commands(install):
    listed = install.run("voxpolis")
    assert listed.returncode == 0, listed.stderr
    words = {line.split()[0] for line in listed.stdout.splitlines() if line.startswith("  ")}
    assert words >= {"analysis", "double_vein", "grid", "install", "server", "taxation"}
    assert "__main__" not in words
    assert "double_vein     Double-Vein: two players" in listed.stdout
    assert "python -m" not in listed.stdout
    version = install.run("voxpolis", "--version")
    assert (version.returncode, version.stdout) == (0, f"voxpolis {metadata.version('voxpolis')}\n")


@pytest.mark.parametrize("word", ["nonsense", "../grid"])
def test_an_unknown_command_gives_one_line(install, word):
    refused = install.run("voxpolis", word)
    expected = f"error: unknown command {word!r}; for a list: voxpolis --help\n"
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", expected)


def test_minecraft_commands_say_how_to_install_what_they_need(install):
    none = install.run("voxpolis", "server", "status")
    expected = "no server is running; start one with: voxpolis server up"
    assert (none.returncode, none.stdout.strip()) == (1, expected)
    free = ["--kind", "embedded", "--port", "0", "--rcon-port", "0"]
    missing = install.run("voxpolis", "server", "up", *free)
    assert missing.returncode == 2
    expected = "error: the Node packages are not installed; run: voxpolis install"
    assert missing.stderr.splitlines()[-1] == expected


def linked(source, target):
    """Link a file, or copy it from another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def test_a_server_starts_once_the_node_packages_are_installed(install):
    """`voxpolis install` puts the packages next to the wheel's scripts; here links do."""
    project = install.home / "state" / "voxpolis" / "project"
    free = ["--kind", "embedded", "--port", "0", "--rcon-port", "0", "--terrain", "superflat"]
    install.run("voxpolis", "server", "up", *free)
    lock = (project / "package-lock.json").read_bytes()
    assert lock == (ROOT / "package-lock.json").read_bytes()
    packages = (ROOT / "node_modules").resolve()
    shutil.copytree(packages, project / "node_modules", symlinks=True, copy_function=linked)
    mark = (
        "from voxpolis import environment as e; e._write_state({'fingerprint': e._fingerprint()})"
    )
    assert install.run("python", "-c", mark).returncode == 0
    started = install.run("voxpolis", "server", "up", *free)
    try:
        assert started.returncode == 0, started.stderr
        played = install.run("voxpolis", "double_vein", "--contract", "1", "--json")
        assert played.returncode == 0, played.stderr
        assert json.loads(played.stdout)["runs"][0]["welfare"] > 0
    finally:
        assert install.run("voxpolis", "server", "down").returncode == 0
