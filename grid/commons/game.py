"""A commons as data: map, growth, beams and the end of an episode, read from YAML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import (
    BeforeValidator,
    Field,
    PositiveFloat,
    ValidationError,
    field_validator,
    model_validator,
)

from voxpolis.grid.core.data import (
    Count,
    Data,
    GameError,
    Reach,
    Whole,
    check_map,
    error_text,
    lines_of,
    read_data,
    text_of_rows,
)

FOLDER = Path(__file__).parent / "data"

# Letters of a map.
WALL, GROUND, SPAWN, STREAM = "#", ".", "@", "~"
SITE, APPLE = "a", "A"
RIVER, DIRT = "r", "d"
LETTERS = WALL + GROUND + SPAWN + STREAM + SITE + APPLE + RIVER + DIRT
# An agent's number is a byte of a cell.
MOST_PLAYERS = 254

Chance = Annotated[float, Field(ge=0, le=1)]


class Zap(Data):
    """A beam that puts the players it hits out of the game: one shot in ``cooldown`` + 1 steps."""

    cooldown: Count
    out_for: Whole


class River(Data):
    """Dirt in the river keeps apples from growing; cleaning it takes work.

    With ``f`` the part of the river's cells that are dirty, an empty site grows an apple with
    chance ``growth`` · min(1, (``threshold`` - f) / ``threshold``), none from ``threshold`` on.
    One clean cell gets dirty with chance ``dirt`` a step, after ``quiet_steps`` steps.
    """

    growth: Chance
    threshold: PositiveFloat
    dirt: Chance
    quiet_steps: Count
    cooldown: Count


class Ending(Data):
    """At ``least`` so many steps; from then on every ``interval`` steps the episode ends with a
    ``chance``, at ``most`` after so many steps.
    """

    least: Whole
    interval: Whole
    chance: Chance
    most: Whole

    @model_validator(mode="after")
    def _least_comes_first(self) -> Ending:
        if self.least > self.most:
            raise ValueError(f"least ({self.least}) is more than most ({self.most})")
        return self


class View(Data):
    """What a player sees, turned as it is: cells ahead, behind and to each side."""

    ahead: Reach
    behind: Reach
    sideways: Reach


class Commons(Data):
    """One game: either with a river (Clean Up) or with regrowth by neighbours (Harvest).

    ``layout`` is the map, a text or a list of rows, a letter a cell: ``#`` wall, ``.`` ground,
    ``@`` where players start, ``~`` water, ``r`` river, ``d`` river with dirt, ``a`` where apples
    grow, ``A`` the same with an apple at the start. ``legend`` says what other letters (a space,
    say) stand for, each one of these, so that maps of other projects can be read as they are.

    ``regrowth``: the chance a step that an eaten apple grows again, by how many live apples are
    within ``radius`` cells (Euclidean) of it: none, one, two, three or more.
    """

    description: str
    players: Whole = Field(le=MOST_PLAYERS)
    zap: Zap
    view: View
    ending: Ending
    river: River | None = None
    regrowth: tuple[Chance, Chance, Chance, Chance] | None = None
    radius: Reach = 2
    layout: Annotated[str, BeforeValidator(text_of_rows)]
    legend: dict[str, str] = Field(default={})

    @property
    def rows(self) -> list[str]:
        return ["".join(self.legend.get(letter, letter) for letter in line) for line in self._lines]

    @property
    def _lines(self) -> list[str]:
        return lines_of(self.layout, self.legend)

    @field_validator("legend")
    @classmethod
    def _letter_for_letter(cls, legend: dict[str, str]) -> dict[str, str]:
        for theirs, ours in legend.items():
            if len(theirs) != 1 or theirs in "\r\n":
                raise ValueError(f"{theirs!r} is not one letter")
            if len(ours) != 1 or ours not in LETTERS:
                raise ValueError(f"{theirs!r} stands for one of {LETTERS}, not for {ours!r}")
        return legend

    @model_validator(mode="after")
    def _check(self) -> Commons:
        if (self.river is None) == (self.regrowth is None):
            raise ValueError("a commons has either a river or regrowth")
        check_map(self._lines, self.layout, LETTERS, self.legend)
        count = Counter("".join(self.rows))
        if count[SPAWN] < self.players:
            raise ValueError(
                f"layout: {self.players} players need as many cells {SPAWN}, not {count[SPAWN]}"
            )
        if not count[SITE] + count[APPLE]:
            raise ValueError(f"layout: there is no place for an apple ({SITE} or {APPLE})")
        if self.river and not count[RIVER] + count[DIRT]:
            raise ValueError(f"layout: there is no river ({RIVER} or {DIRT})")
        return self

    @property
    def actions(self) -> list[str]:
        """What a player can do; the number of an action is its place here."""
        moves = ["stay", "forward", "backward", "step_left", "step_right"]
        return [*moves, "turn_left", "turn_right", "zap", *(["clean"] if self.river else [])]


def commons_names() -> list[str]:
    """The games that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_commons(name: str, changes: Mapping[str, object] | None = None) -> Commons:
    """A game by its name, with some of its fields changed (a ``layout`` of one's own, say).

    Raises:
        GameError: there is no such game, or a field is wrong.
    """
    if name not in commons_names():
        raise GameError(f"there is no commons {name!r}; there are: {', '.join(commons_names())}")
    game = read_data(FOLDER / f"{name}.yaml", Commons)
    try:
        return Commons.model_validate({**game.model_dump(), **(changes or {})})
    except ValidationError as error:
        raise GameError(error_text(error)) from error
