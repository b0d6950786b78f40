"""The structure of results on which figures rely, and a check that a ``result.json`` has this
structure.

The result of a scenario may contain more. Figures only read the fields that are defined here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

# Learning algorithms, in the order of their colours.
ALGORITHMS = ("ppo", "cl", "recppo", "mappo", "rainbow")
# Maximum number of names in a row, and of conditions in a figure.
MOST_NAMES, MOST_CONDITIONS = 200, 50
# Length of the excerpt shown of an invalid part of a result.
_SHOWN = 40

Number = float
Known = Number | None
Name = Annotated[str, StringConstraints(strict=True, max_length=200)]
Numbers = Annotated[dict[Name, Known], Field(max_length=MOST_NAMES)]
Series = list[Known]
# JSON lists: x, z and block; two counts; observer, observed and score.
Place = Annotated[tuple[Number, Number, Name], Field(strict=False)]
Pair = Annotated[tuple[Number, Number], Field(strict=False)]
Edge = Annotated[tuple[Name, Name, Number], Field(strict=False)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class _Sample(_Part):
    t: Number
    area_blocks: Number = 0
    memes: dict[Name, dict[Name, Number]] = {}


class _PerHead(_Part):
    towns: Known
    country: Known


class _Feedback(_Part):
    anti: Number = 0
    neutral: Number = 0
    pro: Number = 0


class _Customer(_Part):
    score: Number
    items: Number


class _Kept(_Part):
    kept: Known


class _Denied(_Part):
    denied: Known


class _Words(_Part):
    announced: _Kept
    promised: _Kept
    claimed: _Denied


class _Rumour(_Part):
    after_s: Number
    lately: Number


class _Entry(_Part):
    acted: list[Name] | None = None
    seed: Number | None = None
    condition: Name | None = None
    over_time: Sequence[_Sample] | None = None
    memes: dict[Name, Numbers] | None = None
    memes_per_head: _PerHead | None = None
    meme_places: list[Place] | None = None
    keyword_chats: dict[Name, Pair] | None = None
    statements: _Words | None = None
    rumour: list[_Rumour] | None = None
    near_chest: Numbers | None = None
    feedback: _Feedback | None = None
    votes: dict[Name, dict[Name, dict[Name, Number]]] | None = None
    customers: Annotated[dict[Name, _Customer], Field(max_length=MOST_NAMES)] | None = None


class _Country(_Entry):
    """An episode in a country whose people have memes in their goals."""

    agents: Number | None = None


class _Game(_Part):
    """The fields of a commons game's result that do not belong to one episode."""

    bots: Annotated[dict[Name, Name], Field(max_length=MOST_NAMES)] = {}
    directions: str | None = None


class _Look(_Sample):
    slope: Known
    low: Known
    high: Known


class _Person(_Part):
    likeability: Number
    extroversion: Number
    observers: Number
    perceived: Known


class _Liked(_Entry):
    """An episode in which people rate each other. Scores are from 0 to 10."""

    people: dict[Name, _Person]
    edges: list[Edge]
    over_time: list[_Look]
    asymmetry: list[Annotated[Number, Field(ge=0, le=10)]]


class _Player(_Part):
    kind: Name
    last_apples: Number
    cleaning: Known = 0
    apples: Number


class _Commons(_Entry):
    acted: list[Name]
    agents: Annotated[dict[Name, _Player], Field(max_length=MOST_NAMES)]
    hits: Annotated[dict[Name, dict[Name, Number]], Field(max_length=MOST_NAMES)]
    reward_by_round: Series
    bots_by_round: Series = []
    apples_by_round: Series = []
    trees_by_round: Series
    dirt_by_round: Series = []
    attacks: Known
    bots_attacks: Known
    effectiveness: Known
    bots_effectiveness: Known
    approach: Known
    approach_seen: Known


class _Cooperating(_Commons):
    """A commons result with the measures of cooperation modules."""

    welfare: Known
    trees_alive: Known
    rules_precision: Known
    rules_recall: Known
    answered_truly: Known
    brier: Known
    promises_kept: Known
    promises_broken: Known
    messages: Number
    law_version: Number
    reputation: Annotated[dict[Name, Number], Field(max_length=MOST_NAMES)]
    compliance: dict[Name, Number] = {}


class _Gridded(_Entry):
    """An episode of one of AdaSociety's games."""

    normalised: Known
    fairness: Known
    completion: Numbers
    degrees: Numbers
    split_ratio: Known = None


class _Evaluation(_Part):
    reward_by_step: Series
    fairness: Known
    completion: Numbers
    split_ratio: Known


class _Published(_Part):
    normalised: Number


class _Options(_Part):
    changes: dict[str, Any]


class _Training(_Part):
    """The result of one training of a learning algorithm."""

    algorithm: Literal["ppo", "cl", "recppo", "mappo", "rainbow"]
    agent_steps: Annotated[Number, Field(ge=0)]
    options: _Options
    evaluation: _Evaluation
    published: _Published | None = None
    published_agent_steps: Known = None


def is_counted(entry: Mapping[str, Any]) -> bool:
    """Return whether means and figures use an entry of a result."""
    is_idle = entry.get("acted") == [] or ("welfare" in entry and entry["welfare"] is None)
    return not (entry.get("excluded") or entry.get("sound") is False or is_idle)


def wrong_shape(result: Mapping[str, Any]) -> str | None:
    """Return the first error in the structure of a result and where it is, or None if there is no
    error.

    ``result`` comes from :meth:`records.RunReader.result`.
    """
    entries = result.get("runs", [])
    for number, entry in enumerate(entries, 1):
        if (wrong := _wrong(_shape_of(entry), entry)) is not None:
            return f"runs {number}, {wrong}"
    if len({entry.get("condition") for entry in entries}) > MOST_CONDITIONS:
        return f"runs: more than {MOST_CONDITIONS} conditions"
    if not isinstance(result.get("evaluation", {}), dict):
        return "evaluation: no object"
    if "reward_by_step" in result.get("evaluation", {}):
        return _wrong(_Training, result)
    is_commons = any("reward_by_round" in entry for entry in entries)
    return _wrong(_Game, result) if is_commons else None


def _shape_of(entry: Mapping[str, Any]) -> type[_Part]:
    if "reward_by_round" in entry:
        return _Cooperating if "welfare" in entry else _Commons
    if "by_observers" in entry:
        return _Liked
    if "keyword_chats" in entry:
        return _Country
    return _Gridded if "normalised" in entry and "completion" in entry else _Entry


def _wrong(shape: type[_Part], value: Mapping[str, Any]) -> str | None:
    try:
        shape.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = " ".join(str(part)[:_SHOWN] for part in first["loc"])
        return f"{place}: {first['msg']}"
    return None
