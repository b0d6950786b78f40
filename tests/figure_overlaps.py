"""What of a figure lies over something else, by the boxes that the renderer measures."""

from __future__ import annotations

import itertools
import math

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

#: Pixels of a text's box that may lie over another's: boxes have room around letters.
SLACK = 2.0


def corners(text, renderer):
    """The four corners of a text's own box, turned as the text is; in pixels."""
    box, turned = text.get_window_extent(renderer), text.get_rotation()
    middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
    text.set_rotation(0)
    level = text.get_window_extent(renderer)
    text.set_rotation(turned)
    wide, high = max(0.0, level.width / 2 - SLACK), max(0.0, level.height / 2 - SLACK)
    along = np.array([math.cos(math.radians(turned)), math.sin(math.radians(turned))])
    across = np.array([-along[1], along[0]])
    return [middle + a * wide * along + b * high * across
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]  # fmt: skip


def of_box(box):
    return [np.array(at) for at in ((box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1),
                                    (box.x0, box.y1))]  # fmt: skip


def overlap(one, other):
    """Whether two rectangles, given by their corners, have an area in common."""
    for rectangle in (one, other):
        for start, end in itertools.pairwise([*rectangle[:3]]):
            edge = end - start
            if not edge.any():
                continue
            of_one, of_other = ([float(corner @ edge) for corner in each] for each in (one, other))
            if max(of_one) <= min(of_other) or max(of_other) <= min(of_one):
                return False
    return True


def texts_of(drawn):
    """Visible texts outside of the axes' areas, and those within, of a figure."""
    outside = [text for text in (drawn._suptitle, drawn._supxlabel) if text is not None]
    within = []
    for legend in drawn.legends:
        outside += legend.get_texts()
    for axes in drawn.axes:
        if axes.get_legend() is not None:
            outside += axes.get_legend().get_texts()
        outside += [axes.title, axes.xaxis.label, axes.yaxis.label] if axes.axison else [axes.title]
        within += axes.texts
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            near = (high - low) * 1e-6
            for tick in axis.get_major_ticks():
                if low - near <= tick.get_loc() <= high + near:
                    outside += [tick.label1, tick.label2]
    return tuple(
        [text for text in some if text.get_visible() and text.get_text().strip()]
        for some in (outside, within)
    )


def faults_of(drawn):
    """What is wrong with a figure's layout, in words; nothing where all is well."""
    drawn.draw_without_rendering()
    renderer = FigureCanvasAgg(drawn).get_renderer()
    outside, within = texts_of(drawn)
    boxes = {text: corners(text, renderer) for text in (*outside, *within)}
    wide, high = drawn.get_size_inches() * drawn.dpi
    found = []
    for text, box in boxes.items():
        if any(x < -1 or y < -1 or x > wide + 1 or y > high + 1 for x, y in box):
            found.append(f"cut off at the edge: {text.get_text()!r}")
    for one, other in itertools.combinations(boxes, 2):
        if overlap(boxes[one], boxes[other]):
            found.append(f"over each other: {one.get_text()!r} and {other.get_text()!r}")
    for axes in drawn.axes:
        area = of_box(axes.get_window_extent(renderer))
        found += [f"over a panel: {text.get_text()!r}" for text in outside
                  if overlap(boxes[text], area)]  # fmt: skip
        panel = axes.get_window_extent(renderer)
        if axes.get_subplotspec() is not None and min(panel.width, panel.height) < 0.4 * drawn.dpi:
            found.append(f"a panel of {panel.width:.0f} by {panel.height:.0f} pixels")
    return found
