"""Memory is moved into large pages where the system has them, and nowhere else."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import pytest

from voxpolis.experiments.loops.society import society as large_pages
from voxpolis.experiments.loops.society.society import SIZE_FILE, move_into_large_pages

#: Linux moves memory on request since then.
SINCE = (6, 1)


def in_large_pages():
    """Return how many kB of this process's memory are in large pages."""
    rolled = Path("/proc/self/smaps_rollup").read_text()
    return int(re.search(r"^AnonHugePages:\s+(\d+) kB$", rolled, re.MULTILINE)[1])


def knows_how():
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    is_new = version is not None and tuple(map(int, version.groups())) >= SINCE
    return is_new and SIZE_FILE.exists()


@pytest.mark.skipif(not knows_how(), reason="this system has no large pages on request")
def test_what_is_there_is_moved_and_stays_the_same():
    held = [f"somebody {number}" for number in range(300_000)]
    move_into_large_pages()
    assert in_large_pages() >= 8 * 1024
    move_into_large_pages()  # what is moved already
    assert held == [f"somebody {number}" for number in range(300_000)]


@pytest.mark.parametrize("size", [None, "unknown"])
def test_where_there_are_none_nothing_happens(tmp_path, monkeypatch, size):
    file = tmp_path / "size"
    if size is not None:
        file.write_text(size)
    monkeypatch.setattr(large_pages, "SIZE_FILE", file)
    monkeypatch.setattr(large_pages.ctypes, "CDLL", None)
    move_into_large_pages()
