"""Citizens of any kind of agent: who lives in a society without being a PIANO agent.

A citizen of another kind has a PIANO agent's state and its body's modules
(:mod:`bots.agents.piano.citizen`), so that it perceives, is heard, is recorded and is measured as
all others are; what it does its own kind decides. Scripted minds of a scenario answer for them, too
(:func:`of_all_kinds`): they are asked what they would decide, and that is written as a policy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxpolis.bots.agents.code_writer import NO_CRITIC, Assessment, CriticRequest, PolicyRequest
from voxpolis.bots.agents.piano import agent as piano
from voxpolis.bots.agents.piano.actions import Step, Steps
from voxpolis.bots.agents.piano.citizen import BODILY, LOOK_S, CitizenBody
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.agents.piano.modules import goals
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.agents.piano.task import Action, Decision, Pause
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.protocol import NOT_RUN, Agent, AgentSetup, Briefing, Review
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.agents.voyager.prompts import (
    CurriculumRequest,
    Described,
    DescribeRequest,
    Proposal,
    Questions,
    QuestionsRequest,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.models import (
    Account,
    AccountedModel,
    BudgetError,
    ChatModel,
    ChatRequest,
    ClosedError,
    Completion,
    ModelError,
)
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.scenario import Run
from voxpolis.records import Event, events
from voxpolis.records.reader import PERSON
from voxpolis.worlds.trades import TradeWorld

#: The kinds that write what a citizen does: steps and programs of verbs, or JavaScript.
PLANNING, CODING = (
    tuple(
        name
        for name, kind in KINDS.items()
        if form in kind.formats and kind.make and name != PERSON
    )
    for form in ("plans", "code")
)
WRITING = tuple(dict.fromkeys((*CODING, *PLANNING)))
_ROLES: Mapping[str, tuple[str, ...]] = {
    "planner": ("planner",),
    "code_writer": ("action", "critic"),
    "voyager": ("curriculum", "questions", "answer", "action", "critic", "describe"),
}
#: What citizens are told besides what they are told of themselves.
TOLD = "Others live here, too: {people}. Places: {places}."


def kinds_in(world: str, *, has_code: bool) -> tuple[str, ...]:
    """Return the kinds that can be citizens in a world, the default first.

    ``has_code``: whether its bodies take programs there.
    """
    takes_code = world != "grid" and has_code
    writing = [kind for kind in WRITING if kind in PLANNING or takes_code]
    return ("piano", *writing, "scripted", "human")


def bodily(member: Member) -> Member:
    """Return somebody with those of its modules only that its body has in any case."""
    own = {name: member.modules[name] for name in BODILY if name in member.modules}
    needed = {name: FULL[name] for name in ("perception", "skill_execution")}
    return replace(member, modules={**needed, **own})


def most_written(kind: str, seconds: float, thinking_s: float) -> dict[str, int]:
    """Return how often a citizen is asked at most in its life, by role.

    Each policy takes :data:`LOOK_S` at least, and each answer a thought.
    """
    roles = _ROLES.get(kind, ())
    return dict.fromkeys(roles, int(seconds / (LOOK_S + thinking_s)) + 2)


class PacedModel(AccountedModel):
    """A society's model, whose answers to a citizen take their time there, and are counted."""

    def __init__(
        self,
        model: ChatModel,
        agent: piano.Agent,
        thinking_s: float,
        timeout_s: float | None,
        note: Callable[..., None],
    ) -> None:
        """``note`` records that no answer could be used; the agent's mind counts answers."""
        super().__init__(model, Account())
        self._inner, self._agent, self._mind = model, agent, agent.mind
        self._thinking_s, self._timeout_s, self._note = thinking_s, timeout_s, note
        #: The roles of which the last question had an answer, which counts unless it is given up.
        self._answered: set[str] = set()

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`bots.models.ChatModel`.

        Raises:
            ModelError: there is no answer in time, or none at all.
        """
        role = request.role
        if not request.attempt:
            self._answered.discard(role)
        try:
            call, index = self._within(request), self._agent.index
            answer = await self._agent.time.call(call, self._thinking_s, index)
        except (BudgetError, ClosedError):
            raise
        except TimeoutError as error:
            self.give_up(role, request.agent, "slow")
            raise ModelError("the answer took too long") from error
        except ModelError as error:
            self.give_up(role, request.agent, f"error: {error}")
            raise
        if role not in self._answered:
            self._answered.add(role)
            self._mind.answers[role] += 1
        return answer

    def at_once(self) -> None:
        """Return nothing: its answers take their time."""

    async def _within(self, request: ChatRequest) -> Completion:
        async with asyncio.timeout(self._timeout_s):
            return await self._inner.complete(request)

    def give_up(self, role: str, agent: str | None, message: str) -> None:
        """Count a decision of which no answer could be used."""
        if isinstance(self._inner, AccountedModel):
            self._inner.give_up(role, agent, message)
        if role in self._answered:
            self._answered.discard(role)
            self._mind.answers[role] -= 1
        self._mind.faults[message.split(":", maxsplit=1)[0]] += 1
        self._note(events.MindFailed, agent, role=role, message=message)


def briefing_of(member: Member, people: Sequence[str], told: str) -> Briefing:
    """Return what somebody is told before it lives; ``told``: of its body besides."""
    others = ", ".join(name for name in people if name != member.name)
    around = TOLD.format(people=others or "nobody", places=", ".join(member.places) or "none")
    return Briefing(member.name, "\n".join(filter(None, [member.traits, around, told])), "")


def goal_of(member: Member) -> str:
    """Return what somebody strives for that sets itself tasks: what it is told, and what holds."""
    holds = (one.text(0.0) for one in member.standing.values())
    return " ".join(filter(None, [member.traits, *holds]))


def agents_folder(session: Run) -> Path:
    """Return where agents of a society keep what they learn: each society begins anew."""
    number = session.writer.episode
    return session.folder / (f"agents_{number}" if number else "agents")


class Citizen:
    """One citizen of another kind than PIANO."""

    def __init__(
        self, kind: str, run: SocietyRun, member: Member, session: Run, thinking_s: float
    ) -> None:
        agent = run.agents[member.name]
        self._time, self._agent = run.time, agent
        body, told = _body(kind, run, agent.name)
        self._body, self._note = body, run.note
        model = PacedModel(session.model, agent, thinking_s, session.timeout_s, run.note)
        briefing = replace(briefing_of(member, [*run.agents], told), situation=body)
        self._make: Callable[[], Agent] = lambda: KINDS[kind].made(
            AgentSetup(
                briefing,
                body,
                model,
                self._record,
                goal_of(member),
                str(agents_folder(session) / agent.name) if session.server is not None else "",
            ),
        )

    def _record(self, kind: type[Event], **fields: Any) -> None:
        """Record an event of the agent's kind; a task that it sets itself is its goal."""
        if kind is events.TaskStarted:
            goals.strive(self._agent, fields["task"])
        self._note(kind, self._agent.name, **fields)

    async def live(self) -> None:
        """Live until cancelled; where nothing comes, ask again later, and later each time.

        Raises:
            BudgetError: the run's budget is used up.
            ClosedError: the model will answer no more.
        """
        agent, time, pause = self._make(), self._time, Pause()
        while True:
            await time.sleep(max(LOOK_S, pause.until - time.now()), self._agent.index)
            try:
                unwritten, began = "", time.now()
                if not agent.is_ready:
                    unwritten = await agent.prepare(await self._body.observe())
                await agent.live()
                if time.now() - began < LOOK_S:
                    unwritten = unwritten or "it did nothing"
                program = self._body.last or NOT_RUN
                outcome = "\n".join(program.logs) or "Nothing was reported."
                await agent.review(Review(outcome, (), program, goes_on=True))
            except (BudgetError, ClosedError):
                raise
            except ModelError:
                unwritten = "no answer"
            if unwritten:
                pause.lengthen(time.now())
            else:
                pause.end()


