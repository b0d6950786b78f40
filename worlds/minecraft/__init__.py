"""Minecraft as a world: sessions on a running server, arenas, and villages."""
