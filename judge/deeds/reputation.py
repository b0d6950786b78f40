"""Reputation: how far an agent can be relied on, by what it did and never by what anybody says."""

from __future__ import annotations

from collections.abc import Mapping

from voxpolis.judge.deeds.account import Deeds
from voxpolis.judge.deeds.promises import Agreements
from voxpolis.judge.law.penalties import Penalties

# Of each kind of what an agent did, the latest are told.
MOST_TOLD = 10


def deeds_in_words(
    name: str, agreements: Agreements, penalties: Penalties, deeds: Deeds
) -> tuple[str, ...]:
    """Return what the record says that an agent did, a sentence each.

    That is its promises with what became of them, its breaches of the law, and its actions.
    """
    settled = [
        f"promised: {one.promise}: {'kept' if one.kept else 'broken'}"
        for one in agreements.settled
        if one.promise.by == name
    ]
    kept, broken = agreements.record_of(name)
    told = [f"kept all that it promised in {kept} agreements, and not in {broken}"] * bool(settled)
    told += settled[-MOST_TOLD:]
    told += [
        f"promised: {promise}: still open"
        for _, _, promise in agreements.live()
        if promise.by == name
    ][-MOST_TOLD:]
    told += [
        f"broke article {one.article}: {one.what}"
        for one in penalties.breaches
        if one.agent == name
    ][-MOST_TOLD:]
    counts = {text: deeds.count(kind, name) for kind, text in deeds.account.told.items()}
    return (*told, *(text.format(count) for text, count in counts.items()))


def exact_reputation(kept: int, broken: int) -> float:
    """Return the part of its promises that an agent keeps, by Laplace's rule."""
    return (kept + 1) / (kept + broken + 2)


def published_reputation(exact: float, judged: Mapping[str, float]) -> tuple[float | None, float]:
    """Return the mean of others' judgements (None: there is none) and the value that all see.

    ``judged``: by who judged, from 0 to 10.
    """
    if not judged:
        return None, 10 * exact
    model = sum(judged.values()) / len(judged)
    return model, (10 * exact + model) / 2
