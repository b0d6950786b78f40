"""An agent's situation on the grid in words, for the prompt that asks it for a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from voxpolis.bots.agents.planner.belief_map import Cell
from voxpolis.bots.agents.planner.plans import (
    Accept,
    AskToBargain,
    Craft,
    Dump,
    End,
    Explore,
    Gather,
    Go,
    Join,
    Propose,
    SendMessage,
    Share,
    Vocabulary,
    Wait,
)
from voxpolis.bots.agents.planner.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    Play,
    Sighting,
    Surroundings,
)
from voxpolis.bots.agents.planner.society_text import examples, jobs_text, society_text
from voxpolis.bots.models import Answer, Message
from voxpolis.bots.prompts import messages, render

#: What each plan means, for prompts: many servers do not show the schema to the model.
MEANINGS: Mapping[type[Answer], str] = {
    Gather: "GATHER: find the nearest of a thing and pick up `count` of them",
    Craft: "CRAFT: make `count` of a thing at its stations",
    Dump: "DUMP: lay `count` of a thing down {where}, for others to pick up",
    Go: "GO: walk to a cell (row, column)",
    Explore: "EXPLORE: look at what you have not seen for long",
    Wait: "WAIT: stay where you are for a while",
    Join: "JOIN: leave your groups and join one, from 0 to {last}",
    Share: "SHARE: show a player what you see from now on, or no longer",
    SendMessage: "MESSAGE: send a player a message, which says no more than that",
    AskToBargain: (
        "BARGAIN: ask another player to bargain; two who ask for each other in the same step begin"
    ),
    Propose: (
        "PROPOSE: offer that you and your group keep `tenths` tenths, and the other side the rest"
    ),
    Accept: "ACCEPT: accept the offer that stands",
    End: "END: end the bargain",
}
PLAYED: tuple[type[Answer], ...] = (Gather, Craft, Dump, Explore, Go, Wait)
SOCIAL: Mapping[str, type[Answer]] = {"join": Join, "share": Share, "message": SendMessage}


def plan_messages(s: PlanSituation) -> list[Message]:
    """Return what a model is asked: the game and its plans, and the agent's situation."""
    return messages(
        "planner/plan",
        game=game_text(s),
        plans=_plans(s),
        examples=examples(s),
        situation=situation_text(s),
        choice=_choice(s),
    )


def game_text(s: PlanSituation) -> str:
    """Return the rules of the game as an agent of a job knows them."""
    return render(
        "planner/game",
        height=str(s.size[0]),
        width=str(s.size[1]),
        sight=str(s.sight),
        rules="\n".join(_rules(s)),
        jobs=jobs_text(s),
    )


def situation_text(s: PlanSituation) -> str:
    """Return how things are for an agent at a step."""
    return render(
        "planner/situation",
        name=s.society.names[s.number],
        agents="the only player" if s.agents == 1 else f"one of {s.agents} players",
        job=s.job,
        step=str(s.step),
        length=str(s.length),
        place=_cell(s.place),
        held=held_text(s.held),
        society=society_text(s),
        map="\n".join(known_map(s.around, s.society.names)),
        last=f"{_plan(s)}: {s.outcome}" if s.last else "none yet",
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


def vocabulary(s: PlanSituation) -> Vocabulary:
    """Return what an agent can answer in a situation."""
    kinds: tuple[type[Answer], ...]
    groups = s.agents
    match s.choice:
        case ChooseGroup(count):
            kinds, groups = (Join,), count
        case FindPartner():
            kinds = (AskToBargain, Wait)
        case Bargain(_, offer):
            kinds = (Propose, Accept, End) if offer else (Propose, End)
        case Play(social):
            kinds = (*PLAYED, *(kind for name, kind in SOCIAL.items() if name in social))
    names = tuple(s.society.names)
    return Vocabulary(kinds, tuple(s.goods), names, names[s.number], groups)


def _plans(s: PlanSituation) -> str:
    """Return what each plan means that can be answered now."""
    known = vocabulary(s)
    where = "in the nearest chest" if s.has_chests else "where you stand"
    lines = (MEANINGS[kind].format(where=where, last=known.groups - 1) for kind in known.kinds)
    return "\n".join(f"- {line}." for line in lines)


def _choice(s: PlanSituation) -> str:
    """Return what is to be decided now."""
    match s.choice:
        case ChooseGroup():
            return "It is your turn to join a group. Which?"
        case FindPartner():
            return "You can ask another player to bargain, or wait. What do you do?"
        case Bargain(partner, offer):
            told = f"It offers to keep 0.{offer} itself." if offer else "Nothing is offered yet."
            return f"You bargain with {s.society.names[partner]}. {told} What do you do?"
    return "What do you do next?"
