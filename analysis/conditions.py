"""Decides which runs belong to the same condition. No other module of the analysis does so.

A run's condition depends on everything in its ``run.yaml`` that can influence the outcome:
settings, options that influence the game, the kinds of agents, language models with their
parameters, the text of a contract, and interventions. Options that concern execution, recording and
payment do not count. A new option counts unless it is listed in :data:`ASIDE`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voxpolis.records.text import one_line

# Options that do not affect the game, or that ``run.yaml`` records elsewhere: settings in
# ``config``, kinds in ``agents``, models in ``models``.
ASIDE = frozenset(
    (
        *("condition", "world", "runs", "seed", "settings", "config", "agent", "mind"),
        *("model", "models", "base_url", "request_timeout", "concurrency", "budget", "prices"),
        *("speed", "server", "hosts", "engine", "address", "answer_within"),
        *("replay", "resume", "show_prompts", "estimate", "json_output", "out", "debug", "yes"),
    )
)
# Model settings that concern the location of the endpoint, which may change when a run is resumed.
WHERE_ASKED = frozenset(("base_url", "key", "headers"))
# If there are no more agents than this, all are named with their kinds. Otherwise, only agents of
# less frequent kinds are named.
MOST_AGENTS = 4
# Maximum length of a value in the name of a condition, in characters.
LONGEST_VALUE = 40

# Key of a value: its source (settings, options or models), and its full name in that source.
Name = tuple[str, str]
# Marks interventions in a run.
DONE: Name = ("record", "interventions")


@dataclass(frozen=True)
class Played:
    """The parts of a run's condition besides the scenario, world, mind and name of the
    condition.

    Attributes:
        agents: the kinds of agents, in words.
        values: a dictionary from the name of each setting, option or model to its value, in words.
            A value that is not set is an empty string.
        text: the text of the contract.
    """

    agents: str = ""
    values: Mapping[Name, str] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class Case:
    """The facts that decide whether two runs have the same condition. ``name`` is the name of the
    run's contract, condition or game.
    """

    name: str
    scenario: str | None
    world: str | None
    mind: str | None
    played: Played


def condition_of(facts: Mapping[Any, Any]) -> str | None:
    """Return the name under which a run is shown: its contract, or its game and condition.

    In older records of a commons, and in games with a single condition, this is just the name of
    the game. Other settings in which runs differ are in the entry ``settings`` of a
    run's facts.
    """
    game, more = facts["game"], facts.get("settings") or ""
    told = (facts["contract"],), (game, facts["condition"])  # a game may name the condition too
    found = (", ".join(dict.fromkeys(filter(_is_text, names))) for names in told)
    others = [one for one in more.split(", ") if one != f"game={game}"]
    return ", ".join(filter(None, (next(filter(None, found), None), *others))) or None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def condition_of_manifest(manifest: Mapping[str, Any], interventions: int = 0) -> Played:
    """Read the condition of a run from its manifest (``run.yaml``).

    ``interventions`` is the number of interventions that influenced the game.
    """
    contract, server = manifest.get("contract"), manifest.get("server")
    options = dict(_flat(_mapping(manifest.get("options")), left_out=ASIDE))
    people = _mapping(manifest.get("options")).get("human")
    if isinstance(people, list):  # a person who plays an agent is listed as its kind
        options["human"] = _in_words([one for one in people if ":" in str(one)])
    parts = {"config": dict(_flat(_mapping(manifest.get("config")))), "options": options}
    if manifest.get("language_model"):
        models = {"default": {}, "roles": {}, "agents": {}, **_mapping(manifest.get("models"))}
        told = _flat(models, left_out=WHERE_ASKED)
        parts["models"] = {name.removeprefix("default."): value for name, value in told}
    if isinstance(server, dict) and server.get("kind"):
        parts["server"] = {"server": one_line(str(server["kind"]))}
    parts[DONE[0]] = {DONE[1]: str(interventions or "")}
    return Played(
        _kinds(_mapping(manifest.get("agents"))),
        {(part, name): value for part, own in parts.items() for name, value in own.items()},
        str(contract.get("text") or "") if isinstance(contract, dict) else "",
    )


def differences(cases: Sequence[Case]) -> list[str]:
    """Return for each run the values in which it differs from other runs of its scenario and
    world.
    """
    agents, values = _differing_agents(cases), _differing_values(cases)
    return [", ".join(filter(None, told)) for told in zip(agents, values, strict=True)]


def names_of(cases: Sequence[Case]) -> list[str]:
    """Return the names of the runs' conditions. Runs with the same name have the same condition.

    A name contains the interventions, and those values that differ between some of the runs.
    """
    agents, values = _differing_agents(cases), _differing_values(cases)
    has_scenarios = len({one.scenario for one in cases}) > 1
    has_worlds = len({one.world for one in cases}) > 1
    has_minds = len({one.mind for one in cases}) > 1
    minds: dict[tuple[Any, ...], set[str | None]] = {}
    for one, kinds in zip(cases, agents, strict=True):
        minds.setdefault((one.scenario, one.world, kinds), set()).add(one.mind)
    names = []
    for one, kinds, told in zip(cases, agents, values, strict=True):
        scenario = one.scenario or "unknown"
        is_prefixed = has_scenarios and one.name != scenario
        is_told_by_kind = bool(kinds) and len(minds[one.scenario, one.world, kinds]) == 1
        parts = (
            f"{scenario}: {one.name}" if is_prefixed else one.name,
            (one.world or "unknown") if has_worlds else "",
            (one.mind or "unknown") if has_minds and not is_told_by_kind else "",
            kinds,
            told,
        )
        names.append(", ".join(filter(None, parts)))
    return _numbered(names, [one.played.text for one in cases])


def _numbered(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Add a number to each name that several contract texts share, for example because the file of
    a contract was changed.
    """
    found: dict[str, list[str]] = {}
    for name, text in zip(names, texts, strict=True):
        known = found.setdefault(name, [])
        if text not in known:
            known.append(text)
    return [
        name if len(found[name]) == 1 else f"{name} (text {found[name].index(text) + 1})"
        for name, text in zip(names, texts, strict=True)
    ]


