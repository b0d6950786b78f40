"""What a run's end is called, and what people are told of decisions that failed.

An end is a result or none, a crash of code, or a fault of what was played on.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from voxpolis.bots.agents.person import PersonLeftError
from voxpolis.bots.models import ModelError, ReplayError
from voxpolis.bridge import BridgeError
from voxpolis.experiments.run.scenario import Entry, Scenario
from voxpolis.front import describe_error
from voxpolis.records import Record, RecordDiffersError, RunWriter, events
from voxpolis.records.text import many, say_error
from voxpolis.server import RconError
from voxpolis.worlds.protocol import FaultError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
# So many agents are named; the rest are counted.
MOST_NAMED = 5
# Of a traceback in the record, in letters: its end.
MOST_TRACED = 8000
# Where a greater share of all decisions failed, what was played is no result.
MOST_FAILED = 0.5
# What ends a run as a fault, besides crashes of code.
FAULTS = (FaultError, ModelError, BridgeError, RconError, RecordDiffersError, PersonLeftError)
# The roles that apply contracts and laws to everybody.
JUDGES = ("judge", "assess")


def run_to_end(main: Coroutine[Any, Any, int]) -> int:
    """Run, with Ctrl-C and a polite kill both ending the run in order; return the exit code."""
    try:
        return asyncio.run(_cancellable(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("interrupted; the record holds what happened so far", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as end:
        say_error(f"the code that was played ended the process, with the code {end.code!r}")
        return FAILED


async def _cancellable(main: Coroutine[Any, Any, int]) -> int:
    """Run, until it is over or the process is told to end.

    What does not end within :data:`GRACE_S`, such as an agent's code that never waits for anything,
    is interrupted, and at once by a second signal.
    """
    task, loop = asyncio.ensure_future(main), asyncio.get_running_loop()
    told: list[threading.Timer] = []

    def end(_number: int, _frame: object) -> None:
        if told:
            raise KeyboardInterrupt
        told.append(threading.Timer(GRACE_S, os.kill, (os.getpid(), signal.SIGTERM)))
        told[0].daemon = True
        told[0].start()
        loop.call_soon_threadsafe(task.cancel)

    before = signal.signal(signal.SIGTERM, end)
    try:
        return await task
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        for timer in told:
            timer.cancel()


def not_a_result(
    entries: Sequence[Entry], decisions: Mapping[str, Any], prepared: Scenario
) -> str | None:
    """Return why what was played is no result, where minds or agents never did anything."""
    unread = unusable(decisions)
    if not entries or not all("acted" in entry for entry in entries):
        return unread
    if all(entry["acted"] == [] for entry in entries):
        why = "no answer of its model could be used"
        why = why if decisions.get("failed") else "no mind was asked for anything that is done"
        return f"no agent ever acted: {why}"
    if not any(entry.get("sound", True) for entry in entries):
        return "the machine was too slow for the game in every run; see faults"
    if all(result is None for result in prepared.summary(entries).get("mean", {0: 0}).values()):
        why = "no answer of some models could be used"
        why = why if decisions.get("failed") else "some did nothing"
        return f"in no run did all agents act: {why}"
    return unread


def in_words(problem: Exception, recorded: Record | None) -> str:
    """Return what ended a run; of a replay that lacks an answer, also how the recorded one ended.

    What was asked when a fault ended that run was never answered.
    """
    faults = recorded.of(events.Fault) if isinstance(problem, ReplayError) and recorded else []
    why = f"; the recorded run ended by a fault: {faults[-1].message}" if faults else ""
    return f"{problem}{why}"


def crash_in_words(problem: BaseException) -> str:
    """Return what went wrong in the code of a scenario, or in ours, and where."""
    is_line = getattr(problem, "is_one_line", False)  # and names whose fault it is
    return str(problem) if is_line else describe_error(problem)


def note_crash(writer: RunWriter, problem: BaseException) -> str:
    """Record what went wrong in the code of a scenario, or in ours; return what, and where."""
    error = f"{crash_in_words(problem)} (--debug shows the traceback)"
    trace = "".join(traceback.format_exception(problem))[-MOST_TRACED:]
    writer.event(events.Fault, where="code", message=error, trace=trace)
    return error


def note_fault(writer: RunWriter, problem: Exception) -> None:
    """Record the faults that no part recorded itself."""
    kinds = (
        (ModelError, "model"),
        (BridgeError, "bridge"),
        (RconError, "server"),
        (PersonLeftError, "person"),
    )
    for kind, where in kinds:
        if isinstance(problem, kind):
            writer.event(events.Fault, where=where, message=str(problem))


def failed_decisions(decisions: Mapping[str, Any]) -> str:
    """Return in a line what failed, by agent and cause; empty where nothing did.

    ``decisions``: of a result, see :meth:`bots.models.Account.as_json`.
    """
    asked, failed = decisions.get("asked", 0), decisions.get("failed", 0)
    if not failed:
        return ""
    by_agent = {
        name: ", ".join(f"{cause} {count}" for cause, count in sorted(one["failed"].items()))
        for name, one in decisions["agents"].items()
        if one["failed"]
    }
    shown = [f"{name} ({causes})" for name, causes in list(by_agent.items())[:MOST_NAMED]]
    more = len(by_agent) - len(shown)
    shown += [f"{more} more"] if more else []
    share = f" ({failed / asked:.0%})" if asked else ""
    first = decisions.get("first_failed", "")
    why = f". The first: {first}" if first else ""
    return f"{failed} of {asked} decisions failed{share}: {'; '.join(shown)}{why}"


def asked_again(decisions: Mapping[str, Any]) -> str:
    """Return in a line what was asked again, how often and why; empty where nothing was.

    ``decisions``: of a result, see :meth:`bots.models.Account.as_json`.
    """
    again = decisions.get("asked_again", {})
    if not again:
        return ""
    calls = sum(sum(causes.values()) for causes in again.values())
    tokens = sum(decisions.get("asked_again_tokens", {}).values())
    roles = ", ".join(
        f"{role} ({', '.join(f'{cause} {count}' for cause, count in causes.items())})"
        for role, causes in again.items()
    )
    took = f", which took {tokens:,} tokens" if tokens else ""
    return f"{many(calls, 'further call')} for {decisions['asked']} decisions{took}: {roles}"


def notes_of(result: Mapping[str, Any]) -> list[str]:
    """Return what a result's reader must know of the minds, such as what they failed to decide."""
    minds = result.get("decisions", {})
    notes = failed_decisions(minds), asked_again(minds), left_out(result.get("runs", []))
    return [note for note in notes if note]


