"""Trees of a commons: the sites of apples that are near each other."""

from __future__ import annotations

from collections.abc import Sequence

from voxpolis.bots.agents.turns import Cell


def near(one: Cell, other: Cell, radius: int) -> bool:
    """Whether two cells are within a radius of each other (Euclidean)."""
    rows, columns = one[0] - other[0], one[1] - other[1]
    return rows * rows + columns * columns <= radius * radius


def trees_of(sites: Sequence[Cell], radius: int) -> dict[Cell, int]:
    """Return the number of each site's tree, from 1, by union-find.

    Two sites are of one tree where a chain of sites links them, each within ``radius`` of the next.
    Trees are numbered by their first site, row by row.
    """
    parent = {site: site for site in sites}

    def root(site: Cell) -> Cell:
        while parent[site] != site:
            parent[site] = parent[parent[site]]
            site = parent[site]
        return site

    for one in sites:
        for other in sites:
            if near(one, other, radius):
                first, second = sorted((root(one), root(other)))
                parent[second] = first
    numbers = {top: number for number, top in enumerate(sorted(set(map(root, sites))), start=1)}
    return {site: numbers[root(site)] for site in sites}
