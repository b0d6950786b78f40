"""Clean Up and Commons Harvest, with the rules of Melting Pot.

Sources: Leibo et al., "Scalable Evaluation of Multi-Agent Reinforcement Learning with Melting Pot"
(2021) and its public substrates; Hughes et al., "Inequity aversion improves cooperation in
intertemporal social dilemmas" (2018); Perolat et al., "A multi-agent reinforcement learning model
of common-pool resource appropriation" (2017). We drew the maps, with the published sizes and
counts. ``tests/commons_reference.py`` implements the rules in plain Python.

The kernel consists of ``step.py`` and the functions that it calls. All of these functions are
plain, compiled functions over the arrays of :class:`~grid.commons.state.State` and
:class:`~grid.commons.tables.Tables`. Their arguments have short names: ``t`` are the tables, ``s``
is the state, ``x`` is the scratch space, ``b`` is the index of an environment in the batch, and
``i`` is the index of a player. Arrays that are passed without the index ``b`` belong to one
environment: actions and rewards (N,), windows (N, cells), and masks (N, A).
"""

from voxpolis.grid.commons.game import Commons, commons_names, read_commons

__all__ = ["Commons", "commons_names", "read_commons"]
