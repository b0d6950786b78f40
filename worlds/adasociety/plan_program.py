"""Programs that consist of plans. On the grid, bodies execute these programs instead of
JavaScript.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from voxpolis.bots.agents.planner.plans import (
    ALL,
    ANYONE,
    Dump,
    GatherUntil,
    Go,
    NextPlan,
    Plan,
    Program,
    Repeat,
    Signal,
    Vocabulary,
    Wait,
    WaitFor,
    check_program,
    next_plan,
    plan_of,
    program,
)
from voxpolis.bots.agents.protocol import Briefing, Policy, StepFormat
from voxpolis.bots.models import Answer, Message
from voxpolis.bots.prompts import messages, quoted, render
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.worlds.adasociety.belief_map import BeliefMap
from voxpolis.worlds.adasociety.execution import MAX_STEPS, PlanExecution

NO_CONTRACT = "None: everyone keeps what they hold at the end."


@dataclass(frozen=True)
class PlanFormat(StepFormat):
    """The format of programs that consist of plans about a world's resources and players."""

    resources: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    has_chest: bool = True


def kinds_of(policy_format: PlanFormat) -> tuple[type[Answer], ...]:
    """Return the kinds of plan that make sense with a world's resources and players."""
    has_things, has_others = bool(policy_format.resources), len(policy_format.players) > 1
    return (
        *((GatherUntil,) if has_things else ()),
        *((Dump,) if has_things and policy_format.has_chest else ()),
        *(Go, Wait),
        *((Signal, WaitFor) if has_others else ()),
    )


# Descriptions of plans in an arena, for prompts.
MEANINGS: Mapping[type[Answer], str] = {
    GatherUntil: (
        "GATHER: find the nearest of a thing, walk there and pick up `count` of them (what is dug "
        "is in your hands{chest}). If the thing needs a tool, you must hold it: gather the tool "
        "first. With `keep` you leave places alone where so many or fewer stand together. With "
        "`until` you go on, as often as there is something, until that player signals"
    ),
    Dump: "DUMP: walk to the chest and put `count` of a thing in",
    Go: "GO: walk to a place (x, z)",
    Wait: "WAIT: stay where you are for a while",
    Signal: "SIGNAL: signal a player, or ALL; the signal is kept until that player waits for it",
    WaitFor: "WAIT_FOR: sleep until a player, or ANYONE, has signalled",
}


def vocabulary(policy_format: PlanFormat) -> str:
    """Describe the available plans for a prompt."""
    chest = "; what lies in a chest is picked up there" if policy_format.has_chest else ""
    told = (MEANINGS[kind].format(chest=chest) for kind in kinds_of(policy_format))
    return "\n".join(f"- {text}." for text in told)


def things(policy_format: PlanFormat) -> str:
    """Name the resources on the grid for a prompt."""
    named = f"On the grid things are called: {', '.join(policy_format.resources)}. "
    return f"{named if policy_format.resources else ''}You see the whole platform."


def plan_format(
    resources: Sequence[str], players: Sequence[str], *, has_chest: bool = True
) -> PlanFormat:
    """Return the format of programs for the grid, including its description for prompts.

    ``has_chest`` says whether the world has a chest for items.
    """

    def told(briefing: Briefing) -> dict[str, str]:
        return {
            "agent": briefing.agent,
            "briefing": briefing.full_text,
            "contract": quoted(briefing.contract) or NO_CONTRACT,
            "things": things(made),
            "vocabulary": vocabulary(made),
        }

    def system(briefing: Briefing) -> str:
        return render("planner/program", **told(briefing))

    def ask_step(briefing: Briefing, observation: str, last: str) -> list[Message]:
        return messages("planner/next", **told(briefing), observation=observation, last=last)

    def known(agent: str, *more: type[Answer]) -> Vocabulary:
        return Vocabulary((*kinds_of(made), *more), tuple(resources), tuple(players), agent)

    def read_program(answer: Program) -> str:
        plans = check_program([plan_of(step, players) for step in answer.plans])
        return "".join(f"{plan}\n" for plan in plans)

    def read_step(answer: NextPlan) -> str:
        return str(plan_of(answer.plan, players))

    made = PlanFormat(
        "plans",
        system,
        Policy(Program, read_program, lambda agent: program(known(agent, Repeat))),
        "WAIT\n",
        "on a grid",
        ask_step,
        Policy(NextPlan, read_step, lambda agent: next_plan(known(agent))),
        tuple(resources),
        tuple(players),
        has_chest,
    )
    return made


