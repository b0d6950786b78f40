"""The record of a world matches the actual world after any kind of change."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from voxpolis.records import RunWriter, SimulatedClock, events
from voxpolis.scenarios.cleanup import SLIME, SLIME_PLACES, Cleanup
from voxpolis.scenarios.mushrooms import CAP
from voxpolis.worlds.grid import GridArena
from voxpolis.worlds.minecraft.standing_blocks import StandingBlocks
from voxpolis.worlds.protocol import Episode

LAYOUT = Cleanup().layout(0)
RIVER, OTHER = SLIME_PLACES[:2]


async def test_growth_on_the_grid_is_recorded(tmp_path):
    scenario, clock = Cleanup(slime_chance=0.3), SimulatedClock()
    with RunWriter(tmp_path, {}, clock) as writer:
        arena = GridArena(writer, clock, LAYOUT, scenario.agent_names, scenario.steps_per_s)
        await arena.build(LAYOUT, 0)
        lives = {
            "Gizmo": arena.body("Gizmo").act(f"GATHER 9 {CAP}"),
            "Glitch": arena.body("Glitch").act(f"GATHER 40 {SLIME}"),
        }
        slime = []

        def watch(account):
            """Compare the record with the kernel's cells before each further step."""
            recorded = counted(arena.seen)
            for block in (SLIME, CAP):
                there = arena.game.units(arena._resource(block))
                assert recorded[block] == int(there.sum())
            slime.append(recorded[SLIME])
            return account.passed_s >= 25

        await arena.run(Episode(lives, scenario.dynamics(0), watch, 60))
    assert {now > before for before, now in pairwise(slime) if now != before} == {True, False}


def counted(seen):
    """Return the units in the record by block."""
    (built,) = [event for event in seen if isinstance(event, events.WorldBuilt)]
    piles = Counter((b, int(x), int(z)) for b, places in built.blocks.items() for x, _, z in places)
    for event in seen:
        if isinstance(event, events.PilesChanged):
            for block, x, z, units in event.piles:
                piles[block, x, z] = units
    sums = Counter()
    for (block, _, _), units in piles.items():
        sums[block] += units
    return sums


def told(agent, *blocks):
    return events.BlocksChanged(t=1.0, episode=0, agent=agent, blocks=list(blocks))


@pytest.mark.parametrize(
    ("agent", "blocks", "news"),
    [
        ("Gizmo", [("air", *RIVER), (SLIME, *OTHER)], [("air", *RIVER)]),
        ("Gizmo", [(SLIME, *RIVER)], None),
        ("Glitch", [("air", *RIVER)], None),
        ("Gizmo", [("air", 0, 0, 0)], None),
    ],
    ids=["what is another block now", "what stood there", "a second teller", "no place of ours"],
)
def test_each_change_in_an_arena_is_reported_once(agent, blocks, news):
    standing = StandingBlocks(LAYOUT)
    event = standing.news(told(agent, *blocks))
    assert (event.blocks if event else None) == news
    assert standing.news(told(agent, *blocks)) is None


def test_all_bots_report_natural_terrain_up_to_a_limit():
    standing = StandingBlocks(most=3)
    assert standing.news(told("Ada", ("wheat[age=1]", 5, 64, 5))) is not None
    assert standing.news(told("Ben", ("wheat[age=1]", 5, 64, 5))) is None
    dug = events.BlockDug(t=1, episode=0, agent="Ben", block="wheat", position=(5, 64, 5))
    assert standing.news(dug) is dug
    assert standing.news(told("Ada", ("air", 5, 64, 5))) is None, "the dig says so"
    last = standing.news(told("Ben", *((f"wheat[age={n}]", 5, 64, 5) for n in range(9))))
    assert last is not None
    assert len(last.blocks) == 2
    assert standing.news(told("Ben", ("stone", 0, 0, 0))) is None


def test_liquid_that_two_agents_pour_is_credited_to_the_first():
    def poured(agent, block="water"):
        return events.BlockPlaced(t=1, episode=0, agent=agent, block=block, position=(1, 64, 1))

    standing = StandingBlocks()
    first = poured("Ada")
    assert standing.news(first) is first
    standing.news(told("Ada", ("water", 1, 64, 1)))
    assert standing.news(poured("Ben")) is None
    assert standing.news(poured("Ben", "lava")) is not None, "another fluid"
    standing.news(told("Ada", ("air", 1, 64, 1)))  # the liquid was scooped up again
    assert standing.news(poured("Ben", "lava")) is not None
    stone = poured("Ada", "stone")
    assert [standing.news(stone), standing.news(stone)] == [stone, stone], "what stands is no fluid"


def seen(agent, x, z, *above):
    flat = {"names": ["grass_block", "oak_log"], "heights": [63] * 256, "tops": [0] * 256}
    land = {**flat, "above": list(above), "x": x, "z": z}
    return events.LandSeen(t=1.0, episode=0, agent=agent, **land)


def bared(agent, *blocks):
    return events.BlocksBared(t=1.0, episode=0, agent=agent, blocks=list(blocks))


def test_each_chunk_of_natural_terrain_is_reported_once_up_to_a_limit():
    standing = StandingBlocks(most_land=1100)
    first = seen("Ada", 0, 0)
    assert standing.news(first) is first
    assert standing.news(seen("Ben", 0, 0)) is None
    for agent, is_news in (("Ada", True), ("Ben", False)):
        rest = seen(agent, 0, 0, (1, 0, 0, 64, 64)).model_copy(update={"heights": [], "tops": []})
        assert (standing.news(rest) is rest) == is_news
    assert standing.news(seen("Ben", 16, 0, *[(1, 0, 0, 64, 64)] * 20)) is None, "too large"
    assert standing.news(seen("Ben", 16, 0)) is not None
    assert standing.news(seen("Ben", 32, 0)) is None
    assert StandingBlocks(LAYOUT).news(first) is None, "an arena is known"


def test_exposed_blocks_are_reported_once_and_never_hide_changes():
    standing = StandingBlocks(most=4)
    assert standing.news(bared("Ada", ("iron_ore", 5, 10, 5), ("stone", 6, 10, 5))) is not None
    again = standing.news(bared("Ben", ("stone", 6, 10, 5), ("stone", 7, 10, 5)))
    assert again is not None
    assert again.blocks == [("stone", 7, 10, 5)]
    assert standing.news(told("Ben", ("air", 5, 10, 5))) is not None
    assert standing.news(bared("Ada", ("stone", 8, 10, 5))) is None, "the bound"
    assert StandingBlocks(LAYOUT).news(bared("Gizmo", ("stone", 1, 1, 1))) is None


def test_recorded_ground_of_an_arena_matches_its_commands():
    fills = (line.split() for line in LAYOUT.commands() if line.startswith("fill"))
    built = {(line[7], *map(int, line[1:7])) for line in fills}
    boxes = set(LAYOUT.boxes())
    assert boxes <= built
    assert {block for block, *_ in built - boxes} == {"air", "bedrock"}
