"""Measures of what is recorded, for those who write records and those who read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


def welfare(rewards: Sequence[float]) -> float:
    """Social welfare: the sum of rewards."""
    return float(sum(rewards))


def gini(rewards: Sequence[float]) -> float | None:
    """The Gini coefficient corrected for small groups, ``G · N / (N - 1)``.

    With ``G = Σᵢ Σⱼ |rᵢ - rⱼ| / (2 N Σ r)``; 0 is equality, 1 is one agent having all, and for two
    agents it is ``|a - b| / (a + b)``. Source: Yocum et al. (2023), table 1. It is 0 where all
    have the same, and None where they differ and do not sum to more than zero; single rewards below
    zero can take it above 1.
    """
    count, total = len(rewards), sum(rewards)
    differences = sum(abs(a - b) for a in rewards for b in rewards)
    if count < 2 or differences == 0:
        return 0.0
    if total <= 0:
        return None
    return float(differences / (2 * total * (count - 1)))


def coherence(
    acts: Sequence[tuple[str, str]], announces: Mapping[str, re.Pattern[str]]
) -> float | None:
    """How often what was done next agrees with what was just said; None where nothing was said.

    Args:
        acts: pairs in order of time: ``("said", text)`` and ``("did", action)``, of one agent.
            An action's first word is its name.
        announces: by the name of an action, the words by which an utterance announces it.

    An announcement counts when the next utterance or action of another kind comes. What is being
    done counts as the next action until there is another.
    """
    agreed = announced = 0
    doing = ""
    waiting: str | None = None
    for kind, text in acts:
        if kind == "did":
            action = text.split(" ", 1)[0]
            if waiting is not None:
                announced, agreed = announced + 1, agreed + (waiting == action)
                waiting = None
            doing = action
            continue
        intent = next((name for name, words in announces.items() if words.search(text)), None)
        if intent is None:
            continue
        if intent == doing:
            announced, agreed = announced + 1, agreed + 1
        else:
            waiting = intent
    return agreed / announced if announced else None
