"""Formats parts of result tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from voxpolis.records.text import NOISE, in_digits, many

if TYPE_CHECKING:
    from rich.console import Console


def print_closing_lines(console: Console, result: Mapping[str, Any], *notes: str) -> None:
    """Print the last lines of a society's result: answers that could not be used, and notes."""
    failed = sum(sum(f.values()) for run in result["runs"] for f in run["faults"].values())
    if failed:
        console.print(
            f"minds gave no usable answer {many(failed, 'time')}; see faults in result.json"
        )
    vain = sum(
        sum(f.values()) for run in result["runs"] for f in run.get("failed_actions", {}).values()
    )
    if vain:
        console.print(f"{many(vain, 'decision')} had no effect; see failed_actions in result.json")
    for note in notes:
        console.print(note)


def with_ci95(spread: Mapping[str, float | None], form: str, scale: float = 1.0) -> str:
    """Format a ``mean``, with half the width of its 95 % confidence interval (``ci95``) if it is
    known.

    ``form`` is a number format. Numbers are multiplied by ``scale`` first.
    """
    mean, ci95 = spread["mean"], spread["ci95"]
    if mean is None:
        return "n/a"
    return format(mean * scale, form) + ("" if ci95 is None else f" ± {ci95 * scale:{form}}")


def describe_extent(runs: Sequence[Mapping[str, Any]]) -> str:
    """Describe how many runs and episodes a result contains: "3 runs of 2 episodes"."""
    episodes = max((int(run.get("episode", 1)) for run in runs), default=1)
    repetitions = sum(run.get("episode", 1) == 1 for run in runs)
    text = f"{repetitions} run{'s' * (repetitions != 1)}"
    return text if episodes == 1 else f"{text} of {episodes} episodes"


def mean_with_sd(mean: float | None, sd: float | None) -> str:
    """Format "mean ± sd", so that the standard deviation (sd) is shown with two significant digits.

    If there is no sd, as for a single run, only the mean is shown. If there is no mean, the text
    is "n/a".
    """
    if mean is None:
        return "n/a"
    if sd is None:
        return in_digits(mean)
    if sd < NOISE:
        return f"{in_digits(mean)} ± 0"
    decimals = max(0, 1 - math.floor(math.log10(sd)))
    return f"{mean:.{decimals}f} ± {sd:.{decimals}f}"


def measure_cells(measures: Sequence[Sequence[float]], played: int) -> list[str]:
    """Return the cells of a row: the number of seeds, and each mean with its interval.

    ``played`` is the number of seeds whose runs count. A measure that only some of them have shows
    their number. ``n/a``: none of them has this measure. ``missing``: no run counts.
    """
    from voxpolis.analysis.comparing import bootstrap, with_interval  # noqa: PLC0415 - loads pandas

    cells = []
    for values in measures:
        if not values:
            cells.append("n/a" if played else "missing")
        else:
            fewer = f", n = {len(values)}" if len(values) < played else ""
            cells.append(with_interval(bootstrap(values)) + fewer)
    return [str(played), *cells]


def print_differences(console: Console, found: Sequence[Mapping[str, Any]]) -> None:
    """Print the differences between conditions (:func:`analysis.comparing.differences`), if any."""
    # Only comparisons load NumPy and tables.
    from rich.table import Table  # noqa: PLC0415

    from voxpolis.analysis.comparing import Interval, note_on_comparisons, with_interval  # noqa: PLC0415
    from voxpolis.experiments.run.measured import label_of  # noqa: PLC0415
    from voxpolis.records.console import print_whole  # noqa: PLC0415

    if not found:
        return
    table = Table(title="differences by seed [95 % interval]")
    for column in ("condition", "measure", "difference", "effect", "detectable", "pairs"):
        justify: Any = "left" if column in ("condition", "measure") else "right"
        table.add_column(column, justify=justify, no_wrap=True)
    for one in found:
        difference = Interval(**one["difference"])
        numbers = [one["effect"], one["detectable"]]
        table.add_row(
            f"{one['condition']} - {one['baseline']}",
            label_of(one["measure"]),
            with_interval(difference),
            *("n/a" if number is None else in_digits(number) for number in numbers),
            str(difference.count),
        )
    print_whole(console, table)
    console.print(
        "effect: the difference over the standard deviation of the differences (d_z); "
        "detectable: the smallest true difference that so many pairs find in 80 % of studies",
        soft_wrap=True,
    )
    pairs = max(one["difference"]["count"] for one in found)
    if pairs > 1 and (note := note_on_comparisons(len(found))):
        console.print(note, soft_wrap=True)
