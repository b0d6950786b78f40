"""The data of a commons game, read from YAML: map, growth, beams, and the end of an episode."""

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
# An agent's number is stored in a byte.
MOST_PLAYERS = 254

Chance = Annotated[float, Field(ge=0, le=1)]


class Zap(Data):
    """A beam. The players that it hits are out of the game for some time. A player can fire once in
    ``cooldown`` + 1 steps.
    """

    cooldown: Count
    out_for: Whole


class River(Data):
    """A river whose dirt keeps apples from growing.

    Let ``f`` be the dirty fraction of the river's cells. At each empty site, an apple grows with
    probability ``growth`` · min(1, (``threshold`` - f) / ``threshold``). No apple grows if ``f`` is
    at least ``threshold``. After the first ``quiet_steps`` steps, one clean cell becomes dirty with
    probability ``dirt`` in each step.
    """

    growth: Chance
    threshold: PositiveFloat
    dirt: Chance
    quiet_steps: Count
    cooldown: Count


class Ending(Data):
    """The length of an episode, which is at least ``least`` and at most ``most`` steps.

    After ``least`` steps, the episode ends with probability ``chance`` every ``interval`` steps.
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
    """The view of a player, relative to its heading: the number of cells ahead, behind and to each
    side.
    """

    ahead: Reach
    behind: Reach
    sideways: Reach


class Commons(Data):
    """A game with a river (Clean Up), or in which apples regrow depending on nearby apples
    (Harvest).

    Attributes:
        layout: the map, as a text or a list of rows with one letter per cell. ``#`` is a wall,
            ``.`` ground, ``@`` the start of a player, ``~`` water, ``r`` river, ``d`` dirty river,
            ``a`` an apple site, and ``A`` an apple site that has an apple at the start.
        legend: maps other letters (a space, for example) to one of the letters above, so that maps
            from other projects can be read unchanged.
        regrowth: the probability per step that an eaten apple regrows. The four numbers apply if
            there are no, one, two, or at least three apples within ``radius`` cells (Euclidean).
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
                raise ValueError(f"{theirs!r} must be a single letter")
            if len(ours) != 1 or ours not in LETTERS:
                raise ValueError(f"{theirs!r} must stand for one of {LETTERS}, not for {ours!r}")
        return legend

    @model_validator(mode="after")
    def _check(self) -> Commons:
        if (self.river is None) == (self.regrowth is None):
            raise ValueError("a commons needs either a river or regrowth")
        check_map(self._lines, self.layout, LETTERS, self.legend)
        count = Counter("".join(self.rows))
        if count[SPAWN] < self.players:
            raise ValueError(
                f"layout: {self.players} players need that many cells {SPAWN}, not {count[SPAWN]}"
            )
        if not count[SITE] + count[APPLE]:
            raise ValueError(f"layout: there is no apple site ({SITE} or {APPLE})")
        if self.river and not count[RIVER] + count[DIRT]:
            raise ValueError(f"layout: there is no river ({RIVER} or {DIRT})")
        return self

    @property
    def actions(self) -> list[str]:
        """The names of the actions. The number of an action is its index."""
        moves = ["stay", "forward", "backward", "step_left", "step_right"]
        return [*moves, "turn_left", "turn_right", "zap", *(["clean"] if self.river else [])]


def commons_names() -> list[str]:
    """Return the names of all commons games."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_commons(name: str, changes: Mapping[str, object] | None = None) -> Commons:
    """Return the game with a given name, with some fields changed, such as ``layout``.

    Raises:
        GameError: there is no such game, or a field is invalid.
    """
    if name not in commons_names():
        raise GameError(f"there is no commons {name!r}; there are: {', '.join(commons_names())}")
    game = read_data(FOLDER / f"{name}.yaml", Commons)
    try:
        return Commons.model_validate({**game.model_dump(), **(changes or {})})
    except ValidationError as error:
        raise GameError(error_text(error)) from error
