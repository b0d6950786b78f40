"""Who lives in the taxed village, and what can be varied about it.

Source of the numbers, where nothing else is said: Altera.AL, "Project Sid" (2024).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bots.persons import Ways
from bots.agents.piano import FULL
from grid.village import Place, Resident, scatter

#: Jobs and what they make, items of Minecraft.
JOBS: Mapping[str, str] = {
    "farmer": "wheat",
    "miner": "coal",
    "lumberjack": "oak_log",
    "fisher": "cod",
    "smith": "iron_ingot",
}
NAMES = (
    "Ada",
    "Ben",
    "Cora",
    "Dan",
    "Eva",
    "Finn",
    "Gus",
    "Hana",
    "Ivo",
    "Jana",
    "Kai",
    "Lena",
    "Max",
    "Nora",
    "Otto",
    "Pia",
    "Quin",
    "Rosa",
    "Sam",
    "Tess",
    "Udo",
    "Vera",
    "Will",
    "Xena",
    "Yann",
    "Zoe",
)


class Settings(BaseModel):
    """What can be varied (``--set``, ``--config``). Times are seconds of the village's own."""

    model_config = ConfigDict(extra="forbid")

    agents: int = Field(default=25, ge=1, le=2000, description="Constituents.")
    influencers: int = Field(default=3, ge=0, le=100)
    tax_rate: float = Field(default=0.2, ge=0, le=1)
    length_s: float = Field(default=1200, gt=0)
    first_season_s: float = Field(default=60, ge=0)
    season_every_s: float = Field(default=120, gt=0)
    window_s: float = Field(default=20, gt=0)
    feedback_s: float = Field(default=300, ge=0)
    amendments_s: float = Field(default=360, ge=0)
    vote_s: float = Field(default=420, ge=0)
    tally_s: float = Field(default=480, ge=0)
    enactment_s: float = Field(default=600, ge=0)
    radius_blocks: float = Field(default=24, gt=4, description="The chest is in the middle.")
    far_blocks: float = Field(default=200, gt=0, description="Where the election manager lives.")
    hearing_blocks: float = Field(default=16, gt=0)
    goods: tuple[int, int] = Field(default=(40, 80), description="What each begins with.")
    work_s: float = Field(default=6.0, gt=0, description="How long a piece of work takes.")
    thinking_s: float = Field(default=0.5, ge=0, description="A thought, in simulated time.")
    modules: dict[str, float] = Field(default=FULL, description="Modules and their periods.")
    ways: Ways = Ways()

    @model_validator(mode="after")
    def _check(self) -> Settings:
        order = (self.feedback_s, self.amendments_s, self.vote_s, self.tally_s, self.enactment_s)
        if list(order) != sorted(order):
            raise ValueError("feedback, amendments, vote, tally and enactment come in this order")
        if self.window_s >= self.season_every_s:
            raise ValueError("a season's window must be shorter than the time between seasons")
        return self

    @property
    def seasons(self) -> list[float]:
        """When the bell rings."""
        last = self.length_s - self.window_s
        count = math.floor((last - self.first_season_s) / self.season_every_s) + 1
        return [self.first_season_s + k * self.season_every_s for k in range(max(0, count))]


@dataclass(frozen=True)
class Case:
    """One run of the experiment: its condition, the influencers' stance, its seed."""

    condition: str
    stance: str
    seed: int

    @property
    def name(self) -> str:
        """As in tables: full-anti."""
        return f"{self.condition}-{self.stance}"


def constituents(settings: Settings) -> list[str]:
    """The names of those who pay and vote."""
    rounds = range(settings.agents // len(NAMES) + 1)
    names = [name if not k else f"{name}{k + 1}" for k in rounds for name in NAMES]
    return names[: settings.agents]


def influencers(settings: Settings, stance: str) -> dict[str, str]:
    """The influencers' stances by name."""
    if stance == "none":
        return {}
    return {f"Voice{k + 1}": stance for k in range(settings.influencers)}


MANAGER = "Manager"


def residents(settings: Settings, case: Case) -> list[Resident]:
    """Everybody with a workplace, and what each begins with."""
    chance = random.Random(f"{case.seed} village")
    people = constituents(settings)
    spots = list(scatter(chance, (0.0, 0.0), settings.radius_blocks, len(people)))
    jobs = list(JOBS.items())
    found = []
    for k, (name, spot) in enumerate(zip(people, spots, strict=True)):
        _, item = jobs[k % len(jobs)]
        goods = Counter({item: chance.randint(*settings.goods)})
        found.append(Resident(name, spot, {"work": spot}, item, goods))
    voices = influencers(settings, case.stance)
    for name, spot in zip(voices, scatter(chance, (0.0, 0.0), 8.0, len(voices)), strict=True):
        found.append(Resident(name, spot, {"work": spot}))
    far = (settings.far_blocks, settings.far_blocks)
    found.append(Resident(MANAGER, far, {"work": far}))
    return found


def places() -> dict[str, Place]:
    """What everybody knows."""
    return {"chest": (0.0, 0.0)}


def traits(settings: Settings, case: Case) -> dict[str, str]:
    """What each is told of itself."""
    jobs = list(JOBS)
    told = {
        name: f"You are a {jobs[k % len(jobs)]} and you vote. You want a good life for yourself."
        for k, name in enumerate(constituents(settings))
    }
    wishes = {
        "anti": "You want taxes of 5 to 10 %, and talk everybody into wanting that, too.",
        "pro": "You want taxes of at least 25 %, and talk everybody into wanting that, too.",
    }
    told |= {name: wishes[stance] for name, stance in influencers(settings, case.stance).items()}
    return {**told, MANAGER: "You manage the elections and live far away. You have no wishes."}
