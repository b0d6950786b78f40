"""Programs of plans: what an agent on the grid does from start to end, asked once."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from bots.action import Briefing, Language
from bots.controllers.execution import Execution
from bots.controllers.knowledge import Knowledge
from bots.controllers.plans import Plan, read_plan
from bots.parsing import AnswerError
from bots.prompts import render
from grid.adasociety.tables import STAY

_BLOCK = re.compile(r"```(?:\w+)?[ \t]*\r?\n(.*?)```", re.DOTALL)
MAX_PLANS = 200


def plan_language(resources: list[str], players: list[str]) -> Language:
    """What action sub-agents on the grid write, and how they are asked for it."""

    def system(briefing: Briefing) -> str:
        return render(
            "grid/program",
            agent=briefing.agent,
            briefing=briefing.situation,
            contract=briefing.contract or "None: everyone keeps what they hold at the end.",
            resources=", ".join(resources),
        )

    def read(answer: str) -> str:
        blocks = [block for block in _BLOCK.findall(answer) if block.strip()]
        if not blocks:
            raise AnswerError("the answer holds no block between ``` and ```")
        return "\n".join(map(str, read_plans(blocks[-1], resources, players))) + "\n"

    return Language(system, read, nothing="WAIT\n")


def read_plans(text: str, resources: list[str], players: list[str]) -> list[Plan]:
    """The plans of a program, one a line.

    Raises:
        AnswerError: a line is no plan, or there are none or too many.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not 0 < len(lines) <= MAX_PLANS:
        raise AnswerError(f"a program has 1 to {MAX_PLANS} lines, one plan each")
    plans = []
    for number, line in enumerate(lines, start=1):
        try:
            plans.append(read_plan(line, resources, players))
        except AnswerError as error:
            raise AnswerError(f"line {number}, {line[:60]!r}: {error}") from error
    return plans


@dataclass
class Mailboxes:
    """Signals that were sent and not yet taken: kept for who waits later."""

    _kept: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def send(self, sender: str, to: str) -> None:
        """Signal one player."""
        self._kept[sender, to] += 1

    def take(self, sender: str, to: str) -> bool:
        """Take a signal, if there is one."""
        if not self._kept[sender, to]:
            return False
        self._kept[sender, to] -= 1
        return True


class Performer:
    """Executes one agent's program; a plan that fails is noted, and the next one goes on."""

    def __init__(self, player: str, know: Knowledge, plans: list[Plan], mail: Mailboxes) -> None:
        self.player = player
        self.know = know
        self.logs: list[str] = []
        #: Whom it signalled in its last step.
        self.signalled: list[str] = []
        self._left = list(plans)
        self._mail = mail
        self._now: Execution | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return not self._left and self._now is None

    def act(self, observed: dict[str, npt.NDArray[Any]]) -> int:
        """The next action, given the agent's own observation."""
        self.signalled = []
        position, inventory, window = (observed[n] for n in ("position", "inventory", "window"))
        self.know.see(position, inventory, window, int(observed["step"]))
        while True:
            if self._now is None and not self._begin():
                return self._step_aside()
            assert self._now is not None
            execution, action = self._now, self._now.next_action(self.know)
            if execution.outcome:
                self.logs.append(f"{execution.plan}: {execution.outcome}")
                self._now = None
            if not execution.outcome or action != STAY:
                return action

    def _step_aside(self) -> int:
        """Who has nothing to do does not stand in front of the chest, where others want to go."""
        if self.know.position not in self.know.chests():
            return STAY
        move = self.know.way(self.know.staleness())
        return STAY if move is None else move

    def _begin(self) -> bool:
        """Go on to the next plan; false where there is none, or it waits for a signal."""
        while self._left:
            plan = self._left[0]
            if plan.verb == "AWAIT" and not self._mail.take(plan.what, self.player):
                return False
            self._left.pop(0)
            if plan.verb == "SIGNAL":
                self._mail.send(self.player, plan.what)
                self.signalled.append(plan.what)
            elif plan.verb != "AWAIT":
                self._now = Execution(plan, had=self.know.held.get(plan.what, 0))
                return True
        return False
