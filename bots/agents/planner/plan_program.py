"""Programs of plans: what a body on the grid executes from start to end."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy.typing as npt

from bots.agents.planner.belief_map import BeliefMap
from bots.agents.planner.coordinates import GROUND
from bots.agents.planner.execution import MAX_STEPS, PlanExecution
from bots.agents.planner.plan_reading import read_one, read_plan
from bots.agents.planner.plan_remarks import OWN, REMARK, WORDS, free_remark, refuse_remark
from bots.agents.planner.plans import ALL, ANYONE, FIRST_WORDS, Plan
from bots.agents.protocol import Briefing, StepFormat
from bots.models import Message
from bots.prompts import quoted, render
from bots.structured import (
    AnswerError,
    UnconfirmedError,
    alone,
    fenced,
    in_steps,
    plain,
    read_objects,
    unboxed,
    was_said,
)
from grid.adasociety.tables import STAY

#: The same of a whole line, and what a block may be called.
_COMMENT = re.compile(r"\s*(?:#|//|<!--).*")
_LANGUAGES = frozenset(("plan", "plans", "program", "bash", "python", "plaintext"))
#: A mark before a plan by which it may be none: of a change, a comment, a cross or a box.
_MARKED = re.compile(
    r"(?:[-*]\s+)?(?:\+\s|;|~~|\[[ xX]?\]|[\u2713-\u2718\u274c\u274e\u2705\u2610-\u2612])"
)
#: A line that only fences a block.
_FENCE = re.compile(r"\s*(?:```|~~~)")
#: What the object of an answer in JSON calls its program.
#: How an object calls the list of a program's lines.
_LISTS = ("program", "plans", "steps", "actions", "lines")
_FIELD = re.compile(r"^\s*PROGRAM:\s*")
#: The first words of plans, in capitals: prose has none of them.
_NAMES = re.compile(rf"\b(?:{'|'.join(FIRST_WORDS)})\b")
MAX_PLANS = 200
NO_CONTRACT = "None: everyone keeps what they hold at the end."


@dataclass(frozen=True)
class PlanFormat(StepFormat):
    """Plans over the things and players of a world."""

    resources: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    has_chest: bool = True


#: Verbs that need something to gather, and a chest to lay it into.
_NEEDS_THINGS, _NEEDS_CHEST = "GATHER", "DUMP"
#: Where things can be gathered, too, where there is a chest.
_IN_CHEST = "; what\n  lies in a chest is picked up there"
_ITEM = re.compile(r"\n(?=- `)")


def vocabulary(policy_format: PlanFormat) -> str:
    """Return what plans there are in a world, for prompts: those that its things allow."""
    missing = () if policy_format.resources else (_NEEDS_THINGS, _NEEDS_CHEST)
    missing = (*missing, *(() if policy_format.has_chest else (_NEEDS_CHEST,)))
    chest = _IN_CHEST if policy_format.has_chest else ""
    items = _ITEM.split(render("planner/vocabulary", chest=chest))
    return "\n".join(
        item for item in items if not item.startswith(tuple(f"- `{v}" for v in missing))
    )


def things(policy_format: PlanFormat) -> str:
    """Return what there is on the grid, in words."""
    named = f"On the grid things are called: {', '.join(policy_format.resources)}. "
    return f"{named if policy_format.resources else ''}You see the whole platform."


def plan_format(
    resources: Sequence[str], players: Sequence[str], *, has_chest: bool = True
) -> PlanFormat:
    """Return what policies on the grid are written in, and how agents are asked for them.

    ``has_chest``: whether there is one that things can be laid into.
    """

    def told(briefing: Briefing) -> dict[str, str]:
        return {
            "agent": briefing.agent,
            "briefing": briefing.told,
            "contract": quoted(briefing.contract) or NO_CONTRACT,
            "things": things(made),
            "vocabulary": vocabulary(made),
        }

    def system(briefing: Briefing) -> str:
        return render("planner/program", **told(briefing))

    def ask_step(briefing: Briefing, observation: str, last: str) -> list[Message]:
        text = render("planner/next", **told(briefing), observation=observation, last=last)
        return [{"role": "user", "content": text}]

    made = PlanFormat(
        "plans",
        system,
        lambda answer: _read_only_program(answer, resources, players),
        "WAIT\n",
        "on a grid",
        ask_step,
        lambda answer: _read_step(answer, resources, players),
        tuple(resources),
        tuple(players),
        has_chest,
    )
    return made


def _read_step(answer: str, resources: Sequence[str], players: Sequence[str]) -> str:
    """Return the plan of an answer, of which there is one at a time.

    Raises:
        AnswerError: there is none, or it is one that makes sense in a program only.
    """
    plan = read_plan(answer, list(resources), players, axes=GROUND)
    if plan.verb == "REPEAT":
        raise AnswerError("REPEAT is for programs; write the plan that comes next")
    return str(plan)


def _read_only_program(answer: str, resources: Sequence[str], players: Sequence[str]) -> str:
    """Return the program of an answer, with which nothing is said that may limit it.

    Raises:
        UnconfirmedError: there are free words beside it, or in remarks of its lines.
        AnswerError: there is none, or something else is attached to it.
    """
    program = alone(
        answer,
        lambda text: _read_program(text, resources, players),
        OWN,
        free=True,
        beside=None if "```" in answer else _COMMENT,
        languages=_LANGUAGES,
    )
    lines = [line for _, text in fenced(answer) for line in text.splitlines()]
    remark = free_remark(lines or answer.splitlines(), _words(resources))
    if remark and not was_said(program, is_free=True):
        raise UnconfirmedError(program, remark)
    return program


def _words(resources: Sequence[str]) -> frozenset[str]:
    """Return the words of remarks that limit nothing: no player's name is one."""
    return WORDS.union(*(name.lower().split("_") for name in resources))


