"""Who is near whom on the computed plane, beside a plain look at everybody."""

from __future__ import annotations

import math
import random

import pytest

from voxpolis.worlds.crowd import Crowd
from voxpolis.worlds.society import WALKING_SPEED

REACH = 6.0


class Walks:
    """People who stand, or walk straight to somewhere; where they are follows from the time."""

    def __init__(self, starts):
        self.now = 0.0
        self.ways = [(*start, 0.0, 0.0, 0.0, 0.0) for start in starts]

    def at(self, i):
        x, z, east, south, left, there = self.ways[i]
        walked = min(self.now, there) - left
        return (x + east * walked, z + south * walked)

    def go(self, i, to, speed):
        start = self.at(i)
        seconds = math.dist(start, to) / speed
        pace = [(b - a) / seconds if seconds else 0.0 for a, b in zip(start, to, strict=True)]
        self.ways[i] = (*start, *pace, self.now, self.now + seconds)

    def near(self, i):
        here = self.at(i)
        others = range(len(self.ways))
        return [f"P{j}" for j in others if j != i and math.dist(here, self.at(j)) <= REACH]


@pytest.mark.parametrize("seed", range(6))
def test_near_is_who_a_look_at_everybody_finds(seed):
    """Steps of a tenth of a second to many; people turn round on their way, and go nowhere."""
    rng = random.Random(seed)
    side = 60.0 if seed % 2 else 25.0

    def anywhere():
        return (rng.uniform(-side, side), rng.uniform(-side, side))

    walks = Walks([anywhere() for _ in range(60)])
    names = [f"P{i}" for i in range(60)]
    crowd = Crowd(names, lambda: walks.now, walks.ways, REACH)
    met = 0
    for _ in range(400):
        walks.now += rng.choice((0.0, 0.1, 0.7, 1.0, 3.0, 9.0))
        for i in rng.sample(range(60), rng.choice((0, 1, 5))):
            to = walks.at(i) if rng.random() < 0.1 else anywhere()
            walks.go(i, to, WALKING_SPEED * rng.choice((1.0, 0.5, 3.0)))
            crowd.set_out(i)
        for i in rng.sample(range(60), 10):
            found = crowd.near(i)
            assert found == walks.near(i), (walks.now, i)
            met += len(found)
    assert met > 500
