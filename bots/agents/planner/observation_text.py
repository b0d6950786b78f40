"""An agent's situation on the grid in words, for the prompt that asks it for a plan."""

from __future__ import annotations

from collections.abc import Mapping

from bots.agents.planner.belief_map import Cell
from bots.agents.planner.situation import (
    Bargain,
    Choice,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    Sighting,
    Surroundings,
)
from bots.prompts import render

PLAY = """\
One line, one plan:
GATHER n RESOURCE: find and pick up n units. CRAFT n RESOURCE: make n at stations.
DUMP n RESOURCE: lay n down where you stand, for others to pick up. GO TO (row, column).
EXPLORE MAP: look at what you have not seen for long. WAIT: stay where you are for a while."""
CHOOSE_GROUP = "It is your turn to join a group. One line: JOIN GROUP n, with n from 0 to {last}."
FIND_PARTNER = """\
Before the game you can bargain with another agent over how to share rewards; two who ask for each
other in the same step begin. One line: BARGAIN WITH n, with n from 0 to {last}, not yourself."""
YOUR_TURN = """\
You bargain with agent {partner}. {offer}
One line: PROPOSE 0.x (what you keep; the rest goes to the other and its group), ACCEPT (the offer
that stands), or END."""


def plan_prompt(s: PlanSituation) -> str:
    """Return the whole prompt."""
    return render(
        "planner/plan",
        number=str(s.number),
        agents=str(s.agents),
        job=s.job,
        height=str(s.size[0]),
        width=str(s.size[1]),
        sight=str(s.sight),
        rules="\n".join(_rules(s)),
        limits=_limits(s),
        step=str(s.step),
        length=str(s.length),
        place=_cell(s.place),
        held=held_text(s.held),
        society=_society(s),
        map="\n".join(known_map(s.around)),
        last=f"{s.last}: {s.outcome}" if s.last else "none yet",
        choice=_choice(s.choice, s.agents),
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


def _limits(s: PlanSituation) -> str:
    limits = [f"you can hold {most} {name}" for name, most in s.room.items()]
    return f"{', '.join(limits) or 'you can hold any number of everything'}."


def _society(s: PlanSituation) -> str:
    mine = [f"group {group} (weight {weight:.3g})" for group, weight in s.groups.items()]
    return f"You are in {', '.join(mine)}." if mine else "You are in no group."


def known_map(around: Surroundings) -> list[str]:
    """Return what an agent knows of the map, a line for each kind of thing."""
    lines = [f"- chest at {_cell(cell)}" for cell in around.chests]
    lines += [f"- {at.units} {name} {_at(at)}" for name, at in around.lying.items()]
    lines += [f"- {name} stations {_at(at)}" for name, at in around.stations.items()]
    others = ", ".join(f"agent {agent} at {_cell(cell)}" for agent, cell in around.others.items())
    lines.append(f"- in sight: {others or 'nobody'}")
    return [*lines, f"- {around.unseen} cells were never seen"]


def _at(at: Sighting) -> str:
    return f"at {at.places} places, the nearest at {_cell(at.nearest)}, {at.steps} steps away"


def _cell(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"


def _choice(choice: Choice, agents: int) -> str:
    """Return what can be answered now."""
    match choice:
        case ChooseGroup(groups):
            return CHOOSE_GROUP.format(last=groups - 1)
        case FindPartner():
            return FIND_PARTNER.format(last=agents - 1)
        case Bargain(partner, offer):
            told = f"It offers to keep 0.{offer} itself." if offer else "Nothing is offered yet."
            return YOUR_TURN.format(partner=partner, offer=told)
    return PLAY
