"""The published figures, drawn again from records. There is one function per figure.

A function returns None if the runs lack the data for its figure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from voxpolis.analysis.figure_styles import SETTINGS, WIDTHS, Format, Style
from voxpolis.analysis.figures import (
    commons,
    contracts,
    items,
    learning,
    religion,
    specialisation,
    taxation,
    trees,
)
from voxpolis.analysis.figures import commons as cooperation
from voxpolis.analysis.figures import feelings as coherence
from voxpolis.analysis.figures import feelings as likeability
from voxpolis.analysis.figures import feelings as sentiment
from voxpolis.analysis.figures import religion as memes
from voxpolis.analysis.figures.fitting import fit
from voxpolis.analysis.loading import Runs, load
from voxpolis.analysis.progress import notice_if_slow
from voxpolis.front import describe_error

# Maximum width of a figure for a screen, in inches: wider figures are broken into rows.
WIDEST = 11.0
DPI: Mapping[Style, int] = {Style.SCREEN: 150, Style.PAPER: 300, Style.SLIDES: 150}
# File metadata without the date, so that the same runs give identical files.
UNDATED: Mapping[Format, dict[str, None]] = {
    Format.SVG: {"Date": None},
    Format.PDF: {"CreationDate": None},
}
# Drawing function of each figure by name.
FIGURES: dict[str, Callable[[Runs], Figure | None]] = {
    draw.__name__: draw
    for draw in (
        contracts.reward_by_contract,
        contracts.resources_over_time,
        contracts.welfare_over_time,
        contracts.value_gap_over_time,
        contracts.payoffs_by_round,
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
        coherence.statements,
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


class FigureError(Exception):
    """Some figures cannot be drawn. The message lists them, with the errors that occurred."""


def draw(
    name: str,
    runs: Runs,
    width: float | None = None,
    complain: Callable[[str], None] = lambda _: None,
) -> Figure | None:
    """Draw a figure, and fit it to a width in inches (None for its own width). Return None if the
    runs lack its data.

    ``complain`` is called with a message if the figure is too wide.
    """
    drawn = FIGURES[name](runs)
    if drawn is not None:
        wide = width or min(WIDEST, float(drawn.get_size_inches()[0]))
        if not fit(drawn, wide):
            complain(f"{name}: {wide:g} inches are too narrow for texts of this style")
        drawn.set_layout_engine("none")  # saves a layout per file
    return drawn


def save_all(
    where: Any,
    out: Path,
    only: Collection[str] = (),
    formats: Sequence[Format] = (Format.PNG, Format.SVG),
    style: Style = Style.SCREEN,
    width: float | None = None,
    complain: Callable[[str], None] = lambda _: None,
) -> Iterator[Path]:
    """Draw all figures for which the runs contain events, and yield the paths of the files.

    Args:
        where: loaded runs, or an argument of :func:`analysis.loading.load`.
        out: folder for the files.
        only: names of the figures to draw; empty for all figures.
        formats: file formats. Each figure is written in all formats.
        style: where the figures will be shown.
        width: width in inches; None for the style's default.
        complain: called with a message about each figure that is too wide.

    Raises:
        FileNotFoundError: there are no runs.
        KeyError: ``only`` contains an unknown name.
        FigureError: some figures cannot be drawn. All other figures have been drawn.
    """
    if unknown := set(only) - FIGURES.keys():
        raise KeyError(*unknown)
    runs = where if isinstance(where, Runs) else load(where)
    out.mkdir(parents=True, exist_ok=True)
    failed = []
    # sizes are measured at the file's resolution
    with mpl.rc_context({**SETTINGS[style], "figure.dpi": DPI[style]}):
        for name in only or FIGURES:
            try:
                with notice_if_slow(f"drawing {name}"):
                    drawn = draw(name, runs, width or WIDTHS[style], complain)
            except Exception as error:  # a figure's code can raise any exception
                failed.append(f"{name} ({describe_error(error)})")
                continue
            if drawn is None:
                continue
            for kind in formats:
                path = out / f"{name}.{kind}"
                drawn.savefig(path, metadata=UNDATED.get(kind))
                yield path
    if failed:
        raise FigureError(f"drawing fails: {'; '.join(failed)}")
