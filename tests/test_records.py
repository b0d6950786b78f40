"""The record: what is written can be read, also after a kill."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from records import RunWriter, events, new_run_folder, parse_event, read_record


@pytest.fixture
def writer(tmp_path):
    with RunWriter(new_run_folder(tmp_path, "example"), {"seed": 3}) as writer:
        yield writer


def test_what_is_written_is_read(writer):
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


def test_a_record_is_readable_while_it_is_written(writer):
    writer.event(events.Died, "Gizmo")
    assert read_record(writer.folder).of(events.Died)


def test_a_broken_last_line_is_a_problem_and_no_more(writer):
    writer.event(events.Died, "Gizmo")
    writer.close()
    with (writer.folder / "events.jsonl").open("ab") as file:
        file.write(b'{"t": 1.0, "kind": "di\xff')
    record = read_record(writer.folder)
    assert len(record.events) == 1
    assert record.problems == ["events.jsonl line 2: cut off in the middle"]


def test_unknown_kinds_and_missing_files_are_problems(writer):
    writer.close()
    (writer.folder / "events.jsonl").write_text(json.dumps({"kind": "unheard of"}) + "\n")
    (writer.folder / "llm.jsonl").unlink()
    (writer.folder / "run.yaml").write_text("a: [")
    record = read_record(writer.folder)
    assert record.events == []
    assert len(record.problems) == 3


def test_there_is_no_such_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_record(tmp_path / "nothing")


def test_events_are_strict():
    with pytest.raises(ValidationError):
        parse_event({"kind": "chat", "t": 0, "episode": 0, "agent": "a", "text": "hi", "more": 1})


def test_a_full_disk_is_an_error(tmp_path):
    (tmp_path / "events.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space"), RunWriter(tmp_path, {}) as writer:
        writer.event(events.Died, "Gizmo")


def test_a_record_that_was_cut_off_goes_on(tmp_path):
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


def test_only_a_record_can_go_on(tmp_path):
    with pytest.raises(FileNotFoundError):
        RunWriter.reopen(tmp_path)
