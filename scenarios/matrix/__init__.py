"""Repeated 2 by 2 games: two players choose at the same time, see the outcome, and choose again.

Any payoff table can be played. Four classic games are included: the prisoner's dilemma with the
payoffs of Axelrod's tournaments (1980), stag hunt, chicken, and battle of the sexes (sources:
``games.yaml``). A player chooses by stepping on one of its two plates. An
episode is one round, and prompts contain all previous rounds.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from voxpolis.bots.agents.code_writer import NO_CRITIC, PolicyRequest
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.scenario import (
    ContractOptions,
    ContractScenario,
    PastEpisode,
    Situation,
    Specialised,
)
from voxpolis.experiments.run.options import MAX_RUNS, RunOptions, option
from voxpolis.experiments.run.scenario import Entry, Happened, Silent
from voxpolis.judge import Outcome, Terms
from voxpolis.judge.contracts.negotiation import Talk, Turn, TurnAnswer
from voxpolis.records.events import Position
from voxpolis.records.yaml_text import load_yaml
from voxpolis.worlds.layout import Layout, place_text
from voxpolis.worlds.protocol import Account

GAMES = Path(__file__).parent / "games.yaml"
AGENTS = ("Ann", "Bob")

# Height of the agents' feet, and the first and last block of the walled arena. Each player has its
# own lane.
GROUND_Y = 151
ARENA_X, ARENA_Z = (160, 172), (-6, 6)
# Plates are at both ends of a lane (x); a player starts in its middle.
PLATES_X, MIDDLE_X = (162, 170), 166
LANES_Z = {"Ann": -3, "Bob": 3}
# Maximum distance from a plate that counts as standing on it, in blocks.
REACH_BLOCKS = 1.5
PLATES = ("stone_pressure_plate", "oak_pressure_plate")

BRIEFING = """\
You and {other} play a game in rounds; this is round {number}. In each round both choose at the same
time, by stepping on one of their two plates: to {first}, walk to {first_place}; to
{second}, walk to {second_place}. You see each other's choice only when the round is over.
A player on neither plate has not chosen; then neither of you gets anything.

What you get, and what {other} gets, in emeralds:
{table}
{cares} The rounds so far:
{history}"""


SETTING = """\
{players} play one round of a game: each chooses {first} or {second} by the plate on
which it stands at the end. They see each other's choice only then. If a player stands on neither
plate, it has not chosen, and neither player gets anything. A player holds the action that it chose
(1) and not the other (0). Each player's task is
{task}.
What {players} get:
{table}"""


class Payoffs(BaseModel):
    """A 2 by 2 game. ``payoffs[i][j]`` contains the payoffs of (Ann, Bob) if Ann chooses action i
    and Bob chooses action j.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    actions: tuple[str, str]
    payoffs: tuple[
        tuple[tuple[float, float], tuple[float, float]],
        tuple[tuple[float, float], tuple[float, float]],
    ]

    @model_validator(mode="after")
    def _two_words(self) -> Payoffs:
        if self.actions[0] == self.actions[1] or not all(map(str.isidentifier, self.actions)):
            raise ValueError("the actions must be two different words, such as [cooperate, defect]")
        return self


@cache
def shipped_games() -> Mapping[str, Payoffs]:
    """Return the included games by name."""
    games = load_yaml(GAMES.read_text(encoding="utf-8"))
    return {name: Payoffs.model_validate(fields) for name, fields in games.items()}


class MatrixOptions(ContractOptions):
    """The options of the command. Each episode is one round."""

    episodes: int = Field(
        default=10,
        ge=1,
        le=MAX_RUNS,
        description="Number of rounds that the same two players play in each repetition.",
    )


