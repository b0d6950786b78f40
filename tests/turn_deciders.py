"""The oracle of turns: generative agents and their modules of cooperation, by prompts alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.saying import drawn, last

Json = dict[str, Any]


def _takes_a_turn(prompt: str) -> Json:
    """Go for the first apple that is listed, else clean a river, else explore."""
    listed = prompt.partition("What you can do:\n")[2]
    can = {text: int(number) for number, text in re.findall(r"(?m)^(\d+)\. (.+)$", listed)}
    seen = re.findall(r"(?m)^- There is an apple at \[(\d+), (\d+)\]", prompt)
    wanted = [f"go to position ({row}, {column})" for row, column in seen]
    wanted += [one for one in can if one.startswith("clean")]
    explored = [one for one in can if one.startswith("explore")]
    action = next((one for one in wanted if one in can), None)
    return {"number": can[action or explored[drawn(prompt, len(explored))]]}


def _is_by_a_river(prompt: str) -> bool:
    """Whether forms of claims are about a river."""
    return "river is N % dirty" in prompt


def _act(prompt: str) -> tuple[str, ...]:
    """Return the name and the form of promise of an act, where rounds are counted; empty: none."""
    name = last(r"\(or: at most\), act (\w+)", prompt)
    return (name, f"{name}_at_least") if name else ()


def _amount(prompt: str, least: int = 1) -> Json:
    act = _act(prompt)[0]
    return {"who": "everyone together", "act": act, "at_least": True, "number": least}


def _state(prompt: str) -> Json:
    if _act(prompt):
        return {"form": "last_round", "amount": _amount(prompt)}
    if _is_by_a_river(prompt):
        return {"form": "river", "dirt": {"percent": 40, "or_more": True}}
    return {"form": "tree", "tree": 1, "is_alive": True}


def _finds_rules(prompt: str) -> Json:
    test: Json = {"form": "grass", "near": NEAR, "stays": False}
    if _is_by_a_river(prompt):
        dirt = {"percent": 40, "or_more": True}
        test = {"form": "river_growth", "dirt": dirt, "grows": False, "hours": 9}
    if _act(prompt):
        test = {"form": "each_round", "amount": _amount(prompt)}
    me = last(r"(?m)^You are (\w+)\.", prompt)
    found = [
        {"statement": "Lonely grass dies.", "about": "world", "test": test},
        {"statement": f"{me} is in a hurry.", "about": me, "test": None},
    ]
    return {"hypotheses": found}


NEAR = {"apples": 0, "or_more": False, "radius": 2}


def _checks(prompt: str) -> Json:
    supposed = prompt.partition("# What you suppose\n")[2]
    return {"verdicts": ["unknown"] * len(re.findall(r"(?m)^\d+\. ", supposed))}


def _speaks(prompt: str) -> Json:
    """Promises peace in even rounds, asks about tree 1, or the river, in odd ones."""
    me, number = last(r"(?m)^You are (\w+)\.", prompt), int(last(r"It is round (\d+)", prompt))
    to = last(r"# Who hears you\n(\w+)", prompt)
    if number % 2:
        act = {"do": "ASK", "to": to, "message": "Is it so?", "test": _state(prompt)}
    else:
        term: Json = {"form": "peace", "by": me, "other": to, "until": number + 1}
        if _act(prompt):
            term = {"form": _act(prompt)[1], "by": me, "number": 1, "until": number + 1}
        act = {"do": "OFFER", "to": to, "message": "Peace?", "terms": [term], "words": None}
    return {"act": act, "claims": []}


def _trust(prompt: str, percent: int = 50) -> list[int]:
    return [percent] * len(re.findall(r"(?m)^\d+\. ", prompt.partition("It claims:\n")[2]))


def _replies(prompt: str) -> Json:
    claim = {"statement": "It is.", "test": _state(prompt)}
    return {"trust": _trust(prompt), "message": "No.", "claims": [claim]}


def _rates(prompt: str) -> Json:
    names = re.findall(r"(?m)^(\w+):$", prompt.partition("# What the record says")[2])
    return {"scores": [{"name": name, "score": 6} for name in names]}


def _proposes(prompt: str) -> Json:
    number = last(r"(?s)# Numbers that can be set\n(\w+) from", prompt)
    sets = [{"parameter": number, "value": 5}]
    return {"amendment": {"words": "It costs more.", "sets": sets}}


def _votes_in_an_assembly(prompt: str) -> Json:
    numbers = re.findall(r"(?m)^Amendment (\d+):$", prompt)
    return {"votes": [{"amendment": int(number), "vote": "yes"} for number in numbers]}


#: By words that only that prompt has.
TURNS: Mapping[str, Callable[[str], Json]] = {
    "Say whether you should make a new plan": lambda _p: {
        "new_plan": False,
        "reason": "All is well.",
    },
    "Decide what you want to achieve": lambda _p: {
        "goals": "Apples",
        "plan": "I take what is near.",
    },
    "Ask yourself the three": lambda _p: {"questions": ["Where do apples grow?"] * 3},
    "Draw three insights": lambda _p: {"insights": ["Apples grow near others."] * 3},
    "Choose what you do next": _takes_a_turn,
    "Say what rules of the world": _finds_rules,
    "Predict what others will do": lambda p: {"predictions": [{"test": _state(p), "percent": 90}]},
    "Say of each thing that you suppose": _checks,
    "You can say one thing to one": _speaks,
    "Answer once to what is said": _replies,
    "Accept the agreement that is offered": lambda p: {
        "trust": _trust(p),
        "accept": True,
        "claims": [],
    },
    "Say how far you believe what another": lambda p: {"trust": _trust(p, 60)},
    "Say how far each of the others": _rates,
    "you may propose one amendment": _proposes,
    "All vote on changes of the constitution": _votes_in_an_assembly,
}
