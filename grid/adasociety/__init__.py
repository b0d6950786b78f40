"""AdaSociety's games: gathering and crafting, jobs, groups, contracts and negotiation.

Source of the rules: Huang et al., "AdaSociety" (NeurIPS 2024); where paper and code leave something
open, docs/grid.md says what we chose. ``tests/grid_reference.py`` has the same in plain Python.

The kernel is ``reset.py``, ``step.py``, ``observe.py`` and what they call: plain functions,
compiled, over the arrays of :mod:`grid.adasociety.state` and :mod:`grid.adasociety.tables`. Their
arguments are ``t`` the tables, ``s`` the state, ``x`` the scratch, ``b`` an environment's
number in the batch, ``i`` an agent's; arrays without a ``b`` are one environment's: actions and
rewards (N,), windows (N, 2 pad + 1, (2 pad + 1) C), masks (N, A).
"""
