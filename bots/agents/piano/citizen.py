"""Citizens: agents of other kinds that use the bodies and verbs of a PIANO society.

Any agent kind that writes plans can replace the controller of a PIANO agent. Such an agent chooses
one step at a time, or writes a program of several steps. A step is an action that the controller
could have chosen, something to say, or a goal. PIANO still runs the modules that a body needs
(:data:`BODILY`): escape from threats, perception, memory, processing of outcomes, and carrying out
actions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from voxpolis.bots.agents.piano.actions import Step, Steps
from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.agents.piano.modules import goals, planning, talking
from voxpolis.bots.agents.piano.modules.controller import DecideRequest, known_to, question
from voxpolis.bots.agents.piano.task import NO_ACTION, Action, Decision
from voxpolis.bots.agents.protocol import Briefing, Policy, PolicyFormat, StepFormat
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import AnswerError, read_answer
from voxpolis.bots.prompts import messages, render
from voxpolis.records import events
from voxpolis.records.programs import CodeError, RunResult
from voxpolis.records.text import one_line

# The modules that PIANO runs for a citizen of another agent kind.
BODILY = ("reflexes", "perception", "memory", "action_awareness", "skill_execution")
# In seconds of the society's time: how often a citizen checks whether a step has ended; how long a
# rest takes; the time limit of a step; the time limit of a program. The values are ours.
LOOK_S, REST_S, STEP_S, PROGRAM_S = 1.0, 10.0, 120.0, 300.0
MOST_STEPS = 40
MOST_WORDS = 200
LEFT = "interrupted by something urgent"


def verb_format(agent: Agent) -> StepFormat:
    """Return the format of policies that consist of verbs, for one agent of a society.

    A policy is a :class:`Steps` or a single :class:`Step`, as JSON.
    """

    def program(briefing: Briefing) -> str:
        return render(
            "citizen/program",
            agent=briefing.agent,
            briefing=briefing.full_text,
            actions=agent.actions.prompt,
            most=str(MOST_STEPS),
            limit=f"{PROGRAM_S:g}",
        )

    def step(briefing: Briefing, observation: str, last: str) -> list[Message]:
        return messages(
            "citizen/next",
            agent=briefing.agent,
            briefing=briefing.full_text,
            observation=observation,
            last=last,
            actions=agent.actions.prompt,
        )

    def one(_agent: str) -> type[Step]:
        return agent.actions.step(known_to(agent))

    def whole(_agent: str) -> type[Steps]:
        return agent.actions.program(known_to(agent), MOST_STEPS)

    return StepFormat(
        "plans",
        program,
        Policy(Steps, Steps.text, whole),
        Step(action=NO_ACTION).text(),
        "in a society",
        step,
        Policy(Step, Step.text, one),
        in_words=lambda text: "; ".join(map(in_words, steps_of(text))),
    )


def steps_of(policy: str) -> tuple[Step, ...]:
    """Parse a policy, which is a program or a single step.

    Raises:
        AnswerError: the text is neither a program nor a step.
    """
    try:
        return tuple(read_answer(Steps, policy).steps)
    except AnswerError:
        return (read_answer(Step, policy),)


def in_words(step: Step) -> str:
    """Return a step in the form that prompts show."""
    told = [f"GOAL: {step.goal}"] if step.goal else []
    told += [f"SAY: {step.say}"] if step.say else []
    return "; ".join([*told, str(step.action)])


# --- Carrying out policies ------------------------------------------------------------------------


class CitizenBody:
    """The body of a society's agent, controlled by policies.

    See :class:`bots.agents.protocol.Body`.
    """

    # The time limit of a step, in seconds.
    step_s = STEP_S

    def __init__(self, agent: Agent) -> None:
        """Create the body of ``agent``, which holds the shared state and the society's body."""
        self.agent = agent
        # The actions that the agents of the society can choose.
        self.verbs = agent.actions
        self.name = agent.name
        self.format: PolicyFormat = verb_format(agent)
        # The result of the last policy; None before the first policy has ended.
        self.last: RunResult | None = None

    # --- For scripted minds: the questions that a PIANO agent would be asked ----------------------

    def goal(self) -> goals.GoalRequest:
        return goals.question(self.agent)

    def plan(self, goal: str) -> planning.PlanRequest:
        return planning.PlanRequest(self.name, goal, self._digest())

    def decide(self, goal: str, plan: Sequence[str]) -> DecideRequest:
        state = replace(self._digest(), goal=goal, plan=tuple(plan))
        return replace(question(self.agent), actions=self.verbs, digest=state)

    def talk(self, decision: Decision) -> talking.TalkRequest | None:
        if not self.agent.body.near():
            return None
        return talking.TalkRequest(self.name, self.agent.traits, decision, self._digest())

    def _digest(self) -> Digest:
        return digest(self.agent)

    def policy_of(self, step: Step) -> str:
        return Steps(steps=(step,)).text()

    # --- Living -----------------------------------------------------------------------------------

    async def observe(self) -> str:
        return str(digest(self.agent))

    async def inventory(self) -> Mapping[str, int]:
        return dict(self.agent.body.inventory())

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Carry out the steps of a policy one after another, until something urgent happens.

        Even if there is nothing to do, the call takes one polling interval (:data:`LOOK_S`). If no
        step could be carried out, the result is an error.
        """
        time, began, logs = self.agent.time, self.agent.time.now(), list[str]()
        failed, tried = list[str](), 0
        status: str = "done"
        try:
            steps = steps_of(policy)
        except AnswerError as problem:
            steps, tried, failed = (), 1, [f"the policy cannot be read: {problem}"]
        for step in steps:
            if time.now() - began >= PROGRAM_S:
                status = "timeout"
                break
            logs += self._tell(step)
            if step.action.do in self.verbs.texts:
                outcome = await self._carry_out(step.action)
            else:
                outcome = "not done (there is no such action)"
            tried += 1
            failed += [] if outcome in ("done", LEFT) else [f"{step.action}: {outcome}"]
            logs.append(f"{step.action}: {outcome}")
            if outcome == LEFT:
                status = "stopped"
                break
        if time.now() == began:
            await self._wait(LOOK_S)
        error = None
        if tried and len(failed) == tried:
            status, told = "error", f"no step could be carried out: {'; '.join(failed)}"
            error = CodeError(message=told, line=None, column=None, source=None, done=[])
        self.last = RunResult.model_validate(
            {"status": status, "error": error, "logs": logs, "seconds": time.now() - began}
        )
        return self.last

    def _tell(self, step: Step) -> list[str]:
        """Set the goal and say the words that a step contains, if any.

        Return one log line for the goal and one for the words, if the step contains them.
        """
        told = []
        if step.goal:
            goals.strive(self.agent, step.goal)
            told.append(f"GOAL: {step.goal}: done")
        if step.say:
            talking.speak(self.agent, step.say)
            told.append(f"SAY: {step.say}: done")
        return told

    async def _carry_out(self, action: Action) -> str:
        agent, task = self.agent, self.agent.task
        task.await_decision()
        decided = Decision(agent.time.now(), action, "")
        if task.begin(decided):
            agent.note(events.Decided, action=str(action), about="")
        async for is_over in self._polls(self.step_s):
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
            async for _ in self._polls(REST_S):
                if task.reconsiders:
                    return LEFT
        return "done"

    async def _polls(self, seconds: float) -> AsyncIterator[bool]:
        """Yield after each polling interval, until ``seconds`` have passed.

        The last yielded value is True, and all values before it are False.
        """
        until = self.agent.time.now() + seconds
        is_over = False
        while not is_over:
            await self._wait(LOOK_S)
            is_over = self.agent.time.now() >= until
            yield is_over

    async def _wait(self, seconds: float) -> None:
        await self.agent.time.sleep(seconds, self.agent.index)
