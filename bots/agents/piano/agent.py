"""The state that an agent's modules share. Each reads and writes it; none calls another."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.body import NOTHING_NOTICED, Body, Surroundings
from voxpolis.bots.agents.piano.expecting import Belief
from voxpolis.bots.agents.piano.memory_store import Memory, MemoryStore
from voxpolis.bots.agents.piano.mind import Mind, Request
from voxpolis.bots.agents.piano.task import Outcome, Standing, Task
from voxpolis.bots.time import Time
from voxpolis.bots.values import REMEMBERED, made_often
from voxpolis.records.text import one_line

WORKING_MEMORY = 8
# What waits to be attended to; older things are lost, as in a crowd.
INBOX = 32
# The bottleneck: no prompt tells more of an agent's state, beside what holds for it; ours.
DIGEST_CHARACTERS = 2000
# How important it is what somebody said, 0 to 1; ours.
HEARSAY = 0.3

T = TypeVar("T")


class _Kept:
    """What is made of what was heard once somebody perceives it, for all who do."""

    __slots__ = ("_happened", "_memory")
    _happened: Happened
    _memory: Memory


_line = lru_cache(REMEMBERED)(one_line)


@made_often
class Heard(_Kept):
    """Something that somebody said; all who hear it share it.

    Attributes:
        t: when, in seconds of the society's time.
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
    """Something that the world tells an agent: a bell, a new law.

    Attributes:
        t: when, in seconds of the society's time.
        about: the typed value that ``text`` was rendered from, of the scenario's own.
    """

    t: float
    text: str
    about: object = None


@made_often
class Happened:
    """Something that happened to an agent, or that it did, in words."""

    t: float
    text: str


@made_often
class Met:
    """Where and when an agent last saw somebody."""

    t: float
    place: str


@made_often
class Sight:
    """Things at a place when an agent last saw it: thing → count."""

    t: float
    things: Mapping[str, int]


@dataclass(slots=True)
class Seen:
    """Last perception."""

    place: str = "the open"
    near: tuple[str, ...] = ()
    inventory: Mapping[str, int] = field(default_factory=dict)
    around: Surroundings = NOTHING_NOTICED


@made_often
class Basis:
    """Basis of a goal: its time, in seconds of the society's, and the knowledge at that time."""

    t: float
    known: object


@dataclass(slots=True)
class Agent:
    """One agent's shared state.

    It has slots because it has more fields than objects of a class share one dictionary's keys for.

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
    # Who there is in its society, by name.
    people: Collection[str] = ()
    # Whether the controller's decision conditions speech (PIANO's broadcast).
    broadcast: bool = True
    # How much of its state its mind is told at most.
    digest_characters: int = DIGEST_CHARACTERS

    task: Task = field(init=False)
    heard: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=INBOX))
    # What was heard and has not been thought about yet.
    unjudged: deque[Heard] = field(default_factory=lambda: deque(maxlen=INBOX))
    working: deque[Happened] = field(default_factory=lambda: deque(maxlen=WORKING_MEMORY))
    # What holds until it is replaced, by subject; nothing that is heard or thought pushes it out.
    standing: dict[str, Standing] = field(default_factory=dict)
    # What came of actions, and was not taken note of yet.
    outcomes: deque[Outcome] = field(default_factory=lambda: deque(maxlen=INBOX))
    # How often in a row each action did not do what was stated of it.
    misses: Counter[str] = field(default_factory=Counter)
    # What it believes to hold; None: it is aware of what came of its actions, and knows.
    belief: Belief | None = None
    # What there was at places, by name.
    sights: dict[str, Sight] = field(default_factory=dict)
    memory: MemoryStore = field(default_factory=MemoryStore)
    seen: Seen = field(default_factory=Seen)
    # One line on each other that social awareness has one of, by name; None: it keeps none.
    profiles: dict[str, str] | None = None
    # What others were seen to do, by name, and what of that has not been thought about yet.
    unjudged_deeds: dict[str, str] = field(default_factory=dict)
    sentiments: dict[str, int] = field(default_factory=dict)
    beliefs: dict[str, str] = field(default_factory=dict)
    goal: str = ""
    goal_follows: Basis | None = None
    # The last memory that insights were drawn from.
    reflected_on: Memory | None = None
    plan: list[str] = field(default_factory=list)
    planned_for: str = ""
    # Whether it has eyes: the module ``perception``.
    has_eyes: bool = True
    # Whether something was told that cannot wait; reflexes see to it.
    is_called: bool = False
    # Whom the agent saw who was not near any more when it looked last; see ``met``.
    _met: dict[str, Met] = field(default_factory=dict, init=False, repr=False)
    # When it looked last, where those whom it saw then are not in ``_met`` yet.
    _looked_at: float | None = field(default=None, init=False, repr=False)
    # Who its body said was near then.
    _heard_by: Sequence[str] = field(default=(), init=False, repr=False)
    # What :meth:`absent` returned since who is near changed.
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
        """Let the world tell the agent something; what is urgent interrupts.

        ``about``: the typed value that the text was rendered from.
        """
        self.notices.append(Notice(self.time.now(), text, about))
        self.is_called = self.is_called or urgent

    def hear(self, speaker: str, text: str) -> None:
        self.listen(Heard(self.time.now(), speaker, text))

    def listen(self, heard: Heard) -> None:
        """Let the agent hear what others hear, too."""
        self.heard.append(heard)

    def look(self) -> None:
        """See where it is, who is near, what it holds and what else there is now, if it has eyes.

        Who is not aware of what came of its actions sees what it believes to hold. Where nothing
        changed, it is the same sight as before.
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
        """Return the names of those near in their order: the very same where nobody came or went.

        Who went is met no more; when that was the last time is known from then on.
        """
        before = self.seen.near
        if near is self._heard_by:
            return before
        self._heard_by = near
        names = tuple(sorted(near))
        if names == before:
            return before
        self._part()
        return names

    def _part(self) -> None:
        """Keep where and when those were met whom the agent saw when it looked last."""
        self._absent = None
        if self._looked_at is None:
            return
        met = Met(self._looked_at, self.seen.place)
        for name in self.seen.near:
            self._met.pop(name, None)  # the latest stand last
            self._met[name] = met
        self._looked_at = None

    @property
    def met(self) -> dict[str, Met]:
        """Whom the agent has seen, by name; the latest stand last."""
        self._part()
        return self._met

    def absent(self, most: int) -> Mapping[str, Met]:
        """Return those whom the agent saw and who are not near it now, the latest first.

        Where nobody came or went it is the same mapping as before; it is not to be changed.

        ``most``: how many at most, the same in each call.
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
        """Ask the mind, and hand ``take`` what ``read`` makes of its answer; None: it has none.

        Returns:
            what has to be waited for; None: nothing, the mind has answered already.
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
        """Ask the mind; return what ``read`` makes of its answer, or None where it has none."""
        return await self.mind.ask(request, read)
