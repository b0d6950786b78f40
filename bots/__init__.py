"""The minds of agents: chat models, agents that write code, and their prompts.

Nothing in this package depends on the Minecraft server.
"""

from voxpolis import as_room

as_room(__name__)
