"""What reports are made of: timelines of records, and what came of a run in a sentence."""

from __future__ import annotations

import pytest

from analysis.report.encoder import TimelineEncoder
from analysis.report.story import outcome
from records import events


def test_a_kind_is_told_by_its_class_alone():
    """Of every kind but samples a batch has its lane and its line, of some the whole event."""
    encoder = TimelineEncoder()
    for number, kind in enumerate(events.kinds()):
        encoder.take({"t": number, "kind": kind.model_fields["kind"].default})
    encoder.take({"t": 1e3, "kind": "chat", "text": "Hi"})
    encoder.take({"t": 1e3, "kind": "of_the_future", "what": "news"})
    batch = encoder.batch()
    lanes = dict(batch["kinds"])
    listed = [kind for kind in events.kinds() if kind.lane is not None]
    assert set(lanes) > {kind.model_fields["kind"].default for kind in listed}
    assert "apple_grown" not in lanes
    assert (lanes["chat"], lanes["vote"], lanes["of_the_future"]) == ("talk", "rules", "run")
    assert set(lanes.values()) == set(events.LANES)
    assert batch["texts"][-2:] == ["“Hi”", "what: news"]
    assert batch["texts"][list(lanes).index("vote")] == "", "it has no choices"
    assert batch["details"][list(lanes).index("vote")] is not None
    assert batch["details"][-2] is None


def test_the_first_convert_is_nobody_who_believed_before():
    encoder = TimelineEncoder()
    for agent, believed in (("Priest", True), ("Ann", False)):
        told = {"kind": "converted", "agent": agent, "level": 2, "position": (0, 0, 0)}
        encoder.take({**told, "t": 1.0, "episode": 0, "believed": believed})
    batch = encoder.batch()
    assert batch["chapters"]["title"] == ["first convert, level 2"]
    assert batch["agents"][batch["chapters"]["agent"][0]] == "Ann"
    assert batch["levels"]["believed"] == [True, False]


def test_conditions_never_share_a_line():
    """Each episode's taxes are a line of its own, which is called by its condition."""
    encoder = TimelineEncoder()
    for episode, condition in enumerate(("pro", "anti", "pro")):
        t = 100.0 * episode
        told = {"t": t, "episode": episode}
        encoder.take({**told, "kind": "condition_started", "condition": condition, "agents": []})
        for agent, share in (("Ada", 0.1), ("Ben", 0.3)):
            paid = {"kind": "tax_paid", "season": 1, "share": share, "agent": agent}
            encoder.take({**told, **paid})
    points = encoder.batch()["points"]
    lines = dict(zip(points["series"], points["y"], strict=True))
    assert lines == {"pro": 20.0, "anti": 20.0, "pro, run 2": 20.0}


def test_a_society_is_of_those_who_live_in_it():
    """Of several episodes in one run each has its own people on the map."""
    encoder = TimelineEncoder()
    for episode, agents in enumerate((["Ada", "Lila"], ["Chef", "Ada"])):
        told = {"t": 10.0 * episode, "episode": episode}
        encoder.take({**told, "kind": "condition_started", "condition": "c", "agents": agents})
    batch = encoder.batch()
    assert batch["agents"] == ["Ada", "Lila", "Chef"]
    assert batch["casts"] == {"t": [0.0, 10.0], "agents": [[0, 1], [2, 0]]}


@pytest.mark.parametrize(
    ("facts", "result", "said"),
    [
        ({}, None, "There is no result: the run has not ended, or was cut off."),
        ({}, {"error": "no server"}, "The run failed: no server"),
        (
            {"scenario": "double_vein", "contract": "1"},
            {"mean": {"welfare": 78.0, "gini": 0.05}, "runs": [{"condition": "1"}] * 2},
            "2 episodes of double vein under contract 1: on average welfare 78, gini 0.05.",
        ),
        (
            {"scenario": "taxation"},
            {
                "mean": {"welfare": 1.0},
                "runs": [
                    {"condition": "pro", "tax_share_before": 0.2, "tax_share_after": 0.3},
                    {"condition": "anti", "tax_share_before": 0.1},
                    {"condition": "anti", "tax_share_before": 0.3},
                ],
            },
            "3 episodes of taxation under 2 conditions: pro 20.0% of what they held paid before "
            "the vote, 30.0% after it; anti on average 20.0% of what they held paid before the "
            "vote.",
        ),
    ],
)
def test_what_came_of_a_run_is_a_sentence(facts, result, said):
    assert outcome(facts, result) == said
