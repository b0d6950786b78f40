"""Commons Harvest as a scenario: conditions, settings, who plays, what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

from bots.agents.generative import Habits, Persona
from bots.models.scripted import Script
from experiments.commons_cooperation import MODULES, Cooperation
from experiments.commons_game import Bot, CommonsGame
from experiments.options import option
from grid.commons.game import Commons, read_commons
from grid.core.data import GameError
from judge.penalties import first_constitution
from scenarios.commons import texts
from scenarios.commons.bots import greedy_bot
from scenarios.commons.companions import Manners
from scenarios.commons.maps import ONE_TREE, SIX_TREES
from scenarios.commons.persons import Kind, Person, changed, make_persons, script_of
from scenarios.commons.truth import judge_rule, topics_of
from worlds.commons.actions import MOST_MOVES
from worlds.commons.table import CommonsTable

AGENTS = ("Juan", "Laura", "Pedro")
BOTS = ("Ana", "Luis")
#: From 0 to 1.
Share = Annotated[float, Field(ge=0, le=1)]
SOURCE = "Mosquera et al. 2024"
#: What is seen where all is seen.
EVERYTHING = {"ahead": 9, "behind": 9, "sideways": 9}

#: A setting's condition with all modules of cooperation; ``full-NAME``: with all but one.
FULL = "full"
#: By condition: what it is, in a line.
CONDITIONS: Mapping[str, str] = {
    "none": "three agents without a personality, six trees",
    "coop": "three that are told to be cooperative",
    "coop_def": "the same, and what that means here",
    "selfish": "three that are told to be selfish",
    "selfish_def": "the same, and what that means here",
    "one_tree": "three without a personality, a room with one tree",
    "one_tree_coop": "three cooperative ones, one tree",
    "one_tree_selfish": "three selfish ones, one tree",
    "bots": "two agents without a personality and two scripted bots, six trees",
    "aware": "six trees; all are told that Pedro is selfish, and Pedro is",
    FULL: "setting base, and agents carry all modules of cooperation",
    **{f"{FULL}-{module}": f"the same without {module}" for module in MODULES},
}
#: By condition: the scripted persons that answer where no language model is asked. Ours.
_SPARING = Person("sparing", rate=0.5, attacks=0.1)
PERSONS: Mapping[str, Person] = {
    "none": _SPARING,
    "coop": Person("pacifist", rate=0.1),
    "coop_def": Person("guard", rate=0.05),
    "selfish": Person("greedy", rate=0.1, attacks=0.1),
    "selfish_def": Person("greedy", attacks=0.02),
    "one_tree": _SPARING,
    "one_tree_coop": Person("pacifist", rate=0.1),
    "one_tree_selfish": Person("greedy", rate=0.1, attacks=0.1),
    "bots": _SPARING,
    "aware": Person("sparing", rate=0.3, attacks=1.0, targets={texts.SELFISH_ONE: 0.86}),
}
#: The texts of the results that the paper states, by condition; it prints few numbers.
PUBLISHED: Mapping[str, str] = {
    "none": "most reward of the five; as many attacks as selfish, the most; last apples approached "
    "as often as in all others",
    "coop": "less reward than none and selfish; attacks as few as with a definition, the fewest; "
    "last apples approached as often",
    "coop_def": "less reward than none and selfish; fewest attacks; last apples as often",
    "selfish": "reward below none, as selfish_def; most attacks; last apples approached as often",
    "selfish_def": "reward below none, as selfish; clearly fewer attacks than selfish; last apples "
    "approached as often",
    "one_tree": "nobody sustains the tree",
    "one_tree_coop": "reward grows a little more slowly and the tree lives slightly longer; the "
    "final reward is no better; nobody sustains the tree",
    "one_tree_selfish": "nobody sustains the tree",
    "bots": "bots earn more and level off earlier; in half of the runs one agent beats a bot; bots "
    "attack almost 5 times as often, agents are more than twice as effective; bots take last "
    "apples more often",
    "aware": "86 % of the others' hits are on Pedro",
}


class CommonsHarvest(BaseModel):
    """All that can be varied about the game (``--set``, ``--config``)."""

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str] = "commons"
    published: ClassVar[Mapping[str, str]] = PUBLISHED
    source: ClassVar[str] = SOURCE

    rounds: PositiveInt = Field(default=100, le=10_000, description="Of turns (the paper's).")
    trees: Literal[1, 6] | None = Field(
        default=None, description="How many; None: as the condition has it."
    )
    out_for: PositiveInt = Field(
        default=5,
        le=1000,
        description="Steps that who is hit is out for (the paper's; substrate 4).",
    )
    attention_bandwidth: PositiveInt = Field(
        default=10,
        le=1000,
        description="Objects, and changes, that an agent attends to (the paper's).",
    )
    reflect_every: PositiveInt = Field(
        default=30, description="Observations from one reflection to the next (the paper's)."
    )
    recency_hours: float = Field(
        default=24.0, gt=0, description="After so many a memory's recency is 1/e. Ours."
    )
    relevance: Literal["words", "meaning"] = Field(
        default="words",
        description="Memories fit a question by words, or by meaning (make embeddings; slow).",
    )
    persons: dict[Literal["Juan", "Laura", "Pedro"], Kind] = Field(
        default={}, description="By agent, another scripted person than the condition's."
    )
    rate: float | None = Field(
        default=None, ge=0, le=1, description="How often scripted persons deviate."
    )
    attacks: float | None = Field(
        default=None, ge=0, le=1, description="How often scripted persons attack whom they see."
    )
    modules: str = Field(
        default="",
        description="Modules of cooperation that agents carry, with commas, or all: "
        f"{', '.join(MODULES)}.",
        json_schema_extra=option("modules"),
    )
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
    ] = Field(default="none", description="The condition that the full ones add modules to.")
    hearing: PositiveInt = Field(default=10, description="Cells away that agents hear each other.")
    confirm: PositiveInt = Field(default=5, description="Hits that make a hypothesis a rule.")
    understand_every: PositiveInt = Field(
        default=3, description="Rounds from one search for rules to the next."
    )
    reputation_every: PositiveInt = Field(
        default=5, description="Rounds from one publication of reputations to the next."
    )
    amend_every: PositiveInt = Field(
        default=25, description="Rounds from one vote on the constitution to the next."
    )
    last_apple_fine: float = Field(
        default=3.0, ge=0, le=20, description="Apples that a tree's last one costs by law. Ours."
    )
    attack_fine: float = Field(
        default=1.0, ge=0, le=20, description="Apples that an unlawful attack costs. Ours."
    )
    ban_rounds: int = Field(
        default=3, ge=0, le=20, description="Rounds without attacks after an unlawful one. Ours."
    )
    keeps: dict[Literal["Juan", "Laura", "Pedro"], Share] = Field(
        default={}, description="By agent, the part of its promises that a scripted person keeps."
    )
    lies: dict[Literal["Juan", "Laura", "Pedro"], Share] = Field(
        default={}, description="By agent, the part of a scripted person's answers that are lies."
    )
    manners: Manners = Field(
        default=Manners(), description="How scripted persons cooperate, where nothing else is said."
    )
    targets: dict[Literal["Juan", "Laura", "Pedro"], float] | None = Field(
        default=None, description="By agent, the part of scripted persons' attacks that are on it."
    )

    @model_validator(mode="after")
    def _check(self) -> CommonsHarvest:
        shares = (self.targets or {}).values()
        if any(share < 0 for share in shares) or sum(shares) > 1:
            raise ValueError("targets are parts of all attacks: from 0 on, and at most 1 in all")
        unknown = sorted({*self._chosen_modules()} - {*MODULES})
        if unknown:
            raise ValueError(f"there is no module {unknown[0]}; there are: {', '.join(MODULES)}")
        return self

    def _chosen_modules(self) -> tuple[str, ...]:
        if self.modules.strip() == "all":
            return MODULES
        return tuple(name.strip() for name in self.modules.split(",") if name.strip())

    def base_of(self, condition: str) -> str:
        """Return the condition of the study that a condition is but for its modules."""
        return self.base if condition.partition("-")[0] == FULL else condition

    def cooperation(self, condition: str) -> Cooperation | None:
        """Return the modules that agents carry in a condition; None: none."""
        name, _, left_out = condition.partition("-")
        chosen = MODULES if name == FULL else self._chosen_modules()
        chosen = tuple(one for one in MODULES if one in chosen and one != left_out)
        if not chosen:
            return None
        law = first_constitution(self.last_apple_fine, self.attack_fine, self.ban_rounds)
        return Cooperation(
            chosen,
            law,
            understand_every=self.understand_every,
            confirm=self.confirm,
            hearing=self.hearing,
            amend_every=self.amend_every,
            reputation_every=self.reputation_every,
        )

    @staticmethod
    def conditions() -> Mapping[str, str]:
        """Return the conditions by name, the default first, each in a line."""
        return CONDITIONS

    def played(self, condition: str) -> CommonsGame:
        """Return the game of a condition."""
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
        game = self._game(condition, len(names) + len(bots))
        world = texts.world_text(game)
        personas = tuple(Persona(name, _character(condition, name), world) for name in names)
        habits = Habits(
            reflect_every=self.reflect_every,
            recency_hours=self.recency_hours,
            by_meaning=self.relevance == "meaning",
        )
        attention = self.attention_bandwidth
        return CommonsGame(game, personas, bots, self.rounds, attention, habits, modules)

    def _game(self, condition: str, players: int) -> Commons:
        trees = self.trees or (1 if condition.startswith("one_tree") else 6)
        steps = self.rounds * players * (MOST_MOVES + 1)  # the rounds end it, not the substrate
        changes: dict[str, Any] = {
            "players": players,
            "zap": {"cooldown": 2, "out_for": self.out_for},
            "ending": {"least": steps, "interval": 1, "chance": 0.0, "most": steps},
            "layout": ONE_TREE if trees == 1 else SIX_TREES,
        }
        if trees == 1:
            changes["view"] = EVERYTHING
        return read_commons("commons_harvest_open", changes)

    def people(self, condition: str) -> dict[str, Person]:
        """Return the scripted person that stands for each agent."""
        found = {}
        condition = self.base_of(condition)
        for name in self.played(condition).agents:
            own = PERSONS[condition]
            if condition == "aware" and name == texts.SELFISH_ONE:
                own = PERSONS["selfish_def"]
            kind = self.persons.get(name)  # type: ignore[call-overload]
            fields = {"kind": kind, "rate": self.rate, "attacks": self.attacks}
            said = {"keeps": self.keeps.get(name), "lies": self.lies.get(name)}  # type: ignore[call-overload]
            given = {key: value for key, value in said.items() if value is not None}
            manners = replace(self.manners, **given)
            found[name] = changed(own, **fields, targets=self.targets, manners=manners)
        return found

    def script(self, condition: str, seed: int) -> Script:
        """Return the scripted persons of a case."""
        players = self.played(condition).players
        return script_of(make_persons(self.people(condition), players, seed))

    def persons_in_words(self, condition: str) -> Mapping[str, str]:
        """Return which scripted person stands for each agent, in words."""
        return {name: str(person) for name, person in self.people(condition).items()}

    def bot(self, table: CommonsTable, player: int, seed: int) -> Bot:
        """Return a bot; the paper's were trained."""
        return greedy_bot(table, player, seed)

    def judge_rule(self, condition: str, test: str) -> tuple[str, bool] | None:
        """Return which rule of the world a test is, and whether it is true; None: unknown."""
        played = self.played(condition)
        return judge_rule(test, played.game, played.players, played.bots)

    def topics(self, condition: str) -> tuple[str, ...]:
        """Return the rules of the world that there are to find."""
        return topics_of(self.played(condition).bots)


def _character(condition: str, name: str) -> str:
    """Return what an agent is told of its character."""
    if condition == "aware":
        own = texts.CHARACTERS["selfish_def"] if name == texts.SELFISH_ONE else ""
        return f"{own} {texts.AWARE}".strip()
    kind = condition.removeprefix("one_tree").removeprefix("_") or "none"
    return texts.CHARACTERS["none" if kind == "bots" else kind]