@dataclass
class Mailboxes:
    """Signals that were sent and wait to be received. A receiver may take a signal long after it
    was sent.

    As in Minecraft (``bridge/js/mailboxes.js``), a signal is addressed to one player or to all
    other players. A receiver waits for the signal of a certain player or of any player.
    """

    players: Sequence[str]
    _kept: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def send(self, sender: str, to: str) -> None:
        """Send a signal to one player, or to all other players if ``to`` is ``ALL``."""
        for player in self.players if to == ALL else (to,):
            if player != sender or to != ALL:
                self._kept[sender, player] += 1

    def take(self, sender: str, to: str) -> bool:
        """Take a waiting signal, and return whether there was one."""
        for player in self.players if sender == ANYONE else (sender,):
            if self._kept[player, to]:
                self._kept[player, to] -= 1
                return True
        return False


class PlanExecutor:
    """Executes one agent's program. If a plan fails, the failure is logged and the next plan
    starts.
    """

    def __init__(
        self,
        player: str,
        knowledge: BeliefMap,
        plans: Sequence[Plan],
        mail: Mailboxes,
        max_steps: int = MAX_STEPS,
    ) -> None:
        """Prepare a program. A plan that takes more than ``max_steps`` steps is abandoned."""
        self.player = player
        self.knowledge = knowledge
        self.logs: list[str] = []
        # Receivers of signals sent in the last step.
        self.signalled: list[str] = []
        self._program = list(plans)
        self._left = list(plans)
        self._mail = mail
        self._max_steps = max_steps
        self._now: PlanExecution | None = None
        # Whether anything has worked so far: a plan was completed, a signal was sent, or an awaited
        # signal was received.
        self._has_done = False

    @property
    def failure(self) -> str:
        """The reason why each plan failed, if all plans failed; empty if at least one was carried
        out.
        """
        tried = [plan for plan in self._program if plan.verb != "REPEAT"]
        if self._has_done or len(self.logs) < max(len(tried), 1):
            return ""
        return f"no plan could be carried out: {'; '.join(self.logs[: len(tried)])}"

    @property
    def is_done(self) -> bool:
        return not self._left and self._now is None

    def act(self, observed: Mapping[str, npt.NDArray[Any]]) -> int:
        """Return the agent's next action.

        Args:
            observed: the agent's rows of the observation: ``position`` (2,), ``inventory`` (R,),
                ``window`` (S, S, C) and ``step`` ().
        """
        self.signalled = []
        self.knowledge.see(observed)
        # a program in which every plan fails also takes a step
        for _ in range(len(self._program) + 1):
            if self._now is None and not self._begin():
                return self.idle_action()
            assert self._now is not None
            execution = self._now
            if self._is_called(execution.plan):
                self._end("done: signalled")
                continue
            action = execution.next_action(self.knowledge)
            if execution.outcome and execution.plan.until:
                # continue in later steps until the signal comes
                self._now = self._execution(execution.plan)
                return action
            if execution.outcome:
                self._end(execution.outcome)
            if not execution.outcome or action != STAY:
                return action
        return STAY

    def _is_called(self, plan: Plan) -> bool:
        return bool(plan.until) and self._mail.take(plan.until, self.player)

    def _end(self, outcome: str) -> None:
        assert self._now is not None
        self.logs.append(f"{self._now.plan}: {outcome}")
        self._has_done |= outcome.startswith("done")
        self._now = None

    def _execution(self, plan: Plan) -> PlanExecution:
        return PlanExecution(plan, self.knowledge.held.get(plan.what, 0), self._max_steps)

    def idle_action(self) -> int:
        """Return an action for an agent that has nothing to do. An agent that stands at the chest
        steps away so that others can reach the chest; any other agent stays.
        """
        if self.knowledge.position not in self.knowledge.chests():
            return STAY
        move = self.knowledge.way(self.knowledge.staleness())
        return STAY if move is None else move

    def _begin(self) -> bool:
        """Start the next plan. Return False if no plan is left, or if the next plan waits for a
        signal.
        """
        while self._left:
            plan = self._left[0]
            if plan.verb == "AWAIT" and not self._mail.take(plan.what, self.player):
                return False
            self._left.pop(0)
            self._has_done |= plan.verb in ("SIGNAL", "AWAIT")
            if plan.verb == "SIGNAL":
                self._mail.send(self.player, plan.what)
                self.signalled.append(plan.what)
            elif plan.verb == "REPEAT":
                self._left = list(self._program)
                return False  # continue in the next step, so that loops always take time
            elif plan.verb != "AWAIT":
                self._now = self._execution(plan)
                return True
        return False
