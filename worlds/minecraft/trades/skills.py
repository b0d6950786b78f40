"""The bot programs for a village's actions.

Actions, items and things have the names that Minecraft uses, so most programs follow from the
rules. The programs call the bot's primitives, and functions in the folder ``skills/``, which
contains one file per function. This module also defines what Minecraft requires beyond the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voxpolis.worlds.trades import Rule, Trades
from voxpolis.worlds.trades.rules import AWAY, EAT

FOLDER = Path(__file__).parent / "skills"
# Seconds that a person needs to find out that something is impossible; our choice, as on the grid.
FAILED_S = 3.0
# Time limit of a handover, in game seconds.
HANDING_S = 45.0
# Time limit for an agent's own program, in game seconds.
OWN_LIMIT_S = 300.0
# Game seconds until the server has processed all of a bot's actions.
ON_ITS_WAY_S = 2.0
# For things at sites whose block has another name: the block, and how many blocks stand for one
# thing. (Grass, for example, drops a seed with probability 1/8.)
BLOCKS: Mapping[str, str] = {"tree": "oak_log", "tall_grass": "short_grass"}
BLOCKS_EACH: Mapping[str, int] = {"tree": 2, "tall_grass": 8}
# Maximum number of dug blocks, relative to the expected number.
PATIENCE = 5
# Drops that bots do not try to get: leaves drop an apple with probability 1/200, and a sapling with
# probability 1/20.
LEFT_OUT = frozenset({"GATHER apple", "GATHER oak_sapling"})
# Tools that Minecraft requires in addition to the rules.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "GATHER string": ("wooden_sword", "stone_sword", "iron_sword"),
}
# Drops that need exactly these tools: other suitable tools (shears) would yield something else.
CUT = frozenset({"string"})
FUEL = "coal"
ANIMAL = "sheep"
RIPE_AGE = 7
# Time limit of a program: factor by which the rule's duration is multiplied, and minimum in game
# seconds.
LIMIT_FACTOR, LEAST_LIMIT_S = 8.0, 60.0
TICKS_PER_SECOND = 20
# Maximum wait for a fish in Minecraft: 34 s.
BITES_TICKS = 800


@dataclass(frozen=True)
class Skill:
    """The bot program of an action.

    Attributes:
        program: JavaScript that calls functions in ``skills/``.
        limit_s: time limit in game seconds.
        leaves: the block that the program leaves behind. On success, the program prints the block's
            position. Empty if the program leaves nothing.
    """

    program: str
    limit_s: float
    leaves: str = ""


def minecraft_rules(trades: Trades, scale: float = 1.0) -> Trades:
    """Adapt a village's rules to Minecraft. The positions of sites are multiplied by ``scale``.

    Raises:
        ValueError: an action has no bot program.
    """
    actions = {}
    for name, rule in trades.actions.items():
        if name in LEFT_OUT:
            continue
        tools = [*rule.tools, *TOOLS.get(name, ())]
        actions[name] = rule.model_copy(update={"tools": tools})
    kept = trades.with_actions(actions, scale)
    lacking = [name for name, rule in kept.rules.items() if skill_of(name, rule) is None]
    if lacking:
        raise ValueError(
            f"Minecraft has no bot program for {', '.join(lacking)}: play on the grid, or remove "
            "it from the village's file"
        )
    return kept


@cache
def sources() -> dict[str, str]:
    """Return a dictionary from the name of each function that programs can call to its source."""
    return {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.js"))}


def skill_of(action: str, rule: Rule) -> Skill | None:
    """Return the bot program of an action, or None if there is none.

    An action that only takes time becomes a program that waits, whatever the action's name is.
    """
    verb, _, item = action.partition(" ")
    takes_time_only = not (rule.needs or rule.makes or rule.uses or rule.leaves)
    program = _PROGRAMS.get(verb, _watch if takes_time_only else None)
    code = program(item, rule) if program is not None else None
    if code is None:
        return None
    limit_s = max(LEAST_LIMIT_S, rule.takes_s * LIMIT_FACTOR)
    return Skill(f"await {code}", limit_s, "farmland" if verb == "TILL" else "")


def giving(item: str, count: int, to: str) -> str:
    """Return a program that hands items to a person."""
    return f"await {call('give', to, item, count)}"


def putting(item: str, count: int, place: tuple[int, int, int]) -> str:
    """Return a program that puts items into a chest."""
    return _at_chest("depositItemIntoChest", item, count, place)


def taking(item: str, count: int, place: tuple[int, int, int]) -> str:
    """Return a program that takes items out of a chest."""
    return _at_chest("getItemFromChest", item, count, place)


def _at_chest(primitive: str, item: str, count: int, place: tuple[int, int, int]) -> str:
    x, y, z = place
    return f"await {primitive}(bot, new Vec3({x}, {y}, {z}), {json.dumps({item: count})})"


def call(name: str, *arguments: object) -> str:
    """Return JavaScript that calls a function in ``skills/`` with the bot and the given
    arguments.
    """
    return f"{name}({', '.join(['bot', *map(json.dumps, arguments)])})"


def _dig(item: str, rule: Rule) -> str | None:
    """Return a call that digs the things of a site. For things that grow anywhere, the call digs
    the block with the item's name.
    """
    if not item:
        return None
    thing = next(iter(rule.uses), item)
    count = rule.makes.get(item, 1)
    most = count * BLOCKS_EACH.get(thing, 1) * PATIENCE
    what = (BLOCKS.get(thing, thing), item, count, most)
    return call("cut", rule.tools, *what) if item in CUT else call("dig", *what)


def _smelt(item: str, rule: Rule) -> str | None:
    raw = [(name, count) for name, count in rule.needs.items() if name != FUEL]
    if len(raw) != 1 or FUEL not in rule.needs or not item:
        return None
    return call("smelt", raw[0][0], FUEL, raw[0][1])


def _harvest(_item: str, rule: Rule) -> str | None:
    crop = next(iter(rule.uses), "")
    return call("harvest", crop, RIPE_AGE) if crop in rule.makes else None


def _breed(_item: str, rule: Rule) -> str | None:
    return call("breed", ANIMAL, next(iter(rule.needs))) if rule.needs else None


def _watch(_item: str, rule: Rule) -> str:
    return call("watch", rule.tools, round(rule.takes_s * TICKS_PER_SECOND))


_PROGRAMS: Mapping[str, Callable[[str, Rule], str | None]] = {
    "TILL": lambda _, rule: call("till", rule.tools),
    "PLANT": lambda _, rule: call("plant", next(iter(rule.needs))) if rule.needs else None,
    "HARVEST": _harvest,
    "GATHER": _dig,
    "MINE": _dig,
    "BREED": _breed,
    "SHEAR": lambda _, rule: call("shear", 8),
    "SLAUGHTER": lambda _, rule: call("killMob", ANIMAL, 60),
    "FISH": lambda _, rule: call("fish", rule.tools, BITES_TICKS),
    "CRAFT": lambda item, _: call("craftItem", item, 1) if item else None,
    "SMELT": _smelt,
    "GUARD": _watch,
    "PATROL": _watch,
    "EXPLORE": _watch,
    EAT: lambda item, _: call("eat", item),
}


# --- Natural terrain: available rules, and bot programs -------------------------------------------
#
# Where a rule takes a thing from a site, the bot takes a block of the land, anywhere. Tables and
# furnaces are carried, and placed only during use.

# Blocks of natural terrain that replace things at sites; other things are unavailable.
NATURAL_BLOCKS: Mapping[str, tuple[str, ...]] = {
    "oak_log": ("oak_log",),
    "birch_log": ("birch_log",),
    "stone": ("stone",),
    "deepslate": ("deepslate",),
    "dirt": ("dirt", "grass_block"),
    "sand": ("sand",),
    "gravel": ("gravel",),
    "clay": ("clay",),
    "sugar_cane": ("sugar_cane",),
    "dandelion": ("dandelion",),
    "poppy": ("poppy",),
    "pumpkin": ("pumpkin",),
    "tall_grass": ("short_grass",),
    **{
        f"{ore}_ore": (f"{ore}_ore", f"deepslate_{ore}_ore")
        for ore in ("coal", "copper", "iron", "gold", "redstone", "lapis", "diamond")
    },
}
# Maximum game seconds to search for and dig something.
GATHER_LIMIT_S = 300.0


def natural_rules(trades: Trades) -> Trades:
    """Return the rules without the actions that natural terrain does not support. What remains are
    actions whose things and inputs can be found or made.

    Raises:
        ValueError: an action has no bot program.
    """
    actions = {
        name: rule
        for name, rule in trades.actions.items()
        if all(k in NATURAL_BLOCKS for k in rule.uses)
    }
    while True:
        made = {item for rule in actions.values() for item in rule.makes}
        kept = {
            name: rule
            for name, rule in actions.items()
            if made.issuperset(rule.needs) and (not rule.tools or made.intersection(rule.tools))
        }
        if len(kept) == len(actions):
            break
        actions = kept
    foods = [food for food in trades.hunger.foods if food in made]
    hunger = trades.hunger.model_copy(update={"foods": foods})
    verbs = {verb: told for verb, told in trades.verbs.items() if _is_used(verb, actions)}
    found = trades.with_actions(actions, hunger=hunger, verbs=verbs)
    lacking = [name for name, rule in found.rules.items() if skill_in_nature(name, rule) is None]
    if lacking:
        raise ValueError(f"natural terrain has no bot program for {', '.join(lacking)}")
    return found


def _is_used(verb: str, actions: Mapping[str, Rule]) -> bool:
    return any(name.partition(" ")[0] == verb for name in actions)


def skill_in_nature(action: str, rule: Rule) -> Skill | None:
    """Return the bot program of an action in natural terrain, or None if there is none."""
    verb, _, item = action.partition(" ")
    tool = next(iter(rule.tools), "")
    raw = [(name, count) for name, count in rule.needs.items() if name != FUEL]
    limit_s = max(LEAST_LIMIT_S, rule.takes_s * LIMIT_FACTOR)
    if rule.uses and item and not rule.needs:
        blocks = [block for kind in rule.uses for block in NATURAL_BLOCKS[kind]]
        return Skill(f"await {call('gatherFrom', blocks, item, 1)}", GATHER_LIMIT_S)
    if verb == "CRAFT" and item:
        return Skill(f"await {call('craftAt', item, tool)}", limit_s)
    if verb == "SMELT" and len(raw) == 1 and FUEL in rule.needs:
        name, count = raw[0]
        return Skill(f"await {call('smeltAt', name, FUEL, count, tool)}", limit_s)
    if rule.at == AWAY:
        return Skill(f"await {call('lookAround', rule.takes_s)}", limit_s)
    return Skill(f"await {call('eat', item)}", limit_s) if verb == EAT else None
