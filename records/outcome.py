"""The outcome of a run, computed from its result: as a sentence, and as numbers with labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from voxpolis.records.measures import mean_and_ci95
from voxpolis.records.text import in_digits, many

Raw = Mapping[str, Any]
# What each scenario is about.
ABOUT: Mapping[str, str] = {
    "double_vein": "Two players share two veins of ore and one good pickaxe.",
    "cleanup": "Mushrooms grow only while somebody cleans the river instead of harvesting.",
    "harvest": "Two players pick mushrooms that grow back only beside other mushrooms.",
    "matrix": "Two players repeat a game with two choices each.",
    "public_goods": "Players give tokens to a common pot, and may punish each other.",
    "fishing": "Fishers share a lake that recovers only if enough fish are left.",
    "commons": "Players share apples or a river that all of them can use up.",
    "adasociety": "Agents with jobs form groups and bargain over what they make.",
    "crafting_tree": "An agent works its way from bare hands to the best tools.",
    "taxation": "A village pays taxes, and votes on its tax law after a campaign.",
    "religion": "Priests spread a religion by word of mouth, over towns and countryside.",
    "specialisation": "People find different roles in their village.",
    "items": "People make as many kinds of items as they can.",
    "sentiment": "People come to like or dislike each other.",
    "coherence": "People spread rumours, and do, or do not do, what they say.",
}
# Names of contracts that are not the name of a text.
CONTRACTS: Mapping[str, str] = {"none": "no contract", "negotiate": "negotiation"}
# Measures in the sentence, in this order, if the result has them, and their wording.
MEASURES: Mapping[str, str] = {
    "welfare": "welfare {}",
    "gini": "Gini {}",
    "normalised": "{:.0%} of the optimum",
    "fairness": "fairness {}",
}
# Further measures of a condition, which may be anywhere in a result, and their wording. ``{s}`` is
# the plural ending, and fractions are shown as percentages.
FIGURES: Mapping[str, str] = {
    "entropy": "entropy of roles {} bit{s}",
    "persistence": "persistence {}",
    "tax_share_before": "{:.1%} of the inventory paid before the time of enactment",
    "tax_share_after": "{:.1%} after it",
    "direct": "{} direct convert{s}",
    "indirect": "{} indirect one{s}",
    "items": "{} kind{s} of item each",
    "union": "{} among all",
    "lake": "a lake that is {:.0%} full at the end",
    "score": "score {}",
    "milestones": "{} milestone{s}",
    "trees_alive": "trees alive {}",
    "repeat": "{:.1%} of the people repeat a rumour",
    "statements.announced.kept": "{:.1%} of the announcements were followed",
}
# Names of measures for people, in the order of their importance. Each measure is a path into the
# result of a condition. Measures in :data:`SHARES` lie between 0 and 1.
NAMES: Mapping[str, str] = {
    "welfare": "welfare",
    "gini": "inequality (Gini)",
    "normalised": "share of the optimum",
    "fairness": "fairness",
    "tax_share_after": "tax paid after enactment",
    "tax_share_before": "tax paid before enactment",
    "direct": "direct converts",
    "indirect": "indirect converts",
    "milestones": "milestones",
    "items": "kinds of item each",
    "union": "kinds of item among all",
    "score": "score",
    "entropy": "entropy of roles, in bits",
    "persistence": "roles kept",
    "contribution": "given to the pot",
    "months_survived": "months the lake survived",
    "lake": "lake, at the end",
    "reward": "reward of all",
    "trees_alive": "trees alive",
    "cleaned": "cells cleaned",
    "repeat": "people who repeat the rumour",
    "statements.announced.kept": "announcements followed",
    "r": "correlation (r)",
    "slope": "slope",
}
SHARES = frozenset(
    (
        *("gini", "normalised", "fairness", "tax_share_after", "tax_share_before", "persistence"),
        *("contribution", "lake", "repeat", "statements.announced.kept"),
    )
)
# Measures that are shown as percentages.
PERCENTAGES = SHARES - {"gini", "fairness", "persistence"}
# Measures that count people, who are all agents without the priests, and the counts of these.
CONVERTS, COUNTED = ("direct", "indirect"), ("agents", "priests")
# What a tile shows for a condition without the measure.
UNKNOWN = "n/a"
# Maximum number of tiles.
MOST_TILES = 8
# Wording for a run without a result, by state.
NO_RESULT: Mapping[str, str] = {
    "live": "There is no result yet: the run is in progress.",
    "gone": "The run ended without a result: its process is gone.",
    "over": "The file with the result (result.json) is damaged, so there are no numbers. "
    "The rest of the record can still be seen.",
}
# Maximum number of episodes in a table.
MOST_EPISODES = 200
# Maximum number of conditions in a sentence.
MOST_CONDITIONS = 2
# From this number on, agents or conditions with the same value are counted instead of named.
MOST_TIED = 3
# Maximum number of agents with rewards in a sentence.
MOST_REWARDS = 4


def title_of(facts: Raw, condition: str) -> str:
    """Return the title of a run: its scenario and its condition."""
    scenario = in_words(facts.get("scenario") or "run")
    is_contract = facts.get("contract") and condition == facts["contract"]
    named = _contract(condition) if is_contract else condition
    game = _game(facts)
    scenario += "" if not game or game in in_words(condition) else f" ({game})"
    return f"{scenario[:1].upper()}{scenario[1:]}{', ' if condition else ''}{named}"


def _game(facts: Raw) -> str:
    return in_words(facts.get("game") or facts.get("variant") or "")


def _contract(name: str) -> str:
    """Name a contract. The name of a contract from a file is the file's path."""
    return CONTRACTS.get(name, f"contract {name.rpartition('/')[2]}")


