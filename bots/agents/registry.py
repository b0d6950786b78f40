"""The kinds of agents that there are, by the names of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from voxpolis.bots.agents.protocol import Agent, AgentSetup, FormatName, Held


@dataclass(frozen=True)
class AgentKind:
    """One kind of agent.

    Attributes:
        summary: what it is, in a line.
        formats: what bodies it can drive.
        make: makes one; None for the kinds that a loop of its own keeps (societies, grid games).
    """

    summary: str
    formats: tuple[FormatName, ...]
    make: Callable[[AgentSetup], Agent] | None = None

    def made(self, setup: AgentSetup) -> Agent:
        """Return an agent of this kind.

        Raises:
            AgentError: it lacks a part of the protocol.
        """
        assert self.make is not None
        return Held(self.make(setup), setup.briefing.agent)


def _code_writer(setup: AgentSetup) -> Agent:
    from voxpolis.bots.agents.code_writer import CodeWriter  # noqa: PLC0415  (only what plays is loaded)

    return CodeWriter(setup)


def _voyager(setup: AgentSetup) -> Agent:
    from voxpolis.bots.agents.voyager.player import VoyagerPlayer  # noqa: PLC0415

    return VoyagerPlayer(setup)


def _planner(setup: AgentSetup) -> Agent:
    from voxpolis.bots.agents.planner.player import PlanPlayer  # noqa: PLC0415

    return PlanPlayer(setup)


def _person(setup: AgentSetup) -> Agent:
    from voxpolis.bots.agents.person import KeyPlayer, Person, Seated  # noqa: PLC0415

    return Person(setup) if isinstance(setup.body, Seated) else KeyPlayer(setup)


KINDS: Mapping[str, AgentKind] = {
    "code_writer": AgentKind(
        "writes one whole program before each episode, with a critic",
        ("code", "plans"),
        _code_writer,
    ),
    "voyager": AgentKind(
        "sets itself tasks, writes a program for each and keeps what works as skills",
        ("code",),
        _voyager,
    ),
    "planner": AgentKind("answers with one plan after another", ("plans", "actions"), _planner),
    "human": AgentKind(
        "a person, --human NAME: with a Minecraft client, or by forms and keys on a page",
        ("code", "plans", "verbs", "actions", "turns"),
        _person,
    ),
    "piano": AgentKind("many modules at once and one controller that decides", ("verbs",)),
    "generative": AgentKind(
        "remembers, reacts, plans, reflects and chooses one action a turn", ("turns",)
    ),
    "trained": AgentKind(
        "acts by a policy that was trained on the grid, trained:FILE", ("actions",)
    ),
    "random": AgentKind("draws one of the actions that have an effect", ("actions", "turns")),
}
