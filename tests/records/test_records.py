"""Records can be read after they are written, even after a kill."""

from __future__ import annotations

import json
import math
from typing import Literal

import numpy as np
import pytest

from voxpolis.records import (
    RunReader,
    RunWriter,
    events,
    find_runs,
    new_run_folder,
    read_record,
)
from voxpolis.records.writer import NotFiniteError


@pytest.fixture
def writer(tmp_path):
    with RunWriter(new_run_folder(tmp_path, "example"), {"seed": 3}) as writer:
        yield writer


def test_records_round_trip(writer):
    writer.event(events.RunStarted, scenario="example", mind="scripted")
    writer.episode = 1
    dug = writer.event(events.BlockDug, "Gizmo", block="stone", position=(1, 2, 3))
    writer.write_call({"role": "action", "answer": "…"})
    writer.write_result({"welfare": 1})
    record = read_record(writer.folder)
    assert record.problems == []
    assert record.manifest["seed"] == 3
    assert record.of(events.BlockDug) == [dug]
    assert record.events[1].episode == 1
    assert record.calls[0]["role"] == "action"
    assert record.result == {"welfare": 1}


def test_names_from_earlier_versions_are_converted_to_current_ones(writer):
    writer.event(events.Intervention, action="continue", by="Ann", text="after 2 s")
    writer.event(events.PredictionSettled, "Bo", number=1, is_true=True, brier=0.25)
    writer.write_result({"runs": [{"statements": {"claimed": 3}}]})
    names = {"continue": "go_on", "is_true": "came", "statements": "words_and_deeds"}
    for path in (writer.folder / "events.jsonl", writer.folder / "result.json"):
        text = path.read_text()
        for today, before in names.items():
            text = text.replace(f'"{today}"', f'"{before}"')
        assert any(before in text for before in names.values())
        path.write_text(text)
    record = read_record(writer.folder)
    assert record.problems == []
    assert record.of(events.Intervention)[0].action == "continue"
    assert record.of(events.PredictionSettled)[0].is_true is True
    assert record.result == {"runs": [{"statements": {"claimed": 3}}]}


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_result_with_nan_or_infinity_is_refused_with_its_path(writer, number):
    with pytest.raises(NotFiniteError, match=r"for mean\.gains\.1$"):
        writer.write_result({"runs": [1.0], "mean": {"gains": [2, number], "gini": number}})
    assert not list(writer.folder.glob("result.json*"))
    with pytest.raises(NotFiniteError, match="JSON cannot represent"):
        writer.write_result({"count": {1, 2}})
    writer.write_result({"count": np.int64(3)})
    assert RunReader(writer.folder).result() == {"count": 3}


def test_a_result_is_never_replaced_by_one_with_fewer_runs(tmp_path):
    with RunWriter(tmp_path, {}) as writer:
        writer.write_result({"runs": [{}, {}]})
        writer.write_result({"runs": [{}], "unfinished": True})
        assert RunReader(tmp_path).result() == {"runs": [{}, {}]}
        writer.write_result({"runs": [{}, {}, {}]})
    assert RunReader(tmp_path).result() == {"runs": [{}, {}, {}]}


def test_one_class_is_enough_to_define_an_event_kind(tmp_path):
    """It is enough to write, read and describe the kind's events, and to find it by origin."""

    class Sneezed(events.Event, origin="bot", lane="talk", in_words="sneezes {times} times"):
        kind: Literal["sneezed"] = "sneezed"
        times: int

    try:
        with RunWriter(tmp_path, {}) as writer:
            sneezed = writer.event(Sneezed, "Gizmo", times=3)
        assert read_record(tmp_path).of(Sneezed) == [sneezed]
        assert Sneezed in events.kinds("bot", "world")
        assert Sneezed not in events.kinds("mind")
        assert (events.named("sneezed"), events.lane_of("sneezed")) == (Sneezed, "talk")
        assert events.summary_of({"kind": "sneezed", "t": 1, "times": 3}) == "sneezes 3 times"
        assert events.summary_of({"kind": "sneezed", "t": 1, "often": True}) == "often: True"
        program = {"kind": "code_started", "t": 1, "agent": "Ada", "code": "// nothing\n"}
        assert events.summary_of(program) == "has no program: it does nothing"
        program["code"] = "WAIT\n"
        assert events.summary_of(program) == "starts a program of 1 line"
        with pytest.raises(TypeError, match="sneezed is already the kind of Sneezed"):

            class Again(Sneezed, origin="bot", lane="talk"):
                pass

        with pytest.raises(TypeError, match=r"in_words of Loud .*often"):

            class Loud(Sneezed, origin="bot", lane="talk", in_words="sneezes {often:g} times"):
                pass

    finally:
        events.base._KINDS.pop("sneezed")
    with pytest.raises(TypeError, match="needs a default for kind"):

        class Nameless(events.Event, origin="bot", lane="talk"):
            pass


