"""What people of a village with trades can decide to do, made of its rules.

Models are told all of it by texts that follow from the rules: a new trade is a line of YAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bots.agents.piano import (
    NOTHING,
    ArgumentForm,
    Outcome,
    Task,
    Verb,
    ago,
    announcement,
    things_meant,
    without_remark,
)
from bots.structured import AnswerError
from records.text import caseless
from worlds.trades.reports import Report, TradeWorld
from worlds.trades.rules import ANYWHERE, AWAY, EAT, ROUND, Rule, Trades

#: The subject that what came of work holds for, see :class:`bots.agents.piano.Outcome`.
WORK = "work"
#: Somebody remembers so long what failed, in seconds; ours.
FAILED_FOR_S = 60.0
#: Of what is handed over at once.
MOST_PIECES = 64
_COUNTED = caseless(r"(?:(\d+|an?|the|some|one)\s+)?(.+)")
#: A number behind what it may count.
_HOW_MANY = re.compile(r"(?:\w+[ _]){0,2}\w+?\s*(?:[(:,]\s*|\s)x?\s*\d")
#: What goes on from one thing to the next.
_AND_THEN = (
    r"\s*(?:[,;/&+]|\b(?:and|or|then)\b)\s*(?:(?:and|or|then)\s+)*(?:(?:\d+|an?|the|some|one)\s+)?"
)


@dataclass(frozen=True)
class Worked:
    """What somebody knows of its work: the last of it, and what failed lately and when."""

    last: Report
    failed: Mapping[str, float] = field(default_factory=dict)

    def lately(self, now: float) -> list[str]:
        """Return the actions that failed lately."""
        return [action for action, t in self.failed.items() if now - t < FAILED_FOR_S]

    def text(self, now: float) -> str:
        """Return what came of the last work, and what else did not work."""
        told = f"Your last work, {ago(now, self.last.t)}: {said(self.last)}."
        others = [action for action in self.lately(now) if action != self.last.action]
        return f"{told} Lately did not work: {', '.join(others)}." if others else told


def said(report: Report) -> str:
    """Return a report in words."""
    to = f" to {report.to}" if report.to else ""
    if not report.ok:
        return f"{report.action}{to} did not work: {report.reason}"
    came = [f"+{count} {item}" for item, count in report.gained.items()]
    went = [f"-{count} {item}" for item, count in report.spent.items()]
    return f"{report.action}{to}: {', '.join([*came, *went]) or 'done'}"


def verbs(village: TradeWorld) -> tuple[Verb, ...]:
    """Return all that people of a village can decide to do."""
    trades = village.trades
    work = _worker(village)
    own = [_verb(trades, name, verb.announced, work) for name, verb in trades.verbs.items()]
    foods = trades.hunger.foods
    eat = f"{EAT} one of what you hold: {', '.join(foods)}. Who does not eat gets slow."
    if foods:
        own.append(Verb(EAT, _one_of(EAT, foods), work, announcement("eat"), eat))
    return (*own, *_exchanges(village))


# --- Work -----------------------------------------------------------------------------------------


def _worker(village: TradeWorld) -> Callable[[Task], Coroutine[Any, Any, None]]:
    async def work(task: Task) -> None:
        """Go where it is done, and do it; nobody goes for what one lacks the things for."""
        name, action = task.agent, str(task.action)
        target = village.target(name, action)
        if target is not None and not village.lacks(name, action) and not task.go_to(target):
            village.stop_work(name)
            return
        conclude(task, village.carry_on(name, action))

    return work


def conclude(task: Task, report: Report | None) -> None:
    """Be done once there is a report, and leave what came of it to whoever takes note of it."""
    if report is None:
        return
    if report.ok:
        task.finish(reconsider=True)
    else:
        task.fail(report.reason)
    before = task.standing.get(WORK)
    failed = dict(before.failed) if isinstance(before, Worked) else {}
    failed.pop(report.action, None)
    if not report.ok:
        failed[report.action] = report.t
    recent = {action: t for action, t in failed.items() if report.t - t < FAILED_FOR_S}
    task.outcomes.append(Outcome(WORK, Worked(report, recent), said(report)))


def _verb(
    trades: Trades, name: str, announced: str, work: Callable[[Task], Coroutine[Any, Any, None]]
) -> Verb:
    actions = {action: trades.actions[action] for action in trades.of_verb(name)}
    if list(actions) == [name]:
        rule = actions[name]
        text = f"{name}{_where(rule)}{_in_words(': {}', _told(rule))}."
        return Verb(name, NOTHING, work, announcement(announced), text)
    items = [action.partition(" ")[2] for action in actions]
    by_place: dict[str, list[str]] = {}
    for item, rule in zip(items, actions.values(), strict=True):
        by_place.setdefault(_where(rule), []).append(
            f"{item}{_in_words(' ({})', _told(rule, item))}"
        )
    told = "; ".join(f"{name}{where}: {', '.join(all_)}" for where, all_ in by_place.items())
    return Verb(name, _one_of(name, items), work, announcement(announced), f"{told}.")


def _in_words(form: str, text: str) -> str:
    return form.format(text) if text else ""


def _where(rule: Rule) -> str:
    where = {ANYWHERE: " anywhere", AWAY: " far from all places", ROUND: " from place to place"}
    return where.get(rule.at, f" at {rule.at}")


def _told(rule: Rule, item: str = "") -> str:
    """Return what an action takes and brings, in words; empty where there is nothing to say."""
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


# --- What follows a verb --------------------------------------------------------------------------


def _named(verb: str, text: str, items: Sequence[str]) -> str:
    """Return the item that some words mean.

    Raises:
        AnswerError: they mean none, or several.
    """
    names = "|".join(re.escape(item).replace("_", "[_ ]") for item in items)
    if re.search(rf"\w{_AND_THEN}(?:{names})s?\b", text, re.IGNORECASE):
        raise AnswerError(f"{verb} takes one thing at a time, one of: {', '.join(items)}")
    for said in (text, without_remark(text)):
        found = things_meant(said, items)
        if len(found) == 1:
            return found[0]
    raise AnswerError(f"{verb} takes one of: {', '.join(items)}")


def _one_of(verb: str, items: Sequence[str]) -> ArgumentForm:
    def read(_verb: str, text: str) -> str:
        found = _COUNTED.fullmatch(text.strip())
        return _named(verb, found[2] if found else "", items)

    return ArgumentForm("item", read, things=tuple(items))


def _counted(verb: str, text: str, items: Sequence[str]) -> str:
    found = _COUNTED.fullmatch(text.strip())
    item = _named(verb, found[2], items) if found else ""
    if found is None or _HOW_MANY.match(found[2]) or (found[1] or "").lower() == "some":
        raise AnswerError(f"{verb} takes a number and an item, such as {verb} 2 bread")
    count = int(found[1]) if (found[1] or "").isdigit() else 1
    if not 1 <= count <= MOST_PIECES:
        raise AnswerError(f"{verb} takes from 1 to {MOST_PIECES} pieces")
    return f"{count} {item}"


def _pieces(items: Sequence[str]) -> ArgumentForm:
    def read(verb: str, text: str) -> str:
        return _counted(verb, text, items)

    return ArgumentForm("n item", read, things=tuple(items))


def _gift(items: Sequence[str]) -> ArgumentForm:
    def read(verb: str, text: str) -> str:
        what, _, to = text.partition(" to ")
        if not to.strip():
            raise AnswerError(f"{verb} takes what and to whom, such as {verb} 2 bread to Ben")
        return f"{_counted(verb, what, items)} to {to.strip()}"

    def split(argument: str) -> tuple[str, str]:
        what, to, name = argument.partition(" to ")
        return what + to, name

    return ArgumentForm("n item to somebody", read, split, is_person=True, things=tuple(items))


# --- Exchange -------------------------------------------------------------------------------------


def _exchanges(village: TradeWorld) -> tuple[Verb, ...]:
    trades = village.trades
    market = trades.market

    async def give(task: Task) -> None:
        what, _, to = task.action.target.partition(" to ")
        count, item = what.split()
        if to not in village.residents or task.go_to(to):
            conclude(task, village.give(task.agent, int(count), item, to))

    async def put(task: Task) -> None:
        count, item = task.action.target.split()
        if task.go_to(market):
            conclude(task, village.put(task.agent, int(count), item))

    async def take(task: Task) -> None:
        count, item = task.action.target.split()
        if task.go_to(market):
            conclude(task, village.take(task.agent, int(count), item))

    items = trades.items
    return (
        Verb("GIVE", _gift(items), give, announcement("(?:give|giving)"),
             "GIVE hands things of yours to somebody, wherever that is."),
        Verb("PUT", _pieces(items), put, announcement("(?:put|bring)"),
             f"PUT leaves things of yours at {market}, for whoever takes them."),
        Verb("TAKE", _pieces(items), take, announcement("take"),
             f"TAKE fetches things that others left at {market}."),
    )  # fmt: skip
