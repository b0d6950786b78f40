"""A scripted person: rules written beforehand that answer the five prompts of a generative agent.

It goes by what the agent attends to (:class:`worlds.commons.sight.Sight`) and what its modules tell
it (:class:`bots.agents.cooperation.known.Known`), and reads no prompt. How it answers the modules'
own prompts is in :mod:`scenarios.commons.companions`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.generative import Situation
from voxpolis.bots.agents.generative.prompts import Act, Insights, Plan, Questions, React
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.judge.law.penalties import ATTACK_FINE
from voxpolis.scenarios.commons.companions import CommonsCompanion, Manners
from voxpolis.worlds.commons.actions import Action, Immobilize, Stay
from voxpolis.worlds.commons.sight import Seen, Sight

#: Of Commons Harvest, and of Clean Up.
Harvesting = Literal["sparing", "greedy", "guard", "pacifist"]
Cleaning = Literal["cleaner", "eater", "sharer"]
Kind = Literal[Harvesting, Cleaning]

#: What a person knows that carries no modules.
NOTHING = Known()


@dataclass(frozen=True)
class Person:
    """What a scripted person does.

    Attributes:
        kind: its way of playing; each game has its own (:data:`scenarios.commons.persons.WAYS`).
        rate: how often it deviates from that, from 0 to 1.
        attacks: how often it attacks where it sees others, from 0 to 1, if it is of a kind that may
            attack for no reason.
        targets: by name, the part of its attacks that are on that agent, the rest on all others; it
            attacks where it sees them all, and nobody where no part is left for anybody else.
        manners: how it cooperates, where agents carry the modules for that.
    """

    kind: Kind
    rate: float = 0.0
    attacks: float = 0.0
    targets: Mapping[str, float] = field(default_factory=dict)
    manners: Manners = field(default_factory=Manners)

    def __str__(self) -> str:
        parts = [self.kind, f"deviates {self.rate:g}" * bool(self.rate)]
        parts.append(f"attacks {self.attacks:g}" * bool(self.attacks and self.can_attack))
        return f"({', '.join(part for part in parts if part)})"

    @property
    def can_attack(self) -> bool:
        """Whether it may attack for no reason."""
        return self.kind not in ("guard", "pacifist")


@dataclass
class ScriptedPerson(ABC):
    """One person through a game; how it moves is its game's.

    Class attributes: ``questions`` that it asks itself, ``insights`` that it draws, and
    ``companion_kind``, which makes its answers to the modules of cooperation.

    Attributes:
        person: what it does.
        name: its name.
        agents: all who are persons, in the order of their turns.
        players: all who play.
        seed: of what is drawn.
        attacks: how often it attacked, by whom.
    """

    questions: ClassVar[tuple[str, str, str]]
    insights: ClassVar[tuple[str, str, str]]
    companion_kind: ClassVar[type[CommonsCompanion]]

    person: Person
    name: str
    agents: tuple[str, ...]
    players: tuple[str, ...]
    seed: int
    attacks: dict[str, int] = field(default_factory=dict)
    _chosen: tuple[int, Action] = (0, Stay())

    def __post_init__(self) -> None:
        self._others = tuple(one for one in self.players if one != self.name)
        self._seed = f"{self.seed} {self.name}"
        bots = tuple(one for one in self.players if one not in self.agents)
        self.companion = self.companion_kind(self.name, self.person.manners, self._seed, bots=bots)

    def answer(self, request: ChatRequest) -> Answer | str:
        """Return the answer to one of the five questions, or to one of the modules'."""
        situation = request.about
        if not isinstance(situation, Situation):
            return self.companion.answer(situation)
        seen = situation.perception
        sight = seen.about
        assert isinstance(sight, Sight)
        self.companion.see(sight)
        match request.role:
            case "react":
                return React(new_plan=self.is_surprised(sight), reason="I look around.")
            case "plan":
                return Plan(goals="To get apples.", plan=self.plan)
            case "questions":
                return Questions(questions=self.questions)
            case "insights":
                return Insights(insights=self.insights)
            case _:
                return Act(number=seen.actions.index(self.act(sight, situation.known)) + 1)

    def act(self, sight: Sight, known: Known = NOTHING) -> Action:
        """Return what the person does in a turn; the same turn has the same answer.

        Args:
            sight: what it attends to.
            known: what the modules that it carries tell it.
        """
        if self._chosen[0] != sight.turn:
            draws = random.Random(f"{self._seed} {sight.turn}")
            attack = self._attack(sight, known, draws)
            self._chosen = (sight.turn, attack or self.move(sight, known, draws))
        return self._chosen[1]

    @property
    @abstractmethod
    def plan(self) -> str:
        """Its plan, in words."""

    @abstractmethod
    def is_surprised(self, sight: Sight) -> bool:
        """Return whether something has happened that it plans anew for."""

    @abstractmethod
    def move(self, sight: Sight, known: Known, draws: random.Random) -> Action:
        """Return what it does where it attacks nobody."""

    def offender(self, sight: Sight, seen: Mapping[str, Seen]) -> str:
        """Return somebody in sight whom it attacks for what that one did; empty: nobody."""
        return ""

    def heeds(self, fine: float, brings: float, draws: random.Random) -> bool:
        """Whether it leaves something be, because the law takes more for it than it brings."""
        return fine > brings and draws.random() < self.person.manners.heeds

    # --- Attacks ---------------------------------------------------------------------------------

    def _attack(self, sight: Sight, known: Known, draws: random.Random) -> Action | None:
        """Return an attack; None: none."""
        seen = {one.name: one for one in sight.objects if one.what == "agent"}
        name = self.offender(sight, seen)
        if self.person.can_attack and draws.random() < self.person.attacks:
            name = self._target(seen, draws)
            if name and self.heeds(known.numbers.get(ATTACK_FINE, 0.0), 0.0, draws):
                name = ""
        name = self._betrayed(seen, known, but=name)
        if known.is_banned:
            name = ""
        if not name:
            return None
        self.attacks[name] = self.attacks.get(name, 0) + 1
        return Immobilize(name, seen[name].cell)

    def _betrayed(self, seen: Mapping[str, Seen], known: Known, but: str) -> str:
        """Return whom it attacks because it breaks a promise; else ``but``, unless it promised."""
        for pledge in known.promises:
            if pledge.by == self.companion.name and pledge.other:
                if not self.companion.means_to_keep(pledge.number):
                    but = pledge.other if pledge.other in seen else but
                elif but == pledge.other:
                    but = ""
        return but

    def _target(self, seen: Mapping[str, Seen], draws: random.Random) -> str:
        """Return whom to attack; empty: nobody."""
        targets = self.person.targets
        if not targets:
            return draws.choice(sorted(seen)) if seen else ""
        if set(self._others) - seen.keys():  # else those who are seen more often were hit more
            return ""
        rest = [name for name in self._others if name not in targets]
        share = (1 - sum(targets.values())) / max(len(rest), 1)
        parts = [targets.get(name, share) for name in self._others]
        return draws.choices(self._others, parts)[0] if sum(parts) > 1e-9 else ""