class Matrix(ContractScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "matrix"
    options: ClassVar[type[RunOptions]] = MatrixOptions
    dug: ClassVar[Mapping[str, str]] = {}
    steps_per_s: ClassVar[int] = 4
    measured: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    published: ClassVar[Mapping[str, str]] = {}
    source: ClassVar[str] = "no figures; what strategies come to follows from the table of payoffs"

    game: str = Field(
        default="prisoners_dilemma",
        description="prisoners_dilemma, stag_hunt, chicken, battle_of_the_sexes, or custom (with "
        "your own payoff table).",
        json_schema_extra=option("game"),
    )
    table: Payoffs | None = Field(
        default=None,
        description="Actions and payoffs of a custom game, in the format of games.yaml.",
    )
    strategies: dict[str, str] = Field(
        default=dict.fromkeys(AGENTS, "tit_for_tat"),
        description="Strategy of each scripted player: tit_for_tat, grim, alternate, "
        "always(ACTION), or random(p), which plays the first action with probability p.",
    )
    time_limit_s: float = Field(
        default=30,
        gt=0,
        le=3600,
        description="Length of a round, in seconds of game time.",
        json_schema_extra=option("time-limit"),
    )

    @model_validator(mode="before")
    @classmethod
    def _a_table_is_a_game(cls, fields: Any) -> Any:
        if isinstance(fields, dict) and fields.get("table") and "game" not in fields:
            return {**fields, "game": "custom"}
        return fields

    @field_validator("strategies")
    @classmethod
    def _known(cls, strategies: dict[str, str]) -> dict[str, str]:
        if not set(strategies) <= set(AGENTS):
            raise ValueError(f"the players are {' and '.join(AGENTS)}")
        return {name: strategies.get(name, "tit_for_tat") for name in AGENTS}

    @model_validator(mode="after")
    def _playable(self) -> Matrix:
        if (self.game == "custom") != (self.table is not None):
            raise ValueError("a custom game needs a table, and an included game must not have one")
        if self.game != "custom" and self.game not in shipped_games():
            raise ValueError(
                f"there is no game {self.game!r}; choose from {', '.join(shipped_games())}, custom"
            )
        always = [f"always({action})" for action in self.counted]
        there = ["tit_for_tat", "grim", "alternate", *always]
        for strategy in self.strategies.values():
            if strategy not in there and not _RANDOM.fullmatch(strategy):
                known = ", ".join([*there, "random(p)"])
                raise ValueError(f"there is no strategy {strategy!r}; choose from {known}")
        return self

    @property
    def payoffs(self) -> Payoffs:
        return self.table or shipped_games()[self.game]

    @property
    def agent_names(self) -> tuple[str, ...]:
        return AGENTS

    @property
    def counted(self) -> tuple[str, ...]:
        return self.payoffs.actions

    @property
    def optimum(self) -> float | None:
        return max(sum(pair) for row in self.payoffs.payoffs for pair in row)

    def layout(self, seed: int) -> Layout:
        return Layout(
            x=ARENA_X,
            z=ARENA_Z,
            ground_y=GROUND_Y,
            wall_height=3,
            floor="smooth_stone",
            starts={a: (MIDDLE_X + 0.5, float(GROUND_Y), z + 0.5) for a, z in LANES_Z.items()},
            ground=[
                (block, ((x, GROUND_Y, LANES_Z[agent]), (x, GROUND_Y, LANES_Z[agent])))
                for agent in AGENTS
                for block, x in zip(PLATES, PLATES_X, strict=True)
            ],
            places={
                f"{agent}: {action}": place
                for agent in AGENTS
                for action, place in zip(self.counted, plates_of(agent), strict=True)
            },
            limit_s=self.time_limit_s,
        )

    def briefing(self, situation: Situation) -> str:
        agent = situation.agent
        (other,) = (name for name in AGENTS if name != agent)
        first, second = (place_text(plate, situation.world) for plate in plates_of(agent))
        return BRIEFING.format(
            other=other,
            number=len(situation.past) + 1,
            first=self.counted[0],
            second=self.counted[1],
            first_place=first,
            second_place=second,
            table="\n".join(self._lines(agent, other)),
            cares=self.cares,
            history="\n".join(_told(past, agent, other) for past in situation.past) or "none yet.",
        )

    def _lines(self, agent: str, other: str) -> list[str]:
        lines = []
        for i, own in enumerate(self.counted):
            for j, others in enumerate(self.counted):
                row, column = (i, j) if agent == AGENTS[0] else (j, i)
                pair = dict(zip(AGENTS, self.payoffs.payoffs[row][column], strict=True))
                lines.append(
                    f"- you {own}, {other} {others}: you {pair[agent]:g}, {other} {pair[other]:g}"
                )
        return lines

    def setting(self) -> str:
        (first, second), players = self.counted, " and ".join(AGENTS)
        pairs = []
        for one, row in zip(self.counted, self.payoffs.payoffs, strict=True):
            for other, pair in zip(self.counted, row, strict=True):
                amounts = " and ".join(f"{amount:g}" for amount in pair)
                pairs.append(f"- {AGENTS[0]} {one}, {AGENTS[1]} {other}: {amounts}")
        return SETTING.format(
            task=self.task, players=players, first=first, second=second, table="\n".join(pairs)
        )

    def missing(self, entry: Entry, happened: Happened, silent: Silent) -> Sequence[str]:
        chose = {a: any(own[one] for one in self.counted) for a, own in entry["agents"].items()}
        nothing = [f"{agent} chose neither plate" for agent, has in chose.items() if not has]
        return [*super().missing(entry, happened, silent), *nothing]

    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        found = {agent: dict.fromkeys(self.counted, 0) for agent in AGENTS}
        for agent, (at_x, _, at_z) in account.positions.items():
            for action, (x, _, z) in zip(self.counted, plates_of(agent), strict=True):
                away = math.hypot(math.floor(at_x) + 0.5 - x, math.floor(at_z) + 0.5 - z)
                found[agent][action] = int(away <= REACH_BLOCKS)
        return found

    def value(self, account: Account) -> Mapping[str, float]:
        choices = []
        for chosen in self.count(account).values():
            if sum(chosen.values()) != 1:
                return dict.fromkeys(AGENTS, 0.0)
            choices.append(self.counted.index(max(chosen, key=chosen.__getitem__)))
        row, column = choices
        return dict(zip(AGENTS, map(float, self.payoffs.payoffs[row][column]), strict=True))

    def terms(self) -> Terms:
        return Terms(AGENTS, dict.fromkeys(self.counted, 1))

    def specialised(self) -> Specialised:
        """Return the outcome of the pair of actions with the highest sum of payoffs."""
        payoffs = self.payoffs.payoffs
        pairs = itertools.product(range(len(payoffs)), repeat=2)
        best = max(pairs, key=lambda pair: sum(payoffs[pair[0]][pair[1]]))
        held = {
            agent: {action: int(number == chosen) for number, action in enumerate(self.counted)}
            for agent, chosen in zip(AGENTS, best, strict=True)
        }
        values = dict(zip(AGENTS, map(float, payoffs[best[0]][best[1]]), strict=True))
        return Specialised(Outcome(held), values)

    def minds(self, seed: int = 0) -> Script:
        return minds_of(self)


def plates_of(agent: str) -> tuple[Position, Position]:
    """Return the centres of an agent's two plates, in blocks."""
    z = LANES_Z[agent] + 0.5
    first, second = ((x + 0.5, float(GROUND_Y), z) for x in PLATES_X)
    return first, second


def _told(past: PastEpisode, agent: str, other: str) -> str:
    own, others = (
        next((action for action, count in past.counts[name].items() if count), "did not choose")
        for name in (agent, other)
    )
    rewards = f"you {past.rewards[agent]:g}, {other} {past.rewards[other]:g}"
    return f"- round {past.number}: you {own}, {other} {others}: {rewards}"


# --- Scripted strategies for repeated games, based on the typed history ---------------------------
#
# Sources: tit for tat, and grim (Friedman's strategy) as in Axelrod, "The Evolution of Cooperation"
# (1984).

_RANDOM = re.compile(r"random\((0(?:\.\d+)?|1(?:\.0+)?)\)")
_ALWAYS = re.compile(r"always\((\w+)\)")


def choose(strategy: str, situation: Situation, actions: Sequence[str]) -> int:
    """Return the index of the action that a strategy chooses in a situation."""
    agent, past = situation.agent, situation.past
    # A missing choice counts as the second action.
    others = [
        0 if counts[actions[0]] else 1
        for one in past
        for other, counts in one.counts.items()
        if other != agent
    ]
    drawn, always = _RANDOM.fullmatch(strategy), _ALWAYS.fullmatch(strategy)
    if drawn:
        rng = random.Random(f"matrix {situation.seed} {agent} {len(past)}")
        return int(rng.random() >= float(drawn[1]))
    if always:
        return actions.index(always[1])
    if strategy == "alternate":
        return len(past) % 2
    if strategy == "grim":
        return int(1 in others)
    return others[-1] if others else 0


def minds_of(matrix: Matrix) -> Script:
    """Return scripted minds that play the players' strategies and answer the questions in each
    role.
    """

    def answer(request: ChatRequest) -> Answer | str:
        about = request.about
        if isinstance(about, Turn):
            message = "My strategy knows no contracts."
            return TurnAnswer(note=None, message=message, move=Talk())
        if not isinstance(about, PolicyRequest):
            return NO_CRITIC
        situation = about.briefing.situation
        assert isinstance(situation, Situation)
        action = choose(matrix.strategies[situation.agent], situation, matrix.counted)
        x, y, z = map(math.floor, plates_of(situation.agent)[action])
        if about.format == "plans":
            return program_answer(f"GO TO ({x}, {z})")
        return (
            "A scripted mind's policy.\n\n```javascript\nasync function main(bot) {\n"
            f"  await goTo(bot, new Vec3({x}, {y}, {z}), 0)\n}}\n```"
        )

    return answer
