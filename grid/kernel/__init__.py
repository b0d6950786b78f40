"""The game's rules, compiled.

Plain functions over the arrays of :mod:`grid.state` and :mod:`grid.tables`: ``t`` are the tables,
``s`` the state, ``x`` the scratch, ``b`` the environment's number in the batch, ``i`` an agent.
Source of the rules: Huang et al., "AdaSociety" (NeurIPS 2024); where paper and code leave something
open, docs/grid.md says what we chose. ``tests/grid_reference.py`` has the same in plain Python.
"""

from grid.kernel.packing import pack
from grid.kernel.seeing import map_many, mask_many
from grid.kernel.stepping import reset_many, step_many

__all__ = ["map_many", "mask_many", "pack", "reset_many", "step_many"]
