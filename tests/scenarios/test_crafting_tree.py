"""Rules of the synthesis tree outside the kernel, and their enforcement by the referee."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from pydantic import ValidationError

from tests.crafting import synthesis
from voxpolis.grid.adasociety import rules as tree
from voxpolis.grid.adasociety.game import DATA, Rules, read_rules
from voxpolis.grid.adasociety.tables import PRODUCE
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.records import events
from voxpolis.scenarios.crafting_tree.placement import (
    CELL_BLOCKS,
    CORNER,
    GROUND_Y,
    ITEMS,
    PILE_BLOCKS,
    STATION_BLOCKS,
    block,
    place,
)
from voxpolis.scenarios.crafting_tree.referee import RuleError, SynthesisReferee


def test_shipped_rules_match_adasociety():
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
def test_invalid_rules_are_refused(path, value, says):
    data = yaml.safe_load((DATA / "adasociety.yaml").read_text())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValidationError, match=says):
        Rules.model_validate(data)


def test_placement_follows_the_seed_without_overlaps():
    game, jobs = read_rules().games["crafting_tree"], {"Ada": "carpenter", "Bo": "miner"}
    one, same, other = (place(game, ["Ada", "Bo"], jobs, seed) for seed in (3, 3, 4))
    assert one == same
    assert one.piles != other.piles
    places = [*one.piles, *one.stations, one.chest, *one.starts.values()]
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("seed", range(2))
def test_grid_and_minecraft_use_the_same_map(seed):
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

    for name, pile in PILE_BLOCKS.items():
        assert blocks(table.units(name)) == set(arena.blocks[pile])
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


RULES = read_rules()
GAME = RULES.games["crafting_tree"]


def test_explorer_can_obtain_everything_and_others_what_capacities_allow():
    assert tree.reachable(RULES, GAME) == list(RULES.resources)
    assert tree.reachable(RULES, GAME, "explorer") == list(RULES.resources)
    assert tree.reachable(RULES, GAME, "miner") == []
    assert tree.reachable(RULES, GAME, "miner", ["hammer"]) == ["hammer", "coal"]
    assert tree.reachable(RULES, GAME, "hard_carpenter") == ["wood", "stone", "hammer"]


def test_inventory_functions_report_missing_and_surplus_items():
    inputs = {"wood": 1, "stone": 2}
    assert tree.lacking(inputs, {"stone": 1}) == {"wood": 1, "stone": 1}
    assert tree.lacking(inputs, {"wood": 5, "stone": 2}) == {}
    assert tree.runs_of(inputs, {"wood": 5, "stone": 5}) == 2
    assert tree.after(inputs, {"wood": 1, "stone": 5, "coal": 1}) == {
        "wood": 0, "stone": 3, "coal": 1
    }  # fmt: skip
    assert tree.has_room({}, "wood", {"wood": 99})
    assert not tree.has_room({"wood": 0}, "wood", {})
    assert tree.surplus({"hammer": 1, "coal": 0}, {"hammer": 3, "wood": 9}) == {"hammer": 2}
    assert tree.missing(("hammer", "torch"), {"torch": 1}) == ["hammer"]
    assert tree.has_any_tool((), {}) is tree.has_any_tool(("a", "b"), {"b"}) is True


@pytest.mark.parametrize("name", ["contract-hard", "exploration"])
def test_kernel_enforces_the_same_rules(name):
    """In each step the kernel lets agents pick and produce exactly what the functions say."""
    game = RULES.games[name]
    env = VectorGame(RULES, game, 1, action_masks=True)
    _, info = env.reset(seed=3)
    rng, names, picks, made = np.random.default_rng(3), env.names, 0, 0
    for _ in range(game.length - 1):
        masks, cells = info["action_mask"][0], env.world()
        for agent, job in enumerate(game.jobs):
            capacity = RULES.jobs[job].capacity
            counts = zip(names.resources, env.state.inventory[0, agent].tolist(), strict=True)
            held = {resource: units for resource, units in counts if units}
            here = cells[tuple(env.state.position[0, agent])]
            for number, resource in enumerate(names.resources):
                lies = here[env.tables.channel.first_resource + number] > 0
                may = tree.can_collect(RULES.resources[resource], held)
                expected = lies and may and tree.has_room(capacity, resource, held)
                assert masks[agent, env.tables.actions.pick + number] == (
                    expected and env.state.step[0] >= game.stage_steps
                )
                picks += bool(expected)
            event = next(
                (e for n, e in enumerate(names.events) if here[env.tables.channel.first_event + n]),
                None,
            )
            can = event is not None and can_make(RULES.events[event], capacity, held)
            assert masks[agent, PRODUCE] == (can and env.state.step[0] >= game.stage_steps)
            made += can
        wishes = masks * rng.random(masks.shape)
        wishes[:, PRODUCE : env.tables.actions.dump] *= 3
        *_, info = env.step(wishes.argmax(1)[None])
    assert picks > 20
    assert made > 0


def can_make(event, capacity, held):
    left = tree.after(event.inputs, held)
    is_ready = not tree.lacking(event.inputs, held) and not tree.missing(event.requires, held)
    return is_ready and tree.has_room(capacity, event.output, left)


class Pretence:
    """A world in which agents hold what they were given and are near the block they use."""

    def __init__(self):
        self.held, self.noted, self.dropped, self.cleared = {}, [], [], []
        self.at = (0.0, 0.0, 0.0)

    async def inventory(self, _agent):
        return dict(self.held)

    async def position(self, _agent):
        return self.at

    async def take(self, _agent, item, count):
        taken = min(count, self.held.get(item, 0))
        self.held[item] = self.held.get(item, 0) - taken
        return taken

    async def give(self, _agent, item, count):
        self.held[item] = self.held.get(item, 0) + count

    async def drop(self, item, count, place):
        self.dropped.append((item, count, place))

    async def clear_block(self, place):
        self.cleared.append(place)

    def note(self, kind, agent=None, **fields):
        self.noted.append((kind, agent, fields))


@pytest.fixture
def game():
    scenario = synthesis(jobs={"Ada": "hard_carpenter"})
    placed, world = scenario.placement(0), Pretence()
    referee = SynthesisReferee(scenario.rules, placed, scenario.jobs_by_agent, world)

    async def use(name):
        cells = {pile.resource: cell for cell, pile in reversed(placed.piles.items())}
        cells |= {event: cell for cell, event in placed.stations.items()}
        place = block(cells[name])
        world.at = tuple(part + 0.5 for part in place)
        return await referee._use("Ada", place)

    return world, referee, use


async def test_pile_vanishes_after_its_last_unit_is_taken(game):
    world, _, use = game
    left = [await use("wood") for _ in range(6)]
    assert left[0] == "you get 1 wood; 5 left here"
    assert world.held == {ITEMS["wood"]: 6}
    assert len(world.cleared) == 1
    with pytest.raises(RuleError, match="nothing is left of this pile of wood"):
        await use("wood")
    assert [kind for kind, *_ in world.noted] == [events.Produced] * 6


async def test_resumed_run_restores_piles(game):
    world, referee, use = game
    world.held = {ITEMS["shovel"]: 1}
    assert await use("clay") == "you get 1 clay; 1 left here"
    (_, _, fields) = world.noted[-1]
    referee.recall(events.Produced(t=0, episode=0, agent="Ada", **fields))
    with pytest.raises(RuleError, match="nothing is left"):
        await use("clay")


async def test_distant_block_cannot_be_used(game):
    _, referee, _ = game
    with pytest.raises(RuleError, match="too far away"):
        await referee._use("Ada", next(iter(referee._piles)))
