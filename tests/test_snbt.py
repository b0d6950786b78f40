"""SNBT, as servers answer it."""

from __future__ import annotations

import pytest

from bridge.snbt import parse_snbt


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[]", []),
        ("{}", {}),
        (
            '[{Slot: 0b, id: "minecraft:stone_pickaxe", tag: {Damage: 12}, Count: 1b}]',
            [{"Slot": 0, "id": "minecraft:stone_pickaxe", "tag": {"Damage": 12}, "Count": 1}],
        ),
        ("[0.5d, -150.25d, 3f, 1E-7d]", [0.5, -150.25, 3, 1e-7]),
        ("[I; 1, -2, 3]", [1, -2, 3]),
        (r"""{'a b': "say \"hi\"", c: minecraft}""", {"a b": 'say "hi"', "c": "minecraft"}),
        ('{"text":"it\'s {not} a [list], is it"}', {"text": "it's {not} a [list], is it"}),
    ],
)
def test_values(text, value):
    assert parse_snbt(text) == value


@pytest.mark.parametrize("text", ["", "[", "{a}", "{a:1", "[1 2]", "1 2", "]", '"open', "{:1}"])
def test_what_is_not_snbt(text):
    with pytest.raises(ValueError, match="SNBT"):
        parse_snbt(text)
