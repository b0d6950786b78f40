"""The agent kinds, with the names that the command line uses."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

from voxpolis.bots.agents.protocol import Agent, AgentError, AgentSetup, CheckedAgent, FormatName


@dataclass(frozen=True)
class AgentKind:
    """One kind of agent.

    Attributes:
        formats: the forms of policies that agents of this kind can give to a body.
        make: creates an agent; None for kinds that scenarios run themselves (societies, grid
            games).
        source: the class of a kind that a user has defined; None for a built-in kind.
    """

    summary: str
    formats: tuple[FormatName, ...]
    make: Callable[[AgentSetup], Agent] | None = None
    source: type[Agent] | None = None

    def create(self, setup: AgentSetup) -> Agent:
        """Create an agent of this kind.

        Raises:
            AgentError: a member of the protocol is missing.
        """
        assert self.make is not None
        return CheckedAgent(self.make(setup), setup.briefing.agent)


def _kind_of(module: str, name: str) -> Callable[[AgentSetup], Agent]:
    """Return a function that creates agents of a built-in class.

    The class's module is imported when the first agent is created.
    """

    def make(setup: AgentSetup) -> Agent:
        found: Callable[[AgentSetup], Agent]
        found = getattr(importlib.import_module(f"voxpolis.bots.agents.{module}"), name)
        return found(setup)

    return make


KINDS: dict[str, AgentKind] = {
    "code_writer": AgentKind(
        "writes one whole program before each episode, with a critic",
        ("code", "plans"),
        _kind_of("code_writer", "CodeWriter"),
    ),
    "voyager": AgentKind(
        "sets itself tasks, writes a program for each and keeps what works as skills",
        ("code",),
        _kind_of("voyager.agent", "VoyagerAgent"),
    ),
    "planner": AgentKind(
        "answers with one plan after another",
        ("plans", "actions"),
        _kind_of("planner.player", "PlanPlayer"),
    ),
    "human": AgentKind(
        "a person (--human NAME), with a Minecraft client or with forms and keys on a web page",
        ("code", "plans", "verbs", "actions", "turns", "choices"),
        _kind_of("person", "person_of"),
    ),
    "piano": AgentKind("many concurrent modules and one controller that decides", ("verbs",)),
    "generative": AgentKind(
        "remembers, reacts, plans, reflects and chooses one action per turn", ("turns",)
    ),
    "chooser": AgentKind("answers each question of a game with a value", ("choices",)),
    "trained": AgentKind(
        "follows a policy that was trained on the grid (trained:FILE)", ("actions",)
    ),
    "random": AgentKind(
        "draws one of the actions that have an effect", ("actions", "turns", "choices")
    ),
}


def find_kind(name: str) -> AgentKind | None:
    """Find an agent kind by its name; return None if the name is unknown.

    A user can define a kind as a class. Its name is then ``my_module:MyAgent``, or the name of an
    entry point in the group ``voxpolis.agents`` of an installed package. The class is called with a
    :class:`ChooserSetup` if its ``formats`` are ``("choices",)``, and with an :class:`AgentSetup`
    otherwise.

    Raises:
        AgentError: the class cannot be loaded.
    """
    if name in KINDS:
        return KINDS[name]
    offered = {one.name: one.value for one in entry_points(group="voxpolis.agents")}
    module, colon, called = offered.get(name, name).partition(":")
    if not colon:
        return None
    if "" not in sys.path:
        sys.path.insert(0, "")  # for a module in the current folder
    try:
        found = getattr(importlib.import_module(module), called)
    except (Exception, SystemExit) as error:  # the user's code can raise any exception
        raise AgentError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    summary = (found.__doc__ or name).strip().partition("\n")[0]
    KINDS[name] = AgentKind(summary, getattr(found, "formats", ("code", "plans")), found, found)
    return KINDS[name]
