"""What the synthesis tree's resources, piles and stations are in Minecraft."""

from __future__ import annotations

from collections.abc import Mapping

#: What a resource is in an inventory. None can be crafted from the others by hand.
ITEMS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "hammer": "stone_axe",
    "coal": "coal",
    "torch": "lantern",
    "iron": "raw_iron",
    "steel": "iron_ingot",
    "shovel": "iron_shovel",
    "pickaxe": "iron_pickaxe",
    "gem_mine": "diamond_ore",
    "clay": "clay_ball",
    "pottery": "flower_pot",
    "cutter": "stonecutter",
    "gem": "diamond",
    "totem": "totem_of_undying",
}
PILE_BLOCKS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "coal": "coal_ore",
    "iron": "iron_ore",
    "gem_mine": "diamond_ore",
    "clay": "clay",
}
STATION_BLOCKS = {
    "HammerCraft": "chiseled_stone_bricks",
    "TorchCraft": "jack_o_lantern",
    "SteelMaking": "iron_block",
    "Potting": "bricks",
    "ShovelCraft": "lapis_block",
    "PickaxeCraft": "redstone_block",
    "CutterCraft": "quartz_block",
    "GemCutting": "emerald_block",
    "TotemMaking": "gold_block",
}


def resources_in(inventory: Mapping[str, int]) -> dict[str, int]:
    """Return what an inventory holds of each resource."""
    return {name: inventory[item] for name, item in ITEMS.items() if inventory.get(item)}
