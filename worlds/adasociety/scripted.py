"""Scripted minds for the grid, which follow rules instead of asking a model. The minds get the same
situation that prompts describe to a model.

An agent with unlimited capacity works towards the most valuable resource by first making its
inputs. The other agents (carpenters and miners) make what they can. Near the middle of the map,
they drop their surplus and collect what others have made.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from voxpolis.bots.agents.planner.plans import NextPlan, Plan, step_of
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.grid.adasociety import rules
from voxpolis.worlds.adasociety.situation import (
    Bargain,
    ChooseGroup,
    FindPartner,
    PlanSituation,
    Play,
    Recipe,
)

# Number of units to gather before crafting: walks are long, and there are many stations.
BATCH = 5
# Radius of the exchange area around the middle, in steps.
MEETING_RADIUS = 3
# An even split, in tenths.
EVEN = 5

EXPLORE = Plan("EXPLORE")

# For whom scripted minds drop items: for any agent, or only for agents that pay them through a
# group.
Character = Literal["altruist", "selfish"]


def planner(character: Character = "altruist", *, tells: bool = False) -> Script:
    """Return a scripted mind: a function that answers each question with a plan.

    With ``tells``, the minds also send messages with words (:func:`tell`).
    """

    def answer(request: ChatRequest) -> NextPlan:
        about = request.about
        assert isinstance(about, PlanSituation)
        plan = plan_for(about, character)
        if tells:
            plan = tell(about, plan) or plan
        return NextPlan(plan=step_of(plan, about.society.names))

    return answer


def plan_for(s: PlanSituation, character: Character = "altruist") -> Plan:
    """Choose the plan of a scripted agent in a situation."""
    match s.choice:
        case ChooseGroup():
            return Plan("JOIN", 0)
        case FindPartner():
            partner = partner_for(s)
            return Plan("WAIT") if partner is None else Plan("BARGAIN", partner)
        case Bargain(_, offer):
            return Plan("ACCEPT") if offer == EVEN else Plan("PROPOSE", EVEN)
    if not s.room:
        return climb(s)
    for rule in (partial(hand_over, character=character), collect_what_others_made, work, gather):
        plan = rule(s)
        if plan:
            return plan
    return EXPLORE


def tell(s: PlanSituation, plan: Plan) -> Plan | None:
    """Return a plan to send a message about ``plan`` to the agent with the next number, or None if
    there is nothing new to say.

    There is something new to say if ``plan`` and the agent's last plan are about different things,
    and the last plan was not a message. Sending a message takes a step, and is only possible in
    games with messages.
    """
    if not isinstance(s.choice, Play) or "message" not in s.choice.social or s.agents == 1:
        return None
    if s.last and (s.last.verb == "MESSAGE" or s.last.what == plan.what):
        return None
    return Plan("MESSAGE", (s.number + 1) % s.agents, words=f"My next plan: {plan}.")


def climb(s: PlanSituation) -> Plan:
    """Return the next plan of an agent with unlimited capacity, on its way to the most valuable
    resource.
    """
    for recipe in sorted(s.recipes, key=lambda r: s.goods[r.output].worth, reverse=True):
        plan = step_towards(s, recipe.output, s.held.get(recipe.output, 0) + 1)
        if plan:
            return plan
    for what in sorted(s.around.lying, key=lambda name: s.goods[name].worth, reverse=True):
        plan = collect(s, what)
        if plan:
            return plan
    return EXPLORE


def collect(s: PlanSituation, what: str) -> Plan | None:
    """Return a plan to gather ``what`` if it is valuable and cannot be crafted. If a tool is needed
    first, return a plan to gather a tool that lies on the map.
    """
    if _recipe(s, what) or not s.goods[what].worth:
        return None
    tools = s.goods[what].tools
    if rules.has_any_tool(tools, s.held):
        return Plan("GATHER", lying(s, what), what)
    there = [tool for tool in tools if lying(s, tool)]
    return Plan("GATHER", 1, there[-1]) if there else None


def step_towards(s: PlanSituation, what: str, count: int) -> Plan | None:
    """Return the next plan on the way to holding ``count`` units of ``what``, or None if no plan
    leads there.
    """
    if lying(s, what):
        return Plan("GATHER", min(count - s.held.get(what, 0), lying(s, what)), what)
    recipe = _recipe(s, what)
    needed = recipe.requires if recipe and recipe.requires else s.goods[what].requires
    for tool in rules.missing(needed, s.held):
        return step_towards(s, tool, 1)
    explore = EXPLORE if s.around.unseen else None
    if recipe is None:
        return explore
    for part in rules.lacking(recipe.inputs, s.held):
        return step_towards(s, part, recipe.inputs[part])
    return Plan("CRAFT", 1, what) if recipe.station in s.around.stations else explore


def hand_over(s: PlanSituation, character: Character) -> Plan | None:
    """Drop surplus products where other agents will find them.

    A selfish agent only drops a product if an agent that can use the product shares its rewards
    with the selfish agent.
    """
    for recipe in s.recipes:
        what = recipe.output
        is_full = what in s.held and not rules.has_room(s.room, what, s.held)
        if character == "selfish" and not is_paid_for(s, what):
            continue
        if is_full and not rules.lacking(recipe.inputs, s.held):
            return Plan("DUMP", 1, what) if is_central(s) else go_to_the_middle(s)
    return None


def is_paid_for(s: PlanSituation, what: str) -> bool:
    """Return whether an agent with unlimited capacity for ``what`` shares its rewards with this
    agent.
    """
    society = s.society
    return any(
        what not in society.jobs[society.job_of[member]].room
        for group, members in society.groups.items()
        if s.groups.get(group)
        for member in members
    )


def partner_for(s: PlanSituation) -> int | None:
    """Return the agent to bargain with. The first agent of a job asks the first agent with another
    job, the second asks the second, and so on.

    The result is None if there is no such agent, or if both are in the same group, because members
    of one group cannot bargain.
    """
    jobs = s.society.job_of
    mine = [i for i, job in enumerate(jobs) if job == s.job]
    others = [i for i, job in enumerate(jobs) if job != s.job]
    place = mine.index(s.number)
    if not others:
        others, place = mine, place ^ 1
    if place >= len(others):
        return None
    groups = s.society.groups.values()
    are_one = any(s.number in members and others[place] in members for members in groups)
    return None if are_one else others[place]


def collect_what_others_made(s: PlanSituation) -> Plan | None:
    """Gather products that others have dropped, if this agent has unlimited capacity for them."""
    for recipe in reversed(s.recipes):
        what = recipe.output
        if lying(s, what) and what not in s.room:
            return Plan("GATHER", lying(s, what), what)
    return None


def work(s: PlanSituation) -> Plan | None:
    """Craft what is possible. An agent starts when it holds the inputs for a whole batch, or when
    no more inputs are known on the map, and then continues as long as it can.
    """
    is_under_way = s.last is not None and s.last.verb in ("CRAFT", "DUMP")
    for recipe in reversed(s.recipes):
        what, inputs = recipe.output, recipe.inputs
        runs = rules.runs_of(inputs, s.held)
        wanted = {part: BATCH * units for part, units in inputs.items()}
        more = [part for part in rules.lacking(wanted, s.held) if lying(s, part)]
        has_room = rules.has_room(s.room, what, s.held)
        if runs and has_room and (is_under_way or runs >= BATCH or not more):
            return Plan("CRAFT", 1, what) if is_central(s) else go_to_the_middle(s)
    return None


def gather(s: PlanSituation) -> Plan | None:
    """Gather the inputs for crafting, one batch of each. The input of which the agent holds least
    comes first. If no input is left to gather, gather anything else.
    """
    parts = list(dict.fromkeys(part for recipe in reversed(s.recipes) for part in recipe.inputs))
    for part in sorted(parts, key=lambda name: s.held.get(name, 0)):
        wanted = BATCH - s.held.get(part, 0)
        if lying(s, part) and rules.has_room(s.room, part, s.held) and wanted > 0:
            return Plan("GATHER", min(wanted, lying(s, part)), part)
    for what in s.around.lying:
        if what not in parts and not _recipe(s, what) and rules.has_room(s.room, what, s.held):
            return Plan("GATHER", lying(s, what), what)
    return None


def lying(s: PlanSituation, what: str) -> int:
    """Return how many units of a resource the agent knows to be on the map."""
    return s.around.lying[what].units if what in s.around.lying else 0


def is_central(s: PlanSituation) -> bool:
    """Return whether the agent is in the area in the middle of the map where products are
    exchanged. On a small map, this area covers everything.
    """
    if max(s.size) <= 2 * MEETING_RADIUS + 1:
        return True
    away = sum(abs(part - size // 2) for part, size in zip(s.place, s.size, strict=True))
    return away <= MEETING_RADIUS


def go_to_the_middle(s: PlanSituation) -> Plan:
    """Return a plan to go to the exchange area."""
    return Plan("GO", place=(s.size[0] // 2, s.size[1] // 2))


def _recipe(s: PlanSituation, what: str) -> Recipe | None:
    return next((recipe for recipe in reversed(s.recipes) if recipe.output == what), None)
