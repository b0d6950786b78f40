"""Lists of objects in every order of their labels and every layout: read right, or asked for again.

Order carries no meaning: what stands above another label is never taken for the next item's.
"""

from __future__ import annotations

import contextlib
import itertools
import json

import pytest
import yaml

from bots.agents.generative.prompts import read_three
from bots.structured import AnswerError, UnconfirmedError, said_before
from tests.cooperation_readers import COOPERATING

#: By role: the name of its list, its items, and what models call their fields.
LISTS = {
    "induce": (
        "Hypotheses",
        [
            {"text": "it", "kind": "world", "test": "place with 0 apples within 2 -> grass gone"},
            {"text": "greedy", "kind": "Bo", "test": "Bo takes last apple"},
            {"text": "nice", "kind": "Cy", "test": "free"},
            {"text": "dead", "kind": "world", "test": "tree 3 has no apple"},
        ],
        {"text": ("Text", "Hypothesis"), "kind": ("Kind", "About"), "test": ("Test", "Form")},
    ),
    "speak": (
        "Claims",
        [
            {"text": "four lives", "test": "tree 4 has apples"},
            {"text": "honest", "test": "free"},
            {"text": "five is dead", "test": "tree 5 has no apple"},
        ],
        {"text": ("Text", "Claim"), "test": ("Test", "Form")},
    ),
    "predict": (
        "Predictions",
        [
            {"test": "tree 4 has apples", "probability": "0.9"},
            {"test": "tree 5 has apples", "probability": "0.2"},
            {"test": "Bo takes last apple", "probability": "0.4"},
        ],
        {"test": ("Test", "Prediction", "Form"), "probability": ("Probability", "Chance")},
    ),
    "check": (
        "Verdicts",
        [{"hypothesis": "1", "verdict": "true"}, {"hypothesis": "2", "verdict": "false"}],
        {"hypothesis": ("Hypothesis", "Number"), "verdict": ("Verdict", "Status")},
    ),
    "weigh": (
        "Trust",
        [{"claim": "1", "trust": "0.9"}, {"claim": "2", "trust": "0.1"}],
        {"claim": ("Claim", "Number"), "trust": ("Trust", "Belief")},
    ),
    "three": (
        "Questions",
        [{"reasoning": f"because {n}", "question": f"Where are {n} apples?"} for n in (5, 6, 7)],
        {"reasoning": ("Reasoning",), "question": ("Question",)},
    ),
}  # fmt: skip
LISTS["reply"] = LISTS["speak"]
#: What else a role's answer says.
BESIDE = {
    "reply": {"Reasoning": "Hm.", "Trust": [0.5, 0.7], "Answer": "Yes."},
    "speak": {"Act": "ASK", "To": "Bo", "Message": "Is it so?", "Test": "tree 3 has apples"},
}
READERS = {**COOPERATING, "three": lambda answer: read_three(answer, "question")}


def table(name, items):
    heads = [*dict.fromkeys(label for item in items for label in item)]
    rows = (" | ".join(item.get(head, "") for head in heads) for item in items)
    return "\n".join([f"**{name}:**", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|",
                      *(f"| {row} |" for row in rows)])  # fmt: skip


def lines(title, first, more, label="{}: {}", between="\n"):
    """A layout in lines: what stands before an item's first label, and before the others."""

    def dress(name, items):
        blocks = []
        for number, item in enumerate(items, 1):
            marks = itertools.chain([first.format(number)], itertools.repeat(more))
            told = (f"{mark}{label.format(*one)}" for mark, one in zip(marks, item.items()))  # noqa: B905
            blocks.append("\n".join(told))
        return title.format(name) + between.join(blocks)

    return dress


def in_lines(form):
    return lambda name, items: (
        f"**{name}:**\n"
        + "\n".join(
            f"{number}. " + form.join(f"{label}: {said}" for label, said in item.items())
            for number, item in enumerate(items, 1)
        )
    )


