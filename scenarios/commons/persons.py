"""Scripted persons: rules written beforehand that answer the five prompts of a generative agent.

They go by what the agent attends to (:class:`worlds.commons.sight.Sight`) and what its modules tell
it (:class:`bots.agents.cooperation.known.Known`), and read no prompt. How they answer the modules'
own prompts is in :mod:`scenarios.commons.companions`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from bots.agents.cooperation.known import Known
from bots.agents.generative import Situation
from bots.models import ChatRequest
from bots.models.scripted import Script
from judge.penalties import ATTACK_FINE, LAST_APPLE_FINE
from scenarios.commons.companions import DEATH_RULE, Manners, ScriptedCompanion
from worlds.commons.actions import STAY_PUT, explore, go_to, immobilize
from worlds.commons.sight import Seen, Sight, distance

Kind = Literal["sparing", "greedy", "guard", "pacifist"]
#: What an apple is worth to whoever takes it.
WORTH = 1.0

#: What a person knows that carries no modules.
NOTHING = Known()
_PLANS: Mapping[Kind, str] = {
    "sparing": "I take apples, and leave the last one of each tree.",
    "greedy": "I take the nearest apple.",
    "guard": "I leave the last apple of each tree, and stop whoever takes one.",
    "pacifist": "I leave the last apple of each tree, and attack nobody.",
}


@dataclass(frozen=True)
class Person:
    """What a scripted person does.

    Attributes:
        kind: ``sparing`` never goes for the last apple that it sees of a tree; ``greedy`` goes for
            the nearest; ``guard`` is sparing and attacks once whom it saw take a last apple;
            ``pacifist`` is sparing and never attacks.
        rate: how often it deviates, from 0 to 1: where the nearest apple is the last of its tree, a
            sparing person goes for it, and a greedy one spares it.
        attacks: how often a sparing or greedy person attacks where it sees others, from 0 to 1.
        targets: by name, the part of its attacks that are on that agent, the rest on all others; it
            attacks where it sees them all, and nobody where no part is left for anybody else.
        manners: how it cooperates, where agents carry the modules for that.
    """

    kind: Kind = "sparing"
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
        return self.kind in ("sparing", "greedy")


class ScriptedPerson:
    """One person through a game.

    Attributes:
        attacks: how often it attacked, by whom.
        approaches: by whether it went for it: how often the nearest apple was the last of its tree.
    """

    def __init__(
        self,
        person: Person,
        others: tuple[str, ...],
        seed: int,
        name: str,
        bots: tuple[str, ...] = (),
    ) -> None:
        self.person = person
        self.companion = ScriptedCompanion(name, person.manners, f"{seed} {name}", bots)
        self.attacks: dict[str, int] = {}
        self.approaches = {True: 0, False: 0}
        self._others = others
        self._seed = f"{seed} {name}"
        self._wanted: dict[str, int] = {}
        self._chosen: tuple[int, str] = (0, STAY_PUT)

    def answer(self, request: ChatRequest) -> str:
        """Return the answer to one of the five prompts, or to one of the modules'."""
        situation = request.about
        if not isinstance(situation, Situation):
            said = self.companion.answer(situation)
            return said if isinstance(said, str) else json.dumps(said)
        sight = situation.perception.about
        assert isinstance(sight, Sight)
        self.companion.see(sight)
        return json.dumps(self._said(request.role, sight, situation.known))

    def _said(self, role: str, sight: Sight, known: Known) -> object:
        plan = _PLANS[self.person.kind]
        match role:
            case "react":
                died = any(one.happening.what == "died" for one in sight.changes)
                return {"Reasoning": "I look at the trees.", "Answer": died}
            case "plan":
                return {"Reasoning": "It is my way.", "Goals": "To get apples.", "Plan": plan}
            case "questions":
                asked = ("Which trees have apples?", "Who takes apples?", "Who attacks?")
                return _three("Question", asked)
            case "insights":
                return _three("Insight", ("Trees differ.", "Others take apples.", "Some attack."))
            case _:
                fields = dict.fromkeys(("Opportunities", "Threats", "Options", "Consequences"), "-")
                return {**fields, "Final analysis": plan, "Answer": self.act(sight, known)}

    def act(self, sight: Sight, known: Known = NOTHING) -> str:
        """Return what the person does in a turn; the same turn has the same answer.

        Args:
            sight: what it attends to.
            known: what the modules that it carries tell it.
        """
        if self._chosen[0] != sight.turn:
            draws = random.Random(f"{self._seed} {sight.turn}")
            attack = self._attack(sight, known, draws)
            self._chosen = (sight.turn, attack or self._move(sight, known, draws))
        return self._chosen[1]

    def _heeds(self, fine: float, brings: float, draws: random.Random) -> bool:
        """Whether it leaves something be, because the law takes more for it than it brings."""
        return fine > brings and draws.random() < self.person.manners.heeds

    # --- Attacks ---------------------------------------------------------------------------------

    def _attack(self, sight: Sight, known: Known, draws: random.Random) -> str:
        """Return an attack; empty: none."""
        seen = {one.name: one for one in sight.objects if one.what == "agent"}
        name = self._offender(sight, seen) if self.person.kind == "guard" else ""
        if self.person.can_attack and draws.random() < self.person.attacks:
            name = self._target(seen, draws)
            if name and self._heeds(known.numbers.get(ATTACK_FINE, 0.0), 0.0, draws):
                name = ""
        name = self._betrayed(seen, known, but=name)
        if known.is_banned:
            name = ""
        if not name:
            return ""
        self.attacks[name] = self.attacks.get(name, 0) + 1
        return immobilize(name, seen[name].cell)

    def _betrayed(self, seen: Mapping[str, Seen], known: Known, but: str) -> str:
        """Return whom it attacks because it breaks a promise; else ``but``, unless it promised."""
        for pledge in known.promises:
            if pledge.by == self.companion.name and pledge.other:
                if not self.companion.means_to_keep(pledge.number):
                    but = pledge.other if pledge.other in seen else but
                elif but == pledge.other:
                    but = ""
        return but

    def _offender(self, sight: Sight, seen: Mapping[str, Seen]) -> str:
        """Return somebody in sight whom a guard saw take a last apple, once for each."""
        for one in sight.changes:
            culprit = one.happening.agent
            if one.happening.what == "died" and culprit != sight.agent:
                self._wanted[culprit] = self._wanted.get(culprit, 0) + 1
        name = next((name for name in sorted(seen) if self._wanted.get(name)), "")
        if name:
            self._wanted[name] -= 1
        return name

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

    # --- Moves -----------------------------------------------------------------------------------

    def _goes(self, known: Known, draws: random.Random) -> bool:
        """Whether it goes for a last apple; who knows that trees die deviates half as often."""
        greedy = self.person.kind == "greedy"
        knows = not greedy and any(rule.test == DEATH_RULE for rule in known.rules)
        rate = self.person.rate / 2 if knows else self.person.rate
        goes = (draws.random() < rate) != greedy
        fine = known.numbers.get(LAST_APPLE_FINE, 0.0)
        return goes and not self._heeds(fine, WORTH, draws)

    def _move(self, sight: Sight, known: Known, draws: random.Random) -> str:
        """Return where to go."""
        left = {tree.tree: tree.apples for tree in sight.trees}
        apples = sorted(
            (distance(sight.cell, one.cell), left[one.tree] == 1, one.cell)
            for one in sight.objects
            if one.what == "apple" and one.cell != sight.cell
        )
        if not apples:
            return explore(draws.choice(sight.edges)) if sight.edges else STAY_PUT
        away, is_last, nearest = apples[0]
        if not is_last:
            return go_to(nearest)
        goes = self._goes(known, draws)
        self.approaches[goes] += 1
        if goes:
            return go_to(nearest)
        spared = [cell for _, last, cell in apples if not last and distance(cell, nearest) >= away]
        if spared:
            return go_to(spared[0])
        edges = [cell for cell in sight.edges if distance(cell, nearest) >= away]
        return explore(draws.choice(edges)) if edges else STAY_PUT


def _three(name: str, texts: tuple[str, str, str]) -> dict[str, dict[str, str]]:
    return {
        f"{name}_{number}": {"Reasoning": "I want to know.", name: text}
        for number, text in enumerate(texts, start=1)
    }


def make_persons(
    persons: Mapping[str, Person], players: tuple[str, ...], seed: int
) -> dict[str, ScriptedPerson]:
    """Return the scripted persons of an episode; ``players``: all names, the bots' among them."""
    bots = tuple(name for name in players if name not in persons)
    return {
        name: ScriptedPerson(person, tuple(n for n in players if n != name), seed, name, bots)
        for name, person in persons.items()
    }


def script_of(persons: Mapping[str, ScriptedPerson]) -> Script:
    """Return persons as one script."""
    return lambda request: persons[request.agent or ""].answer(request)


def changed(person: Person, **fields: object) -> Person:
    """Return a person with the fields changed that are not None."""
    given = {name: value for name, value in fields.items() if value is not None}
    return replace(person, **given)  # type: ignore[arg-type]
