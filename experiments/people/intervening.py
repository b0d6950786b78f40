"""The commands of whoever does something to a run: ``tell``, ``change``, ``pause``, ``go-on``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from voxpolis.experiments.run.options import UsageError, configure
from voxpolis.experiments.run.registry import scenario
from voxpolis.front import USAGE_ERROR
from voxpolis.records.interventions import VISITOR, Action, ask_for_pause, intervene, live_record
from voxpolis.records.text import say, say_error


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("agent")
@click.argument("text")
@click.option("--by", default=VISITOR, help=f"Who speaks. [default: {VISITOR}]")
@click.option("--whisper", is_flag=True, help="The agent notices it, and hears nobody.")
@click.option("--ask", is_flag=True, help="A question outside of the game, which it forgets.")
@click.option("--remember", is_flag=True, help="With --ask: it remembers that it was asked.")
def tell(
    run: Path, agent: str, text: str, by: str, whisper: bool, ask: bool, remember: bool
) -> None:
    """Tell an agent something while it plays, or ask it something; the record says so."""
    action: Action = "whisper" if whisper else "say"
    if ask:
        action = "interview" if remember else "ask"
    with _told_in_one_line():
        if (whisper and ask) or (remember and not ask):
            raise UsageError("--whisper tells, --ask asks: one of the two, --remember with --ask")
        intervene(run, agent, action, by, text)
    done = (
        "is asked; its answer is an event of the run"
        if ask
        else "is told within a second of the game's time, or before its next turn"
    )
    say(f"{agent} {done}")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("setting", metavar="KEY=VALUE")
@click.option("--by", default=VISITOR, help=f"Who changes it. [default: {VISITOR}]")
def change(run: Path, setting: str, by: str) -> None:
    """Change a setting of a run while it goes on; its record says so."""
    with _told_in_one_line():
        _check_value(run, setting)
        intervene(run, "", "set", by, setting)
    say(f"{setting}: within a second of the game's time")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", default=VISITOR, help=f"Who wants that. [default: {VISITOR}]")
def pause(run: Path, by: str) -> None:
    """Let the game of a run stand still; its record says so."""
    with _told_in_one_line():
        is_at_once = ask_for_pause(run, pauses=True, by=by)
    when = "" if is_at_once else " before the next question to a mind"
    say(f"the game stands still{when}; to go on: python -m experiments go-on {run}")


@click.command(name="go-on")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", default=VISITOR, help=f"Who wants that. [default: {VISITOR}]")
def go_on(run: Path, by: str) -> None:
    """Let the game of a run that pauses go on."""
    with _told_in_one_line():
        ask_for_pause(run, pauses=False, by=by)
    say("the game goes on")


def _check_value(run: Path, setting: str) -> None:
    """Refuse what the scenario of a run cannot be set to.

    Raises:
        UsageError: it is no value of that setting.
        ValueError: there is no run that goes on.
    """
    manifest = live_record(run).manifest
    key, separator, _ = setting.partition("=")
    if separator and key.strip() in (manifest.get("changeable") or ()):
        settings = scenario(str(manifest.get("scenario"))).settings
        configure(settings, {}, [setting], recorded=manifest.get("config") or {})


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    """Turn what cannot be done into one line and exit code 2."""
    try:
        yield
    except (ValueError, UsageError) as error:
        say_error(error)
        sys.exit(USAGE_ERROR)
