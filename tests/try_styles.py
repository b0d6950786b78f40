"""A model of each style plays each scenario in each world, by its command as a user types it.

``python -m tests.try_styles [--world minecraft] [--style strict] [--game taxation]`` starts an
endpoint and, for Minecraft, an embedded server, and prints a row for each cell. It ends with 1
where a cell fails: by 2 % of its decisions, by further calls, by a thought in what happened, or by
a result that does not show that agents acted. A
record that a scenario has a reading for is read by the same model.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from tests.endpoint import serving
from tests.playing_styles import (
    GAMES,
    LEARNING,
    READINGS,
    faults_of,
    most_again,
    reading_of,
    reread,
    scenario_of,
    words,
)
from tests.typed_endpoint import STYLES, deciding
from voxpolis.experiments.study.record_reading import CALLS

ROOT = Path(__file__).resolve().parent.parent
WORLDS = ("grid", "minecraft")
LIMIT_S = 600.0
#: Bots of Minecraft walk this much faster than a clock goes.
SPEED = 3
HEAD = """\
| game | world | style | decisions | further calls | failed | what was achieved |
|---|---|---|--:|--:|--:|---|"""


def _module(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )


@contextmanager
def server_of(worlds: Sequence[str], folder: Path) -> Iterator[None]:
    """Keep an embedded server of our own running, where a world needs it.

    Raises:
        RuntimeError: it does not start.
    """
    if "minecraft" not in worlds:
        yield
        return
    os.environ["VOXPOLIS_SERVER"] = str(folder)
    ports = ("--port", "0", "--rcon-port", "0", "--terrain", "superflat")
    up = _module("server", "up", "--kind", "embedded", *ports, "--speed", str(SPEED))
    if up.returncode:
        raise RuntimeError(up.stderr)
    try:
        yield
    finally:
        _module("server", "down")


def _is_read(game: str, style: str, printed: str, model: Sequence[str]) -> bool:
    """Whether the model reads the record of a game that was printed, and its answers count."""
    try:
        folder = Path(json.loads(printed.strip().splitlines()[-1])["run_dir"])
        found = json.loads(_module(reading_of(game), str(folder), "--json", *model).stdout)
        asked, again = reread((folder / CALLS).read_text(encoding="utf-8").splitlines())
        return READINGS[game](found) and again <= most_again(style) * asked + LEARNING
    except (IndexError, KeyError, OSError, TypeError, ValueError):
        return False


def try_cell(game: str, world: str, style: str, out: Path) -> tuple[bool, str]:
    """Play a game once; return whether it passes, and its row of the table."""
    with serving(deciding(style)) as endpoint:
        model = ("--base-url", endpoint.url, "--model", "local", "--out", str(out), "--json")
        done = _module(f"scenarios.{scenario_of(game)}", *words(game, world), *model)
        is_read = game not in READINGS or _is_read(game, style, done.stdout, model[:4])
    row = f"| {game} | {world} | {style} |"
    try:
        result = json.loads(done.stdout.strip().splitlines()[-1])
        asked, failed = result["decisions"]["asked"], result["decisions"]["failed"]
        causes = result["decisions"]["asked_again"].values()
        again = sum(count for one in causes for count in one.values())
        achieved = GAMES[game].achieved(result["runs"][0])
        faults = faults_of(game, style, result, Path(result["run_dir"]))
    except (IndexError, KeyError, TypeError, ValueError):
        why = (done.stderr.strip() or done.stdout.strip() or "nothing").splitlines()[-1]
        return False, f"{row} | | | FAILS: {why} |"
    fails = [
        *(["its exit code is not 0"] if done.returncode else []),
        *faults,
        *([] if is_read else ["its record was not read"]),
    ]
    told = f"{achieved}{'; FAILS: ' if fails else ''}{', '.join(fails)}"
    return not fails, f"{row} {asked} | {again} | {failed} | {told} |"


@click.command()
@click.option("--world", "worlds", multiple=True, type=click.Choice(WORLDS), default=WORLDS)
@click.option("--style", "styles", multiple=True, type=click.Choice([*STYLES]), default=[*STYLES])
@click.option("--game", "games", multiple=True, type=click.Choice([*GAMES]), default=[*GAMES])
def main(worlds: Sequence[str], styles: Sequence[str], games: Sequence[str]) -> None:
    """Let models of all styles play all scenarios in all worlds, or those that are named."""
    print(HEAD, flush=True)
    cells = [
        cell
        for cell in itertools.product(games, worlds, styles)
        if cell[1] in GAMES[cell[0]].worlds
    ]
    passed = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "server").mkdir()
        with server_of(worlds, folder / "server"):
            for game, world, style in cells:
                passes, row = try_cell(game, world, style, folder / "runs")
                passed += passes
                print(row, flush=True)
    minutes = (time.monotonic() - began) / 60
    print(f"\n{passed} of {len(cells)} pass, {minutes:.0f} min", flush=True)
    sys.exit(passed < len(cells))


if __name__ == "__main__":
    main()
