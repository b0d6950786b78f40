"""What natural land has of a land's rules, and which program of a bot does each action there.

What a rule takes from a site is a block of the land, wherever it is. A table and a furnace are
held, and stand only while they are used.
"""

from __future__ import annotations

from collections.abc import Mapping

from voxpolis.worlds.minecraft.trades.skills import FUEL, LEAST_LIMIT_S, LIMIT_FACTOR, Skill, call
from voxpolis.worlds.trades import Rule, Trades
from voxpolis.worlds.trades.rules import AWAY, EAT

#: What sites hold, as blocks of natural land; what is not among it is not there.
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
#: Game seconds that somebody may look for something and dig it.
GATHER_LIMIT_S = 300.0


def offered_in_nature(trades: Trades) -> Trades:
    """Return what of a land's rules natural land has: without what is not there, or needs it.

    Raises:
        ValueError: no skill of a bot does one of the actions.
    """
    actions = {
        name: rule for name, rule in trades.actions.items() if all(k in NATURAL_BLOCKS for k in rule.uses)
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
