"""Citizens of other kinds: agents that drive a body of a society by policies of its verbs.

A PIANO agent decides by its controller. In its place any kind of agent that writes plans can stand,
a step at a time or a whole program: each step is what a controller could decide, or words, or a
goal. What a body does by itself stays PIANO's: it perceives, remembers, takes note of what came of
its actions, carries them out, and gets away from what hurts (:data:`BODILY`).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bots.agents.piano.agent import Agent
from bots.agents.piano.digest import Digest, digest
from bots.agents.piano.modules import goals, planning, talking
from bots.agents.piano.modules.controller import DecideRequest, known_to, question
from bots.agents.piano.task import NO_ACTION, Action, Decision
from bots.agents.protocol import Briefing, PolicyFormat, StepFormat
from bots.models import Message
from bots.prompts import render
from bots.structured import AnswerError, alone, fenced, is_remark, lines, own_words, plain, tagged
from bridge.protocol import CodeError, RunResult
from records import events
from records.text import one_line

GOAL, SAY, ACTION = "GOAL", "SAY", "ACTION"
#: The modules that a citizen of another kind has, too: its body's.
BODILY = ("reflexes", "perception", "memory", "action_awareness", "skill_execution")
#: How often it is looked whether a step is over; how long who rests does; how long a step and a
#: program may take, all in seconds of the society's time. Ours.
LOOK_S, REST_S, STEP_S, PROGRAM_S = 1.0, 10.0, 120.0, 300.0
MOST_STEPS = 40
MOST_WORDS = 200
LEFT = "left, because something came up that cannot wait"
_TAG = re.compile(rf"({GOAL}|{SAY}|{ACTION})\s*:\s*(.*)", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*$")


@dataclass(frozen=True)
class Steps:
    """What somebody does next: an action, what it says with it, and what it is after."""

    action: Action
    goal: str = ""
    said: str = ""

    def __str__(self) -> str:
        """Return it as lines of a policy."""
        told = [f"{tag}: {text}" for tag, text in ((GOAL, self.goal), (SAY, self.said)) if text]
        return "\n".join([*told, str(self.action)])


def verb_format(agent: Agent) -> StepFormat:
    """Return how policies of a society's verbs are asked for and read, of one of its agents."""

    def program(briefing: Briefing) -> str:
        return render(
            "citizen/program",
            agent=briefing.agent,
            briefing=briefing.told,
            actions=agent.actions.prompt,
            most=str(MOST_STEPS),
            limit=f"{PROGRAM_S:g}",
        )

    def step(briefing: Briefing, observation: str, last: str) -> list[Message]:
        text = render(
            "citizen/next",
            agent=briefing.agent,
            briefing=briefing.told,
            observation=observation,
            last=last,
            actions=agent.actions.prompt,
        )
        return [{"role": "user", "content": text}]

    return StepFormat(
        "plans",
        program,
        lambda answer: read_steps(answer, agent),
        f"{NO_ACTION}\n",
        "in a society",
        step,
        lambda answer: read_step(answer, agent),
    )


#: Words of a step's fields that say nothing.
_OWN = own_words("goal say action about expect nothing none keep step")

# --- Reading --------------------------------------------------------------------------------------


def read_step(answer: str, agent: Agent) -> str:
    """Return the next step of an answer: lines with a goal and words, where it has any, and an
    action.

    Raises:
        AnswerError: there is no action that the agent can take, or what it says cannot be read.
    """
    return alone(answer, lambda text: _read_step(text, agent), _OWN)


def _read_step(answer: str, agent: Agent) -> str:
    action = agent.actions.read_action(answer, known_to(agent))
    said = dict(tagged(answer, (GOAL, ACTION, SAY)))
    told = [_told(tag, said[tag], agent) for tag in (GOAL, SAY) if tag in said]
    return "\n".join([*filter(None, told), str(action)])