def _body(kind: str, run: SocietyRun, name: str) -> tuple[CitizenBody, str]:
    agent = run.agents[name]
    if kind in CODING and isinstance(run.world, TradeWorld):
        # only this world needs a server and its bots
        from voxpolis.worlds.minecraft.trades.programs import ProgramBody  # noqa: PLC0415
        from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415

        if isinstance(run.world, MinecraftTradeVillage):
            body = ProgramBody(agent, run.world)
            return body, body.told
    return CitizenBody(agent), ""


def lives_of(
    run: SocietyRun, members: Sequence[Member], session: Run, thinking_s: float
) -> Iterator[Coroutine[Any, Any, None]]:
    """Yield the lives of those members of a society that are of another kind than PIANO."""
    for member in members:
        kind = session.agents.get(member.name, "")
        if kind in WRITING:
            yield Citizen(kind, run, member, session, thinking_s).live()


# --- Scripted minds -------------------------------------------------------------------------------


def of_all_kinds(script: Script) -> Script:
    """Return a society's script that also answers what other kinds of agents are asked.

    One step is what the scripted person decides, with what it is after and what it says then.
    """
    meant: dict[str, Action] = {}  # actions by the tasks that they were proposed as

    def answer(request: ChatRequest) -> Answer | str:
        about = request.about
        if type(about) not in _OF_OTHERS:
            return script(request)
        match about:
            case NextPlanRequest() | PolicyRequest():
                return _step(script, request, about.briefing.situation)
            case CurriculumRequest():
                step = _decided(script, request, about.briefing.situation)
                meant[str(step.action)] = step.action
                return Proposal(task=str(step.action), obtain=[])
            case TaskRequest():
                body = about.briefing.situation
                assert isinstance(body, CitizenBody)
                return f"```javascript\n{body.policy_of(Step(action=meant[about.task.name]))}```"
        return _alike(about) or script(request)

    return answer


