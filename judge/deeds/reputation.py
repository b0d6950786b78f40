"""Reputation: how reliable an agent is, judged by its deeds and never by what it says."""

from __future__ import annotations

from collections.abc import Mapping

from voxpolis.judge.deeds.account import Deeds
from voxpolis.judge.deeds.promises import Agreements
from voxpolis.judge.law.penalties import Penalties

# Maximum number of deeds of each kind that are listed; the latest deeds are listed.
MOST_TOLD = 10


def deeds_in_words(
    name: str, agreements: Agreements, penalties: Penalties, deeds: Deeds
) -> tuple[str, ...]:
    """Return what is recorded about an agent, one sentence per entry.

    The entries are the agent's promises with their results, its breaches of the law, and its
    actions.
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
    counts = {text: deeds.count(kind, name) for kind, text in deeds.account.deed_texts.items()}
    return (*told, *(text.format(count) for text, count in counts.items()))


def exact_reputation(kept: int, broken: int) -> float:
    """Estimate the share of promises that an agent keeps (Laplace's rule of succession)."""
    return (kept + 1) / (kept + broken + 2)


def published_reputation(exact: float, judged: Mapping[str, float]) -> tuple[float | None, float]:
    """Return the mean of the other agents' judgements, and the reputation that is published.

    The mean is None if there are no judgements. ``judged`` maps each agent that judged to its
    judgement, from 0 to 10. ``exact`` estimates the share of promises that the agent keeps,
    from 0 to 1; the published reputation is from 0 to 10.
    """
    if not judged:
        return None, 10 * exact
    model = sum(judged.values()) / len(judged)
    return model, (10 * exact + model) / 2
