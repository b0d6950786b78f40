"""Minds: chat models, code-writing agents and their prompts. They do not know which server runs."""

from voxpolis import as_room

as_room(__name__)
