"""SNBT in servers' answers."""

from __future__ import annotations

import pytest

from voxpolis.bridge.snbt import parse_entity_data, parse_snbt


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[]", []),
        (
            '[{Slot: 0b, id: "minecraft:stone_pickaxe", tag: {Damage: 12}, Count: 1b}]',
            [{"Slot": 0, "id": "minecraft:stone_pickaxe", "tag": {"Damage": 12}, "Count": 1}],
        ),
        ("[0.5d, -150.25d, 3f, 1E-7d]", [0.5, -150.25, 3, 1e-7]),
        (r"""{'a b': "say \"hi\"", c: minecraft}""", {"a b": 'say "hi"', "c": "minecraft"}),
        ('{"text":"it\'s {not} a [list], is it"}', {"text": "it's {not} a [list], is it"}),
    ],
)
def test_snbt_values_are_parsed(text, value):
    assert parse_snbt(text) == value


@pytest.mark.parametrize("text", ["", "[", "{a}", "[1 2]", '"open'])
def test_invalid_snbt_is_refused(text):
    with pytest.raises(ValueError, match="SNBT"):
        parse_snbt(text)


NAMED = '[{id: "minecraft:dirt", tag: {Name: "Ben has the following entity data: [1b]"}}]'


@pytest.mark.parametrize("between", ["", "\n"])
def test_data_of_several_entities_is_split_by_name(between):
    told = [f"Ada has the following entity data: {NAMED}", "Ben has the following entity data: []"]
    found = parse_entity_data(between.join(told))
    assert {name: len(items) for name, items in found.items()} == {"Ada": 1, "Ben": 0}


@pytest.mark.parametrize(
    "text", ["No entity was found", "[Red] Ada has the following entity data: []", "Ada has"]
)
def test_answers_without_entity_data_are_refused(text):
    with pytest.raises(ValueError, match=r"data|SNBT"):
        parse_entity_data(text)