def _read_program(answer: str, resources: Sequence[str], players: Sequence[str]) -> str:
    """Return the program of an answer, a plan a line.

    Raises:
        AnswerError: there is none, or there are several that differ.
    """
    blocks = [text for _, text in fenced(answer) if not text.lstrip().startswith(("{", "["))]
    steps = in_steps(answer)
    if steps is not None:
        blocks = [steps]
    if not blocks:
        blocks = [_unfenced(answer, resources, players)]
    programs: dict[str, str] = {}
    problem: AnswerError | None = None
    for block in blocks:
        try:
            plans = read_plans(block, resources, players)
        except AnswerError as error:
            problem = error if problem is None or _NAMES.search(block) else problem
            continue
        program = "\n".join(map(str, plans)) + "\n"
        programs.pop(program, None)
        programs[program] = block
    if len(programs) > 1:
        raise AnswerError("the answer holds several programs; write one, your own, in one block")
    if not programs or (problem is not None and _is_about_plans(blocks, resources, players)):
        assert problem is not None
        raise problem
    return list(programs)[-1]


def _is_about_plans(
    blocks: Sequence[str], resources: Sequence[str], players: Sequence[str]
) -> bool:
    """Whether a block that is no program names plans: it may be the one that was meant."""
    for block in blocks:
        try:
            read_plans(block, resources, players)
        except AnswerError:
            if any(_NAMES.match(plain(line)) for line in block.splitlines()):
                return True
    return False


def read_plans(text: str, resources: Sequence[str], players: Sequence[str]) -> list[Plan]:
    """Return the plans of a program, one a line.

    Raises:
        AnswerError: a line is no plan, REPEAT is not the last one, or there are none or too many.
    """
    lines = [line.strip() for line in text.splitlines() if REMARK.sub("", line).strip()]
    if any(_MARKED.match(line) for line in lines):
        raise AnswerError("a line has a mark that may take it out; write the plans alone")
    if not 0 < len(lines) <= MAX_PLANS:
        raise AnswerError(f"a program has 1 to {MAX_PLANS} lines, one plan each")
    plans = []
    known = _words(resources)
    for line in text.splitlines():
        if not REMARK.sub("", line).strip():
            refuse_remark(line, known, players)
    for number, line in enumerate(lines, start=1):
        try:
            plans.append(read_one(REMARK.sub("", line), list(resources), players, axes=GROUND))
        except AnswerError as error:
            raise AnswerError(f"line {number}, {line[:60]!r}: {error}") from error
    if any(plan.verb == "REPEAT" for plan in (*plans[:-1], plans[0])):
        raise AnswerError("REPEAT is a program's last line, below what is to be done again")
    return plans


def _unfenced(answer: str, resources: Sequence[str], players: Sequence[str]) -> str:
    """Return the program of an answer without a block, or of its JSON object.

    Its lines stand together; around them may be sentences, in which no plan is named.
    """
    raw = (_listed(answer) or unboxed(answer)).strip().splitlines()
    told = [_FIELD.sub("", line) for line in raw if not _FENCE.match(line)]
    said = [line for line in told if REMARK.sub("", line).strip()]
    try:
        read_plans("\n".join(said), resources, players)
    except AnswerError:
        are_plans = [bool(_NAMES.match(plain(line))) for line in said]
        rest = [line for line, is_plan in zip(said, are_plans, strict=True) if not is_plan]
        pieces = [is_plan for is_plan, _ in groupby(are_plans)]
        if sum(pieces) != 1 or any(map(_NAMES.search, rest)):
            raise AnswerError("the answer holds no block between ``` and ```") from None
        said = [line for line, is_plan in zip(said, are_plans, strict=True) if is_plan]
    return "\n".join(said)


