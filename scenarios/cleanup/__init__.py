"""Cleanup: a river that gets dirty, mushrooms that only grow while it is clean, and two players.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023), and the authors' public
code for the rates. Slime comes back to the river all the time; three giant mushrooms far from it
regrow only while it holds 7 slime blocks or fewer. A harvested block of mushroom yields 0 to 2
mushrooms, usually none. Who cleans harvests nothing: without a contract hardly anybody does.
"""

from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.scenarios.cleanup.scenario import Cleanup

EXPERIMENT = ContractExperiment(Cleanup, Cleanup, __doc__)

__all__ = ["EXPERIMENT", "Cleanup"]
