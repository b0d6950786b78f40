"""The published figures, regenerated from records: each function draws one, out of some runs.

A function returns None where the runs do not have what its figure takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from analysis.figures import contracts, religion, taxation, trees
from analysis.loading import Runs, load

#: From a figure's name to what draws it.
FIGURES: dict[str, Callable[[Runs], Figure | None]] = {
    draw.__name__: draw
    for draw in (
        contracts.reward_by_contract,
        contracts.resources_over_time,
        contracts.welfare_over_time,
        contracts.value_gap_over_time,
        taxation.tax_paid_by_season,
        taxation.tax_before_and_after,
        religion.conversion_over_time,
        religion.where_the_faith_is,
        religion.area_over_time,
        religion.exposure_graph,
        religion.memes_by_town,
        trees.items_over_time,
        trees.completion_and_fairness,
        trees.degrees_and_shares,
    )
}


def save_all(where: Any, out: Path) -> Iterator[Path]:
    """Draw every figure that some runs have the events for, as PNG and SVG.

    Raises:
        FileNotFoundError: there are no runs.
    """
    runs = load(where)
    out.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        drawn = draw(runs)
        if drawn is None:
            continue
        for kind in ("png", "svg"):
            path = out / f"{name}.{kind}"
            drawn.savefig(path, dpi=150, metadata={"Date": None} if kind == "svg" else None)
            yield path
