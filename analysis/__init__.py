"""From records to tables and figures. Reads nothing but run folders.

>>> import analysis
>>> runs = analysis.load("runs/double_vein")
>>> runs.rewards().groupby("contract").reward.mean()
"""

import environment

environment.ensure(__name__)

from analysis.loading import Runs, load  # noqa: E402

__all__ = ["Runs", "load"]
