"""AdaSociety's games on the grid, in which agents gather, craft, form groups and bargain over
shares.

Source: Huang et al., "AdaSociety" (NeurIPS 2024). Minds answer with plans from a fixed vocabulary,
and hand-written controllers execute the plans step by step (``worlds/adasociety``). The random
agent chooses uniformly among the actions that have an effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, NonNegativeInt, PositiveInt

from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.grid.experiment import GridOptions, GridScenario, grid_game
from voxpolis.experiments.loops.grid.game import GridGame
from voxpolis.experiments.run.options import RunOptions, option
from voxpolis.experiments.run.scenario import Case
from voxpolis.grid.adasociety.game import Game, read_game, read_rules, shipped_files, with_changes
from voxpolis.grid.learn.published import REWARDS
from voxpolis.worlds.adasociety.scripted import Character, planner

DEFAULT = "contract-easy"


class AdaSocietyOptions(GridOptions):
    """The options of the command."""

    condition: str | None = Field(
        default=DEFAULT,
        description="Game to play; listed above.",
        json_schema_extra=option("condition", "game"),
    )


# Published measures of GPT-4 with controllers (3 runs, table 9); the first is the reward relative
# to the oracle's.
MEASURED = ("gpt-4", *(f"gpt-4 {what}" for what in (
    "fairness", "HammerCraft", "TorchCraft", "mean group degree")))  # fmt: skip
# For each game, measures of the random agent: its reward relative to the oracle's, then
# :data:`MEASURED`; None if not published. Results of learning agents are in ``grid/learn``.
PUBLISHED_OTHERS: Mapping[str, Sequence[float | None]] = {
    "contract-easy": (0.0046, 0.8433, 1, 0.9333, None, 4),
    "contract-hard": (0.0021, 0.6499, 1, 1, 0.9167, 8),
    "negotiation-easy": (0.0040, 0.8733, 0.7046, 0.8833, None, 1.17),
    "negotiation-hard": (0.0020, 0.6862, 0.8143, 1, 0.9167, 1.63),
    "exploration": (0.0001, None, None, None, None, None),
    "social-dynamic": (None, 0.7894, 0.8356, 0.6583, 0.6833, 4),
}


class AdaSociety(GridScenario):
    """The settings of a game (``--set``, ``--config``). A setting that is None keeps the game's
    default.
    """

    name: ClassVar[str] = "adasociety"
    options: ClassVar[type[RunOptions]] = AdaSocietyOptions
    # By game and author: total reward relative to the oracle's; then other published measures.
    published: ClassVar[Mapping[str, Mapping[str, float]]] = {
        game: {name: mean for name, (mean, _) in REWARDS.get(game, {}).items()}
        | {n: x for n, x in zip(("random", *MEASURED), others, strict=True) if x is not None}
        for game, others in PUBLISHED_OTHERS.items()
    }
    source: ClassVar[str] = "Huang et al. 2024"

    length: PositiveInt | None = Field(
        default=None,
        description="Number of steps in an episode. None, here and below: as the game defines.",
    )
    map: tuple[PositiveInt, PositiveInt] | None = Field(
        default=None, description="Height and width of the map, in cells."
    )
    blocks: NonNegativeInt | None = Field(
        default=None, description="Number of cells that agents cannot enter."
    )
    agents: dict[str, PositiveInt] | None = Field(
        default=None, description="Number of agents, by job."
    )
    piles: dict[str, tuple[PositiveInt, PositiveInt]] | None = Field(
        default=None, description="Number of piles, and number of units in each pile, by resource."
    )
    events: dict[str, PositiveInt] | None = Field(
        default=None, description="Number of stations, by event."
    )
    resources: tuple[str, ...] | None = Field(
        default=None,
        description="Resources that are used in addition to those of piles and events.",
    )
    stage: dict[str, NonNegativeInt] | None = Field(
        default=None,
        description="Number of rounds in which agents choose groups (contract), or of steps in "
        "which they negotiate (negotiation), before play.",
    )
    social: tuple[str, ...] | None = Field(
        default=None, description="Social actions that agents can take during play."
    )
    structure: list[dict[str, Any]] | None = Field(
        default=None, description="Groups of agents, with the step from which they exist."
    )
    minds: Character | None = Field(
        default=None,
        description="Agents for whom scripted minds drop items: any agent (altruist, the "
        "default), or agents that share rewards with them (selfish).",
    )
    messages: bool | None = Field(
        default=None,
        description="Whether scripted minds also tell others what they will do next, in games "
        "with messages. Each message takes a step.",
    )
    layout: str | None = Field(default=None, description="Your own map, row by row.")
    legend: dict[str, Any] | None = Field(
        default=None, description="Meaning of the letters in your map."
    )

    @classmethod
    def games(cls) -> Mapping[str, str]:
        """Return the names of the shipped games, each with a description in one line."""
        found = {
            name: _in_a_line(game)
            for file in shipped_files()
            for name, game in read_rules(file).games.items()
        }
        return {DEFAULT: found[DEFAULT], **found}

    def game(self, name: str, rules_file: Path | None) -> GridGame:
        """Return a game with these settings applied.

        Raises:
            GameError: there is no such game, or a file or a field is invalid.
        """
        rules, game = read_game(name, rules_file)
        changes = self.model_dump(exclude_none=True, exclude={"minds", "messages"})
        return grid_game(rules, with_changes(rules, game, changes) if changes else game)

    def script(self, case: Case) -> Script:
        return planner(self.minds or "altruist", tells=bool(self.messages))


def _in_a_line(game: Game) -> str:
    stage = "".join(
        f", {number} {name} first"
        for name, number in (
            ("rounds of choosing groups", game.stage.contract),
            ("steps of negotiation", game.stage.negotiation),
        )
        if number
    )
    height, width = game.map
    agents = f"{len(game.jobs)} agent{'s' * (len(game.jobs) > 1)}"
    return f"{agents} on {height} by {width} cells, {game.length} steps{stage}"
