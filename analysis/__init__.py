"""Tables and figures of recorded runs. All data come from the folders of the runs.

Example::

    from voxpolis import analysis
    runs = analysis.load("runs/double_vein")
    runs.rewards().groupby("contract").reward.mean()
"""

from voxpolis import as_room

as_room(__name__)

from voxpolis.analysis.loading import Runs, load

__all__ = ["Runs", "load"]
