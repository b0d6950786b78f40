"""How runs end: results, crashes and faults, and messages about decisions that failed."""

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
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from voxpolis.bots.agents.person import PersonLeftError
from voxpolis.bots.models import ModelError, ReplayError
from voxpolis.bridge import BridgeError
from voxpolis.experiments.run.scenario import NOBODY_ACTED, TOO_SLOW, Entry
from voxpolis.front import describe_error
from voxpolis.records import Record, RecordDiffersError, RunWriter, events
from voxpolis.records.text import many, say_error
from voxpolis.server import RconError
from voxpolis.server.autospeed import MAX_LATENESS
from voxpolis.worlds.protocol import FaultError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
# Maximum number of agents that a message names. Further agents are only counted.
MAX_NAMED = 5
# Characters of a traceback kept in the record, from its end.
MAX_TRACEBACK = 8000
# A run with a larger share of failed decisions has no valid result.
MAX_FAILED_SHARE = 0.5
# Errors that end a run as a fault, in addition to crashes of code.
FAULTS = (FaultError, ModelError, BridgeError, RconError, RecordDiffersError, PersonLeftError)


def run_to_end(main: Coroutine[Any, Any, int]) -> int:
    """Run a coroutine and return the exit code. Ctrl-C and SIGTERM end the coroutine in an orderly
    way.
    """
    try:
        return asyncio.run(_cancellable(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("interrupted; the record holds what happened so far", file=sys.stderr)
        return INTERRUPTED
    except SystemExit as end:
        say_error(f"the code of the scenario or an agent ended the process with code {end.code!r}")
        return FAILED


async def _cancellable(main: Coroutine[Any, Any, int]) -> int:
    """Run until the coroutine is done or the process receives a signal to end.

    Code that does not end within :data:`GRACE_S`, such as an agent that never awaits, is
    interrupted. A second signal interrupts at once.
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


def why_no_result(entries: Sequence[Entry], decisions: Mapping[str, Any]) -> str | None:
    """Return why a run failed although it was played to its end, or None.

    A run failed if most decisions failed, if all of its entries are excluded from means, or if at
    least one entry is excluded for a reason other than a slow machine.
    """
    reasons = [entry.get("excluded", []) for entry in entries]
    is_faulty = any(reason != TOO_SLOW for some in reasons for reason in some)
    told = []
    if entries and (is_faulty or all(reasons)):
        told.append(describe_excluded(entries))
        if all(NOBODY_ACTED in some for some in reasons):
            is_unusable = "none of its model's decisions was usable"
            told.append(is_unusable if decisions.get("failed") else "no mind was asked to act")
    return "; ".join(filter(None, [*told, why_unusable(decisions)])) or None


def describe_ending(problem: Exception, recorded: Record | None) -> str:
    """Describe what ended a run. If an answer was missing in a replay, also describe how the
    recorded run ended.

    An answer is missing if the question was not answered yet when a fault ended the recorded run.
    """
    faults = recorded.of(events.Fault) if isinstance(problem, ReplayError) and recorded else []
    why = f"; the recorded run ended with a fault: {faults[-1].message}" if faults else ""
    return f"{problem}{why}"


def describe_crash(problem: BaseException) -> str:
    """Describe an error in the code of a scenario or in our code, including its location."""
    is_line = getattr(problem, "is_one_line", False)  # the message names the responsible code
    return str(problem) if is_line else describe_error(problem)


def note_crash(writer: RunWriter, problem: BaseException) -> str:
    """Record an error in the code of a scenario or in our code. Return a description of the
    error.
    """
    error = f"{describe_crash(problem)} (--debug shows the traceback)"
    trace = "".join(traceback.format_exception(problem))[-MAX_TRACEBACK:]
    writer.event(events.Fault, where="code", message=error, trace=trace)
    return error


def note_fault(writer: RunWriter, problem: Exception) -> None:
    """Record a fault, unless the part of the program that failed has already done so."""
    kinds = (
        (ModelError, "model"),
        (BridgeError, "bridge"),
        (RconError, "server"),
        (PersonLeftError, "person"),
    )
    for kind, where in kinds:
        if isinstance(problem, kind):
            writer.event(events.Fault, where=where, message=str(problem))


def describe_failed_decisions(decisions: Mapping[str, Any]) -> str:
    """Summarise in one line, by agent and cause, the decisions that failed. The text is empty if
    none failed.

    ``decisions`` is the part of a result that :meth:`bots.models.Account.as_json` explains.
    """
    asked, failed = decisions.get("asked", 0), decisions.get("failed", 0)
    if not failed:
        return ""
    by_agent = {
        name: ", ".join(f"{cause} {count}" for cause, count in sorted(one["failed"].items()))
        for name, one in decisions["agents"].items()
        if one["failed"]
    }
    shown = [f"{name} ({causes})" for name, causes in list(by_agent.items())[:MAX_NAMED]]
    more = len(by_agent) - len(shown)
    shown += [f"{more} more"] if more else []
    share = f" ({failed / asked:.0%})" if asked else ""
    first = decisions.get("first_failed", "")
    why = f". The first: {first}" if first else ""
    return f"{failed} of {asked} decisions failed{share}: {'; '.join(shown)}{why}"


def describe_retries(decisions: Mapping[str, Any]) -> str:
    """Summarise in one line how many questions were repeated, and why. The text is empty if there
    were none.

    ``decisions`` is the part of a result that :meth:`bots.models.Account.as_json` explains.
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
    """Return notes about the minds, such as failed decisions, for people who read a result."""
    minds = result.get("decisions", {})
    notes = (
        describe_failed_decisions(minds),
        describe_retries(minds),
        describe_excluded(result.get("runs", [])),
        describe_pace(result.get("runs", [])),
    )
    return [note for note in notes if note]


def why_unusable(decisions: Mapping[str, Any]) -> str | None:
    """Return why so many decisions failed that the result of a run is invalid, or None if it is
    valid.

    A result is invalid if more than the share :data:`MAX_FAILED_SHARE` of decisions failed.

    Args:
        decisions: decisions in a result, see :meth:`bots.models.Account.as_json`.
    """
    asked, failed = decisions.get("asked", 0), decisions.get("failed", 0)
    return (
        f"most decisions failed: {failed} of {asked}" if failed > MAX_FAILED_SHARE * asked else None
    )


def describe_excluded(runs: Sequence[Mapping[str, Any]]) -> str:
    """Describe how many runs are excluded from means, and why; empty if none are."""
    causes = Counter(reason for run in runs for reason in run.get("excluded", ()))
    total = sum(bool(run.get("excluded")) for run in runs)
    if not total:
        return ""
    reasons = (f"{cause} ({count})" if count < total else cause for cause, count in causes.items())
    is_are = "is" if total == 1 else "are"
    text = f"{total} of {many(len(runs), 'run')} {is_are} excluded from means"
    return f"{text}: {'; '.join(reasons)}"


def describe_pace(runs: Sequence[Mapping[str, Any]]) -> str:
    """Describe in a line how well the machine kept up in Minecraft; empty on the grid."""
    paces = [run["pace"] for run in runs if "pace" in run]
    if not paces:
        return ""
    lost = max((pace["lost"] for pace in paces if pace["lost"] is not None), default=0.0)
    late: dict[str, float] = {}
    for pace in paces:
        late |= {who: max(ms, late.get(who, 0.0)) for who, ms in pace["longest_ms"].items()}
    return (
        f"speed {paces[0]['speed']:g}, load up to {max(pace['load'] for pace in paces):.1f}, up to "
        f"{lost:.0%} of an episode's time lost; longest delays in game time: "
        + ", ".join(f"{who} {ms:.0f} ms" for who, ms in late.items())
        + "; on a faster machine, events might have come in another order" * (lost > MAX_LATENESS)
    )


# --- Lifetimes: jobs end with their parent process; resources close with the process --------------

T = TypeVar("T")

# Environment variable with the process id of the process that started the job.
VARIABLE = "VOXPOLIS_OWNER"
CHECK_S = 0.5
# Seconds that a job gets to close its record.
GRACE_S = 20.0


def end_with_owner() -> None:
    """End this process as soon as its parent, which ``VOXPOLIS_OWNER`` names, has ended."""
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
    """Enter a context that stays open until this process ends, and return the context's value.

    Each call registers one more :mod:`atexit` handler that closes all contexts. Handlers run in
    reverse order of registration, so the context closes before the things that it uses, such as a
    temporary folder.
    """
    entered = _kept.enter_context(opening)
    atexit.register(_kept.close)
    return entered
