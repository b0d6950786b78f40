"""From records to tables and figures. Reads nothing but run folders.

>>> import analysis
>>> runs = analysis.load("runs/double_vein")
>>> runs.rewards().groupby("contract").reward.mean()
"""

from analysis.loading import Runs, load

__all__ = ["Runs", "load"]
