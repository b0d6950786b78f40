"""A village with trades in Minecraft: the rules are the same as in simulation, but blocks are real.

:mod:`worlds.minecraft.trades.skills` defines the bot program of each action,
:mod:`worlds.minecraft.trades.site` defines the land, and
:class:`worlds.minecraft.trades.village.MinecraftTradeVillage` is the world. Only the world needs a
server.
"""
