"""Memory in large pages, where the system has them.

A society of thousands is looked at all over: hardly anything of who wakes is in the processor's
caches, and to find out where each page of 4 kB lies takes it an eighth of its time
(``docs/benchmarks.md``). Linux moves what a process has into pages of 2 MB where it is asked to.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

#: Says how large such pages are, in bytes, where there are any.
SIZE_FILE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
MAPS_FILE = Path("/proc/self/maps")
#: What madvise(2) calls it, since Linux 6.1.
MADV_COLLAPSE = 25


def move_into_large_pages() -> None:
    """Move this process's memory into large pages; where there are none nothing happens.

    What is there already stays, so that it can be asked for again and again as memory grows.
    """
    try:
        size = int(SIZE_FILE.read_text())
        maps = MAPS_FILE.read_text()
    except (OSError, ValueError):
        return
    madvise = ctypes.CDLL(None).madvise
    for start, end in _own_memory(maps):
        first, behind = -(-start // size) * size, end // size * size
        if first < behind:  # a system that does not know how refuses, and all stays as it is
            madvise(ctypes.c_void_p(first), ctypes.c_size_t(behind - first), MADV_COLLAPSE)


def _own_memory(maps: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where memory lies that can be written to and is of no file."""
    for line in maps.splitlines():
        span, mode, _, _, inode, *name = line.split()
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = span.split("-")
            yield int(start, 16), int(end, 16)
