"""Executes plans. The next action of an agent always follows from the agent's plan and the agent's
map.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from voxpolis.bots.agents.planner.plans import Plan
from voxpolis.grid.adasociety import rules
from voxpolis.grid.adasociety.tables import PRODUCE, STAY
from voxpolis.worlds.adasociety.belief_map import BeliefMap, Cell

# Maximum steps of a plan before the mind is asked again.
MAX_STEPS = 40
# Number of steps of an exploration plan, and of waiting.
EXPLORE_STEPS, WAIT_STEPS = 8, 5
# Attempts to reach a goal occupied by another agent.
PATIENCE = 6
# Units within this many cells in each direction count as one pile.
PLACE_RADIUS = 2


@dataclass
class PlanExecution:
    """A plan in progress. ``outcome`` is empty while the plan is running. At the end, ``outcome``
    is ``done`` or the reason why the plan failed.
    """

    plan: Plan
    had: int
    max_steps: int = MAX_STEPS
    wait_steps: int = WAIT_STEPS
    steps: int = 0
    outcome: str = ""
    _blocked: int = field(default=0, repr=False)
    _walked: int = field(default=0, repr=False)
    _worked: int = field(default=0, repr=False)

    def next_action(self, knowledge: BeliefMap) -> int:
        """Return the plan's next action. The call that returns the last action also sets
        ``outcome``.
        """
        self.steps += 1
        if self.steps > self.max_steps:
            return self._end(f"not done after {self.max_steps} steps")
        steps = {
            "GATHER": self._gather,
            "CRAFT": self._craft,
            "DUMP": self._dump,
            "GO": self._go,
            "EXPLORE": self._explore,
            "WAIT": self._wait,
        }
        return steps.get(self.plan.verb, self._social)(knowledge)

    def _end(self, outcome: str) -> int:
        self.outcome = outcome
        return STAY

    def _gather(self, knowledge: BeliefMap) -> int:
        what, wanted = self.plan.what, self.plan.count
        got = knowledge.held.get(what, 0) - self.had
        ended = "done" if got >= wanted else self._why_not_gather(knowledge)
        if ended:
            return self._end(ended)
        lying = self._to_take(knowledge)
        if knowledge.position in lying:
            self._worked += 1
            if self._worked < knowledge.steps_to_collect.get(what, 1):
                return STAY
            self._worked = 0
            if got + 1 >= wanted:
                self.outcome = "done"
            return knowledge.tables.actions.pick + knowledge.names.resources.index(what)
        others = knowledge.others()
        free = [cell for cell in lying if cell not in others]
        goal = knowledge.nearest(free) or knowledge.nearest(list(lying))
        if goal is None:
            told = f"done: {got} {what}, no more is known"
            return self._end(told if got else f"no {what} known")
        return self._towards(knowledge, goal)

    def _why_not_gather(self, knowledge: BeliefMap) -> str:
        what = self.plan.what
        if not rules.has_room(knowledge.capacity, what, knowledge.held):
            return f"done: there is no room for more {what}"
        return "" if self._has_tool(knowledge, what) else f"the tool for {what} is missing"

    def _to_take(self, knowledge: BeliefMap) -> dict[Cell, int]:
        lying, keep = knowledge.units(self.plan.what), self.plan.keep
        if not keep:
            return lying
        return {cell: units for cell, units in lying.items() if _around(lying, cell) > keep}

    @staticmethod
    def _has_tool(knowledge: BeliefMap, what: str) -> bool:
        choices = int(knowledge.tables.with_any[knowledge.names.resources.index(what)])
        tools = [name for n, name in enumerate(knowledge.names.resources) if choices >> n & 1]
        return rules.has_any_tool(tools, knowledge.held)

    def _craft(self, knowledge: BeliefMap) -> int:
        what, names = self.plan.what, knowledge.names
        output = names.resources.index(what)
        makes = [e for e in range(knowledge.tables.events) if knowledge.tables.output[e] == output]
        if not makes:
            return self._end(f"nothing makes {what}")
        if knowledge.held.get(what, 0) - self.had >= self.plan.count:
            return self._end("done")
        lacking = self._lacking(knowledge, makes[0])
        if lacking:
            return self._end(lacking)
        stations = knowledge.stations(names.events[makes[0]])
        if knowledge.position in stations:
            if knowledge.held.get(what, 0) + 1 - self.had >= self.plan.count:
                self.outcome = "done"
            return PRODUCE
        others = knowledge.others()
        goal = knowledge.nearest([cell for cell in stations if cell not in others])
        if goal is None:
            return self._end(f"no station of {names.events[makes[0]]} known")
        return self._towards(knowledge, goal)

    def _lacking(self, knowledge: BeliefMap, event: int) -> str:
        what, names = self.plan.what, knowledge.names.resources
        inputs = dict(zip(names, knowledge.tables.inputs[event].tolist(), strict=True))
        if not rules.has_room(knowledge.capacity, what, knowledge.held):
            return f"there is no room for another {what}"
        for name in rules.lacking(inputs, knowledge.held):
            return f"it takes {inputs[name]} {name}"
        return ""

    def _explore(self, knowledge: BeliefMap) -> int:
        if self.steps >= EXPLORE_STEPS:
            self.outcome = "done"
        return self._towards(knowledge, knowledge.staleness())

    def _wait(self, _know: BeliefMap) -> int:
        if self.steps >= self.wait_steps:
            self.outcome = "done"
        return STAY

    def _dump(self, knowledge: BeliefMap) -> int:
        what = self.plan.what
        if not knowledge.held.get(what):
            told = f"done: {self.had} {what}, no more is held"
            return self._end(told if self.had else f"there is no {what} to dump")
        chests = knowledge.chests()
        if chests and knowledge.position not in chests:
            self.steps -= 1  # steps of the walk do not count
            self._walked += 1
            goal = knowledge.nearest(chests) or knowledge.position
            lost = self._walked > self.max_steps
            return self._end("no way to a chest") if lost else self._towards(knowledge, goal)
        if self.steps >= self.plan.count:
            self.outcome = "done"
        return knowledge.tables.actions.dump + knowledge.names.resources.index(what)

    def _go(self, knowledge: BeliefMap) -> int:
        goal = knowledge.cell(self.plan.place)
        if knowledge.distance(knowledge.position, goal) <= 1:
            return self._end("done")
        return self._towards(knowledge, goal)

    def _towards(self, knowledge: BeliefMap, goal: Cell) -> int:
        """Return a step towards ``goal``. The plan fails if other agents occupy the goal for too
        long.
        """
        move = knowledge.way(goal)
        if move is None:
            return self._end("there is no way")
        if goal in knowledge.others():
            self._blocked += 1
            if self._blocked > PATIENCE:
                return self._end("somebody stands there")
        return move

    def _social(self, knowledge: BeliefMap) -> int:
        """Return the action of a social plan, such as joining a group. Such a plan takes exactly
        one step.
        """
        self.outcome = "done"
        a, number = knowledge.tables.actions, self.plan.count
        start, end, offset = {
            "JOIN": (a.join, a.request, number),
            "SHARE": (a.share, a.join, number),
            "MESSAGE": (a.message, a.share, number),
            "BARGAIN": (a.request, a.propose, number),
            "PROPOSE": (a.propose, a.accept, number - 1),
            "ACCEPT": (a.accept, a.end, 0),
            "END": (a.end, a.total, 0),
        }[self.plan.verb]
        if not 0 <= offset < end - start:
            return self._end("that is not possible in this game")
        return start + offset


def _around(lying: Mapping[Cell, int], cell: Cell) -> int:
    """Return the number of units in a cell and in the cells around it, up to the radius in which
    dropped units may land.
    """
    return sum(
        units
        for other, units in lying.items()
        if max(abs(a - b) for a, b in zip(cell, other, strict=True)) <= PLACE_RADIUS
    )
