"""Tests whether models can play, before a run is paid for: ``python -m experiments check-models``.

Each role is asked a few questions in situations that we invented (:mod:`experiments.study.probes`).
Answers are parsed as in a run. ``python -m bots.models check`` is the same command.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from rich.table import Table

from voxpolis.bots.asking import MAX_ANSWERS
from voxpolis.bots.models import (
    AnswerError,
    ChatModel,
    ChatRequest,
    ClosedError,
    Completion,
    ModelError,
    UnreachableError,
)
from voxpolis.bots.models.settings import CONCURRENCY, ROLES, TIMEOUT_S
from voxpolis.experiments.run.model_choice import ModelChoice, choose_model
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.progress import report_waiting
from voxpolis.experiments.run.spending import Purchase, agree
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import say_error

if TYPE_CHECKING:  # situations on the grid load the compiler
    from voxpolis.experiments.study.probes import Probe

DONE, FAILED, USAGE = 0, 1, 2
# Agent name that stands for the default model settings; no agent has this name.
DEFAULT_AGENT = "Gizmo"
# Minimum share of a role's questions with a usable answer.
ENOUGH = 2 / 3
SHOWN_CHARACTERS = 100

# Verdicts with which a run can start.
WORKING = ("works", "often fails")

Verdict = Literal["works", "often fails", "would not work", "not asked"]


@dataclass
class RoleReport:
    """How a model answered in one role.

    Attributes:
        role: see :data:`bots.models.settings.ROLES`.
        agent: the agent whose settings were used; empty for the default settings.
        model: name of the model.
        questions: number of situations.
        at_once: number of questions whose first answer could be read. ``usable`` is the number of
            questions that had a usable answer after retries.
        seconds: response time of each call.
        completions: all answers.
        problem: error in the first answer that could not be used.
    """

    role: str
    agent: str
    model: str
    questions: int = 0
    at_once: int = 0
    usable: int = 0
    seconds: list[float] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)
    problem: str = ""

    @property
    def form(self) -> str:
        """The form in which the endpoint received the type of the answer. The text is empty if no
        type was sent.
        """
        return next((one.form for one in reversed(self.completions) if one.form), "")

    @property
    def verdict(self) -> Verdict:
        """The verdict on how well the model would work in this role."""
        if not self.questions:
            return "not asked"
        if self.usable == self.questions:
            return "works"
        return "often fails" if self.usable >= ENOUGH * self.questions else "would not work"

    def as_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "agent": self.agent or None,
            "model": self.model,
            "questions": self.questions,
            "at_once": self.at_once,
            "usable": self.usable,
            "seconds": round(statistics.median(self.seconds), 3) if self.seconds else None,
            "prompt_tokens": sum(one.prompt_tokens or 0 for one in self.completions),
            "completion_tokens": sum(one.completion_tokens or 0 for one in self.completions),
            "reasoning_tokens": sum(one.reasoning_tokens or 0 for one in self.completions),
            "form": self.form or None,
            "problem": self.problem or None,
            "verdict": self.verdict,
        }


class _UnassignedQuestionError(ModelError):
    """A question without an agent was asked while the settings of an agent were being checked."""


class _ProbeModel:
    """Passes a probe's questions on to a model, and counts the results for one agent by role.

    In a run, a question without an agent is never sent to the model of an agent. Such a question is
    therefore refused while the model of an agent is checked. Questions of other agents are
    answered, but not counted.
    """

    def __init__(self, model: ChatModel, agent: str, others: Collection[str]) -> None:
        """Count results for ``agent``, or for the default settings if ``agent`` is empty.
        ``others`` are the agents that have their own settings.
        """
        self._model, self._agent, self._others = model, agent, others
        self.is_nobodys = False
        self.asked: dict[str, int] = {}
        self.again: dict[str, int] = {}
        self.seconds: dict[str, list[float]] = {}
        self.answers: dict[str, list[Completion]] = {}
        self.error = ""
        self.is_dead = False

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        role, began = request.role, time.monotonic()
        if self._agent and request.agent is None:
            self.is_nobodys = True
            raise _UnassignedQuestionError(f"{role} is asked without an agent")
        if (request.agent if request.agent in self._others else "") != self._agent:
            return await self._model.complete(request)
        counter = self.again if request.attempt else self.asked
        counter[role] = counter.get(role, 0) + 1
        try:
            answer = await self._model.complete(request)
        except ModelError as error:
            self.error = str(error)
            self.is_dead = isinstance(error, UnreachableError | ClosedError)
            raise
        took = time.monotonic() - began if answer.seconds is None else answer.seconds
        self.seconds.setdefault(role, []).append(took)
        self.answers.setdefault(role, []).append(answer)
        return answer


async def check(
    choice: ModelChoice, roles: Sequence[str], samples: int, say: Callable[[str], None]
) -> list[RoleReport]:
    """Ask models questions in several roles. Return a report for each agent and role.

    Each role that was asked for has a report, even if no question was asked in it. The report of an
    agent only covers questions that were asked in the name of this agent. For each agent, one role
    is asked first. The other roles are only asked if the endpoint answers.

    Args:
        choice: the models.
        roles: the roles to check; empty for all roles.
        samples: number of questions per role.
        say: prints which roles were not asked, and why.
    """
    assert choice.live is not None
    live = choice.live
    from voxpolis.experiments.study.probes import probes  # noqa: PLC0415 - loads the grid's compiler

    all_probes = list(probes())
    wanted = [role for role in ROLES if not roles or role in roles]
    agents = ["", *choice.settings.agents]
    reports: dict[tuple[str, str], RoleReport] = {}
    nobodys: set[tuple[str, str]] = set()

    async def ask(probe: Probe, first: str, agent: str) -> bool:
        """Ask the questions of a probe. Return whether the endpoint can still be used."""
        watched = _ProbeModel(live, agent, choice.settings.agents)
        problem, is_usable = "", False
        try:
            is_usable = await probe(watched, agent or _default_agent(choice))
        except (AnswerError, ModelError) as error:
            problem = str(error)
        if watched.is_nobodys and not watched.asked:
            nobodys.add((agent, first))
            return True
        _count(reports, choice, watched, first, agent, problem, is_usable=is_usable)
        return not watched.is_dead

    async def ask_all(agent: str) -> None:
        asked = [(probe, role) for role, probe in all_probes if role in wanted]
        first = 0
        for probe, role in asked:
            first += 1
            if not await ask(probe, role, agent):
                asked_for = f"for {agent}" if agent else "for all"
                say(f"no other role was asked {asked_for}, because the endpoint does not answer")
                return
            if (agent, role) not in nobodys:
                break
        rest = [*asked[first:], *(samples - 1) * asked]
        await asyncio.gather(*(ask(probe, role, agent) for probe, role in rest))

    await asyncio.gather(*(ask_all(agent) for agent in agents))
    return [
        reports.get((agent, role)) or _report(choice, role, agent)
        for agent in sorted(agents)
        for role in wanted
        if (agent, role) not in nobodys or (agent, role) in reports
    ]


def _default_agent(choice: ModelChoice) -> str:
    """Return a name for an agent that uses the default settings: the settings do not name it."""
    return next(
        n for n in (DEFAULT_AGENT, "Ada", "Cora", "Nobody") if n not in choice.settings.agents
    )


def _count(
    reports: dict[tuple[str, str], RoleReport],
    choice: ModelChoice,
    watched: _ProbeModel,
    first: str,
    agent: str,
    problem: str,
    *,
    is_usable: bool,
) -> None:
    """Add the result of one probe to the reports of its roles.

    If the probe has failed, one question in its first role counts as failed. In every role, a
    question for which all retries were used also counts as failed, because in some roles a default
    answer then replaces the missing answer, without an error.
    """
    for role in watched.asked or {first: 1}:
        report = reports.setdefault((agent, role), _report(choice, role, agent))
        asked, again = watched.asked.get(role, 1), watched.again.get(role, 0)
        failed = max(int(not is_usable and role == first), again // (MAX_ANSWERS - 1))
        answers = watched.answers.get(role, [])
        is_silent = not answers
        report.questions += asked
        report.usable += 0 if is_silent else max(asked - failed, 0)
        report.at_once += 0 if is_silent else max(asked - max(failed, min(again, asked)), 0)
        report.seconds += watched.seconds.get(role, [])
        report.completions += answers
        if not report.problem and (failed or is_silent):
            said = answers[-1].text if answers else ""
            shown = " ".join(said.split())[:SHOWN_CHARACTERS]
            report.problem = watched.error or problem or f"answered {shown!r}"


def _report(choice: ModelChoice, role: str, agent: str) -> RoleReport:
    call = choice.settings.request(ChatRequest([], role, agent or None, 0.0, 1))
    return RoleReport(role, agent, call.model)


# --- The command ---------------------------------------------------------------------------------


@click.command(name="check-models", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--models",
    type=click.Path(path_type=Path),
    help="YAML file with endpoints, models and parameters.",
)
@click.option("--model", help="Name of the model.")
@click.option("--base-url", help="Address of an OpenAI-compatible endpoint.")
@click.option(
    "--prices",
    type=click.Path(path_type=Path),
    help="YAML file with dollars per million tokens, by model.",
)
@click.option("--budget", help='Stop the check before it exceeds this: "$0.50", "20k tokens".')
@click.option("--yes", is_flag=True, help="Agree to pay for a language model, without being asked.")
@click.option(
    *("--role", "roles"),
    multiple=True,
    type=click.Choice(ROLES),
    metavar="ROLE",
    help=f"Test only this role. Can be repeated. Roles: {', '.join(ROLES)}.",
)
@click.option(
    "--samples",
    default=3,
    type=click.IntRange(1),
    help="Number of questions for each prompt of a role. [default: 3]",
)
@click.option(
    "--request-timeout", default=TIMEOUT_S, help="Seconds to wait for an answer of the endpoint."
)
@click.option(
    "--concurrency", default=CONCURRENCY, help="Maximum number of concurrent calls per endpoint."
)
@click.option("--json", "json_output", is_flag=True, help="Print a single JSON object.")
def check_models(roles: Sequence[str], samples: int, *, json_output: bool, **fields: Any) -> None:
    """Test whether models can play each role.

    The exit code is 1 if the model cannot play one of the roles.
    """
    sys.exit(_run(roles, samples, fields, json_output=json_output))


def _run(roles: Sequence[str], samples: int, fields: Any, *, json_output: bool) -> int:
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        choice = choose_model(RunOptions(mind="openai", **given))
        free = "or choose a local model with --base-url"
        agree("check", [Purchase(choice, 1, lambda: None)], given, free)
    except UsageError as error:
        say_error(error)
        return USAGE
    limit = f"; it stops before it exceeds {choice.budget}" if choice.budget else ""
    print(f"asking {choice.who}{limit}", file=sys.stderr)
    notes: list[str] = []

    def say(text: str) -> None:
        notes.append(text)
        if not json_output:
            print(text, file=sys.stderr, flush=True)

    async def ask() -> list[RoleReport]:
        board = choice.board
        async with report_waiting(board, say) if board else contextlib.nullcontext():
            return await check(choice, roles, samples, say)

    reports = asyncio.run(ask())
    works = all(one.verdict in WORKING for one in reports)
    if json_output:
        usage = choice.board.as_json() if choice.board else {}
        found = {"roles": [one.as_json() for one in reports], "notes": notes, "usage": usage}
        print(json.dumps({**found, "works": works}))
    else:
        _show(reports)
        refused = [note for note in notes if note.startswith("model ")]
        if choice.board and choice.board.calls and not refused:
            print("The endpoint accepted every parameter.")
    return DONE if works else FAILED


def _show(reports: Sequence[RoleReport]) -> None:
    console, table = plain_console(), Table()
    for column in (
        "role",
        "model",
        "form",
        "valid at once",
        "in the end",
        "s",
        "tokens",
        "verdict",
    ):
        table.add_column(column)
    for one in reports:
        if not one.questions:
            continue
        fields = one.as_json()
        thought = fields["reasoning_tokens"]
        tokens = f"{fields['prompt_tokens']} + {fields['completion_tokens']}"
        table.add_row(
            f"{one.role}, {one.agent}" if one.agent else one.role,
            one.model,
            one.form or "text",
            f"{one.at_once} of {one.questions}",
            f"{one.usable} of {one.questions}",
            "-" if fields["seconds"] is None else f"{fields['seconds']:.1f}",
            f"{tokens} ({thought} thought)" if thought else tokens,
            one.verdict,
        )
    print_whole(console, table)
    for one in reports:
        if one.problem:
            console.print(f"{one.role}: {one.problem}", soft_wrap=True)
    for agent in dict.fromkeys(one.agent for one in reports):
        left = ", ".join(one.role for one in reports if one.agent == agent and not one.questions)
        if left:
            whose = f" of {agent}" if agent else ""
            console.print(f"not asked{whose}: {left}", soft_wrap=True)
