"""The synthesis tree as a playable scenario."""

from voxpolis.scenarios.crafting_tree import CraftingTree


def synthesis(**settings):
    options = CraftingTree.options(condition="adasociety", world="grid")
    return CraftingTree.prepare(options, CraftingTree(**settings), "grid")
