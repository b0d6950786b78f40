"""The state that an agent's modules share. Each reads and writes it; none calls another."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bots.agents.piano.actions import REST, Action
from bots.agents.piano.body import Body
from bots.agents.piano.memory_store import MemoryStore
from bots.time import Time

if TYPE_CHECKING:
    from bots.agents.piano.thinking import Thinker

WORKING_MEMORY = 8
#: What waits to be attended to; older things are lost, as in a crowd.
INBOX = 32


@dataclass(frozen=True)
class Heard:
    """Something that somebody said."""

    t: float
    speaker: str
    text: str


@dataclass(frozen=True)
class Notice:
    """Something that the world tells an agent: a bell, a new law. An urgent one interrupts."""

    t: float
    text: str
    urgent: bool


@dataclass(frozen=True)
class Decision:
    """What the controller decided: an action, and what there is to talk about."""

    t: float
    action: Action
    about: str


@dataclass(frozen=True)
class Expectation:
    """What an action should have come to by ``until``: being at ``place``, or ``items`` more."""

    until: float
    place: str | None = None
    items: int | None = None


@dataclass
class Seen:
    """What perception last saw."""

    place: str = "the open"
    near: tuple[str, ...] = ()
    inventory: Mapping[str, int] = field(default_factory=dict)


@dataclass
class Agent:
    """One agent's shared state.

    ``note`` hands an event of the agent's mind to the record: its kind by name, and its fields.
    """

    name: str
    traits: str
    index: int
    body: Body
    time: Time
    thinker: Thinker
    chance: random.Random
    note: Callable[..., None]
    places: tuple[str, ...] = ()
    #: Whether the controller's decision conditions speech (PIANO's broadcast).
    broadcast: bool = True

    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=INBOX))
    #: What was heard and has not been thought about yet.
    unjudged: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    working: deque[str] = field(default_factory=lambda: deque(maxlen=WORKING_MEMORY))
    memory: MemoryStore = field(default_factory=MemoryStore)
    seen: Seen = field(default_factory=Seen)
    sentiments: dict[str, int] = field(default_factory=dict)
    beliefs: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    plan: list[str] = field(default_factory=list)
    planned_for: str = ""
    decision: Decision = field(default_factory=lambda: Decision(0.0, REST, ""))
    is_done: bool = True
    wants_to_decide: bool = True
    expected: Expectation | None = None
    asks_urgently: bool = False
    faults: Counter[str] = field(default_factory=Counter)

    def tell(self, text: str, urgent: bool = False) -> None:
        """Let the world tell the agent something."""
        self.notices.append(Notice(self.time.now(), text, urgent))
        if urgent:
            self.asks_urgently = True

    def hear(self, speaker: str, text: str) -> None:
        """Let the agent hear somebody."""
        self.heard.append(Heard(self.time.now(), speaker, text))

    async def think(
        self, role: str, read: Callable[[str], Any], *, prompt: str = "", **values: str
    ) -> Any:
        """Ask the mind; None where it gave no answer that could be used.

        ``prompt`` is the prompt's file, by default that of the role in ``prompts/piano``.
        """
        return await self.thinker.think(self, role, read, prompt or f"piano/{role}", values)
