"""A village with trades in Minecraft: the same rules with real blocks.

:mod:`worlds.minecraft.trades.skills` defines the bot program of each action,
:mod:`worlds.minecraft.trades.site` the land, and
:class:`worlds.minecraft.trades.village.MinecraftTradeVillage` the world. Only the world needs a
server.
"""
