"""AdaSociety's games: gathering and crafting, jobs, groups, contracts and negotiation.

Source of the rules: Huang et al., "AdaSociety" (NeurIPS 2024). docs/reference/grid.md lists our
choices where paper and code leave something open. ``tests/grid_reference.py`` implements the same
rules in plain Python.

The kernel consists of ``reset.py``, ``step.py``, ``observe.py`` and the functions they call: plain,
compiled functions over the arrays of :mod:`grid.adasociety.state` and
:mod:`grid.adasociety.tables`. Their arguments are ``t`` the tables, ``s`` the state, ``x`` the
scratch, ``b`` the index of an environment in the batch and ``i`` the index of an agent. Arrays
without a ``b`` belong to one environment: actions and rewards (N,), windows (N, 2 pad + 1, (2 pad +
1) C), masks (N, A).
"""
