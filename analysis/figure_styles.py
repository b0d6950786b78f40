"""How figures look where they are to stand: on a screen, in a paper's column, on a slide.

On a screen texts of SVG stay texts, which can be searched; for papers and slides they become
outlines, and PDF has its fonts inside, so that a figure looks the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Style(StrEnum):
    """Where a figure is to stand."""

    SCREEN = "screen"
    PAPER = "paper"
    SLIDES = "slides"


class Format(StrEnum):
    """Of a file."""

    PDF = "pdf"
    SVG = "svg"
    PNG = "png"


_ALL: Mapping[str, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.titlesize": "medium",
    "figure.titlesize": "medium",
    "grid.alpha": 0.25,
    "pdf.fonttype": 42,  # TrueType, embedded: what journals ask for
    "svg.hashsalt": "voxpolis",
    "text.parse_math": False,  # names of agents and conditions are texts, dollars and all
}
# Settings of matplotlib by style; sizes of texts are in points.
SETTINGS: Mapping[Style, Any] = {
    Style.SCREEN: {**_ALL, "font.size": 10, "svg.fonttype": "none"},
    Style.PAPER: {
        **_ALL,
        "font.size": 7.5,
        "svg.fonttype": "path",
        "axes.linewidth": 0.6,
        "lines.linewidth": 1.0,
        "hatch.linewidth": 0.5,
    },
    Style.SLIDES: {
        **_ALL,
        "font.size": 16,
        "axes.titlepad": 10,  # above the half of a number that stands at the top of an axis
        "svg.fonttype": "path",
        "lines.linewidth": 2.5,
        "axes.linewidth": 1.2,
    },
}
# Inches that a figure is wide where nothing is said: a column of two, and a slide's text.
WIDTHS: Mapping[Style, float | None] = {
    Style.SCREEN: None,
    Style.PAPER: 3.3,
    Style.SLIDES: 10.0,
}