def _listed(answer: str) -> str:
    """Return the lines of the program that an answer's only object lists; empty: there is none."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return ""
    lists = [value for key, value in found.items() if str(key).lower() in _LISTS]
    if len(lists) != 1 or not isinstance(lists[0], list):
        return ""
    return "\n".join(map(str, lists[0]))


@dataclass
class Mailboxes:
    """Signals that were sent and not yet taken: kept for whoever waits later.

    As in Minecraft (``bridge/js/mailboxes.js``) a signal is for one player or for all others, and
    one waits for a player's or for anyone's.
    """

    players: Sequence[str]
    _kept: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def send(self, sender: str, to: str) -> None:
        """Signal one player, or all others."""
        for player in self.players if to == ALL else (to,):
            if player != sender or to != ALL:
                self._kept[sender, player] += 1

    def take(self, sender: str, to: str) -> bool:
        """Take a signal, if there is one; return whether there was."""
        for player in self.players if sender == ANYONE else (sender,):
            if self._kept[player, to]:
                self._kept[player, to] -= 1
                return True
        return False


class PlanExecutor:
    """Executes one agent's program; a plan that fails is noted, and the next one goes on."""

    def __init__(
        self,
        player: str,
        know: BeliefMap,
        plans: Sequence[Plan],
        mail: Mailboxes,
        max_steps: int = MAX_STEPS,
    ) -> None:
        """Get ready; a plan that is not done after ``max_steps`` is skipped."""
        self.player = player
        self.know = know
        self.logs: list[str] = []
        #: Whom it signalled in its last step.
        self.signalled: list[str] = []
        self._program = list(plans)
        self._left = list(plans)
        self._mail = mail
        self._max_steps = max_steps
        self._now: PlanExecution | None = None
        #: Whether any plan was carried out, a signal sent, or one that was waited for taken.
        self._has_done = False

    @property
    def failure(self) -> str:
        """Why each plan failed, where all of the program did; empty where any was carried out."""
        tried = [plan for plan in self._program if plan.verb != "REPEAT"]
        if self._has_done or len(self.logs) < max(len(tried), 1):
            return ""
        return f"no plan could be carried out: {'; '.join(self.logs[: len(tried)])}"

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return not self._left and self._now is None

    def act(self, observed: Mapping[str, npt.NDArray[Any]]) -> int:
        """Return the next action, given the agent's own rows of the observation.

        Args:
            observed: ``position`` (2,), ``inventory`` (R,), ``window`` (S, S, C) and ``step`` ().
        """
        self.signalled = []
        self.know.see(observed)
        for _ in range(len(self._program) + 1):  # a program in which all fails takes a step, too
            if self._now is None and not self._begin():
                return self.idle_action()
            assert self._now is not None
            execution = self._now
            if self._is_called(execution.plan):
                self._end("done: signalled")
                continue
            action = execution.next_action(self.know)
            if execution.outcome and execution.plan.until:
                self._now = self._execution(execution.plan)  # on until the signal comes
                return action
            if execution.outcome:
                self._end(execution.outcome)
            if not execution.outcome or action != STAY:
                return action
        return STAY

    def _is_called(self, plan: Plan) -> bool:
        """Whether the signal has come that ends a plan."""
        return bool(plan.until) and self._mail.take(plan.until, self.player)

    def _end(self, outcome: str) -> None:
        assert self._now is not None
        self.logs.append(f"{self._now.plan}: {outcome}")
        self._has_done |= outcome.startswith("done")
        self._now = None

    def _execution(self, plan: Plan) -> PlanExecution:
        return PlanExecution(plan, self.know.held.get(plan.what, 0), self._max_steps)

    def idle_action(self) -> int:
        """Return what to do with nothing to do: leave the chest, where others want to go."""
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
            self._has_done |= plan.verb in ("SIGNAL", "AWAIT")
            if plan.verb == "SIGNAL":
                self._mail.send(self.player, plan.what)
                self.signalled.append(plan.what)
            elif plan.verb == "REPEAT":
                self._left = list(self._program)
                return False  # with the next step, so that a loop always takes time
            elif plan.verb != "AWAIT":
                self._now = self._execution(plan)
                return True
        return False
