"""What chooses for the agents of a game about a commons, by their kinds."""

from __future__ import annotations

import random
from collections.abc import Callable

from bots.agents.cooperation.known import Known
from bots.agents.generative import GenerativeAgent, Persona
from bots.agents.turns import Perception, TurnPlayer
from bots.agents.voyager.retrieval import LexicalRetriever, best_retriever
from bots.models import AccountedModel
from experiments.agents import RANDOM
from experiments.commons_game import CommonsGame
from worlds.commons.actions import read_action


class RandomTurns:
    """Draws each action out of the legal ones."""

    def __init__(self, seed: int, name: str) -> None:
        self._draws = random.Random(f"{seed} {name}")

    async def choose(self, perception: Perception) -> str:
        """Return one of the legal actions; see :class:`bots.agents.turns.TurnPlayer`."""
        return self._draws.choice(perception.actions)


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
    return generative_agent(played, persona, model, known)
