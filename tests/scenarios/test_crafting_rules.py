"""The crafting tree's game as data, and lives in a curriculum."""

from __future__ import annotations

import pytest
import yaml
from pydantic import ValidationError

from tests.crafting import synthesis
from voxpolis.grid.adasociety.game import DATA, Rules, read_rules
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.scenarios.crafting_tree.placement import (
    CELL_BLOCKS,
    CORNER,
    GROUND_Y,
    PILE_BLOCKS,
    STATION_BLOCKS,
    place,
)

# --- The game as data ----------------------------------------------------------------------------


def test_the_shipped_rules_are_adasocietys():
    rules = read_rules()
    assert (len(rules.resources), len(rules.events)) == (15, 9)
    assert rules.score("miner", {"hammer": 2}) == 20
    assert rules.score("hard_miner", {"coal": 1, "torch": 1, "iron": 1}) == pytest.approx(60)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("events", "HammerCraft", "inputs", "wool"), 1, "no resource 'wool'"),
        (("games", "crafting_tree", "map"), [2, 2], "do not fit on 4 free cells"),
        (("games", "crafting_tree", "events", "Baking"), 1, "no event 'Baking'"),
    ],
)
def test_rules_that_make_no_game_are_refused(path, value, says):
    data = yaml.safe_load((DATA / "adasociety.yaml").read_text())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValidationError, match=says):
        Rules.model_validate(data)


def test_a_placement_follows_from_the_seed_and_nothing_overlaps():
    game, jobs = read_rules().games["crafting_tree"], {"Ada": "carpenter", "Bo": "miner"}
    one, same, other = (place(game, ["Ada", "Bo"], jobs, seed) for seed in (3, 3, 4))
    assert one == same
    assert one.piles != other.piles
    places = [*one.piles, *one.stations, one.chest, *one.starts.values()]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("seed", range(2))
def test_both_worlds_have_one_map(seed):
    jobs = {"Ada": "miner", "Bo": "carpenter", "Cleo": "miner"}
    scenario = synthesis(agents=3, jobs=jobs)
    arena, played = scenario.layout(seed), scenario.grid_game(seed)
    table = VectorGame(played.rules, played.game, 1)
    table.reset(seed=seed)
    world, channel = table.world(), table.tables.channel

    def blocks(layer):
        cells = zip(*layer.nonzero(), strict=True)
        return {
            (CORNER[0] + CELL_BLOCKS * int(x), GROUND_Y, CORNER[1] + CELL_BLOCKS * int(z))
            for x, z in cells
        }

    for name, block in PILE_BLOCKS.items():
        assert blocks(table.units(name)) == set(arena.blocks[block])
        units = {int(n) for n in table.units(name).flat if n}
        assert units == {played.rules.games["crafting_tree"].piles[name][1]}
    for number, event in enumerate(table.names.events):
        layer = world[..., channel.first_event + number]
        assert blocks(layer) == set(arena.blocks[STATION_BLOCKS[event]])
    assert blocks(table.grounds() == 2) == {arena.chest}
    for number, agent in enumerate(played.agents):
        x, z = (int(part) for part in table.state.position[0, number])
        (start_x, _, start_z) = arena.starts[agent]
        assert (start_x, start_z) == (CORNER[0] + 2 * x + 0.5, CORNER[1] + 2 * z + 0.5)
        assert table.names.jobs[int(table.tables.job[number])] == jobs[agent]
