"""Runs scenarios: command-line options, the runner, game loops, comparisons and sweeps."""

from voxpolis import as_room

as_room(__name__)
