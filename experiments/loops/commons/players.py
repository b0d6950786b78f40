"""What chooses for the agents of a game about a commons, by their kinds."""

from __future__ import annotations

import random
from collections.abc import Callable

from voxpolis.bots.agents.by_form import keys, next_step
from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.agents.generative.agent import GenerativeAgent
from voxpolis.bots.agents.turns import Perception, TurnPlayer
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever, best_retriever
from voxpolis.bots.models import AccountedModel
from voxpolis.experiments.loops.commons.game import CommonsGame
from voxpolis.experiments.run.agents import RANDOM
from voxpolis.records.questions import Choice
from voxpolis.records.reader import PERSON
from voxpolis.worlds.commons.actions import Action


class RandomTurns:
    """Draws each action out of the legal ones."""

    def __init__(self, seed: int, name: str) -> None:
        self._draws = random.Random(f"{seed} {name}")

    async def choose(self, perception: Perception[Action]) -> Action:
        """Return one of the legal actions; see :class:`bots.agents.turns.TurnPlayer`."""
        return self._draws.choice(perception.actions)


class PersonsTurns:
    """A person who chooses each action out of the legal ones."""

    def __init__(self, persona: Persona, model: AccountedModel) -> None:
        """``model`` leads to the person."""
        self.acted = 0
        self._persona = persona
        self._model = model

    async def choose(self, perception: Perception[Action]) -> Action | None:
        """Return one of the legal actions; None: the person chose none in time."""
        if not perception.is_playing:
            return None
        texts = map(str, perception.actions)
        choices = [Choice(text, key) for text, key in zip(texts, keys(), strict=False)]
        told = [
            f"You are {self._persona.name}. It is your turn {perception.turn}.",
            f"You are at {perception.cell} and look {perception.heading}.",
            *(f"Your last action, {perception.last_action}: {perception.last_outcome}."
              for _ in range(bool(perception.last_action))),
            *perception.changes,
            *perception.observations,
        ]  # fmt: skip
        chosen = await next_step(self._model, self._persona.name, "\n".join(told), choices)
        self.acted += chosen is not None
        return None if chosen is None else perception.actions[choices.index(chosen)]


def generative_agent(
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    known: Callable[[], Known] = Known,
) -> GenerativeAgent:
    """Return an agent of a game; ``known``: what the modules that it carries tell it."""
    retriever = best_retriever() if played.habits.by_meaning else LexicalRetriever()
    return GenerativeAgent(persona, model, retriever, played.habits, known)


def player_of(
    kind: str,
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    seed: int,
    known: Callable[[], Known] = Known,
) -> TurnPlayer[Action]:
    """Return what chooses an agent's actions, by its kind."""
    if kind == RANDOM:
        return RandomTurns(seed, persona.name)
    if kind == PERSON:
        return PersonsTurns(persona, model)
    return generative_agent(played, persona, model, known)
