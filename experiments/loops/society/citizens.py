"""Citizens: members of a society that are not PIANO agents.

A citizen has the state and the body of a PIANO agent (:mod:`bots.agents.piano.citizen`). It
perceives, is heard, is recorded and is measured like all other members. An agent of another kind
decides what the citizen does. The scripted minds of a scenario also answer for citizens
(:func:`of_all_kinds`). In this case, each decision of a scripted mind is converted into a policy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxpolis.bots import models
from voxpolis.bots.agents import piano
from voxpolis.bots.agents.code_writer import NO_CRITIC, Assessment, CriticRequest, PolicyRequest
from voxpolis.bots.agents.piano.actions import Step, Steps
from voxpolis.bots.agents.piano.citizen import LOOK_S, CitizenBody
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.agents.piano.modules import goals
from voxpolis.bots.agents.piano.task import Action, Decision, Pause
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Review
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.agents.voyager import prompts
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.scenario import Run
from voxpolis.records import Event, events
from voxpolis.records.reader import PERSON
from voxpolis.worlds.trades import TradeWorld

# Kinds that write a citizen's behaviour: verbs and programs of verbs, or JavaScript.
PLANNING, CODING = (
    tuple(
        name
        for name, kind in KINDS.items()
        if form in kind.formats and kind.make and name != PERSON
    )
    for form in ("plans", "code")
)
WRITING = tuple(dict.fromkeys((*CODING, *PLANNING)))
# Roles of the questions that each kind asks.
ROLES: Mapping[str, tuple[str, ...]] = {
    "planner": ("planner",),
    "code_writer": ("action", "critic"),
    "voyager": ("curriculum", "questions", "answer", "action", "critic", "describe"),
}
# Prompt text that follows a citizen's traits.
BRIEFING = "Others live here, too: {people}. Places: {places}."


def kinds_in(world: str, *, has_code: bool) -> tuple[str, ...]:
    """Return the kinds of agents that can be citizens in a world. The default comes first.

    ``has_code`` says whether bodies of the world can run programs.
    """
    takes_code = world != "grid" and has_code
    writing = [kind for kind in WRITING if kind in PLANNING or takes_code]
    return ("piano", *writing, "scripted", "human")


class PacedModel(models.AccountedModel):
    """A wrapper of a society's model, which delays each answer to a citizen by the thinking time,
    and counts the answers.
    """

    def __init__(
        self,
        model: models.ChatModel,
        agent: piano.Agent,
        thinking_s: float,
        timeout_s: float | None,
        note: Callable[..., None],
    ) -> None:
        """Wrap ``model``. ``note`` is a function that records a question to which no usable answer
        came.
        """
        super().__init__(model, models.Account())
        self._inner, self._agent, self._mind = model, agent, agent.mind
        self._thinking_s, self._timeout_s, self._note = thinking_s, timeout_s, note

    async def complete(self, request: models.ChatRequest) -> models.Completion:
        """Answer a conversation; see :class:`bots.models.ChatModel`.

        Raises:
            ModelError: there is no answer, or no answer in time.
        """
        role = request.role
        try:
            call, index = self._within(request), self._agent.index
            return await self._agent.time.call(call, self._thinking_s, index)
        except (models.BudgetError, models.ClosedError):
            raise
        except TimeoutError as error:
            self.give_up(role, request.agent, "slow")
            raise models.ModelError("the model took too long to answer") from error
        except models.ModelError as error:
            self.give_up(role, request.agent, f"error: {error}")
            raise

    def at_once(self) -> None:
        """Return None, because answers take thinking time."""

    async def _within(self, request: models.ChatRequest) -> models.Completion:
        async with asyncio.timeout(self._timeout_s):
            return await self._inner.complete(request)

    def use(self, role: str, agent: str | None) -> None:
        """Count a decision whose answer could be used."""
        if isinstance(self._inner, models.AccountedModel):
            self._inner.use(role, agent)
        self._mind.answers[role] += 1

    def give_up(self, role: str, agent: str | None, message: str) -> None:
        """Count a decision for which no answer could be used."""
        if isinstance(self._inner, models.AccountedModel):
            self._inner.give_up(role, agent, message)
        self._mind.faults[message.split(":", maxsplit=1)[0]] += 1
        self._note(events.MindFailed, agent, role=role, message=message)


def agents_folder(session: Run) -> Path:
    """Return the folder where agents store what they learn. The folder is empty at first."""
    number = session.writer.episode
    return session.folder / (f"agents_{number}" if number else "agents")


class Citizen:
    """A member of a society that is not a PIANO agent."""

    def __init__(
        self, kind: str, run: SocietyRun, member: Member, session: Run, thinking_s: float
    ) -> None:
        self._agent = agent = run.agents[member.name]
        self._time, self._note = run.time, run.note
        self._body, told = CitizenBody(agent), ""
        if kind in CODING and isinstance(run.world, TradeWorld):
            # Only this world needs a server and its bots.
            from voxpolis.worlds.minecraft.trades.programs import ProgramBody  # noqa: PLC0415
            from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415

            if isinstance(run.world, MinecraftTradeVillage):
                body = ProgramBody(agent, run.world)
                self._body, told = body, body.told
        others = ", ".join(name for name in run.agents if name != agent.name) or "nobody"
        around = BRIEFING.format(people=others, places=", ".join(member.places) or "none")
        briefing = "\n".join(filter(None, [member.traits, around, told]))
        folder = str(agents_folder(session) / agent.name) if session.server is not None else ""
        holds = (one.text(0.0) for one in member.standing.values())
        self._setup = AgentSetup(
            Briefing(agent.name, briefing, "", situation=self._body),
            self._body,
            PacedModel(session.model, agent, thinking_s, session.timeout_s, run.note),
            self._record,
            " ".join(filter(None, [member.traits, *holds])),
            folder,
        )
        self._kind = KINDS[kind]

    def _record(self, kind: type[Event], **fields: Any) -> None:
        """Record an event of the agent. If the event is a task that the agent has set itself, the
        task becomes the agent's goal.
        """
        if kind is events.TaskStarted:
            goals.strive(self._agent, fields["task"])
        self._note(kind, self._agent.name, **fields)

    async def live(self) -> None:
        """Live until cancelled. While the agent has nothing to do, it is asked again after growing
        delays.

        Raises:
            BudgetError: the run's budget is exhausted.
            ClosedError: the model is closed.
        """
        agent, time, pause = self._kind.create(self._setup), self._time, Pause()
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
            except (models.BudgetError, models.ClosedError):
                raise
            except models.ModelError:
                unwritten = "no answer"
            if unwritten:
                pause.lengthen(time.now())
            else:
                pause.end()


def of_all_kinds(script: Script) -> Script:
    """Extend a society's script, so that it can also answer for citizens (not PIANO agents).

    A step of such an agent contains the decision, the goal and the words of the scripted person.
    """
    meant: dict[str, Action] = {}  # actions by the text of the task that proposed them

    def decided(request: models.ChatRequest, body: CitizenBody) -> Step:
        """Ask a scripted person for its next action. The person's modules are asked in the same
        order as in PIANO.
        """

        def ask(about: Request) -> Any:
            return script(replace(request, about=about, role=about.role))

        goal = ask(body.goal()).goal or body.agent.goal
        plan = ask(body.plan(goal)).steps
        decision = ask(body.decide(goal, plan))
        asked = body.talk(Decision(body.agent.time.now(), decision.action, decision.about or ""))
        said = None if asked is None else ask(asked).say
        return Step(goal=goal, action=decision.action, say=said)

    def answer(request: models.ChatRequest) -> Answer | str:
        match about := request.about:
            case NextPlanRequest(briefing=Briefing(situation=CitizenBody() as body)):
                return decided(request, body)
            case PolicyRequest(briefing=Briefing(situation=CitizenBody() as body)):
                step = decided(request, body)
                if body.format.name == "code":
                    return f"```javascript\n{body.policy_of(step)}```"
                return Steps(steps=(step,))
            case prompts.CurriculumRequest(briefing=Briefing(situation=CitizenBody() as body)):
                step = decided(request, body)
                meant[str(step.action)] = step.action
                return prompts.Proposal(task=str(step.action), obtain=[])
            case prompts.TaskRequest(briefing=Briefing(situation=CitizenBody() as body)):
                return f"```javascript\n{body.policy_of(Step(action=meant[about.task.name]))}```"
            case prompts.QuestionsRequest():
                return prompts.Questions(questions=[])
            case prompts.TaskCriticRequest():
                return Assessment(success=about.ended_well, critique="")
            case prompts.DescribeRequest():
                return prompts.Described(
                    description=f"A scripted mind's program, {about.function}."
                )
            case CriticRequest():
                return NO_CRITIC
        return script(request)

    return answer
