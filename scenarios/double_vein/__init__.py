"""Double-Vein: two players, two veins of ore, two pickaxes, and perhaps a contract.

Source: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023). There are 12 iron ore
and 6 diamond ore near a chest with a stone and an iron pickaxe. Stone mines iron only, iron mines
both and faster. Items change hands through the chest alone. The players value the ores
differently, so that together they are best off (78 emeralds) when Gizmo takes all iron and Glitch
all diamonds; without a contract, whoever is first at the chest takes what the other would need.
"""

from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.scenarios.double_vein.scenario import DoubleVein

EXPERIMENT = ContractExperiment(DoubleVein, DoubleVein, __doc__)

__all__ = ["EXPERIMENT", "DoubleVein"]
