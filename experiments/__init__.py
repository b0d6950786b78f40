"""How scenarios are played: options, the runner, the loops, comparisons and sweeps."""

from voxpolis import as_room

as_room(__name__)
