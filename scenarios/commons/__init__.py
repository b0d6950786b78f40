"""Commons Harvest: apples only regrow near other apples, and a tree whose last apple is taken dies.

With ``--game clean_up``, apples grow while a river is clean, and cleaning the river earns nothing.

Source: Mosquera et al., "Can LLM-Augmented Autonomous Agents Cooperate? An Evaluation of Their
Cooperative Capabilities through Melting Pot" (2024). Three generative agents take turns on a map
with six trees, or in a room with one tree. Rule-based bots can join them. We added Clean Up for
these agents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, PositiveInt, model_validator

from voxpolis.bots.agents.generative import Habits, Persona
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.commons.experiment import CommonsScenario
from voxpolis.experiments.loops.commons.game import SCRIPTED_BOT, TRAINED_BOT, Bot, CommonsGame
from voxpolis.experiments.loops.cooperation.cooperation import MODULES, Cooperation, modules_in
from voxpolis.experiments.loops.cooperation.scripted import (
    AmendEvery,
    Hits,
    Manners,
    ModuleNames,
    ReputationEvery,
    SearchEvery,
    modules_option,
)
from voxpolis.experiments.run.options import Share, option
from voxpolis.experiments.run.scenario import Case
from voxpolis.grid.commons.game import APPLE, SITE, Commons, read_commons
from voxpolis.grid.core.data import GameError
from voxpolis.judge.law.penalties import first_constitution
from voxpolis.scenarios.commons.bots import SHIPPED, greedy_bot, policy_in_words, trained_bot
from voxpolis.scenarios.commons.games import CLEAN_UP, HARVEST, Game, paced
from voxpolis.scenarios.commons.persons import (
    Kind,
    Person,
    make_persons,
)
from voxpolis.worlds.commons.accounts import IDLE_FINE, LAST_APPLE_FINE
from voxpolis.worlds.commons.actions import MOST_MOVES
from voxpolis.worlds.commons.claims import (
    AttacksUnfed,
    Claim,
    DeadTree,
    GrassRule,
    GrowthRule,
    Near,
    RiverGrowth,
)
from voxpolis.worlds.commons.table import CommonsTable

# --- The true rules of a commons, to check the rules that agents hypothesise ----------------------
# Grass without an apple within the radius dies. Apples grow faster with more apples nearby, and
# never without any; a tree without apples is dead. By a river, apples grow while it is clean, and
# not at all above a threshold of dirt. Scripted bots attack if they see no apple. A rule about
# growth is true if it holds with probability 0.8 or more while nearby apples and dirt stay
# constant.

RADIUS, NO_GROWTH, GROWTH, DEATH, OF_BOTS = "radius", "none alone", "sooner", "death", "bots"
DIRTY, CLEAN = "none by a dirty river", "some by a clean river"
# Minimum probability with which a rule must hold to be true.
HOLDS = 0.8


def judge_rule(claim: Claim, game: Commons, bots: Sequence[str]) -> tuple[str, bool] | None:
    """Return which rule of the game a claim is about, and whether the claim is true.

    The rule is an empty string if the claim is about none of the rules that we track. The whole
    result is None if the truth is unknown, as for claims about single positions and about the
    habits of agents and of trained bots. ``bots`` lists the rule-based bots, whose habits are
    known.
    """
    match claim:
        case GrassRule(near=near, stays=stays):
            return RADIUS if near.radius == game.radius else "", _is_grass_rule(near, stays, game)
        case GrowthRule(near=near) if near.radius == game.radius:
            topic = NO_GROWTH if near.apples == 0 and not near.or_more else GROWTH
            return topic, _is_growth_rule(claim, game)
        case DeadTree(grows=grows):
            return DEATH, not grows
        case RiverGrowth(dirt=dirt):
            return DIRTY if dirt.or_more else CLEAN, _is_river_rule(claim, game)
        case AttacksUnfed(agent=agent) if agent in bots:
            return OF_BOTS, True
        case _:
            return None


def _is_grass_rule(near: Near, stays: bool, game: Commons) -> bool:
    if stays:
        return near.apples > 0 and near.radius <= game.radius
    return near.apples == 0 and not near.or_more and near.radius >= game.radius


def _is_growth_rule(claim: GrowthRule, game: Commons) -> bool:
    """Return whether a claim about growth is true for every number of apples that it applies to."""
    tiers = game.regrowth
    assert tiers is not None
    most = len(tiers) - 1
    counts = range(min(claim.near.apples, most), most + 1) if claim.near.or_more else None
    chances = [
        1 - (1 - tiers[min(count, most)]) ** claim.hours
        for count in (counts if counts is not None else (claim.near.apples,))
    ]
    if claim.grows:
        return min(chances) >= HOLDS
    return max(chances) <= 1 - HOLDS


def _is_river_rule(claim: RiverGrowth, game: Commons) -> bool:
    """Return whether a claim about the river is true for every share of dirt that it covers.

    It is enough to check the smallest and the largest share, because apples grow faster with less
    dirt.
    """
    river = game.river
    assert river is not None
    sites = sum(row.count(letter) for row in game.rows for letter in (SITE, APPLE))
    named = claim.dirt.percent / 100
    least, most = (named, 1.0) if claim.dirt.or_more else (0.0, min(named, 1.0))

    def chance(part: float) -> float:
        rate = river.growth * min(1.0, max(0.0, (river.threshold - part) / river.threshold))
        return float(1 - (1 - rate) ** (sites * claim.hours))

    return chance(most) >= HOLDS if claim.grows else chance(least) <= 1 - HOLDS


# --- The world's description for agents, in both games --------------------------------------------

# Added if agents do not take turns.
AT_ONCE = "All choose at the same time, before they know what others choose, and act together."


def world_text(game: Commons, things: Iterable[str], *, simultaneous: bool) -> str:
    """Describe the world for agents. The description contains no rules of the game.

    Args:
        game: the map and its rules.
        things: descriptions of the objects other than walls and people, one line each.
        simultaneous: whether all agents choose their actions at the same time.
    """
    rows, view = game.rows, game.view
    height, width = len(rows), len(rows[0])
    bottom, right = height - 1, width - 1
    return "\n".join(
        (
            f"The world is a map of {height} rows and {width} columns. Places are [row, column]:",
            f"the corners are [0, 0], [0, {right}], [{bottom}, 0] and [{bottom}, {right}];",
            "rows are counted towards the south, columns towards the east. There are:",
            "- walls around the map, which cannot be passed;",
            *things,
            "- other people, who can also take apples. An immobilized person is out of the game",
            f"  for {game.zap.out_for} hours, and comes back elsewhere. The immobilizing beam has",
            "  three rows and hits the first person in each, even one that it was not meant for.",
            f"A turn takes an hour or, where you walk, up to {MOST_MOVES}.",
            *([AT_ONCE] if simultaneous else []),
            f"You see only {view.ahead} cells ahead of you, {view.behind} behind you and",
            f"{view.sideways} to each side, and attend only to what is nearest.",
        )
    )


AGENTS = ("Juan", "Laura", "Pedro")
BOTS = ("Ana", "Luis")
GAMES: Mapping[str, Game] = {"harvest": HARVEST, "clean_up": CLEAN_UP}

# The condition with all cooperation modules; in ``full-NAME`` one module is missing.
FULL = "full"
# Descriptions of conditions.
CONDITIONS: Mapping[str, str] = {
    "none": "three agents without a personality",
    "coop": "three agents told to be cooperative",
    "coop_def": "the same, and the word cooperative is defined",
    "selfish": "three agents told to be selfish",
    "selfish_def": "the same, and the word selfish is defined",
    "one_tree": "three agents without a personality, in a room with one tree (harvest)",
    "one_tree_coop": "three cooperative agents, in a room with one tree (harvest)",
    "one_tree_selfish": "three selfish agents, in a room with one tree (harvest)",
    "bots": "two agents without a personality and two bots (setting bots)",
    "aware": "three agents; Pedro is selfish, and all agents know it",
    FULL: "the condition in the setting base, with all cooperation modules",
    **{f"{FULL}-{module}": f"the same without {module}" for module in MODULES},
}


class CommonsHarvest(CommonsScenario):
    """The scenario and its settings (``--set``, ``--config``)."""

    name: ClassVar[str] = "commons"
    conditions: ClassVar[Mapping[str, str]] = CONDITIONS

    game: Literal["harvest", "clean_up"] = Field(
        default="harvest",
        description="harvest: apples grow near other apples; clean_up: apples grow while the "
        "river is clean.",
        json_schema_extra=option("game"),
    )
    simultaneous: bool = Field(
        default=False,
        description="Let all agents see the same state and act at the same time, instead of in "
        "turn.",
        json_schema_extra=option("simultaneous"),
    )
    rounds: PositiveInt = Field(
        default=100,
        le=10_000,
        description="Maximum number of rounds, in which each agent has one turn. Source: the "
        "paper.",
    )
    trees: Literal[1, 6] | None = Field(
        default=None, description="Number of trees, for harvest. None: the number in the condition."
    )
    bots: str = Field(
        default="scripted",
        description="Kind of bots: scripted (by rules), trained (with the policy that is "
        "included) or trained:FILE (with your own policy, from python -m grid.learn commons "
        "FILE).",
    )
    out_for: PositiveInt = Field(
        default=5,
        le=1000,
        description="Number of steps for which a player that was hit is out of the game. Source: "
        "the paper; in Melting Pot it is 4.",
    )
    pace: float | None = Field(
        default=None,
        gt=0,
        le=20,
        description="Speed at which apples and dirt appear, relative to Melting Pot. None: 1 for "
        "harvest (as in the paper), and a seventh per agent that moves in a step for "
        "clean_up (our choice).",
    )
    attention_bandwidth: PositiveInt = Field(
        default=10,
        le=1000,
        description="Maximum number of objects, and of changes, that an agent attends to. "
        "Source: the paper.",
    )
    reflect_every: PositiveInt = Field(
        default=30, description="Number of observations between two reflections. Source: the paper."
    )
    recency_hours: float = Field(
        default=24.0,
        gt=0,
        description="Age in hours at which the recency of a memory has fallen to 1/e. Our choice.",
    )
    relevance: Literal["words", "meaning"] = Field(
        default="words",
        description="Search memories by words, or by meaning (slow; needs make embeddings).",
    )
    persons: dict[Literal["Juan", "Laura", "Pedro"], Kind] = Field(
        default={},
        description="Kind of scripted person, by agent. It replaces the kind that the condition "
        "defines.",
    )
    rate: Share | None = Field(
        default=None,
        description="Probability that a scripted person deviates from its kind. None: that of "
        "the condition.",
    )
    attacks: Share | None = Field(
        default=None,
        description="Probability that a scripted person attacks a player that it sees. None: "
        "that of the condition.",
    )
    modules: ModuleNames = modules_option("agents")
    base: Literal[
        "none",
        "coop",
        "coop_def",
        "selfish",
        "selfish_def",
        "one_tree",
        "one_tree_coop",
        "one_tree_selfish",
        "bots",
        "aware",
    ] = Field(
        default="none", description="Condition to which the conditions full and full-… add modules."
    )
    hearing: PositiveInt = Field(
        default=10, description="Distance at which agents hear each other, in cells."
    )
    confirm: Hits = 5
    understand_every: SearchEvery = 3
    reputation_every: ReputationEvery = 5
    amend_every: AmendEvery = 25
    last_apple_fine: float = Field(
        default=3.0,
        ge=0,
        le=20,
        description="Fine in apples for taking the last apple of a tree. Our choice.",
    )
    idle_fine: float = Field(
        default=2.0,
        ge=0,
        le=20,
        description="Fine in apples for cleaning too little in clean_up. Our choice.",
    )
    attack_fine: float = Field(
        default=1.0,
        ge=0,
        le=20,
        description="Fine in apples for an unlawful attack. Our choice.",
    )
    ban_rounds: int = Field(
        default=3,
        ge=0,
        le=20,
        description="Number of rounds in which an agent must not attack after an unlawful "
        "attack. Our choice.",
    )
    keeps: dict[Literal["Juan", "Laura", "Pedro"], Share] = Field(
        default={}, description="Share of its promises that a scripted person keeps, by agent."
    )
    lies: dict[Literal["Juan", "Laura", "Pedro"], Share] = Field(
        default={}, description="Share of a scripted person's answers that are lies, by agent."
    )
    manners: Manners = Field(
        default=Manners(),
        description="How a scripted person cooperates, unless keeps or lies say otherwise.",
    )
    targets: dict[Literal["Juan", "Laura", "Pedro"], float] | None = Field(
        default=None,
        description="Share of the scripted persons' attacks that are aimed at an agent, by agent.",
    )

    @model_validator(mode="after")
    def _check(self) -> CommonsHarvest:
        shares = (self.targets or {}).values()
        if any(share < 0 for share in shares) or sum(shares) > 1:
            raise ValueError(
                "targets are shares of all attacks: each at least 0, and at most 1 in total"
            )
        kind, _, file = self.bots.partition(":")
        if self.bots not in ("scripted", "trained") and (kind != "trained" or not file):
            raise ValueError(f"bots must be scripted, trained or trained:FILE, not {self.bots!r}")
        return self

    def base_of(self, condition: str) -> str:
        """Return the study's condition on which ``condition`` is based. Some of our conditions add
        cooperation modules to a condition of the study.
        """
        return self.base if condition.partition("-")[0] == FULL else condition

    def cooperation(self, condition: str) -> Cooperation | None:
        """Return the cooperation modules that agents carry in a condition, or None.

        Raises:
            GameError: both the condition and the setting ``modules`` select modules.
        """
        name, _, left_out = condition.partition("-")
        if name == FULL and self.modules:
            raise GameError(
                f"setting modules: the condition {condition} already selects modules; leave "
                "--modules out, or choose another condition"
            )
        chosen = MODULES if name == FULL else modules_in(self.modules)
        chosen = tuple(one for one in chosen if one != left_out)
        if not chosen:
            return None
        lent = GAMES[self.game].lent
        fines = {LAST_APPLE_FINE: self.last_apple_fine, IDLE_FINE: self.idle_fine}
        fine = fines[lent.account.offence.number]
        law = first_constitution(lent.account, fine, self.attack_fine, self.ban_rounds)
        return Cooperation(
            chosen,
            lent,
            law,
            understand_every=self.understand_every,
            confirm=self.confirm,
            hearing=self.hearing,
            amend_every=self.amend_every,
            reputation_every=self.reputation_every,
        )

    def played(self, condition: str) -> CommonsGame:
        modules, condition = self.cooperation(condition), self.base_of(condition)
        bots = BOTS if condition == "bots" else ()
        names = AGENTS[:2] if bots else AGENTS
        given = {
            "persons": list(self.persons),
            "targets": list(self.targets or {}),
            "keeps": list(self.keeps),
            "lies": list(self.lies),
        }
        for setting, chosen in given.items():
            if absent := sorted(set(chosen) - set(names)):
                there = f"{condition} is played by {' and '.join(names)}"
                raise GameError(f"setting {setting}.{absent[0]}: {there}")
        self._check_game(condition)
        if self.bots != "scripted" and not bots:
            raise GameError(f"setting bots: {condition} has no bots")
        file = self._policy_file()
        game = self._commons(condition, len(names) + len(bots))
        rules = GAMES[self.game]
        world = world_text(game, rules.things(game), simultaneous=self.simultaneous)
        personas = tuple(Persona(name, rules.character(condition, name), world) for name in names)
        habits = Habits(
            reflect_every=self.reflect_every,
            recency_hours=self.recency_hours,
            by_meaning=self.relevance == "meaning",
        )
        return CommonsGame(
            game,
            personas,
            bots,
            self.rounds,
            self.attention_bandwidth,
            habits,
            modules,
            self.simultaneous,
            TRAINED_BOT if file else SCRIPTED_BOT,
            policy_in_words(file) if file else "",
        )

    def _policy_file(self) -> Path | None:
        """Return the policy file of trained bots, or None if bots are scripted."""
        if self.bots == "scripted":
            return None
        _, _, named = self.bots.partition(":")
        return Path(named) if named else SHIPPED

    def _check_game(self, condition: str) -> None:
        """Check that the game can be played in the requested condition.

        Raises:
            GameError: the condition or a setting does not fit the game.
        """
        rules = GAMES[self.game]
        if condition not in rules.persons:
            there = ", ".join(rules.persons)
            raise GameError(f"{self.game} has no condition {condition!r}; choose from {there}")
        if self.trees is not None and self.trees not in rules.maps:
            raise GameError(f"setting trees: {self.game} has no trees")
        for name, kind in self.persons.items():
            if kind not in rules.kinds:
                there = ", ".join(rules.kinds)
                raise GameError(f"setting persons.{name}: players of {self.game} are: {there}")

    def _commons(self, condition: str, players: int) -> Commons:
        rules = GAMES[self.game]
        default = 1 if condition.startswith("one_tree") else next(iter(rules.maps))
        trees: int = default if self.trees is None else self.trees
        # the number of rounds ends the game, not the substrate
        steps = self.rounds * players * (MOST_MOVES + 1)
        changes: dict[str, Any] = {
            "players": players,
            "zap": {"cooldown": 2, "out_for": self.out_for},
            "ending": {"least": steps, "interval": 1, "chance": 0.0, "most": steps},
            **rules.maps[trees],
        }
        movers = len(AGENTS) if self.simultaneous else 1
        pace = self.pace or (1.0 if rules.pace is None else movers * rules.pace)
        changes |= paced(read_commons(rules.substrate), pace)
        return read_commons(rules.substrate, changes)

    def people(self, condition: str) -> dict[str, Person]:
        found = {}
        condition = self.base_of(condition)
        for name in self.played(condition).agents:
            own = GAMES[self.game].person(condition, name)
            kind = self.persons.get(name)  # type: ignore[call-overload]
            fields: dict[str, Any] = {"kind": kind, "rate": self.rate, "attacks": self.attacks}
            fields["targets"] = self.targets
            said = {"keeps": self.keeps.get(name), "lies": self.lies.get(name)}  # type: ignore[call-overload]
            given = {key: value for key, value in said.items() if value is not None}
            manners = replace(self.manners, **given)
            changed = {key: value for key, value in fields.items() if value is not None}
            found[name] = replace(own, **changed, manners=manners)
        return found

    def published(self, condition: str) -> tuple[str | None, str | None]:
        rules = GAMES[self.game]
        return rules.published.get(condition), rules.source

    def script(self, case: Case) -> Script:
        players = self.played(case.condition).players
        persons = make_persons(self.people(case.condition), players, case.seed)
        return lambda request: persons[request.agent or ""].answer(request)

    def persons_in_words(self, condition: str) -> Mapping[str, str]:
        return {name: str(person) for name, person in self.people(condition).items()}

    def bot(self, table: CommonsTable, player: int, seed: int) -> Bot:
        file = self._policy_file()
        return trained_bot(table, player, seed, file) if file else greedy_bot(table, player, seed)

    def judge_rule(self, condition: str, claim: Claim) -> tuple[str, bool] | None:
        played = self.played(condition)
        return judge_rule(claim, played.game, self._by_rule(played))

    def topics(self, condition: str) -> tuple[str, ...]:
        played = self.played(condition)
        is_dry = played.game.river is None
        rules = (RADIUS, NO_GROWTH, GROWTH, DEATH) if is_dry else (DIRTY, CLEAN)
        return (*rules, OF_BOTS) if self._by_rule(played) else rules

    def _by_rule(self, played: CommonsGame) -> Sequence[str]:
        """Return the rule-based bots. If bots are trained, there are none, because their habits are
        unknown.
        """
        return () if self._policy_file() else played.bots
