"""What chooses for the agents of a game about a commons, by their kinds."""

from __future__ import annotations

import random
from collections.abc import Callable

from bots.agents.by_form import keys, next_step
from bots.agents.cooperation.known import Known
from bots.agents.generative import GenerativeAgent, Persona
from bots.agents.turns import Perception, TurnPlayer
from bots.agents.voyager.retrieval import LexicalRetriever, best_retriever
from bots.models import AccountedModel
from experiments.agents import RANDOM
from experiments.commons_game import CommonsGame
from records.questions import Choice
from records.reader import PERSON
from worlds.commons.actions import STAY_PUT, read_action


class RandomTurns:
    """Draws each action out of the legal ones."""

    def __init__(self, seed: int, name: str) -> None:
        self._draws = random.Random(f"{seed} {name}")

    async def choose(self, perception: Perception) -> str:
        """Return one of the legal actions; see :class:`bots.agents.turns.TurnPlayer`."""
        return self._draws.choice(perception.actions)


class PersonsTurns:
    """A person who chooses each action out of the legal ones."""

    def __init__(self, persona: Persona, model: AccountedModel) -> None:
        """``model`` leads to the person."""
        self.acted = 0
        self._persona = persona
        self._model = model

    async def choose(self, perception: Perception) -> str:
        """Return one of the legal actions; to stay put, where none is chosen in time."""
        if not perception.is_playing:
            return STAY_PUT
        choices = [Choice(text, key) for text, key in zip(perception.actions, keys(), strict=False)]
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
        return STAY_PUT if chosen is None else chosen.text


def generative_agent(
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    known: Callable[[], Known] = Known,
) -> GenerativeAgent:
    """Return an agent of a game; ``known``: what the modules that it carries tell it."""
    retriever = best_retriever() if played.habits.by_meaning else LexicalRetriever()
    return GenerativeAgent(persona, model, read_action, retriever, played.habits, known)


def player_of(
    kind: str,
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    seed: int,
    known: Callable[[], Known] = Known,
) -> TurnPlayer:
    """Return what chooses an agent's actions, by its kind."""
    if kind == RANDOM:
        return RandomTurns(seed, persona.name)
    if kind == PERSON:
        return PersonsTurns(persona, model)
    return generative_agent(played, persona, model, known)