#: What other kinds of agents than PIANO are asked.
_OF_OTHERS = {
    NextPlanRequest,
    PolicyRequest,
    CurriculumRequest,
    TaskRequest,
    QuestionsRequest,
    TaskCriticRequest,
    DescribeRequest,
    CriticRequest,
}


def _alike(about: object) -> Answer | None:
    """Return what all scripted minds of other kinds answer; None: they have more to say."""
    match about:
        case QuestionsRequest():
            return Questions(questions=[])
        case TaskCriticRequest():
            return Assessment(success=about.ended_well, critique="")
        case DescribeRequest():
            return Described(description=f"A scripted mind's program, {about.function}.")
        case CriticRequest():
            return NO_CRITIC
    return None


def _step(script: Script, request: ChatRequest, body: object) -> Answer | str:
    assert isinstance(body, CitizenBody)
    step = _decided(script, request, body)
    if isinstance(request.about, NextPlanRequest):
        return step
    if body.format.name == "code":
        return f"```javascript\n{body.policy_of(step)}```"
    return Steps(steps=(step,))


def _decided(script: Script, request: ChatRequest, body: object) -> Step:
    """Return what a scripted person does next, as PIANO's modules would ask it one by one."""
    assert isinstance(body, CitizenBody)

    def ask(about: Request) -> Any:
        return script(replace(request, about=about, role=about.role))

    goal = ask(body.goal()).goal or body.agent.goal
    plan = ask(body.plan(goal)).steps
    decided = ask(body.decide(goal, plan))
    asked = body.talk(Decision(body.agent.time.now(), decided.action, decided.about or ""))
    said = None if asked is None else ask(asked).say
    return Step(goal=goal, action=decided.action, say=said)
