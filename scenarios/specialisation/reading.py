"""Lets a judge name the roles of a recorded village: ``python -m
scenarios.specialisation.reading``.

For every 30 s, a model reads each citizen's last five goals and names, in one word, the role that
these goals show. Then the model decides which of all these words are synonyms. Source of the
procedure: Altera.AL, "Project Sid" (2024), specialisation. If no model is used, the lexicon
answers.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from voxpolis.bots.models import ChatModel, ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.study.record_reading import Reading, ask, command
from voxpolis.front import run_app
from voxpolis.records import Record, events
from voxpolis.records.console import plain_console, print_whole, table_of
from voxpolis.scenarios.specialisation import measures


def scripted_reader(request: ChatRequest) -> Answer:
    """Answer with the lexicon in place of a model."""
    match request.about:
        case measures.RoleRequest(goals=goals):
            return measures.Role(role=measures.role_of(goals))
        case measures.SynonymsRequest():
            return measures.Synonyms(merges=())
    raise TypeError(f"the scripted reader cannot answer {request.role}")


async def judge_roles(model: ChatModel, record: Record) -> dict[str, Any]:
    """Let a judge name the roles that people's goals show, and compute the measures from these
    roles.

    Identical goals are only read once. If an answer cannot be used, the role is unknown. An unknown
    role does not count, and neither do the steps to and from an unknown role.

    Returns:
        ``asked`` is the number of sets of goals for which the judge was asked to name a role, and
        ``read`` is the number of sets for which it named one. ``agreement`` is the share of roles
        on which judge and lexicon agree. ``merged`` maps a word to the word that replaces it; if
        the model's answer about synonyms could not be used, ``merged`` is None, and synonyms remain
        different roles. ``episodes`` contains the ``condition``, ``entropy``, ``persistence`` and
        ``roles`` of each episode.
    """
    noted = record.of(events.RoleTaken)
    asked = list(dict.fromkeys(tuple(event.goals) for event in noted))
    words = await asyncio.gather(*(ask(model, measures.RoleRequest(goals)) for goals in asked))
    named = {goals: word for goals, word in zip(asked, words, strict=True) if word is not None}
    different = tuple(dict.fromkeys(named.values()))
    merged: Mapping[str, str] | None = {}
    if different:
        merged = await ask(model, measures.SynonymsRequest(different))
    final = {goals: (merged or {}).get(word, word) for goals, word in named.items()}
    read = [event for event in noted if tuple(event.goals) in final]
    same = [final[tuple(event.goals)] == event.role for event in read]
    return {
        "asked": len(asked),
        "read": len(named),
        "agreement": round(sum(same) / len(same), 4) if same else None,
        "merged": None if merged is None else {a: b for a, b in merged.items() if a != b},
        "episodes": _episodes(record, noted, final),
    }


def _episodes(
    record: Record, noted: Sequence[events.RoleTaken], final: Mapping[tuple[str, ...], str]
) -> list[dict[str, Any]]:
    of = {event.episode: event.condition for event in record.of(events.ConditionStarted)}
    over_time: dict[int, dict[str, list[str | None]]] = defaultdict(lambda: defaultdict(list))
    for event in noted:
        over_time[event.episode][str(event.agent)].append(final.get(tuple(event.goals)))
    found = []
    for episode, roles in over_time.items():
        last = [each[-1] for each in roles.values() if each[-1] is not None]
        # only steps between known roles count
        known = [list(part) for each in roles.values() for is_known, part in groupby(each, bool)
                 if is_known]  # fmt: skip
        found.append(
            {
                "condition": of.get(episode),
                "entropy": measures.entropy(last),
                "persistence": measures.persistence(known),
                "roles": dict(Counter(last).most_common()),
            }
        )
    return found


def _show(result: Mapping[str, Any]) -> None:
    is_lexicon = result["mind"] == "scripted"
    reader = "the lexicon, in place of a judge," if is_lexicon else f"a judge ({result['model']})"
    rows = []
    for one in result["episodes"]:
        numbers = (one["entropy"], one["persistence"])
        roles = ", ".join(f"{role} {count}" for role, count in one["roles"].items())
        told = ["-" if number is None else f"{number:.2f}" for number in numbers]
        rows.append([str(one["condition"]), *told, roles])
    console, columns = (
        plain_console(),
        ("condition", "entropy, bits", "persistence", "roles (people)"),
    )
    print_whole(console, table_of(f"roles as {reader} names them", columns, rows, "left"))
    read = f"{result['read']} of {result['asked']} sets of goals were read"
    if is_lexicon:
        console.print(read)
        return
    agreed = "-" if result["agreement"] is None else f"{result['agreement']:.0%}"
    console.print(f"{read}; judge and lexicon name the same role in {agreed}")
    if result["merged"] is None:
        console.print("the answer about synonyms was unreadable: entropy may be too high")


READING = Reading(
    "specialisation",
    "Let a judge name the roles of a recorded village.",
    scripted_reader,
    judge_roles,
    _show,
)

if __name__ == "__main__":
    run_app(command(READING))
