"""AdaSociety's games, with gathering and crafting, jobs, groups, contracts and negotiation.

Source of the rules: Huang et al., "AdaSociety" (NeurIPS 2024). docs/reference/grid.md lists the
choices that we made where the paper and its code leave something open. ``tests/grid_reference.py``
implements the same rules in plain Python.

The kernel consists of ``reset.py``, ``step.py``, ``observe.py`` and the functions that they call.
All of these functions are plain, compiled functions over the arrays of :mod:`grid.adasociety.state`
and :mod:`grid.adasociety.tables`. Their arguments have short names: ``t`` are the tables, ``s`` is
the state, ``x`` is the scratch space, ``b`` is the index of an environment in the batch, and ``i``
is the index of an agent. Arrays that are passed without the index ``b`` belong to one environment:
actions and rewards (N,), windows (N, 2 pad + 1, (2 pad + 1) C), and masks (N, A).
"""
