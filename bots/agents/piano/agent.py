"""The state that an agent's modules share.

Modules read and write this state; they never call each other.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.body import NOTHING_NOTICED, Body, Surroundings
from voxpolis.bots.agents.piano.expectations import Belief
from voxpolis.bots.agents.piano.memory_store import Memory, MemoryStore
from voxpolis.bots.agents.piano.mind import Mind, Request
from voxpolis.bots.agents.piano.task import Outcome, Standing, Task
from voxpolis.bots.time import Time, Wait
from voxpolis.bots.values import REMEMBERED, made_often
from voxpolis.records.text import one_line

WORKING_MEMORY = 8
# Maximum length of the queues of things that an agent has not processed yet. When a queue is full,
# the oldest entry is dropped.
INBOX = 32
# Maximum length in characters of the description of an agent's state in prompts, excluding the
# standing facts. The limit is PIANO's bottleneck; the value is ours.
DIGEST_CHARACTERS = 2000
# The importance of the memory of something that another agent said, from 0 to 1; our value.
HEARSAY = 0.3

T = TypeVar("T")


class _Kept:
    """Values that are computed once for an utterance and shared by all agents that hear it."""

    __slots__ = ("_happened", "_memory")
    _happened: Happened
    _memory: Memory


_line = lru_cache(REMEMBERED)(one_line)


@made_often
class Heard(_Kept):
    """An utterance. All agents that hear the utterance share one object.

    Attributes:
        t: the time of the utterance, in seconds since the start of the society.
    """

    t: float
    speaker: str
    text: str

    @property
    def happened(self) -> Happened:
        try:
            return self._happened
        except AttributeError:
            self._happened = Happened(self.t, f"{self.speaker} said: {_line(self.text)}")
            return self._happened

    @property
    def memory(self) -> Memory:
        try:
            return self._memory
        except AttributeError:
            self._memory = Memory(self.t, self.happened.text, HEARSAY, about=self)
            return self._memory


@made_often
class Notice:
    """A message from the world to an agent, such as a bell or a new law.

    Attributes:
        t: the time of the message, in seconds since the start of the society.
        about: the scenario's structured data from which ``text`` was written.
    """

    t: float
    text: str
    about: object = None


@made_often
class Happened:
    """Something that an agent did or witnessed, in words."""

    t: float
    text: str


@made_often
class Met:
    """When and where an agent last saw another agent."""

    t: float
    place: str


@made_often
class Sight:
    """The number of things of each kind at a place when an agent last saw the place."""

    t: float
    things: Mapping[str, int]


@dataclass(slots=True)
class Seen:
    """The surroundings of an agent when it last looked around."""

    place: str = "the open"
    near: tuple[str, ...] = ()
    inventory: Mapping[str, int] = field(default_factory=dict)
    around: Surroundings = NOTHING_NOTICED


@made_often
class Basis:
    """The knowledge on which an agent based a goal.

    ``t`` is the time in seconds since the start of the society.
    """

    t: float
    known: object


@dataclass(slots=True)
class Agent:
    """The shared state of one agent.

    The class has slots because it has more fields than CPython's shared-key dictionaries support.
    ``note`` is a function that records an event of the agent, given the event's class and fields.
    """

    name: str
    traits: str
    index: int
    body: Body
    time: Time
    mind: Mind
    actions: ActionSet
    note: Callable[..., object]
    places: tuple[str, ...] = ()
    # The names of all members of the agent's society.
    people: Collection[str] = ()
    # Whether the prompt for the agent's speech contains the controller's decision (in PIANO, the
    # broadcast).
    broadcast: bool = True
    # Maximum length of the description of the agent's state in prompts, in characters.
    digest_characters: int = DIGEST_CHARACTERS

    task: Task = field(init=False)
    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=INBOX))
    # Utterances that the agent has heard and not thought about yet.
    unjudged: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    working: deque[Happened] = field(default_factory=lambda: deque(maxlen=WORKING_MEMORY))
    # Facts that hold until they are replaced, by subject. Other input never displaces these facts.
    standing: dict[str, Standing] = field(default_factory=dict)
    # Outcomes of actions that the module ``action_awareness`` has not processed yet.
    outcomes: deque[Outcome] = field(default_factory=lambda: deque(maxlen=INBOX))
    # For each action, how many times in a row the outcome was not as expected.
    misses: Counter[str] = field(default_factory=Counter)
    # The inventory that the agent believes it has. None if the agent has the module
    # ``action_awareness``, because it then knows its real inventory.
    belief: Belief | None = None
    # What the agent last saw at each place, by name.
    sights: dict[str, Sight] = field(default_factory=dict)
    memory: MemoryStore = field(default_factory=MemoryStore)
    seen: Seen = field(default_factory=Seen)
    # For each known agent one line, which the module ``social_awareness`` writes. None if the
    # module keeps opinions and no such lines.
    profiles: dict[str, str] | None = None
    # By name, the actions of other agents that the agent has seen and not thought about yet.
    unjudged_deeds: dict[str, str] = field(default_factory=dict)
    sentiments: dict[str, int] = field(default_factory=dict)
    beliefs: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    goal_follows: Basis | None = None
    # The memory that was the newest when the agent last drew insights.
    reflected_on: Memory | None = None
    plan: list[str] = field(default_factory=list)
    planned_for: str = ""
    # Whether the agent has the module ``perception``.
    has_eyes: bool = True
    # Whether an urgent notice has arrived that the module ``reflexes`` has not handled yet.
    is_called: bool = False
    # Where the agent last saw each agent that was out of sight at the last look; see ``met``.
    _met: dict[str, Met] = field(default_factory=dict, init=False, repr=False)
    # The time of the last look. None if the agents seen at that time are already in ``_met``.
    _looked_at: float | None = field(default=None, init=False, repr=False)
    # The agents nearby at the last look, as the object that the body returned.
    _heard_by: Sequence[str] = field(default=(), init=False, repr=False)
    # The cached result of :meth:`absent`, which is valid until the agents nearby change.
    _absent: Mapping[str, Met] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.task = Task(
            self.name,
            self.body,
            self.time,
            self.happened,
            self.note,
            self.standing,
            self.outcomes,
        )

    def happened(self, text: str) -> None:
        self.working.append(Happened(self.time.now(), text))

    def tell(self, text: str, *, urgent: bool = False, about: object = None) -> None:
        """Deliver a notice from the world. An urgent notice interrupts the current action.

        ``about`` is the structured data from which the text was written.
        """
        self.notices.append(Notice(self.time.now(), text, about))
        self.is_called = self.is_called or urgent

    def hear(self, speaker: str, text: str) -> None:
        self.listen(Heard(self.time.now(), speaker, text))

    def listen(self, heard: Heard) -> None:
        """Let the agent hear an utterance. All hearers share the same object."""
        self.heard.append(heard)

    def look(self) -> None:
        """Update ``seen``: the place, the agents nearby, the inventory and the things in view.

        An agent without the module ``perception`` sees nothing. Without the module
        ``action_awareness``, the inventory is the one that the agent believes it has. If nothing
        has changed, ``seen`` remains the same object.
        """
        if not self.has_eyes:
            return
        body, now, before = self.body, self.time.now(), self.seen
        held: Mapping[str, int] = body.inventory()
        if self.belief is None:
            held = dict(held)
        else:
            held = self.belief.held(now, held, self.task.take_ended())
        place, names = body.place(), self._names_near(body.near())
        around = body.notices()
        same = names is before.near and place == before.place and around is before.around
        if not same or (held is not before.inventory and held != before.inventory):
            self.seen = Seen(place, names, held, around)
        self._looked_at = now
        if around.things:
            self.sights[place] = Sight(now, around.things)
        if around.doing and self.profiles is not None:
            self.unjudged_deeds.update(around.doing)

    def _names_near(self, near: Sequence[str]) -> tuple[str, ...]:
        """Return the sorted names of the agents nearby.

        If the names have not changed since the previous look, return the tuple of that look.

        If the names have changed, also store when and where the agents of the previous look were
        seen.
        """
        before = self.seen.near
        if near is self._heard_by:
            return before
        self._heard_by = near
        names = tuple(sorted(near))
        if names == before:
            return before
        self._store_sightings()
        return names

    def _store_sightings(self) -> None:
        """Store in ``_met`` when and where the agents of the last look were seen."""
        self._absent = None
        if self._looked_at is None:
            return
        met = Met(self._looked_at, self.seen.place)
        for name in self.seen.near:
            # Remove the name first, so that the agents remain in the order in which they were last
            # seen.
            self._met.pop(name, None)
            self._met[name] = met
        self._looked_at = None

    @property
    def met(self) -> dict[str, Met]:
        """For every agent that this agent has seen: the time and the place of the last sighting.

        The agent that was seen most recently comes last.
        """
        self._store_sightings()
        return self._met

    def absent(self, most: int) -> Mapping[str, Met]:
        """Return the agents that were seen earlier and are not near now, most recently seen first.

        The result is cached until the agents nearby change, so it must not be modified.

        Args:
            most: the maximum number of agents; must be the same in every call.
        """
        if self._absent is None:
            near, found = self.seen.near, dict[str, Met]()
            for name, one in reversed(self._met.items()):
                if len(found) == most:
                    break
                if name not in near:
                    found[name] = one
            self._absent = found
        return self._absent

    def ask(
        self, request: Request, read: Callable[[Any], T], take: Callable[[T | None], None]
    ) -> Wait | None:
        """Ask the mind, and pass the parsed answer to ``take`` (None if no answer is usable).

        Returns:
            An object to wait for until ``take`` receives the answer; None if ``take`` has already
            received the answer.
        """
        if self.mind.answers_at_once:
            take(self.mind.ask_at_once(request, read))
            return None
        if self.mind.answers_ahead:
            return self.mind.ask_ahead(request, read, take)
        return self._ask(request, read, take)

    async def _ask(
        self, request: Request, read: Callable[[Any], T], take: Callable[[T | None], None]
    ) -> None:
        take(await self.mind.ask(request, read))

    async def think(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Ask the mind. Return the parsed answer, or None if no answer is usable."""
        return await self.mind.ask(request, read)
