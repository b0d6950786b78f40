"""The commands that intervene in a run in progress: ``tell``, ``change``, ``pause``,
``continue``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from voxpolis.experiments.run.options import UsageError, configure
from voxpolis.experiments.run.registry import scenario
from voxpolis.front import USAGE_ERROR
from voxpolis.records.interventions import VISITOR, Action, ask_for_pause, intervene, live_run
from voxpolis.records.text import say, say_error


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("agent")
@click.argument("text")
@click.option("--by", default=VISITOR, help=f"Name of the speaker. [default: {VISITOR}]")
@click.option("--whisper", is_flag=True, help="Let the agent notice the text, without a speaker.")
@click.option(
    "--ask",
    is_flag=True,
    help="Ask the agent a question outside the game. The agent forgets the question.",
)
@click.option("--remember", is_flag=True, help="With --ask, let the agent remember the question.")
def tell(
    run: Path, agent: str, text: str, by: str, whisper: bool, ask: bool, remember: bool
) -> None:
    """Tell or ask an agent something while it plays.

    The record notes the intervention.
    """
    action: Action = "whisper" if whisper else "say"
    if ask:
        action = "interview" if remember else "ask"
    with _one_line_errors():
        if (whisper and ask) or (remember and not ask):
            raise UsageError("use either --whisper (tell) or --ask, and --remember only with --ask")
        intervene(run, agent, action, by, text)
    done = (
        "will be asked; its answer is an event of the run"
        if ask
        else "will be told within a second of game time, or before its next turn"
    )
    say(f"{agent} {done}")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("setting", metavar="KEY=VALUE")
@click.option("--by", default=VISITOR, help=f"Your name in the record. [default: {VISITOR}]")
def change(run: Path, setting: str, by: str) -> None:
    """Change a setting of a run in progress.

    The record notes the intervention.
    """
    with _one_line_errors():
        _check_value(run, setting)
        intervene(run, "", "set", by, setting)
    say(f"{setting}: effective within a second of game time")


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", default=VISITOR, help=f"Your name in the record. [default: {VISITOR}]")
def pause(run: Path, by: str) -> None:
    """Pause the game of a run in progress.

    The record notes the intervention.
    """
    with _one_line_errors():
        is_at_once = ask_for_pause(run, pauses=True, by=by)
    when = "" if is_at_once else " before the next question to a mind"
    say(f"the game pauses{when}; to continue: python -m experiments continue {run}")


@click.command(name="continue")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--by", default=VISITOR, help=f"Your name in the record. [default: {VISITOR}]")
def continue_(run: Path, by: str) -> None:
    """Continue a paused run."""
    with _one_line_errors():
        ask_for_pause(run, pauses=False, by=by)
    say("the game continues")


def _check_value(run: Path, setting: str) -> None:
    """Check that a setting of a run in progress can be changed to a value.

    Raises:
        UsageError: the value is invalid for the setting.
        ValueError: no run is in progress.
    """
    manifest, _ = live_run(run)
    key, separator, _ = setting.partition("=")
    if separator and key.strip() in (manifest.get("changeable") or ()):
        settings = scenario(str(manifest.get("scenario"))).settings
        configure(settings, {}, [setting], recorded=manifest.get("config") or {})


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Print an error in one line and exit with code 2."""
    try:
        yield
    except (ValueError, UsageError) as error:
        say_error(error)
        sys.exit(USAGE_ERROR)
