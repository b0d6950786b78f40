"""Answers of lists of objects in the styles of chat models: each says the same as plain JSON."""

from __future__ import annotations

import json

import pytest
import yaml

from bots.agents.generative.prompts import read_three
from bots.structured import settled
from tests.cooperation_readers import COOPERATING

CLAIMS = [
    {"text": "Tree 3 lives", "test": "tree 3 has apples"},
    {"text": "I am honest", "test": "free"},
]
HYPOTHESES = [
    {"text": "Bo is greedy", "kind": "Bo", "test": "Bo takes last apple"},
    {"text": "Grass dies", "kind": "world", "test": "place with 0 apples within 2 -> grass gone"},
    {"text": "People are kind", "kind": "world", "test": "free"},
]
#: By role: what somebody answers.
SAID = {
    "induce": {"Hypotheses": HYPOTHESES},
    "predict": {
        "Predictions": [
            {"test": "tree 4 has apples", "probability": 0.9},
            {"test": "Bo takes last apple", "probability": 0.3},
        ]
    },
    "check": {"Reasoning": "I looked.", "Verdicts": ["true", "unknown"]},
    "speak": {
        "Reasoning": "I must know.",
        "Act": "ASK",
        "To": "Bo",
        "Message": "Is there anything on tree 3?",
        "Test": "tree 3 has apples",
        "Claims": CLAIMS,
    },
    "reply": {"Reasoning": "Hm.", "Trust": [0.5, 0.7], "Answer": "Yes.", "Claims": CLAIMS},
    "reply to offer": {
        "Reasoning": "Hm.",
        "Trust": [0.5, 0.7],
        "Answer": "ACCEPT",
        "Claims": CLAIMS[:1],
    },
    "weigh": {"Reasoning": "Hm.", "Trust": [0.5, 0.7]},
    "rate": {"Bo": 6, "Cy": 3, "Why": "They keep their word."},
    "three": {
        f"Question_{n}": {"Reasoning": "It matters.", "Question": f"Where are {n} apples?"}
        for n in (1, 2, 3)
    },
}


def words(value):
    return value if isinstance(value, str) else json.dumps(value)


def behind(form):
    """Each value as JSON behind its field's name."""
    return lambda said: "\n".join(form.format(key, words(one)) for key, one in said.items())


def is_objects(value):
    return isinstance(value, list) and value and isinstance(value[0], dict)


def listed(field, mark, label, within="   "):
    """Lists in lines: a mark before an item's first label, and others below it."""

    def dress(said):
        lines = []
        for key, value in said.items():
            if isinstance(value, dict):
                lines += [field.format(key, "")]
                lines += [within + label.format(name, words(one)) for name, one in value.items()]
            elif is_objects(value):
                lines += [field.format(key, "")]
                for number, item in enumerate(value, 1):
                    begins = [mark.format(number), *[within] * len(item)]
                    lines += [
                        before + label.format(name.capitalize(), words(one))
                        for before, (name, one) in zip(begins, item.items(), strict=False)
                    ]
            elif isinstance(value, list):
                lines += [field.format(key, "")]
                lines += [mark.format(number) + words(one) for number, one in enumerate(value, 1)]
            else:
                lines += [field.format(key, words(value))]
        return "\n".join(lines)

    return dress


def in_a_line(between, form="{}"):
    """Each item of a list in one line."""

    def one_line(item):
        told = (f"{name.capitalize()}: {words(one)}" for name, one in item.items())
        return form.format(between.join(told))

    def dress(said):
        lines = []
        for key, value in said.items():
            if is_objects(value):
                lines += [f"**{key}:**"]
                lines += [f"{number}. {one_line(item)}" for number, item in enumerate(value, 1)]
            else:
                text = one_line(value) if isinstance(value, dict) else words(value)
                lines += [f"**{key}:** {text}"]
        return "\n".join(lines)

    return dress


def in_tables(said):
    lines = []
    for key, value in said.items():
        if is_objects(value):
            head = [*value[0]]
            lines += [f"### {key}", f"| # | {' | '.join(map(str.capitalize, head))} |"]
            lines += ["|---" * (len(head) + 1) + "|"]
            for number, item in enumerate(value, 1):
                lines += [f"| {number} | {' | '.join(words(item[name]) for name in head)} |"]
        elif isinstance(value, dict):
            lines += [f"### {key}", *(f"**{name}:** {one}" for name, one in value.items())]
        else:
            lines += [f"**{key}:** {words(value)}"]
    return "\n".join(lines)


def under_headings(said):
    lines = []
    for key, value in said.items():
        lines += [f"## {key.replace('_', ' ')}"]
        one = key.removesuffix("s").replace("Hypothese", "Hypothesis")
        if is_objects(value):
            for number, item in enumerate(value, 1):
                lines += [f"### {one} {number}"]
                lines += [f"- **{name}**: {words(inner)}" for name, inner in item.items()]
        elif isinstance(value, dict):
            lines += [f"- **{name}**: {inner}" for name, inner in value.items()]
        else:
            lines += [words(value)]
    return "\n".join(lines)


STYLES = {
    "a fence": lambda said: f"Sure!\n```json\n{json.dumps(said, indent=2)}\n```\nHope this helps!",
    "Python": repr,
    "a comma too many": lambda said: json.dumps(said)[:-1] + ",}",
    "remarks": lambda said: json.dumps(said, indent=2).replace(",\n", ", // my view\n", 1),
    "a box": lambda said: json.dumps({"response": said}),
    "JSON behind bold": behind("**{}:** {}"),
    "JSON behind bullets": behind("- {}: {}"),
    "JSON behind headings": behind("### {}\n{}\n"),
    "JSON in fences": behind("**{}**\n```json\n{}\n```\n"),
    "JSON in a table": lambda said: "| field | value |\n|---|---|\n" + behind("| {} | {} |")(said),
    "JSON behind numbers": lambda said: "\n".join(
        f"{number}. **{key}**: {words(one)}" for number, (key, one) in enumerate(said.items(), 1)
    ),
    "numbered": listed("**{}:** {}", "{}. ", "**{}:** {}"),
    "bold numbers": listed("### {}\n{}", "**{}.** ", "*{}*: {}"),
    "nested bullets": listed("- **{}:** {}", "  - ", "{}: {}", "    "),
    "flat bullets": listed("**{}**: {}", "- ", "{}: {}", "- "),
    "flat lines": listed("{}: {}", "", "{}: {}", ""),
    "quotation marks": listed("**{}:** {}", "{}. ", '**{}:** "{}"'),
    "code": listed("**{}:** {}", "- ", "**{}:** `{}`", "  "),
    "YAML": lambda said: yaml.safe_dump(said, sort_keys=False, width=1000),
    "tables": in_tables,
    "headings": under_headings,
    "semicolons": in_a_line("; "),
    "brackets": in_a_line(", ", "({})"),
    "bars": in_a_line(" | "),
    "dashes": in_a_line(" — "),
}
READERS = {**COOPERATING, "three": lambda answer: read_three(answer, "question")}


@pytest.mark.parametrize("style", STYLES)
def test_lists_of_objects_are_read_in_any_style(style):
    dress = STYLES[style]
    for role, said in SAID.items():
        read = settled(READERS[role])
        assert read(dress(said)) == read(json.dumps(said)), f"{role}:\n{dress(said)}"