def minds_in_words(facts: Raw, *, has_person: bool) -> str:
    """Say whether a language model, scripted minds or also a person played, in a replay or not."""
    mind = str(facts["mind"] or "scripted").partition(",")[0]
    parts = [(facts["model"] or "a language model") if facts["language_model"] else mind]
    if has_person:
        parts.append("and a person")
    elif not facts["language_model"]:
        parts.append("no language model")
    return ", ".join([*parts, "replayed"] if facts["replay"] else parts)


def outcome(facts: Raw, result: Raw | None, state: str = "") -> str:
    """Describe the outcome of a run in a sentence, computed from its result.

    For a run with several conditions, no mean is given, because it would mix the conditions.
    """
    if not result:
        return NO_RESULT.get(
            state, "There is no result: the run is in progress or was interrupted."
        )
    if "error" in result:
        return f"The run failed: {result['error']}"
    if "runs" not in result:
        means = ", ".join(_means(result, ()))
        return f"The result lists no episodes{'; means: ' if means else ''}{means}."
    played = _played(result)
    conditions = Counter(str(one["condition"]) for one in played if one.get("condition"))
    count, ended = _extent(result, len(played), state)
    is_named = _game(facts) and (facts.get("condition") or facts.get("contract"))
    game = f" ({_game(facts)})" if is_named else ""
    began = f"{count} of {in_words(facts.get('scenario') or 'a run')}{game}"
    if len(conditions) > 1:
        few = conditions if len(conditions) <= MOST_CONDITIONS else ()
        named = [_with_figures(result, played, name) for name in few]
        compared = "; ".join([_extremes(result, played, list(conditions)), *named])
        under = f"{began} under {len(conditions)} conditions{ended}"
        return f"{under}. {compared}.{_interventions(result)}"
    (name,) = conditions or ("",)
    condition = _contract(name) if facts.get("contract") else name
    under = f" under {condition}" if name else ""
    if facts.get("contract") and name == "none":
        under = " without a contract"
    agreed = []
    if facts.get("contract") and name == "negotiate":
        under = " with negotiation"
        contracts = [bool(one["contract"]) for one in played if "contract" in one]
        agreed = [f"they agreed in {sum(contracts)} of {len(contracts)}"] if contracts else []
    found = [*_means(result, played), *_figures(result, played, name), *_rewards_in_words(played)]
    told = "; ".join(filter(None, (*agreed, _with_words(result, played, name, found))))
    return f"{began}{under}{ended}{': ' if told else ''}{told}.{_interventions(result)}"


@dataclass(frozen=True)
class Tile:
    """A labelled number that summarises a result, for a page or a terminal.

    Attributes:
        name: the name of the measure, of an agent or of a condition.
        value: the number as text.
        note: what follows the number in small print, such as the optimum; for a condition also
            the 95 % confidence interval, if it is known, and the number of episodes.
        measure: the measure by which tiles compare conditions; empty for other tiles.
        share: the number as a share of the largest possible or largest shown number, or None.
    """

    name: str
    value: str
    note: str = ""
    share: float | None = None
    measure: str = ""


