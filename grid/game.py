"""The game as data: resources, events, jobs and games, read from ``grid/data/*.yaml``.

Source of the shipped data: Huang et al., "AdaSociety" (NeurIPS 2024).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator

DATA = Path(__file__).parent / "data"

Counts = dict[str, NonNegativeInt]


class Data(BaseModel):
    """What all parts of a rules file have: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Resource(Data):
    """``reward`` of one unit; an agent must hold one of each of ``requires`` to collect it."""

    reward: float = Field(ge=0)
    requires: tuple[str, ...] = ()


class SynthesisEvent(Data):
    """A station that turns ``inputs`` into one ``output`` for who holds all of ``requires``."""

    inputs: dict[str, PositiveInt] = Field(min_length=1)
    output: str
    requires: tuple[str, ...] = ()


class Job(Data):
    """What an agent is: sight in cells, capacity in units, preference as a factor of reward."""

    sight: PositiveInt
    capacity: Counts = {}
    preference: dict[str, float] = {}


class Game(Data):
    """One map: its size in cells, piles as (number, units in each), stations by event."""

    map: tuple[PositiveInt, PositiveInt]
    piles: dict[str, tuple[PositiveInt, PositiveInt]]
    events: dict[str, PositiveInt]

    @model_validator(mode="after")
    def _fits(self) -> Game:
        cells = self.map[0] * self.map[1]
        for what, places in (
            ("piles", sum(number for number, _ in self.piles.values())),
            ("events", sum(self.events.values())),
        ):
            if places > cells:
                raise ValueError(f"{places} {what} do not fit on {cells} cells")
        return self


class Rules(Data):
    """A synthesis tree with the jobs and games that use it."""

    resources: dict[str, Resource]
    events: dict[str, SynthesisEvent]
    jobs: dict[str, Job]
    games: dict[str, Game]

    @model_validator(mode="after")
    def _names_are_known(self) -> Rules:
        named = [(f"resource {n}", r.requires) for n, r in self.resources.items()]
        named += [
            (f"event {n}", (*e.inputs, e.output, *e.requires)) for n, e in self.events.items()
        ]
        named += [(f"job {n}", (*j.capacity, *j.preference)) for n, j in self.jobs.items()]
        named += [(f"game {n}", tuple(g.piles)) for n, g in self.games.items()]
        for place, names in named:
            for name in names:
                if name not in self.resources:
                    raise ValueError(f"{place}: there is no resource {name!r}")
        for name, game in self.games.items():
            for event in game.events:
                if event not in self.events:
                    raise ValueError(f"game {name}: there is no event {event!r}")
        return self

    def score(self, job: str, held: Mapping[str, int]) -> float:
        """What a job's agent gets for what it holds: the sum of amount · preference · reward."""
        preference = self.jobs[job].preference
        return sum(
            count * preference.get(name, 1.0) * self.resources[name].reward
            for name, count in held.items()
            if name in self.resources
        )


def read_rules(path: Path = DATA / "adasociety.yaml") -> Rules:
    """Read a rules file.

    Raises:
        OSError: it cannot be read.
        yaml.YAMLError: it is not YAML.
        pydantic.ValidationError: a field, name or amount in it is wrong.
    """
    return Rules.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
