"""What all events have, and the registry of their kinds.

A kind is declared once, as a subclass of :class:`Event`: its fields, what records it, its lane of
the timeline, and its line of text. All tables of kinds are computed from the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

SCHEMA_VERSION = 1

Position = tuple[float, float, float]
Counts = dict[str, int]
#: What records a kind: a body in Minecraft (``bot``), the world's own account (``world``), an
#: agent's mind (``mind``), or the run and its institutions (``experiment``).
Origin = Literal["bot", "world", "mind", "experiment"]
#: The lanes of a timeline, from the top.
Lane = Literal["talk", "world", "code", "mind", "rules", "run"]
LANES: tuple[Lane, ...] = get_args(Lane)
#: The lane of a kind that this version does not know.
OTHER_LANE: Lane = "run"

_KINDS: dict[str, type[Event]] = {}


class Event(BaseModel):
    """What all events have; a subclass with a ``kind`` of its own is a kind of event.

    Attributes:
        id: the event's number within its run, from 1; 0 until it is written. It is the number of
            the event's line in ``events.jsonl``, so that records without it have it, too.
        t: seconds since the run's start.
        episode: counts from 0 within the run folder.
        agent: None for what concerns nobody in particular.
        kind: the kind's name in the file.

    A kind's class attributes: ``origin`` (what records it), ``lane`` (of the timeline; None for
    samples, which are too many to list), ``in_words`` (its line of text, with fields in braces; a
    kind whose text says more than its fields has a :meth:`summary` of its own), and
    ``is_detailed`` (whether readers of a run want all its fields besides its line of text).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    origin: ClassVar[Origin]
    lane: ClassVar[Lane | None]
    in_words: ClassVar[str] = ""
    is_detailed: ClassVar[bool] = False

    id: int = 0
    t: float
    episode: int
    agent: str | None = None
    kind: str

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register a kind.

        Raises:
            TypeError: it lacks an attribute that every kind has, its words name a field that it
                has not, or its name is taken.
        """
        super().__pydantic_init_subclass__(**kwargs)
        kind = cls.model_fields["kind"].default
        if not isinstance(kind, str) or not hasattr(cls, "origin") or not hasattr(cls, "lane"):
            raise TypeError(f"{cls.__name__} needs a default for kind, an origin and a lane")
        named_fields = {
            name for _, name, _, _ in Formatter().parse(cls.in_words) if name is not None
        }
        if unknown := named_fields - set(cls.model_fields):
            raise TypeError(f"the words of {cls.__name__} name {', '.join(sorted(unknown))}")
        if kind in _KINDS:
            raise TypeError(f"{kind} is the kind of {_KINDS[kind].__name__} already")
        _KINDS[kind] = cls

    def summary(self) -> str:
        """One plain line of text for people, without the agent; all fields of a kind without."""
        if self.in_words:
            return self.in_words.format_map(vars(self))
        return _fields(self.model_dump(warnings=False))


def kinds(*origins: Origin) -> tuple[type[Event], ...]:
    """The kinds of event of some origins, in the order of their declaration; all without one."""
    return tuple(kind for kind in _KINDS.values() if not origins or kind.origin in origins)


def named(kind: str) -> type[Event]:
    """The class of a kind by its name in the file.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no kind of event {kind!r}")
    return _KINDS[kind]


def parse_event(data: Any) -> Event:
    """Read one event from a dict.

    Raises:
        ValueError: it is no dict or of an unknown kind, or (:class:`pydantic.ValidationError`)
            fields are missing, extra or wrong.
    """
    if not isinstance(data, Mapping):
        raise ValueError("is no event")
    return named(str(data.get("kind"))).model_validate(data)


def fits(data: Mapping[str, Any]) -> bool:
    """Whether the fields that an event has are of their types.

    An event of an unknown kind, or of another version with more or fewer fields, fits, too.
    """
    kind = _KINDS.get(str(data.get("kind")))
    if kind is None:
        return True
    try:
        kind.model_validate(data)
    except ValidationError as error:
        return all(found["type"] in _OF_VERSIONS for found in error.errors())
    return True


#: What pydantic says of fields that another version has or lacks.
_OF_VERSIONS = ("missing", "extra_forbidden")


def lane_of(kind: str) -> Lane | None:
    """The lane of a kind by its name, also of an unknown one; None for samples."""
    return _KINDS[kind].lane if kind in _KINDS else OTHER_LANE


def is_detailed(kind: str) -> bool:
    """Whether readers of a run want all fields of a kind besides its line of text."""
    return kind in _KINDS and _KINDS[kind].is_detailed


def summary_of(raw: Mapping[str, Any]) -> str:
    """One line of text for an event as its file has it.

    An event of an unknown kind, or of another version that lacks what the line takes, shows the
    fields that it has.
    """
    kind = _KINDS.get(str(raw.get("kind")))
    if kind is None:
        return _fields(raw)
    try:
        return kind.model_construct(**raw).summary()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return _fields(raw)


def _fields(raw: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in raw.items() if name not in _COMMON)


_COMMON = frozenset(Event.model_fields)


def counted(counts: Mapping[str, int]) -> str:
    """Counts in words: ``3 wood, 1 stone``."""
    return ", ".join(f"{count} {item}" for item, count in counts.items()) or "nothing"