# Width of a bar in the terminal, in characters.
BAR = 10


def glance(result: Raw) -> list[str]:
    """Return the numbers of a result as lines for a terminal, with bars for shares."""
    numbers = tiles(result)
    lines = [f"{numbers[0].measure}:"] if numbers and numbers[0].measure else []
    for tile in numbers:
        full = "" if tile.share is None else "█" * round(BAR * tile.share)
        bar = " " * BAR if tile.share is None else full.ljust(BAR, "░")
        lines.append(f"{bar} {tile.name}: {tile.value} {tile.note}".rstrip())
    return lines


def tiles(result: Raw | None) -> list[Tile]:
    """Return the numbers that summarise a result.

    If the run has several conditions, there is a tile for each condition, with the most important
    measure that they share.
    """
    if not result or "error" in result:
        return []
    played = _played(result)
    conditions = list(dict.fromkeys(str(one["condition"]) for one in played if "condition" in one))
    if len(conditions) > 1:
        return _tiles_of_conditions(result, played, conditions)
    (name,) = conditions or ("",)
    numbers = {path: _measured(result, played, name, path) for path in NAMES}
    if numbers["welfare"] is not None:
        del numbers["reward"]  # which is welfare per agent in these games
    found = [
        replace(tile, note=tile.note or _whose(played, path))
        for path, value in numbers.items()
        if value is not None
        for tile in [_tile(path, value, _whole(result, played, name, path))]
    ]
    rewards = _rewards(played)
    highest = max((abs(reward) for reward in rewards.values()), default=0.0)
    for agent, reward in rewards.items() if len(rewards) <= MOST_REWARDS else ():
        share = max(0.0, reward / highest) if highest else None
        found.append(Tile(f"{in_words(agent)} gets", in_digits(reward), share=share))
    return found[:MOST_TILES]


def episodes(result: Raw | None) -> list[list[str | None]]:
    """Return the numbers of each episode as a table, whose first row contains the names of the
    columns. The table is empty if the result has no such numbers.
    """
    played = _played(result or {})[:MOST_EPISODES]
    columns: dict[str, dict[int, str]] = {"condition": {}, "seed": {}}
    for number, one in enumerate(played):
        for name in ("condition", "seed"):
            if one.get(name) is not None:
                columns[name][number] = in_words(one[name])
        for path, name in NAMES.items():
            if path == "reward" and _is_number(one.get("welfare")):
                continue  # a mean of the agents in these games
            if _is_number(value := _at(one, path)):
                columns.setdefault(name, {})[number] = _number(path, value)
        rewards = _rewards([one])
        for agent in rewards if len(rewards) <= MOST_REWARDS else ():
            name = f"{in_words(agent)} gets"
            columns.setdefault(name, {})[number] = in_digits(rewards[agent])
    shown = {name: values for name, values in columns.items() if values}
    if not shown.keys() - {"condition", "seed"}:
        return []
    cells = ([values.get(k) for values in shown.values()] for k in range(len(played)))
    return [["episode", *shown], *([str(k), *row] for k, row in enumerate(cells, start=1))]


def _played(result: Raw) -> list[Raw]:
    """Return the entries of a result, one per episode. Damaged entries are left out."""
    entries = result.get("runs")
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def _tiles_of_conditions(
    result: Raw, played: Sequence[Raw], conditions: Sequence[str]
) -> list[Tile]:
    compared = _compared(result, played, conditions)
    if compared is None:
        return []
    path, numbers = compared
    highest = 1.0 if path in SHARES else max(numbers.values())
    made = []
    for name, value in numbers.items():
        share = min(1.0, max(0.0, value / highest)) if highest > 0 else None
        largest = _tile(path, value, _whole(result, played, name, path)).note
        whose = _whose([one for one in played if one.get("condition") == name], path)
        note = " ".join(filter(None, (largest, whose, _sample(result, played, name, path))))
        made.append(Tile(in_words(name), _number(path, value), note, share, NAMES[path]))
    unknown = (name for name in conditions if name not in numbers)
    made += [Tile(in_words(name), UNKNOWN, measure=NAMES[path]) for name in unknown]
    return made[:MOST_TILES]


