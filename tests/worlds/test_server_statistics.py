"""The server's log: which agents took items out of a chest, and which put items in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpolis.worlds.minecraft.server_statistics import Entry, ServerStatistics, chest_moves


@pytest.mark.parametrize(
    ("left", "gained", "moves"),
    [
        (-2, {"Ann": 0, "Bob": -2}, [("Bob", "put", 2)]),
        (0, {"Ann": -1, "Bob": 1}, [("Ann", "put", 1), ("Bob", "took", 1)]),
        (3, {"Ann": 5, "Bob": 0}, [("Ann", "took", 3)]),  # two of the five items were dug by Ann
        (3, {"Ann": 0, "Bob": 0}, []),  # still in transit
    ],
)
def test_moves_are_credited_to_changed_inventories(left, gained, moves):
    found = chest_moves("iron", left, gained)
    assert [(move.agent, move.action, move.count) for move in found] == moves
    assert {move.item for move in found} <= {"iron"}


@given(left=st.integers(-9, 9), gained=st.dictionaries(st.sampled_from("ABC"), st.integers(-9, 9)))
def test_no_agent_is_credited_with_more_than_it_gained(left, gained):
    for move in chest_moves("iron", left, gained):
        assert 0 < move.count <= abs(gained[move.agent])
        assert (move.action == "took") == (gained[move.agent] > 0)


class Chest:
    """A world with a chest whose contents are supplied by the test; no block is counted."""

    def __init__(self, *looks: dict[str, int]) -> None:
        self.looks = list(looks)

    async def container(self, _place: object) -> dict[str, int]:
        return self.looks.pop(0)


async def test_items_in_transit_are_credited_when_they_arrive():
    ledger = ServerStatistics(Chest({"pick": 1}, {}, {}), ("Ann",), (), (0, 0, 0))
    await ledger.open({"Ann": {"stick": 2}})
    assert await ledger.read({"Ann": {"stick": 2}}) == []
    assert await ledger.read({"Ann": {"stick": 2, "pick": 1}}) == [Entry("Ann", "took", "pick", 1)]


async def test_lost_items_are_credited_to_no_agent():
    ledger = ServerStatistics(Chest({"pick": 1}, *[{}] * 9), ("Ann",), (), (0, 0, 0))
    await ledger.open({"Ann": {}})
    found = [await ledger.read({"Ann": {}}) for _ in range(8)]
    assert found == [[]] * 8
    assert await ledger.read({"Ann": {"pick": 1}}) == []


async def test_items_passed_between_two_readings_are_credited_to_both():
    """Inventories are read before the chest; meanwhile an agent may put or take items."""
    ledger = ServerStatistics(
        Chest({"pick": 1}, {}, {"pick": 1}, {}, {}), ("Ann", "Bob"), (), (0, 0, 0)
    )
    await ledger.open({"Ann": {}, "Bob": {}})
    assert await ledger.read({"Ann": {"pick": 1}, "Bob": {}}) == [Entry("Ann", "took", "pick", 1)]
    # Ann put the item after her inventory was read
    assert await ledger.read({"Ann": {"pick": 1}, "Bob": {}}) == []
    # Bob took the item after his inventory was read
    assert await ledger.read({"Ann": {}, "Bob": {}}) == []
    moves = await ledger.read({"Ann": {}, "Bob": {"pick": 1}})
    assert moves == [Entry("Ann", "put", "pick", 1), Entry("Bob", "took", "pick", 1)]
