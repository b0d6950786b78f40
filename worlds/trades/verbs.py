"""The decisions of people in a village with trades, derived from the village's rules.

The texts that describe these decisions to models follow from the rules as well. A new trade
therefore only needs a line of YAML.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.agents.piano.actions import (
    MOST_PIECES,
    NOTHING,
    ArgumentForm,
    Verb,
    announcement,
)
from voxpolis.bots.agents.piano.digest import ago
from voxpolis.bots.agents.piano.task import Outcome, Task
from voxpolis.worlds.trades.rules import (
    ANYWHERE,
    AWAY,
    EAT,
    ROUND,
    Report,
    Rule,
    Trades,
    TradeWorld,
)

# Key under which people know the results of their work, see
# :class:`bots.agents.piano.task.Outcome`.
WORK = "work"
# Seconds for which failures are remembered; our choice.
FAILED_FOR_S = 60.0


@dataclass(frozen=True)
class WorkKnowledge:
    """The knowledge of a person about its work: the last result, and recent failures with times."""

    last: Report
    failed: Mapping[str, float] = field(default_factory=dict)

    def lately(self, now: float) -> list[str]:
        return [action for action, t in self.failed.items() if now - t < FAILED_FOR_S]

    def text(self, now: float) -> str:
        told = f"Your last work, {ago(now, self.last.t)}: {report_text(self.last)}."
        others = [action for action in self.lately(now) if action != self.last.action]
        return f"{told} Lately did not work: {', '.join(others)}." if others else told


def report_text(report: Report) -> str:
    """Describe a report in words."""
    to = f" to {report.to}" if report.to else ""
    if not report.ok:
        return f"{report.action}{to} did not work: {report.reason}"
    came = [f"+{count} {item}" for item, count in report.gained.items()]
    went = [f"-{count} {item}" for item, count in report.spent.items()]
    return f"{report.action}{to}: {', '.join([*came, *went]) or 'done'}"


def verbs(village: TradeWorld) -> tuple[Verb, ...]:
    """Return all decisions that a village's people can make."""
    trades = village.trades
    work = _worker(village)
    own = [_verb(trades, name, verb.announced, work) for name, verb in trades.verbs.items()]
    foods = trades.hunger.foods
    hungry = trades.hunger
    eat = (
        f"you eat one of what you hold. Who eats nothing for {hungry.every_s:g} s is hungry, and"
        f" works and walks at {hungry.slower:.0%} of the speed."
    )
    if foods:
        own.append(Verb(EAT, ArgumentForm(tuple(foods)), work, announcement("eat"), eat))
    return (*own, *_exchanges(village))


# --- Work -----------------------------------------------------------------------------------------


def _worker(village: TradeWorld) -> Callable[[Task], Coroutine[Any, Any, None]]:
    async def work(task: Task) -> None:
        """Go to the place of the work and do the work. The person does not go there if inputs are
        missing.
        """
        name, action = task.agent, str(task.action)
        target = village.target(name, action)
        if target is not None and not village.lacks(name, action) and not task.go_to(target):
            village.stop_work(name)
            return
        conclude(task, village.carry_on(name, action))

    return work


def conclude(task: Task, report: Report | None) -> None:
    """Finish the task once there is a report, and pass the report on."""
    if report is None:
        return
    if report.ok:
        task.finish(reconsider=True)
    else:
        task.fail(report.reason)
    before = task.standing.get(WORK)
    failed = dict(before.failed) if isinstance(before, WorkKnowledge) else {}
    failed.pop(report.action, None)
    if not report.ok:
        failed[report.action] = report.t
    recent = {action: t for action, t in failed.items() if report.t - t < FAILED_FOR_S}
    task.outcomes.append(Outcome(WORK, WorkKnowledge(report, recent), report_text(report)))


def _verb(
    trades: Trades, name: str, announced: str, work: Callable[[Task], Coroutine[Any, Any, None]]
) -> Verb:
    actions = {action: trades.actions[action] for action in trades.of_verb(name)}
    if list(actions) == [name]:
        rule = actions[name]
        text = f"{_where(rule).strip()}{_in_words(': {}', _told(rule))}."
        return Verb(name, NOTHING, work, announcement(announced), text)
    items = [action.partition(" ")[2] for action in actions]
    by_place: dict[str, list[str]] = {}
    for item, rule in zip(items, actions.values(), strict=True):
        by_place.setdefault(_where(rule), []).append(
            f"{item}{_in_words(' ({})', _told(rule, item))}"
        )
    told = "; ".join(f"{where.strip()}: {', '.join(all_)}" for where, all_ in by_place.items())
    return Verb(name, ArgumentForm(tuple(items)), work, announcement(announced), f"{told}.")


def _in_words(form: str, text: str) -> str:
    return form.format(text) if text else ""


def _where(rule: Rule) -> str:
    where = {ANYWHERE: " anywhere", AWAY: " far from all places", ROUND: " from place to place"}
    return where.get(rule.at, f" at {rule.at}")


def _told(rule: Rule, item: str = "") -> str:
    needs = [f"{count} {one}" for one, count in rule.needs.items()]
    uses = [f"{count} {thing} there" for thing, count in rule.uses.items()]
    tools = [f"with {' or '.join(rule.tools)}"] if rule.tools else []
    makes = [f"{count} {one}" for one, count in rule.makes.items() if (one, count) != (item, 1)]
    leaves = [f"{count} {thing} there" for thing, count in rule.leaves.items()]
    if leaves and rule.after_s:
        leaves[-1] += f" after {rule.after_s:g} s"
    parts = [", ".join([*tools, *needs, *uses])]
    if makes or leaves:
        parts.append(f"brings {', '.join([*makes, *leaves])}")
    return "; ".join(part for part in parts if part)


# --- Exchange -------------------------------------------------------------------------------------


def _exchanges(village: TradeWorld) -> tuple[Verb, ...]:
    trades = village.trades
    market = trades.market

    async def give(task: Task) -> None:
        one = task.action
        if one.person not in village.residents or task.go_to(one.person):
            conclude(task, village.give(task.agent, one.count, one.item, one.person))

    async def put(task: Task) -> None:
        if task.go_to(market):
            conclude(task, village.put(task.agent, task.action.count, task.action.item))

    async def take(task: Task) -> None:
        if task.go_to(market):
            conclude(task, village.take(task.agent, task.action.count, task.action.item))

    items = tuple(trades.items)
    pieces, gift = (ArgumentForm(items, MOST_PIECES, person=to) for to in (False, True))
    return (
        Verb("GIVE", gift, give, announcement("(?:give|giving)"),
             "you go to a person, wherever they are, and hand them things of yours."),
        Verb("PUT", pieces, put, announcement("(?:put|bring)"),
             f"you go to {market} and leave things of yours there, free to take."),
        Verb("TAKE", pieces, take, announcement("take"),
             f"you go to {market} and fetch things that others left there."),
    )  # fmt: skip
