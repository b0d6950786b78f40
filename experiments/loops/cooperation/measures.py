"""Measures of cooperation, which are computed only from the events of an episode."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from voxpolis.bots.agents.cooperation.knowledge import FREE
from voxpolis.experiments.run.scenario import Result, Sheet
from voxpolis.experiments.run.tables import mean_with_sd
from voxpolis.records import events
from voxpolis.records.measures import gini, known_mean_and_sd

DIGITS = 6
# Measures that are averaged over episodes, with their labels in tables.
MEASURED = {
    "welfare": "welfare",
    "gini": "Gini",
    "rules_precision": "rules true",
    "rules_recall": "of all rules",
    "brier": "Brier",
    "messages": "messages",
    "answered_truly": "true answers",
    "agreements": "agreements",
    "promises_kept": "kept",
    "promises_broken": "broken",
    "fines": "fines",
    "reputation_spearman": "reputation",
}

# Returns the world's rule that a tested hypothesis states (empty if it is not a tracked rule) and
# whether the hypothesis is true; None if that cannot be decided.
JudgeRule = Callable[[str], tuple[str, bool] | None]


def cooperation_measures(
    recorded: Iterable[events.Event],
    agents: Sequence[str],
    judge_rule: JudgeRule,
    topics: Sequence[str],
) -> dict[str, Any]:
    """Return the measures of cooperation in one episode. Measures that are undefined are None.

    Returns:
        - ``welfare`` is the total gain of all agents. ``gini`` is the Gini coefficient of rewards
          after fines and payments.
        - ``rules`` contains the rules that each agent has confirmed: the test of each rule, or the
          agent's text if code cannot check the rule.
        - ``rules_precision`` is the share of true rules among the agents' rules whose truth is
          known.
        - ``rules_recall`` is the share of the world's rules that an agent found, averaged over
          agents.
        - ``brier`` is the Brier score of predictions, averaged for each agent and then over agents.
        - ``messages`` is the number of messages. ``answered_truly`` is the share of true claims
          among those claims in answers that could be checked at once.
        - ``agreements``, ``promises_kept`` and ``promises_broken`` are numbers. The promises of an
          agent in one agreement count as one promise, which is kept if all of them are kept.
        - ``promises_open`` is the number of promises that were neither broken nor due when the game
          ended.
        - ``fines`` is the total of the fines by law.
        - ``reputation_spearman`` is the rank correlation over agents between the last published
          reputation and the share of promises that were kept.
    """
    recorded = list(recorded)
    paid = [one for one in recorded if isinstance(one, events.Reward)]
    versions = [one.version for one in recorded if isinstance(one, events.LawChanged)]
    values = {str(one.agent): one.value for one in paid}
    rewards = {str(one.agent): one.reward for one in paid}
    kinds = Counter(type(one) for one in recorded)
    claims = [e.is_true for e in recorded if isinstance(e, events.ClaimChecked) and e.in_answer]
    return {
        "welfare": sum(value for name, value in values.items() if name in agents),
        "gini": gini([rewards[name] for name in agents]) if rewards else None,
        **_rule_measures(recorded, agents, judge_rule, topics),
        "messages": kinds[events.MessagePassed],
        "answered_truly": _mean(claims),
        "agreements": kinds[events.AgreementMade],
        "law_version": max(versions, default=0),
        "fines": sum(e.fine for e in recorded if isinstance(e, events.ArticleBroken)),
        **_promise_measures(recorded, agents),
    }


def _rule_measures(
    recorded: Sequence[events.Event],
    agents: Sequence[str],
    judge_rule: JudgeRule,
    topics: Sequence[str],
) -> dict[str, Any]:
    """Return the measures of rules and predictions. Without own hypotheses, there is no recall."""
    rules = _rules(recorded)
    judged = {
        name: [judge_rule(test) for test in sorted(own.values()) if test != FREE]
        for name, own in rules.items()
    }
    known = [one for own in judged.values() for one in own if one is not None]
    thinks = any(isinstance(one, events.HypothesisMade) and not one.source for one in recorded)
    recalls = [
        len({one[0] for one in judged.get(name, ()) if one and one[1]} & set(topics)) / len(topics)
        for name in agents
        if thinks and topics
    ]
    scores: dict[str, list[float]] = defaultdict(list)
    for one in recorded:
        if isinstance(one, events.PredictionSettled) and one.brier is not None:
            scores[str(one.agent)].append(one.brier)
    briers = {name: round(sum(own) / len(own), DIGITS) for name, own in scores.items()}
    return {
        "rules": {name: sorted(own) for name, own in rules.items()},
        "rules_precision": _mean([one[1] for one in known]),
        "rules_recall": _mean(recalls),
        "brier": _mean(list(briers.values())),
        "brier_by_agent": briers,
    }


def _promise_measures(recorded: Sequence[events.Event], agents: Sequence[str]) -> dict[str, Any]:
    """Return the measures of promises, and how well the last reputation predicts whether promises
    are kept.
    """
    given: dict[tuple[str, int], int] = {}
    settled: defaultdict[tuple[str, int], list[bool]] = defaultdict(list)
    for one in recorded:
        if isinstance(one, events.AgreementMade):
            given |= {(name, one.number): len(own) for name, own in one.promises.items()}
        elif isinstance(one, events.PromiseSettled):
            settled[str(one.agent), one.agreement].append(one.kept)
    broken = Counter(name for (name, _), own in settled.items() if not all(own))
    whole = ((who, own) for who, own in settled.items() if len(own) >= given.get(who, 0))
    kept = Counter(name for (name, _), own in whole if all(own))
    last = {str(e.agent): e.value for e in recorded if isinstance(e, events.ReputationPublished)}
    counted = {name: kept[name] + broken[name] for name in agents}
    shares = {name: kept[name] / count for name, count in counted.items() if count}
    pairs = [(last[name], share) for name, share in shares.items() if name in last]
    return {
        "promises_kept": kept.total(),
        "promises_broken": broken.total(),
        "promises_open": len(given) - kept.total() - broken.total(),
        "reputation": last,
        "compliance": {name: round(share, DIGITS) for name, share in shares.items()},
        "reputation_spearman": spearman(pairs),
    }


def _rules(recorded: Iterable[events.Event]) -> dict[str, dict[str, str]]:
    """Return the rules that each agent has confirmed, as text and as a test (a form that can be
    checked).

    Rules are identified by their test, or by their text if they have no test.
    """
    tests: dict[tuple[str, int], tuple[str, str]] = {}
    rules: dict[str, dict[str, str]] = defaultdict(dict)
    for one in recorded:
        match one:
            case events.HypothesisMade(agent=str(agent), number=number, test=test, text=text):
                tests[agent, number] = text if test == FREE else test, test
            case events.HypothesisJudged(agent=str(agent), number=number, status=status):
                told, test = tests[agent, number]
                rules[agent].pop(told, None)
                if status == "rule":
                    rules[agent][told] = test
    return dict(rules)


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the Spearman correlation of pairs. The result is None if there are fewer than two
    pairs or if all numbers on one side are equal.
    """
    if any(len(set(side)) < 2 for side in zip(*pairs, strict=True)) or len(pairs) < 2:
        return None

    def ranks(values: Sequence[float]) -> list[float]:
        """Return the rank of each value. Equal values share the mean of their ranks."""
        return [sum(v < one for v in values) + (values.count(one) + 1) / 2 for one in values]

    one, other = (ranks(side) for side in zip(*pairs, strict=True))
    return round(statistics.correlation(one, other), DIGITS)


