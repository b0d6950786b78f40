"""Which program of a bot does an action of a village with trades.

The rules' names of actions, items and things are Minecraft's own, so that most programs follow from
a rule; what a program calls is in ``skills/``, one function a file, beside the bot's primitives.
What Minecraft itself demands more than a rule is here, too.
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
# How long it takes to find out that something cannot be done; ours, as on the grid.
FAILED_S = 3.0
# Limit of handing something over, in game seconds.
HANDING_S = 45.0
# Limit of an agent's own program, in game seconds.
OWN_LIMIT_S = 300.0
# So many game seconds after it, the server has seen all that a bot did.
ON_ITS_WAY_S = 2.0
# What sites hold, as blocks, where those have another name; and how many of them are as good as
# one: grass drops a seed one time in eight.
BLOCKS: Mapping[str, str] = {"tree": "oak_log", "tall_grass": "short_grass"}
BLOCKS_EACH: Mapping[str, int] = {"tree": 2, "tall_grass": 8}
# So many times as many blocks are dug at most as are needed on average.
PATIENCE = 5
# What is left out: leaves drop an apple one time in 200, and a sapling one time in 20.
LEFT_OUT = frozenset({"GATHER apple", "GATHER oak_sapling"})
# Tools that Minecraft demands where the rule does not.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "GATHER string": ("wooden_sword", "stone_sword", "iron_sword"),
}
# What only those tools get of a block: another good tool (shears) would get something else.
CUT = frozenset({"string"})
FUEL = "coal"
ANIMAL = "sheep"
RIPE_AGE = 7
# Game seconds that a program may take: so many times as long as the rule says, and no fewer than.
LIMIT_FACTOR, LEAST_LIMIT_S = 8.0, 60.0
TICKS_PER_SECOND = 20
# Minecraft's: a fish bites after 34 s at the latest.
BITES_TICKS = 800


@dataclass(frozen=True)
class Skill:
    """How a bot does an action.

    Attributes:
        program: JavaScript, which calls what is in ``skills/``.
        limit_s: game seconds that it may take.
        leaves: the block that stands where the program prints that it worked; empty: none.
    """

    program: str
    limit_s: float
    leaves: str = ""


def offered(trades: Trades, scale: float = 1.0) -> Trades:
    """Return a village's rules as Minecraft can keep them; ``scale``: sites lie so much nearer.

    Raises:
        ValueError: no skill of a bot does one of the actions.
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
            f"no skill of a bot does {', '.join(lacking)}: play it on the grid, or leave it out of "
            "the village's file"
        )
    return kept


@cache
def sources() -> dict[str, str]:
    """Return what programs call: the source of each function by its name."""
    return {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.js"))}


def skill_of(action: str, rule: Rule) -> Skill | None:
    """Return how a bot does an action; None: no skill does it.

    What takes nothing but its time is waited for, whatever it is called.
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
    """Return the program that hands items to somebody."""
    return f"await {call('give', to, item, count)}"


def putting(item: str, count: int, place: tuple[int, int, int]) -> str:
    """Return the program that puts items into a chest."""
    return _at_chest("depositItemIntoChest", item, count, place)


def taking(item: str, count: int, place: tuple[int, int, int]) -> str:
    """Return the program that takes items out of a chest."""
    return _at_chest("getItemFromChest", item, count, place)


def _at_chest(primitive: str, item: str, count: int, place: tuple[int, int, int]) -> str:
    x, y, z = place
    return f"await {primitive}(bot, new Vec3({x}, {y}, {z}), {json.dumps({item: count})})"


def call(name: str, *arguments: object) -> str:
    """Return the call of a function in ``skills/`` with the bot and some plain values."""
    return f"{name}({', '.join(['bot', *map(json.dumps, arguments)])})"


def _dig(item: str, rule: Rule) -> str | None:
    """Dig what the site has of it; of what grows anywhere, the block that is called like it."""
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


# --- What natural land has of a land's rules, and which program of a bot does each action there ---
#
# What a rule takes from a site is a block of the land, wherever it is. A table and a furnace are
# held, and stand only while they are used.

# What sites hold, as blocks of natural land; what is not among it is not there.
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
# Game seconds that somebody may look for something and dig it.
GATHER_LIMIT_S = 300.0


def offered_in_nature(trades: Trades) -> Trades:
    """Return what of a land's rules natural land has: without what is not there, or needs it.

    Raises:
        ValueError: no skill of a bot does one of the actions.
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
        raise ValueError(f"no skill of a bot does {', '.join(lacking)} in natural land")
    return found


def _is_used(verb: str, actions: Mapping[str, Rule]) -> bool:
    return any(name.partition(" ")[0] == verb for name in actions)


def skill_in_nature(action: str, rule: Rule) -> Skill | None:
    """Return how a bot does an action in natural land; None: no skill does it."""
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