def _groups(cases: Sequence[Case]) -> Iterator[list[int]]:
    found: dict[tuple[str | None, str | None], list[int]] = {}
    for number, one in enumerate(cases):
        found.setdefault((one.scenario, one.world), []).append(number)
    yield from found.values()


def _differing_agents(cases: Sequence[Case]) -> list[str]:
    found = [""] * len(cases)
    for group in _groups(cases):
        if len({cases[number].played.agents for number in group} - {""}) > 1:
            for number in group:
                found[number] = cases[number].played.agents
    return found


def _differing_values(cases: Sequence[Case]) -> list[str]:
    """Return for each run the values that differ between runs, in the form ``greed=2``.

    A missing value is a difference, unless the option did not exist yet when the run was made.
    Interventions are listed even if there is only one run.
    """
    found = [""] * len(cases)
    for group in _groups(cases):
        known: dict[Name, dict[str, None]] = {}
        for number in group:
            for name, value in cases[number].played.values.items():
                known.setdefault(name, {}).setdefault(value)
        tops = {number: set(map(_group_of, cases[number].played.values)) for number in group}
        for name, values in known.items():
            top = _group_of(name)
            if any(top in tops[n] and name not in cases[n].played.values for n in group):
                values.setdefault("")
        several = sorted(
            (name for name, values in known.items() if len(values) > 1 or name == DONE),
            key=lambda name: (name[1], name[0]),
        )
        for number in group:
            own = cases[number].played.values
            told = ((name, own[name]) for name in several if own.get(name))
            found[number] = ", ".join(
                f"{name[1]}={_short(value, list(known[name]))}" for name, value in told
            )
    return found


def _group_of(name: Name) -> Name:
    """Return the group of the setting, option or model with this name. A setting and all of its
    parts form one group, and so do all models.
    """
    part, path = name
    return part, "" if part == "models" else path.partition(".")[0]


def _short(value: str, values: Sequence[str]) -> str:
    if len(value) <= LONGEST_VALUE:
        return value
    return f"{value[: LONGEST_VALUE // 2]}… ({values.index(value) + 1})"


def _kinds(agents: Mapping[str, Any]) -> str:
    kinds = {name: one_line(str(kind)) for name, kind in agents.items()}
    if len(set(kinds.values())) <= 1:
        return next(iter(kinds.values()), "")
    if len(kinds) <= MOST_AGENTS:
        return ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    ((most, _),) = Counter(kinds.values()).most_common(1)
    others = ", ".join(f"{name} {kind}" for name, kind in kinds.items() if kind != most)
    return f"{most}, but {others}"


def _mapping(value: object) -> Mapping[str, Any]:
    found = value if isinstance(value, dict) else {}
    return {str(name): one for name, one in found.items()}


def _flat(
    values: Mapping[Any, Any], prefix: str = "", *, left_out: frozenset[str] = frozenset()
) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if name in left_out:
            continue
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.", left_out=left_out)
        else:
            yield f"{prefix}{name}", _in_words(value)


def _in_words(value: object) -> str:
    """Return a value as it would be typed on a command line, or an empty string if it is not
    set.
    """
    if value is None or value in ({}, []):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, list):
        return ", ".join(map(_in_words, value))
    return one_line(str(value))
