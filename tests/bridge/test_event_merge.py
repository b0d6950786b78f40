"""Events of several hosts, merged in order of time."""

from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from voxpolis.bridge.bridge import EventMerge
from voxpolis.records.events import Log

HOLD_S = 0.2


def said(host, t):
    return Log(t=t, episode=0, agent=host, text="")


def merging():
    handed, wall = [], SimpleNamespace(now=0.0)
    return EventMerge(handed.append, HOLD_S, lambda: wall.now), handed, wall


pieces = st.lists(
    st.tuples(st.sampled_from("abc"), st.floats(0, 1), st.integers(0, 3)), max_size=40
)


@given(pieces)
def test_events_from_all_hosts_are_merged_in_time_order(told):
    """Hosts answer one after another, each with the events since its last answer."""
    merge, handed, _ = merging()
    at, everything = dict.fromkeys("abc", 0.0), []
    for host in at:
        merge.add(host, [], 0.0)
    for host, passes, count in told:
        step = passes / (count + 1)
        events = [said(host, at[host] + step * (number + 1)) for number in range(count)]
        at[host] += passes
        everything += events
        merge.add(host, events, at[host])
        times = [event.t for event in handed]
        assert times == sorted(times)
        assert all(event.t <= min(at.values()) for event in handed)
    for host in at:
        merge.end(host)
    assert len(handed) == len(everything)
    for host in at:
        assert [e for e in handed if e.agent == host] == [e for e in everything if e.agent == host]


def test_events_from_a_single_host_are_not_delayed():
    merge, handed, _ = merging()
    assert not merge.add("a", [said("a", 5.0)], 4.0)
    assert len(handed) == 1


def test_a_hung_host_does_not_delay_events_from_others():
    merge, handed, wall = merging()
    merge.add("hangs", [], 1.0)
    assert merge.add("a", [said("a", 2.0)], 2.0)
    assert handed == []
    wall.now = HOLD_S / 2
    assert merge.add("a", [said("a", 3.0)], 3.0)
    wall.now = HOLD_S
    assert merge.release()
    assert [event.t for event in handed] == [2.0], "the other came later"
    wall.now = 2 * HOLD_S
    assert not merge.release()
    assert [event.t for event in handed] == [2.0, 3.0]


def test_events_from_a_lost_host_precede_the_report_of_its_loss():
    merge, handed, _ = merging()
    merge.add("other", [], 1.0)
    merge.add("lost", [said("lost", 2.0)], 2.0)
    merge.end("lost")
    merge.add("bridge", [said("bridge", 2.5)], float("inf"))
    merge.add("other", [said("other", 2.2)], 3.0)
    assert [event.t for event in handed] == [2.0, 2.2, 2.5]


def test_a_reply_follows_earlier_events_of_its_host():
    merge, handed, _ = merging()
    merge.add("other", [], 1.0)
    merge.add("a", [], 1.5, lambda: handed.append("at once"))
    merge.add("a", [said("a", 2.0)], 2.0, lambda: handed.append("then"))
    assert handed == ["at once"]
    merge.add("other", [], 2.5)
    assert handed[1].t == 2.0
    assert handed[2] == "then"
