"""A village with trades in Minecraft: the same rules, carried out on real blocks.

:mod:`worlds.minecraft.trades.skills` says which program of a bot does each action,
:mod:`worlds.minecraft.trades.site` what stands where, and
:class:`worlds.minecraft.trades.village.MinecraftTradeVillage` is the world. Only the last needs a
server.
"""
