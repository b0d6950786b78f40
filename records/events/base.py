"""The base class of events, and the registry of their kinds.

Each kind of event is one subclass of :class:`Event`, which declares the fields, the origin, the
lane in the timeline and the line of text for people. All tables of kinds are made from the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

SCHEMA_VERSION = 1

# Minecraft worlds end 30 million blocks from the centre. In all dimensions, heights are from -2032
# to 2031.
FARTHEST, DEEPEST, HIGHEST = 30_000_000, -2032, 2031
Coordinate = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]
# The horizontal and the vertical position of a block.
Whole = Annotated[int, Field(ge=-FARTHEST, le=FARTHEST)]
Height = Annotated[int, Field(ge=DEEPEST, le=HIGHEST)]
Position = tuple[Coordinate, Coordinate, Coordinate]
# Maximum time in seconds. Unix times are allowed, because events have them until they are written.
MAX_SECONDS = 10_000_000_000
Seconds = Annotated[float, Field(ge=-MAX_SECONDS, le=MAX_SECONDS)]
# Maximum number of episodes in a run folder.
MAX_EPISODES = 1_000_000_000
Counts = dict[str, int]
# Where an event comes from: a body in Minecraft (``bot``), the world itself (``world``), an agent's
# mind (``mind``), or the run and its institutions (``experiment``).
Origin = Literal["bot", "world", "mind", "experiment"]
# The lanes of the timeline, from top to bottom.
Lane = Literal["talk", "world", "code", "mind", "rules", "run"]
LANES: tuple[Lane, ...] = get_args(Lane)
# The lane for kinds of events that this version does not know.
OTHER_LANE: Lane = "run"

_KINDS: dict[str, type[Event]] = {}


class Event(BaseModel):
    """The common fields of all events. Each subclass that defines ``kind`` is a kind of event.

    Attributes:
        id: the number of the event within its run, counted from 1; 0 before the event is written.
            The number equals the line number in ``events.jsonl``, so events in old records
            also have a number.
        t: the time since the start of the run, in seconds.
        episode: the index of the episode within the run folder, counted from 0.
        agent: the agent that the event is about; None if the event is about the whole run.
        kind: the name of the kind in the file.

    A subclass has these class keywords: ``origin`` (what reports the event); ``lane`` (the lane of
    the timeline that shows the event; None for samples, which are too many to list); ``in_words``
    (the line of text, with fields in braces; override :meth:`summary` if this is not enough); and
    ``is_detailed`` (whether readers want to see all fields in addition to the line of text).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    origin: ClassVar[Origin]
    lane: ClassVar[Lane | None]
    in_words: ClassVar[str]
    is_detailed: ClassVar[bool]

    id: int = 0
    t: Seconds
    episode: Annotated[int, Field(ge=0, le=MAX_EPISODES)]
    agent: str | None = None
    kind: str

    def __init_subclass__(
        cls, *, origin: Origin, lane: Lane | None, in_words: str = "", is_detailed: bool = False
    ) -> None:
        super().__init_subclass__()
        cls.origin, cls.lane = origin, lane
        cls.in_words, cls.is_detailed = in_words, is_detailed

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register a kind of event.

        Raises:
            TypeError: the kind has no name, its ``in_words`` mentions an unknown field, or another
                kind has the same name.
        """
        kind = cls.model_fields["kind"].default
        if not isinstance(kind, str):
            raise TypeError(f"{cls.__name__} needs a default for kind")
        named_fields = {
            name for _, name, _, _ in Formatter().parse(cls.in_words) if name is not None
        }
        if unknown := named_fields - set(cls.model_fields):
            raise TypeError(
                f"in_words of {cls.__name__} refers to unknown fields: {', '.join(sorted(unknown))}"
            )
        if kind in _KINDS:
            raise TypeError(f"{kind} is already the kind of {_KINDS[kind].__name__}")
        _KINDS[kind] = cls

    def summary(self) -> str:
        """Describe the event in one line for people, without its agent.

        By default show all fields.
        """
        if self.in_words:
            return self.in_words.format_map(vars(self))
        return _fields(self.model_dump(warnings=False))


def kinds(*origins: Origin) -> tuple[type[Event], ...]:
    """Return the kinds of events with the given origins, in the order of declaration.

    Without arguments, return all kinds.
    """
    return tuple(kind for kind in _KINDS.values() if not origins or kind.origin in origins)


def named(kind: str) -> type[Event]:
    """Return the class of a kind of event by the name of the kind.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no kind of event {kind!r}")
    return _KINDS[kind]


def parse_event(data: Any) -> Event:
    """Convert data into an event.

    Raises:
        ValueError: the data are not a mapping, or their kind is unknown. Fields that are missing,
            unknown or invalid raise :class:`pydantic.ValidationError`, which is a ``ValueError``.
    """
    if not isinstance(data, Mapping):
        raise ValueError("is not an event")
    return named(str(data.get("kind"))).model_validate(data)


def misfit(kind: str, line: bytes) -> str | None:
    """Return why a line of JSON is not a valid event of its kind; None if it is valid.

    Values must have the declared types, and numbers must be within their ranges. Events of unknown
    kinds are valid, and so are events from other versions, which may have missing or extra fields.
    """
    known = _KINDS.get(kind)
    if known is None:
        return None
    try:
        known.__pydantic_validator__.validate_json(line, strict=True)
    except ValidationError as error:
        for found in error.errors(include_url=False, include_context=False, include_input=False):
            is_field = bool(found["loc"]) and isinstance(found["loc"][-1], str)
            if found["type"] not in _OF_VERSIONS or not is_field:
                place = " ".join(str(part)[:_SHOWN] for part in found["loc"])
                return f"{place}: {found['msg']}" if place else found["msg"]
    return None


def lacks(data: Mapping[str, Any]) -> str | None:
    """Return the first field that all versions of an event's kind have and this event lacks.

    Return None if there is none.
    """
    kind = _KINDS.get(str(data.get("kind")))
    fields = kind.model_fields.items() if kind is not None else ()
    return next((name for name, field in fields if field.is_required() and name not in data), None)


# Pydantic's types of errors about fields that another version has or lacks.
_OF_VERSIONS = ("missing", "extra_forbidden")
# Maximum length of a name in a problem, in characters.
_SHOWN = 40


def fields_of(kind: str) -> tuple[str, ...]:
    """Return the names of a kind's fields; empty if the kind is unknown."""
    return tuple(_KINDS[kind].model_fields) if kind in _KINDS else ()


def defaults_of(kind: str) -> dict[str, Any]:
    """Return the defaults of a kind's optional fields.

    Optional fields are those that later versions added.
    """
    fields = _KINDS[kind].model_fields.items() if kind in _KINDS else ()
    return {name: field.default for name, field in fields if not field.is_required()}


def lane_of(kind: str) -> Lane | None:
    """Return the lane of a kind, even if the kind is unknown; None for samples."""
    return _KINDS[kind].lane if kind in _KINDS else OTHER_LANE


def is_detailed(kind: str) -> bool:
    """Return whether readers want to see all fields of a kind in addition to its line of text."""
    return kind in _KINDS and _KINDS[kind].is_detailed


def summary_of(raw: Mapping[str, Any]) -> str:
    """Describe a stored event in one line.

    If the kind is unknown, or the event comes from a version without the necessary fields, show all
    fields.
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
    """Describe counts in words: ``3 wood, 1 stone``."""
    return ", ".join(f"{count} {item}" for item, count in counts.items()) or "nothing"
