"""AdaSociety's games on the grid: agents gather, craft, form groups and bargain over shares.

Source: Huang et al., "AdaSociety" (NeurIPS 2024). Minds answer with plans out of a fixed
vocabulary, and hand-written controllers execute them step by step (``bots/agents/planner``); the
random agent draws each action out of those that have an effect.
"""

from voxpolis.experiments.loops.grid.experiment import GridExperiment
from voxpolis.scenarios.adasociety.scenario import AdaSociety, AdaSocietyOptions

EXPERIMENT = GridExperiment(AdaSociety, AdaSociety, AdaSocietyOptions, __doc__)

__all__ = ["EXPERIMENT", "AdaSociety"]
