"""Assigns kinds of agents to the agents of a scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from voxpolis.bots.agents.protocol import AgentError
from voxpolis.bots.agents.registry import KINDS, find_kind
from voxpolis.experiments.run.options import UsageError
from voxpolis.grid.trained import TRAINED
from voxpolis.records.reader import PERSON

# Kind name on the command line for the scenario's scripted minds.
SCRIPTED = "scripted"
RANDOM: Final = "random"
CHOOSER: Final = "chooser"
# Kinds without a model; if all agents are of these kinds, no model is called.
MINDLESS: Final = frozenset({RANDOM, TRAINED})
# Kinds that never talk, even if a model answers for other agents.
WORDLESS: Final = MINDLESS | {SCRIPTED}


def assign(
    asked: Sequence[str], agents: Sequence[str], kinds: Sequence[str], where: str
) -> dict[str, str]:
    """Return the kind of each agent.

    Args:
        asked: KIND for all agents, or NAME=KIND for one agent. The kind ``trained`` is followed by
            a colon and a file.
        agents: names of the agents.
        kinds: the available kinds; the default comes first.
        where: names the scenario and the world in error messages.

    Raises:
        UsageError: there is no such agent or kind, or the kind cannot play there.
    """
    assigned = dict.fromkeys(agents, kinds[0])
    for_all = {text for text in asked if "=" not in text}
    if len(for_all) > 1:
        raise UsageError(
            f"--agent sets two kinds for all agents: {', '.join(sorted(for_all))}; use NAME=KIND"
        )
    named = Counter(text.partition("=")[0] for text in set(asked) if "=" in text)
    twice = [name for name, count in named.items() if count > 1]
    if twice:
        raise UsageError(f"two kinds for {twice[0]}: --agent names it twice")
    for text in sorted(asked, key=lambda text: "=" in text):
        name, separator, whole = text.rpartition("=")
        kind, colon, file = whole.partition(":")
        if is_custom(whole):
            kind, colon = whole, ""
        if separator and name not in assigned:
            raise UsageError(f"there is no agent {name!r}; choose from {', '.join(agents)}")
        try:
            found = None if kind == SCRIPTED else find_kind(kind)
        except AgentError as error:
            raise UsageError(str(error)) from error
        if kind != SCRIPTED and found is None:
            raise UsageError(f"there is no kind of agent {kind!r}; {_list_kinds(kinds)}")
        # Custom classes can play if the scenario asks for programs, plans or choices.
        like = CHOOSER if found and "choices" in found.formats else "code_writer"
        if kind not in kinds and not (found and found.source and like in kinds):
            raise UsageError(
                f"{kind} agents cannot play {where}: {requirement_of(kind)}; {_list_kinds(kinds)}"
            )
        if bool(colon and file) != (kind == TRAINED):
            wanted = "a file: trained:FILE" if kind == TRAINED else "nothing behind it"
            raise UsageError(f"{whole}: the kind {kind} takes {wanted}")
        assigned |= {name: whole} if separator else dict.fromkeys(agents, whole)
    return assigned


def is_custom(kind: str) -> bool:
    """Return whether a kind is a user's own class, as in ``my_module:MyAgent``."""
    return ":" in kind and kind.partition(":")[0] not in (*KINDS, SCRIPTED)


def sources(assigned: Mapping[str, str]) -> dict[str, type]:
    """Return a dictionary from kinds to those classes of the user that play agents of the kind."""
    found = {kind: KINDS[kind].source for kind in assigned.values() if kind in KINDS}
    return {kind: source for kind, source in found.items() if source is not None}


def kind_of(assigned: str) -> str:
    """Return the name of a kind, without the file that may follow the name."""
    return assigned.partition(":")[0]


def policy_files(asked: Sequence[str]) -> set[str]:
    """Return the files of the trained policies that the user asked for."""
    wholes = (text.rpartition("=")[2] for text in asked)
    return {whole.partition(":")[2] for whole in wholes if kind_of(whole) == TRAINED} - {""}


def _list_kinds(kinds: Sequence[str]) -> str:
    return f"choose from {', '.join(kinds)}"


def requirement_of(kind: str) -> str:
    """Explain what a scenario or a body needs so that agents of a kind can play."""
    if kind == PERSON:
        return "only scenarios with seats for persons support it (docs/howto/people.md)"
    return f"it needs a body that takes {' or '.join(KINDS[kind].formats)}"


def scripted(assigned: Mapping[str, str]) -> list[str]:
    """Return the agents that are assigned a script instead of a model."""
    return [name for name, kind in assigned.items() if kind == SCRIPTED]


# --- Names of people in societies -----------------------------------------------------------------

NAMES = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Udo", "Vera", "Will", "Xena"),
    *("Yann", "Zoe", "Abel", "Bea", "Carl", "Dora"),
)


def names(count: int, pool: Sequence[str] = NAMES) -> list[str]:
    """Return ``count`` names: the names of the pool, and then these names with numbers."""
    rounds = range(-(-count // len(pool)) if count else 0)
    return [name if not k else f"{name}{k + 1}" for k in rounds for name in pool][:count]