def unusable(decisions: Mapping[str, Any]) -> str | None:
    """Return why the minds of a run make it no result; None where they do not.

    So it is where more than :data:`MOST_FAILED` of all decisions failed, or where no answer of a
    judge could be used: nobody applied the contract, or the law.

    ``decisions``: of a result, see :meth:`bots.models.Account.as_json`.
    """
    asked, failed = decisions.get("asked", 0), decisions.get("failed", 0)
    if failed > MOST_FAILED * asked:
        return f"most decisions failed: {failed} of {asked}"
    never = [
        f"{role} ({one['asked']} asked)"
        for role, one in decisions.get("roles", {}).items()
        if role in JUDGES and one["failed"] >= one["asked"] > 0
    ]
    return f"no answer could be used of the {', '.join(never)}" if never else None


def left_out(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return in a line how many runs are in no mean, and why; or nothing.

    In some nobody acted, or somebody whom the game cannot do without; in others the machine was too
    slow for the game.
    """
    unsound = [run for run in runs if not run.get("sound", True)]
    sound = [run for run in runs if run.get("sound", True)]
    missing = [run for run in sound if "welfare" in run and run["welfare"] is None]
    idle = [run for run in sound if run.get("acted") == [] and run not in missing]
    causes = {
        "the machine was too slow": len(unsound),
        "some agent never acted": len(missing),
        "nobody acted": len(idle),
    }
    return "; ".join(
        f"{count} of {len(runs)} {'runs are' if len(runs) > 1 else 'run is'} in no mean: {cause}"
        for cause, count in causes.items()
        if count
    )


# --- What ends with whom: jobs with the process that started them, and what a process keeps open --

T = TypeVar("T")

# Names the process that a job is played for.
VARIABLE = "VOXPOLIS_OWNER"
CHECK_S = 0.5
# How long a job has to close its record.
GRACE_S = 20.0


def end_with_owner() -> None:
    """End this process when the one that ``VOXPOLIS_OWNER`` names is no longer its parent."""
    owner = os.environ.pop(VARIABLE, "")
    if owner.isdecimal():
        threading.Thread(target=_watch, args=(int(owner),), daemon=True).start()


def _watch(owner: int) -> None:
    while os.getppid() == owner:
        time.sleep(CHECK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(1)


_kept = contextlib.ExitStack()


def until_exit(opening: contextlib.AbstractContextManager[T]) -> T:
    """Enter what stays open until this process ends, and return what it gives.

    Its end is asked for anew each time, since what was asked for last comes first: so it is closed
    before whatever it uses, such as a temporary folder.
    """
    entered = _kept.enter_context(opening)
    atexit.register(_kept.close)
    return entered