def test_events_are_numbered_and_calls_name_their_cause(writer):
    started = writer.event(events.RunStarted, scenario="example", mind="scripted")
    writer.write_call({"role": "judge"})
    said = writer.event(events.Chat, "Gizmo", text="Hello")
    adopted = writer.adopt(events.Died(t=writer.started + 2, episode=9, agent="Glitch"))
    writer.event(events.PositionSampled, "Gizmo", position=(1, 2, 3))
    writer.write_call({"role": "action", "agent": "Gizmo"})
    writer.write_call({"role": "action", "agent": "Nobody yet"})
    ended = writer.event(events.EpisodeEnded, reason="time_limit", seconds=1)
    writer.write_call({"role": "action", "agent": "Gizmo"})
    writer.write_call({"role": "copied", "asked_by": 3})
    record = read_record(writer.folder)
    assert [event.id for event in record.events] == [1, 2, 3, 4, 5]
    assert record.events[2] == adopted
    asked = [call["asked_by"] for call in record.calls]
    assert asked == [started.id, said.id, started.id, ended.id, 3]


def test_records_without_event_numbers_load(writer):
    writer.event(events.Died, "Gizmo")
    writer.event(events.Died, "Glitch")
    writer.close()
    path = writer.folder / "events.jsonl"
    old = [json.loads(line) for line in path.read_text().splitlines()]
    for event in old:
        del event["id"]
    path.write_text("".join(json.dumps(event) + "\n" for event in old))
    record = read_record(writer.folder)
    assert record.problems == []
    assert [(event.id, event.agent) for event in record.events] == [(1, "Gizmo"), (2, "Glitch")]


def test_a_growing_record_can_be_read_repeatedly(writer):
    reader = RunReader(writer.folder, is_live=True)
    writer.event(events.Chat, "Gizmo", text="Hello")
    assert [event["text"] for event in reader.events()] == ["Hello"]
    path = writer.folder / "events.jsonl"
    with path.open("a") as file:
        file.write('{"t": 1.0, "kind": "di')
    assert list(reader.events()) == []
    with path.open("a") as file:
        file.write('ed", "episode": 0}\n{"t": NaN, "kind": "died"}\n')
    assert [event["id"] for event in reader.events()] == [2]
    assert [str(problem) for problem in reader.problems] == [
        "events.jsonl line 3: not a whole event"
    ]


def test_run_folders_are_found_at_any_depth(tmp_path):
    for place in ("a/1", "a/2", "b/c/3"):
        RunWriter(make_folder(tmp_path / place), {}).close()
    (make_folder(tmp_path / "a" / "empty") / "events.jsonl").write_text("")
    near = [tmp_path / "a" / "1", tmp_path / "a" / "2"]
    assert find_runs(tmp_path / "a") == near
    assert find_runs(tmp_path) == [*near, tmp_path / "b" / "c" / "3"]
    assert find_runs(near[0]) == near[:1]
    assert find_runs(str(tmp_path / "*" / "*")) == [*near, tmp_path / "b" / "c" / "3"]
    assert find_runs([tmp_path / "b", near[1]]) == [tmp_path / "b" / "c" / "3", near[1]]
    assert find_runs([near[1], tmp_path / "a"]) == near[::-1]


def make_folder(path):
    path.mkdir(parents=True)
    return path


def test_a_full_disk_raises_an_error(tmp_path):
    with RunWriter(tmp_path, {}) as writer, open("/dev/full", "ab") as full:
        writer._events = full
        with pytest.raises(OSError, match="No space"):
            writer.event(events.Died, "Gizmo")
        full.raw.close()


def test_an_interrupted_record_is_resumed(tmp_path):
    with RunWriter(tmp_path, {"scenario": "x"}) as writer:
        writer.event(events.RunStarted, scenario="x", mind="scripted")
        writer.write(events.Chat(t=12.5, episode=0, agent="Ada", text="hello"))
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write('{"t": 13.0, "episode": 0, "kind": "ch')
    with RunWriter.reopen(tmp_path) as writer:
        writer.event(events.RunResumed)
    record = read_record(tmp_path)
    assert record.problems == []
    assert [event.kind for event in record.events] == ["run_started", "chat", "run_resumed"]
    assert 12.5 <= record.events[-1].t < 60
    assert record.manifest["scenario"] == "x"
