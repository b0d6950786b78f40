"""Minds: chat models, code-writing agents and their prompts. They are independent of the server."""

from voxpolis import as_room

as_room(__name__)
