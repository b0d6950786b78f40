"""The cognitive controller: the only module that decides what the agent does.

The controller sees the agent's state only as a digest of limited length
(:mod:`bots.agents.piano.digest`). Its decision is broadcast to other modules: ``skill_execution``
carries it out, and ``talking`` speaks in accordance with it.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from voxpolis.bots.agents.piano.actions import ActionSet, Decide, Known
from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.digest import Digest, digest
from voxpolis.bots.agents.piano.task import Decision
from voxpolis.bots.models import Message
from voxpolis.bots.prompts import messages
from voxpolis.bots.time import Wait
from voxpolis.bots.values import made_often
from voxpolis.records import events


@made_often
class DecideRequest:
    """The data from which the controller's prompt is built.

    ``known`` contains the names that the decision can use.
    """

    role: ClassVar[str] = "decide"
    answer: ClassVar[type[Decide]] = Decide

    agent: str
    traits: str
    places: tuple[str, ...]
    actions: ActionSet
    digest: Digest
    known: Known

    def narrow(self) -> type[Decide]:
        return self.actions.decision(self.known)

    def messages(self) -> list[Message]:
        return messages(
            "piano/decide",
            name=self.agent,
            traits=self.traits,
            places=", ".join(self.places) or "none that have a name",
            actions=self.actions.prompt,
            state=str(self.digest),
        )


def question(agent: Agent) -> DecideRequest:
    """Build the question that asks an agent what to do now."""
    now = digest(agent)
    return DecideRequest(
        agent.name, agent.traits, agent.places, agent.actions, now, known_to(agent)
    )


def known_to(agent: Agent) -> Known:
    """Return the names that an agent can use in a decision now."""
    near = (*agent.seen.near, *agent.sentiments)
    return Known(agent.name, agent.places, near, agent.people, agent.body.finds)


def run(agent: Agent) -> Wait | None:
    """Ask the mind for a decision, if the agent needs one now."""
    task = agent.task
    if not task.needs_decision:
        return None
    now = agent.time.now()
    task.await_decision()
    request = question(agent)

    def read(answer: Decide) -> Decision:
        request.known.check(answer.action)
        return Decision(now, answer.action, answer.about or "", answer.expects)

    return agent.ask(request, read, partial(_begin, agent))


def _begin(agent: Agent, decision: Decision | None) -> None:
    """Start to carry out a decision. ``None`` means that the mind gave no readable decision."""
    task = agent.task
    if decision is None:
        task.give_up()
    elif task.begin(decision):
        expects = str(decision.expects or "")
        action, about = str(decision.action), decision.about
        agent.note(events.Decided, action=action, about=about, expects=expects)
