"""An agent's situation in words, for the prompt that asks it for a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bots.agents.planner.belief_map import BeliefMap, Cell
from bots.agents.planner.execution import PlanExecution
from bots.prompts import render
from grid.adasociety.game import Rules
from grid.adasociety.tables import SPLITS, UNLIMITED

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


def situation(
    know: BeliefMap,
    rules: Rules,
    observed: dict[str, npt.NDArray[np.generic]],
    mask: npt.NDArray[np.uint8],
    last: PlanExecution | None,
) -> str:
    """The whole prompt.

    Args:
        know: what the agent knows.
        rules: of the game.
        observed: the agent's own rows of ``group``, ``weight`` and, if there is, ``bargain``.
        mask: which actions have an effect now.
        last: the plan before, if there was one.
    """
    t = know.tables
    return render(
        "planner/plan",
        number=str(know.agent),
        agents=str(t.agents),
        job=know.job,
        height=str(t.height),
        width=str(t.width),
        sight=str(t.sight[know.agent]),
        rules="\n".join(_rules(know, rules)),
        limits=_limits(know),
        step=str(know.step),
        length=str(t.length),
        place=_cell(know, know.position),
        held=", ".join(f"{count} {name}" for name, count in know.held.items()) or "nothing",
        society=_society(observed),
        map="\n".join(known_map(know)),
        last=f"{last.plan}: {last.outcome}" if last else "none yet",
        choice=_choice(know, observed.get("bargain"), mask),
    )


def _rules(know: BeliefMap, rules: Rules) -> list[str]:
    """What things are worth to this agent, what they need and what they are made of."""
    lines = []
    for name in know.names.resources:
        needed = rules.resources[name].requires
        needs = f"; to see and collect it, hold {' and '.join(needed)}" if needed else ""
        tools = rules.resources[name].tools
        needs += f"; to collect it, hold {' or '.join(tools)}" if tools else ""
        lines.append(f"- {name} is worth {rules.score(know.job, {name: 1}):g} to you{needs}")
    for name in know.names.events:
        event = rules.events[name]
        inputs = " and ".join(f"{count} {what}" for what, count in event.inputs.items())
        needs = f", if you hold {' and '.join(event.requires)}" if event.requires else ""
        lines.append(f"- a {name} station makes 1 {event.output} of {inputs}{needs}")
    return lines


def _limits(know: BeliefMap) -> str:
    room = zip(know.names.resources, know.tables.capacity[know.agent], strict=True)
    limits = [f"you can hold {most} {name}" for name, most in room if most < UNLIMITED]
    return f"{', '.join(limits) or 'you can hold any number of everything'}."


def _society(observed: dict[str, npt.NDArray[np.generic]]) -> str:
    groups = zip(observed["group"].tolist(), observed["weight"].tolist(), strict=True)
    mine = [f"group {group} (weight {weight:.3g})" for group, weight in groups if group >= 0]
    return f"You are in {', '.join(mine)}." if mine else "You are in no group."


def known_map(know: BeliefMap) -> list[str]:
    """What an agent knows of the map, a line for each kind of thing."""
    lines = [f"- chest at {_cell(know, cell)}" for cell in know.chests()]
    for name in know.names.resources:
        lying = know.units(name)
        if lying:
            lines.append(f"- {sum(lying.values())} {name} {_at(know, list(lying))}")
    for name in know.names.events:
        stations = know.stations(name)
        if stations:
            lines.append(f"- {name} stations {_at(know, stations)}")
    others = ", ".join(
        f"agent {agent} at {_cell(know, cell)}" for cell, agent in know.others().items()
    )
    unseen = int((know.seen_at < 0).sum())
    return [*lines, f"- in sight: {others or 'nobody'}", f"- {unseen} cells were never seen"]


def _at(know: BeliefMap, cells: list[Cell]) -> str:
    nearest = know.nearest(cells)
    assert nearest is not None
    away = know.distance(know.position, nearest)
    return f"at {len(cells)} places, the nearest at {_cell(know, nearest)}, {away} steps away"


def _cell(know: BeliefMap, cell: Cell) -> str:
    row, column = know.called(cell)
    return f"({row}, {column})"


def _choice(know: BeliefMap, bargain: npt.NDArray[Any] | None, mask: npt.NDArray[np.uint8]) -> str:
    """What can be answered now."""
    t, a = know.tables, know.tables.actions
    if know.step < t.contract_steps:
        return CHOOSE_GROUP.format(last=t.groups - 1)
    if know.step >= t.negotiation_steps or bargain is None:
        return PLAY
    if not mask[a.propose : a.propose + SPLITS].any():
        return FIND_PARTNER.format(last=t.agents - 1)
    partner, _, offer, _ = bargain.tolist()
    told = f"It offers to keep 0.{offer} itself." if offer else "Nothing is offered yet."
    return YOUR_TURN.format(partner=partner, offer=told)
