"""What people see where little changes, and whom they remember to have met."""

from __future__ import annotations

import random

from tests.test_piano import agent
from voxpolis.bots.agents.piano import Met, digest
from voxpolis.bots.agents.piano.digest import MET
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.time import SimulatedTime
from voxpolis.records import SimulatedClock

NAMES = [f"P{i}" for i in range(20)]


def looking():
    here = SimulatedTime(SimulatedClock())
    one = agent(here, ScriptedModel(lambda _: "NOTHING"))
    one.body.near = lambda: one.body.audience  # as a village does, the same list until it changes
    return here, one


async def test_whom_one_met_is_what_writing_each_look_down_shows():
    """Beside a plain account of all looks; what a digest tells stays as it was."""
    rng = random.Random(0)
    here, one = looking()
    plain, told = {}, []
    for second in range(400):
        await here.pass_until(float(second))
        if rng.random() < 0.4:
            one.body.audience = rng.sample(NAMES, rng.choice((0, 1, 2, 5)))
        elif rng.random() < 0.3:
            one.body.audience = list(reversed(one.body.audience))
        if rng.random() < 0.2:
            one.body.at = rng.choice(("work", "temple"))
        seen = digest(one)
        near = sorted(one.body.audience)
        for name in near:
            plain.pop(name, None)
            plain[name] = Met(float(second), one.body.at)
        far = [(name, met) for name, met in reversed(plain.items()) if name not in near][:MET]
        assert (seen.seen.near, seen.seen.place) == (tuple(near), one.body.at)
        assert list(seen.met.items()) == far
        told.append((seen, str(seen)))
        if rng.random() < 0.1:
            assert list(one.met.items()) == list(plain.items())
    assert set(plain) == {"Ben", *NAMES}
    assert all(str(seen) == text for seen, text in told)


async def test_where_nothing_changed_it_is_the_same_sight():
    here, one = looking()
    one.body.audience = ["Ben", "Ada"]
    first = digest(one)
    await here.pass_until(9.0)
    second = digest(one)
    assert second.seen is first.seen
    assert second.met is first.met
    one.body.held["wheat"] -= 1
    third = digest(one)
    assert third.seen.inventory != first.seen.inventory == {"wheat": 10}
    assert one.met["Ada"] == Met(9.0, "work")