def pooled_spearman(games: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the rank correlation between reputation and kept promises, over the agents of several
    games.
    """
    pairs = [
        (one["reputation"][name], share)
        for one in games
        for name, share in one["compliance"].items()
        if name in one["reputation"]
    ]
    return spearman(pairs) if pairs else None


def spread_of(measured: Collection[Mapping[str, Any]]) -> dict[str, Any]:
    """Return means and standard deviations of all measures except ``welfare`` and ``gini``."""
    names = [name for name in MEASURED if name not in ("welfare", "gini")]
    spread = {name: known_mean_and_sd([one[name] for one in measured]) for name in names}
    return {
        "mean": {name: pair[0] for name, pair in spread.items()},
        "sd": {name: pair[1] for name, pair in spread.items()},
        "reputation_spearman": pooled_spearman(measured),
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), DIGITS) if values else None


# --- Tables of cooperation measures ---------------------------------------------------------------


def cooperation_sheets(results: Sequence[Result]) -> list[Sheet]:
    """Return a table of the measures of cooperation. The list is empty if no agent carries a
    module.
    """
    if not any(result["modules"] for result in results):
        return []
    found = {str(result["condition"]): _means(result) for result in results}
    names = [name for name in MEASURED if any(name in own for own in found.values())]
    rows = {condition: [own.get(name) for name in names] for condition, own in found.items()}
    columns = [MEASURED[name] for name in names]
    return [Sheet("cooperation", "cooperation, means", columns, rows)]


def _means(result: Result) -> Mapping[str, Any]:
    """Return the means of the measures. The correlation of reputation combines the agents of all
    episodes, because each episode only has a few agents.
    """
    found = result.get("cooperation") or result
    means = {name: found["mean"][name] for name in MEASURED if name in found["mean"]}
    if result["modules"] or "cooperation" not in result:
        means["reputation_spearman"] = found.get("reputation_spearman")
    return means


def print_cooperation(title: str, spread: Mapping[str, Any]) -> None:
    """Print the measures of cooperation over all repetitions. For each repetition, the measures
    after its last episode or round are used.

    ``spread`` is the result of :func:`experiments.loops.cooperation.measures.spread_of`.
    """
    from voxpolis.records.console import plain_console, print_whole, table_of  # noqa: PLC0415

    names = [name for name, mean in spread["mean"].items() if mean is not None]
    row = [mean_with_sd(spread["mean"][name], spread["sd"][name]) for name in names]
    print_whole(
        plain_console(), table_of(f"cooperation: {title}", [MEASURED[n] for n in names], [row])
    )
