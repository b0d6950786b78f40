"""Replays of damaged records: one clear line and soon, never another run that is called one."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.played import negotiated_run, soon
from voxpolis.experiments.run import command, registry
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import FORMAT
from voxpolis.records import read_record


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A real run with a negotiation: two agents, and several roles' calls."""
    return negotiated_run(tmp_path_factory.mktemp("real"))


#: Aliases of aliases.
BOMB = "a: &b0 [x, x]\n" + "".join(
    f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


def cut_in_half(data):
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [("llm.jsonl", lambda data: b"null\n" * 5, "llm.jsonl line 1: not a whole call"),
     ("llm.jsonl", cut_in_half, "cut off in the middle"),
     ("llm.jsonl", lambda data: data.replace(b'"messages"', b'"mezzages"'), "not a whole call"),
     ("llm.jsonl", lambda data: data.replace(b'"answer": "', b'"answer": 5, "x": "'), "whole call"),
     ("llm.jsonl", lambda data: data.splitlines()[0] + b"\nx" * 4_000_000, "llm.jsonl line 2: "),
     ("llm.jsonl", None, "llm.jsonl: missing"),
     ("messages.jsonl", lambda data: b"", "a message is missing"),
     ("messages.jsonl", lambda data: data.replace(b'"content": "', b'"content": null, "y": "'),
      "a message is missing"),
     ("messages.jsonl", lambda data: data * 2_000, "messages that no call names"),
     ("messages.jsonl",
      lambda data: data + b'{"hash":"a","role":"user","content":"x"}\n' * 3_000_000,
      "messages that no call names")],
)  # fmt: skip
def test_calls_that_are_damaged_are_not_replayed_and_said(played, tmp_path, name, change, says):
    """Nobody plays scripted minds anew and calls it a replay, or shows another's prompt for why."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    if change is not None:
        (folder / name).write_bytes(change(data))
    experiment = registry.experiment("double_vein")
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(experiment, {"replay": folder})
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"{folder} is damaged and cannot be replayed: ")
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "events.jsonl: missing"),
        ("folder", "events.jsonl: Is a directory"),
        (b"", "no whole event"),
        (bytes(5000), "no whole event"),
        (b"null\n", "events.jsonl line 1: "),
    ],
)
def test_a_run_without_its_events_is_not_begun_again(played, tmp_path, data, says):
    """It was begun, and failed by the record's end, of which nobody was told where it was."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (folder / "events.jsonl").unlink()
    if data == "folder":
        (folder / "events.jsonl").mkdir()
    elif data is not None:
        (folder / "events.jsonl").write_bytes(data)
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.experiment("double_vein"), {"replay": folder})
    assert says in str(refused.value)
    assert str(refused.value).startswith(f"{folder} is damaged and cannot be replayed: ")


def test_a_run_that_was_gone_on_with_in_minecraft_is_not_begun_again(played, tmp_path):
    """Its record holds a case twice; its replay failed after the world was built, with code 1."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    lines = (folder / "events.jsonl").read_text().splitlines()
    resumed = {"id": 0, "t": 0.0, "episode": 0, "agent": None, "kind": "run_resumed"}
    (folder / "events.jsonl").write_text("\n".join([*lines, json.dumps(resumed), *lines[1:]]))
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.experiment("double_vein"), {"replay": folder})
    assert "was cut off in Minecraft and gone on with" in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["events.jsonl", "llm.jsonl", "messages.jsonl"])
def test_of_a_flood_of_lines_a_hundred_are_read(played, tmp_path, name):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    before = read_record(folder)
    with (folder / name).open("ab") as file:
        file.write(b"{\n" * 3_000_000)
    with soon():
        record = read_record(folder)
    assert record.events == before.events
    assert record.calls == before.calls
    assert sum(problem.startswith(name) for problem in record.problems) == 101
    assert record.damage is not None


def test_a_run_of_a_killed_process_is_replayed_as_far_as_it_goes(played, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    for name in ("events.jsonl", "llm.jsonl"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-20])
    experiment = registry.experiment("double_vein")
    assert command.read_options(experiment, {"replay": folder})[2].lost_calls is None


@pytest.mark.parametrize("action", ["replay", "resume"])
@pytest.mark.parametrize(
    ("text", "says"),
    [(BOMB, "run.yaml: "),
     ("- 1\n", "run.yaml: no settings by name"), ("", "run.yaml: no settings by name"),
     ("\x00\x01", "run.yaml: "), (None, "run.yaml: Is a directory"),
     ("scenario: double_vein\nformat: FORMAT\noptions: {}\nconfig: 7\n", "config: no settings"),
     ("scenario: double_vein\nformat: FORMAT\noptions: [1]\n", "options: no settings")],
)  # fmt: skip
def test_settings_that_are_damaged_are_said_to_be(tmp_path, action, text, says):
    if text is None:
        (tmp_path / "run.yaml").mkdir()
    else:
        (tmp_path / "run.yaml").write_text(text.replace("FORMAT", str(FORMAT)))
    with soon(), pytest.raises(UsageError) as refused:
        command.read_options(registry.experiment("double_vein"), {action: tmp_path})
    assert str(refused.value).startswith(f"{tmp_path} is damaged and cannot be ")
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["result.json", "result.json.part"])
def test_a_run_whose_result_cannot_be_put_in_its_place_is_not_gone_on_with(played, tmp_path, name):
    """It was played whole, and only then was said to have failed."""
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    with soon(), pytest.raises(UsageError, match=f"gone on with: {name} is a folder"):
        command.read_options(registry.experiment("double_vein"), {"resume": folder})