def _compared(
    result: Raw, played: Sequence[Raw], conditions: Sequence[str]
) -> tuple[str, dict[str, float]] | None:
    """Return a measure and its value in each condition: the most important of the measures that
    most conditions have.
    """
    known: dict[str, dict[str, float]] = {}
    for path in NAMES:
        values = {name: _measured(result, played, name, path) for name in conditions}
        known[path] = {name: value for name, value in values.items() if value is not None}
    best = max(known.items(), key=lambda one: len(one[1]))  # the first of equally common ones
    return best if len(best[1]) > 1 else None


def _measured(result: Raw, played: Sequence[Raw], condition: str, path: str) -> float | None:
    """Return a measure of a condition: from its summary if possible, else the episodes' mean."""
    value = _at(_summary(result, condition), path)
    value = value.get("mean") if isinstance(value, dict) else value
    own = [one for one in played if str(one.get("condition", "")) == condition]
    values = [value] if _is_number(value) else [_at(one, path) for one in own]
    numbers = [one for one in values if _is_number(one)]
    return sum(numbers) / len(numbers) if numbers and len(numbers) == len(values) else None


def _sample(result: Raw, played: Sequence[Raw], condition: str, path: str) -> str:
    """Describe how certain a measure of a condition is: by half the width of its 95 % confidence
    interval, if this is known, and by the number of episodes.
    """
    summary = _summary(result, condition)
    own = [_at(one, path) for one in played if str(one.get("condition", "")) == condition]
    known, count = _at(summary, path), _at(summary, "runs")
    if not isinstance(known, dict):
        known = mean_and_ci95(one for one in own if _is_number(one))
    half = known.get("ci95")
    interval = f"95 % interval ± {_number(path, half)}, " if _is_number(half) else ""
    return f"({interval}n = {in_digits(count) if _is_number(count) else len(own)})"


def _whole(
    result: Raw, played: Sequence[Raw], condition: str, path: str
) -> tuple[float, str] | None:
    """Return the largest possible value of a measure, and what it counts; None if unknown."""
    if path == "welfare":
        optimum = result.get("welfare_optimum")
        return (optimum, "") if _is_number(optimum) and optimum > 0 else None
    if path not in CONVERTS:
        return None
    agents, priests = (_measured(result, played, condition, name) for name in COUNTED)
    if agents is None or priests is None or agents <= priests:
        return None
    return agents - priests, " people"


def _tile(path: str, value: float, whole: tuple[float, str] | None) -> Tile:
    if whole is not None:
        share = min(1.0, max(0.0, value / whole[0]))
        return Tile(NAMES[path], in_digits(value), f"of {in_digits(whole[0])}{whole[1]}", share)
    of_all = min(1.0, max(0.0, value)) if path in SHARES else None
    return Tile(NAMES[path], _number(path, value), share=of_all)


def _number(path: str, value: float) -> str:
    return f"{value:.1%}" if path in PERCENTAGES else in_digits(value)


def _extremes(result: Raw, played: Sequence[Raw], conditions: Sequence[str]) -> str:
    """Name the conditions with the highest and lowest value of the first measure they share."""
    compared = _compared(result, played, conditions)
    if compared is None:
        return f"Conditions: {', '.join(conditions)}"
    path, values = compared
    measure = f"{NAMES[path][:1].upper()}{NAMES[path][1:]}"
    high, low = (_number(path, choose(values.values())) for choose in (max, min))
    if high == low:
        return f"{measure}: {high} under each"
    top, bottom = (
        [name for name, value in values.items() if _number(path, value) == end]
        for end in (high, low)
    )
    told = (
        f"{_listed(list(map(in_words, names)), 'conditions')}, {end}"
        + (f" {_sample(result, played, names[0], path)}" if len(names) == 1 else "")
        for names, end in ((top, high), (bottom, low))
    )
    return f"{measure}: highest under {next(told)}; lowest under {next(told)}"


def _interventions(result: Raw) -> str:
    count = result.get("interventions")
    if not isinstance(count, int) or count < 1:
        return ""
    return f" Its record has {many(count, 'intervention')} from outside."


