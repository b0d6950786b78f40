"""State shared by an agent's modules. Each module reads and writes it; none calls another."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.body import NOTHING_NOTICED, Body, Surroundings
from voxpolis.bots.agents.piano.expectations import Belief
from voxpolis.bots.agents.piano.memory_store import Memory, MemoryStore
from voxpolis.bots.agents.piano.mind import Mind, Request
from voxpolis.bots.agents.piano.task import Outcome, Standing, Task
from voxpolis.bots.time import Time
from voxpolis.bots.values import REMEMBERED, made_often
from voxpolis.records.text import one_line

WORKING_MEMORY = 8
# Maximum length of the attention queue; beyond it the oldest items are lost.
INBOX = 32
# The bottleneck: maximum length of an agent's state in prompts, excluding standing facts; our
# value.
DIGEST_CHARACTERS = 2000
# Importance of heard speech, 0 to 1; our value.
HEARSAY = 0.3

T = TypeVar("T")


class _Kept:
    """Values computed from heard speech when it is first perceived, shared by all hearers."""

    __slots__ = ("_happened", "_memory")
    _happened: Happened
    _memory: Memory


_line = lru_cache(REMEMBERED)(one_line)


@made_often
class Heard(_Kept):
    """An utterance, shared by all hearers.

    Attributes:
        t: time of the utterance, in society seconds.
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
    """A notice from the world to an agent, such as a bell or a new law.

    Attributes:
        t: time of the notice, in society seconds.
        about: typed value of the scenario that ``text`` was rendered from.
    """

    t: float
    text: str
    about: object = None


@made_often
class Happened:
    """An event that involved an agent, or its action, in words."""

    t: float
    text: str


@made_often
class Met:
    """Where and when an agent last saw another agent."""

    t: float
    place: str


@made_often
class Sight:
    """Things at a place when an agent last saw it: thing → count."""

    t: float
    things: Mapping[str, int]


@dataclass(slots=True)
class Seen:
    """An agent's last perception."""

    place: str = "the open"
    near: tuple[str, ...] = ()
    inventory: Mapping[str, int] = field(default_factory=dict)
    around: Surroundings = NOTHING_NOTICED


@made_often
class Basis:
    """Knowledge that a goal was based on, and its time in society seconds."""

    t: float
    known: object


@dataclass(slots=True)
class Agent:
    """One agent's shared state.

    It has slots because it has more fields than CPython's shared-key dictionaries support.

    ``note`` records an event of the agent: its class, and its fields.
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
    # All members of the agent's society, by name.
    people: Collection[str] = ()
    # The controller's decision conditions speech (PIANO's broadcast).
    broadcast: bool = True
    # Maximum length of the agent's state in prompts.
    digest_characters: int = DIGEST_CHARACTERS

    task: Task = field(init=False)
    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=INBOX))
    # Heard utterances that have not been thought about yet.
    unjudged: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    working: deque[Happened] = field(default_factory=lambda: deque(maxlen=WORKING_MEMORY))
    # Standing facts by subject, valid until replaced; other input never displaces them.
    standing: dict[str, Standing] = field(default_factory=dict)
    # Outcomes of actions that have not been processed yet.
    outcomes: deque[Outcome] = field(default_factory=lambda: deque(maxlen=INBOX))
    # By action, the number of consecutive outcomes that missed the expectation.
    misses: Counter[str] = field(default_factory=Counter)
    # Inventory that the agent believes it has. None with action awareness: the agent then knows its
    # real inventory.
    belief: Belief | None = None
    # Things last seen at places, by name.
    sights: dict[str, Sight] = field(default_factory=dict)
    memory: MemoryStore = field(default_factory=MemoryStore)
    seen: Seen = field(default_factory=Seen)
    # By name, one line about each other agent, written by social awareness; None if it writes no
    # such lines.
    profiles: dict[str, str] | None = None
    # By name, the observed actions of other agents, and those that have not been thought about yet.
    unjudged_deeds: dict[str, str] = field(default_factory=dict)
    sentiments: dict[str, int] = field(default_factory=dict)
    beliefs: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    goal_follows: Basis | None = None
    # The last memory from which insights were drawn.
    reflected_on: Memory | None = None
    plan: list[str] = field(default_factory=list)
    planned_for: str = ""
    # True if the agent has the module ``perception``.
    has_eyes: bool = True
    # An urgent notice has arrived; reflexes handle it.
    is_called: bool = False
    # Agents seen earlier that were not near at the last look; see ``met``.
    _met: dict[str, Met] = field(default_factory=dict, init=False, repr=False)
    # Time of the last look, if the agents seen then are not in ``_met`` yet.
    _looked_at: float | None = field(default=None, init=False, repr=False)
    # Agents near at the last look, as reported by the body.
    _heard_by: Sequence[str] = field(default=(), init=False, repr=False)
    # Cached result of :meth:`absent`, valid until the agents nearby change.
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
        """Deliver a notice from the world; urgent ones interrupt.

        ``about``: typed value that the text was rendered from.
        """
        self.notices.append(Notice(self.time.now(), text, about))
        self.is_called = self.is_called or urgent

    def hear(self, speaker: str, text: str) -> None:
        self.listen(Heard(self.time.now(), speaker, text))

    def listen(self, heard: Heard) -> None:
        """Deliver an utterance, which other hearers share."""
        self.heard.append(heard)

    def look(self) -> None:
        """Perceive the position, agents nearby, inventory and things, if the agent has perception.

        Without action awareness, the inventory is the believed one. If nothing changed, return the
        same object as before.
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
        """Return the names of agents nearby in order: the same object if it has not changed.

        Also record when the agents that have left were last seen.
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
        """Record where and when the agents at the last look were seen."""
        self._absent = None
        if self._looked_at is None:
            return
        met = Met(self._looked_at, self.seen.place)
        for name in self.seen.near:
            self._met.pop(name, None)  # keep the mapping in order of last sighting
            self._met[name] = met
        self._looked_at = None

    @property
    def met(self) -> dict[str, Met]:
        """Agents that it has seen, by name, most recently seen last."""
        self._store_sightings()
        return self._met

    def absent(self, most: int) -> Mapping[str, Met]:
        """Return agents seen earlier that are not near now, most recently seen first.

        The mapping must not be modified; it is the same object until the agents nearby change.

        ``most``: maximum number of agents; must be the same in every call.
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
    ) -> Coroutine[Any, Any, None] | None:
        """Ask the mind, and pass the parsed answer to ``take`` (None if there is no usable answer).

        Returns:
            an awaitable; None if the mind has already answered.
        """
        if self.mind.answers_at_once:
            take(self.mind.ask_at_once(request, read))
            return None
        return self._ask(request, read, take)

    async def _ask(
        self, request: Request, read: Callable[[Any], T], take: Callable[[T | None], None]
    ) -> None:
        take(await self.mind.ask(request, read))

    async def think(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Ask the mind; return the parsed answer, or None if it is unusable."""
        return await self.mind.ask(request, read)
