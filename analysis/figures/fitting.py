"""Figures made to fit a width, by what is measured: nothing lies over anything else.

Panels that would be too narrow stand below each other, legends stand outside of the axes, texts are
wrapped to the room that there is, and a figure is as high as its panels need.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.category import StrCategoryFormatter
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter, MaxNLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from voxpolis.analysis.figures.drawing import SOFT_END, sheet_of

POINTS = 72
# How wide a panel is at least, and how high, in heights of a letter; panels with one scale of y
# have its numbers once.
PANEL, PANEL_OF_ONE_SCALE, PANEL_HIGH = 20, 14, 13
# A legend has so many columns at most.
MOST_COLUMNS = 6
# Numbers below an axis where those that are there lie over each other, at most.
MOST_NUMBERS = 4
# How often a figure is laid out, until it fits.
TRIES = 8
# Of names of groups: letters of a line where they stand upright, and what they may be broken at.
UPRIGHT_LETTERS = 28
BREAKS = re.compile(r"(?<=[_/,+])(?=\w)")
# How an axis is written whose ticks have names.
NAMED = (FixedFormatter, FuncFormatter, StrCategoryFormatter)
# The least letters of a line.
LEAST = 8


@dataclass
class _Entries:
    """What a legend says; ``axes``: of which panel, None: of all."""

    axes: Axes | None
    handles: Sequence[Any]
    labels: Sequence[str]


def fit(drawn: Figure, width: float) -> bool:
    """Make a figure so many inches wide, and as high as it takes; return whether it has room."""
    FigureCanvasAgg(drawn)  # one for all that is measured: it remembers how wide texts are
    letter = mpl.rcParams["font.size"] / POINTS
    was_wide, was_high = drawn.get_size_inches()
    panels = _panels(drawn)
    _raise_title(drawn, panels)
    entries = _take_legends(drawn, panels)
    rows = _restack(drawn, panels, width, letter)
    shape = was_high / was_wide * width
    drawn.set_size_inches(width, max(shape, rows * (PANEL_HIGH + 4) * letter))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that it does not fit yet
        _wrap_groups(panels, letter)
        _grow(drawn, panels, rows, letter)
        _wrap_heads(drawn, panels, len(panels) > rows)
        _legends(drawn, panels, entries)
        _grow(drawn, panels, rows, letter)
        _wrap_sides(drawn, panels)
        _grow(drawn, panels, rows, letter)
        _thin_ticks(drawn, panels, letter)
        drawn.stale = True  # panels go on moving a little when all is laid out again
        _wrap_heads(drawn, panels, len(panels) > rows)
        return _grow(drawn, panels, rows, letter)


def _panels(drawn: Figure) -> list[Axes]:
    """The panels in their order, without those that hold nothing; colour bars are none."""
    for axes in drawn.axes:
        if not (axes.axison or axes.has_data() or axes.texts):
            axes.remove()
    return [axes for axes in drawn.axes if axes.get_subplotspec() is not None]


# --- Rows ----------------------------------------------------------------------------------------


def _restack(drawn: Figure, panels: Sequence[Axes], width: float, letter: float) -> int:
    """Put panels into as many columns as have room; return how many rows there are."""
    specs = [axes.get_subplotspec() for axes in panels]
    grid = next((spec.get_gridspec() for spec in specs if spec is not None), None)
    if grid is None:
        return 1
    is_one_scale = all(_shares_y(panels[0], axes) for axes in panels[1:])
    least = (PANEL_OF_ONE_SCALE if is_one_scale else PANEL) * letter
    columns = max(1, min(grid.ncols, int(width / least)))
    if columns == grid.ncols:
        return int(grid.nrows)
    _label_all(panels, grid.ncols)
    rows = -(-len(panels) // columns)
    new = drawn.add_gridspec(rows, columns)
    for number, axes in enumerate(panels):
        axes.set_subplotspec(new[number // columns, number % columns])
        is_lowest = number + columns >= len(panels)
        axes.tick_params(labelleft=axes.axison and (not is_one_scale or number % columns == 0))
        if is_lowest:
            axes.tick_params(labelbottom=True)
        elif axes.get_xlabel() and _shares_x(axes, panels[-1]):
            axes.set_xlabel("")
        if is_one_scale and number % columns:
            axes.set_ylabel("")
    return rows


def _label_all(panels: Sequence[Axes], columns: int) -> None:
    """Give each panel the labels that so far only the outer ones of its row and column have."""
    for number, axes in enumerate(panels):
        first, last = panels[number - number % columns], panels[-1]
        if not axes.get_ylabel() and _shares_y(first, axes):
            axes.set_ylabel(first.get_ylabel())
        if not axes.get_xlabel() and _shares_x(last, axes):
            axes.set_xlabel(last.get_xlabel())


def _shares_y(one: Axes, other: Axes) -> bool:
    return bool(one is other or one.get_shared_y_axes().joined(one, other))


def _shares_x(one: Axes, other: Axes) -> bool:
    return bool(one is other or one.get_shared_x_axes().joined(one, other))


def _grow(drawn: Figure, panels: Sequence[Axes], rows: int, letter: float) -> bool:
    """Lay a figure out, and make it higher until its panels are high enough; whether they are."""
    for _ in range(TRIES):
        _laid_out(drawn)
        wide, high = drawn.get_size_inches()
        least = min(axes.get_position(original=True).height * high for axes in panels)
        if drawn.stale:
            least = 0.0  # nothing was laid out
        lacking = PANEL_HIGH * letter - least
        if lacking <= 0.02:
            return True
        drawn.set_size_inches(wide, high + max(lacking, letter) * rows)
    return False


def _laid_out(drawn: Figure) -> RendererBase:
    """Lay a figure out if anything of it changed, and return what measures it.

    It is laid out and not drawn, which would take half as long again. It stays stale where it has
    no room.
    """
    canvas: Any = drawn.canvas  # matplotlib has no types for what it gives
    renderer: RendererBase = canvas.get_renderer()
    engine = drawn.get_layout_engine()
    if drawn.stale and engine is not None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            engine.execute(drawn)
        drawn.stale = any("collapsed" in str(warning.message) for warning in told)
    return renderer


# --- Texts ---------------------------------------------------------------------------------------


def _wrap(text: Text, room: float, renderer: RendererBase, *, is_upright: bool = False) -> None:
    words = text.get_text().replace(SOFT_END, " ")
    if not words:
        return
    text.set_text(words)
    letters = max(map(len, words.split("\n")))
    least = max(LEAST, *map(len, words.split()))
    while (length := _length(text, renderer, is_upright=is_upright)) > room and letters > least:
        letters = min(letters - 1, int(letters * room / length))
        text.set_text(_wrapped(words, letters))


def _length(text: Text, renderer: RendererBase, *, is_upright: bool) -> float:
    box = text.get_window_extent(renderer)
    return float(box.height if is_upright else box.width)


def _wrapped(words: str, letters: int) -> str:
    """Words in lines of so many letters; what stood on lines of its own still does."""
    letters = max(LEAST, letters)
    return "\n".join(
        part
        for line in words.split("\n")
        for part in textwrap.wrap(line, letters, break_long_words=False) or [""]
    )


def _raise_title(drawn: Figure, panels: Sequence[Axes]) -> None:
    """Let the title of one panel stand over the figure, which is wider."""
    if len(panels) == 1 and not drawn.get_suptitle():
        drawn.suptitle(panels[0].get_title())
        panels[0].set_title("")


def _wrap_heads(drawn: Figure, panels: Sequence[Axes], is_beside: bool) -> None:
    renderer = _laid_out(drawn)
    pixels = 0.95 * drawn.get_size_inches()[0] * drawn.dpi
    for text in (drawn._suptitle, drawn._supxlabel):  # type: ignore[attr-defined]
        if text is not None:
            _wrap(text, pixels, renderer)
    for axes in panels:
        box = axes.get_window_extent(renderer)
        _wrap(axes.title, box.width if is_beside else _room_around(axes, renderer), renderer)


def _wrap_sides(drawn: Figure, panels: Sequence[Axes]) -> None:
    renderer = _laid_out(drawn)
    for axes in drawn.axes:
        box = axes.get_window_extent(renderer)
        _wrap(axes.yaxis.label, box.height, renderer, is_upright=True)
        if axes in panels:
            room = min(1.1 * box.width, _room_around(axes, renderer))
            _wrap(axes.xaxis.label, room, renderer)


def _room_around(axes: Axes, renderer: RendererBase) -> float:
    """How wide a text may be that is centred on axes, so that the figure has all of it; pixels."""
    box, drawn = axes.get_window_extent(renderer), sheet_of(axes)
    middle = (box.x0 + box.x1) / 2
    return float(2 * min(middle, drawn.get_size_inches()[0] * drawn.dpi - middle))


def _thin_ticks(drawn: Figure, panels: Sequence[Axes], letter: float) -> None:
    """Let axes of numbers have only as many of them as have room beside each other.

    The figure is laid out once for all panels: fewer numbers make a panel hardly any wider.
    """
    renderer, gap = _laid_out(drawn), 0.6 * letter * drawn.dpi
    for axes in panels:
        if not isinstance(axes.xaxis.get_major_formatter(), ScalarFormatter):
            continue
        for count in range(MOST_NUMBERS, 0, -1):
            axes.xaxis.get_tightbbox(renderer)  # puts the numbers at their places
            low, high = sorted(axes.get_xlim())
            shown = (tick.label1 for tick in axes.xaxis.get_major_ticks()
                     if low <= tick.get_loc() <= high and tick.label1.get_visible())  # fmt: skip
            boxes = sorted(
                (label.get_window_extent(renderer) for label in shown if label.get_text()),
                key=lambda box: box.x0,
            )
            if all(one.x1 + gap < other.x0 for one, other in pairwise(boxes)):
                break
            axes.xaxis.set_major_locator(MaxNLocator(count, min_n_ticks=1))


def _wrap_groups(panels: Sequence[Axes], letter: float) -> None:
    """Let names of groups stand below their groups in lines, or upright where these are longer."""
    named = {
        axes: [tick.get_text().replace("\n", " ") for tick in axes.get_xticklabels()]
        for axes in panels
        if isinstance(axes.xaxis.get_major_formatter(), NAMED)
    }
    for axes, names in named.items():
        axes.set_xticks(axes.get_xticks(), [""] * len(names))  # they take no room from each other
    for axes, names in named.items():
        renderer = _laid_out(sheet_of(axes))
        low, high = axes.get_xlim()
        room = axes.get_window_extent(renderer).width / max(1.0, abs(high - low))
        letters = int(room / (0.6 * letter * sheet_of(axes).dpi))
        parts = [part for name in names for part in BREAKS.sub(" ", name).split()]
        longest = max(map(len, parts), default=0)
        turned = 90 if longest > letters else 0
        wrapped = [_broken(name, UPRIGHT_LETTERS if turned else letters) for name in names]
        axes.set_xticks(axes.get_xticks(), wrapped, rotation=turned, ha="center")


def _broken(name: str, letters: int) -> str:
    """A name in lines of so many letters, broken also behind what joins its parts."""
    lines = [""]
    for word in name.split(" "):
        for number, part in enumerate(BREAKS.split(word)):
            between = " " if lines[-1] and not number else ""
            if lines[-1] and len(lines[-1] + between + part) > letters:
                lines.append(part)
            else:
                lines[-1] += between + part
    return "\n".join(lines)


# --- Legends -------------------------------------------------------------------------------------


def _take_legends(drawn: Figure, panels: Sequence[Axes]) -> list[_Entries]:
    """Take all legends away, and return what they said; what panels say alike once."""
    found = []
    for legend in list(drawn.legends):
        found.append(_Entries(None, *_said(legend)))
        legend.remove()
    of_panels = []
    for axes in panels:
        if (own := axes.get_legend()) is not None:
            of_panels.append(_Entries(axes, *_said(own)))
            own.remove()
    if of_panels and all(one.labels == of_panels[0].labels for one in of_panels):
        return [*found, _Entries(None, of_panels[0].handles, of_panels[0].labels)]
    return found + of_panels


def _said(legend: Legend) -> tuple[list[Any], list[str]]:
    return list(legend.legend_handles), [text.get_text() for text in legend.get_texts()]


def _legends(drawn: Figure, panels: Sequence[Axes], entries: Sequence[_Entries]) -> None:
    below = drawn._supxlabel  # type: ignore[attr-defined]
    for one in entries:
        axes = one.axes
        if axes is None and below is not None:
            axes = panels[-1]  # what is written below all has that place
        renderer = _laid_out(drawn)
        room = drawn.get_size_inches()[0] * drawn.dpi
        if axes is not None and len({a.get_position().x0 for a in panels}) > 1:
            room = axes.get_window_extent(renderer).width * 1.2
        for columns in range(min(MOST_COLUMNS, len(one.labels)), 0, -1):
            legend = _legend(drawn, axes, one, columns, renderer)
            if (taken := legend.get_window_extent(renderer).width) <= 0.98 * room:
                break
            if columns > 1:
                legend.remove()
                continue
            longest = max(map(len, one.labels))
            for text in legend.get_texts():
                text.set_text(_wrapped(text.get_text(), int(longest * 0.9 * room / taken)))


def _legend(
    drawn: Figure, axes: Axes | None, one: _Entries, columns: int, renderer: RendererBase
) -> Legend:
    options: dict[str, Any] = {"frameon": False, "fontsize": "small", "ncols": columns}
    options |= {"columnspacing": 1.0, "handletextpad": 0.5}
    if axes is None:
        return drawn.legend(one.handles, one.labels, loc="outside lower center", **options)
    under = axes.xaxis.get_tightbbox(renderer)
    bottom = axes.get_window_extent(renderer).y0
    down = 0.0 if under is None else 1.05 * (bottom - under.y0) / drawn.dpi  # letters vary a little
    at = axes.transAxes + ScaledTranslation(0, -down, drawn.dpi_scale_trans)
    return axes.legend(one.handles, one.labels, loc="upper center", bbox_to_anchor=(0.5, 0.0),
                       bbox_transform=at, **options)  # fmt: skip
