"""Styles of figures for a screen, for the column of a paper, or for a slide.

In SVG files for screens, text stays searchable. For papers and slides, text becomes outlines, and
PDF files contain their fonts, so that a figure looks the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Style(StrEnum):
    """Where a figure will be shown."""

    SCREEN = "screen"
    PAPER = "paper"
    SLIDES = "slides"


class Format(StrEnum):
    """The format of a figure's file."""

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
    "pdf.fonttype": 42,  # TrueType, embedded: required by journals
    "svg.hashsalt": "voxpolis",
    # Names of agents and conditions are literal text, even with dollar signs.
    "text.parse_math": False,
}
# Matplotlib settings by style; text sizes in points.
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
        "axes.titlepad": 10,  # leaves room for a number at the top of an axis
        "svg.fonttype": "path",
        "lines.linewidth": 2.5,
        "axes.linewidth": 1.2,
    },
}
# Default width of a figure in inches.
WIDTHS: Mapping[Style, float | None] = {
    Style.SCREEN: None,
    Style.PAPER: 3.3,
    Style.SLIDES: 10.0,
}