def _extent(result: Raw, played: int, state: str) -> tuple[str, str]:
    if not result.get("unfinished"):
        return many(played, "episode"), ""
    cause = "interrupted" if result.get("interrupted") else "then its process was gone"
    ended = f" ended; {cause}" if cause == "interrupted" or state == "gone" else " ended so far"
    cases, done = result.get("cases"), result.get("cases_done")
    if not isinstance(cases, int):  # results of an older version lack the list
        return many(played, "episode"), ended
    if played == done:
        return f"{played} of {many(cases, 'episode')}", ended
    return f"{many(played, 'episode')}, {done} of {many(cases, 'run')},", ended


def _with_figures(result: Raw, played: Sequence[Raw], condition: str) -> str:
    own = [one for one in played if one.get("condition") == condition]
    told = _with_words(result, own, condition, _figures(result, own, condition))
    return f"{condition}{' ' if told else ''}{told}"


def _with_words(result: Raw, played: Sequence[Raw], condition: str, summary: Sequence[str]) -> str:
    of = "on average " if summary and len(played) > 1 else ""
    words = _at(_summary(result, condition), "in_words")
    told = f"{of}{', '.join(summary)}", words if isinstance(words, str) else ""
    return "; ".join(filter(None, told))


def _means(result: Raw, played: Sequence[Raw]) -> list[str]:
    mean = result.get("mean")
    known = mean if isinstance(mean, dict) else {}
    found = [(words, known.get(name), name) for name, words in MEASURES.items()]
    return [
        f"{_format_measure(words, value)} {_whose(played, name)}".rstrip()
        for words, value, name in found
        if _is_number(value)
    ]


def _whose(played: Sequence[Raw], path: str) -> str:
    """Say that bots, which players of commons can meet, do not count in a measure of all."""
    has_bots = any(_is_number(one.get("bots_reward")) for one in played)
    return "without bots" if has_bots and path in MEASURES else ""


def _figures(result: Raw, played: Sequence[Raw], condition: str) -> list[str]:
    found = []
    for path, words in FIGURES.items():
        value = _measured(result, played, condition, path)
        if value is not None:
            whole = _whole(result, played, condition, path) if path == CONVERTS[0] else None
            of = f" of {in_digits(whole[0])}{whole[1]}" if whole else ""
            found.append(_format_measure(words, value) + of)
    return found


def _summary(result: Raw, condition: str) -> object:
    conditions = result.get("conditions")
    return conditions.get(condition) if isinstance(conditions, dict) else result.get("mean")


def _format_measure(words: str, value: float) -> str:
    if "{}" not in words:
        return words.format(value)
    shown = in_digits(value)
    return words.format(shown, s="" if shown == "1" else "s")


def _at(data: object, path: str) -> Any:
    """Return the value at a path such as ``a.b`` within nested mappings, or None."""
    for name in path.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rewards(played: Sequence[Raw]) -> dict[str, float]:
    """Return the mean reward of each agent."""
    rewards: dict[str, list[float]] = {}
    for one in played:
        agents = one.get("agents")
        for agent, own in agents.items() if isinstance(agents, dict) else ():
            account = own if isinstance(own, dict) else {}
            # in commons, each apple is a reward of 1
            if _is_number(reward := account.get("reward", account.get("apples"))):
                rewards.setdefault(str(agent), []).append(float(reward))
    return {agent: sum(own) / len(own) for agent, own in rewards.items()}


def _rewards_in_words(played: Sequence[Raw]) -> list[str]:
    """Say how much each agent gets, the highest reward first; of many agents, name the extremes."""
    rewards = sorted(_rewards(played).items(), key=lambda one: -one[1])
    told = [f"{in_words(agent)} gets {in_digits(reward)}" for agent, reward in rewards]
    if len({in_digits(reward) for _, reward in rewards}) == 1 < len(rewards):
        return [f"each agent gets {in_digits(rewards[0][1])}"]
    if len(told) <= MOST_REWARDS:
        return told
    highest, lowest = (in_digits(rewards[end][1]) for end in (0, -1))
    most, least = (
        [in_words(agent) for agent, reward in rewards if in_digits(reward) == end]
        for end in (highest, lowest)
    )
    verb = "gets" if len(most) == 1 else "get"
    return [
        f"{_listed(most, 'agents')} {verb} the most ({highest})",
        f"{_listed(least, 'agents')} the least ({lowest})",
    ]


def _listed(names: Sequence[str], what: str) -> str:
    return " and ".join(names) if len(names) < MOST_TIED else f"{len(names)} {what}"


def in_words(name: object) -> str:
    """Return a name without underscores."""
    return str(name).replace("_", " ")
