"""The page's files put together: one HTML text with its modules and styles inside."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Literal

PAGE = Path(__file__).parent / "page"


def page(source: Literal["packed", "live"], packed: str = "", token: str = "") -> str:
    """The page as HTML.

    ``packed`` are its elements with data; ``token`` lets a live page take part in its run.

    Modules are in an import map, each as a ``data:`` address: a page is one file, and they stay
    files that can be read and checked.
    """
    modules = {f"report/{path.name}": _address(path) for path in sorted(PAGE.glob("*.js"))}
    parts = {
        "__SOURCE__": source,
        "__TOKEN__": token,
        "__STYLE__": (PAGE / "style.css").read_text(encoding="utf-8"),
        "__MODULES__": json.dumps({"imports": modules}),
        "__PACKED__": packed,
    }
    text = (PAGE / "page.html").read_text(encoding="utf-8")
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return text


def _address(path: Path) -> str:
    return "data:text/javascript;base64," + base64.b64encode(path.read_bytes()).decode()
