"""Fits figures to a width, so that nothing overlaps. Sizes are measured, not guessed.

Panels that would be too narrow are placed below each other, legends are placed outside the axes,
texts are wrapped, and the height of a figure follows from its panels.
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
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter, MaxNLocator, ScalarFormatter
from matplotlib.transforms import ScaledTranslation

from voxpolis.analysis.figures.drawing import SOFT_END, sheet_of

POINTS = 72
# Minimum width and height of a panel, in letter heights. Panels with a shared y scale show its
# numbers only once.
PANEL, PANEL_OF_ONE_SCALE, PANEL_HIGH = 20, 14, 13
# Maximum number of columns in a legend.
MOST_COLUMNS = 6
# Maximum number of tick labels on an axis if they would otherwise overlap.
MOST_NUMBERS = 4
# Maximum number of layout passes.
TRIES = 8
# Group names: line length when horizontal, and the characters after which they may be broken.
UPRIGHT_LETTERS = 28
BREAKS = re.compile(r"(?<=[_/,+])(?=\w)")
# Type of axes whose ticks have names.
NAMED = (FixedFormatter, FuncFormatter, StrCategoryFormatter)
# Minimum line length, in letters.
LEAST = 8


@dataclass
class _Entries:
    """The entries of a legend. ``axes`` is the panel to which the legend belongs, or None for all
    panels.
    """

    axes: Axes | None
    handles: Sequence[Any]
    labels: Sequence[str]


def fit(drawn: Figure, width: float) -> bool:
    """Set the width of a figure in inches, and adjust its height. Return whether everything
    fits.
    """
    FigureCanvasAgg(drawn)  # one canvas for all measurements, because it caches text widths
    letter = mpl.rcParams["font.size"] / POINTS
    was_wide, was_high = drawn.get_size_inches()
    panels = _panels(drawn)
    _raise_title(drawn, panels)
    entries = _take_legends(drawn, panels)
    rows = _restack(drawn, panels, width, letter)
    shape = was_high / was_wide * width
    drawn.set_size_inches(width, max(shape, rows * (PANEL_HIGH + 4) * letter))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warnings that the layout does not fit yet
        _wrap_groups(panels, letter)
        _wrap_heads(drawn, panels, len(panels) > rows)
        _legends(drawn, panels, entries)
        _grow(drawn, panels, rows, letter)
        _wrap_sides(drawn, panels)
        _thin_ticks(drawn, panels, letter)
        _wrap_heads(drawn, panels, len(panels) > rows)
        return _grow(drawn, panels, rows, letter)


def _panels(drawn: Figure) -> list[Axes]:
    """Return the panels in order. Colour bars, and panels without content, are left out."""
    for axes in drawn.axes:
        if not (axes.axison or axes.has_data() or axes.texts):
            axes.remove()
    return [axes for axes in drawn.axes if axes.get_subplotspec() is not None]


# --- Rows ----------------------------------------------------------------------------------------


def _restack(drawn: Figure, panels: Sequence[Axes], width: float, letter: float) -> int:
    """Arrange the panels in as many columns as fit. Return the number of rows."""
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
    """Give each panel the axis labels that only the outer panels had."""
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
    """Increase the height of the figure until the panels are high enough. Return whether they
    are.
    """
    for _ in range(TRIES):
        _laid_out(drawn)
        wide, high = drawn.get_size_inches()
        least = min(axes.get_position(original=True).height * high for axes in panels)
        if drawn.stale:
            least = 0.0  # the layout failed
        lacking = PANEL_HIGH * letter - least
        if lacking <= 0.02:
            return True
        drawn.set_size_inches(wide, high + max(lacking, letter) * rows)
    return False


def _renderer(drawn: Figure) -> RendererBase:
    canvas: Any = drawn.canvas  # matplotlib has no types for it
    found: RendererBase = canvas.get_renderer()
    return found


def _laid_out(drawn: Figure) -> RendererBase:
    """Lay a figure out if it has changed. Return the renderer, which can measure it.

    Laying out without drawing saves a third of the time. If the layout fails, the figure stays
    marked as changed (``stale``).
    """
    engine = drawn.get_layout_engine()
    if drawn.stale and engine is not None:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", UserWarning)
            engine.execute(drawn)
        drawn.stale = any("collapsed" in str(warning.message) for warning in told)
    return _renderer(drawn)


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
    letters = max(LEAST, letters)
    return "\n".join(
        SOFT_END.join(textwrap.wrap(line, letters, break_long_words=False))
        for line in words.split("\n")
    )


def _raise_title(drawn: Figure, panels: Sequence[Axes]) -> None:
    """Move the title of a single panel to the figure, which has more space for the title. If the
    figure has a title, too, add the panel's title to its first line.
    """
    if len(panels) == 1 and (own := panels[0].get_title()):
        title, line_end, rest = drawn.get_suptitle().partition("\n")
        drawn.suptitle(f"{title}: {own}{line_end}{rest}" if title else own)
        panels[0].set_title("")


def _wrap_heads(drawn: Figure, panels: Sequence[Axes], is_beside: bool) -> None:
    pixels = 0.95 * drawn.get_size_inches()[0] * drawn.dpi
    for text in (drawn._suptitle, drawn._supxlabel):  # type: ignore[attr-defined]
        if text is not None:
            _wrap(text, pixels, _renderer(drawn))
    titled = [axes for axes in panels if axes.get_title()]
    if titled:
        renderer = _laid_out(drawn)
    for axes in titled:
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
    """Return how wide text can be, in pixels, if it is centred on the axes and must fit into the
    figure. A margin remains, because a later layout may move the axes slightly.
    """
    box, drawn = axes.get_window_extent(renderer), sheet_of(axes)
    middle = (box.x0 + box.x1) / 2
    return float(1.9 * min(middle, drawn.get_size_inches()[0] * drawn.dpi - middle))


def _thin_ticks(drawn: Figure, panels: Sequence[Axes], letter: float) -> None:
    """Show fewer numbers on axes until the numbers do not overlap.

    The figure is only laid out once for all panels, because fewer numbers hardly change the width
    of a panel.
    """
    renderer, gap = _laid_out(drawn), 0.6 * letter * drawn.dpi
    for axes in panels:
        if not isinstance(axes.xaxis.get_major_formatter(), ScalarFormatter):
            continue
        for count in range(MOST_NUMBERS, 0, -1):
            axes.xaxis.get_tightbbox(renderer)  # positions the numbers
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
    """Wrap the names below groups. If the wrapped names would need more height than rotated names,
    rotate them instead. If panels below each other have the same names, only the lowest shows them.
    """
    named = {
        axes: [tick.get_text().replace("\n", " ") for tick in axes.get_xticklabels()]
        for axes in panels
        if isinstance(axes.xaxis.get_major_formatter(), NAMED)
    }
    lowest = {(_column(axes), *names): axes for axes, names in named.items()}
    for axes, names in named.items():
        # so that group names do not affect each other's space
        axes.set_xticks(axes.get_xticks(), [""] * len(names))
    for axes, names in named.items():
        if lowest[_column(axes), *names] is not axes:
            continue
        renderer = _laid_out(sheet_of(axes))
        low, high = axes.get_xlim()
        room = axes.get_window_extent(renderer).width / max(1.0, abs(high - low))
        letters = int(room / (0.6 * letter * sheet_of(axes).dpi))
        parts = [part for name in names for part in BREAKS.sub(" ", name).split(" ")]
        longest = max(map(len, parts), default=0)
        turned = 90 if longest > letters else 0
        wrapped = [_broken(name, UPRIGHT_LETTERS if turned else letters) for name in names]
        axes.set_xticks(axes.get_xticks(), wrapped, rotation=turned, ha="center")


def _column(axes: Axes) -> int:
    spec = axes.get_subplotspec()
    return -1 if spec is None else int(spec.colspan.start)


def _broken(name: str, letters: int) -> str:
    """Break a name into lines, at blanks or after characters that join the parts of the name."""
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
    """Remove all legends and return their entries. Entries that all panels share are returned
    once.
    """
    found = []
    for legend in list(drawn.legends):
        found.append(_Entries(None, *_legend_texts(legend)))
        legend.remove()
    of_panels = []
    for axes in panels:
        if (own := axes.get_legend()) is not None:
            of_panels.append(_Entries(axes, *_legend_texts(own)))
            own.remove()
    if of_panels and all(one.labels == of_panels[0].labels for one in of_panels):
        return [*found, _Entries(None, of_panels[0].handles, of_panels[0].labels)]
    return found + of_panels


def _legend_texts(legend: Legend) -> tuple[list[Any], list[str]]:
    return list(legend.legend_handles), [text.get_text() for text in legend.get_texts()]


def _legends(drawn: Figure, panels: Sequence[Axes], entries: Sequence[_Entries]) -> None:
    caption = drawn.get_supxlabel()
    if any(one.axes is None for one in entries) and caption:
        # the layout has space below for a legend or a caption: one becomes part of the other
        drawn.supxlabel("").set_in_layout(False)
    for one in entries:
        axes, renderer = one.axes, _renderer(drawn)
        room = drawn.get_size_inches()[0] * drawn.dpi
        if axes is not None and len({a.get_position().x0 for a in panels}) > 1:
            room = axes.get_window_extent(renderer).width * 1.2
        for columns in range(min(MOST_COLUMNS, len(one.labels)), 0, -1):
            legend = _legend(drawn, axes, one, columns, renderer)
            if axes is None:
                legend.set_title(caption, FontProperties(size="x-small"))
            if (taken := legend.get_window_extent(renderer).width) <= 0.98 * room:
                break
            if columns > 1:
                legend.remove()
                continue
            longest = max(map(len, one.labels))
            for text in legend.get_texts():
                wrapped = _wrapped(text.get_text(), int(longest * 0.9 * room / taken))
                text.set_text(wrapped.replace(SOFT_END, "\n"))


def _legend(
    drawn: Figure, axes: Axes | None, one: _Entries, columns: int, renderer: RendererBase
) -> Legend:
    options: dict[str, Any] = {"frameon": False, "fontsize": "small", "ncols": columns}
    options |= {"columnspacing": 1.0, "handletextpad": 0.5, "alignment": "left"}
    if axes is None:
        return drawn.legend(one.handles, one.labels, loc="outside lower center", **options)
    under = axes.xaxis.get_tightbbox(renderer)
    bottom = axes.get_window_extent(renderer).y0
    down = 0.0 if under is None else 1.05 * (bottom - under.y0) / drawn.dpi  # letters vary slightly
    at = axes.transAxes + ScaledTranslation(0, -down, drawn.dpi_scale_trans)
    return axes.legend(one.handles, one.labels, loc="upper center", bbox_to_anchor=(0.5, 0.0),
                       bbox_transform=at, **options)  # fmt: skip
