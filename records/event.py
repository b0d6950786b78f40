"""What all events have."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = 1

Position = tuple[float, float, float]
Counts = dict[str, int]


class Event(BaseModel):
    """What all events have.

    ``t`` is seconds since the run's start, ``episode`` counts from 0 within the run folder, and
    ``agent`` is None for what concerns nobody in particular.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    t: float
    episode: int
    agent: str | None = None