#: By name: returns an answer's list of items, each of which has its labels in some order.
LAYOUTS = {
    "table": table,
    "bullets": lines("**{}:**\n", "- ", "  "),
    "numbers": lines("**{}:**\n", "{}. ", "   ", "**{}:** {}"),
    "flat bullets": lines("**{}:**\n", "- ", "- "),
    "nested bullets": lines("- **{}:**\n", "  - ", "    - "),
    "blocks": lines("**{}:**\n\n", "", "", "**{}:** {}", "\n\n"),
    "headings": lines("## {}\n", "### {}\n- ", "- ", "**{}**: {}"),
    "semicolons": in_lines("; "),
    "bars": in_lines(" | "),
    "JSON behind a name": lambda name, items: f"**{name}:**\n```json\n{json.dumps(items)}\n```",
    "YAML": lambda name, items: yaml.safe_dump({name: items}, sort_keys=False, width=1000),
}
#: The same for a list that stands alone, where nothing else is asked for.
ALONE = {
    "bare table": lambda name, items: table(name, items).partition("\n")[2],
    "bare bullets": lines("", "- ", "  "),
    "bare blocks": lines("", "", "", "{}: {}", "\n\n"),
    "an object for each": lambda name, items: "\n".join(map(json.dumps, items)),
}
#: The same as JSON: what is told.
IN_JSON = {
    "JSON": lambda items: items,
    "numbered objects": lambda items: {str(number): one for number, one in enumerate(items, 1)},
    "a box": lambda items: {"items": items},
}


def said(role, items):
    """Yield answers of a role in all layouts."""
    name, beside = LISTS[role][0], BESIDE.get(role, {})
    before = "".join(f"**{key}:** {one}\n" for key, one in beside.items())
    yield from (before + dress(name, items) for dress in LAYOUTS.values())
    yield from (dress(name, items) for dress in ALONE.values() if not beside)
    yield from (json.dumps({**beside, name: dress(items)}) for dress in IN_JSON.values())
    yield json.dumps({"response": {**beside, name: items}})


#: So many orders with so many labels are tried of a role: the dearest reads an answer in 50 ms.
MOST_ORDERS = 14


def orders(role, items, most=MOST_ORDERS):
    """Return items with their labels in orders, of all that there are at equal distances."""
    called = LISTS[role][2]
    found = [
        [{names[key]: one[key] for key in order if key in one} for one in items]
        for order in itertools.permutations(called)
        for labels in itertools.product(*(called[one] for one in order))
        for names in [dict(zip(order, labels, strict=True))]
    ]
    return found[:: -(-len(found) // most)]


def read(role, answer):
    """What is read of an answer that is given again where it is asked for; None: nothing."""
    with contextlib.suppress(AnswerError):
        try:
            return READERS[role](answer)
        except UnconfirmedError as asked:
            with said_before(asked.value):
                return READERS[role](answer)
    return None


def plainly(role, items):
    """Return what items are in plain JSON."""
    return read(role, json.dumps({**BESIDE.get(role, {}), LISTS[role][0]: items}))


@pytest.mark.parametrize("role", LISTS)
def test_no_order_of_labels_moves_what_they_say_to_another_item(role):
    items = LISTS[role][1]
    meant, tried, done = plainly(role, items), 0, 0
    assert meant is not None
    for told in orders(role, items):
        for answer in said(role, told):
            found = read(role, answer)
            assert found in (None, meant), f"{answer}\n{found}"
            tried, done = tried + 1, done + (found is not None)
    assert done > 0.85 * tried, "most are read"


@pytest.mark.parametrize("role", LISTS)
def test_nor_does_a_label_that_one_item_lacks(role):
    items = LISTS[role][1]
    for place, lacking in itertools.product(range(len(items)), items[0]):
        fewer = [{k: v for k, v in one.items() if (n, k) != (place, lacking)}
                 for n, one in enumerate(items)]  # fmt: skip
        meant = plainly(role, fewer)
        for told in orders(role, fewer, 3):
            for answer in said(role, told):
                found = read(role, answer)
                assert found in (None, meant), f"{answer}\n{found}"


@pytest.mark.parametrize("role", ["check", "weigh"])
def test_what_is_read_by_its_place_says_no_other_number(role):
    swapped = [*reversed(LISTS[role][1])]
    for told in orders(role, swapped):
        for answer in said(role, told):
            assert read(role, answer) is None, answer


@pytest.mark.parametrize("label", ["Test form", "Checkable", "Condition"])
def test_what_stands_under_a_label_that_is_not_known_makes_no_hypothesis_free(label):
    told = [{"Text": "dead", "Kind": "world", label: "tree 3 has no apple"}] * 2
    for answer in said("induce", told):
        assert read("induce", answer) is None, answer


def test_a_hypothesis_is_about_the_world_or_somebody_who_plays():
    one = {"text": "he is kind", "test": "free"}
    for kind, about in (("world", "world"), ("Agent Bo", "Bo"), ("Zed", None), ("grass", None)):
        found = plainly("induce", [{**one, "kind": kind}])
        assert found == (about and [["he is kind", about, "free"]]), kind
    assert plainly("induce", [{"test": "Bo takes last apple"}])[0][1] == "Bo"