def read_steps(answer: str, agent: Agent) -> str:
    """Return the program of an answer, a step a line.

    Raises:
        AnswerError: there is none, a line of it is no step, or there are several that differ.
    """
    blocks = [text for _, text in fenced(answer) if not text.lstrip().startswith(("{", "["))]
    if blocks:
        programs = list(dict.fromkeys("\n".join(_steps(block, agent)) for block in blocks))
    else:
        bare = [line for line in lines(answer, ("PROGRAM",)) if _is_step(line, agent)]
        programs = ["\n".join(_steps("\n".join(bare), agent))]
    if len(programs) > 1:
        raise AnswerError("the answer holds several programs; write one, your own, in one block")
    if not programs[0]:
        raise AnswerError("the answer holds no block between ``` and ``` with a step")
    return f"{programs[0]}\n"


def _is_step(line: str, agent: Agent) -> bool:
    """Whether a line without a block around it is a step and no prose."""
    verb = line.removeprefix("PROGRAM:").strip().partition(" ")[0].rstrip(".,")
    is_verb = verb.isupper() and verb in agent.actions.announcements
    return is_verb or (bool(_TAG.match(line)) and not is_remark(line))


def _steps(text: str, agent: Agent) -> list[str]:
    said = [plain(_COMMENT.sub("", line)) for line in text.splitlines()]
    said = [line.removeprefix("PROGRAM:").strip() for line in said if line]
    if len(said) > MOST_STEPS:
        raise AnswerError(f"a program has 1 to {MOST_STEPS} lines, one step each")
    found = []
    for number, line in enumerate(said, start=1):
        try:
            found.append(_one(line, agent))
        except AnswerError as error:
            raise AnswerError(f"line {number}, {line[:60]!r}: {error}") from error
    return [line for line in found if line]


def _one(line: str, agent: Agent) -> str:
    tag = _TAG.match(line)
    if tag is not None and tag[1].upper() != ACTION:
        return _told(tag[1].upper(), tag[2], agent)
    action = tag[2] if tag is not None else line
    return str(agent.actions.read_decision(f"{ACTION}: {action}", known_to(agent))[0])


def _told(tag: str, words: str, agent: Agent) -> str:
    """Return a line with a goal or with speech; empty: it says nothing."""
    if not words.strip(" .\"'-") or words.strip(" .\"'()[]").lower() in ("nothing", "none", "keep"):
        return ""
    said = talking.read_talk(words, agent.name) if tag == SAY else words
    return f"{tag}: {one_line(said)[:MOST_WORDS]}" if said else ""


# --- Carrying out ---------------------------------------------------------------------------------


