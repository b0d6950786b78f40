"""Oracle readers of turns: generative agents and their modules of cooperation, by prompts alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tests.saying import Said, drawn, last


def _takes_a_turn(prompt: str) -> Said:
    """Go for the first apple that is listed, else clean a river, else explore."""
    can = re.findall(r"(?m)^- ((?:immobilize|go to|clean|explore|stay)[^:\n]*)$", prompt)
    seen = re.findall(r"(?m)^- There is an apple at \[(\d+), (\d+)\]", prompt)
    wanted = [f"go to position ({row}, {column})" for row, column in seen]
    wanted += [one for one in can if one.startswith("clean")]
    explored = [one for one in can if one.startswith("explore")]
    action = next((one for one in wanted if one in can), explored[drawn(prompt, len(explored))])
    fields = dict.fromkeys(("Opportunities", "Threats", "Options", "Consequences"), "None.")
    return Said("object", {**fields, "Final analysis": "I am hungry.", "Answer": action})


def _three(name: str) -> Said:
    one = {"Reasoning": "It matters.", name: "Apples grow near others."}
    return Said("object", {f"{name}_{number}": one for number in (1, 2, 3)})


def _is_by_a_river(prompt: str) -> bool:
    """Whether forms of claims are about a river."""
    return "river is N % dirty" in prompt


def _act(prompt: str) -> str:
    """What is said of acts where rounds are counted, with a gap for who and how much; empty."""
    found = re.findall(r"(?m)^- NAME (\w+) at least NUMBER (.+) \(or: at most\)", prompt)
    return f"{{}} {found[0][0]} at least {{}} {found[0][1]}" if found else ""


def _state(prompt: str) -> str:
    if _act(prompt):
        return f"last round: {_act(prompt).format('everyone together', 1)}"
    return "river is 40 % dirty or more" if _is_by_a_river(prompt) else "tree 1 has apples"


def _finds_rules(prompt: str) -> Said:
    test = "place with 0 apples within 2 -> grass gone"
    if _is_by_a_river(prompt):
        test = "river with 40 % dirty or more -> no apple grows within 9 hours"
    if _act(prompt):
        test = _act(prompt).format("everyone together", 1)
    one = {"text": "Lonely grass dies.", "kind": "world", "test": test}
    me = last(r"(?m)^You are (\w+)\.", prompt)
    free = {"text": f"{me} is in a hurry.", "kind": me, "test": "free"}
    return Said("object", {"Hypotheses": [one, free]})


def _predicts(prompt: str) -> Said:
    return Said("object", {"Predictions": [{"test": _state(prompt), "probability": 0.9}]})


def _checks(prompt: str) -> Said:
    count = int(last(r'"Verdicts" has\n(\d+) items', prompt))
    return Said("object", {"Reasoning": "I saw too little.", "Verdicts": ["unknown"] * count})


def _speaks(prompt: str) -> Said:
    """Promises peace in even rounds, asks about tree 1, or the river, in odd ones."""
    me, number = last(r"(?m)^You are (\w+)\.", prompt), int(last(r"it is round (\d+)", prompt))
    to = last(r"hear you: (\w+)", prompt)
    if number % 2:
        fields = {"Act": "ASK", "To": to, "Message": "Is it so?", "Test": _state(prompt)}
    else:
        terms = f"{me} does not attack {to} until round {number + 1}"
        if _act(prompt):
            terms = f"{_act(prompt).format(me, 1)} until round {number + 1}"
        fields = {"Act": "OFFER", "To": to, "Message": "Peace?", "Terms": terms}
    return Said("object", {"Reasoning": "It may help.", **fields, "Claims": []})


def _claims_of(prompt: str) -> list[str]:
    return re.findall(r"(?m)^\d+\. ", prompt.partition("It claims:\n")[2])


def _replies(prompt: str) -> Said:
    trust = [0.5] * len(_claims_of(prompt))
    claim = {"text": "It is.", "test": _state(prompt)}
    return Said(
        "object", {"Reasoning": "Why not?", "Trust": trust, "Answer": "No.", "Claims": [claim]}
    )


def _takes_offers(prompt: str) -> Said:
    trust = [0.5] * len(_claims_of(prompt))
    return Said("object", {"Reasoning": "Why not?", "Trust": trust, "Answer": "ACCEPT"})


def _weighs(prompt: str) -> Said:
    return Said("object", {"Reasoning": "Perhaps.", "Trust": [0.6] * len(_claims_of(prompt))})


def _rates(prompt: str) -> Said:
    names = re.findall(r"(?m)^(\w+):$", prompt.partition("# What the record says")[2])
    return Said("object", {**dict.fromkeys(names, 6), "Why": "They did little."})


def _proposes(prompt: str) -> Said:
    number = last(r"that can be set: (\w+) from", prompt)
    return Said("parts", [("It costs more.", f"{number} = 5")])


def _votes_in_an_assembly(prompt: str) -> Said:
    return Said("choices", ["yes"] * int(last(r"each of the (\d+) amendments", prompt)))


#: By words that only that prompt has.
TURNS: Mapping[str, Callable[[str], Said]] = {
    "Say whether you should make a new plan": lambda _p: Said(
        "object", {"Reasoning": "All is well.", "Answer": False}
    ),
    "Decide what you want to achieve": lambda _p: Said(
        "object", {"Reasoning": "I am hungry.", "Goals": "Apples", "Plan": "I take what is near."}
    ),
    "Ask yourself the three": lambda _p: _three("Question"),
    "Draw three insights": lambda _p: _three("Insight"),
    "Choose what you do next": _takes_a_turn,
    "Say what rules of the world": _finds_rules,
    "If you do as you plan": _predicts,
    "Does what you have seen bear out": _checks,
    "You can say one thing now": _speaks,
    "Answer once.": _replies,
    "Accept the agreement or refuse it": _takes_offers,
    "How far do you believe each claim?": _weighs,
    "How far can each of them be relied on": _rates,
    "You may propose one amendment": _proposes,
    "All vote on changes of the constitution": _votes_in_an_assembly,
}
