"""The published figures, regenerated from records: each function draws one, out of some runs.

A function returns None where the runs do not have what its figure takes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from analysis.figure_styles import SETTINGS, WIDTHS, Format, Style
from analysis.figures import (
    coherence,
    commons,
    contracts,
    cooperation,
    items,
    learning,
    likeability,
    memes,
    religion,
    sentiment,
    specialisation,
    taxation,
    trees,
)
from analysis.figures.drawing import BESIDE
from analysis.loading import Runs, load

DPI: Mapping[Style, int] = {Style.SCREEN: 150, Style.PAPER: 300, Style.SLIDES: 150}
#: What files say of themselves, without the day: the same runs give the same files.
UNDATED: Mapping[Format, dict[str, None]] = {
    Format.SVG: {"Date": None},
    Format.PDF: {"CreationDate": None},
}
#: Points of an inch, and how wide a letter is of its height.
POINTS, LETTER = 72, 0.55
#: Lines of text that a panel is high at least, and that a title and legend take around all panels.
LINES, AROUND = 15, 8
#: Letters that the mark of an entry takes in a legend.
HANDLE = 9
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
        taxation.people_near_the_chest,
        taxation.feedback_and_votes,
        religion.conversion_over_time,
        religion.where_the_faith_is,
        religion.area_over_time,
        religion.exposure_graph,
        religion.memes_by_town,
        memes.memes_on_the_map,
        memes.memes_per_head,
        memes.memes_over_time,
        memes.keyword_chats,
        memes.levels_by_agent,
        sentiment.feelings_over_time,
        sentiment.food_by_feeling,
        likeability.social_graph,
        likeability.perceived_likeability,
        likeability.likeability_over_time,
        likeability.observers_by_extroversion,
        likeability.asymmetry_of_feelings,
        specialisation.roles_over_time,
        specialisation.roles_at_the_end,
        specialisation.entropy_of_roles,
        specialisation.actions_by_role,
        items.items_by_architecture,
        items.items_together,
        items.items_by_model,
        items.technology_tree,
        coherence.words_and_deeds,
        coherence.rumour_over_time,
        trees.items_over_time,
        trees.completion_and_fairness,
        trees.degrees_and_shares,
        learning.adasociety_3,
        learning.adasociety_7,
        learning.adasociety_8,
        learning.adasociety_9,
        learning.adasociety_10,
        learning.adasociety_11,
        learning.adasociety_12,
        learning.adasociety_13,
        learning.adasociety_14,
        commons.commons_reward,
        commons.commons_apples_left,
        commons.commons_attacks,
        commons.commons_last_apples,
        commons.commons_hits,
        commons.commons_dirt,
        commons.commons_cleaning,
        cooperation.commons_cooperation,
        cooperation.commons_reputation,
    )
}


def save_all(
    where: Any,
    out: Path,
    only: Collection[str] = (),
    formats: Sequence[Format] = (Format.PNG, Format.SVG),
    style: Style = Style.SCREEN,
    width: float | None = None,
) -> Iterator[Path]:
    """Draw every figure that some runs have the events for.

    Args:
        where: the runs, as they are loaded or as for :func:`analysis.loading.load`.
        out: the folder for the files.
        only: names of the figures to draw; empty: all.
        formats: a file of each is written.
        style: where they are to stand.
        width: in inches; None: as the style has it.

    Raises:
        FileNotFoundError: there are no runs.
        KeyError: there is no figure of a name in ``only``.
    """
    drawers = {name: FIGURES[name] for name in only} or FIGURES
    runs = where if isinstance(where, Runs) else load(where)
    out.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(dict(SETTINGS[style])):
        for name, draw in drawers.items():
            drawn = draw(runs)
            if drawn is None:
                continue
            _fit(drawn, width or WIDTHS[style])
            for kind in formats:
                path = out / f"{name}.{kind}"
                drawn.savefig(path, dpi=DPI[style], metadata=UNDATED.get(kind))
                yield path


def _fit(drawn: Figure, width: float | None) -> None:
    """Make a figure so many inches wide, as high as it was for its width, and wrap its titles."""
    if width is None:
        return
    wide, high = drawn.get_size_inches()
    rows, columns = _shape(drawn)
    letter = mpl.rcParams["font.size"] / POINTS
    drawn.set_size_inches(width, max(high * width / wide, (rows * LINES + AROUND) * letter))
    letters = int(width / (LETTER * letter))
    for axes in drawn.axes:
        axes.set_title(_wrapped(axes.get_title(), letters * 3 // (4 * columns)))
    if above := drawn.get_suptitle():
        drawn.suptitle(_wrapped(above, letters))
    for legend in (one for one in drawn.legends if one.get_gid() != BESIDE):
        longest = max((len(text.get_text()) for text in legend.get_texts()), default=0)
        legend.set_ncols(max(1, min(len(legend.get_texts()), letters // (longest + HANDLE))))


def _shape(drawn: Figure) -> tuple[int, int]:
    """How many rows and columns of panels there are."""
    grids = [spec.get_gridspec() for axes in drawn.axes if (spec := axes.get_subplotspec())]
    return max((g.nrows for g in grids), default=1), max((g.ncols for g in grids), default=1)


def _wrapped(text: str, letters: int) -> str:
    return "\n".join(
        part for line in text.split("\n") for part in textwrap.wrap(line, max(12, letters)) or [""]
    )