class CitizenBody:
    """A body of a society, driven by policies; see :class:`bots.agents.protocol.Body`."""

    def __init__(self, agent: Agent) -> None:
        """``agent``: its state and the society's body, which its bodily modules keep up."""
        self.agent = agent
        #: What the society's agents can decide to do.
        self.verbs = agent.actions
        self._last: RunResult | None = None
        self._format = verb_format(agent)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.agent.name

    @property
    def format(self) -> PolicyFormat:
        """What it executes."""
        return self._format

    @property
    def last(self) -> RunResult | None:
        """How the last policy went."""
        return self._last

    # --- What scripted minds go by: what the agent would be asked if it were a PIANO agent --------

    def goal(self) -> goals.GoalRequest:
        """Return the question for a goal."""
        return goals.question(self.agent)

    def plan(self, goal: str) -> planning.PlanRequest:
        """Return the question for the steps to a goal."""
        return planning.PlanRequest(self.name, goal, self._digest())

    def decide(self, goal: str, plan: Sequence[str]) -> DecideRequest:
        """Return the question for a decision of somebody with a goal and a plan."""
        state = replace(self._digest(), goal=goal, plan=tuple(plan))
        return replace(question(self.agent), actions=self.verbs, digest=state)

    def talk(self, decision: Decision) -> talking.TalkRequest | None:
        """Return the question what to say with a decision; None: nobody hears it."""
        if not self.agent.body.near():
            return None
        return talking.TalkRequest(self.name, self.agent.traits, decision, self._digest())

    def _digest(self) -> Digest:
        return digest(self.agent)

    def policy_of(self, steps: Steps) -> str:
        """Return a policy that does some steps, in this body's form."""
        return f"{steps}\n"

    # --- Living ----------------------------------------------------------------------------------

    async def observe(self) -> str:
        """What the agent perceives, in words: what PIANO agents are told of their state."""
        return str(digest(self.agent))

    async def inventory(self) -> Mapping[str, int]:
        """What it holds by the world's own account: item → count."""
        return dict(self.agent.body.inventory())

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Carry out steps to the last, or until something comes up; takes some time in any case.

        It is an error where no action of the policy could be done.
        """
        time, began, logs = self.agent.time, self.agent.time.now(), list[str]()
        failed, tried = list[str](), 0
        status: str = "done"
        for line in filter(None, map(str.strip, policy.splitlines())):
            if time.now() - began >= PROGRAM_S:
                status = "timeout"
                break
            outcome = self._tell(line)
            if outcome is None:
                outcome, tried = await self._step(line), tried + 1
                failed += [] if outcome in ("done", LEFT) else [f"{line}: {outcome}"]
            logs.append(f"{line}: {outcome}")
            if outcome == LEFT:
                status = "stopped"
                break
        if time.now() == began:
            await self._wait(LOOK_S)
        error = None
        if tried and len(failed) == tried:
            told = f"no step could be carried out: {'; '.join(failed)}"
            status, error = (
                "error",
                CodeError(message=told, line=None, column=None, source=None, done=[]),
            )
        self._last = RunResult.model_validate(
            {"status": status, "error": error, "logs": logs, "seconds": time.now() - began}
        )
        return self._last

    async def _step(self, line: str) -> str:
        """Carry out the action of a line; return how it went: one that is none is not done."""
        try:
            action, _ = self.agent.actions.read_decision(f"{ACTION}: {line}")
        except AnswerError as error:
            return f"not done ({one_line(str(error)).replace(': ', ', ')})"
        return await self._carry_out(action)

    def _tell(self, line: str) -> str | None:
        """Set a goal, or say something; None: the line is an action."""
        tag, colon, words = line.partition(": ")
        if not colon or tag not in (GOAL, SAY):
            return None
        if tag == GOAL:
            goals.strive(self.agent, words)
        else:
            talking.speak(self.agent, words)
        return "done"

    async def _carry_out(self, action: Action) -> str:
        """Decide for an action, and let skills carry it out; return how it went."""
        agent, task = self.agent, self.agent.task
        task.await_decision()
        decided = Decision(agent.time.now(), action, "")
        if task.begin(decided):
            agent.note(events.Decided, action=str(action), about="")
        async for is_over in self._looks(self.step_s):
            if task.is_called_off:
                return LEFT
            if is_over:
                agent.body.stop()
                task.fail("it took too long")
            if task.is_done:
                break
        if task.failure:
            return f"not done ({one_line(task.failure).replace(': ', ', ')})"
        if action == NO_ACTION:
            async for _ in self._looks(REST_S):
                if task.reconsiders:
                    return LEFT
        return "done"

    @property
    def step_s(self) -> float:
        """How long a step may take, in seconds."""
        return STEP_S

    async def _looks(self, seconds: float) -> AsyncIterator[bool]:
        """Yield again and again as time passes, and whether so many seconds are over."""
        until = self.agent.time.now() + seconds
        is_over = False
        while not is_over:
            await self._wait(LOOK_S)
            is_over = self.agent.time.now() >= until
            yield is_over

    async def _wait(self, seconds: float) -> None:
        await self.agent.time.sleep(seconds, self.agent.index)
