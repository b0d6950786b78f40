"""Estimates the calls and the cost of a run before anything is paid for.

Scripted minds play the run with the same settings but without Minecraft, one repetition per
condition. Their prompts and answers are counted. Every other repetition is assumed to need as many
calls and tokens as the first one of its condition.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from voxpolis.bots.asking import CHARACTERS_A_TOKEN, MAX_ANSWERS
from voxpolis.bots.models import Account, CallSettings, ChatRequest, ModelSettings
from voxpolis.bots.models.prices import Prices, price_of
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.scenario import ContractOptions
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.endings import DONE
from voxpolis.experiments.run.model_choice import ModelChoice, priced
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import Plan, play
from voxpolis.experiments.run.scenario import Case, Scenario
from voxpolis.judge.contracts.scripted import ScriptedJudge
from voxpolis.records.reader import PERSON

# Tokens that the error message of a retry adds to a prompt.
ERROR_TOKENS = 100
# Maximum length of a sampled society, in simulated seconds.
SHOWN_S = 1200.0
# Label of the estimate's last row.
AT_MOST = "at most"
# Number of agents whose prompts are shown per role.
MAX_SHOWN = 2


@dataclass(frozen=True)
class RoleCost:
    """The cost of one role in a run: calls, tokens, and dollars if the price is known."""

    role: str
    model: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    dollars: float | None


class FirstOfEach:
    """A wrapper of a prepared scenario that plays only the first repetition of each condition."""

    def __init__(
        self, prepared: Scenario, *, is_compiled: bool = False, is_one: bool = False
    ) -> None:
        """Select repetitions.

        Args:
            prepared: the scenario.
            is_compiled: whether a compiler turns proposals in words into clauses.
            is_one: whether only the first case is played.
        """
        self._is_one = is_one
        self._prepared = prepared
        self._is_compiled = is_compiled

    def __getattr__(self, name: str) -> Any:
        return getattr(self._prepared, name)

    @property
    def cases(self) -> Sequence[Any]:
        """The first repetition of each condition, or only the first case."""
        first = [case for case in self._prepared.cases if case.number == 0]
        return first[:1] if self._is_one else first

    def script(self, case: Case) -> Script:
        """Return a script that answers for the scripted minds and also for the judge and the
        compiler.
        """
        return ScriptedJudge(self._prepared.script(case), is_compiled=self._is_compiled)


def count(run: Plan) -> list[RoleCost]:
    """Play a run with scripted minds. Return what all repetitions need, by role and model.

    Raises:
        UsageError: the test run failed.
    """
    trial, times = _test_run(run)
    return _costs(run, trial, times)


def shown_prompts(run: Plan) -> str:
    """Return the first and the last prompt of each role in a run with scripted minds.

    If many agents have a role, only the prompts of the first of them are shown.

    Raises:
        UsageError: the test run failed.
    """
    trial, _ = _test_run(run, is_one=True)
    by_role: dict[tuple[str, str], list[list[ChatRequest]]] = defaultdict(list)
    for (role, kind, _), asked in trial.decisions.examples.items():
        by_role[role, kind].append(asked)
    shown = []
    for (role, _), agents in by_role.items():
        few = agents if len(agents) <= MAX_SHOWN else agents[:1]
        for number, (first, *last) in enumerate(few):
            who = f"{role}, {first.agent}" if first.agent else role
            alike = (
                f"\n\n({len(agents) - 1} more get similar prompts.)"
                if len(few) < len(agents)
                else ""
            )
            shown.append(f"{f' {who} ':=^80}\n{_text(first)}{alike}")
            if not number and last and _text(last[0]) != _text(first):
                shown.append(f"{f' {who}, at last ':=^80}\n{_text(last[0])}")
    return "\n\n".join(shown)


def _text(request: ChatRequest) -> str:
    return "\n\n".join(message["content"] for message in request.messages)


def _test_run(run: Plan, *, is_one: bool = False) -> tuple[Plan, float]:
    """Play the first repetition of each condition. Return the run, and the factor by which its
    numbers must be multiplied to cover all repetitions.

    If ``is_one`` is True, only the first case is played.
    """
    options = run.options
    is_compiled = isinstance(options, ContractOptions) and options.compiled
    first: Any = FirstOfEach(run.prepared, is_compiled=is_compiled, is_one=is_one)
    every, some = len(run.prepared.cases), len(first.cases)
    settings = ModelSettings(default=CallSettings(model="scripted"))
    with tempfile.TemporaryDirectory(prefix="voxpolis-estimate-") as folder:
        usual = run.experiment.worlds[run.world][0]
        agents = {name: usual if kind == PERSON else kind for name, kind in run.agents.items()}
        trial = replace(
            run,
            agents=agents,
            seats={},
            parts=(),
            prepared=first,
            choice=ModelChoice("scripted", settings, is_counted=True),
            server=None,
            folder=Path(folder),
            before=None,
            decisions=Account(measures=True),
            kept={"most_s": SHOWN_S} if is_one else {},
        )
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code, result = asyncio.run(play(trial))
    if code != DONE:
        raise UsageError(f"the run cannot be counted: {result.get('error')}")
    return trial, every / max(some, 1)


def at_most(run: Plan, costs: Sequence[RoleCost]) -> RoleCost:
    """Return an upper bound of a run's calls and cost, as if every question had to be repeated.

    Each question is repeated as often as allowed, together with the last error. Each role is asked
    as often as the scenario allows. For a role in which scripted minds were never asked, calls of
    average length are assumed. The length of a model's own answers is unknown.
    """
    counted = by_role(costs)
    average = _average_call(costs)
    most = run.prepared.most_calls({role: total(asked).calls for role, asked in counted.items()})
    worst: list[RoleCost] = []
    for role, calls in most.items():
        model = run.choice.settings.request(ChatRequest([], role, None, 0.0, 1)).model
        parts = counted.get(role, [replace(average, role=role, model=model)])
        each = calls / max(total(parts).calls, 1)
        worst += [_with_retries(part, each * part.calls, run) for part in parts]
    return replace(total(worst), role=AT_MOST)


def note_on_uncounted_roles(run: Plan, costs: Sequence[RoleCost]) -> str:
    """Return a note about roles in which language models may be asked, but scripted minds were not.
    The note is empty if there are no such roles.

    In a small or short society, scripted people may never meet and talk. The cost of conversations
    may then be missing in an estimate.
    """
    counted = {role: total(asked).calls for role, asked in by_role(costs).items()}
    most = run.prepared.most_calls(counted)
    left = [f"{role} up to {n:,}" for role, n in most.items() if n and not counted.get(role)]
    if not left:
        return ""
    return (
        f"Scripted minds got no questions in these roles: {', '.join(left)}. A "
        "model may, for example if its people meet or a program fails: this cost is only in the "
        "last row."
    )


def by_role(costs: Sequence[RoleCost]) -> dict[str, list[RoleCost]]:
    """Group costs by role. A role has several costs if agents have their own models."""
    found: dict[str, list[RoleCost]] = defaultdict(list)
    for cost in costs:
        found[cost.role].append(cost)
    return found


def _average_call(costs: Sequence[RoleCost]) -> RoleCost:
    whole = total(costs)
    calls = max(whole.calls, 1)
    prompt, answer = (round(n / calls) for n in (whole.prompt_tokens, whole.answer_tokens))
    return RoleCost("", "", 1, prompt, answer, None)


def _with_retries(cost: RoleCost, calls: float, run: Plan) -> RoleCost:
    """Return what a role costs for a number of questions if each is repeated as often as
    allowed.
    """
    times, each = round(MAX_ANSWERS * calls), max(cost.calls, 1)
    answer = cost.answer_tokens / each
    errors = (MAX_ANSWERS - 1) / MAX_ANSWERS * ERROR_TOKENS
    prompt = round(times * (cost.prompt_tokens / each + errors))
    price = price_of(run.choice.prices, cost.model)
    dollars = None if price is None else price.cost(prompt, round(times * answer))
    return RoleCost(cost.role, cost.model, times, prompt, round(times * answer), dollars)


def _costs(run: Plan, trial: Plan, times: float) -> list[RoleCost]:
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (role, agent), usage in trial.decisions.usage.items():
        model = run.choice.settings.request(ChatRequest([], role, agent, 0.0, 1)).model
        counted[role, model].update(usage)
    return [
        _cost(role, model, usage, times, run.choice.prices)
        for (role, model), usage in sorted(counted.items())
    ]


def _cost(role: str, model: str, counted: Counter[str], times: float, prices: Prices) -> RoleCost:
    prompt, answer = (
        round(times * counted[name] / CHARACTERS_A_TOKEN) for name in ("prompts", "answers")
    )
    price = price_of(prices, model)
    dollars = None if price is None else price.cost(prompt, answer)
    return RoleCost(role, model, round(times * counted["calls"]), prompt, answer, dollars)


def total(costs: Sequence[RoleCost]) -> RoleCost:
    """Return the sum over all roles. The dollars are None if a price is unknown."""
    dollars = [cost.dollars for cost in costs]
    known = [each for each in dollars if each is not None]
    return RoleCost(
        "all",
        ", ".join(dict.fromkeys(cost.model for cost in costs)),
        sum(cost.calls for cost in costs),
        sum(cost.prompt_tokens for cost in costs),
        sum(cost.answer_tokens for cost in costs),
        sum(known) if len(known) == len(dollars) else None,
    )


def note_on_other_world(asked: Plan, counted: Plan) -> str:
    """Return a note for a run whose calls were counted in another world."""
    there, here = (_tokens(run.prepared.prompts()) for run in (asked, counted))
    return (
        f"Calls and prompts are those of the world {counted.world}. The world {asked.world} "
        "may need more calls and other prompts: --show-prompts prints "
        f"{there:,} tokens for it and {here:,} for the world {counted.world} "
        f"({100 * (there / here - 1):+.0f} %)."
    )


def _tokens(text: str) -> int:
    return round(len(text) / CHARACTERS_A_TOKEN)


def as_json(costs: Sequence[RoleCost], most: RoleCost) -> Mapping[str, Any]:
    """Return an estimate as a JSON object: the expected cost of each role, the expected total, and
    an upper bound.
    """
    fields = ("model", "calls", "prompt_tokens", "answer_tokens", "dollars")
    roles = [replace(total(asked), role=role) for role, asked in by_role(costs).items()]
    rows = [*roles, total(costs), most]
    return {cost.role: {name: getattr(cost, name) for name in fields} for cost in rows}


def print_costs(title: str, costs: Sequence[RoleCost], most: RoleCost) -> None:
    """Print an estimate as a table."""
    from rich.table import Table  # noqa: PLC0415 - each command imports this file, few estimate

    from voxpolis.records.console import plain_console, print_whole  # noqa: PLC0415

    table = Table(title=title)
    table.add_column("role")
    table.add_column("model", no_wrap=True)
    for column in ("calls", "prompt tokens", "answer tokens", "dollars"):
        table.add_column(column, justify="right", no_wrap=True)
    for cost in (*costs, total(costs), most):
        table.add_row(cost.role, cost.model, *_cells(cost))
    console = plain_console()
    print_whole(console, table)
    console.print(
        f"Counted with scripted minds, at {CHARACTERS_A_TOKEN} characters per token. A model "
        "writes longer answers and reasons before them, which cannot be counted here. The last row "
        f"assumes a model with unreadable answers: each question is asked {MAX_ANSWERS} times, "
        "programs are rewritten up to the limit, all contracts and laws in words are judged, "
        "planners are asked in each step, and members of a society think as often as possible."
    )


def _cells(cost: RoleCost) -> list[str]:
    dollars = "unknown" if cost.dollars is None else f"{cost.dollars:.2f}"
    return [f"{cost.calls:,}", f"{cost.prompt_tokens:,}", f"{cost.answer_tokens:,}", dollars]


@click.command()
@click.argument("scenarios", nargs=-1)
@click.option("--model", help="Name of the model whose price is used.")
def estimate(scenarios: Sequence[str], model: str | None) -> None:
    """Print the calls and the cost of one run on the grid per scenario.

    The output is a Markdown table.
    """
    from voxpolis.experiments.run.command import plan  # noqa: PLC0415  (it imports this module)

    print("| scenario | calls | prompt tokens | answer tokens | dollars | roles |")
    print("|---|---|---|---|---|---|")
    for experiment in _named(scenarios):
        run = plan(experiment, {"world": "grid", "model": model, **experiment.one_run}, priced)
        costs = count(run)
        roles = ", ".join(f"{cost.role} {cost.calls:,}" for cost in costs)
        condition = f", {run.options.condition}" if run.options.condition else ""
        cells = " | ".join(_cells(total(costs)))
        print(f"| {experiment.name}{condition} | {cells} | {roles} |", flush=True)


def _named(scenarios: Sequence[str]) -> list[type[Scenario]]:
    return [registry.scenario(name, is_typed=True) for name in scenarios or registry.names()]
