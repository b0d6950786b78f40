"""Harvest: three giant mushrooms that grow again as long as something of them is left.

The commons in Minecraft, from the public code of Yocum et al. (2023), which the paper does not
report on. A cap block that was harvested comes back by itself while its mushroom has another one;
who takes the last block of a mushroom has killed it for good. Whoever harvests all that is there
has more now, and both have nothing later.
"""

from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.scenarios.harvest.scenario import Harvest

EXPERIMENT = ContractExperiment(Harvest, Harvest, __doc__)

__all__ = ["EXPERIMENT", "Harvest"]
