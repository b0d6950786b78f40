"""An agent's situation on the grid in words, for the prompt that asks it for a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bots.agents.planner.belief_map import Cell
from bots.agents.planner.plan_reading import read_plan
from bots.agents.planner.plans import Plan, Verb
from bots.agents.planner.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    Play,
    Sighting,
    Surroundings,
)
from bots.agents.planner.society_text import examples, jobs_text, society_text
from bots.prompts import render
from bots.structured import AnswerError

PLAY = """\
One line, one plan:
GATHER n RESOURCE: find and pick up n units. CRAFT n RESOURCE: make n at stations.
DUMP n RESOURCE: lay n down {where}, for others to pick up. GO TO (row, column).
EXPLORE MAP: look at what you have not seen for long. WAIT: stay where you are for a while."""
SOCIAL = {
    "join": "JOIN GROUP n: leave your groups and join one, with n from 0 to {last}.",
    "share": "SHARE WITH PLAYER: show a player what you see from now on, or no longer.",
    "message": "MESSAGE PLAYER: send a player a message, which says no more than that.",
}
CHOOSE_GROUP = "one line: JOIN GROUP n, with n from 0 to {last}."
FIND_PARTNER = """\
one line: BARGAIN WITH PLAYER, by name, not yourself; two who ask for each other in the same step
begin. Or WAIT."""
YOUR_TURN = """\
You bargain with {partner}. {offer}
One line: PROPOSE 0.x, from 0.1 to 0.9 (what you and your group keep; the rest goes to the other
side), ACCEPT (the offer that stands), or END."""
#: Which plans answer what.
PLAYED: tuple[Verb, ...] = ("GATHER", "CRAFT", "DUMP", "EXPLORE", "GO", "WAIT")
SOCIAL_VERBS: Mapping[str, Verb] = {"join": "JOIN", "share": "SHARE", "message": "MESSAGE"}


def plan_prompt(s: PlanSituation) -> str:
    """Return the whole prompt."""
    return render(
        "planner/plan",
        name=s.society.names[s.number],
        agents="the only player" if s.agents == 1 else f"one of {s.agents} players",
        job=s.job,
        height=str(s.size[0]),
        width=str(s.size[1]),
        sight=str(s.sight),
        rules="\n".join(_rules(s)),
        jobs=jobs_text(s),
        step=str(s.step),
        length=str(s.length),
        place=_cell(s.place),
        held=held_text(s.held),
        society=society_text(s),
        map="\n".join(known_map(s.around, s.society.names)),
        last=f"{_plan(s)}: {s.outcome}" if s.last else "none yet",
        examples=examples(s),
        choice=_choice(s),
    )


def held_text(held: Mapping[str, int]) -> str:
    """Return what is held, in words."""
    return ", ".join(f"{count} {name}" for name, count in held.items()) or "nothing"


def _rules(s: PlanSituation) -> list[str]:
    """Return what things are worth to this agent, what they need and what they are made of."""
    lines = []
    for name, good in s.goods.items():
        needs = f"; to see and collect it, hold {' and '.join(good.requires)}"
        needs = needs if good.requires else ""
        needs += f"; to collect it, hold {' or '.join(good.tools)}" if good.tools else ""
        lines.append(f"- {name} is worth {good.worth:g} to you{needs}")
    for recipe in s.recipes:
        inputs = " and ".join(f"{count} {what}" for what, count in recipe.inputs.items())
        needs = f", if you hold {' and '.join(recipe.requires)}" if recipe.requires else ""
        lines.append(f"- a {recipe.station} station makes 1 {recipe.output} of {inputs}{needs}")
    return lines


def known_map(around: Surroundings, names: Sequence[str]) -> list[str]:
    """Return what an agent knows of the map, a line for each kind of thing.

    ``names``: the players', by number.
    """
    lines = [f"- chest at {_cell(cell)}" for cell in around.chests]
    lines += [f"- {at.units} {name} {_at(at)}" for name, at in around.lying.items()]
    lines += [f"- {name} stations {_at(at)}" for name, at in around.stations.items()]
    others = ", ".join(
        f"{names[agent]} at {_cell(cell)}, {_away(around.away[agent])}"
        for agent, cell in around.others.items()
    )
    lines.append(f"- in sight: {others or 'nobody'}")
    many = "cells were" if around.unseen != 1 else "cell was"
    return [*lines, f"- {around.unseen} {many} never seen"]


def _at(at: Sighting) -> str:
    places = f"at {at.places} places, the nearest " if at.places != 1 else ""
    return f"{places}at {_cell(at.nearest)}, {_away(at.steps)}"


def _away(steps: int) -> str:
    return f"{steps} step{'s' * (steps != 1)} away"


def _cell(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"


def _plan(s: PlanSituation) -> str:
    """Return the last plan, with a player's name for its number."""
    plan, names = s.last, s.society.names
    assert plan is not None
    if plan.verb in ("BARGAIN", "SHARE", "MESSAGE") and 0 <= plan.count < len(names):
        return f"{str(plan).rpartition(' ')[0]} {names[plan.count]}"
    return str(plan)


def _choice(s: PlanSituation) -> str:
    """Return what can be answered now."""
    _, forms = _forms(s)
    match s.choice:
        case ChooseGroup():
            return f"It is your turn to join a group. Answer {forms}"
        case FindPartner():
            return f"You can ask another player to bargain. Answer {forms}"
    return forms


def _forms(s: PlanSituation) -> tuple[Sequence[Verb], str]:
    """Return which plans can be answered now, and how."""
    match s.choice:
        case ChooseGroup(groups):
            return ("JOIN",), CHOOSE_GROUP.format(last=groups - 1)
        case FindPartner():
            return ("BARGAIN", "WAIT"), FIND_PARTNER
        case Bargain(partner, offer):
            told = f"It offers to keep 0.{offer} itself." if offer else "Nothing is offered yet."
            text = YOUR_TURN.format(partner=s.society.names[partner], offer=told)
            return ("PROPOSE", "ACCEPT", "END"), text
        case Play(social):
            where = "in the nearest chest" if s.has_chests else "where you stand"
            own = [SOCIAL[name].format(last=s.agents - 1) for name in SOCIAL if name in social]
            verbs = (*PLAYED, *(SOCIAL_VERBS[name] for name in social))
            return verbs, "\n".join([PLAY.format(where=where), *own])


def read_choice(s: PlanSituation, answer: str) -> Plan:
    """Return the plan in an answer to a situation.

    Raises:
        AnswerError: there is none that can be answered now.
    """
    verbs, _ = _forms(s)
    plan = read_plan(answer, list(s.goods), s.society.names, verbs)
    groups = s.choice.groups if isinstance(s.choice, ChooseGroup) else s.agents
    if plan.verb == "JOIN" and plan.count >= groups:
        raise AnswerError(f"there is no group {plan.count}")
    if plan.verb == "BARGAIN" and plan.count == s.number:
        raise AnswerError("nobody bargains with itself")
    if plan.verb == "ACCEPT" and isinstance(s.choice, Bargain) and not s.choice.offer:
        raise AnswerError("there is no offer to accept")
    return plan
