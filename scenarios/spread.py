"""How far a religion has spread: by what is said, and where; all of it from the world."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bots.persons.believer import DIRECT, INDIRECT, MEMES
from grid.village import Place
from records import events
from scenarios.believers_country import Country
from scenarios.society import Life

#: How often counts and the area of influence are taken.
SAMPLE_S = 300.0
AREA_CELL_BLOCKS = 4.0


@dataclass
class Spread:
    """Levels of conversion by what is said, first exposures; all from the world."""

    life: Life
    country: Country
    hearing_blocks: float
    level: dict[str, int] = field(default_factory=dict)
    first_heard: dict[str, str] = field(default_factory=dict)
    edges: int = 0
    critical: dict[str, str] = field(default_factory=dict)
    counts: list[dict[str, Any]] = field(default_factory=list)

    def hear(self, speaker: str, text: str, hearers: list[str]) -> None:
        """Take an utterance into account."""
        said = 2 if DIRECT.search(text) else 1 if INDIRECT.search(text) else 0
        if said == 0:
            return
        if said > self.level.get(speaker, 0):
            self.level[speaker] = said
            place = self.life.habitat.position(speaker)
            is_priest = speaker in self.country.priests
            heard_from = None if is_priest else self.first_heard.get(speaker)
            told = {"level": said, "position": place, "heard_from": heard_from}
            self.life.note(events.Converted, speaker, **told)
            if said == 2 and heard_from is not None:
                self.critical[speaker] = heard_from
        if said == 2:
            self.edges += len(hearers)
            for hearer in hearers:
                self.first_heard.setdefault(hearer, speaker)

    async def sample(self) -> None:
        """Count converts, and measure their area, every now and then."""
        while True:
            self.take_sample()
            await self.life.time.sleep(SAMPLE_S, key=-1)

    def take_sample(self) -> None:
        """One sample: converts but the priests, and the area where any of them is heard."""
        levels = [lv for name, lv in self.level.items() if name not in self.country.priests]
        self.counts.append(
            {
                "t": round(self.life.time.now(), 1),
                "indirect": levels.count(1),
                "direct": levels.count(2),
                "area_blocks": self.area(),
                "memes": self.memes(),
            }
        )

    def memes(self) -> dict[str, dict[str, int]]:
        """What people's goals are about, by the town they are of."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for name, agent in self.life.agents.items():
            found[self.country.homes[name]].update(meme for meme in MEMES if meme in agent.goal)
        return {town: dict(count) for town, count in sorted(found.items())}

    def area(self) -> float:
        """The union of the circles in which a direct convert is heard, in square blocks."""
        at = [self.life.habitat.position(name) for name, lv in self.level.items() if lv == 2]
        return union_of_discs([(x, z) for x, _, z in at], self.hearing_blocks)


def union_of_discs(
    middles: Sequence[Place], radius: float, cell: float = AREA_CELL_BLOCKS
) -> float:
    """The area of a union of discs, counted in square cells whose middles are in one."""
    reach = np.arange(-radius - cell, radius + cell, cell)
    dx, dz = np.meshgrid(reach, reach)
    covered: set[tuple[int, int]] = set()
    for x, z in middles:
        cx, cz = np.floor((x + dx) / cell), np.floor((z + dz) / cell)
        inside = ((cx + 0.5) * cell - x) ** 2 + ((cz + 0.5) * cell - z) ** 2 <= radius**2
        covered.update(
            zip(cx[inside].astype(int).tolist(), cz[inside].astype(int).tolist(), strict=True)
        )
    return len(covered) * cell * cell
